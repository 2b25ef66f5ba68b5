"""Advice to the reader and weekdays that are no dates: neither needs a source.

"The walk took ten minutes" does, "take ten minutes for it" does not. The rules look at how a
sentence begins and for a few words that say that something is enough; all else is a claim.
"""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from app.core.facts.fact import Fact, FactKind
from app.core.facts.scanner import Token
from app.core.text import primary_subtag

_HOUR = 3600


def is_advice(fact: Fact, sentence: Sequence[Token], language: str) -> bool:
    """Return whether a measure or a weekday is in a sentence that tells its reader what to do.

    In a sentence that only says how much is enough, or is about anyone who does something, a
    measure is advice up to an hour.
    """
    if fact.kind is not FactKind.MEASUREMENT and not _is_weekday(fact):
        return False
    words = [token.low for token in sentence]
    starts = [0]
    if words[0] in _words("conditions") and "," in words:
        starts.append(words.index(",") + 1)
    if any(_is_order([token.text for token in sentence[at : at + 2]], language) for at in starts):
        return True
    short = _is_weekday(fact) or (fact.unit == "duration" and fact.high <= _HOUR)
    return short and (words[0] in _words("anyone") or not _words("enough").isdisjoint(words))


def is_order(sentence: str, language: str) -> bool:
    """Return whether a sentence begins as one that tells its reader what to do."""
    return _is_order(sentence.split(maxsplit=2)[:2], primary_subtag(language))


def _is_order(start: Sequence[str], language: str) -> bool:
    if not start:
        return False
    first = start[0].lower()
    known = _imperatives(language)
    if first in known or " ".join(start[:2]).lower() in known:
        return True
    if language == "fr":  # Prenez …
        return first.endswith("ez") and first not in _words("no_orders")
    return (
        language == "de" and first.endswith("en") and len(start) > 1 and start[1] == "Sie"
    )  # Nehmen Sie …


def _is_weekday(fact: Fact) -> bool:
    return fact.when is not None and fact.when.weekday is not None


def is_any_day(fact: Fact, before: Sequence[str]) -> bool:
    """Return whether a weekday is any such day and no date: "on a Monday".

    ``before`` are the words before it, in lower case.
    """
    if not _is_weekday(fact) or not before:
        return False
    if before[-1] in _words("articles"):
        return True
    return len(before) > 2 and before[-2] in _words("articles") and before[-3] in _words("on")


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(_data()[name])


@cache
def _imperatives(language: str) -> frozenset[str]:
    return frozenset(_data()["imperatives"].get(language, ()))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "advice.toml").read_text("utf-8"))
