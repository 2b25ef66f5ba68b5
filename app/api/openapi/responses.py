"""Answers: their headers, their bodies, and the errors of several operations."""

from collections.abc import Mapping
from typing import Any

from app.api.openapi.errors import ERRORS, ErrorAnswer
from app.api.openapi.schemas import reference
from app.core.error_body import ErrorBody


def _header(description: str, example: str, **schema: Any) -> dict[str, Any]:
    return {
        "description": description,
        "required": True,
        "schema": {"type": "string", **schema},
        "example": example,
    }


HEADERS = {
    "X-Request-ID": _header(
        "Names this request in our logs: yours where you sent a usable one, else ours.",
        "req_01JD3ZK8Q6WX0V5T2N4M7R9A1B",
        pattern="^[A-Za-z0-9._:-]{1,128}$",
    ),
    "RateLimit-Policy": _header(
        "The plan's limits for requests that start work: in a minute by account, in a day by API"
        " key (draft-ietf-httpapi-ratelimit-headers).",
        '"minute";q=60;w=60, "day";q=500;w=86400',
    ),
    "RateLimit": _header(
        "What is left of each limit, and in how many seconds there is more.",
        '"minute";r=59;t=1, "day";r=412;t=30511',
    ),
    "Retry-After": _header(
        "In how many seconds the same request may succeed.", "5", pattern="^[0-9]+$"
    ),
    "WWW-Authenticate": _header("How to authenticate.", 'Bearer realm="copydesk"'),
    "Cache-Control": _header("A pull is for its caller alone.", "no-store", const="no-store"),
    "x-should-retry": _header("Asking again by itself will not help.", "false", const="false"),
    "Idempotent-Replayed": {
        **_header("This is the answer of an earlier request.", "true", const="true"),
        "required": False,
    },
}
# On every answer to a request whose API key was recognised.
RATE_HEADERS = ("RateLimit-Policy", "RateLimit")


def header_references(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def answer(
    description: str, schema: Mapping[str, Any], examples: Mapping[str, Any], *headers: str
) -> dict[str, Any]:
    """A response with a JSON body; every one has an X-Request-ID."""
    return {
        "description": description,
        "headers": header_references("X-Request-ID", *headers),
        "content": {
            "application/json": {
                "schema": schema,
                "examples": {name: {"value": value} for name, value in examples.items()},
            }
        },
    }


def error_answers(*codes: str, headers: tuple[str, ...] = ()) -> dict[str, Any]:
    """The responses of these errors, by status.

    ``headers`` are those of the operation; some of them come with some errors alone. Where errors
    share a status, a header that not all of them have is optional.
    """
    errors = [error for error in ERRORS if error.code in codes]
    by_status: dict[str, list[ErrorAnswer]] = {}
    for error in errors:
        by_status.setdefault(str(error.status), []).append(error)
    return {status: _error_answer(shared, headers) for status, shared in by_status.items()}


def _error_answer(errors: list[ErrorAnswer], headers: tuple[str, ...]) -> dict[str, Any]:
    response = answer(
        " ".join(f"`{error.code}`: {error.when}" for error in errors),
        reference(ErrorBody),
        {error.code: error.body for error in errors},
    )
    for name, header in HEADERS.items():
        when = {_comes_with(name, error, headers) for error in errors}
        if when == {"yes"}:
            response["headers"] |= header_references(name)
        elif when != {"no"}:
            response["headers"][name] = {**header, "required": False}
    return response


def _comes_with(header: str, error: ErrorAnswer, headers: tuple[str, ...]) -> str:
    """Whether an error of an operation with these headers has this one: yes, no or perhaps."""
    if header not in headers:
        return "yes" if header in error.headers else "no"
    if header in RATE_HEADERS:
        return error.known_caller
    if header == "Idempotent-Replayed":
        return "perhaps" if error.repeatable else "no"
    return "yes"
