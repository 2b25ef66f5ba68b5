"""The rate headers of every authenticated answer (draft-ietf-httpapi-ratelimit-headers).

Two policies, the plan's: requests that start work in a minute, and in a day by one key.
"""

from flask import Response, g, request
from sqlalchemy.exc import SQLAlchemyError

from app.core.metering import next_midnight
from app.ports import Clock
from app.services.usage import used_today
from app.store.accounts import Caller
from app.wiring import ports

_DAY_SECONDS = 86_400


def tag_limits(response: Response) -> Response:
    """Say what is allowed and what is left; also that an answer is a repetition."""
    if g.get("replayed"):
        response.headers["Idempotent-Replayed"] = "true"
    caller: Caller | None = g.get("caller")
    if caller is None:
        return response
    wired = ports()
    minute = wired.limiter.look(caller.account_id, caller.plan.requests_per_minute)
    used = _used(caller, wired.clock)
    left, resets = max(0, caller.plan.requests_per_day - used), _until_midnight(wired.clock)
    response.headers["RateLimit-Policy"] = (
        f'"minute";q={minute.limit};w=60, "day";q={caller.plan.requests_per_day};w={_DAY_SECONDS}'
    )
    response.headers["RateLimit"] = (
        f'"minute";r={minute.remaining};t={minute.reset_seconds}, "day";r={left};t={resets}'
    )
    return response


def _used(caller: Caller, clock: Clock) -> int:
    """What was read with the key still holds where no work was begun."""
    if request.method == "GET" or g.get("replayed"):
        return caller.used_today
    try:
        return used_today(caller, clock)
    except SQLAlchemyError:  # the answer that was found must not become another one
        return caller.used_today


def _until_midnight(clock: Clock) -> int:
    now = clock.now()
    return int((next_midnight(now) - now).total_seconds())
