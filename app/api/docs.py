"""The API reference: GET /v1/openapi.json, and GET /v1/docs as one page without scripts.

`make openapi` writes both into docs/; a wheel has them beside this module.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, render_template
from markdown import Markdown
from markupsafe import Markup

from app.api.requests import public_address
from app.container import services
from app.settings import DEFAULT_PUBLIC_URL

blueprint = Blueprint("docs", __name__, template_folder="templates")

_EXTENSIONS = ("tables", "fenced_code", "sane_lists", "toc")
_STYLE = Path(__file__).parent.joinpath("templates", "docs.css").read_text("utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)


@blueprint.get("/openapi.json")
def get_openapi() -> Response:
    response = Response(_published("openapi.json"), mimetype="application/json")
    # Browser-based tools of other origins can read it. It contains nothing private.
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cache-Control"] = "max-age=300"
    return response


@blueprint.get("/docs")
def get_docs() -> Response:
    page = _page().replace(DEFAULT_PUBLIC_URL, public_address())
    response = Response(page, mimetype="text/html")
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    # The address of a request is what its sender says: no cache may show it to others.
    response.headers["Cache-Control"] = (
        "max-age=300" if services().settings.public_url else "no-store"
    )
    return response


@cache
def _published(name: str) -> str:
    here = Path(__file__)
    file = here.with_name(name)
    if not file.exists():
        file = here.parents[2] / "docs" / name
    return file.read_text("utf-8")


@cache
def _page() -> str:
    converter = Markdown(extensions=_EXTENSIONS)
    html = converter.convert(_published("reference.md"))
    # What scrolls can be reached by keyboard.
    for name in ("pre", "table"):
        html = html.replace(f"<{name}>", f'<{name} tabindex="0">')
    return render_template(
        "docs.html",
        style=Markup(_STYLE),  # noqa: S704 - a trusted file
        content=Markup(html),  # noqa: S704 - trusted
        contents=converter.toc_tokens[0]["children"],  # type: ignore[attr-defined]
    )
