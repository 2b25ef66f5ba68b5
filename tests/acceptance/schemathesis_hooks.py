"""What schemathesis loads beside the document: a check of ours, and how valid requests are mended.

A JSON Schema cannot say all that makes a request valid. Those meant to be valid are changed by the
rules that the document tells in words, and made short: how long a post is makes no difference to
its shape. Requests meant to be invalid are left alone.
"""

import json
from typing import Any
from uuid import uuid4

import jsonschema_rs
import schemathesis
from schemathesis import Case, CheckContext, HookContext, Response

_MOST_WORDS = 150
_KEY = "Idempotency-Key"
_PLAIN = {
    "language": "en",
    "region": "US",
    "targetUrl": "https://example.com/tea",
    **dict.fromkeys(("topic", "targetAudience", "brandVoice", "industry", "title"), "Tea for two"),
    "clientProvidedRequestId": "order-1",
}
_validators: dict[str, jsonschema_rs.Draft202012Validator] = {}


@schemathesis.hook
def before_call(_context: HookContext, case: Case, _kwargs: dict[str, Any]) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    operation = case.operation.definition.raw.get("operationId")
    if isinstance(case.body, dict) and operation in {"generate", "createJob"}:
        body = case.body
        job = operation == "createJob"
        request = body["generateRequest"] if job else body
        _shorten(request)
        _make_keys_new(case, *([body, request] if job else [body]))
        if job and body.get("webhook"):
            body["webhook"]["url"] = "https://example.com/hooks"
    if isinstance(case.body, dict):
        _make_texts_plain(case.body.get("generateRequest", case.body))


def _shorten(request: dict[str, Any]) -> None:
    """minWords is far enough below maxWords, and that is enough for FAQs and within the plan."""
    limits = request["constraints"] = dict(request.get("constraints") or {})
    limits["maxWords"] = _MOST_WORDS
    if limits.get("minWords"):
        limits["minWords"] = min(limits["minWords"], _MOST_WORDS - 50)


def _make_texts_plain(request: dict[str, Any]) -> None:
    """Texts have the characters, codes and addresses that the document asks for in words."""
    for name, plain in _PLAIN.items():
        if request.get(name) is not None:
            request[name] = plain
    if request.get("keywords"):
        request["keywords"] = [f"tea {number}" for number in range(len(request["keywords"]))]


def _make_keys_new(case: Case, *holders: dict[str, Any]) -> None:
    """Each piece of work has a key of its own, in one place."""
    given = [holder for holder in holders if holder.pop("idempotencyKey", None)]
    if case.headers.pop(_KEY, None):
        case.headers[_KEY] = str(uuid4())
    elif given:
        given[0]["idempotencyKey"] = str(uuid4())


@schemathesis.check
def no_undocumented_member(_context: CheckContext, response: Response, case: Case) -> None:
    """The document lets answers grow, so that clients expect it; this version's hold no more."""
    described = case.operation.schema.raw_schema
    operation = described["paths"][case.operation.path][case.operation.method.lower()]
    documented = operation["responses"].get(str(response.status_code))
    if documented is None or case.method != case.operation.method.upper():
        return
    schema = documented["content"]["application/json"]["schema"]
    name = json.dumps(schema, sort_keys=True)
    if name not in _validators:
        components = _closed(described["components"])
        _validators[name] = jsonschema_rs.Draft202012Validator({**schema, "components": components})
    error = next(_validators[name].iter_errors(response.json()), None)
    assert error is None, error


def _closed(node: Any) -> Any:
    """The same schemas, in which an object has no members but those that are named."""
    if isinstance(node, list):
        return [_closed(child) for child in node]
    if not isinstance(node, dict):
        return node
    closed = {key: _closed(child) for key, child in node.items()}
    if node.get("type") == "object" and "properties" in node:
        closed.setdefault("additionalProperties", False)
    return closed
