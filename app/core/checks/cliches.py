"""Worn phrases, words that say nothing, sources without a name, and profanity."""

import re
from collections.abc import Iterator

from app.core.checks.check import (
    WARNING,
    DeskCheck,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.passage import Passage
from app.core.checks.wording import level, without_quotations
from app.core.languages import Wording, WornPhrases, get_section

_KNOWN = with_section(WornPhrases)
# A name, a year or a number of a note within a sentence names the study: "studies by Kahneman".
_SOURCE = re.compile(r"(?<=[\w,;:)] )[A-Z][a-z]|\b(?:19|20)\d\d\b|\[\d|\bet al\b|[\"“(]")
_SENTENCE_CHARS = 200
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")


@check(
    "cliche", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Say it in plain words, or leave it out.",
    languages=_KNOWN, in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_cliche(passage: Passage, language: str) -> Iterator[Finding]:
    """Well-known clichés: “in today's fast-paced world”, “unlock the power of”."""
    if rules := get_section(language, WornPhrases):
        yield from _each(check_cliche, rules.cliches, passage, "is a cliché.")


@check(
    "filler", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING, "Leave it out, or say it more briefly.",
    languages=_KNOWN, in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_filler(passage: Passage, language: str) -> Iterator[Finding]:
    """Words that add nothing: “it is important to note that”, “the end result”."""
    if rules := get_section(language, WornPhrases):
        yield from _each(check_filler, rules.filler, passage, "adds nothing.")


@check(
    "vague_source", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Name the source, or leave the claim out.",
    languages=_KNOWN, in_files=FilePart.PROSE, removable=True, fixable=True,
)  # fmt: skip
def check_vague_source(passage: Passage, language: str) -> Iterator[Finding]:
    """Studies and experts without a name: “studies show”, “experts agree”."""
    if rules := get_section(language, WornPhrases):
        for finding in _each(
            check_vague_source, rules.vague_sources, passage, "does not say whose finding it is."
        ):
            begin = finding.span[1] if finding.span else 0
            after = passage.text[begin : begin + _SENTENCE_CHARS]
            if end := _SENTENCE_END.search(after):
                after = after[: end.start()]
            if not _SOURCE.search(after):
                yield finding


@check(
    "profanity", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING, "Say it without swearing.",
    languages=_KNOWN, in_files=FilePart.TEXT, removable=True, fixable=True,
)  # fmt: skip
def check_profanity(passage: Passage, language: str) -> Iterator[Finding]:
    """Swear words outside of quotations."""
    if rules := get_section(language, WornPhrases):
        yield from _each(check_profanity, rules.profanity, passage, "is a swear word.")


def _each(
    broken: DeskCheck[[Passage, str]], pattern: Wording, passage: Passage, what: str
) -> Iterator[Finding]:
    """Yield a finding for the first match of a pattern outside of quotations and code."""
    text = level(passage.text_without_code)
    if match := pattern.search(text):
        if '"' in text or "«" in text:
            # People quote worn phrases and oaths to speak of them.
            match = pattern.search(without_quotations(text))
        if match:
            shown = passage.text[slice(*match.span())].strip()
            yield broken.found(passage.section, f"“{shown}” {what}", match.span())
