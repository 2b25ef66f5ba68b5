"""Feeds and their rules."""

from datetime import timedelta
from typing import Any

from flask import Response, g, render_template, request, url_for

from app.console import browser, forms, site
from app.console.accounts import feed_url_page
from app.console.site import Answer, blueprint
from app.core.feed.rule import format_every, parse_every
from app.services import accounts, cost_reports, overview, removal, rules

KEPT = timedelta(days=1)


@blueprint.get("/console/feeds")
def feeds() -> str:
    rows = overview.feeds(browser.context(), before=site.before())
    return site.listed("console/feeds.html", rows, lambda row: row[0].id)


@blueprint.get("/console/feeds/<feed_id>")
def feed(feed_id: str) -> str:
    row, account = overview.feed(feed_id)
    listed = rules.list_rules(browser.context(), feed_id, before=site.before())
    return site.listed(
        "console/feed.html", listed, lambda rule: rule.row.id, feed=row, account=account
    )


@blueprint.post("/console/feeds/<feed_id>/pause", endpoint="pause_feed")
@blueprint.post("/console/feeds/<feed_id>/resume", endpoint="resume_feed")
def pause_or_resume_feed(feed_id: str) -> Response:
    accounts.pause_token(feed_id, paused=_is_pause())
    return site.back_or("feed", feed_id=feed_id)


def _is_pause() -> bool:
    return request.path.endswith("/pause")


@blueprint.post("/console/feeds/<feed_id>/metered")
def meter_feed(feed_id: str) -> Response:
    accounts.meter_token(feed_id, metered=bool(g.form.get("metered")))
    return site.to("feed", feed_id=feed_id)


@blueprint.route("/console/feeds/<feed_id>/rotate", methods=site.FORM)
def rotate_feed(feed_id: str) -> str:
    """Says what happens if the secret is rotated, before it is."""
    if request.method != "POST":
        return render_template("console/feed_rotate.html", feed=overview.feed(feed_id)[0])
    keep = KEPT if g.form.get("keep") else timedelta(0)
    made = accounts.rotate_token(browser.context(), feed_id, keep=keep)
    return feed_url_page(made, is_new=False, is_kept=bool(keep))


@blueprint.route("/console/feeds/<feed_id>/delete", methods=site.FORM)
def delete_feed(feed_id: str) -> Answer:
    row, _ = overview.feed(feed_id)

    def delete() -> Answer:
        removal.delete_feed(feed_id)
        return site.to("feeds")

    return site.deletion_page("feed", row.name, url_for("console.feed", feed_id=feed_id), delete)


@blueprint.route("/console/feeds/<feed_id>/rules/new", methods=site.FORM)
def create_rule(feed_id: str) -> Answer:
    row, _ = overview.feed(feed_id)

    def create() -> Answer:
        members = forms.given(forms.members(g.form))
        first = next(iter(members.get("keywords", ())), "New rule")
        name = g.form.get("name", "").strip() or first[:100]
        every, current = parse_every(g.form.get("every", "")), bool(g.form.get("currentEvent"))
        new = rules.NewRule(name, members, every, current_event=current)
        return site.to("rule", rule_id=rules.create_rule(browser.context(), feed_id, new))

    return site.form_page("console/rule_form.html", create, {"every": "1d"}, feed=row, rule=None)


@blueprint.get("/console/rules/<rule_id>")
def rule(rule_id: str) -> str:
    row, feed_name = overview.rule(rule_id)
    planned = rules.plan_rule(browser.context(), rule_id, 5)
    return render_template(
        "console/rule.html",
        rule=planned.rule,
        feed_name=feed_name,
        plan=planned,
        runs=rules.list_runs(rule_id, 20),
        items=overview.items(overview.ItemFilter(rule=rule_id), limit=10),
        every=_every(row),
        members=forms.shown(row.request),
        cost=cost_reports.of_rule(browser.context(), rule_id),
    )


@blueprint.route("/console/rules/<rule_id>/edit", methods=site.FORM)
def update_rule(rule_id: str) -> Answer:
    row, feed_name = overview.rule(rule_id)

    def update() -> Answer:
        changes = rules.RuleChanges(
            name=g.form.get("name", ""),
            request=forms.members(g.form),
            every=parse_every(g.form.get("every", "")),
            current_event=bool(g.form.get("currentEvent")),
        )
        rules.update_rule(browser.context(), rule_id, changes)
        return site.to("rule", rule_id=rule_id)

    values = {
        **forms.values(row.request),
        "name": row.name,
        "every": _every(row),
        "currentEvent": row.current_event,
    }
    return site.form_page("console/rule_form.html", update, values, feed_name=feed_name, rule=row)


def _every(row: Any) -> str:
    return format_every(timedelta(seconds=row.every_seconds))


@blueprint.post("/console/rules/<rule_id>/pause", endpoint="pause_rule")
@blueprint.post("/console/rules/<rule_id>/resume", endpoint="resume_rule")
def pause_or_resume_rule(rule_id: str) -> Response:
    rules.pause_rule(browser.context(), rule_id, paused=_is_pause())
    return site.back_or("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/spend-cap")
def cap_rule(rule_id: str) -> Response:
    changes = rules.RuleChanges(spend_cap=forms.spend_cap(g.form))
    rules.update_rule(browser.context(), rule_id, changes)
    return site.to("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/run")
def run_rule(rule_id: str) -> Response:
    rules.run_soon(browser.context(), rule_id)
    return site.back_or("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/offers")
def add_offer(rule_id: str) -> Response:
    offer = {"name": g.form.get("name", "").strip(), "url": g.form.get("url", "").strip()}
    rules.add_offer(rule_id, offer)
    return site.to("rule", rule_id=rule_id)


@blueprint.post("/console/rules/<rule_id>/offers/remove")
def remove_offer(rule_id: str) -> Response:
    rules.remove_offer(rule_id, g.form.get("name", ""))
    return site.to("rule", rule_id=rule_id)


@blueprint.route("/console/rules/<rule_id>/delete", methods=site.FORM)
def delete_rule(rule_id: str) -> Answer:
    row, _ = overview.rule(rule_id)

    def delete() -> Answer:
        removal.delete_rule(rule_id, discard=bool(g.form.get("discard")))
        return site.to("feed", feed_id=row.token_id)

    return site.deletion_page("rule", row.name, url_for("console.rule", rule_id=rule_id), delete)
