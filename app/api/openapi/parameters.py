"""What requests carry: parameters and bodies."""

from typing import Any

from app.api.openapi import examples


def parameters() -> dict[str, Any]:
    """The parameters that operations share, by name."""
    return {
        "Idempotency-Key": {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "A UUID, or another text that is new for each piece of work. Use either"
            " this header or the member idempotencyKey of the body.",
            "schema": {"$ref": "#/components/schemas/IdempotencyKey"},
        },
        "X-Request-ID": {
            "name": "X-Request-ID",
            "in": "header",
            "description": "Your name for this request, such as a UUID: up to 128 letters, digits,"
            " dots, colons, hyphens and underscores. Anything else is replaced by a name of ours.",
            "schema": {"type": "string"},
        },
        "jobId": _path("jobId", "The id that POST /v1/jobs answered with.", examples.JOB_ID),
        "token_id": _path(
            "token_id",
            "The content token: a secret, to be kept like a password.",
            examples.TOKEN_ID,
        ),
        "item_id": _path("item_id", "The id of a pulled item.", examples.ITEM_ID),
        "next": {
            "name": "next",
            "in": "query",
            "description": "true rejects the item that is reserved and claims the next one, in one"
            " step.",
            "schema": {"type": "boolean", "default": False},
        },
        "rule": {
            "name": "rule",
            "in": "query",
            "description": "Only the items of this rule: its name, in any case, or its id.",
            "schema": {"type": "string", "pattern": "^[^\\u0000]*$"},
        },
    }


def _path(name: str, description: str, example: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": {"type": "string", "minLength": 1},
        "example": example,
    }


def use(*names: str) -> list[dict[str, str]]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def body(schema: dict[str, Any], **bodies: Any) -> dict[str, Any]:
    return {
        "required": True,
        "content": {
            "application/json": {
                "schema": schema,
                "examples": {name: {"value": body} for name, body in bodies.items()},
            }
        },
    }
