"""The document: OpenAPI 3.1, assembled from the models, the operations and the introduction."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from app.api.openapi import feed, operations
from app.api.openapi.errors import ERRORS
from app.api.openapi.events import webhooks
from app.api.openapi.parameters import parameters
from app.api.openapi.responses import HEADERS
from app.api.openapi.schemas import component_schemas

# The version of what is described: additive changes raise the second number.
VERSION = "1.0.0"
_INTRODUCTION = Path(__file__).with_name("introduction.md")
_TAGS = {
    "Posts": "A finished post in the answer.",
    "Jobs": "A post written in the background: ask for it, or be told.",
    "Usage": "What was used, and what is left.",
    "Feed": "Posts that rules have made: pull, publish, confirm.",
    "Health": "For load balancers and supervisors.",
}


@cache
def as_json() -> str:
    """The document as it is served and committed.

    Not in ASCII: tools that read JSON as YAML stop at the escapes of astral characters.
    """
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def document() -> dict[str, Any]:
    schemas = component_schemas()
    # The codes are known where they are mapped to statuses, beyond the core.
    schemas["Error"]["properties"]["code"]["enum"] = [error.code for error in ERRORS]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Copydesk",
            "version": VERSION,
            "summary": "Keywords in, blog posts that passed a copy desk out.",
            "description": _INTRODUCTION.read_text("utf-8").format(errors=_error_table()),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "Where this document was read from."}],
        "security": [{"apiKey": []}],
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
        "paths": {**operations.paths(), **feed.paths(), **operations.health_paths()},
        "webhooks": webhooks(),
        "components": {
            "securitySchemes": {
                "apiKey": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "cd_live_…",
                    "description": "The API key, as `Authorization: Bearer <API_KEY>`.",
                }
            },
            "parameters": parameters(),
            "headers": HEADERS,
            "schemas": schemas,
        },
    }


def _error_table() -> str:
    rows = [
        f"| {error.status} | `{error.code}` | {error.when} | {error.retry} |" for error in ERRORS
    ]
    return "\n".join(["| status | code | when | try again |", "|---|---|---|---|", *rows])
