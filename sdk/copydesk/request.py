"""The arguments of ``generate`` and ``jobs.create``."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Literal, Required, TypedDict

from copydesk._wire import camel
from copydesk.errors import ConfigurationError

Tone = Literal["professional", "friendly", "bold"]
KeywordUsage = Literal["natural", "balanced", "exact"]
ResponseType = Literal["json", "markdown", "html"]
Factuality = Literal["standard", "verified"]
# No Sequence: a str would be one of its letters.
Strings = list[str] | tuple[str, ...]


class GenerateRequest(TypedDict, total=False):
    """A dictionary of the arguments of ``generate`` and ``jobs.create``: see
    ``help(copydesk.Copydesk.generate)``.
    """

    keywords: Required[Strings]
    topic: str | None
    language: str | None
    region: str | None
    tone: Tone | None
    target_audience: str | None
    brand_voice: str | None
    industry: str | None
    target_url: str | None
    max_words: int | None
    min_words: int | None
    max_sections: int | None
    include_faqs: bool | None
    include_internal_links_placeholders: bool | None
    keyword_usage_strategy: KeywordUsage | None
    response_types: Sequence[ResponseType] | None
    factuality_mode: Factuality | None
    client_provided_request_id: str | None


_LISTS = {"keywords", "response_types"}
_CONSTRAINTS = {
    "max_words": "maxWords",
    "min_words": "minWords",
    "max_sections": "maxSections",
    "include_faqs": "includeFAQs",
    "include_internal_links_placeholders": "includeInternalLinksPlaceholders",
    "keyword_usage_strategy": "keywordUsageStrategy",
}


_ARGUMENTS = {
    **{_CONSTRAINTS.get(name, camel(name)): name for name in GenerateRequest.__annotations__},
    "idempotencyKey": "idempotency_key",
    "webhook.url": "webhook_url",
    "webhook.events": "webhook_events",
}
_MEMBERS = re.compile(
    r"\b(?:generateRequest\.)?(?:constraints\.|format\.)?"
    rf"({'|'.join(map(re.escape, _ARGUMENTS))})\b"
)


def with_arguments(message: str) -> str:
    """Return a message of the service with the caller's arguments instead of members of JSON."""
    return _MEMBERS.sub(lambda found: _ARGUMENTS[found[1]], message)


def generate_body(request: GenerateRequest, *own: str) -> dict[str, Any]:
    """Return the body of POST /v1/generate.

    Args:
        own: the arguments that the call has beside those of the request, for its errors.

    Raises:
        TypeError: an argument is unknown, or there are no keywords.
        ConfigurationError: a string instead of a list.
    """
    names = [*GenerateRequest.__annotations__, *own]
    for name in request:
        if name not in names:
            close = " or ".join(get_close_matches(name, names))
            told = f"did you mean {close}?" if close else f"there are {', '.join(names)}"
            raise TypeError(f"there is no argument {name!r}; {told}")
    if request.get("keywords") is None:
        raise TypeError("keywords are missing: pass keywords=[...]")
    body: dict[str, Any] = {}
    for name, value in request.items():
        if value is None:
            continue
        if name in _LISTS:
            value = listed(name, value)
        if name == "response_types":
            body["format"] = {"responseTypes": value}
        elif name in _CONSTRAINTS:
            body.setdefault("constraints", {})[_CONSTRAINTS[name]] = value
        else:
            body[camel(name)] = value
    return body


def job_body(request: GenerateRequest) -> dict[str, Any]:
    """Return the body of POST /v1/jobs without webhook and idempotency key."""
    body = generate_body(request, "webhook_url", "webhook_events", "idempotency_key")
    wanted = body.pop("format", {"responseTypes": ["markdown", "html"]})
    return {"generateRequest": body, "format": wanted}


def check_body(
    text: str, title: str | None, language: str | None, keywords: Strings | None
) -> dict[str, Any]:
    """Return the body of POST /v1/check.

    Raises:
        ConfigurationError: a string instead of a list.
    """
    found = None if keywords is None else listed("keywords", keywords)
    given = {"text": text, "title": title, "language": language, "keywords": found}
    return {name: value for name, value in given.items() if value is not None}


def listed(name: str, values: Any) -> list[str]:
    if isinstance(values, str):  # a str is a sequence of str, one for each letter
        raise ConfigurationError(f"{name} must be a list of strings, such as [{values!r}]")
    return list(values)
