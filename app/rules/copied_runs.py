"""Words in a row that a post has in common with a source."""

from collections.abc import Iterator, Sequence
from itertools import chain

from app.rules.finding import Checked, Finding, Severity
from app.rules.passages import QUOTED, Kind
from app.rules.words import Span, fold, word_spans, words

# The shortest run of words that is a copy. Definitions, conditions and names of laws are shorter,
# and lose their meaning if they are said in another way.
_RUN_WORDS = 25
# The least share of words that a writer could replace: no names, numbers or keywords.
_OWN_SHARE = 0.5
# Bounds the time; more of a page is never given to a writer.
_MOST_SOURCE_CHARS = 400_000


def check_copies(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each run of words that stands in a source, code and quotations aside."""
    if not checked.sources:
        return
    kinds = {Kind.PROSE, Kind.ITEM, Kind.CELL}
    prose = [(each.section, each.without_code) for each in checked.texts if each.kind in kinds]
    said = [fold(text).split(" ") for _, text in prose]
    runs = {run for each in said for run in _runs(each)}
    if not runs:
        return
    brief = checked.brief
    asked = set(chain.from_iterable(words(each) for each in (*brief.keywords, brief.topic or "")))
    copied: dict[tuple[str, ...], str] = {}
    for source in checked.sources:
        for run in _runs(fold(source.text[:_MOST_SOURCE_CHARS]).split(" ")):
            if run in runs:
                copied.setdefault(run, source.site)
    for (section, text), own in zip(prose, said, strict=True):
        at, found = 0, list[tuple[Span, str]]()
        while at <= len(own) - _RUN_WORDS:
            first = at
            while tuple(own[at : at + _RUN_WORDS]) in copied:
                at += 1
            if at > first:
                site = copied[tuple(own[first : first + _RUN_WORDS])]
                found.append(((first, at + _RUN_WORDS - 1), site))
            at += 1
        if found:
            yield from _findings(section, text, found, asked)


def _runs(said: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(said[at : at + _RUN_WORDS]) for at in range(len(said) - _RUN_WORDS + 1))


def _findings(
    section: str, text: str, found: Sequence[tuple[Span, str]], asked: set[str]
) -> Iterator[Finding]:
    spans, quotations = word_spans(text), [quote.span() for quote in QUOTED.finditer(text)]
    for run, site in found:
        said = spans[slice(*run)]
        begin, end = said[0][0], said[-1][1]
        if not any(opens < end and begin < closes for opens, closes in quotations):
            yield from _finding(section, text, said, asked, site)


def _finding(
    section: str, text: str, spans: Sequence[Span], asked: set[str], site: str
) -> Iterator[Finding]:
    shown = [text[slice(*span)] for span in spans]
    own = [word for word in shown if word[0].islower() and word.casefold() not in asked]
    copied = text[spans[0][0] : spans[-1][1]]
    is_list = copied.count(",") * 3 >= len(shown)
    if is_list or len(own) < _OWN_SHARE * len(shown):
        return
    reason = (
        f"{len(shown)} words in a row stand in a page of {site}: “{' '.join(shown[:8])} …”. Say it"
        " shorter, with all of its conditions; or, if the wording matters, as in a law, quote it."
    )
    yield Finding("copied_from_source", Severity.BLOCKER, section, reason, copied)
