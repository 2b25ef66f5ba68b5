"""What every endpoint needs of its request: an id, the caller, a JSON body."""

import json
import re
from typing import Any, NoReturn

from flask import Response, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from app.core.errors import NotFound, ServiceError, ValidationFailed
from app.core.idempotency import fingerprint, key_of
from app.services.accounts import authenticate, authenticate_with_key
from app.services.idempotency import Key
from app.store.accounts import Caller
from app.store.ids import new_id
from app.wiring import ports

MAX_BODY_BYTES = 64 * 1024
_MAX_DEPTH = 50
_SAFE_ID = re.compile(r"[A-Za-z0-9._:\-]{1,128}")


class PayloadTooLarge(ServiceError):
    code = "PAYLOAD_TOO_LARGE"


class UnsupportedMediaType(ServiceError):
    code = "UNSUPPORTED_MEDIA_TYPE"


def tag_request() -> None:
    """Give the request an id: its own X-Request-ID where that is safe to log, else a new one.

    Raises:
        NotFound, ValidationFailed: a NUL in the path or the query, which no database can look for.
    """
    given = request.headers.get("X-Request-ID", "")
    g.request_id = given if _SAFE_ID.fullmatch(given) else new_id("req")
    if "\0" in request.path:
        raise NotFound("There is nothing at this path.")
    for name, value in request.args.items(multi=True):
        if "\0" in name + value:
            raise ValidationFailed("The query must not contain NUL characters.", {"field": name})


def tag_response(response: Response) -> Response:
    if "request_id" in g:
        response.headers["X-Request-ID"] = g.request_id
    return response


def caller() -> Caller:
    """Who calls, by the Authorization header."""
    g.caller = authenticate(request.headers.get("Authorization"), ports().clock)
    found: Caller = g.caller
    return found


def caller_with_key(endpoint: str) -> Caller:
    """The same; what became of the key in the header Idempotency-Key is looked up along with it."""
    try:
        name = key_of(request.headers.get("Idempotency-Key"))
    except ValidationFailed:  # ``idempotency_key`` says so: who calls comes first
        name = None
    if name is None:
        return caller()
    g.caller, g.use = authenticate_with_key(
        request.headers.get("Authorization"), ports().clock, endpoint, name
    )
    found: Caller = g.caller
    return found


def idempotency_key(endpoint: str, body: Any, **members: str | None) -> Key | None:
    """The request's idempotency key; ``members`` are the fields of the body that may hold it."""
    name = key_of(request.headers.get("Idempotency-Key"), **members)
    if name is None:
        return None
    return Key(g.caller.account_id, endpoint, name, fingerprint(body), seen=g.get("use"))


def answer(body: str, *, replayed: bool, status: int = 200) -> Response:
    """A JSON answer; one that an earlier call with the same key got says so."""
    g.replayed = replayed
    return Response(body, status=status, mimetype="application/json")


def json_body() -> Any:
    """The decoded body.

    Raises:
        PayloadTooLarge: over 64 KiB.
        UnsupportedMediaType: not sent as JSON, or not in UTF-8, or compressed.
        ValidationFailed: not UTF-8, not JSON, or nested too deeply.
    """
    if request.content_length is not None and request.content_length > MAX_BODY_BYTES:
        _too_large()
    if request.mimetype != "application/json" and not request.mimetype.endswith("+json"):
        sent = f"; it was sent as {request.mimetype}" if request.mimetype else ""
        raise UnsupportedMediaType(
            f"The body must be JSON with the header Content-Type: application/json{sent}."
        )
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if charset not in {"utf-8", "utf8", "us-ascii"}:
        raise UnsupportedMediaType(f"The body must be encoded in UTF-8; it is in {charset[:40]}.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("The body must be sent uncompressed, without Content-Encoding.")
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        _too_large()
    if len(raw) > MAX_BODY_BYTES:
        _too_large()
    try:
        body = _JSON.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValidationFailed(
            f"The body is not UTF-8 (at byte {error.start}).", {"field": ""}
        ) from None
    except json.JSONDecodeError as error:
        raise ValidationFailed(
            f"The body is not valid JSON: {error.msg.lower()} at line {error.lineno},"
            f" column {error.colno}.",
            {"field": "", "line": error.lineno, "column": error.colno},
        ) from None
    except (RecursionError, ValueError) as error:
        raise ValidationFailed(f"The body is not valid JSON: {error}.", {"field": ""}) from None
    if _deeper_than(body, _MAX_DEPTH):
        raise ValidationFailed(f"The body is nested deeper than {_MAX_DEPTH}.", {"field": ""})
    return body


def _too_large() -> NoReturn:
    details = {"maxAllowed": MAX_BODY_BYTES}
    if request.content_length is not None:  # of a body in chunks it is not known
        details["received"] = request.content_length
    raise PayloadTooLarge(f"The body must be at most {MAX_BODY_BYTES} bytes.", details)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_JSON = json.JSONDecoder(parse_constant=_no_constant)


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            child
            for entry in level
            if isinstance(entry, dict | list)
            for child in (entry.values() if isinstance(entry, dict) else entry)
        ]
        if not level:
            return False
    return True
