"""The rules on any Markdown file."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from app.rules.finding import Finding, Severity
from app.rules.keywords import missing_keywords
from app.rules.language import check_language
from app.rules.leftovers import check_leftovers
from app.rules.links_and_html import active_content
from app.rules.passages import Kind, Passage, blocks
from app.rules.prose import check_ends, check_repetition
from app.rules.score import rules_score, score
from app.rules.table import QUALITY_VERSION, RULES
from app.rules.words import word_count

NOT_EXAMINED = "not examined"
_QUOTED_CHARS = 200
# Enough words of a passage to find it in the file.
_SEARCHED_WORDS = 6
_FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\n")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,500}\]:[ \t]*\S[^\n]*$", re.MULTILINE)
_MOST_ACTIVE = 100
# What is between these is no text.
_HIDDEN = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"), ("<pre", "</pre>"))


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

    ``skipped`` are the names of rules that apply only to posts. ``score`` is None for a text
    without words. ``editor`` is what an editor gave, from 0 to 100; None if none has read it.
    """

    findings: tuple[FileFinding, ...]
    words: int
    language: str
    score: int | None
    editor: int | None = None
    skipped: tuple[str, ...] = field(
        default=tuple(rule.name for rule in RULES if not rule.in_files)
    )
    quality_version: str = QUALITY_VERSION

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
            wire["scoreParts"] = {
                "rules": rules_score(entry.finding for entry in self.findings),
                "editor": NOT_EXAMINED if self.editor is None else self.editor,
            }
        return {
            **wire,
            "words": self.words,
            "language": self.language,
            "qualityVersion": self.quality_version,
            "findingCount": len(self.findings),
            "findings": [entry.to_wire() for entry in shown],
            "skipped": list(self.skipped),
        }


def check_markdown(
    text: str, language: str, keywords: Sequence[str] = (), title: str = ""
) -> Report:
    """Return what the rules find in a Markdown text, in linear time.

    Args:
        keywords: must be used.
        title: the title, if it is not in the text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    markdown = _DEFINITION.sub(_blank, _without_hidden(_without_front_matter(text)))
    texts = blocks(markdown)
    found = list(_findings(texts, language))
    if keywords:
        head = text[: len(text) - len(markdown.lstrip())]
        spoken = [*texts, Passage("title", Kind.HEADING, f"{title}\n{head}")]
        found += missing_keywords(spoken, keywords, language)
    places = _Places(text, texts)
    placed = [places.of(finding) for finding in found]
    placed += [places.at(match.start(), _ACTIVE, match.group()) for match in _active(text, texts)]
    placed.sort(key=lambda entry: (entry.line, entry.column, not entry.finding.blocks))
    words = sum(word_count(each.text) for each in texts)
    total = score((entry.finding for entry in placed), None) if words else None
    return Report(tuple(placed), words, language, total)


_ACTIVE = Finding(
    "active_content",
    Severity.BLOCKER,
    "post",
    "The file has a script or an event handler, which runs in the reader's browser. Remove it.",
)


def _findings(texts: Sequence[Passage], language: str) -> Iterator[Finding]:
    if not texts:
        yield Finding("empty", Severity.BLOCKER, "post", "The file has no text.")
    yield from check_leftovers(texts, in_file=True)
    yield from check_language(texts, language, in_file=True)
    yield from check_ends(texts, language, in_file=True)
    yield from check_repetition(texts, language, in_file=True)


def _active(text: str, texts: Sequence[Passage]) -> Iterator[re.Match[str]]:
    """Yield the active content of a file, code aside."""
    parts, at = [], 0
    for each in texts:
        if each.kind is Kind.CODE or "`" in each.raw:
            end = min(len(text), each.offset + len(each.raw))
            shown = text[each.offset : end]
            parts += [text[at : each.offset], each.raw_without_code.ljust(len(shown))[: len(shown)]]
            at = end
    return islice(active_content("".join([*parts, text[at:]])), _MOST_ACTIVE)


class _Places:
    """Finds the line and the column of findings."""

    def __init__(self, text: str, texts: Sequence[Passage]) -> None:
        self._text = text
        self._texts = {each.section: each for each in texts}
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def of(self, finding: Finding) -> FileFinding:
        """Return a finding with the place of its quotation, or else of its text."""
        passage = self._texts.get(finding.section)
        if passage is None:
            return FileFinding(1, 1, finding)
        at, quotation = passage.offset, finding.quotation
        words = re.findall(r"\w+", quotation)[:_SEARCHED_WORDS]
        # Between the words, the file may have Markdown.
        pattern = r"\W{1,20}".join(words) or re.escape(quotation) or r"(?!)"
        if match := re.compile(pattern).search(self._text, at, at + len(passage.raw)):
            signs = quotation[: quotation.find(words[0])] if words else ""
            at = match.start()
            at -= len(signs) if self._text.startswith(signs, at - len(signs)) else 0
        return self.at(at, finding, finding.quotation)

    def at(self, place: int, finding: Finding, quotation: str) -> FileFinding:
        line = bisect_right(self._lines, place)
        shown = quotation[:_QUOTED_CHARS].strip()
        return FileFinding(line, place - self._lines[line - 1] + 1, finding, shown)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _without_front_matter(text: str) -> str:
    if opening := _FRONT_MATTER.match(text):
        end = text.find(f"\n{opening[1]}", opening.end() - 1)
        if end >= 0:
            return re.sub(r"[^\n]", " ", text[: end + 4]) + text[end + 4 :]
    return text


def _without_hidden(text: str) -> str:
    """Return a text of the same length with blanks for comments, scripts, styles and <pre>."""
    for opening, closing in _HIDDEN:
        parts, at, low = [], 0, text.lower()
        if len(low) != len(text):
            return text
        while (begin := low.find(opening, at)) >= 0 and (end := low.find(closing, begin)) >= 0:
            end += len(closing)
            parts += [text[at:begin], re.sub(r"[^\n]", " ", text[begin:end])]
            at = end
        text = "".join([*parts, text[at:]])
    return text
