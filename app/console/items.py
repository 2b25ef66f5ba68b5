"""Items: the posts that rules wrote for feeds."""

from flask import render_template, request

from app.console import site
from app.console.site import blueprint
from app.console.words import post_html
from app.core.feed.item import MAX_SENDS
from app.services import cost_reports, evidence, overview
from app.services.overview import ItemFilter


@blueprint.get("/console/items")
def items() -> str:
    wanted = ItemFilter(*(request.args.get(name, "")[:40] for name in ("feed", "rule", "status")))
    if wanted.status not in overview.ITEM_STATES:
        wanted = ItemFilter(wanted.feed, wanted.rule)
    name = ""
    if wanted.rule:
        name = f"rule “{overview.rule(wanted.rule)[0].name}”"
    elif wanted.feed:
        name = f"feed “{overview.feed(wanted.feed)[0].name}”"
    return site.listed(
        "console/items.html",
        overview.items(wanted, site.before()),
        lambda row: row.id,
        wanted=wanted,
        of=name,
        states=overview.ITEM_STATES,
    )


@blueprint.get("/console/items/<item_id>")
def item(item_id: str) -> str:
    found, feed, rule = overview.item(item_id)
    return render_template(
        "console/item.html",
        item=found,
        feed=feed,
        rule=rule,
        most_sends=MAX_SENDS,
        html=post_html(found.html),
        evidence=evidence.find(item_id)[:1],
        cost=cost_reports.of_post(item_id),
    )
