"""Units and currencies by every name that CLDR has for them, with their exact factors."""

import re
from dataclasses import dataclass
from functools import cache

from babel import Locale
from babel.numbers import get_currency_name, get_currency_symbol
from babel.units import format_unit

# CLDR's name of a unit, its dimension, and what one is in the dimension's base unit. Only exact
# factors: a mile is 1609.344 m, and no text that says "8 km" for five of them is exact.
_UNITS = {
    "length-kilometer": ("length", "1000"), "length-meter": ("length", "1"),
    "length-centimeter": ("length", "0.01"), "length-millimeter": ("length", "0.001"),
    "length-mile": ("length", "1609.344"), "length-foot": ("length", "0.3048"),
    "length-yard": ("length", "0.9144"), "length-inch": ("length", "0.0254"),
    "mass-tonne": ("mass", "1000"), "mass-kilogram": ("mass", "1"), "mass-gram": ("mass", "0.001"),
    "mass-milligram": ("mass", "0.000001"), "mass-pound": ("mass", "0.45359237"),
    "mass-ounce": ("mass", "0.028349523125"),
    "volume-liter": ("volume", "1"), "volume-milliliter": ("volume", "0.001"),
    "volume-centiliter": ("volume", "0.01"), "volume-deciliter": ("volume", "0.1"),
    "volume-hectoliter": ("volume", "100"), "volume-cubic-meter": ("volume", "1000"),
    "volume-gallon": ("gallon", "1"), "volume-cup": ("cup", "1"),
    "volume-tablespoon": ("tablespoon", "1"), "volume-teaspoon": ("teaspoon", "1"),
    "area-square-kilometer": ("area", "1000000"), "area-hectare": ("area", "10000"),
    "area-square-meter": ("area", "1"), "area-acre": ("area", "4046.8564224"),
    "area-square-mile": ("area", "2589988.110336"), "area-square-foot": ("area", "0.09290304"),
    "duration-second": ("duration", "1"), "duration-minute": ("duration", "60"),
    "duration-hour": ("duration", "3600"), "duration-day": ("duration", "86400"),
    "duration-week": ("duration", "604800"), "duration-month": ("calendar", "1"),
    "duration-year": ("calendar", "12"), "duration-decade": ("calendar", "120"),
    "duration-century": ("calendar", "1200"),
    "speed-kilometer-per-hour": ("speed", "1"), "speed-mile-per-hour": ("speed", "1.609344"),
    "power-watt": ("power", "1"), "power-kilowatt": ("power", "1000"),
    "power-megawatt": ("power", "1000000"), "power-gigawatt": ("power", "1000000000"),
    "energy-kilowatt-hour": ("energy", "1"), "energy-kilocalorie": ("food energy", "1"),
    "temperature-celsius": ("celsius", "1"), "temperature-fahrenheit": ("fahrenheit", "1"),
    "digital-kilobyte": ("data", "1"), "digital-megabyte": ("data", "1000"),
    "digital-gigabyte": ("data", "1000000"), "digital-terabyte": ("data", "1000000000"),
    "pressure-bar": ("pressure", "1"), "electric-volt": ("voltage", "1"),
}  # fmt: skip
_CURRENCIES = ("USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "CNY", "INR", "SEK", "NOK", "DKK",
               "PLN", "CZK", "HUF", "BRL", "MXN", "KRW", "ZAR", "TRY")  # fmt: skip
_MORE_UNITS = {
    "kph": ("speed", float(1)), "mwh": ("energy", float(1000)),
    "gwh": ("energy", float(1_000_000)), "megawatt hours": ("energy", float(1000)),
    "c": ("celsius", float(1)), "degrees celsius": ("celsius", float(1)),
    "degrees fahrenheit": ("fahrenheit", float(1)), "mins": ("duration", float(60)),
    "hrs": ("duration", float(3600)), "kilos": ("mass", float(1)),
    "metric tons": ("mass", float(1000)), "m²": ("area", float(1)),
    "km²": ("area", float(1_000_000)),
}  # fmt: skip
_MORE_CURRENCIES = {
    "dollar": "USD", "dollars": "USD", "dólares": "USD", "dollari": "USD", "euro": "EUR",
    "euros": "EUR", "eur": "EUR", "pound": "GBP", "pounds": "GBP", "pfund": "GBP", "yen": "JPY",
    "franken": "CHF", "francs": "CHF", "kronor": "SEK", "kroner": "NOK", "rupees": "INR",
    "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "us$": "USD", "cents": "cents",
    "cent": "cents", "pence": "pence", "centimes": "cents",
}  # fmt: skip
# Words of the languages that are units as well.
_NOT_UNITS = {"in", "a", "s", "second", "seconde", "segundo", "secondo", "f", "an", "ans a", "j",
              "u", "#", "′", "″",
              "po", "pi", "el", "to", "ft.", "d", "y", "p", "w", "t", "n",
              "v", "c", "k", "°"}  # fmt: skip
MAX_WORDS = 3


@dataclass(frozen=True)
class Unit:
    """``factor`` turns a number of it into the dimension's base unit."""

    dimension: str
    factor: float
    is_money: bool = False


@cache
def units(language: str) -> dict[str, Unit]:
    """Units by name, in lower case, with one space between the words of a name."""
    locale = Locale(language)
    found: dict[str, Unit] = {}
    for name, (dimension, factor) in _UNITS.items():
        unit = Unit(dimension, float(factor))
        for length in ("long", "short", "narrow"):
            for count in (1, 2, 5):
                said = _name(format_unit(count, name, length, locale=locale))
                if said not in _NOT_UNITS:
                    found.setdefault(said, unit)
                    if language == "de" and length == "long":  # in Kilometern, vor Tagen
                        found.setdefault(f"{said}n", unit)
                    if language == "en":
                        found.setdefault(said.replace("meter", "metre"), unit)
                        found.setdefault(said.replace("liter", "litre"), unit)
    found |= {name: Unit(*unit) for name, unit in _MORE_UNITS.items()}
    for code in _CURRENCIES:
        money = Unit(code, float(1), is_money=True)
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
    found |= {said: Unit(code, float(1), is_money=True) for said, code in _MORE_CURRENCIES.items()}
    found.pop("", None)
    return found


@cache
def unit_starts(language: str) -> frozenset[str]:
    """The first words of all names of units: most words of a text are none of them."""
    return frozenset(name.partition(" ")[0] for name in units(language))


def _name(pattern: str) -> str:
    text = re.sub(r"[\d.,]+", " ", pattern.lower())
    return " ".join(text.replace("-", " ").replace("/", " / ").replace("°", " ° ").split())
