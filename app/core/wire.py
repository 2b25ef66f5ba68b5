"""The base of every model that travels as JSON: camelCase on the wire, snake_case in the code."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    TypeAdapter,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel

FREE_TEXT_MAX_CHARS = 500
URL_MAX_CHARS = 2048


class WireModel(BaseModel):
    """Unknown fields are ignored, so that a newer client still gets an answer."""

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
        """The JSON object as the interface has it: absent fields are left out, never null."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def only_where(field: str, values: Iterable[str], *members: str) -> dict[str, Any]:
    """A JSON Schema: these members are there where a field has one of these values, else not."""
    return {
        "if": {"properties": {field: {"enum": list(values)}}},
        "then": {"required": list(members)},
        "else": {"properties": dict.fromkeys(members, False)},
    }


def to_json(body: Any) -> str:
    """A JSON text; the same for the same body, so that a repeated answer has the same bytes."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _clean(value: str) -> str:
    """Refuse what no database, HTTP header or HTML page can carry, and trim the ends."""
    categories = {unicodedata.category(ch) for ch in value if ch not in "\t\n\r"}
    if "Cc" in categories:
        raise ValueError("must not contain control characters")
    if "Cs" in categories:
        raise ValueError("must be valid Unicode text (a lone surrogate was found)")
    if "Co" in categories:
        raise ValueError("must not contain private use characters")
    return value.strip()


def _at_most(limit: int) -> Any:
    def check(value: str) -> str:
        if len(value) > limit:
            raise ValueError(f"must be at most {limit} characters long; it is {len(value)}")
        return value

    return check


def _filled(value: str) -> str:
    if not value:
        raise ValueError("must not be empty")
    return value


def _wordy(value: str) -> str:
    """Refuse what no sentence could ever be said to use."""
    if not any(ch.isalnum() for ch in value):
        raise ValueError("must contain a letter or a digit")
    return value


def _whole_number(value: Any) -> Any:
    """JSON has one kind of number: 800 and 800.0 are the same; "800" and true are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a whole number")
    if isinstance(value, float) and not value.is_integer():
        raise ValueError("must be a whole number")
    return value


# What the functions above say, once more as the regular expressions of JSON Schema, for the
# published document; tests/unit/test_openapi.py holds the two against each other.
_SPACE = r"\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_NEVER = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ue000-\uf8ff"
# The other private use characters, by themselves and as they are: languages differ in how astral
# characters are escaped, and a class of so many is slow in tools that write every one down.
NEVER_ASTRAL = "[\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
_ANY, _INK = f"[^{_NEVER}]", f"[^{_NEVER}{_SPACE}]"


def _trimmed(least: int, most: int) -> str:
    """The pattern of a text that has ``least`` (0 or 1) to ``most`` characters once trimmed."""
    text = f"{_INK}(?:{_ANY}{{0,{most - 2}}}{_INK})?"
    return f"^[{_SPACE}]*{text if least else f'(?:{text})?'}[{_SPACE}]*$"


class _HasLetterOrDigit:
    """Adds ``_wordy`` to a schema, only when one is made: it looks at every character there is."""

    def __get_pydantic_json_schema__(
        self, schema: Any, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        # Range by range: engines do not agree on what \w is, and several have no \p{L}.
        spans: list[list[int]] = []
        for code in range(0x110000):
            if chr(code).isalnum():
                if spans and spans[-1][1] == code - 1:
                    spans[-1][1] = code
                else:
                    spans.append([code, code])
        none = f"^[^{''.join(_span(low, high) for low, high in spans)}]*$"
        text = handler(schema)
        return {**text, "not": {"anyOf": [text["not"], {"pattern": none}]}}


def _span(low: int, high: int) -> str:
    return chr(low) if low == high else f"{chr(low)}-{chr(high)}"


def _text(title: str, description: str, least: int, most: int) -> WithJsonSchema:
    return WithJsonSchema(
        {
            "type": "string",
            "title": title,
            "description": description,
            "pattern": _trimmed(least, most),
            "not": {"pattern": NEVER_ASTRAL},
        }
    )


_HTTP_URL = TypeAdapter(AnyHttpUrl)
# The value is kept as it was written, so it must not need a browser's repairs: `http:example.com`
# is a relative address on some pages, and a backslash or < > ` ends a link in Markdown.
_WRITTEN_OUT = re.compile(r"https?://[^/?#\\].*", re.IGNORECASE | re.DOTALL)
_NEVER_IN_A_URL = frozenset("\\<>`")


def _http_url(value: str) -> str:
    try:
        _HTTP_URL.validate_python(value)
    except ValueError:
        complete = False
    else:
        complete = _WRITTEN_OUT.match(value) is not None
    if not complete:
        raise ValueError("must be a complete http or https URL, such as https://example.com/page")
    if any(ch.isspace() for ch in value):
        raise ValueError("must not contain white space")
    if found := _NEVER_IN_A_URL.intersection(value):
        raise ValueError(f"must have {' '.join(sorted(found))} percent-encoded")
    return value


# JSON Schema cannot follow a browser's reading of a host. What this pattern allows is never
# refused; what it leaves out (addresses, other scripts than Latin) is told in words.
_LABEL = "[A-Za-z0-9_]+(?:-+[A-Za-z0-9_]+)*"
_HOST = rf"(?:{_LABEL}\.)*[A-Za-z][A-Za-z0-9_]*"
# Not every name of this form stands for another.
PUNYCODE = r"^[^/]*//(?:[^/?#:]*\.)?[Xx][Nn]--"
PORT_FROM_10000 = "6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}"


def any_case(word: str) -> str:
    """The pattern of a word in upper or lower case."""
    return "".join(f"[{letter.upper()}{letter.lower()}]" for letter in word)


def url_pattern(scheme: str, host: str, port: str) -> str:
    """The pattern of a URL of which nothing but these three is looked at closely."""
    return rf"^{scheme}://{host}(?::(?:{port}))?(?:[/?#][^{_SPACE}\\<>`{_NEVER}]*)?$"


Text = Annotated[str, AfterValidator(_clean)]
FreeText = Annotated[
    Text,
    AfterValidator(_at_most(FREE_TEXT_MAX_CHARS)),
    _text("FreeText", "At most 500 characters, without the white space around them.", 0, 500),
]
Keyword = Annotated[
    Text,
    AfterValidator(_filled),
    AfterValidator(_wordy),
    AfterValidator(_at_most(100)),
    _text(
        "Keyword",
        "1 to 100 characters, at least one of them a letter or a digit; white space around them"
        " does not count.",
        1,
        100,
    ),
    _HasLetterOrDigit(),
]
Name = Annotated[Text, AfterValidator(_filled), AfterValidator(_at_most(100))]
IdempotencyKey = Annotated[
    Text,
    AfterValidator(_filled),
    AfterValidator(_at_most(255)),
    _text("IdempotencyKey", "1 to 255 characters of your choice, such as a UUID.", 1, 255),
]
HttpUrl = Annotated[
    Text,
    AfterValidator(_at_most(URL_MAX_CHARS)),
    AfterValidator(_http_url),
    WithJsonSchema(
        {
            "type": "string",
            "title": "HttpUrl",
            "description": "A complete http or https URL. Addresses in place of a host name, and"
            " host names in other scripts or their xn-- form, are taken as well.",
            "maxLength": URL_MAX_CHARS,
            "pattern": url_pattern(
                f"{any_case('http')}[Ss]?", _HOST, f"{PORT_FROM_10000}|[0-9]{{1,4}}"
            ),
            "not": {"anyOf": [{"pattern": NEVER_ASTRAL}, {"pattern": PUNYCODE}]},
        }
    ),
]
WHOLE_NUMBER = BeforeValidator(_whole_number)
# Only ever sent, never read.
Timestamp = Annotated[
    str,
    WithJsonSchema(
        {
            "type": "string",
            "title": "Timestamp",
            "description": "ISO 8601, in UTC, with milliseconds.",
            "format": "date-time",
            "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
        }
    ),
]
