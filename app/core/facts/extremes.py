"""Values beyond what a text calls the highest or lowest of their kind."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.core.facts.comparisons import family
from app.core.facts.scanner import Token, vocabulary
from app.core.facts.statement import Statement
from app.core.languages import Calculations, Consistency, get_section
from app.core.text import primary_subtag, stem

_ROUNDED = 0.01
# How many values of a kind a bound is compared with, and bounds a value.
_MAX_COMPARED = 20
_MIN_CHARS = 3


@dataclass(frozen=True)
class _Bound:
    """The value of a superlative: no other thing of the kind is above it (1) or below it (-1)."""

    statement: Statement
    kind: str
    scope: frozenset[str]
    sign: int


def beyond_extremes(
    said: Iterable[Statement], language: str
) -> Iterator[tuple[Statement, Statement]]:
    """Yield pairs of a superlative and a value beyond it, the later of the two second."""
    tag = primary_subtag(language)
    words, rules = get_section(tag, Calculations), get_section(tag, Consistency)
    if words is None or rules is None:
        return
    bounds: dict[tuple[str, str], list[_Bound]] = defaultdict(list)
    values: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for statement in said:
        unit = family(statement.fact.unit)
        if unit not in words.highest and unit not in words.lowest:
            continue
        bound = _bound(statement, unit, words, rules, tag)
        if bound is not None:
            key = statement.family, bound.kind
            for other in values[key][-_MAX_COMPARED:]:
                if _is_beyond(other, bound):
                    yield other, statement
                    break
            bounds[key].append(bound)
            continue
        for each in statement.near:
            for earlier in bounds[statement.family, each][-_MAX_COMPARED:]:
                if _is_beyond(statement, earlier):
                    yield earlier.statement, statement
                    break
            values[statement.family, each].append(statement)


def _bound(
    statement: Statement, unit: str, words: Calculations, rules: Consistency, language: str
) -> _Bound | None:
    tokens = statement.sentence.tokens
    implied = frozenset(
        stem(word, language)
        for word in rules.implied.get({"temperature": "celsius"}.get(unit, unit), ())
    )
    highest, lowest = words.highest.get(unit, frozenset()), words.lowest.get(unit, frozenset())
    more, fewer = words.more.get(unit, frozenset()), words.fewer.get(unit, frozenset())
    for at, token in enumerate(tokens):
        low = token.low
        if low in highest or low in lowest:
            if not at or tokens[at - 1].low not in rules.definite or statement.fact.hedge:
                return None
            behind = _stems(tokens[at + 1 : at + 2], rules, language)
            before = _stems(tokens[:at], rules, language)
            if at + 1 < len(tokens) and behind[:1]:
                kind = behind[0]
            elif before:
                kind = before[-1]
            else:
                return None
            outside = [t for t in tokens[at + 1 :] if not _is_inside(t, statement)]
            scope = frozenset(_stems(outside, rules, language)) - {kind} - implied
            return _made(statement, kind, scope, 1 if low in highest else -1, words, rules)
        if (low in more or low in fewer) and tokens[0].low in rules.denials and at > 1:
            # "No trail in the park is longer than 8 km."
            if at + 1 >= len(tokens) or tokens[at + 1].low not in words.than:
                return None
            if [t for t in tokens[at + 2 :] if t.end <= statement.fact.span[0]]:
                return None
            kinds = _stems(tokens[1:at], rules, language)
            if not kinds:
                return None
            sign = 1 if low in more else -1
            return _made(statement, kinds[0], frozenset(kinds[1:]), sign, words, rules)
    return None


def _is_inside(token: Token, statement: Statement) -> bool:
    return any(
        low <= token.start < high for low, high in (f.span for f in statement.sentence.facts)
    )


def _made(
    statement: Statement,
    kind: str,
    scope: frozenset[str],
    sign: int,
    words: Calculations,
    rules: Consistency,
) -> _Bound | None:
    compared = frozenset[str]().union(*words.more.values(), *words.fewer.values()) | words.than
    case = statement.case
    if case.conditions - compared or case.cases or case.times or case.front:
        return None
    return _Bound(statement, kind, scope, sign)


def _stems(tokens: Iterable[Token], rules: Consistency, language: str) -> list[str]:
    skipped = rules.neutral | vocabulary(language).function_words
    return [
        stem(token.low, language)
        for token in tokens
        if token.is_word and len(token.low) >= _MIN_CHARS and token.low not in skipped
    ]


def _is_beyond(statement: Statement, bound: _Bound) -> bool:
    """Whether a value of the same kind is beyond a bound."""
    fact, limit = statement.fact, bound.statement.fact
    if statement.sentence is bound.statement.sentence or fact.unit != limit.unit:
        return False
    case, other = statement.case, bound.statement.case
    if case.conditions or case.cases or case.times or case.front or fact.hedge:
        return False
    if (case.per, case.dimension or other.dimension) != (
        other.per,
        other.dimension or case.dimension,
    ):
        return False
    if case.is_past != other.is_past or not bound.scope <= statement.wide:
        return False
    before = {first for first, second in statement.modified if second == bound.kind}
    if statement.near - bound.scope - {bound.kind} - before:
        return False
    if bound.sign > 0:
        return fact.low > limit.high * (1 + _ROUNDED)
    return fact.high < limit.low * (1 - _ROUNDED)
