"""The review of posts before they appear: in the console, and by a link for the owner of a site,
who has no account."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Condition
from typing import Any

from flask import Blueprint, Response, g, render_template, request, url_for

from app.console import browser, site
from app.console.site import Answer, V
from app.console.words import post_html
from app.core.errors import Conflict, NotFound, RateLimited, ServiceError, ValidationFailed
from app.core.feed.item import MAX_SENDS, Status
from app.logs import note
from app.services import cost_reports, evidence, feed, overview, post_list, review, review_links
from app.services.post_list import PostFilter, PostState
from app.services.review import Draft, Edit

# The rules keep a processor busy with a long text, for a second or more: a process reads one text
# at a time. Others wait in half of the threads for short calls; for one reviewer, few and only in a
# short line, so that a few reviewers cannot fill it.
_LONGEST_LINE, _SHORT_LINE, _MOST_OF_ONE = 8, 4, 3
# Whose texts are read, in this order: the first one now.
_line, _moved = list[list[str]](), Condition()

pages = Blueprint("review", __name__, url_prefix="/review/<secret>")
"""The pages behind a link. Addresses that begin with a dot lead to the console in the console, and
stay behind the link here."""


@pages.url_value_preprocessor
def _take_secret(_endpoint: str | None, values: dict[str, Any] | None) -> None:
    g.secret = (values or {}).pop("secret", "")


@pages.url_defaults
def _add_secret(_endpoint: str, values: dict[str, Any]) -> None:
    values.setdefault("secret", g.get("secret"))


@pages.before_request
def _guard() -> None:
    """Find the feed of the link, and log what is sent."""
    context = browser.context()
    try:
        g.feed_id = review_links.feed_of_link(context, g.secret)
    except review_links.UnknownLink:
        feed.throttle_unknown_tokens(context, browser.network())
        raise
    note(feed=g.feed_id)
    g.csrf = hashlib.sha256(f"form {g.secret}".encode()).hexdigest()
    if request.method == "POST":
        g.form = browser.form_with(g.csrf, may_hide_origin=True)
        site.record_view(str((request.view_args or {}).get("item_id", "")))


@pages.after_request
def _protect(response: Response) -> Response:
    """As the console's pages; no other site and no search engine learns the address."""
    browser.protect(response)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


pages.register_error_handler(ServiceError, site.error_page)
for _kind in site.DATABASE_ERRORS:
    pages.register_error_handler(_kind, site.database_error_page)


def _feed_id() -> str:
    """Return the feed of the link; "" for an operator, who sees all."""
    return str(g.get("feed_id", ""))


@contextmanager
def _in_turn() -> Iterator[None]:
    """Wait until no other text is read.

    Raises:
        RateLimited: too many wait.
    """
    mine = [_feed_id() or site.signed_in().id]
    with _moved:
        others = _line.count(mine)
        if others >= _MOST_OF_ONE or len(_line) >= (_SHORT_LINE if others else _LONGEST_LINE):
            raise RateLimited("Other posts are being read. Try again shortly.", retry_after=1)
        _line.append(mine)
        _moved.wait_for(lambda: _line[0] is mine)
    try:
        yield
    finally:
        with _moved:
            _line.pop(0)
            _moved.notify_all()


def both(path: str, **options: Any) -> Callable[[V], V]:
    """Add a view of an item to the console and to the pages behind a link."""

    def add(view: V) -> V:
        site.blueprint.route(f"/console/items/<item_id>{path}", **options)(view)
        pages.route(f"/<item_id>{path}", **options)(view)
        return view

    return add


@pages.get("", endpoint="posts")
def held_posts(failures: Any = ()) -> str:
    """The held posts of the feed."""
    return site.listed(
        "console/held.html",
        post_list.posts(PostFilter(PostState.HELD, feed=_feed_id()), site.before()),
        lambda row: row.id,
        feed=overview.feed(_feed_id())[0],
        failures=failures,
    )


@both("")
def item(item_id: str) -> str:
    found, feed_name, rule_name = overview.item(item_id)
    if _feed_id() not in {"", found.token_id}:
        raise NotFound("This feed has no such post.")
    is_held, draft, problem = found.status == Status.HELD, None, ""
    if is_held:
        try:
            with _in_turn():
                draft = review.draft(item_id)
        except ValidationFailed as error:
            # The rule has changed; the post can still be read and decided.
            problem = error.message
    return render_template(
        "console/item.html",
        item=found,
        feed=feed_name,
        rule=rule_name,
        most_sends=MAX_SENDS,
        html=post_html(found.html),
        draft=draft,
        problem=problem,
        beside=post_list.held_beside(found, _feed_id()) if is_held else None,
        evidence=evidence.find(item_id),
        cost=cost_reports.of_post(item_id),
    )


@both("/approve", methods=["POST"])
def approve_item(item_id: str) -> Response:
    return _decide(
        item_id, "approved", lambda: review.approve(browser.context(), [item_id], _feed_id())
    )


@both("/reject", methods=["POST"])
def reject_item(item_id: str) -> Response:
    reason = g.form.get("reason", "")
    return _decide(
        item_id, "rejected", lambda: review.reject(browser.context(), item_id, reason, _feed_id())
    )


@both("/rewrite", methods=["POST"])
def rewrite_item(item_id: str) -> Response:
    remark = g.form.get("remark", "")
    return _decide(
        item_id, "rewritten", lambda: review.rewrite(browser.context(), item_id, remark, _feed_id())
    )


def _decide(item_id: str, done: str, decide: Callable[[], object]) -> Response:
    """Return a redirect to the next held post, or to the list."""
    beside = post_list.held_beside(overview.item(item_id)[0], _feed_id())
    decide()
    if following := beside.older or beside.newer:
        return browser.see_other(url_for(".item", item_id=following, done=done))
    return browser.see_other(url_for(".posts", state=PostState.HELD, done=done))


@site.blueprint.post("/console/posts/approve")
@pages.post("/approve")
@site.unlogged
def approve_chosen() -> Answer:
    """Approve each chosen post that can be."""
    done = "approved" if g.form.get("chosen") else None
    return site.act_on_chosen(
        "approve_item",
        lambda item_id: review.approve(browser.context(), [item_id], _feed_id()),
        lambda item_id: url_for(".item", item_id=item_id),
        url_for(".posts", state=PostState.HELD, done=done),
    )


@both("/edit", methods=site.FORM)
@_in_turn()
def edit_item(item_id: str) -> Answer:
    """The editor. A draft that cannot be stored comes back as it was typed, with each fault."""
    if request.method != "POST":
        return _editor(item_id, review.draft(item_id, _feed_id()))
    sent = _sent()
    if g.form.get("action") == "preview":
        return _editor(item_id, _draft_of(item_id, sent), is_changed=True)
    try:
        review.edit(browser.context(), item_id, sent, _feed_id())
    except ValidationFailed:
        shown = _editor(item_id, _draft_of(item_id, sent), is_changed=True)
        return Response(shown, 400)
    except Conflict as error:
        return Response(_conflict(item_id, sent, error), 409)
    if g.form.get("action") == "approve":
        site.record("approve_item", item_id)
        return approve_item(item_id)
    return browser.see_other(url_for(".item", item_id=item_id, done="saved"))


@both("/preview", methods=["POST"])
@site.unlogged
@_in_turn()
def preview(item_id: str) -> str:
    """What the editor shows of a draft beside its fields."""
    return render_template("console/preview.html", draft=_draft_of(item_id, _sent()))


def _sent() -> Edit:
    version = g.form.get("version", "")
    number = int(version) if version.isascii() and version.isdigit() else -1
    title, description, text = (g.form.get(name, "") for name in ("title", "description", "text"))
    return Edit(title, description, text, number)


def _draft_of(item_id: str, sent: Edit) -> Draft:
    """Return the draft of an edit, with the fields as they were typed."""
    return replace(review.preview(item_id, sent, _feed_id()), edit=sent)


def _editor(item_id: str, draft: Draft, **members: Any) -> str:
    told = {"faults": draft.problems, **members}
    return render_template("console/edit.html", item_id=item_id, draft=draft, **told)


def _conflict(item_id: str, sent: Edit, error: Conflict) -> str:
    """Return the editor with what was typed, and with what somebody else has stored, if the post is
    still held. Saving again replaces that."""
    if "version" not in (error.details or {}):
        return _editor(item_id, Draft(sent, "", ()), problem=error.message, is_closed=True)
    theirs = review.draft(item_id, _feed_id()).edit
    mine = replace(sent, version=theirs.version)
    members = {"problem": error.message, "theirs": theirs, "is_changed": True}
    return _editor(item_id, _draft_of(item_id, mine), **members)
