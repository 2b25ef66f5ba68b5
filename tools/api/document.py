"""The OpenAPI 3.1 document: openapi.toml with the models' schemas, the errors and the examples."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from app.api.errors import ERRORS
from app.rules.table import RULE_NAMES
from tools.api import examples
from tools.api.schemas import component_schemas

_FOLDER = Path(__file__).parent
_EXPANDED = frozenset({"parameters", "requestBody", "headers", "errors", "responses"})


@cache
def as_json() -> str:
    """Return the document as it is committed and served.

    Not escaped to ASCII: tools that read JSON as YAML reject the escapes of astral characters.
    """
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


@cache
def document() -> dict[str, Any]:
    """Return the document. It takes half a second to make the first time."""
    source = tomllib.loads(_FOLDER.joinpath("openapi.toml").read_text("utf-8"))
    info = source["info"]
    introduction = _FOLDER.joinpath(info["description"]).read_text("utf-8")
    paths: dict[str, Any] = {}
    for route, operation in source["operations"].items():
        method, path = route.split()
        paths.setdefault(path, {})[method.lower()] = _operation(operation, source)
    return {
        "openapi": source["openapi"],
        "info": {**info, "description": introduction.format(errors=_error_table())},
        "servers": source["servers"],
        "security": source["security"],
        "tags": source["tags"],
        "paths": paths,
        "webhooks": {
            name: {"post": {**event, **source["event"], "requestBody": _body(event["requestBody"])}}
            for name, event in source["events"].items()
        },
        "components": {
            "securitySchemes": source["securitySchemes"],
            "parameters": source["parameters"],
            "headers": source["headers"],
            "schemas": _schemas(source["findings"]),
        },
    }


def _schemas(findings: dict[str, Any]) -> dict[str, Any]:
    """Return the models' schemas with what the models do not know: the codes and the checks."""
    schemas = component_schemas()
    findings["items"]["properties"]["check"]["enum"] = list(RULE_NAMES)
    members = schemas["Error"]["properties"]
    members["code"]["enum"] = list(ERRORS)
    members["details"]["properties"] = {"findings": findings}
    return schemas


def _error_table() -> str:
    rows = []
    for code, error in ERRORS.items():
        shown = f'<a id="{code}"></a>`{code}`'
        rows.append(f"| {error['status']} | {shown} | {error['when']} | {error['retry']} |")
    return "\n".join(["| status | code | when | retry |", "|---|---|---|---|", *rows])


def _operation(operation: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, Any]:
    described = {name: value for name, value in operation.items() if name not in _EXPANDED}
    if "parameters" in operation:
        described["parameters"] = [
            {"$ref": f"#/components/parameters/{name}"} for name in operation["parameters"]
        ]
    if "requestBody" in operation:
        described["requestBody"] = _body(operation["requestBody"])
    responses = {
        status: _response(response, operation["headers"])
        for status, response in operation["responses"].items()
    }
    errors: dict[str, dict[str, Any]] = {}
    for code, error in ERRORS.items():
        if code in operation["errors"]:
            limited = "Feed" in operation["tags"] and code == "RATE_LIMITED"
            found = {**error, **source["unknown_tokens"]} if limited else error
            errors.setdefault(str(error["status"]), {})[code] = found
    for status, shared in errors.items():
        responses[status] = _error_response(shared, operation["headers"], source["headers"])
    return {**described, "responses": dict(sorted(responses.items()))}


def _response(response: Mapping[str, Any], headers: Sequence[str]) -> dict[str, Any]:
    links = {"links": response["links"]} if "links" in response else {}
    return {
        "description": response["description"],
        "headers": _headers("X-Request-ID", *headers, *response.get("headers", ())),
        "content": _content(response),
        **links,
    }


def _body(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"required": body.get("required", True), "content": _content(body)}


def _content(message: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: getattr(examples, constant) for name, constant in message["examples"].items()}
    return _json_content(message["schema"], found)


def _json_content(schema: str | list[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a message; several schemas are alternatives."""
    names = [schema] if isinstance(schema, str) else schema
    choices = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    return {
        "application/json": {
            "schema": choices[0] if len(choices) == 1 else {"oneOf": choices},
            "examples": {name: {"value": value} for name, value in values.items()},
        }
    }


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _error_response(
    errors: Mapping[str, Any], operation_headers: Sequence[str], headers: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the response for the errors of one status."""
    sent = {
        *operation_headers,
        *(name for error in errors.values() for name in error.get("headers", ())),
    }
    return {
        "description": " ".join(f"`{code}`: {error['when']}" for code, error in errors.items()),
        "headers": _headers("X-Request-ID", *filter(sent.__contains__, headers)),
        "content": _json_content(
            "ErrorBody", {code: _error(code, error) for code, error in errors.items()}
        ),
    }


def _error(code: str, error: Mapping[str, Any]) -> dict[str, Any]:
    details = {"details": error["details"]} if "details" in error else {}
    return {
        "error": {"code": code, "message": error["message"], **details},
        "requestId": examples.REQUEST_ID,
        "documentation": f"https://example.com/v1/docs#{code}",
    }
