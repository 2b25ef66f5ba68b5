"""The operations of the pull feed."""

from typing import Any

from app.api.openapi import examples
from app.api.openapi.errors import ALWAYS
from app.api.openapi.parameters import use
from app.api.openapi.responses import answer, error_answers
from app.api.openapi.schemas import reference
from app.core.feed_answers import Confirmed, ItemAvailable, ItemList, NothingNew, Rejected

_HEADERS = ("Cache-Control",)


def paths() -> dict[str, Any]:
    token = "/v1/content-tokens/{token_id}"  # noqa: S105 - a path
    return {
        f"{token}/latest": {"get": _latest()},
        f"{token}/items": {"get": _items()},
        f"{token}/items/{{item_id}}/confirm": {"post": _confirm()},
        f"{token}/items/{{item_id}}/reject": {"post": _reject()},
    }


def _feed(operation_id: str, summary: str, description: str) -> dict[str, Any]:
    return {
        "operationId": operation_id,
        "tags": ["Feed"],
        "summary": summary,
        "description": description,
        # The token in the path is the credential.
        "security": [],
    }


def _errors(*codes: str) -> dict[str, Any]:
    """The answers to what goes wrong; known tokens are never limited."""
    answers = error_answers(*codes, "RATE_LIMITED", *ALWAYS, headers=_HEADERS)
    limited = answers["429"]
    limited["description"] = (
        "`RATE_LIMITED`: More than 60 calls with unknown content tokens came from this address"
        " within a minute. Calls with a known one go on."
    )
    body = limited["content"]["application/json"]["examples"]["RATE_LIMITED"]["value"]["error"]
    body["message"] = (
        "More than 60 calls with unknown content tokens came from this address within a minute. Try"
        " again in 4 s."
    )
    body["details"] = {**body["details"], "limitType": "unknownTokensPerMinute"}
    return answers


def _latest() -> dict[str, Any]:
    schema = {"oneOf": [reference(ItemAvailable), reference(NothingNew)]}
    found = {"available": examples.AVAILABLE, "nothingNew": examples.NOTHING_NEW}
    pulled = answer("An item, or none.", schema, found, *_HEADERS)
    pulled["links"] = _item_links("$response.body#/item/id")
    return {
        **_feed(
            "pullLatest",
            "Pull the next item",
            "Hands out the reserved item again until it is confirmed or rejected; without one it"
            " claims the oldest that is pending. After the third time it gives the item up.",
        ),
        "parameters": use("token_id", "next", "X-Request-ID"),
        "responses": {
            "200": pulled,
            **_errors("NOT_FOUND"),
        },
    }


def _items() -> dict[str, Any]:
    pulled = answer(
        "The items: reserved ones first, then by age.",
        reference(ItemList),
        {"items": examples.ITEMS},
        *_HEADERS,
    )
    pulled["links"] = _item_links("$response.body#/items/0/id")
    return {
        **_feed(
            "pullItems",
            "Pull all open items",
            "Up to 100, each of them reserved by this call, and each to be confirmed or rejected.",
        ),
        "parameters": use("token_id", "rule", "X-Request-ID"),
        "responses": {
            "200": pulled,
            **_errors("NOT_FOUND"),
        },
    }


def _item_links(item_id: str) -> dict[str, Any]:
    parameters = {"token_id": "$request.path.token_id", "item_id": item_id}
    return {
        "confirm": {"operationId": "confirmItem", "parameters": parameters},
        "reject": {"operationId": "rejectItem", "parameters": parameters},
    }


def _confirm() -> dict[str, Any]:
    done = answer(
        "The item is used, also if it was before.",
        reference(Confirmed),
        {"used": examples.CONFIRMED},
        *_HEADERS,
    )
    return _decided(
        _feed("confirmItem", "Say that an item was published", "For good: it never comes back."),
        done,
    )


def _reject() -> dict[str, Any]:
    done = answer(
        "The item is rejected, also if it was before.",
        reference(Rejected),
        {"rejected": examples.REJECTED},
        *_HEADERS,
    )
    return _decided(
        _feed(
            "rejectItem",
            "Say that an item will not be published",
            "No replacement is claimed: the next pull does that.",
        ),
        done,
    )


def _decided(operation: dict[str, Any], done: dict[str, Any]) -> dict[str, Any]:
    return {
        **operation,
        "parameters": use("token_id", "item_id", "X-Request-ID"),
        "responses": {
            "200": done,
            **_errors("NOT_FOUND", "CONFLICT"),
        },
    }
