"""The pull feed. The token in the path is the credential; no header is asked for."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from flask import Blueprint, Response, jsonify, request

from app.core.client_address import client_network
from app.core.errors import ValidationFailed
from app.core.feed_item import ITEMS_LIMIT, Status
from app.core.metering import wire_time
from app.services import feed
from app.store.feed import Delivered
from app.wiring import ports

P = ParamSpec("P")

blueprint = Blueprint("feed", __name__, url_prefix="/v1/content-tokens/<token>")


@blueprint.after_request
def no_store(response: Response) -> Response:
    """A pull changes the feed: its answer belongs to this caller alone."""
    response.headers["Cache-Control"] = "no-store"
    return response


def counting_misses(view: Callable[P, Response]) -> Callable[P, Response]:
    """Have calls with unknown tokens counted by where they come from."""

    @wraps(view)
    def count(*args: P.args, **kwargs: P.kwargs) -> Response:
        try:
            return view(*args, **kwargs)
        except feed.UnknownToken:
            wired = ports()
            feed.count_miss(client_network(request.remote_addr), wired.limiter, wired.clock)
            raise

    return count


# A pull hands an item out, so HEAD, which Flask adds to every GET, must not be one.
@blueprint.route("/latest", methods=["HEAD"], provide_automatic_options=False)
@blueprint.route("/items", methods=["HEAD"], provide_automatic_options=False)
@counting_misses
def head(token: str) -> Response:
    feed.touch(token)
    return Response(status=200, mimetype="application/json")


@blueprint.get("/latest")
@counting_misses
def get_latest(token: str) -> Response:
    wired = ports()
    item = feed.pull_latest(
        token,
        wired.clock,
        wired.queue,
        next_item=_flag("next"),
        policy=wired.settings.schedule_policy,
    )
    if item is None:
        return jsonify({"available": False})
    return jsonify({"available": True, "item": _item(item)})


@blueprint.get("/items")
@counting_misses
def get_items(token: str) -> Response:
    wired = ports()
    rule = request.args.get("rule")
    items = feed.pull_items(
        token, wired.clock, wired.queue, rule=rule, policy=wired.settings.schedule_policy
    )
    entries = [
        {"id": item.id, "ruleId": item.rule_id, "ruleName": item.rule_name, **_item(item)}
        for item in items
    ]
    return jsonify({"count": len(entries), "limit": ITEMS_LIMIT, "items": entries})


@blueprint.post("/items/<item_id>/confirm")
@counting_misses
def post_confirm(token: str, item_id: str) -> Response:
    return _changed(item_id, feed.confirm(token, item_id, ports().clock))


@blueprint.post("/items/<item_id>/reject")
@counting_misses
def post_reject(token: str, item_id: str) -> Response:
    return _changed(item_id, feed.reject(token, item_id, ports().clock))


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
    value = request.args.get(name, "false").strip().lower()
    if value in {"true", "1"}:
        return True
    if value in {"false", "0", ""}:
        return False
    raise ValidationFailed(f"{name} must be true or false; it is “{value[:20]}”.", {"field": name})
