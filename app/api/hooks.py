"""What happens before and after each view: request ids, response headers, the access log.

The members of ``flask.g``, each from when it is known:

    request_id, began        the request: its id, and when it arrived
    caller                   who calls an endpoint that needs an API key
    replayed, ignored        the response: whether it repeats one, and what nothing has read
    problem                  what the access log says of an error
    operator, form           the console: who is signed in, and what was sent
    is_untried               the console: whether a call with new settings failed
    secret, feed_id, csrf    a link to a review: its secret, its feed, and the secret of its forms
"""

import logging
import re
import secrets
import time
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from flask import Response, g, request
from sqlalchemy.exc import SQLAlchemyError

from app.api import admission
from app.container import services
from app.core.billing.metering import next_midnight
from app.core.errors import NotFound, ValidationFailed
from app.logs import note
from app.metrics import count_request
from app.services.usage import used_today
from app.store.accounts import Caller

access = logging.getLogger("app.access")

UNKNOWN_TOKEN = "unknown token"  # noqa: S105 - what the log says
_GUESSES = frozenset({"UNAUTHORIZED", UNKNOWN_TOKEN})
_DAY_SECONDS = 86_400
SAFE_ID = re.compile(r"[A-Za-z0-9._:\-]{1,128}")
# Anybody can send a query, and reading thousands of fields takes time.
_MAX_QUERY_BYTES = 4096


def tag_request() -> None:
    """Give the request an id. Its X-Request-ID is only logged beside it: posts and their costs are
    looked up by ids, and a caller could choose that of another's post.

    Raises:
        NotFound, ValidationFailed: the path or the query has a NUL, which databases reject.
        ValidationFailed: the query is too long.
    """
    # Random, as nothing sorts requests by their ids.
    g.request_id = f"req_{secrets.token_hex(13).upper()}"
    g.began = admission.call().began
    given = request.view_args or {}
    named = {
        "item": given.get("item_id"),
        "job": given.get("job_id"),
        "reference": request.headers.get("X-Request-ID"),
    }
    # Anything that does not look like an id must not be logged.
    ids = {name: value for name, value in named.items() if value and SAFE_ID.fullmatch(value)}
    note(request=g.request_id, **ids)
    if "\0" in request.path:
        raise NotFound("There is nothing at this path.")
    if len(request.query_string) > _MAX_QUERY_BYTES:
        raise ValidationFailed(
            f"The query must have at most {_MAX_QUERY_BYTES:,} bytes.", {"field": ""}
        )
    if request.query_string:
        for name, value in request.args.items(multi=True):
            if "\0" in name + value:
                problem = "The query must not contain NUL characters."
                raise ValidationFailed(problem, {"field": name})


def finish(response: Response) -> Response:
    """Add what each response has in its headers, then log and count it."""
    known = g._get_current_object()
    if "began" not in known:
        return response
    headers = response.headers
    headers["X-Request-ID"] = known.request_id
    if response.status_code >= HTTPStatus.MULTIPLE_CHOICES:
        # Errors and redirects name the address of the request, which is what its sender says.
        headers.setdefault("Cache-Control", "no-store")
    if "ignored" in known:
        headers["Copydesk-Ignored"] = known.ignored
    if known.get("replayed"):
        headers["Idempotent-Replayed"] = "true"
    if "caller" in known:
        _add_rate_limits(response, known.caller)
    _log_access(response, known)
    return response


def _log_access(response: Response, known: Any) -> None:
    """Log one line per request, without the path (it can contain a secret) and the query."""
    problem: str | None = known.get("problem")
    method, status, rule = request.method[:20], response.status_code, request.url_rule
    route = rule.rule if rule else "unknown"
    seconds = time.monotonic() - known.began
    seen = {
        "method": method,
        "route": route,
        "status": status,
        "milliseconds": round(1000 * seconds),
    }
    if problem is not None:
        seen["problem"] = problem
    if "ignored" in known:
        seen["ignored"] = known.ignored
    # Guessed keys and tokens show at every log level except error; each page of the console loads
    # several files, which would hide the rest.
    level = logging.DEBUG if route.endswith("<path:filename>") else logging.INFO
    access.log(
        logging.WARNING if problem in _GUESSES else level,
        "%(method)s %(route)s %(status)d%(why)s %(milliseconds)d ms",
        {**seen, "why": f" {problem}" if problem else ""},
        extra=seen,
    )
    count_request(method, route, status, problem, seconds)


def _add_rate_limits(response: Response, caller: Caller) -> None:
    """Add the limits of draft-ietf-httpapi-ratelimit-headers: requests that start work per minute
    for the account, and per day for the key."""
    context = services().context
    used = caller.used_today
    if request.method != "GET" and not g.get("replayed"):
        with suppress(SQLAlchemyError):  # the response must not become an error
            used = used_today(context, caller)
    minute = context.limiter.look(caller.account_id, caller.plan.requests_per_minute)
    daily = caller.plan.requests_per_day
    now = context.clock.now()
    resets = int((next_midnight(now) - now).total_seconds())
    response.headers["RateLimit-Policy"] = (
        f'"minute";q={minute.limit};w=60, "day";q={daily};w={_DAY_SECONDS}'
    )
    response.headers["RateLimit"] = (
        f'"minute";r={minute.remaining};t={minute.reset_seconds},'
        f' "day";r={max(0, daily - used)};t={resets}'
    )
