"""Orders by their weak signs: each of them stands in honest texts, some of them never together.

Sums of points were tried in their place: without a false alarm they found less than half as much,
as what counts is which signs meet and not how many.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from app.core.model_talk.signs import LANGUAGES, Hit, Reading, next_hit

# Signs that make an order where they stand within REACH_WORDS of each other, in any order; one of
# those with a stroke between them is enough. `SIGNS` of the languages has their words; besides:
# `machine` is what is called a model without doubt, `command` a verb where an order may begin, and
# `own_x` an x with "your" before it; `called` is a command right after "Assistant," or "Model:".
COMBINATIONS = (
    "ends favour|command|own_boss|system",
    "own_text favour|machine|harm|unless|hide|void|told|asker|talk",
    "told favour|system|own_boss|asker|talk|machine|own_task",
    "told void task|here|instead",
    "harm unless you",
    "machine hide",
    "machine favour plea",
    "machine favour here command",
    "machine plea you|command|here",
    "helper favour text here command",
    "helper favour plea",
    "system favour text",
    "called favour|talk|own_text|asker|hide|here",
    "own_boss hide",
    "own_boss favour command",
    "own_boss void here|task|told",
    "own_task hide",
    "own_task void favour|helper|machine|instead|here",
    "part favour text|you",
    "asker hide favour",
    "transform above append",
    "duty machine",
    "duty helper favour|asker|talk",
    "result duty|machine|favour",
    "result helper command",
)
REACH_WORDS = 14
# A sign of these may be up to so many words after "your".
_OWN = {"own_text": (("text",), 1), "own_task": (("task",), 2), "own_boss": (("asker", "boss"), 1)}
_PARTS = {
    "machine": ("sure_model",),
    "called": ("command",),
    **{name: of for name, (of, _) in _OWN.items()},
}


class _Combination(NamedTuple):
    signs: tuple[str, ...]
    # What the text must have for the signs to be possible, one of each.
    needs: tuple[tuple[str, ...], ...]


def order_in(text: Reading) -> str | None:
    """The words of the first order of a text by its weak signs, or None."""
    for language in LANGUAGES:
        signs = _Signs(text, language)
        for combination in _COMBINATIONS:
            if all(map(signs.may_have, combination.needs)) and (
                hit := signs.together(combination.signs)
            ):
                return text.shown(hit)
    return None


class _Signs:
    """The weak signs of a text in a language."""

    def __init__(self, text: Reading, language: str) -> None:
        self._text = text
        self._language = language
        self._found: dict[str, list[Hit]] = {}

    def may_have(self, names: Sequence[str]) -> bool:
        return any(self._text.may_have((self._language, name)) for name in names)

    def together(self, names: Sequence[str]) -> Hit | None:
        """Where signs stand within reach of the rarest of them."""
        places: list[list[Hit]] = []
        for name in names:
            if not (found := self._hits(name)):
                return None
            places.append(found)
        places.sort(key=len)
        for hit in places[0]:
            near = [next_hit(others, max(0, hit.start - REACH_WORDS)) for others in places[1:]]
            last = hit.start + REACH_WORDS
            if all(each and each.start <= last for each in near):
                stretch = [hit, *filter(None, near)]
                return Hit(min(stretch).start, max(each.end for each in stretch))
        return None

    def _hits(self, name: str) -> list[Hit]:
        if name not in self._found:
            self._found[name] = sorted(self._look_for(name))
        return self._found[name]

    def _look_for(self, name: str) -> Iterator[Hit]:
        if name in _OWN:
            return self._own(*_OWN[name])
        if name == "command":
            return self._at_clauses()
        if name == "called":
            return self._called()
        return iter(self._plain(*_PARTS.get(name, (name,))))

    def _plain(self, *names: str) -> list[Hit]:
        return [hit for name in names for hit in self._text.hits((self._language, name))]

    def _own(self, names: Sequence[str], gap: int) -> Iterator[Hit]:
        for name in names:
            places = self._plain(name)
            for your in self._plain("your") if places else ():
                owned = next_hit(places, your.end)
                if owned and owned.start <= your.end + gap:
                    yield Hit(your.start, owned.end)

    def _at_clauses(self) -> Iterator[Hit]:
        before = {hit.end for hit in self._plain("opener", "helper", "sure_model")}
        starts = self._text.starts
        return (hit for hit in self._plain("command") if hit.start in starts or hit.start in before)

    def _called(self) -> Iterator[Hit]:
        starts = self._text.starts
        names = self._plain("helper", "sure_model")
        called = {hit.end for hit in names if hit.start in starts or hit.end in starts}
        return (hit for hit in self._plain("command") if hit.start in called)


def _spelled_out(combination: str) -> Iterator[_Combination]:
    for signs in product(*(part.split("|") for part in combination.split())):
        yield _Combination(signs, tuple(_PARTS.get(sign, (sign,)) for sign in signs))


_COMBINATIONS = tuple(each for line in COMBINATIONS for each in _spelled_out(line))
