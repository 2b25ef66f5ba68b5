"""What models, chat programs and templates leave in a text: nobody writes it for readers."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from importlib.resources import files

from app.rules.finding import Checked, Finding, Severity
from app.rules.passages import Kind, Passage


@dataclass(frozen=True)
class _Leftover:
    """A pattern, and what it finds. leftovers.toml explains the members."""

    what: str
    sign: str
    pattern: re.Pattern[str]
    in_markdown: bool
    in_files: Severity | None


@cache
def _leftovers() -> tuple[_Leftover, ...]:
    listed = tomllib.loads(files(__package__).joinpath("leftovers.toml").read_text("utf-8"))
    return tuple(
        _Leftover(
            group["what"],
            sign,
            re.compile(pattern, re.IGNORECASE | re.MULTILINE),
            group.get("in_markdown", False),
            Severity(group["in_files"]) if group["in_files"] else None,
        )
        for group in listed["leftovers"]
        for sign, pattern in group["patterns"]
    )


_CHARACTER = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ue000-\uf8ff]")
# Labels of a form that stands before the field itself.
_LABELS = {
    "title": re.compile(r"(?:blog )?title ?:", re.IGNORECASE),
    "meta.description": re.compile(r"(?:meta[ -]?)?description ?:", re.IGNORECASE),
}


def check_leftovers(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each text with something that a model or template left, code aside."""
    texts, in_file = checked.texts, checked.in_file
    everything = unescape("\n".join(each.written for each in texts)).lower()
    # A text as a whole has hardly any of the signs, and the search for them takes no time.
    possible = [
        (each, severity)
        for each in _leftovers()
        if each.sign in everything and (severity := each.in_files if in_file else Severity.BLOCKER)
    ]
    has_broken = _CHARACTER.search(everything) is not None
    for text in texts:
        if text.kind is Kind.CODE or (in_file and text.kind is Kind.QUOTATION):
            continue
        if possible and (found := _first(text, possible, in_file)):
            yield found
        if has_broken and (match := _CHARACTER.search(text.text)):
            severity = Severity.WARNING if in_file else Severity.BLOCKER
            shown = text.text[max(0, match.start() - 20) : match.end() + 20]
            reason = f"The character U+{ord(match.group()):04X} is invisible or broken. Replace it."
            yield Finding("leftover", severity, text.section, reason, shown)
        label = _LABELS.get(text.section)
        if label and (match := label.match(text.text)):
            yield _found(text, match.group(), "is a label of a form", Severity.BLOCKER)


def _first(
    text: Passage, possible: Sequence[tuple[_Leftover, Severity]], in_file: bool
) -> Finding | None:
    prose = unescape(text.written)
    low = prose.lower()
    for leftover, severity in possible:
        if leftover.sign not in low:
            continue
        has_lines = leftover.in_markdown and not in_file
        if match := leftover.pattern.search(prose if has_lines else text.without_code):
            return _found(text, match.group(), leftover.what, severity)
    return None


def _found(text: Passage, quoted: str, what: str, severity: Severity) -> Finding:
    shown = " ".join(quoted.split())[:100]
    reason = f"“{shown}” {what}. Remove it, and leave only text for readers."
    return Finding("leftover", severity, text.section, reason, quoted)
