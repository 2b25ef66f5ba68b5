"""Orders to a language model in words: in which order the signs of the languages make one."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from app.core.model_talk.signs import LANGUAGES, Hit, Reading

# Between two signs ~3 lets up to three other words stand; ^ is the start of a sentence; a sign
# after ! must not follow.
ORDERS = (
    "forget ~3 before ~2 rules",
    "forget ~2 rules ~3 before",
    "before ~1 rules ~4 forget",
    "rules ~1 before ~4 forget",
    "forget ~1 all_before",
    "all_before ~3 forget",
    "new_rules",
    "^ start_rules ~4 stop",
    "these ~1 rules ~2 supersede",
    "you_now ~4 role",
    "^ act ~4 role",
    "reveal ~4 prompt",
    "piece must ~6 praise",
    "piece must ~3 contain ~4 object",
    "add ~9 in_piece",
    "when_writing ~8 do",
    "^ reply ~3 only_with",
    "^ note ~2 model !no_model ~4 order",
    "sure_model ~3 reading",
    "if_you ~3 sure_model ~9 deed",
    "when_asked ~9 say",
    "as_the ~3 boss ~3 of_model ~9 authorise",
    "i_authorise",
    "threat",
    "for_rules ~6 replies ~2 have_to ~3 begin",
    "for_rules ~2 have_to ~3 replies ~5 begin",
    "your_replies have_to ~4 begin_with",
    "your_replies ~4 begin_with ~4 have_to",
    "dont_tell ~2 user ~3 secret",
    "dont_show ~2 hidden_rules",
    "jailbreak",
    "call ~3 tool",
    "exfiltrate",
)
# What an address to a model leads to: an order, or the end of a sentence, as a colon is one.
_DEEDS = ("do", "say", "you_must", "forget", "reply", "add", "reading", "act")
_STOP = "stop"
_CHOICES = {"deed": _DEEDS, "order": (*_DEEDS, _STOP)}


class _Step(NamedTuple):
    """One of these signs, after at most so many other words."""

    names: tuple[str, ...]
    gap: int = 0
    is_absent: bool = False


class _Order(NamedTuple):
    steps: tuple[_Step, ...]
    at_start: bool
    # Each of them must be in a text for it to have the order.
    needs: tuple[str, ...]


def order_in(text: Reading) -> str | None:
    """The words of the first order of a text, or None."""
    for order in _orders():
        for language in LANGUAGES:
            possible = all(text.may_have((language, name)) for name in order.needs)
            if possible and (hit := _first(order, language, text)):
                return text.shown(hit)
    return None


def _first(order: _Order, language: str, text: Reading) -> Hit | None:
    # The rare ones first.
    if not all(text.hits((language, name)) for name in reversed(order.needs)):
        return None
    first, *rest = order.steps
    for name in first.names:
        for hit in text.hits((language, name)):
            if order.at_start and hit.start not in text.starts:
                continue
            end = _end(rest, language, hit.end, text)
            if end is not None:
                return Hit(hit.start, end)
    return None


def _end(steps: Sequence[_Step], language: str, at: int, text: Reading) -> int | None:
    """Where the steps end that begin at a word or soon after it; None where they do not follow."""
    if not steps:
        return at
    step, *rest = steps
    following = _following(step, language, at, text)
    if step.is_absent:
        return None if any(True for _ in following) else _end(rest, language, at, text)
    ends = (_end(rest, language, hit.end, text) for hit in following)
    return next((end for end in ends if end is not None), None)


def _following(step: _Step, language: str, at: int, text: Reading) -> Iterator[Hit]:
    for name in step.names:
        if name == _STOP:
            reach = range(at, at + step.gap + 1)
            yield from (Hit(place, place) for place in reach if place in text.starts)
            continue
        places = text.hits((language, name))
        for index in range(bisect_left(places, Hit(at, 0)), len(places)):
            if places[index].start > at + step.gap:
                break
            yield places[index]


@cache
def _orders() -> tuple[_Order, ...]:
    return tuple(map(_parsed, ORDERS))


def _parsed(order: str) -> _Order:
    steps: list[_Step] = []
    gap = 0
    parts = order.removeprefix("^ ").split()
    for part in parts:
        if part.startswith("~"):
            gap = int(part[1:])
            continue
        name = part.removeprefix("!")
        steps.append(_Step(_CHOICES.get(name, (name,)), gap, part != name))
        gap = 0
    needs = tuple(
        step.names[0]
        for step in steps
        if not step.is_absent and len(step.names) == 1 and step.names[0] != _STOP
    )
    return _Order(tuple(steps), order.startswith("^"), needs)
