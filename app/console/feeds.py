"""Feeds and their rules."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from flask import Response, g, render_template, request, url_for

from app.console import browser, forms, setup, site
from app.console.accounts import feed_url_page
from app.console.site import Answer, blueprint
from app.core.feed.rule import NOTHING_LEFT, format_every, parse_every
from app.core.schemas.names import read_name
from app.services import accounts, cost_reports, overview, removal, review_links, rule_lists, rules
from app.services.post_list import PostFilter, items

KEPT = timedelta(days=1)


@blueprint.get("/console/feeds")
def feeds() -> str:
    rows = overview.feeds(browser.context(), before=site.before(), text=site.searched())
    return site.listed("console/feeds.html", rows, lambda row: row[0].id)


@blueprint.get("/console/feeds/<feed_id>")
def feed(feed_id: str) -> str:
    row, account = overview.feed(feed_id)
    listed = rule_lists.list_rules(browser.context(), feed_id, before=site.before())
    return site.listed(
        "console/feed.html", listed, lambda rule: rule.row.id, feed=row, account=account
    )


@blueprint.post("/console/feeds/<feed_id>/pause", endpoint="pause_feed")
@blueprint.post("/console/feeds/<feed_id>/resume", endpoint="resume_feed")
def pause_or_resume_feed(feed_id: str) -> Response:
    accounts.pause_token(feed_id, paused=_is_pause())
    return site.to("feed", feed_id=feed_id)


def _is_pause() -> bool:
    return request.path.endswith("/pause")


@blueprint.post("/console/feeds/<feed_id>/metered")
def meter_feed(feed_id: str) -> Response:
    accounts.update_token(feed_id, metered=bool(g.form.get("metered")))
    return site.to("feed", feed_id=feed_id)


@blueprint.route("/console/feeds/<feed_id>/review", methods=site.FORM)
def review_feed(feed_id: str) -> Answer:
    row, _ = overview.feed(feed_id)

    def change() -> Answer:
        accounts.update_token(feed_id, policy=forms.review_policy(g.form))
        return site.to("feed", feed_id=feed_id)

    policy = asdict(row.policy)
    return site.form_page("console/feed_review.html", change, policy, feed=row)


@blueprint.post("/console/feeds/<feed_id>/review-link")
def review_link(feed_id: str) -> str:
    """The page that shows a link to the review; each one works until it ends."""
    secret = review_links.link(browser.context(), feed_id)
    url = f"{browser.address()}{url_for('review.posts', secret=secret)}"
    days = review_links.LINK_WORKS.days
    row, _ = overview.feed(feed_id)
    return render_template("console/feed_review_link.html", feed=row, url=url, days=days)


@blueprint.get("/console/feeds/<feed_id>/review-link", endpoint="feed_review_link")
def no_review_link(feed_id: str) -> Response:
    """A page with a secret is not shown twice."""
    return site.to("review_feed", feed_id=feed_id)


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

    plan = overview.account(browser.context(), row.account_id).plan
    is_first = setup.shows_posts_of(feed_id)

    def create() -> Answer:
        keywords = g.form.get("keywords", "").split("\n")
        first = next(filter(None, map(str.strip, keywords)), "New rule")
        members, every, name = forms.checked(
            lambda: forms.request(g.form, plan),
            lambda: parse_every(g.form.get("every", "")),
            lambda: read_name(g.form.get("name", "").strip() or first[:100]),
        )
        current = bool(g.form.get("currentEvent"))
        new = rules.NewRule(name, forms.given(members), every, current_event=current)
        made = rules.create_rule(browser.context(), feed_id, new)
        if is_first:
            return site.to("setup", step="post", follow=1)
        return site.to("rule", rule_id=made)

    first = {"steps": setup.steps(), "step": "rule", "done": setup.steps_done()} if is_first else {}
    return site.request_page(
        "console/rule_form.html", create, {"every": "1d"}, feed=row, rule=None, **first
    )


@blueprint.get("/console/rules/<rule_id>")
def rule(rule_id: str) -> str:
    return render_template("console/rule.html", values={}, **_shown(rule_id))


def _shown(rule_id: str) -> dict[str, Any]:
    """Return what the page of a rule shows."""
    row, feed_name = overview.rule(rule_id)
    listed, planned = rule_lists.plan_rule(browser.context(), rule_id, 5)
    return {
        "rule": listed,
        "feed_name": feed_name,
        "plan": planned,
        "nothing_left": NOTHING_LEFT,
        "runs": rule_lists.list_runs(rule_id, 20),
        "items": items(PostFilter(rule=rule_id), limit=10),
        "every": _every(row),
        "members": forms.shown(row.request),
        "cost": cost_reports.of_rule(browser.context(), rule_id),
    }


@blueprint.route("/console/rules/<rule_id>/edit", methods=site.FORM)
def update_rule(rule_id: str) -> Answer:
    row, feed_name = overview.rule(rule_id)

    account_id = overview.feed(row.token_id)[0].account_id
    plan = overview.account(browser.context(), account_id).plan

    def update() -> Answer:
        members, every, name = forms.checked(
            lambda: forms.request(g.form, plan),
            lambda: parse_every(g.form.get("every", "")),
            lambda: read_name(g.form.get("name", "")),
        )
        current = bool(g.form.get("currentEvent"))
        changes = rules.RuleChanges(name, members, every, current)
        rules.update_rule(browser.context(), rule_id, changes)
        return site.to("rule", rule_id=rule_id)

    values = {
        **forms.values(row.request),
        "name": row.name,
        "every": _every(row),
        "currentEvent": row.current_event,
    }
    return site.request_page(
        "console/rule_form.html", update, values, feed_name=feed_name, rule=row
    )


def _every(row: Any) -> str:
    return format_every(timedelta(seconds=row.every_seconds))


@blueprint.post("/console/rules/pause", endpoint="pause_rules")
@blueprint.post("/console/rules/resume", endpoint="resume_rules")
@site.unlogged
def pause_or_resume_rules() -> Answer:
    context, paused = browser.context(), _is_pause()
    return _on_chosen(
        "pause_rule" if paused else "resume_rule",
        lambda rule_id: rules.pause_rule(context, rule_id, paused=paused),
    )


@blueprint.post("/console/rules/run")
@site.unlogged
def run_rules() -> Answer:
    context = browser.context()
    return _on_chosen("run_rule", lambda rule_id: rules.run_soon(context, rule_id))


def _on_chosen(action: str, act: Callable[[str], object]) -> Answer:
    return site.act_on_chosen(action, act, lambda rule_id: url_for("console.rule", rule_id=rule_id))


@blueprint.post("/console/rules/<rule_id>/spend-cap")
def cap_rule(rule_id: str) -> Answer:
    def cap() -> Answer:
        changes = rules.RuleChanges(spend_cap=forms.spend_cap(g.form))
        rules.update_rule(browser.context(), rule_id, changes)
        return site.to("rule", rule_id=rule_id)

    return site.form_page("console/rule.html", cap, **_shown(rule_id))


@blueprint.post("/console/rules/<rule_id>/offers")
def add_offer(rule_id: str) -> Answer:
    def add() -> Answer:
        offer = {"name": g.form.get("name", "").strip(), "url": g.form.get("url", "").strip()}
        rules.add_offer(rule_id, offer)
        return site.to("rule", rule_id=rule_id)

    return site.form_page("console/rule.html", add, **_shown(rule_id))


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
