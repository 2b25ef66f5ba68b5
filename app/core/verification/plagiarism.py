"""Plagiarism: text that a post has in common with its sources.

A long run of words from a source is refused, and so is a post that shares too many short runs with
one source. Case, punctuation, hyphens and Unicode normalisation make no difference.

Exempt, because they cannot or should not be rephrased:

- questions, which state nothing and are asked as readers ask them;
- quotations of three words or more, which verification compares word for word. Shorter ones are
  terms, and do not interrupt a run;
- runs of nothing but the request's keywords, numbers, names and function words: titles of laws,
  names of institutions, results. A name has a capital in the post, and never lacks one in the
  sources, so a copy does not become a name by being capitalised;
- runs with fewer than six words beside names, figures with their units, dates, times, keywords and
  items of lists. What is a list, the source says: commas in the post make none. Whole sentences
  on lines of a list count. Where all nouns
  have a capital, it is no sign of such a name. A long title with many lowercase words belongs in
  quotation marks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, pairwise
from operator import or_

from app.core.checks import Finding, Kind, Passage, blocker
from app.core.languages import Verification, all_languages, get_language, get_section
from app.core.sources.source import Source
from app.core.text import UNSPACED, Span, folded, primary_subtag
from app.core.text.near_duplicates import WORDS, runs
from app.core.verification.annotate import annotate
from app.core.verification.listed import listed
from app.core.verification.quotations import quotations

CHECK = "copied_from_source"
# This many words in a row are plagiarism.
RUN_WORDS = 13
# At least six of them can be replaced: sentences of values and names have fewer.
OWN_WORDS = 6
# This share of the runs of five words of a post in one source is plagiarism.
CONTAINMENT = 0.15
# The share of fewer runs of five words, as in one paragraph, means nothing: a run of twelve words,
# which is allowed, makes eight of them. Of 100 it takes two.
LEAST_SHINGLES = 100
# Bounds the memory; more of a page is never given to a writer.
_MAX_SOURCE_CHARS = 400_000
_SHOWN_WORDS = 4
# Up to three function words between names, figures or items belong to them: “of the”, “and from”.
_MOST_BETWEEN = 3

# Soft hyphens and word joiners.
_INVISIBLE = {"\u00ad", "\u2060"}
_APOSTROPHE = re.compile("['’]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Any word has a capital at the beginning of a sentence.
_BEGINS = re.compile(r"[.!?:]\s")


@dataclass(frozen=True)
class _Text:
    """The words of a text, their places, which of them have a capital (l'Union has one), what
    stands before each, and the ranges of words between line breaks.
    """

    words: tuple[str, ...]
    spans: tuple[Span, ...]
    capitals: tuple[bool, ...]
    gaps: tuple[str, ...]
    lines: tuple[slice, ...]


def _cut(text: str) -> _Text:
    """The words with one kind of apostrophe and without soft hyphens."""
    words: list[str] = []
    spans: list[Span] = []
    for word, (begin, end) in folded(text):
        plain = word.replace("’", "'")
        if spans and text[spans[-1][1] : begin] in _INVISIBLE:
            words[-1] += plain
            spans[-1] = (spans[-1][0], end)
        else:
            words.append(plain)
            spans.append((begin, end))
    capitals = (
        any(part[:1].isupper() for part in _APOSTROPHE.split(text[begin:end]))
        for begin, end in spans
    )
    gaps = ["\n", *(text[one[1] : two[0]] for one, two in pairwise(spans))]
    breaks = [at for at, gap in enumerate(gaps) if at and "\n" in gap]
    lines = (slice(*ends) for ends in pairwise([0, *breaks, len(words)]))
    return _Text(tuple(words), tuple(spans), tuple(capitals), tuple(gaps), tuple(lines))


class Originals:
    """The sources of a post, prepared once for all of its drafts.

    ``long_runs`` has the first source of each run of 13 words, by its place in ``urls``;
    ``listed`` which words of such a run are items of a list, if any; ``shingles`` the runs of five
    words of each source that are not only items; ``names`` the words that have a capital in running
    text, and nowhere lack one; ``certain_names`` those of languages that capitalise no other nouns.
    Only the first 400,000 characters of a page count.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        texts = [_cut(source.text[:_MAX_SOURCE_CHARS]) for source in sources]
        self.urls = tuple(_shown(source.url) for source in sources)
        # Of every language: names are often foreign to the post.
        self.function_words = frozenset(
            chain.from_iterable(each.function_words for each in all_languages())
        )
        self.long_runs: dict[int, int] = {}
        self.listed: dict[int, Sequence[bool]] = {}
        shingles: list[frozenset[int]] = []
        for place, (source, text) in enumerate(zip(sources, texts, strict=True)):
            language = primary_subtag(source.language)
            items = listed(text.words, text.gaps, language, self.function_words)
            for at, run in enumerate(runs(text.words, RUN_WORDS)):
                if run not in self.long_runs:
                    self.long_runs[run] = place
                    if any(part := items[at : at + RUN_WORDS]):
                        self.listed[run] = part
            found = enumerate(runs(text.words))
            shingles.append(frozenset(run for at, run in found if not all(items[at : at + WORDS])))
        self.shingles = tuple(shingles)
        self.names = _names(texts)
        telling = [
            text
            for source, text in zip(sources, texts, strict=True)
            if not _capitalises_nouns(source.language)
        ]
        self.certain_names = self.names & (_names(telling) - self.function_words)


def _capitalises_nouns(language: str) -> bool:
    spoken = get_language(primary_subtag(language))
    return spoken is not None and spoken.capitalises_nouns


def _names(texts: Sequence[_Text]) -> frozenset[str]:
    capital: set[str] = set()
    small: set[str] = set()
    for text in texts:
        for line in text.lines:
            part = list(zip(text.words[line], text.capitals[line], strict=True))
            begins = (_BEGINS.search(gap) for gap in text.gaps[line])
            small.update(word for word, has_capital in part if not has_capital)
            # In headings every word may have a capital; a sentence ends with a full stop.
            is_sentence = any("." in gap for gap in text.gaps[line.stop : line.stop + 1])
            if is_sentence or 2 * sum(has_capital for _, has_capital in part) <= len(part):
                capital.update(
                    word
                    for (word, has_capital), at_start in zip(part, begins, strict=True)
                    if has_capital and not at_start
                )
    return frozenset(capital - small)


class _Candidate:
    """A passage, its words, and which of its runs count."""

    def __init__(
        self, passage: Passage, originals: Originals, keywords: Sequence[tuple[str, ...]]
    ) -> None:
        self.passage = passage
        self.text = _cut(passage.text)
        self._keywords = keywords
        own = frozenset(chain.from_iterable(keywords))
        self._fixed = [
            word in own
            or word in originals.function_words
            or word[0].isdigit()
            or (capital and word in originals.names)
            for word, capital in zip(self.text.words, self.text.capitals, strict=True)
        ]
        self._quoted = _within(self.text.spans, [quote.span for quote in quotations(passage.text)])
        self.shingles = runs(self.text.words)
        self._originals = originals

    def replaceable(self, language: str) -> list[bool]:
        """Return which words have others: not those of names, values, keywords and lists."""
        words, originals = self.text.words, self._originals
        known = get_section(language, Verification)
        oclock = known.dates.oclock if known else frozenset()
        bound = [
            word[0].isdigit() or word in oclock or (capital and word in originals.certain_names)
            for word, capital in zip(words, self.text.capitals, strict=True)
        ]
        values = [
            fact.span
            for sentence in annotate(self.passage.text, language, None).sentences
            for fact in sentence.facts
            if any(map(str.isdigit, fact.text)) or (fact.when and fact.when.weekday is not None)
        ]
        bound = list(map(or_, bound, _within(self.text.spans, sorted(values))))
        for keyword in self._keywords:
            for at in range(len(words) - len(keyword) + 1):
                if words[at] == keyword[0] and words[at : at + len(keyword)] == keyword:
                    bound[at : at + len(keyword)] = [True] * len(keyword)
        for at, run in enumerate(runs(words, RUN_WORDS)):
            for offset, is_item in enumerate(originals.listed.get(run, ())):
                bound[at + offset] |= is_item
        last = -len(words)
        for at, is_bound in enumerate(bound):
            if is_bound:
                between = range(last + 1, at)
                if 0 < len(between) <= _MOST_BETWEEN and all(
                    words[each] in originals.function_words for each in between
                ):
                    bound[last + 1 : at] = [True] * len(between)
                last = at
        return [not each for each in bound]

    def counts(self, at: int, length: int) -> bool:
        """Return whether a run could be rephrased and is outside of quotation marks."""
        part = slice(at, at + length)
        return not any(self._quoted[part]) and not all(self._fixed[part])

    def shared(self, original: frozenset[int]) -> list[int]:
        """Return the runs of five words that count and are in the source."""
        inside = [(at, run) for at, run in enumerate(self.shingles) if run in original]
        return [run for at, run in inside if self.counts(at, WORDS)]


def check_plagiarism(
    texts: Sequence[Passage],
    originals: Originals,
    keywords: Sequence[str],
    language: str = "en",
) -> list[Finding]:
    """Return blockers for what the passages have in common with the sources, in linear time.

    Each run of 13 words or more outside of quotation marks is one if six of them can be replaced;
    in scripts without spaces a
    character counts as half a word. If 15 % or more of the runs of five words of all passages are
    in one source, each passage with such a share of its own is one: rewriting these fixes the
    whole. The share is not computed for fewer than 100 runs, so that drafts of single paragraphs
    can be checked, nor for scripts without spaces, where five characters are a word or two.
    """
    own = [words for keyword in keywords if (words := _cut(keyword).words)]
    prose = [each for each in texts if each.kind not in {Kind.CODE, Kind.QUESTION}]
    candidates = [_Candidate(passage, originals, own) for passage in prose]
    found = [finding for each in candidates for finding in _long_runs(each, originals, language)]
    return [*found, *_share(candidates, originals)]


def _long_runs(candidate: _Candidate, originals: Originals, language: str) -> Iterator[Finding]:
    passage, text = candidate.passage, candidate.text
    copies = list(_copies(candidate, originals))
    replaceable = candidate.replaceable(language) if copies else []
    for begin, end, place in copies:
        weights = list(map(_weight, text.words[begin:end]))
        own = sum(compress(weights, replaceable[begin:end]))
        if sum(weights) < RUN_WORDS or own < OWN_WORDS:
            continue
        start = text.spans[begin][0]
        first = passage.text[start : text.spans[begin + _SHOWN_WORDS - 1][1]]
        reason = (
            f"Takes over {end - begin} words in a row from {originals.urls[place]}, beginning with"
            f" “{' '.join(first.split())} …”. Say it in other words; names, figures"
            " and lists may stay."
        )
        yield blocker(CHECK, passage.section, reason, (start, text.spans[end - 1][1]))


def _copies(candidate: _Candidate, originals: Originals) -> Iterator[tuple[int, int, int]]:
    """First word, end and source of each copy; overlapping runs are one."""
    begin = end = source = -1
    for at, run in enumerate(runs(candidate.text.words, RUN_WORDS)):
        place = originals.long_runs.get(run)
        if place is None or not candidate.counts(at, RUN_WORDS):
            continue
        if at > end:
            if end > 0:
                yield begin, end, source
            begin, source = at, place
        end = at + RUN_WORDS
    if end > 0:
        yield begin, end, source


def _share(candidates: Sequence[_Candidate], originals: Originals) -> Iterator[Finding]:
    everything = frozenset(chain.from_iterable(each.shingles for each in candidates))
    words = [word for each in candidates for word in each.text.words]
    is_unspaced = 2 * sum(_weight(word) < 1 for word in words) > len(words)
    if len(everything) < LEAST_SHINGLES or is_unspaced:
        return
    for url, original in zip(originals.urls, originals.shingles, strict=True):
        shared = [each.shared(original) for each in candidates]
        part = len(frozenset(chain.from_iterable(shared))) / len(everything)
        if part < CONTAINMENT:
            continue
        reason = (
            f"{part:.0%} of the text's runs of five words stand in {url} as well (less than"
            f" {CONTAINMENT:.0%} is allowed), many of them here. Say it in other words and in an"
            " order of your own."
        )
        # Rewriting the passages above the limit brings the whole below it. If repeated runs hide
        # them, the passage with the most in common is rewritten.
        counts = [len(runs_of_one) for runs_of_one in shared]
        over = [
            each
            for each, count in zip(candidates, counts, strict=True)
            if count and count >= CONTAINMENT * len(each.shingles)
        ]
        for each in over or [candidates[counts.index(max(counts))]]:
            yield blocker(CHECK, each.passage.section, reason)


def _weight(word: str) -> float:
    return 0.5 if _UNSPACED.match(word) else 1.0


def _within(spans: Sequence[Span], ranges: Sequence[Span]) -> list[bool]:
    """Whether each of the spans is within one of the ranges; both are sorted."""
    inside = []
    at = 0
    for begin, end in spans:
        while at < len(ranges) and ranges[at][1] <= begin:
            at += 1
        inside.append(at < len(ranges) and ranges[at][0] <= begin and end <= ranges[at][1])
    return inside


def _shown(url: str) -> str:
    """The URL without user, query and fragment, which may be private."""
    return re.sub(r"\A([^:/?#]+://)[^/]*@", r"\1", re.split("[?#]", url, maxsplit=1)[0])
