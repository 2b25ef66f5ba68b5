"""What views ask of a request, and what they answer."""

import re
from typing import Any, NoReturn

from flask import Response, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from app.api import admission
from app.api.hooks import SAFE_ID
from app.container import services
from app.core.errors import PayloadTooLarge, UnsupportedMediaType
from app.core.schemas.api_model import ApiModel
from app.core.schemas.idempotency import fingerprint, key_of
from app.core.schemas.json_body import MAX_BODY_BYTES, decode
from app.core.schemas.unknown_members import unknown_members
from app.services.idempotency import Key
from app.settings import DEFAULT_PUBLIC_URL

_HOST = re.compile(r"(?:[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_MOST_IGNORED = 10


def public_address() -> str:
    """Return the public address of the service; if none is set, that of this request, so that
    examples and links lead to the same service."""
    if public_url := services().settings.public_url:
        return public_url
    if _HOST.fullmatch(request.host):
        return f"{request.scheme}://{request.host}"
    return DEFAULT_PUBLIC_URL


def idempotency_key(endpoint: str, body: Any, **members: Any) -> Key | None:
    """Return the request's idempotency key. ``members`` are the fields of the body it may be in."""
    name = key_of(request.headers.get("Idempotency-Key"), **members)
    if name is None:
        return None
    return Key(g.caller.account_id, endpoint, name, fingerprint(body))


def answer(body: str, *, replayed: bool, status: int = 200) -> Response:
    """Return a JSON response, marked if it replays that of an earlier call with the same key."""
    g.replayed = replayed
    return Response(body, status=status, mimetype="application/json")


def json_body(*, of_any_type: bool = False) -> Any:
    """Return the decoded body; ``of_any_type`` does not look at its Content-Type.

    Raises:
        PayloadTooLarge: over 64 KiB.
        UnsupportedMediaType: not sent as JSON, or not in UTF-8, or compressed.
        ValidationFailed: not UTF-8, not JSON, nested too deeply, or a member is given twice.
    """
    if request.content_length is not None and request.content_length > MAX_BODY_BYTES:
        _too_large()
    is_json = of_any_type or request.mimetype == "application/json"
    if not is_json and not request.mimetype.endswith("+json"):
        sent = f"; it was sent as {request.mimetype}" if request.mimetype else ""
        raise UnsupportedMediaType(
            f"The body must be JSON with the header Content-Type: application/json{sent}."
        )
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if charset not in {"utf-8", "utf8", "us-ascii"}:
        raise UnsupportedMediaType(f"The body must be encoded in UTF-8; it is in {charset[:40]}.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("The body must be sent uncompressed, without Content-Encoding.")
    refusal = admission.call().refusal
    if refusal is not None:
        raise refusal
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        _too_large()
    if len(raw) > MAX_BODY_BYTES:
        _too_large()
    return decode(raw)


def name_ignored(model: type[ApiModel], body: Any) -> None:
    """Name the members of the body that nothing reads, in the log and in the response's header
    Copydesk-Ignored: at most 10, and none with signs that a header cannot have."""
    paths = [path for path, _ in unknown_members(model, body) if SAFE_ID.fullmatch(path)]
    if paths:
        g.ignored = ", ".join(paths[:_MOST_IGNORED])


def _too_large() -> NoReturn:
    details = {"maxAllowed": MAX_BODY_BYTES}
    if request.content_length is not None:  # unknown if the body came in chunks
        details["received"] = request.content_length
    raise PayloadTooLarge(f"The body must be at most {MAX_BODY_BYTES} bytes.", details)
