"""Feeds and their rules."""

from datetime import timedelta
from typing import Any

from flask import Response, g, render_template, url_for

from app.console import browser, forms, site
from app.console.accounts import feed_url_page
from app.console.site import blueprint, for_changes, for_operators, for_writers
from app.core.errors import ServiceError
from app.core.feed.rule import format_every, parse_every
from app.services import accounts, cost_reports, overview, removal, rules

_NEW_RULE = {"every": "1d"}
KEPT = timedelta(days=1)


@blueprint.get("/console/feeds")
@for_operators
def feeds() -> str:
    rows = overview.feeds(browser.services().context, before=site.before())
    return site.listed("console/feeds.html", rows, lambda row: row[0].id)


@blueprint.get("/console/feeds/<feed_id>")
@for_operators
def feed(feed_id: str) -> str:
    row, account = overview.feed(feed_id)
    listed = rules.list_rules(browser.services().context, feed_id, before=site.before())
    return site.listed(
        "console/feed.html", listed, lambda rule: rule.row.id, feed=row, account=account
    )


@blueprint.post("/console/feeds/<feed_id>/pause")
@for_changes
def pause_feed(feed_id: str) -> Response:
    accounts.pause_token(feed_id, paused=True)
    return site.back_or("feed", feed_id=feed_id)


@blueprint.post("/console/feeds/<feed_id>/resume")
@for_changes
def resume_feed(feed_id: str) -> Response:
    accounts.pause_token(feed_id, paused=False)
    return site.back_or("feed", feed_id=feed_id)


@blueprint.post("/console/feeds/<feed_id>/metered")
@for_changes
def meter_feed(feed_id: str) -> Response:
    accounts.meter_token(feed_id, metered=bool(g.form.get("metered")))
    return site.to("feed", feed_id=feed_id)


@blueprint.get("/console/feeds/<feed_id>/rotate")
@for_writers
def confirm_rotation(feed_id: str) -> str:
    """What happens if the secret is rotated, before it is."""
    row, account = overview.feed(feed_id)
    return render_template("console/feed_rotate.html", feed=row, account=account)


@blueprint.post("/console/feeds/<feed_id>/rotate")
@for_changes
def rotate_feed(feed_id: str) -> str:
    keep = KEPT if g.form.get("keep") else timedelta(0)
    made = accounts.rotate_token(browser.services().context, feed_id, keep=keep)
    return feed_url_page(made, is_new=False, is_kept=bool(keep))


@blueprint.get("/console/feeds/<feed_id>/delete")
@for_writers
def confirm_feed_deletion(feed_id: str) -> str:
    return render_template("console/deletion.html", **_feed_to_delete(feed_id))


@blueprint.post("/console/feeds/<feed_id>/delete")
@for_changes
def delete_feed(feed_id: str) -> Response:
    members = _feed_to_delete(feed_id)
    try:
        removal.delete_feed(feed_id)
    except ServiceError as error:
        return site.form_again("console/deletion.html", error, **members)
    return site.to("feeds")


def _feed_to_delete(feed_id: str) -> dict[str, Any]:
    row, _ = overview.feed(feed_id)
    back = url_for("console.feed", feed_id=feed_id)
    return {"kind": "feed", "name": row.name, "back": back}


@blueprint.get("/console/feeds/<feed_id>/rules/new")
@for_writers
def new_rule(feed_id: str) -> str:
    row, _ = overview.feed(feed_id)
    return render_template("console/rule_form.html", feed=row, rule=None, values=_NEW_RULE)


@blueprint.post("/console/feeds/<feed_id>/rules/new")
@for_changes
def create_rule(feed_id: str) -> Response:
    row, _ = overview.feed(feed_id)
    try:
        made = rules.create_rule(browser.services().context, feed_id, _new_rule())
    except ServiceError as error:
        return site.form_again("console/rule_form.html", error, feed=row, rule=None)
    return site.to("rule", rule_id=made)


def _new_rule() -> rules.NewRule:
    members = forms.given(forms.members(g.form))
    first = next(iter(members.get("keywords", ())), "New rule")
    return rules.NewRule(
        g.form.get("name", "").strip() or first[:100],
        members,
        parse_every(g.form.get("every", "")),
        current_event=bool(g.form.get("currentEvent")),
    )


@blueprint.get("/console/rules/<rule_id>")
@for_operators
def rule(rule_id: str) -> str:
    row, feed_name = overview.rule(rule_id)
    planned = rules.plan_rule(browser.services().context, rule_id, 5)
    return render_template(
        "console/rule.html",
        rule=planned.rule,
        feed_name=feed_name,
        plan=planned,
        runs=rules.list_runs(rule_id, 20),
        items=overview.items(overview.ItemFilter(rule=rule_id), limit=10),
        every=_every(row),
        members=forms.shown(row.request),
        cost=cost_reports.of_rule(browser.services().context, rule_id),
    )


@blueprint.get("/console/rules/<rule_id>/edit")
@for_writers
def edit_rule(rule_id: str) -> str:
    row, feed_name = overview.rule(rule_id)
    values = {
        **forms.values(row.request),
        "name": row.name,
        "every": _every(row),
        "currentEvent": row.current_event,
    }
    return render_template(
        "console/rule_form.html", feed=None, feed_name=feed_name, rule=row, values=values
    )


@blueprint.post("/console/rules/<rule_id>/edit")
@for_changes
def update_rule(rule_id: str) -> Response:
    row, feed_name = overview.rule(rule_id)
    try:
        changes = rules.RuleChanges(
            name=g.form.get("name", ""),
            request=forms.members(g.form),
            every=parse_every(g.form.get("every", "")),
            current_event=bool(g.form.get("currentEvent")),
        )
        rules.update_rule(browser.services().context, rule_id, changes)
    except ServiceError as error:
        members = {"feed": None, "feed_name": feed_name, "rule": row}
        return site.form_again("console/rule_form.html", error, **members)
    return site.to("rule", rule_id=rule_id)


def _every(row: Any) -> str:
    return format_every(timedelta(seconds=row.every_seconds))


@blueprint.post("/console/rules/<rule_id>/pause")
@for_changes
def pause_rule(rule_id: str) -> Response:
    rules.pause_rule(browser.services().context, rule_id, paused=True)
    return site.back_or("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/resume")
@for_changes
def resume_rule(rule_id: str) -> Response:
    rules.pause_rule(browser.services().context, rule_id, paused=False)
    return site.back_or("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/spend-cap")
@for_changes
def cap_rule(rule_id: str) -> Response:
    changes = rules.RuleChanges(spend_cap=forms.spend_cap(g.form))
    rules.update_rule(browser.services().context, rule_id, changes)
    return site.to("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/run")
@for_changes
def run_rule(rule_id: str) -> Response:
    rules.run_soon(browser.services().context, rule_id)
    return site.back_or("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/offers")
@for_changes
def add_offer(rule_id: str) -> Response:
    offer = {"name": g.form.get("name", "").strip(), "url": g.form.get("url", "").strip()}
    rules.add_offer(rule_id, offer)
    return site.to("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/offers/remove")
@for_changes
def remove_offer(rule_id: str) -> Response:
    rules.remove_offer(rule_id, g.form.get("name", ""))
    return site.to("rule", rule_id=rule_id)


@blueprint.get("/console/rules/<rule_id>/delete")
@for_writers
def confirm_rule_deletion(rule_id: str) -> str:
    return render_template("console/deletion.html", values={}, **_rule_to_delete(rule_id))


@blueprint.post("/console/rules/<rule_id>/delete")
@for_changes
def delete_rule(rule_id: str) -> Response:
    row, _ = overview.rule(rule_id)
    members = _rule_to_delete(rule_id)
    try:
        removal.delete_rule(rule_id, discard=bool(g.form.get("discard")))
    except ServiceError as error:
        return site.form_again("console/deletion.html", error, **members)
    return site.to("feed", feed_id=row.token_id)


def _rule_to_delete(rule_id: str) -> dict[str, Any]:
    row, _ = overview.rule(rule_id)
    back = url_for("console.rule", rule_id=rule_id)
    return {"kind": "rule", "name": row.name, "back": back}
