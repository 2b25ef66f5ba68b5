"""Titles and descriptions, as a search result shows them, made of the request and of what the post
has."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, takewhile

from app.core.checks import DESCRIPTION_CHARS, TITLE_CHARS, place_findings, width
from app.core.languages import Composing, get_language, get_section
from app.core.planning.brief import Brief
from app.core.text import find_phrase, sentences, stems, words
from app.core.verification import is_order
from app.core.writing.coverage import is_akin
from app.core.writing.faithful import share_of
from app.core.writing.names import Names, capitalised

# The least share of the words of a topic that the text has, if the topic is to be the title.
_KEPT = 0.65
# The highest share of the words of a part of a topic that the keyword has.
_KNOWN = 0.5
# How much longer than usual a title may be that says more of the topic.
_OVER = 4
# What speaks for a title that begins with the keyword.
_BEGINS = 0.3
# The least number of words that a topic has without the keyword at its end.
_LEAST_LEFT = 3
# How many topics a description names, and from how many it chooses.
_MOST_TOPICS, _CHOICE = 4, 8
# What speaks for a description: that it is an answer, that it begins with one, each topic behind
# that, each topic with steps or a table; and against it: the share of its words in its title, and
# each word that it has twice.
_ANSWER, _BEGUN, _ANSWERING, _OF_FORM, _REPEATED, _TWICE = 0.8, 0.45, 0.1, 0.1, 0.3, 0.13
# What speaks against a label before its answer.
_LABEL = 0.1
# A shorter beginning of a post is no answer.
_LEAD_CHARS = 45
# A post that answers fewer questions does not say so.
_FEWEST_ANSWERS = 3
_CLAUSE = re.compile(r"[:;] ")
# Where a topic may be parted, and the most words of an item of an enumeration.
_PIECES, _ITEM_WORDS = re.compile(r"\s*[,;:–—]\s+"), 3
# A heading with this does not continue a sentence.
_NO_TOPIC = re.compile(r"[?!:]")


@dataclass(frozen=True)
class Part:
    """A section as search results name it.

    Args:
        heading: "" for one that the post has no heading of its own for.
        steps: how many numbered steps it has.
        is_table: whether it has a table.
    """

    heading: str
    steps: int = 0
    is_table: bool = False


class SearchResult:
    """Titles and descriptions of one post, the best first.

    Args:
        is_choice: whether the post is a small part of what its sources say. Then what is asked for
            tells more of it than one of its sections does.
    """

    def __init__(self, brief: Brief, names: Names, *, is_choice: bool = False) -> None:
        self._brief, self._names, self._is_choice = brief, names, is_choice
        self._rules = get_section(brief.language, Composing)
        spoken = get_language(brief.language)
        self._colon = spoken.colon if spoken else ":"
        self.in_short = capitalised(brief.primary_keyword)
        if self._rules:
            self.in_short = self._rules.in_short.format(keyword=self.in_short)

    def label(self, text: str) -> str:
        """Return a text that stands before another one."""
        return f"{capitalised(text)}{self._colon}"

    def has_keyword(self, text: str) -> bool:
        """Whether a text has the words of the primary keyword, in any order."""
        brief = self._brief
        keyword, language = brief.primary_keyword, brief.language
        is_scattered = not brief.exact_keywords and stems(keyword, language) <= stems(
            text, language
        )
        return is_scattered or self._uses_keyword(text)

    def titles(self, parts: Sequence[Part], pages: Iterable[str], text: str) -> list[str]:
        """Return titles: the topic in the client's words, as far as the post has them, what
        sections are about, and titles of pages, those first that say most of the topic.

        Args:
            pages: titles of pages whose sections the post has.
            text: all of the post.
        """
        brief = self._brief
        topic, keyword, language = brief.topic or "", brief.primary_keyword, brief.language
        headings = self._headings(parts)
        pairs = [self._listed(pair) for pair in combinations(headings, 2)]
        clauses = [topic[:end].rstrip(" ,") for end in self._ends(topic)]
        told = [each for each in clauses if share_of(each, text, language) >= _KEPT]
        of_topic, of_parts = (
            [
                capitalised(each) if self._uses_keyword(each) else f"{self.label(keyword)} {each}"
                for each in lines
            ]
            for lines in (told, (*headings, *pairs))
        )
        turned = [line for each in told if (line := self._turned(each))]
        of_pages = [
            each if self.has_keyword(each) else f"{self.label(keyword)} {self._names.inside(each)}"
            for each in pages
        ]
        lines = [*of_topic, *turned, *of_parts, *of_pages] if topic else [*of_pages, *of_parts]
        most = TITLE_CHARS[1]
        lines = [line for line in lines if width(line) <= most + _OVER]
        if self._is_choice:
            whole = list(self._of_pieces(topic, headings, text))
            lines = [line for line in whole if width(line) <= most + _OVER]
        if topic:
            # “Sourdough: baking bread” is not about “baking bread without sourdough”.
            lost = [each for each in told if not self._uses_keyword(each)]
            cut = [f"{self.label(keyword)} {each}" for each in lost if self._uses_keyword(topic)]

            def worth(line: str) -> float:
                is_first = self._begins(line) and line not in cut
                return share_of(topic, line, language) + _BEGINS * is_first

            lines.sort(key=lambda line: (-worth(line), width(line) > most))
        others = [f"{self.label(keyword)} {each}" for each in brief.keywords[1:]]
        return [*lines, self.in_short, *others, capitalised(keyword)]

    def _of_pieces(self, topic: str, headings: Sequence[str], text: str) -> Iterator[str]:
        """Yield titles of the parts of a topic that is too long for one: “Solar panels: costs and
        subsidies”, the parts first that headings name."""
        keyword, language = self._brief.primary_keyword, self._brief.language
        pieces = [self._without_joint(each) for each in _PIECES.split(topic)]
        whole = [topic, *pieces]
        *before, last = pieces
        short = [*takewhile(lambda each: len(each.split()) <= _ITEM_WORDS, reversed(before))][::-1]
        joint = self._joint
        if short and joint and f" {joint} " in last:
            items = [*short, *last.split(f" {joint} ", 1)]
            named = " ".join(headings)
            sized = (
                each for size in range(len(items), 1, -1) for each in combinations(items, size)
            )
            listed = sorted(
                sized,
                key=lambda each: (
                    -len(each),
                    -sum(share_of(item, named, language) for item in each),
                ),
            )
            whole += [self._listed(each) for each in listed]
        for piece in whole:
            if self._stands_alone(piece) and share_of(piece, text, language) >= _KEPT:
                yield (
                    capitalised(piece)
                    if self.has_keyword(piece)
                    else f"{self.label(keyword)} {piece}"
                )
        yield from self._goes_on(pieces)

    def _stands_alone(self, piece: str) -> bool:
        """Whether a part of a topic needs nothing before it, as “with opening hours” does."""
        first = piece.partition(" ")[0].lower()
        rules, spoken = self._rules, get_language(self._brief.language)
        is_small = spoken is not None and first in spoken.function_words
        may_begin = rules is not None and first in {*rules.unspecific, *rules.subject_starts}
        # “Free sights in Washington” says little behind “Free things to do in Washington DC”.
        keyword = self._brief.primary_keyword
        is_new = share_of(piece, keyword, self._brief.language) <= _KNOWN or self.has_keyword(piece)
        return bool(piece) and is_new and (may_begin or not is_small)

    def _goes_on(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield the keyword with what a topic says behind it: “Portable generator safety during a
        power outage”."""
        keyword, language = self._brief.primary_keyword, self._brief.language
        wanted = stems(keyword, language) - self._small
        for piece in pieces:
            said = piece.split()
            missing, at = set(wanted), 0
            for number, word in enumerate(said):
                own = stems(word, language)
                found = {each for each in wanted if any(is_akin(each, stem) for stem in own)}
                missing -= found
                at = number + 1 if found else at
            tail = said[at:]
            goes_on = tail and not stems(tail[0], language) - self._small and tail[0] != self._joint
            if not missing and goes_on and len(tail) >= _LEAST_LEFT:
                yield f"{capitalised(keyword)} {' '.join(tail)}"

    @property
    def _joint(self) -> str:
        return self._rules.headings.pair.format(one="", other="").strip() if self._rules else ""

    def _without_joint(self, piece: str) -> str:
        first, _, rest = piece.strip().partition(" ")
        return rest if self._joint and first == self._joint else piece.strip()

    def _begins(self, line: str) -> bool:
        """Whether a line begins with the keyword, an article aside."""
        brief = self._brief
        found = find_phrase(line, brief.primary_keyword, brief.language, exact=True)
        return bool(found) and not stems(line[: found[0][0]], brief.language) - self._small

    def _turned(self, topic: str) -> str:
        """Return a topic that ends with the keyword with the keyword before it: “Cold brew: a
        beginner's guide” for “a beginner's guide to cold brew”; "" if that may say something
        else."""
        brief = self._brief
        found = find_phrase(topic, brief.primary_keyword, brief.language, exact=True)
        if not (self._rules and found and found[-1][1] == len(topic)):
            return ""
        joint = self._rules.before_keyword.search(topic[: found[-1][0]].rstrip())
        left = topic[: joint.start()] if joint else ""
        is_enough = len(left.split()) >= _LEAST_LEFT
        return f"{self.label(brief.primary_keyword)} {left}" if is_enough else ""

    @cached_property
    def _small(self) -> frozenset[str]:
        """The stems of function words."""
        spoken = get_language(self._brief.language)
        return stems(" ".join(spoken.function_words) if spoken else "", self._brief.language)

    def descriptions(
        self, title: str, introduction: Sequence[str], parts: Sequence[Part], answers: int
    ) -> list[str]:
        """Return descriptions of the right length that name the primary keyword: its answer, and
        what else it has if the answer is short, or only what it has.

        Args:
            introduction: its sentences.
            answers: how many questions the post answers.
        """
        language, least = self._brief.language, DESCRIPTION_CHARS[0]
        asked = " ".join([*self._brief.keywords, self._brief.topic or ""])
        spoken = {part for part in parts if self._may_be_told(part)}
        topics = [self._topic(part) for part in parts if part in spoken]
        weights = [_OF_FORM * bool(part.steps or part.is_table) for part in parts if part in spoken]
        if self._rules and answers >= _FEWEST_ANSWERS:
            topics = [*topics[: _CHOICE - 1], self._rules.answers_to.format(count=answers)]
            weights = [*weights[: _CHOICE - 1], 0.0]
        found: dict[str, float] = {}

        def weigh(line: str, worth: float) -> None:
            again = _REPEATED * share_of(line, title, language) + _TWICE * self._repetitions(line)
            found[line] = worth + share_of(asked, line, language) - again

        topic = (self._brief.topic or "").rstrip(".")
        if self._is_choice and topic:
            for line in (topic, f"{self.label(self._brief.primary_keyword)} {topic}"):
                if self._fits(f"{capitalised(line)}."):
                    return [f"{capitalised(line)}."]
        first = " ".join(introduction[:1])
        leads = list(self._answers(introduction))
        for line, worth in (*leads, (" ".join(introduction[:2]), 0.0)):
            if "?" not in line and self._fits(line):
                weigh(line, _ANSWER + worth)
        leads = [lead for lead in leads if lead[0] not in found]
        for size in range(1, _MOST_TOPICS + 1):
            for chosen in combinations(range(len(topics[:_CHOICE])), size):
                # At the end of a list, a topic with “and” would be ambiguous.
                named = sorted((topics[at] for at in chosen), key=self._is_single)
                if len(named) == 2 and not all(map(self._is_single, named)):
                    continue
                worth = sum(weights[at] for at in chosen)
                for line, bonus in self._sentences_on(named, leads):
                    if self._fits(line):
                        weigh(line, worth + bonus)
        best = sorted(found, key=lambda line: (-found[line], -len(line)))
        spare = [first, " ".join(introduction[:2]), *introduction[1:]]
        spare += [f"{self.label(self._brief.primary_keyword)} {self._names.inside(first)}"]
        spare += [f"{self.label(self.in_short)} {self._names.inside(first)}"]
        fitting = [line for line in spare if self._fits(line)]
        if best or fitting or self._rules is None:
            return list(dict.fromkeys([*best, *fitting]))
        # A little too short is better than without the keyword.
        short = (
            line
            for size in range(_MOST_TOPICS, 1, -1)
            for line, _ in self._sentences_on(topics[:size], [])
        )
        placed = (line for line in short if len(line) < least and self._is_placed(line))
        return list(dict.fromkeys(placed))

    def _sentences_on(
        self, topics: Sequence[str], leads: Sequence[tuple[str, float]]
    ) -> Iterator[tuple[str, float]]:
        """Yield sentences that name some topics, each with what speaks for it."""
        if not topics:
            return
        listed = self._listed(topics)
        if len(topics) > 1 and any(map(self._uses_keyword, topics)):
            yield f"{capitalised(listed)}.", 0.0
        elif len(topics) > 1:
            yield f"{self.label(self._brief.primary_keyword)} {listed}.", 0.0
        for lead, worth in leads if self._rules else ():
            told = self._rules.also.format(topics=listed) if self._rules else ""
            yield f"{lead} {told}", worth + _BEGUN + _ANSWERING * len(topics)

    def _answers(self, introduction: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Yield how the post begins, as a whole, or up to a colon, and behind the keyword if that
        is not in it; each with what speaks for it."""
        label = self.label(self._brief.primary_keyword)
        for sentence in introduction[:1]:
            clause = f"{_CLAUSE.split(sentence)[0].rstrip('.')}."
            for line in dict.fromkeys((sentence, clause)):
                # A question is no answer.
                if "?" not in sentence and len(line) >= _LEAD_CHARS:
                    yield line, 0.0
                    if not self.has_keyword(line):
                        yield f"{label} {self._names.inside(line)}", -_LABEL

    def _repetitions(self, line: str) -> int:
        """Return how many words of a line stand in it already."""
        language = self._brief.language
        found = Counter(chain.from_iterable(stems(word, language) for word in words(line)))
        return sum(count - 1 for stem, count in found.items() if stem not in self._small)

    def _may_be_told(self, part: Part) -> bool:
        heading, rules = self._without_label(part.heading), self._rules
        if not heading or _NO_TOPIC.search(heading) or is_order(heading, self._brief.language):
            return False
        return not (rules and rules.no_topic.search(heading))

    def _topic(self, part: Part) -> str:
        """Return what a section is about, with the number of its steps."""
        heading = self._names.inside(self._without_label(part.heading))
        rules, language = self._rules, self._brief.language
        if rules is None or part.steps < 2 or "," in heading:
            return heading
        # “What to do when it leaks in 7 steps” would be a leak in steps.
        if not (rules.how_to.search(heading) or rules.steps.search(heading)):
            return heading
        noun = stems(words(rules.in_steps)[-1], language)
        if noun & stems(heading, language):
            return heading
        return rules.in_steps.format(topic=heading, count=part.steps)

    def _headings(self, parts: Iterable[Part]) -> list[str]:
        told = (part for part in parts if self._may_be_told(part))
        return [self._names.inside(self._without_label(part.heading)) for part in told][:_CHOICE]

    def _without_label(self, heading: str) -> str:
        return heading.rpartition(f"{self._colon} ")[2]

    def _is_single(self, topic: str) -> bool:
        """Whether a topic has no “and” itself: at the end of a list, it would be ambiguous."""
        if self._rules is None:
            return True
        joint = self._rules.headings.pair.format(one="", other="").strip()
        return f" {joint} " not in topic

    def _listed(self, topics: Sequence[str]) -> str:
        *others, last = topics
        if not others:
            return last
        joined = ", ".join(others)
        if self._rules is None:
            return f"{joined}, {last}"
        return self._rules.headings.pair.format(one=joined, other=last)

    def _fits(self, line: str) -> bool:
        least, most = DESCRIPTION_CHARS
        return least <= width(line) <= most and self._is_placed(line)

    def _is_placed(self, line: str) -> bool:
        """Whether one sentence of a description has the words of the keyword."""
        if not any(place_findings("meta.description", line, self._brief)):
            return True
        said = sentences(line, self._brief.language)
        return any(self.has_keyword(sentence.text) for sentence in said)

    def _uses_keyword(self, text: str) -> bool:
        brief = self._brief
        exact = brief.exact_keywords
        return bool(find_phrase(text, brief.primary_keyword, brief.language, exact=exact))

    def _ends(self, topic: str) -> list[int]:
        """Return where a topic may end: as a whole, or before one of its last clauses."""
        known = self._rules
        if known is None or not topic:
            return [len(topic)] if topic else []
        also = re.escape(known.headings.pair.format(one="", other="").strip())
        # “Eight weeks, two weeks and one day” is one clause.
        listed = [match.span() for match in re.finditer(rf",(?: [^\s,]+){{1,3}} {also} ", topic)]
        found = [
            match.start()
            for match in known.clause_ends.finditer(topic)
            if not any(begin <= match.start() < end for begin, end in listed)
        ]
        return [len(topic), *reversed(found)]
