"""The rules on any Markdown file."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.core.schemas.check import CheckRequest
from app.rendering.escape import DROPPED
from app.rules.finding import Checked, Finding, score
from app.rules.identify import foreign_language
from app.rules.links_and_html import HTML_ELEMENTS
from app.rules.passages import Kind, Passage, blocks
from app.rules.table import QUALITY_VERSION, RULES, check
from app.rules.words import word_count
from app.writing.brief import Brief

_DEFAULT_LANGUAGE = "en"
_QUOTED_CHARS = 200
# Enough words of a passage to find it in the file, and how far from the one before.
_SEARCHED_WORDS, _SEARCHED_CHARS = 6, 10_000
_FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\n")
# What is between these is no text.
_HIDDEN = [
    (re.compile(opening, re.IGNORECASE), re.compile(closing, re.IGNORECASE))
    for opening, closing in (
        ("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"), ("<pre", "</pre>"),
    )
]  # fmt: skip
# Every repetition is bounded or ends at the next sign, so that all searches are linear.
_FENCED = r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*(?:\n(?![ \t]*(?P=fence))[^\n]*)*(?:\n[^\n]*)?"
_INDENTED = r"(?P<indented>(?:(?<=\n\n)|\A)(?:(?: {4}|\t)[ \t]*\S[^\n]*(?:\n|\Z))+)"
_SPAN = r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n)[\s\S]){1,1000}?(?<!`)(?P=ticks)(?!`)"
_TARGET = (
    r"\((?:[^()\s\"]|\([^()\s]{0,500}\)|\"[^\"]{0,500}\"|\"(?![^\"]{0,500}\")|\s(?!\s)){0,2000}\)"
)
_HIDING = re.compile(
    rf"(?P<code>{_FENCED}|{_INDENTED}|{_SPAN})"
    rf"|!\[[^\[\]]{{0,1000}}\](?:{_TARGET}|\[[^\[\]]{{0,200}}\])"
    rf"|\[(?P<link>[^\[\]]{{0,1000}})\](?:{_TARGET}|\[[^\[\]]{{0,200}}\])"
    r"|^ {0,3}\[[^\]\n]{1,500}\]:[ \t]*\S[^\n]*$"
    r"|<(?P<address>[a-z][a-z0-9+.-]{1,20}:[^\s<>]{1,1000}|[^\s<>@]{1,64}@[^\s<>@]{1,200})>"
    r"|</?(?P<tag>[a-z][a-z0-9]{0,15})(?:[\s/][^<>]{0,1000})?>",
    re.IGNORECASE | re.MULTILINE,
)
_SEPARATING = {"br", "div", "li", "p", "td", "th"}


@dataclass(frozen=True)
class FileFinding:
    """A finding at a line and a column of the file, both counted from 1.

    ``quotation`` is the text it is about, up to 200 characters; empty if it is about a larger part.
    """

    line: int
    column: int
    finding: Finding
    quotation: str = ""

    def to_wire(self) -> dict[str, Any]:
        wire = {
            "line": self.line,
            "column": self.column,
            "severity": self.finding.severity.value,
            "check": self.finding.rule,
            "reason": self.finding.reason,
        }
        return {**wire, "quotation": self.quotation} if self.quotation else wire


@dataclass(frozen=True)
class Report:
    """The findings in the order of the lines.

    ``score`` is None for a text without words.
    """

    findings: tuple[FileFinding, ...]
    words: int
    language: str
    score: int | None

    @property
    def passes(self) -> bool:
        return not any(entry.finding.blocks for entry in self.findings)

    def to_wire(self, most: int | None = None) -> dict[str, Any]:
        """Return the JSON object that `check FILE` prints and POST /v1/check returns.

        Args:
            most: how many findings it has at most: blockers first, then by line. None for all.
        """
        shown = self.findings
        if most is not None and len(shown) > most:
            worst = sorted(shown, key=lambda entry: not entry.finding.blocks)[:most]
            shown = tuple(sorted(worst, key=lambda entry: (entry.line, entry.column)))
        wire: dict[str, Any] = {"passes": self.passes}
        if self.score is not None:
            wire["score"] = self.score
        return {
            **wire,
            "words": self.words,
            "language": self.language,
            "qualityVersion": QUALITY_VERSION,
            "findingCount": len(self.findings),
            "findings": [entry.to_wire() for entry in shown],
            "skipped": [rule.name for rule in RULES if not rule.in_files],
        }


def check_markdown(request: CheckRequest) -> Report:
    """Return what the rules find in a Markdown text, in linear time."""
    text = request.text.replace("\r\n", "\n").replace("\r", "\n")
    language = request.language or foreign_language(text, _DEFAULT_LANGUAGE) or _DEFAULT_LANGUAGE
    markdown = _without_hidden(_without_front_matter(DROPPED.sub("\ufffd", text)))
    texts = _passages(markdown)
    head = text[: len(text) - len(markdown.lstrip())]
    spoken = [*texts, Passage("title", Kind.HEADING, f"{request.title or ''}\n{head}", "")]
    brief = Brief(request.keywords, language, min_words=0, max_words=0, today=date.min)
    found = check(Checked(texts, spoken, brief))
    places = _Places(text, texts if found else ())
    placed = [places.of(finding) for finding in found]
    placed.sort(key=lambda entry: (entry.line, entry.column, not entry.finding.blocks))
    words = sum(word_count(each.text) for each in texts)
    total = score((entry.finding for entry in placed), None) if words else None
    return Report(tuple(placed), words, language, total)


def _passages(markdown: str) -> list[Passage]:
    """Return the passages of a file, each with its number for a path."""
    for _ in range(2):  # an image may be a link
        markdown = _HIDING.sub(_as_read, markdown)
    return [Passage(str(number), *block) for number, block in enumerate(blocks(markdown))]


def _as_read(hiding: re.Match[str]) -> str:
    """Return what readers see of code, a link, an image or a tag."""
    if hiding["indented"]:
        return f"```\n{hiding[0]}\n```\n"
    if hiding["code"]:
        return hiding[0]
    if tag := (hiding["tag"] or "").lower():
        return hiding[0] if tag not in HTML_ELEMENTS else " " * (tag in _SEPARATING)
    return hiding["link"] or hiding["address"] or ""


class _Places:
    """Finds the line and the column of findings."""

    def __init__(self, text: str, texts: Sequence[Passage]) -> None:
        self._text = text
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        # The end of the passage before, and the first word of each passage.
        self._starts: dict[str, tuple[int, int]] = {}
        end = 0
        for each in texts:
            found = _search(each.text, text, end)
            self._starts[each.section] = end, found.start() if found else end
            end = found.end() if found else end

    def of(self, finding: Finding) -> FileFinding:
        """Return a finding with the place of its quotation, or else of its text."""
        if finding.section not in self._starts:
            return FileFinding(1, 1, finding)
        begin, at = self._starts[finding.section]
        quotation = finding.quotation
        if match := _search(quotation, self._text, begin):
            signs = re.split(r"\w", quotation, maxsplit=1)[0]
            at = match.start()
            at -= len(signs) if self._text.startswith(signs, at - len(signs)) else 0
        line = bisect_right(self._lines, at)
        shown = quotation[:_QUOTED_CHARS].strip()
        return FileFinding(line, at - self._lines[line - 1] + 1, finding, shown)


def _search(quotation: str, text: str, begin: int) -> re.Match[str] | None:
    """Return where a text has the first words of a quotation, with any Markdown between them."""
    words = re.findall(r"\w+", quotation)[:_SEARCHED_WORDS]
    pattern = r"\W{1,20}".join(words) or re.escape(quotation) or r"(?!)"
    return re.compile(pattern).search(text, begin, begin + _SEARCHED_CHARS)


def _blanks(text: str) -> str:
    """Return blanks in place of a text, with its line breaks."""
    return re.sub(r"[^\n]", " ", text)


def _without_front_matter(text: str) -> str:
    if opening := _FRONT_MATTER.match(text):
        end = text.find(f"\n{opening[1]}", opening.end() - 1)
        if end >= 0:
            return _blanks(text[: end + 4]) + text[end + 4 :]
    return text


def _without_hidden(text: str) -> str:
    """Return a text of the same length with blanks for comments, scripts, styles and <pre>."""
    for opening, closing in _HIDDEN:
        parts, at = [], 0
        while (begin := opening.search(text, at)) and (end := closing.search(text, begin.start())):
            parts += [text[at : begin.start()], _blanks(text[begin.start() : end.end()])]
            at = end.end()
        text = "".join([*parts, text[at:]])
    return text
