"""The base of the API models, and their types: texts, URLs, numbers and times."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel

from app.core.addresses import http_url

URL_MAX_CHARS = 2048
STORED = "stored"
"""The context in which a request is read that was accepted before."""


class ApiModel(BaseModel):
    """An object of the API: camelCase in JSON, snake_case in Python.

    Unknown members are ignored, so that newer clients and services work.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            return {key: value for key, value in data.items() if value is not None}
        return data

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON object. Absent fields are omitted, never null."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def only_where(field: str, values: Iterable[str], *members: str) -> dict[str, Any]:
    """Return a JSON Schema that requires the members if a field has one of the values, and forbids
    them otherwise."""
    return {
        "if": {"properties": {field: {"enum": list(values)}}},
        "then": {"required": list(members)},
        "else": {"properties": dict.fromkeys(members, False)},
    }


def to_json(body: Any) -> str:
    """Return compact JSON. Equal bodies give equal bytes, so that replays do not differ."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _clean(value: str) -> str:
    """Return the text without white space around it.

    Reject characters that databases, HTTP headers or HTML cannot hold, and invisible ones.
    """
    categories = {unicodedata.category(ch) for ch in value if ch not in "\t\n\r"}
    if "Cc" in categories:
        raise ValueError("must not contain control characters")
    if "Cs" in categories:
        _unicode(value)
    if "Co" in categories:
        raise ValueError("must not contain private use characters")
    value = value.strip()
    if found := re.search(f"[{_HIDDEN}{_HIDDEN_ASTRAL}]", value):
        raise ValueError(f"must not contain the invisible character U+{ord(found.group()):04X}")
    for pattern in _STRAYS:
        if found := re.search(pattern, value):
            hidden = f"U+{ord(found.group()[-1]):04X}"
            raise ValueError(f"has the invisible character {hidden} where no script needs it")
    return value


def _unicode(value: str) -> str:
    """Return the text. Reject one that cannot be encoded: JSON can escape half a character."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode text (a lone surrogate was found)") from None
    return value


def one_line(value: str) -> str:
    """Return the text with each run of white space, including line breaks, as one space."""
    return " ".join(value.split())


def _long(least: int, most: int) -> AfterValidator:
    """Return what accepts a text of ``least`` (0 or 1) to ``most`` characters."""

    def check(value: str) -> str:
        if len(value) < least:
            raise ValueError("must not be empty")
        if len(value) > most:
            raise ValueError(f"must be at most {most} characters long; it is {len(value)}")
        return value

    return AfterValidator(check)


def _wordy(value: str) -> str:
    """Reject a text that no sentence can contain as a word."""
    if not any(ch.isalnum() for ch in value):
        raise ValueError("must contain a letter or a digit")
    return value


def _plain(value: str, info: ValidationInfo) -> str:
    """Reject a text with what no post can contain as words: <b>tea</b>, [tea](x), **tea**, https://x.

    A tag alone, *args and __init__ may be what a post is about. What was accepted earlier, by a
    version that had no such rule, stays as it is.
    """
    if info.context is not STORED and (found := re.search(_MARKUP, value)):
        raise ValueError(f"must be plain text, without “{found.group()}”")
    return value


def _whole_number(value: Any) -> Any:
    """Accept 800 and 800.0, which are the same number in JSON, but not "800" or true."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a whole number")
    if isinstance(value, float) and not value.is_integer():
        raise ValueError("must be a whole number")
    return value


_SPACE = r"\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Invisible characters: those with Unicode's property Default_Ignorable_Code_Point, except joiners
# and variation selectors, the marks around annotations, and the blank of Braille. Listed here, so
# that a new version of Unicode does not change what is accepted.
_HIDDEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufeff\uffa0\ufff0-\ufffb"
)
_HIDDEN_ASTRAL = (
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# Persian, Indic languages and emoji use the two joiners, but never after white space, another
# joiner, or a Latin, Greek, Cyrillic or Armenian letter.
_STRAY_JOINER = rf"(?:^|[\u0000-\u058f\u200c\u200d{_SPACE}])[\u200c\u200d]"
# Mongolian and emoji use variation selectors, emoji also after digits, #, *, © and ®, and
# ideographs have astral ones.
_SELECTORS, _MORE_SELECTORS = r"\u180b-\u180d\u180f\ufe00-\ufe0f", "\U000e0100-\U000e01ef"
_NO_BASE = (
    r"\u0000-\u0022\u0024-\u0029\u002b-\u002f\u003a-\u00a8\u00aa-\u00ad\u00af-\u058f\u200c\u200d"
)
_STRAY_SELECTOR = rf"(?:^|[{_NO_BASE}{_SELECTORS}{_SPACE}])[{_SELECTORS}]"
_STRAY_ASTRAL = rf"(?:^|[\u0000-\u2e7f{_SPACE}{_MORE_SELECTORS}])[{_MORE_SELECTORS}]"
_STRAYS = (_STRAY_JOINER, _STRAY_SELECTOR, _STRAY_ASTRAL)
# A pair of tags, a link, words in bold, an escaped sign behind a letter, and an address.
_MARKUP = (
    r"<[A-Za-z][^<>]*>[^<>]+</[A-Za-z][^<>]*>|\[[^\[\]]+\]\([^()]*\)"
    rf"|\*\*[^*{_SPACE}](?:[^*]*[^*{_SPACE}])?\*\*|[A-Za-z]&(?:amp|quot|apos|#0?39);"
    r"|(?i:[a-z]+://|www\.[\w-]+\.\w+)"
)


def _text(title: str, description: str, **lengths: int) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "title": title, "description": description, **lengths})


def _http_url(value: str) -> str:
    http_url(value)
    # They end a link in Markdown, and the URL is kept as written.
    if found := set("<>`").intersection(value):
        raise ValueError(f"must have {' '.join(sorted(found))} percent-encoded")
    return value


Text = Annotated[str, AfterValidator(_clean)]
# Whatever characters it has, line breaks and invisible ones included.
AnyText = Annotated[str, AfterValidator(_unicode)]
FreeText = Annotated[
    Text,
    _long(0, 500),
    AfterValidator(one_line),
    _text(
        "FreeText",
        "At most 500 characters, not counting white space around the text. A line break counts as"
        " a space, and several spaces as one.",
        maxLength=500,
    ),
]
Keyword = Annotated[
    Text,
    _long(1, 100),
    AfterValidator(_wordy),
    AfterValidator(_plain),
    AfterValidator(one_line),
    _text(
        "Keyword",
        "1 to 100 characters, at least one of them a letter or a digit, not counting white space"
        " around the text. A line break counts as a space, and several spaces as one. Plain text:"
        " markup such as `<b>tea</b>` or `**tea**` is rejected.",
        minLength=1,
        maxLength=100,
    ),
]
Name = Annotated[Text, _long(1, 100), AfterValidator(one_line)]
IdempotencyKey = Annotated[
    Text,
    _long(1, 255),
    _text(
        "IdempotencyKey",
        "1 to 255 characters of your choice, such as a UUID.",
        minLength=1,
        maxLength=255,
    ),
]
HttpUrl = Annotated[
    Text,
    _long(0, URL_MAX_CHARS),
    AfterValidator(_http_url),
    _text(
        "HttpUrl",
        "A complete http or https URL; white space, backslashes, angle brackets and backticks in it"
        " must be percent-encoded.",
        maxLength=URL_MAX_CHARS,
    ),
]
WHOLE_NUMBER = BeforeValidator(_whole_number)
