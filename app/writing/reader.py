"""A reader's answer: the mark of a post, what should change, and the proof of its statements.

A statement is proved by words of a source. Words that stand in no source prove nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.rules.finding import Finding, Severity
from app.rules.words import sentences, shortened
from app.sources.source import Source
from app.writing.edits import UnreadableAnswer

_MAX_CHARS = 120_000
_MARK = re.compile(r"^[ \t*_#]*MARK[ \t*_]*:[ \t*_]*(\d{1,2}(?:[.,]\d{1,2})?)", re.MULTILINE)
_NOTE = re.compile(r"^[ \t]*[-*•][ \t]+(.+)$", re.MULTILINE)
_ROW = re.compile(
    r"^[ \t|]*(\d{1,4})[.)]?[ \t]*\|[ \t]*(?:page |source )?(\d{1,2}|NONE)[ \t]*\|"
    r"[ \t]*(.*?)[ \t|]*$",
    re.MULTILINE | re.IGNORECASE,
)
_MAX_NOTES, _NOTE_CHARS, _TOLD_CHARS = 10, 400, 160
_ELLIPSIS = re.compile(r"\s*(?:\[?…\]?|\[?\.{3}\]?)\s*")
_MARKUP = re.compile(r"^(?:[#>|\s]|[-*+] |\d{1,3}[.)] )+|[*_`|]")
_TABLE_LINE = re.compile(r"[\s|:-]+")
# A short quotation proves a name or a figure of a statement as well as a long one.
_LEAST_CHARS = 4


@dataclass(frozen=True)
class Proof:
    """Words of a source that support a statement of the post."""

    statement: str
    source: Source
    quotation: str


@dataclass(frozen=True)
class Reading:
    """What a reader found.

    Args:
        mark: from 0 to 10.
        notes: what should change, the most harmful first.
        proofs: of the statements that a source supports.
        unsupported: the statements that no source supports, each with what is missing.
    """

    mark: float
    notes: tuple[str, ...] = ()
    proofs: tuple[Proof, ...] = ()
    unsupported: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Verdicts:
    """What readers said of the statements of a post, each of which is compared once.

    Args:
        compared: the statements that a reader saw.
        unsupported: those that no source supports, each with what is missing.
    """

    compared: set[str] = field(default_factory=set)
    proofs: list[Proof] = field(default_factory=list)
    unsupported: dict[str, str] = field(default_factory=dict)

    def add(self, asked: Sequence[tuple[int, str]], reading: Reading) -> None:
        self.compared.update(statement for _, statement in asked)
        self.proofs += reading.proofs
        self.unsupported |= reading.unsupported

    def missing(self, said: Sequence[str]) -> list[tuple[int, str]]:
        """Return the statements that nobody has compared, each with its number."""
        return [each for each in enumerate(said, 1) if each[1] not in self.compared]

    def findings(self, document: str, language: str) -> list[Finding]:
        """Return a finding for each statement of a document that no source supports."""
        there = set(statements(document, language)) if self.unsupported else ()
        return [
            Finding(
                "unsupported_claim",
                Severity.BLOCKER,
                "post",
                f"No source supports “{shortened(statement, _TOLD_CHARS)}”"
                + (f" ({shortened(why, _TOLD_CHARS)})" if why else "")
                + ". Say what a source says, or leave it out.",
                statement,
            )
            for statement, why in self.unsupported.items()
            if statement in there
        ]

    def proofs_of(self, said: Sequence[str]) -> tuple[Proof, ...]:
        """Return the proofs of statements, in the order of the statements."""
        place = {statement: number for number, statement in enumerate(said)}
        found = (proof for proof in self.proofs if proof.statement in place)
        return tuple(sorted(found, key=lambda proof: place[proof.statement]))


def statements(document: str, language: str) -> tuple[str, ...]:
    """Return the statements of a document: its sentences, items of lists and rows of tables,
    without Markdown. Headings make none, as their text repeats them."""
    return tuple(dict.fromkeys(_statements(document, language)))


def _statements(document: str, language: str) -> Iterator[str]:
    for line in document.split("\n"):
        is_heading = line.lstrip().startswith("#") and not line.lstrip().startswith("# ")
        if is_heading or not line.strip() or _TABLE_LINE.fullmatch(line):
            continue
        if line.lstrip().startswith("|"):
            cells = (_MARKUP.sub("", cell).strip() for cell in line.strip().strip("|").split("|"))
            yield " | ".join(cells)
            continue
        text = _MARKUP.sub("", line).strip()
        yield from sentences(text, language)


def parse_reading(
    answer: str, asked: Sequence[tuple[int, str]], sources: Sequence[Source]
) -> Reading:
    """Read a reader's answer.

    Args:
        asked: the numbered statements that were compared.
        sources: in the order in which the reader saw them.

    Raises:
        UnreadableAnswer: it has no mark.
    """
    answer = answer[:_MAX_CHARS]
    marks = _MARK.findall(answer)
    if not marks:
        raise UnreadableAnswer("the answer has no mark")
    numbered, texts = dict(asked), [_plain(source.text) for source in sources]
    proofs: list[Proof] = []
    unsupported: dict[str, str] = {}
    for number, page, words in _ROW.findall(answer):
        statement = numbered.get(int(number))
        if statement is None:
            continue
        words = words.strip().strip('"“”„«»').strip()
        if page.upper() == "NONE":
            unsupported[statement] = words[:_NOTE_CHARS]
            continue
        index = int(page) - 1
        at = [index, *(n for n in range(len(texts)) if n != index)]
        found = next((n for n in at if n < len(texts) and _stands_in(words, texts[n])), None)
        if found is None:
            unsupported.setdefault(statement, "")
        else:
            proofs.append(Proof(statement, sources[found], words))
    proved = {proof.statement for proof in proofs}
    notes = [match[1].strip()[:_NOTE_CHARS] for match in _NOTE.finditer(answer)]
    return Reading(
        mark=min(10.0, float(marks[-1].replace(",", "."))),
        notes=tuple(notes[:_MAX_NOTES]),
        proofs=tuple(proofs),
        # One line that was copied badly does not outweigh another that stands in a source.
        unsupported={each: why for each, why in unsupported.items() if why or each not in proved},
    )


def _stands_in(quotation: str, text: str) -> bool:
    """Return whether a quotation, or each part of one with an ellipsis, stands in a text."""
    parts = [_plain(part) for part in _ELLIPSIS.split(quotation)]
    parts = [part for part in parts if part]
    return sum(map(len, parts)) >= _LEAST_CHARS and all(part in text for part in parts)


def _plain(text: str) -> str:
    """Return the letters and digits of a text with single spaces between its words."""
    return " ".join(re.findall(r"\w+", text.casefold()))
