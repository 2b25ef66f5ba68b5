"""The page on which a person reads and marks the posts of ``bench/editorial.py``.

One self-contained HTML file. Until the reader asks for the results, it shows only requests, posts
and facts, in random order; the results are in the file as Base64, so that neither the page nor its
source shows them by accident.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.core.schemas.locales import language_name
from bench.editorial_requests import EditorialRequest
from bench.editorial_summary import COLUMNS, POST_COLUMNS, groups, post_cells

FOLDER = Path(__file__).parent / "editorial"


def page(record: Mapping[str, Any], requests: Mapping[str, EditorialRequest]) -> str:
    """Return the page of a run. The order of the posts depends on the run's id alone."""
    run = record["run"]
    shown = sorted((post for post in record["posts"] if "html" in post), key=lambda one: one["id"])
    Random(run["id"]).shuffle(shown)
    templates = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return templates.get_template("page.html").render(
        css=(FOLDER / "page.css").read_text("utf-8"),
        script=(FOLDER / "page.js").read_text("utf-8"),
        run=run["id"],
        posts=[
            {
                **{name: post[name] for name in ("id", "title", "description", "html", "words")},
                "language": post["language"],
                "about": _about(requests[post["request"]]),
                "notes": requests[post["request"]].notes,
            }
            for post in shown
        ],
        results=b64encode(json.dumps(_results(record)).encode()).decode(),
    )


def _about(request: EditorialRequest) -> list[tuple[str, str]]:
    """Return what was requested, as labels and texts."""
    asked = request.request
    limits = asked.constraints
    members = (
        ("Keywords", ", ".join(asked.keywords)),
        ("Topic", asked.topic),
        ("Audience", asked.target_audience),
        ("Industry", asked.industry),
        ("Tone", asked.tone.value if asked.tone else None),
        ("Language", language_name(asked.language)),
        ("Region", asked.region),
        ("Words", f"{limits.min_words} to {limits.max_words}"),
        ("FAQs", "yes" if limits.include_faqs else "no"),
    )
    return [(label, text) for label, text in members if text]


def _results(record: Mapping[str, Any]) -> dict[str, Any]:
    run, posts = record["run"], record["posts"]
    return {
        "run": [
            ["Model", run["model"]],
            ["Editor", run["editor"] or "none"],
            ["Strategy", run["writing"]],
            ["Temperature", str(run["temperature"])],
            ["Seed", str(run["seed"])],
            ["Checks", run["qualityVersion"]],
            ["Started", run["started"]],
        ],
        "groupColumns": COLUMNS,
        "groups": [
            {"cells": group.cells(), "posts": [post["id"] for post in group.posts]}
            for group in groups(posts)
        ],
        "postColumns": POST_COLUMNS,
        "posts": [
            {
                "id": post["id"],
                "cells": post_cells(post),
                "problem": post.get("problem", ""),
                "findings": [
                    f"{found['severity']} {found['check']} in {found['section']}: {found['reason']}"
                    for found in post["findings"]
                ],
            }
            for post in posts
        ],
    }
