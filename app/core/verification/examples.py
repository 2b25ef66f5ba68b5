"""Worked examples: which facts of a post belong to one, and what follows from its values."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import groupby, permutations

from app.core.checks import Kind, Passage
from app.core.facts.fact import Fact, FactKind, same_value
from app.core.facts.scanner import Vocabulary
from app.core.text import Span, words
from app.core.verification.annotate import AnnotatedSentence
from app.core.verification.claims import HEADLINES

# The first words of a sentence that may name an example.
_FIRST_WORDS = 4
_CALCULATED = frozenset({FactKind.AMOUNT, FactKind.MEASUREMENT, FactKind.NUMBER})
# Of more values, or by more shares than those that the example names, too much follows by chance.
_MOST_VALUES, _MOST_SHARES = 30, 12
_MOST_MULTIPLIED = 8
# By how much a rounded result may be off.
_ROUNDED = 0.005

# A fact by its passage and its place in it.
Place = tuple[str, int]
Examples = dict[Place, "Example"]
# The value of a rate, and the unit of what it is for.
Rate = tuple[tuple[str, float, float], str]


@dataclass(eq=False)
class Example:
    """The facts of an example, in reading order.

    ``is_free`` means that it is told in sentences, so that readers see which figures are its own;
    in a table, they stand beside those of the sources. ``given`` are the facts that it begins with.
    """

    is_free: bool
    facts: dict[Place, Fact] = field(default_factory=dict)
    given: set[Place] = field(default_factory=set)

    def explained(self, doubted: Mapping[Place, bool], shares: Collection[float]) -> set[Place]:
        """Return the doubted values that follow from the others, and those that the example begins
        with and others follow from.

        Args:
            doubted: the facts with findings; true if the sources have the value, of other things.
            shares: those that the sources name.
        """
        if len(self.facts) > _MOST_VALUES:
            return set()
        rates = set(shares)
        if len(rates) > _MOST_SHARES:
            rates &= {each.low / 100 for each in self.facts.values() if each.unit == "percent"}
        given = {self.facts[at].value for at in self.given}
        begun = {
            at
            for at, fact in self.facts.items()
            if at in doubted and fact.value in given and (doubted[at] or not self.is_free)
        }
        known = self.facts.keys() - (doubted.keys() - begun)
        open_ones = [at for at in self.facts if at not in known and _is_calculated(self.facts[at])]
        found = set[Place]()
        for _ in open_ones:
            new = {at for at in open_ones if at not in known and self._follows(at, known, rates)}
            known, found = known | new, found | new
        return found | {at for at in begun if self._is_used(at, known, rates)}

    def _follows(self, place: Place, known: Set[Place], rates: Collection[float]) -> bool:
        """Whether a value can be worked out of known ones: the sum of those before it, or a share,
        multiple or difference."""
        fact, total, before = self.facts[place], 0.0, list(self.facts)
        before = before[: before.index(place)]
        for number, at in enumerate(at for at in reversed(before) if self._is_alike(at, fact)):
            if at not in known:
                break
            total += self.facts[at].low
            if number and _is_value(fact, total):
                return True
        facts = [self.facts[at] for at in known]
        return any(
            _is_value(fact, made)
            for each in facts
            if each.unit == fact.unit
            for made in _made_of(each, facts, rates)
        )

    def _is_alike(self, place: Place, fact: Fact) -> bool:
        return self.facts[place].unit == fact.unit

    def _is_used(self, place: Place, known: Set[Place], rates: Collection[float]) -> bool:
        """Whether another value follows from this one."""
        fact = self.facts[place]
        others = [self.facts[at] for at in known if self.facts[at].value != fact.value]
        return _is_calculated(fact) and any(
            _is_value(other, made)
            for other in others
            if other.unit == fact.unit
            for made in _made_of(fact, [each for each in others if each is not other], rates)
        )


def _is_calculated(fact: Fact) -> bool:
    return fact.kind in _CALCULATED and fact.low == fact.high


def _made_of(fact: Fact, others: Iterable[Fact], rates: Collection[float]) -> Iterator[float]:
    """Yield what can be worked out of a value: its shares, multiples, differences, their shares."""
    ends = [end for each in others if each.unit == fact.unit for end in (each.low, each.high)]
    counts = [each.low for each in others if not each.unit and each.low == each.high]
    for value in {fact.low, fact.high}:
        yield from (value * rate for rate in rates)
        yield from (value * count for count in counts if fact.unit)
        for apart in {abs(value - end) for end in ends} - {0}:
            yield apart
            yield from (apart * rate for rate in rates)


def _is_value(fact: Fact, made: float) -> bool:
    told = replace(fact, low=made, high=made, hedge=None)
    return abs(fact.low - made) <= _ROUNDED * fact.factor or same_value(fact, told)


def worked_out(facts: Sequence[Fact], rates: Collection[Rate]) -> Mapping[Span, bool]:
    """Return the places of the facts of a sentence that multiply a rate of its section, “At 4.5 kg,
    20 mg per kg are 90 mg”, with True; and with False, those of results that are none."""
    found: dict[Span, bool] = {}
    exact = [each for each in facts if _is_calculated(each)][:_MOST_MULTIPLIED]
    for rate, factor, result in permutations(exact, 3):
        units = (factor.unit, factor.base, result.unit, result.base)
        if (rate.value, rate.base) not in rates or units != (rate.base, "", rate.unit, ""):
            continue
        # Of a kilogram, the base unit, or of one of the unit that the factor has.
        made = [rate.low * factor.low / one for one in (1.0, factor.factor)]
        if any(_is_value(result, each) for each in made):
            found |= dict.fromkeys((rate.span, factor.span, result.span), True)
        elif result.factor == rate.factor:
            found.setdefault(result.span, False)
    return found


def worked_examples(
    texts: Sequence[Passage],
    read: Callable[[str], Sequence[AnnotatedSentence]],
    vocabulary: Vocabulary,
) -> Mapping[Place, Example]:
    """Return the examples of a post.

    An example is a sentence that begins as one and those that go on with it; a row or column that
    is named so; and the table, or the list behind a colon, below a text that ends with one.

    Args:
        read: returns the sentences of a text.
    """
    found: Examples = {}
    above: Example | None = None
    is_announced = False
    for (kind, _), group in groupby(texts, key=lambda each: (each.kind, _table(each))):
        for passage in [] if kind is Kind.CELL else group:
            if kind is Kind.ITEM and above is not None and is_announced:
                for sentence in read(passage.text):
                    _add(found, passage, sentence.facts, above)
            elif kind not in HEADLINES:
                above = _told(passage, read(passage.text), vocabulary, found)
                is_announced = passage.leads
            else:
                above = None
        if kind is Kind.CELL:
            facts = {each: [f for said in read(each.text) for f in said.facts] for each in group}
            _tabulated(facts, vocabulary.words.examples, above, found)
            above = None
    return found


def supposes(begin: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Return whether a sentence with these first words begins an example: “Suppose you …”."""
    phrases = vocabulary.words.supposing.get(begin[0], ()) if begin else ()
    return any(tuple(begin[: len(each)]) == each for each in phrases)


def _table(passage: Passage) -> str:
    return passage.row.rpartition(".")[0]


def _add(found: Examples, passage: Passage, facts: Iterable[Fact], example: Example) -> set[Place]:
    """Add facts to an example, and return their places."""
    places = {(passage.section, fact.span[0]): fact for fact in facts}
    example.facts |= places
    found |= dict.fromkeys(places, example)
    return set(places)


def _told(
    passage: Passage,
    sentences: Iterable[AnnotatedSentence],
    vocabulary: Vocabulary,
    found: Examples,
) -> Example | None:
    """Add the example of a text, and return it if the text ends with it."""
    example, is_example = Example(is_free=True), False
    for sentence in sentences:
        begin = words(sentence.text)[:_FIRST_WORDS]
        values = {each.value for each in example.facts.values() if each.is_value}
        goes_on = is_example and (
            not values.isdisjoint(sentence.values)
            or not vocabulary.words.referring.isdisjoint(begin)
        )
        begins = not vocabulary.words.examples.isdisjoint(begin) or supposes(begin, vocabulary)
        is_example = goes_on or begins
        if is_example:
            places = _add(found, passage, sentence.facts, example)
            example.given |= places if begins else set()
    return example if is_example else None


def _tabulated(
    cells: Mapping[Passage, Sequence[Fact]],
    names: frozenset[str],
    above: Example | None,
    found: Examples,
) -> None:
    """Add the example of a table: all of it below an example, else the rows and columns that are
    named so."""
    named = [cell for cell in cells if not names.isdisjoint(words(cell.text))]
    if not named and above is None:
        return
    rows = {cell.row for cell in named if not cell.is_header}
    columns = {cell.column for cell in named if cell.is_header}
    example = Example(is_free=False)
    if above is not None:
        example.facts, example.given = above.facts, above.given
    begun = set[str]()
    for cell, facts in cells.items():
        is_own = bool(above) or cell.row in rows or cell.column in columns
        places = _add(found if is_own and not cell.is_header else {}, cell, facts, example)
        if places and cell.row in rows and cell.row not in begun:
            begun.add(cell.row)
            example.given |= places
