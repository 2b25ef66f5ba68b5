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
from app.core.languages import BEGINNING_LETTERS, Advice, Safety, get_section
from app.core.text import sentences, word_set, words

# A longer sentence reports or explains.
_ADVICE_WORDS = 24
_CLAUSE_END = re.compile(r"[,;:–—]")


@check(
    "careless_advice", ScorePart.STRUCTURE, Scope.LAYOUT, WARNING,
    "Leave it out, or name the risk and whom to ask first.",
    languages=with_section(Advice), in_files=FilePart.FILE, removable=True, fixable=True,
)  # fmt: skip
def check_careless_advice(layout: Layout, language: str) -> Iterator[Finding]:
    """Dangerous advice, and doses, profits and legal certainty without a word of caution."""
    rules = get_section(language, Advice)
    if rules is None:
        return
    dangerous = list(_dangerous(layout, language))
    yield from dangerous
    told = {finding.section for finding in dangerous}
    for text, section, _ in layout.texts:
        if section in told or rules.words.isdisjoint(word_set(text)):
            continue
        is_careful = rules.care.search(text) is not None
        for sentence in sentences(text, language):
            if rules.words.isdisjoint(words(sentence.text)):
                continue
            if found := _careless(sentence.text, rules, is_careful=is_careful):
                span = (sentence.span[0] + found[0], sentence.span[0] + found[1])
                problem = (
                    f"“{sentence.text[slice(*found)]}” can harm readers who follow it, and nothing"
                    " warns them."
                )
                yield check_careless_advice.found(section, problem, span)


def _dangerous(layout: Layout, language: str) -> Iterator[Finding]:
    """Advice that hurts people or breaks the law: bleach with vinegar, water on burning fat."""
    safety = get_section(language, Safety)
    if safety is None:
        return
    for text, section, _ in layout.texts:
        if not _candidates(text, safety):
            continue
        for sentence in sentences(text, language):
            if len(words(sentence.text)) > _ADVICE_WORDS or sentence.text.endswith("?"):
                continue
            is_dangerous = any(
                all(pattern.search(sentence.text) for pattern in safety.dangers[number])
                for number in _candidates(sentence.text, safety)
            )
            if is_dangerous and not safety.warning.search(sentence.text):
                problem = f"“{sentence.text[:100]}” is dangerous or against the law."
                yield check_careless_advice.found(section, problem, sentence.span)
                break


def _candidates(text: str, safety: Safety) -> list[int]:
    """Return the numbers of the dangers that a text may speak of."""
    said = word_set(text)
    has = {word[:letters] for letters in BEGINNING_LETTERS for word in said}
    found = {
        number for each in safety.by_beginning.keys() & has for number in safety.by_beginning[each]
    }
    return sorted(
        number
        for number in found
        if not any(needed.isdisjoint(has) for needed in safety.beginnings[number])
    )


def _careless(sentence: str, rules: Advice, *, is_careful: bool) -> tuple[int, int] | None:
    if match := rules.reckless.search(sentence):
        # What follows a comma gives a reason: "…, it never falls".
        after = _CLAUSE_END.split(sentence[match.end() :], maxsplit=1)[0]
        others = f"{sentence[: match.start()]} {after}"
        return None if rules.refuting.search(others) else match.span()
    if match := rules.doubtful.search(sentence):
        return None if is_careful or rules.refuting.search(sentence) else match.span()
    return None
