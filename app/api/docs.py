"""The API reference: GET /v1/openapi.json, and GET /v1/docs as one page without scripts.

Its forms are in ``app.api.try_it``.
"""

import base64
import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Response, render_template, request
from markdown import Markdown
from markupsafe import Markup

from app.api.openapi.document import as_json, document
from app.api.requests import services
from app.api.schema_words import fields, in_words
from app.settings import DEFAULT_PUBLIC_URL

blueprint = Blueprint("docs", __name__, template_folder="templates")

# A placeholder for the service's address: the page is rendered once for all addresses.
_BASE_URL = "https://copydesk.invalid"
_HOST = re.compile(r"(?:[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_EXTENSIONS = ("tables", "fenced_code", "sane_lists", "toc")
STYLE = Path(__file__).parent.joinpath("templates", "docs.css").read_text("utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)


@blueprint.get("/openapi.json")
def get_openapi() -> Response:
    response = Response(as_json(), mimetype="application/json")
    # Browser-based tools of other origins can read it. It contains nothing private.
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cache-Control"] = "max-age=300"
    return response


@blueprint.get("/docs")
def get_docs() -> Response:
    public_url = services().settings.public_url
    page = _page().replace(_BASE_URL, public_url or _own_address())
    response = protected(Response(page, mimetype="text/html"))
    # The address of a request is what its sender says: no cache may show it to others.
    response.headers["Cache-Control"] = "max-age=300" if public_url else "no-store"
    return response


def prepare(app: Flask) -> None:
    """Make the page, which takes a second, before the first request for it."""
    with app.test_request_context():
        _page()


def protected(response: Response) -> Response:
    """Return a page with the headers that keep scripts and other sites out of it."""
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def _own_address() -> str:
    """Return the address of this request, so that the examples call the same service."""
    if _HOST.fullmatch(request.host):
        return f"{request.scheme}://{request.host}"
    return DEFAULT_PUBLIC_URL


@cache
def _page() -> str:
    described = document()
    shapes = described["components"]["schemas"]
    headings, introduction = _with_headings(described["info"]["description"])
    return render_template(
        "docs.html",
        info=described["info"],
        introduction=introduction,
        headings=headings,
        style=Markup(STYLE),  # noqa: S704 - a trusted file
        base_url=_BASE_URL,
        tags=described["tags"],
        operations=list(operations(described, _BASE_URL)),
        events=[
            {"name": name, **event["post"], **with_examples(event["post"]["requestBody"])}
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


def _with_headings(text: str) -> tuple[list[dict[str, str]], Markup]:
    """Return the headings of a trusted Markdown text, each with its id, and its HTML."""
    converter = Markdown(extensions=_EXTENSIONS)
    html = _scrollable(converter.convert(text))
    return list(_flat(converter.toc_tokens)), html  # type: ignore[attr-defined]


def _flat(tokens: Iterable[dict[str, Any]]) -> Iterator[dict[str, str]]:
    for token in tokens:
        yield {"id": token["id"], "name": token["name"]}
        yield from _flat(token["children"])


def _html(text: str) -> Markup:
    """Convert trusted Markdown to HTML."""
    return _scrollable(Markdown(extensions=_EXTENSIONS).convert(text))


def _scrollable(html: str) -> Markup:
    """Return HTML whose scrollable parts can be reached by keyboard."""
    for name in ("pre", "table"):
        html = html.replace(f"<{name}>", f'<{name} tabindex="0">')
    return Markup(html)  # noqa: S704 - trusted


def operations(described: Mapping[str, Any], base_url: str) -> Iterator[dict[str, Any]]:
    """Yield each operation of the document with its parameters, bodies and a curl command."""
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
                        **with_examples(answer),
                        "headers": list(answer["headers"]),
                    }
                    for status, answer in operation["responses"].items()
                ],
            }


def _request(described: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    bodies = with_examples(request)
    shapes = described["components"]["schemas"]
    return {**bodies, "fields": fields(_found(described, bodies["schema"]), shapes)}


def _found(described: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the node, or the component it refers to."""
    if "$ref" not in node:
        return node
    _, _, group, name = node["$ref"].split("/")
    found: Mapping[str, Any] = described["components"][group][name]
    return found


def with_examples(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a message's JSON body, and its examples as text."""
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
    """Return a curl command; variables such as $COPYDESK_API_KEY stand for the reader's values."""
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
            f"-d {shlex.quote(json.dumps(first, ensure_ascii=False))}",
        ]
    return " \\\n  ".join(parts)
