"""The pull feed. The token in the path is the credential; no header is required."""

from typing import Any

from flask import Blueprint, Response, g, jsonify, request

from app.api.errors import service_error
from app.api.hooks import UNKNOWN_TOKEN
from app.api.requests import json_body, name_ignored
from app.container import services
from app.core.addresses import client_network
from app.core.errors import RateLimited, ServiceError, ValidationFailed
from app.core.feed.item import Status
from app.core.schemas.bodies import parse
from app.core.schemas.feed import ITEMS_LIMIT, ConfirmRequest
from app.core.schemas.times import wire_time
from app.services import feed
from app.store.feed import Delivered

blueprint = Blueprint("feed", __name__, url_prefix="/content-tokens/<token>")


@blueprint.after_request
def no_store(response: Response) -> Response:
    """Forbid caching: a pull changes the feed, and its response is for this caller only."""
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.errorhandler(feed.UnknownToken)
def count_unknown_token(error: ServiceError) -> Response:
    """Count calls with unknown tokens per client network."""
    g.problem = UNKNOWN_TOKEN
    try:
        feed.throttle_unknown_tokens(services().context, client_network(request.remote_addr))
    except RateLimited as limited:
        error = limited
    return service_error(error)


# Flask adds HEAD to every GET, but a HEAD request must not claim an item.
@blueprint.route("/latest", methods=["HEAD"], provide_automatic_options=False)
@blueprint.route("/items", methods=["HEAD"], provide_automatic_options=False)
def head(token: str) -> Response:
    feed.require_feed(services().context, token)
    return Response(status=200, mimetype="application/json")


@blueprint.get("/latest")
def get_latest(token: str) -> Response:
    item = feed.pull_latest(services().context, token, next_item=_flag("next"))
    if item is None:
        return jsonify({"available": False})
    return jsonify({"available": True, "item": _item(item)})


@blueprint.get("/items")
def get_items(token: str) -> Response:
    rule = request.args.get("rule")
    if rule is not None and not rule.strip():
        # Ignoring it would claim the items of all rules by mistake.
        raise ValidationFailed(
            "rule must not be empty. Name a rule, or omit it to get the items of all rules.",
            {"field": "rule", "problem": "must not be empty"},
        )
    items = feed.pull_items(services().context, token, rule=rule)
    entries = [
        {"id": item.id, "ruleId": item.rule_id, "ruleName": item.rule_name, **_item(item)}
        for item in items
    ]
    return jsonify({"count": len(entries), "limit": ITEMS_LIMIT, "items": entries})


@blueprint.post("/items/<item_id>/confirm")
def post_confirm(token: str, item_id: str) -> Response:
    is_told = request.content_length or "Transfer-Encoding" in request.headers
    url = _published_url() if is_told else None
    return _changed(item_id, feed.confirm(services().context, token, item_id, url))


@blueprint.post("/items/<item_id>/reject")
def post_reject(token: str, item_id: str) -> Response:
    return _changed(item_id, feed.reject(services().context, token, item_id))


def _published_url() -> str | None:
    """Return the address that a site tells of its post. Whatever else a client sends is ignored and
    named: the post has appeared, and a confirm must not fail because of its body."""
    body: Any = None
    try:
        # curl says of its bodies that they are forms, unless it is told otherwise.
        body = json_body(of_any_type=True)
        name_ignored(ConfirmRequest, body)
        return parse(ConfirmRequest, body).url
    except ServiceError:
        if not isinstance(body, dict):
            g.ignored = "body"
        elif body.get("url"):
            g.ignored = ", ".join(["url", *filter(None, [g.get("ignored")])])
        return None


def _changed(item_id: str, status: Status) -> Response:
    return jsonify({"ok": True, "item": {"id": item_id, "status": status.value}})


def _item(item: Delivered) -> dict[str, Any]:
    return {
        "id": item.id,
        "post": item.post,
        "rendered": {"markdown": item.markdown, "html": item.html},
        "generatedAt": wire_time(item.generated_at),
        "deliveryCount": item.delivery_count,
    }


def _flag(name: str) -> bool:
    if not request.query_string:  # as in most pulls
        return False
    value = request.args.get(name, "false").strip().lower()
    if value in {"true", "1"}:
        return True
    if value in {"false", "0", ""}:
        return False
    raise ValidationFailed(f"{name} must be true or false; it is “{value[:20]}”.", {"field": name})
