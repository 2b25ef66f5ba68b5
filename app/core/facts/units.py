"""Units and currencies by every name that CLDR has for them, with their exact factors."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from babel import Locale
from babel.numbers import get_currency_name, get_currency_symbol
from babel.units import format_unit

# The most words that the name of a unit has, before a hyphen is one.
MAX_WORDS = 3


@dataclass(frozen=True)
class Unit:
    """``factor`` turns a number of it into the dimension's base unit."""

    dimension: str
    factor: float
    is_money: bool = False


@cache
def currencies() -> tuple[str, ...]:
    """Return the ISO codes of the currencies that are recognised."""
    return tuple(_data()["currencies"])


@cache
def units(language: str) -> dict[str, Unit]:
    """Units by name, in lower case, with one space between the words of a name."""
    locale, data = Locale(language), _data()
    found: dict[str, Unit] = {}
    for name, unit in _units(data["cldr"]):
        for length in ("long", "short", "narrow"):
            for count in (1, 2, 5):
                said = _name(format_unit(count, name, length, locale=locale))
                if said not in data["not_units"]:
                    found.setdefault(said, unit)
                    if language == "de" and length == "long":  # in Kilometern, vor Tagen
                        found.setdefault(f"{said}n", unit)
                    if language == "en":
                        found.setdefault(said.replace("meter", "metre"), unit)
                        found.setdefault(said.replace("liter", "litre"), unit)
    found |= dict(_units(data["other"]))
    for code in currencies():
        money = Unit(code, 1.0, is_money=True)
        for said in (
            get_currency_name(code, locale=locale),
            get_currency_name(code, count=1, locale=locale),
            get_currency_name(code, count=2, locale=locale),
            code,
        ):
            found[_name(said)] = money
        symbol = get_currency_symbol(code, locale=locale)
        if not symbol.isalpha() and len(symbol) == 1:
            found.setdefault(symbol, money)
    for code, names in data["money"].items():
        found |= dict.fromkeys(names, Unit(code, 1.0, is_money=True))
    found.pop("", None)
    return found


@cache
def unit_starts(language: str) -> frozenset[str]:
    """The first words of all names of units: most words of a text are none of them."""
    return frozenset(name.partition(" ")[0] for name in units(language))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "units.toml").read_text("utf-8"))


def _units(dimensions: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, Unit]]:
    for dimension, factors in dimensions.items():
        for name, factor in factors.items():
            yield name, Unit(dimension, float(factor))


def _name(pattern: str) -> str:
    text = re.sub(r"[\d.,]+", " ", pattern.lower())
    return " ".join(text.replace("-", " ").replace("/", " / ").replace("°", " ° ").split())
