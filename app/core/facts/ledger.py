"""Claims: statements in the form in which they are stored and looked up."""

from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

from app.core.facts.contradictions import contradict
from app.core.facts.statement import Statement, statements

# A claim is stored under the pairs of this many of its stems.
_KEYED_STEMS = 4
_LEAST_SHARED = 2
# Between posts, a longer sentence says too much to be compared.
_MAX_SENTENCE_CHARS = 300
_MAX_FAMILY_CHARS = 100


@dataclass(frozen=True)
class Claim:
    """A statement of a post.

    Args:
        keys: hashes of its family and of two stems that it is said of.
        kind: its family, such as "duration" or "money EUR".
        low, high: its value, in the base unit; they differ only for a range.
        sentence: the sentence that says it.
        language: of the sentence.
    """

    keys: tuple[int, ...]
    kind: str
    low: float
    high: float
    sentence: str
    language: str


def claim_of(statement: Statement, language: str) -> Claim | None:
    """Return the claim of a statement; None if other posts cannot contradict it.

    What is said of one word alone may be said of another thing in another post.
    """
    text = statement.sentence.text
    vague = statement.is_vague and len(statement.near) <= _LEAST_SHARED
    if statement.case.conditions or vague or len(text) > _MAX_SENTENCE_CHARS:
        return None
    if statement.is_loose:
        return None
    if len(statement.wide) < _LEAST_SHARED or len(statement.family) > _MAX_FAMILY_CHARS:
        return None
    fact = statement.fact
    return Claim(_keys(statement), statement.family, fact.low, fact.high, text, language)


def _keys(statement: Statement) -> tuple[int, ...]:
    def nearness(stem: str) -> tuple[bool, bool, str]:
        return stem != statement.head, stem not in statement.near, stem

    stems = sorted(statement.wide, key=nearness)[:_KEYED_STEMS]
    return tuple(
        _key(f"{statement.family}|{one}|{other}")
        for one, other in (sorted(pair) for pair in combinations(stems, 2))
    )


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)


def contradicted(statement: Statement, earlier: Claim) -> Statement | None:
    """Return the statement of an earlier claim that a statement contradicts, or None."""
    if earlier.kind != statement.family:
        return None
    for other in statements(earlier.sentence, earlier.language):
        if (
            other.family == earlier.kind
            and other.fact.low == earlier.low
            and len(other.wide & statement.wide) >= _LEAST_SHARED
            and other.case.names == statement.case.names
            and contradict(other, statement)
        ):
            return other
    return None
