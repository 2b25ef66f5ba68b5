"""Posts: the items of rules, jobs, and what failed, in one list."""

import re

from flask import request, url_for

from app.console import browser, site
from app.console.site import Answer, blueprint
from app.services import feed, overview, post_list, rule_lists, state
from app.services.post_list import PostFilter, PostState

_ALL_JOBS = "jobs"
_ID = re.compile(r"(?:itm|job)_\w+", re.ASCII)
_PAGES = {"itm": "item", "job": "job"}


@blueprint.get("/console/posts")
def posts() -> Answer:
    """The list; for the id of a post in the search, the post."""
    given = {name: request.args.get(name, "").strip()[:100] for name in ("feed", "rule", "account")}
    text, wanted_state = (request.args.get(name, "").strip()[:100] for name in ("text", "state"))
    if _ID.fullmatch(text):
        page = _PAGES[text[:3]]
        return site.to(page, **{f"{page}_id": text})
    is_jobs = given["feed"] == _ALL_JOBS
    wanted = PostFilter(
        wanted_state if wanted_state in list(PostState) else "",
        feed="" if is_jobs else given["feed"],
        rule=given["rule"],
        account=given["account"],
        jobs=is_jobs,
        text=text,
    )
    context = browser.context()
    of, feed_id = "", wanted.feed
    if wanted.rule:
        row, name = overview.rule(wanted.rule)
        of, feed_id = f"the rule “{row.name}” of {name}", row.token_id
    elif wanted.account:
        of = f"the account “{overview.account(context, wanted.account).row.name}”"
    elif feed_id:
        of = f"the feed “{overview.feed(feed_id)[0].name}”"
    is_plain = wanted == PostFilter(PostState.FAILED)
    return site.listed(
        "console/posts.html",
        post_list.posts(wanted, site.before()),
        lambda row: row.id,
        wanted=wanted,
        of="jobs" if is_jobs else of,
        feed=feed_id,
        feeds=[(row, account) for row, account, *_ in overview.feeds(context)],
        rules=[each.row for each in rule_lists.list_rules(context, feed_id)] if feed_id else [],
        states=list(PostState),
        stopped=state.stopped(context) if is_plain and not site.before() else None,
        days=state.DAYS,
        most=state.FAILURES_READ,
        is_unconnected=request.args.get("done") == "approved" and not state.first_steps().pulled,
    )


@blueprint.post("/console/posts/requeue")
@site.unlogged
def requeue_chosen() -> Answer:
    context = browser.context()
    return site.act_on_chosen(
        "requeue_item",
        lambda item_id: feed.requeue(context, item_id),
        lambda item_id: url_for("console.item", item_id=item_id),
    )
