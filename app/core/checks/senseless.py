"""Texts that make no sense."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from app.core.checks.check import (
    BLOCKER,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.passage import Passage
from app.core.languages import Senseless, get_section
from app.core.text import word_spans, words

# In texts by people, the wrong word follows up to 9 % of the words of a rule, mostly in names of
# variables. In shuffled words it is a third.
_MOST_WRONG = 0.12
_LEAST_WRONG = 4
_JOINTS = frozenset("-‐/")


@check(
    "senseless", ScorePart.SUBSTANCE, Scope.DOCUMENT, BLOCKER,
    "Write sentences that make sense.",
    languages=with_section(Senseless), in_files=FilePart.PARAGRAPHS,
)  # fmt: skip
def check_senseless(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Texts with many words that never follow each other, behind “the”, “a” and the like."""
    rules = get_section(language, Senseless)
    if rules is None:
        return
    places: list[tuple[str, str, str]] = []
    total = 0
    for passage in everything:
        text = passage.text_without_code
        found = words(text) if passage.is_prose else ()
        joined: frozenset[int] | None = None
        for rule in rules.rules:
            if rule.words.isdisjoint(found):
                continue
            for index, (word, following) in enumerate(pairwise(found), 1):
                if word in rule.words:
                    total += 1
                    if following in rule.never_next:
                        joined = _joined(text) if joined is None else joined
                        if index not in joined:
                            places.append((passage.section, word, following))
    if len(places) >= _LEAST_WRONG and len(places) > _MOST_WRONG * total:
        section = places[0][0]
        examples = dict.fromkeys(f"“{word} {following}”" for _, word, following in places)
        problem = f"The words are in no order that makes sense: {', '.join([*examples][:3])}."
        yield check_senseless.found(section, problem)


def _joined(text: str) -> frozenset[int]:
    """The numbers of the words that begin a longer one: “the before-queue filter”."""
    spans = enumerate(word_spans(text))
    return frozenset(index for index, (_, end) in spans if text[end : end + 1] in _JOINTS)
