"""GET /v1/docs: the document as one page for people, without scripts or outside assets."""

import base64
import hashlib
import json
import shlex
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, render_template
from markdown import Markdown
from markupsafe import Markup

from app.api.openapi.document import document
from app.api.schema_words import fields, in_words
from app.wiring import ports

blueprint = Blueprint("docs", __name__, template_folder="templates")

_MARKDOWN = ["tables", "fenced_code"]
_STYLE = Path(__file__).parent.joinpath("templates", "docs.css").read_text("utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)


@blueprint.get("/v1/docs")
def get_docs() -> Response:
    response = Response(_page(ports().settings.public_url), mimetype="text/html")
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "max-age=300"
    return response


@cache
def _page(base_url: str) -> str:
    described = document()
    shapes = described["components"]["schemas"]
    converter = Markdown(extensions=[*_MARKDOWN, "toc"])
    introduction = _html(described["info"]["description"], converter)
    return render_template(
        "docs.html",
        info=described["info"],
        introduction=introduction,
        headings=converter.toc_tokens,  # type: ignore[attr-defined]
        style=Markup(_STYLE),  # noqa: S704 - a file of ours
        base_url=base_url,
        tags=described["tags"],
        operations=list(_operations(described, base_url)),
        events=[
            {"name": name, **event["post"], **_bodies(event["post"]["requestBody"])}
            for name, event in described["webhooks"].items()
        ],
        shapes=[
            {"name": name, "schema": schema, "fields": fields(schema, shapes)}
            for name, schema in shapes.items()
            if "enum" not in schema
        ],
        html=_html,
        in_words=partial(in_words, shapes=shapes),
    )


def _html(text: str, converter: Markdown | None = None) -> Markup:
    """Markdown of the document, which is ours, as HTML; what can be scrolled can be by keyboard."""
    converted = (converter or Markdown(extensions=_MARKDOWN)).convert(text)
    for name in ("pre", "table"):
        converted = converted.replace(f"<{name}>", f'<{name} tabindex="0">')
    return Markup(converted)  # noqa: S704


def _operations(described: Mapping[str, Any], base_url: str) -> Iterator[dict[str, Any]]:
    for path, item in described["paths"].items():
        for method, operation in item.items():
            parameters = [_found(described, each) for each in operation.get("parameters", [])]
            request = operation.get("requestBody")
            yield {
                **operation,
                "path": path,
                "method": method.upper(),
                "keyed": "security" not in operation,
                "parameters": parameters,
                "request": _request(described, request) if request else None,
                "curl": _curl(base_url, path, method, operation, parameters),
                "answers": [
                    {
                        "status": status,
                        "description": answer["description"],
                        **_bodies(answer),
                        "headers": list(answer["headers"]),
                    }
                    for status, answer in operation["responses"].items()
                ],
            }


def _request(described: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    bodies = _bodies(request)
    shapes = described["components"]["schemas"]
    return {**bodies, "fields": fields(_found(described, bodies["schema"]), shapes)}


def _found(described: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The node itself, or what it refers to."""
    if "$ref" not in node:
        return node
    _, _, group, name = node["$ref"].split("/")
    found: Mapping[str, Any] = described["components"][group][name]
    return found


def _bodies(message: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a message's JSON body, and its examples as text."""
    content = message["content"]["application/json"]
    return {
        "schema": content["schema"],
        "examples": {
            name: json.dumps(example["value"], indent=2, ensure_ascii=False)
            for name, example in content["examples"].items()
        },
    }


def _curl(
    base_url: str,
    path: str,
    method: str,
    operation: Mapping[str, Any],
    parameters: list[Mapping[str, Any]],
) -> str:
    """A call for a shell: $COPYDESK_API_KEY and the like stand for what is the reader's own."""
    for each in parameters:
        if each["in"] == "path":
            path = path.replace(f"{{{each['name']}}}", f"${each['name'].upper()}")
    parts = [f'curl "{base_url}{path}"' if method == "get" else f'curl -X POST "{base_url}{path}"']
    if "security" not in operation:
        parts.append('-H "Authorization: Bearer $COPYDESK_API_KEY"')
    if "requestBody" in operation:
        examples = operation["requestBody"]["content"]["application/json"]["examples"]
        first = next(iter(examples.values()))["value"]
        parts += [
            '-H "Content-Type: application/json"',
            '-H "Idempotency-Key: $(uuidgen)"',
            f"-d {shlex.quote(json.dumps(first, ensure_ascii=False))}",
        ]
    return " \\\n  ".join(parts)
