"""The base of every model that travels as JSON: camelCase on the wire, snake_case in the code."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    TypeAdapter,
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


Text = Annotated[str, AfterValidator(_clean)]
FreeText = Annotated[Text, AfterValidator(_at_most(FREE_TEXT_MAX_CHARS))]
Keyword = Annotated[
    Text, AfterValidator(_filled), AfterValidator(_wordy), AfterValidator(_at_most(100))
]
Name = Annotated[Text, AfterValidator(_filled), AfterValidator(_at_most(100))]
IdempotencyKey = Annotated[Text, AfterValidator(_filled), AfterValidator(_at_most(255))]
HttpUrl = Annotated[Text, AfterValidator(_at_most(URL_MAX_CHARS)), AfterValidator(_http_url)]
WholeNumber = Annotated[int, BeforeValidator(_whole_number)]
