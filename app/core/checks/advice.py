"""Advice on health, law and money without care."""

import re
from collections.abc import Iterator

from app.core.checks.check import (
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.layout import Layout
from app.core.languages import Advice, get_section
from app.core.text import sentences, words

_CLAUSE_END = re.compile(r"[,;:–—]")


@check(
    "careless_advice", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Leave it out, or name the risk and whom to ask first.",
    languages=with_section(Advice), in_files=FilePart.FILE, removable=True, fixable=True,
)  # fmt: skip
def check_careless_advice(layout: Layout, language: str) -> Iterator[Finding]:
    """Doses, promised profits and legal certainty without a word of caution."""
    rules = get_section(language, Advice)
    if rules is None:
        return
    for text, section, _ in layout.texts:
        if rules.words.isdisjoint(words(text)):
            continue
        is_careful = rules.care.search(text) is not None
        for sentence in sentences(text, language):
            if rules.words.isdisjoint(words(sentence.text)):
                continue
            if found := _careless(sentence.text, rules, is_careful=is_careful):
                span = (sentence.span[0] + found[0], sentence.span[0] + found[1])
                problem = f"Advises “{sentence.text[slice(*found)]}” without care."
                yield check_careless_advice.found(section, problem, span)


def _careless(sentence: str, rules: Advice, *, is_careful: bool) -> tuple[int, int] | None:
    if match := rules.reckless.search(sentence):
        # What follows a comma gives a reason: "…, it never falls".
        after = _CLAUSE_END.split(sentence[match.end() :], maxsplit=1)[0]
        others = f"{sentence[: match.start()]} {after}"
        return None if rules.refuting.search(others) else match.span()
    if match := rules.doubtful.search(sentence):
        return None if is_careful or rules.refuting.search(sentence) else match.span()
    return None
