"""Forms in GET /v1/docs that call the service with a test key, and the page with its response.

The service makes the call itself, so the pages need no script. Only test keys are accepted: they
cost nothing, and a live key does not belong in a form. No cookie is involved, so that another site
can make a browser send nothing that it does not know itself.
"""

import json
from collections.abc import Mapping
from contextvars import copy_context
from functools import cache
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, current_app, g, make_response, render_template, request
from markupsafe import Markup
from werkzeug.test import TestResponse

from app.api import admission, docs, reference
from app.api.errors import STATUS
from app.api.openapi.document import document
from app.api.requests import services
from app.core.addresses import client_network, origin_host
from app.core.credentials import SANDBOX_KEY_PREFIX
from app.core.errors import NotFound, RateLimited, ServiceError, ValidationFailed
from app.core.schemas.json_body import MAX_BODY_BYTES

blueprint = Blueprint("try_it", __name__)

_PER_MINUTE = 30


@blueprint.post("/docs/try/<operation_id>")
def try_it(operation_id: str) -> Response:
    """Call an operation with the values of a form; return the page with the response."""
    operation = _operation(operation_id)
    sent: Mapping[str, str] = {}
    answer, problem, status = None, "", 200
    try:
        _limit()
        sent = _form()
        answer = _call(operation, sent)
    except ServiceError as error:
        g.problem = error.code
        problem, status = error.message, STATUS[error.code]
    page = render_template(
        "try_it.html",
        each=operation,
        values=sent,
        answer=answer,
        body=answer and json.dumps(answer.json, indent=2, ensure_ascii=False),
        problem=problem,
        style=Markup(docs.STYLE),  # noqa: S704 - a trusted file
    )
    response = docs.protected(make_response(page, status))
    response.headers["Cache-Control"] = "no-store"
    return response


def _operation(operation_id: str) -> dict[str, Any]:
    operation = _operations().get(operation_id)
    if operation is None:
        raise NotFound("There is nothing at this path.")
    return operation


@cache
def _operations() -> Mapping[str, dict[str, Any]]:
    """Return the operations with a key by their ids."""
    described = reference.operations(document(), "")
    return {each["operationId"]: each for each in described if each["keyed"]}


def _limit() -> None:
    network = client_network(request.remote_addr)
    allowance = services().context.limiter.hit(f"try:{network}", _PER_MINUTE, always=True)
    if not allowance.allowed:
        seconds = allowance.reset_seconds
        raise RateLimited(f"Too many tries. Try again in {seconds} s.", retry_after=seconds)


def _form() -> Mapping[str, str]:
    origin = request.headers.get("Origin")
    length = request.content_length or 0
    if length > MAX_BODY_BYTES:
        raise ValidationFailed(f"The form must have at most {MAX_BODY_BYTES} bytes.")
    if origin is not None and origin_host(origin) != request.host:
        raise ValidationFailed("The form was sent by a page of another site.")
    if len(request.get_data()) < length:
        raise ValidationFailed("The form did not arrive completely. Send it again.")
    return request.form


def _call(operation: Mapping[str, Any], sent: Mapping[str, str]) -> TestResponse:
    key = sent.get("key", "").strip()
    if not key.startswith(SANDBOX_KEY_PREFIX):
        raise ValidationFailed(
            f"Only test keys work here: they start with {SANDBOX_KEY_PREFIX} and cost nothing."
            " Do not enter a live key into a form."
        )
    if not (key.isascii() and key.isprintable()):
        raise ValidationFailed("The key has characters that no key has. Copy it again.")
    path = operation["path"]
    for each in operation["parameters"]:
        if each["in"] == "path":
            value = sent.get(each["name"], "").strip()
            if not value:
                raise ValidationFailed(f"{each['name']} is missing.")
            path = path.replace(f"{{{each['name']}}}", quote(value, safe=""))
    # Browsers send line breaks as CRLF.
    body = sent.get("body", "").replace("\r\n", "\n") if operation["request"] else None
    # In a context of its own: the call is a request within this one.
    return copy_context().run(
        current_app.test_client(use_cookies=False).open,
        path,
        method=operation["method"],
        headers={"Authorization": f"Bearer {key}"},
        data=body,
        content_type=None if body is None else "application/json",
        # It has the sender's address, and waits for what it would wait for without the form.
        environ_base={
            "REMOTE_ADDR": request.remote_addr or "",
            admission.ENVIRON_KEY: admission.call(),
        },
    )
