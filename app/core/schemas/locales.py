"""Language and region codes, and the English names of languages."""

import re
from functools import cache
from typing import Annotated

from babel import Locale
from pydantic import AfterValidator, WithJsonSchema

from app.core.schemas.api_model import Text

TAG_MAX_CHARS = 35


@cache
def _english() -> Locale:
    return Locale("en")


def language_name(tag: str) -> str:
    """Return the English name of a BCP 47 language tag: "Portuguese (Brazil)" for `pt-BR`."""
    language, _, rest = tag.partition("-")
    name = _english().languages[language.lower()]
    territory = _english().territories.get(rest.upper()) if rest else None
    return f"{name} ({territory})" if territory else name


@cache
def _languages() -> frozenset[str]:
    # CLDR also has names for variants of some languages, such as ar_001 and en_GB.
    return frozenset(filter(re.compile("[a-z]{2,3}").fullmatch, map(str, _english().languages)))


@cache
def _regions() -> frozenset[str]:
    codes = filter(re.compile("[A-Z]{2}").fullmatch, map(str, _english().territories))
    # CLDR also has codes for tests and for an unknown region.
    return frozenset(codes) - {"XA", "XB", "ZZ"}


def _language_tag(value: str) -> str:
    """Accept BCP 47 tags of a known language with well-formed subtags."""
    language, *subtags = value.split("-")
    known = language.lower() in _languages() and language.isascii() and len(value) <= TAG_MAX_CHARS
    if not known or not all(s.isascii() and s.isalnum() and 1 <= len(s) <= 8 for s in subtags):
        raise ValueError("must be a BCP 47 language code, such as en, de or pt-BR")
    return "-".join([language.lower(), *subtags])


def _region_code(value: str) -> str:
    if not value.isascii() or value.upper() not in _regions():
        raise ValueError("must be an ISO 3166-1 alpha-2 region code, such as US or DE")
    return value.upper()


Language = Annotated[
    Text,
    AfterValidator(_language_tag),
    WithJsonSchema({"type": "string", "minLength": 2, "maxLength": TAG_MAX_CHARS}),
]
Region = Annotated[
    Text,
    AfterValidator(_region_code),
    WithJsonSchema({"type": "string", "minLength": 2, "maxLength": 2}),
]
