"""What valid requests need that a JSON Schema cannot say; schemathesis loads this by itself.

Only requests that were meant to be valid are touched, and only in the rules that the document
tells in words. They are also made short: how long a post is makes no difference to its shape.
"""

from typing import Any
from uuid import uuid4

import schemathesis
from schemathesis import Case, HookContext

_MOST_WORDS = 80
SHORT_POST = {"keywords": ["tea"], "constraints": {"maxWords": _MOST_WORDS}}
_KEY = "Idempotency-Key"


@schemathesis.hook
def before_call(_context: HookContext, case: Case, _kwargs: dict[str, Any]) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if isinstance(case.body, dict):
        body = case.body
        job = case.operation.definition.raw.get("operationId") == "createJob"
        request = body["generateRequest"] if job else body
        _shorten(request)
        _make_keys_new(case, *([body, request] if job else [body]))


def _shorten(request: dict[str, Any]) -> None:
    """minWords is not above maxWords, and neither above the plan."""
    limits = request["constraints"] = dict(request.get("constraints") or {})
    limits["maxWords"] = _MOST_WORDS
    if limits.get("minWords"):
        limits["minWords"] = min(limits["minWords"], _MOST_WORDS)


def _make_keys_new(case: Case, *holders: dict[str, Any]) -> None:
    """Each piece of work has a key of its own, in one place."""
    given = [holder for holder in holders if holder.pop("idempotencyKey", None)]
    if case.headers.pop(_KEY, None):
        case.headers[_KEY] = str(uuid4())
    elif given:
        given[0]["idempotencyKey"] = str(uuid4())
