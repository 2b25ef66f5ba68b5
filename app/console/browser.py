"""What a browser sends and gets: the session's cookie, forms, security headers."""

import hmac
from typing import Any

from flask import Response, g, redirect, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge

from app.container import services
from app.core.addresses import client_network, origin_host
from app.core.errors import Forbidden, ValidationFailed
from app.core.schemas.json_body import MAX_BODY_BYTES
from app.services.context import Context
from app.services.sign_in import SESSION_LASTS, SignedIn, signed_in

COOKIE = "copydesk_session"
CSRF = "csrf"
# A list has 50 rows. Strangers can send forms, too, and reading thousands of fields takes time.
_MOST_FIELDS = 200
_OUT_OF_DATE = "This form is out of date. Open the page again, and send it once more."
_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def context() -> Context:
    """Return what the services of the current application work with."""
    return services().context


def network() -> str:
    """Return the network that the request comes from."""
    return client_network(request.remote_addr)


def address() -> str:
    """Return the address of the service, as people are told it."""
    return services().settings.public_url or request.host_url.rstrip("/")


def model_problem() -> str:
    """Return what is wrong with the model; "" if it is well."""
    _, reasons = services().health()
    return reasons.get("model", "")


def operator() -> SignedIn | None:
    """Return who is signed in with the request's cookie; None if nobody."""
    if "operator" not in g:
        secret = request.cookies.get(COOKIE, "")
        g.operator = signed_in(context(), secret) if secret else None
    found: SignedIn | None = g.operator
    return found


def form(*, may_hide_origin: bool = False) -> MultiDict[str, str]:
    """Return the request's form. A page without a referrer hides its origin.

    Raises:
        Forbidden: a page of another site sent it.
        ValidationFailed: it is incomplete, or contains a NUL, which databases reject.
    """
    origin = request.headers.get("Origin")
    is_hidden = may_hide_origin and origin == "null"
    if origin is not None and not is_hidden and origin_host(origin) != request.host:
        raise Forbidden(_OUT_OF_DATE)
    # A proxy may send a form in chunks. Nothing of such a form is here if it is incomplete.
    expected = request.content_length or int("Transfer-Encoding" in request.headers)
    try:
        arrived = len(request.get_data())
    except RequestEntityTooLarge:
        arrived = MAX_BODY_BYTES + 1
    if max(expected, arrived) > MAX_BODY_BYTES:
        raise ValidationFailed("The form is too long. Shorten the text, and send it once more.")
    if arrived < expected:
        raise ValidationFailed("The form did not arrive completely. Send it again.")
    # That of the framework is for forms in parts.
    request.max_form_parts = _MOST_FIELDS
    is_in_parts = request.mimetype == "multipart/form-data"
    try:
        if not is_in_parts and request.get_data().count(b"&") >= _MOST_FIELDS:
            raise RequestEntityTooLarge
        sent = request.form
    except RequestEntityTooLarge:
        raise ValidationFailed(f"A form has at most {_MOST_FIELDS} fields.") from None
    if any("\0" in name + value for name, value in sent.items(multi=True)):
        raise ValidationFailed("A form must not contain NUL characters.")
    return sent


def form_with(csrf: str, *, may_hide_origin: bool = False) -> MultiDict[str, str]:
    """Return the request's form, which must return the secret of its session or link.

    Raises:
        Forbidden: a page of another site sent it, or it was made for another session.
    """
    sent = form(may_hide_origin=may_hide_origin)
    if not hmac.compare_digest(sent.get(CSRF, "").encode(), csrf.encode()):
        raise Forbidden(_OUT_OF_DATE)
    return sent


def sign_in_with(secret: str, to: str) -> Response:
    """Return a redirect that gives the browser a session."""
    answer = see_other(to)
    answer.set_cookie(
        COOKIE,
        secret,
        max_age=int(SESSION_LASTS.total_seconds()),
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
    return answer


def signed_out(to: str) -> Response:
    """Return a redirect that takes the session from the browser."""
    answer = see_other(to)
    answer.delete_cookie(COOKIE, secure=request.is_secure, httponly=True, samesite="Lax")
    return answer


def see_other(to: str) -> Response:
    """Return a redirect after a form."""
    answer: Any = redirect(to, 303)
    return answer  # type: ignore[no-any-return]


def protect(response: Response) -> Response:
    """Add the headers that keep other sites, scripts and caches out of a page."""
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    return response
