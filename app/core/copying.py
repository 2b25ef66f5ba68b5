"""Whether a post takes over what its sources wrote, instead of saying it in words of its own.

Two things are refused: a long run of words that stands in a source, and a post of which too large a
part stands in one source, in however short pieces. Words are those of `app.core.text`: case,
punctuation, hyphens and the spelling of one and the same character make no difference.

Exempt, as nobody could or should say it otherwise:

- what stands in quotation marks, from three words on: it is somebody's words, and the evidence
  check holds them to be exact. Fewer words in marks are a term, and interrupt nothing;
- runs of nothing but the request's keywords, numbers, names and the small words that join them:
  titles of laws, names of institutions, results. A name is written with a capital in the post, and
  in the sources nowhere without one; so a copy does not become names by being written in capitals.
  One other word among 13 ends the exemption: what stands around a long name can be said otherwise,
  and a title of so many small words belongs in quotation marks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from app.core.evidence.quotations import quotations
from app.core.evidence.words import word_set
from app.core.originality import WORDS, runs
from app.core.quality.finding import Finding, blocker
from app.core.quality.passage import Passage
from app.core.source import Source
from app.core.text import UNSPACED, Span, folded

CHECK = "copied_from_source"
# So many words in a row are a copy.
RUN_WORDS = 13
# So large a part of a post's runs of five words in one source is a copy.
CONTAINMENT = 0.15
# Fewer runs of five words, a post of some 100 words or one paragraph, say nothing about their
# share: a single run of twelve words, which is allowed, makes eight. Of 100 it takes two.
LEAST_SHINGLES = 100
# Nobody is given more than this of a page to write from. Bounds the memory.
_MAX_SOURCE_CHARS = 400_000
_SHOWN_WORDS = 4

# Hyphens and joiners that only say where a word may be broken.
_INVISIBLE = {"\u00ad", "\u2060"}
_APOSTROPHE = re.compile("['’]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Words that join the parts of a name, in the seven languages that the desk knows.
_JOINING = word_set(
    "a à al am an and as at au aux bei by con da das de degli dei del dell della delle dem den der"
    " des di die do dos du e ed een el en et for für het i im in l la las le les lo los na nas no"
    " nos o of on op or os ou per por pour the to um und van vom von voor y zu zum zur"
)


@dataclass(frozen=True)
class _Text:
    """The words of a text, where each stands, and which of them have a capital: l'Union has one.

    ``lines`` are the ranges of words between its line breaks.
    """

    words: tuple[str, ...]
    spans: tuple[Span, ...]
    capitals: tuple[bool, ...]
    lines: tuple[slice, ...]


def _cut(text: str) -> _Text:
    """Words with one kind of apostrophe, and whole where a soft hyphen stands in one."""
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
    breaks = [
        at for at, (one, two) in enumerate(pairwise(spans), 1) if "\n" in text[one[1] : two[0]]
    ]
    lines = (slice(*ends) for ends in pairwise([0, *breaks, len(words)]))
    return _Text(tuple(words), tuple(spans), tuple(capitals), tuple(lines))


class Originals:
    """The sources of a post, prepared once for all of its drafts.

    ``long_runs`` has the first source of each run of 13 words, by its place in ``urls``;
    ``shingles`` the runs of five words of each source; ``names`` the words that stand with a
    capital in running text, and nowhere without one. What is beyond the first 400,000 characters of
    a page is not looked at.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        texts = [_cut(source.text[:_MAX_SOURCE_CHARS]) for source in sources]
        self.urls = tuple(_shown(source.url) for source in sources)
        self.long_runs: dict[int, int] = {}
        for place, text in enumerate(texts):
            for run in runs(text.words, RUN_WORDS):
                self.long_runs.setdefault(run, place)
        self.shingles = tuple(frozenset(runs(text.words)) for text in texts)
        self.names = _names(texts)


def _names(texts: Sequence[_Text]) -> frozenset[str]:
    capital: set[str] = set()
    small: set[str] = set()
    for text in texts:
        for line in text.lines:
            part = list(zip(text.words[line], text.capitals[line], strict=True))
            small.update(word for word, has_capital in part if not has_capital)
            # In headings every word may have one.
            if 2 * sum(has_capital for _, has_capital in part) <= len(part):
                capital.update(word for word, has_capital in part if has_capital)
    return frozenset(capital - small)


class _Candidate:
    """A passage, its words, and which of its runs count as words of its own."""

    def __init__(self, passage: Passage, originals: Originals, own: frozenset[str]) -> None:
        self.passage = passage
        self.text = _cut(passage.text)
        self._fixed = [
            word in own
            or word in _JOINING
            or word[0].isdigit()
            or (capital and word in originals.names)
            for word, capital in zip(self.text.words, self.text.capitals, strict=True)
        ]
        self._quoted = _within(self.text.spans, [quote.span for quote in quotations(passage.text)])
        self.shingles = runs(self.text.words)

    def counts(self, at: int, length: int) -> bool:
        """Whether a run could be said otherwise and stands outside of quotation marks."""
        part = slice(at, at + length)
        return not any(self._quoted[part]) and not all(self._fixed[part])

    def shared(self, original: frozenset[int]) -> list[int]:
        """The runs of five words that count and stand in the source."""
        return [
            run
            for at, run in enumerate(self.shingles)
            if run in original and self.counts(at, WORDS)
        ]


def check_copied(
    texts: Sequence[Passage], originals: Originals, keywords: Sequence[str]
) -> list[Finding]:
    """Blockers for what the passages take over from the sources.

    Each run of 13 words and more outside of quotation marks has one; where a script writes no
    spaces, a character counts as half a word. Where 15 % or more of the runs of five words of all
    passages together stand in one source, each passage with such a share of its own has one, so
    that a writer who mends what is named has mended the whole. That is not
    asked of fewer than 100 such runs, so that the drafts of single paragraphs may be checked as
    well, nor of scripts without spaces, where five characters are a word or two.

    Takes time in step with the words of the passages, whatever the sources hold.
    """
    own = frozenset(chain.from_iterable(_cut(keyword).words for keyword in keywords))
    candidates = [_Candidate(passage, originals, own) for passage in texts]
    found = [finding for each in candidates for finding in _long_runs(each, originals)]
    return [*found, *_share(candidates, originals)]


def _long_runs(candidate: _Candidate, originals: Originals) -> Iterator[Finding]:
    spans = candidate.text.spans
    for begin, end, place in _copies(candidate, originals):
        count = end - begin
        if sum(map(_weight, candidate.text.words[begin:end])) < RUN_WORDS:
            continue
        first = candidate.passage.text[spans[begin][0] : spans[begin + _SHOWN_WORDS - 1][1]]
        reason = (
            f"Takes over {count} words in a row from {originals.urls[place]}, beginning with"
            f" “{' '.join(first.split())} …”. Say it in other words."
        )
        yield blocker(
            CHECK, candidate.passage.section, reason, (spans[begin][0], spans[end - 1][1])
        )


def _copies(candidate: _Candidate, originals: Originals) -> Iterator[tuple[int, int, int]]:
    """First word, end and source of what is taken over; runs that overlap are one."""
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
    if len(everything) < LEAST_SHINGLES or _is_unspaced(candidates):
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
        for each in _to_mend(candidates, [len(runs_of_one) for runs_of_one in shared]):
            yield blocker(CHECK, each.passage.section, reason)


def _to_mend(candidates: Sequence[_Candidate], counts: Sequence[int]) -> list[_Candidate]:
    """The passages of which as large a part is copied as no text may have: once they are written
    anew, what the others share is less than that of the whole. Where runs that are said twice hide
    them, the one that shares most.
    """
    over = [
        each
        for each, count in zip(candidates, counts, strict=True)
        if count and count >= CONTAINMENT * len(each.shingles)
    ]
    return over or [candidates[counts.index(max(counts))]]


def _is_unspaced(candidates: Sequence[_Candidate]) -> bool:
    words = [word for each in candidates for word in each.text.words]
    return 2 * sum(_weight(word) < 1 for word in words) > len(words)


def _weight(word: str) -> float:
    return 0.5 if _UNSPACED.match(word) else 1.0


def _within(spans: Sequence[Span], ranges: Sequence[Span]) -> list[bool]:
    """Which of the spans lie within one of the ranges; both are in order."""
    inside = []
    at = 0
    for begin, end in spans:
        while at < len(ranges) and ranges[at][1] <= begin:
            at += 1
        inside.append(at < len(ranges) and ranges[at][0] <= begin and end <= ranges[at][1])
    return inside


def _shown(url: str) -> str:
    """A URL without user, query and fragment: they may hold what is nobody's business."""
    return re.sub(r"\A([^:/?#]+://)[^/]*@", r"\1", re.split("[?#]", url, maxsplit=1)[0])
