"""Whether a text addresses its reader in one way: du or Sie, tu or vous."""

from collections.abc import Iterator, Sequence

from app.core.checks.check import (
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.passage import Kind, Passage
from app.core.languages import Address, get_section
from app.core.text import Sentence, sentences

_SKIPPED = frozenset({Kind.CODE, Kind.CELL, Kind.LABEL})
# What is quoted may address somebody else.
_QUOTES = ("“", "”", "„", "«", "»", '"')
_SIGNS = ".,;:!?¿¡()–—-…"
# A text that addresses its readers so often has chosen; a form as frequent as that is no slip.
_LEAST, _MOST_SLIPS = 3, 0.34


@check(
    "mixed_address", ScorePart.CONSISTENCY, Scope.DOCUMENT, WARNING,
    "Address readers in one way.",
    languages=with_section(Address), in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_mixed_address(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """A few sentences that say du in a text that says Sie, or the other way round."""
    words = get_section(language, Address)
    if words is None or not words.formal:
        return
    forms = {"formal": words.formal, "informal": words.informal}
    found: dict[str, list[tuple[Passage, Sentence, str]]] = {name: [] for name in forms}
    orders: list[tuple[Passage, Sentence, str]] = []
    for passage in everything:
        if passage.kind in _SKIPPED or any(sign in passage.text for sign in _QUOTES):
            continue
        for sentence in sentences(passage.text, language):
            said = [word.strip(_SIGNS) for word in sentence.text.split()]
            for name, known in forms.items():
                # A capital at the beginning tells nothing.
                if word := next((w for w in said[1:] if w in known), ""):
                    found[name].append((passage, sentence, word))
            first = said[0].lower() if said else ""
            if first in words.informal_first and words.informal.isdisjoint(said[1:]):
                found["informal"].append((passage, sentence, said[0]))
            elif first in words.orders and words.formal.isdisjoint(said[1:]):
                orders.append((passage, sentence, said[0]))
    # Orders such as “Cierre” show how a text speaks, but alone are no slip.
    formal = [*found["formal"], *orders]
    if len(found["informal"]) <= len(formal):
        rare, common = found["informal"], formal
    else:
        rare, common = found["formal"], found["informal"]
    if len(common) < _LEAST or len(rare) > _MOST_SLIPS * len(common):
        return
    other = common[0][2]
    for passage, sentence, word in rare:
        problem = f"“{word}” addresses readers in another way than “{other}” elsewhere in the text."
        yield check_mixed_address.found(passage.section, problem, sentence.span)
