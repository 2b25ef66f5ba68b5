"""Headings and questions that are taken from sentences of sources by rules: nobody has
to invent them."""

import re
from collections import Counter
from collections.abc import Sequence

from app.core.checks import Kind, Passage, is_clean
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.text import stems, word_count
from app.core.verification import Extract
from app.core.writing.notes import OF_A_KIND, Notes

_QUESTION_WORDS, _HEADING_WORDS = 18, 9
_PHRASE_SIZES = (2, 3, 4)
HEADING_CHARS = 60


class Names:
    """Headings and questions for some of the notes of a post."""

    def __init__(self, notes: Notes, brief: Brief) -> None:
        self._notes, self._brief = notes, brief

    def aboutness(self, keyword: str, notes: Sequence[Extract]) -> float:
        """Return the mean share that sentences have of a keyword's words, by their weight; words of
        the primary keyword aside."""
        known = self._notes
        told = stems(keyword, known.language) - known.small - known.primary
        whole = known.weight(told)
        shares = [known.weight(told & known.stems[note]) for note in notes]
        return sum(shares) / len(shares) / whole if whole else 0.0

    def covers(self, heading: str, notes: Sequence[Extract]) -> bool:
        """Whether a heading has words of at least half of some sentences."""
        told = stems(heading, self._notes.language) - self._notes.small
        told = told - self._notes.primary or told
        return 2 * sum(bool(told & self._notes.stems[note]) for note in notes) >= len(notes)

    def phrase(self, notes: Sequence[Extract]) -> str:
        """Return two to four words that stand together in most of these sentences."""
        spoken = get_language(self._notes.language)
        having: dict[tuple[str, ...], list[str]] = {}
        for note in notes:
            tokens = re.findall(r"\w[\w’'-]*|[^\w\s]", note.text)
            runs = {
                tuple(map(self.stem, run)): " ".join(run)
                for size in _PHRASE_SIZES
                for before, *run in zip(
                    *(["", *tokens][at:] for at in range(size + 1)), strict=False
                )
                # An item of an enumeration is what few of its neighbours speak of.
                if before != ","
                and all(word[0].isalpha() and len(word) > 2 for word in run)
                and not any(stems(word, self._notes.language) & self._notes.small for word in run)
            }
            if spoken and spoken.capitalises_nouns:
                # An adjective would have the ending that it has in its sentence.
                runs = {key: text for key, text in runs.items() if text.istitle()}
            for key, text in runs.items():
                having.setdefault(key, []).append(text)
        best = [
            (len(texts), len(key), texts[0])
            for key, texts in having.items()
            if len(texts) >= max(2, OF_A_KIND * len(notes)) and not set(key) <= self._notes.primary
        ]
        return capitalised(max(best)[2]) if best else ""

    def stem(self, word: str) -> str:
        return min(stems(word, self._notes.language), default="")

    def keyword(self, notes: Sequence[Extract]) -> str:
        """Return a further keyword that most of some sentences speak of, and few others."""
        for keyword in self._brief.keywords[1:]:
            own = stems(keyword, self._notes.language) - self._notes.small
            told = own - self._notes.primary or own
            having = [note for note in self._notes.all if told <= self._notes.stems[note]]
            inside = [note for note in having if note in notes]
            if 3 * len(inside) >= 2 * len(notes) and 2 * len(inside) >= len(having):
                return capitalised(keyword)
        return ""

    def question(self, note: Extract) -> str:
        """Return the question that a sentence certainly answers; "" if there is none."""
        return self._asked(note)[0]

    def answer(self, question: str, notes: Sequence[Extract]) -> str:
        """Return what some sentences say apart from their question."""
        if len(notes) == 1:
            asked, answer = self._asked(notes[0])
            if asked == question:
                return answer
        return " ".join(note.text for note in notes)

    def _asked(self, note: Extract) -> tuple[str, str]:
        """Return the question that a sentence certainly answers, and its answer; "" twice
        without one."""
        if self._notes.rules is None or self._notes.refers(note):
            return "", ""
        for each in self._notes.rules.questions:
            match = each.sentence.search(note.text)
            if match is None:
                continue
            parts = {name: (text or "").strip() for name, text in match.groupdict().items()}
            if "subject" in parts:
                parts["subject"] = self.inside(parts["subject"])
            line = " ".join(each.question.format(**parts).split())
            if " ?" not in each.question:
                line = line.replace(" ?", "?")
            line = capitalised(line)
            if word_count(line) <= _QUESTION_WORDS and "(" not in line:
                is_whole = each.answer == "{sentence}"
                whole = note.text if is_whole else self.inside(note.text)
                return line, capitalised(each.answer.format(sentence=whole, **parts))
        return "", ""

    def inside(self, text: str) -> str:
        """Return a text that begins a sentence as it is written within one."""
        first, _, rest = text.partition(" ")
        rules, spoken = self._notes.rules, get_language(self._notes.language)
        if rules and first.lower() in rules.subject_starts:
            return f"{first.lower()} {rest}".strip()
        if rest[:1].isupper():
            # “Which ISA”, but no name, and no “Sie” of German courtesy.
            is_courtesy = spoken is None or spoken.capitalises_nouns
            is_small = spoken is not None and first.lower() in spoken.function_words
            return lower(text) if is_small and not is_courtesy else text
        is_name = any(
            re.search(rf"[^.!?|]\s{re.escape(first)}\b", note.text) for note in self._notes.all
        )
        if is_name or not first[1:].islower():
            return text
        if spoken and spoken.capitalises_nouns:
            small = re.compile(rf"\b{re.escape(first.lower())}\b")
            if not any(small.search(note.text) for note in self._notes.all):
                return text
        return lower(text)

    def in_sentence_case(self, heading: str) -> str:
        """Return a heading without the capitals of words that no sentence has within it."""
        written = {
            word for note in self._notes.all for word in re.findall(r"(?<=\s)\w+", note.text)
        }
        first, *others = heading.split(" ")
        return " ".join([capitalised(first), *(w if w in written else lower(w) for w in others)])

    def general(self, keyword: str) -> str:
        """Return the heading for sentences without a subject in common; "" if the language has
        none."""
        known = self._notes.rules
        return known.headings.other.format(topic=capitalised(keyword)) if known else ""

    def may_be_used(self, heading: str) -> bool:
        """Whether the checks accept the heading of a page in a post, and a reader sees it whole."""
        return len(heading) <= HEADING_CHARS and is_clean(
            Passage("source", Kind.HEADING, heading), self._notes.language
        )

    def page_heading(self, notes: Sequence[Extract]) -> str:
        """Return the heading that the page has above all these sentences, after the keyword if it
        is a single word; "" if it is too long for one."""
        heading, count = Counter(note.heading for note in notes).most_common(1)[0]
        is_own = count >= OF_A_KIND * len(notes)
        is_short = 0 < word_count(heading) <= _HEADING_WORDS
        if not (is_own and is_short and self.may_be_used(heading)):
            return ""
        if word_count(heading) > 1:
            return heading
        spoken, topic = get_language(self._notes.language), capitalised(self._brief.primary_keyword)
        return f"{topic}{spoken.colon if spoken else ':'} {self.inside(heading)}"


def capitalised(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return f"{text[:1].upper()}{text[1:]}"


def lower(text: str) -> str:
    """Return a text without the capital of its first word, unless that has more capitals."""
    return f"{text[:1].lower()}{text[1:]}" if text[1:2].islower() else text
