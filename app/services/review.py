"""The review of posts before they appear: reading, editing, approving and rejecting held items.

Functions that take ``feed_id`` find only items of that feed if it is not "": an owner with a link
sees no other.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.core.errors import Conflict, NotFound, ValidationFailed
from app.core.feed.item import APPROVE, REJECT_HELD, Status
from app.core.feed.review import HOLD
from app.core.schemas.api_model import STORED
from app.core.schemas.bodies import parse
from app.core.schemas.post import SEOPost
from app.core.schemas.request import GenerateRequest
from app.core.schemas.times import span
from app.ports import Work, WorkKind
from app.rendering.escape import one_line
from app.rendering.offers import Offer
from app.rendering.page import item_columns
from app.rules.finding import Finding, Severity
from app.rules.near_duplicates import sign
from app.rules.passages import text_of
from app.rules.table import check_post
from app.services.context import Context
from app.services.lookups import lock, require
from app.services.near_duplicates import forget_signature, lock_scope, renew_signature
from app.services.review_links import waiting
from app.services.rules import add_run, require_unpaused
from app.store import accounts as account_store
from app.store import models
from app.store.database import reading, writing
from app.store.models import Feed, FeedItem
from app.writing.brief import Brief, make_brief
from app.writing.post_markdown import format_text, parse_text

MAX_TITLE, MAX_DESCRIPTION, MAX_TEXT, MAX_NOTE = 200, 500, 50_000, 1_000
"""How many characters the fields of an edit, and a reason or a remark, may have."""
# Those of a paragraph: rendering one takes quadratic time in its signs.
_MAX_PARAGRAPH = 10_000
_PARAGRAPH_BREAK = re.compile(r"\r?\n[ \t]*\r?\n")
MAX_REWRITES = 3
# What harms a page for certain, even if a person wrote it.
_REFUSED = frozenset({"link", "html", "parts_missing"})
# The parts that a person may leave out.
_OPTIONAL = frozenset({("parts_missing", "post"), ("parts_missing", "conclusion")})
_FIELDS = {"title": "title", "meta.description": "description"}


@dataclass(frozen=True)
class Edit:
    """A post as a person writes it: ``text`` is the Markdown below title and description.
    ``version`` is that of the stored post from which the edit began."""

    title: str
    description: str
    text: str
    version: int = 0


@dataclass(frozen=True)
class Draft:
    """A post in review, and what the rules say of it.

    Args:
        edit: what the fields of an editor show.
        html: the page below the title, with its offers.
        findings: what the rules object to, in reading order. They forbid nothing.
        problems: why the post cannot be stored, a sentence for each field ("title", "description",
            "text") that has a fault.
    """

    edit: Edit
    html: str
    findings: Sequence[Finding]
    problems: Mapping[str, str] = field(default_factory=dict)


def draft(item_id: str, feed_id: str = "") -> Draft:
    """Return a stored post as a person would edit it.

    Raises:
        NotFound: no such item.
        Conflict: it is not held.
        ValidationFailed: the request of its rule is no longer valid.
    """
    found = _find(item_id, feed_id)
    post = SEOPost.model_validate(found.item.post)
    edit = Edit(post.title, post.meta.description, format_text(post), found.item.version)
    return Draft(edit, found.item.html, check_post(post, found.brief))


def preview(item_id: str, edit: Edit, feed_id: str = "") -> Draft:
    """Return what an edit would make of a post. Nothing is stored.

    Raises:
        As ``draft``.
    """
    return _read(_find(item_id, feed_id), edit)[0]


def edit(context: Context, item_id: str, edit: Edit, feed_id: str = "") -> Draft:
    """Store an edit of a held post, with its offers placed again; return the new draft.

    Raises:
        ValidationFailed: the post has problems: ``details.problems`` has a sentence for each field.
        Conflict: somebody else has edited it since (``details.version`` is the present one), or it
            is no longer held. Nothing is stored.
        NotFound: no such item.
    """
    found = _find(item_id, feed_id)
    draft, columns, signature = _read(found, edit)
    if draft.problems:
        name, problem = next(iter(draft.problems.items()))
        raise ValidationFailed(problem, {"field": name, "problems": dict(draft.problems)})
    with writing() as session:
        scope = found.item.token_id
        lock_scope(session, scope)
        item = _require_held(session, item_id, feed_id, lock=True)
        if item.version != edit.version:
            raise Conflict(
                "Somebody else has edited this post since you opened it. Compare both texts, and"
                " save yours again.",
                {"version": item.version},
            )
        repeated = renew_signature(session, scope, item_id, signature)
        for name, value in columns.items():
            setattr(item, name, value)
        item.version += 1
        item.updated_at = context.clock.now()
    findings = list(draft.findings)
    if repeated is not None:
        reason = f"The post says the same as {repeated.post_id}, an earlier post of this feed."
        findings.insert(0, Finding("originality", Severity.WARNING, "post", reason))
    stored = replace(draft.edit, version=edit.version + 1)
    return replace(draft, edit=stored, findings=findings)


def approve(context: Context, item_ids: Sequence[str], feed_id: str = "") -> None:
    """Let sites pull held items: all of them, or none if one cannot be approved. Repeating the call
    changes nothing.

    Raises:
        NotFound: no such item.
        Conflict: an item was rejected, or a site has pulled it.
    """
    with writing() as session:
        # In one order, so that two calls about the same items do not wait for each other.
        for item_id in sorted(set(item_ids)):
            item = _require(session, item_id, feed_id, lock=True)
            _move(context, item, APPROVE.after(Status(item.status)))


def reject(context: Context, item_id: str, reason: str = "", feed_id: str = "") -> None:
    """Reject a held item. Repeating the call changes nothing.

    Raises:
        NotFound: no such item.
        Conflict: it is no longer held.
        ValidationFailed: the reason is too long.
    """
    note = _read_note("reason", reason)
    with writing() as session:
        item = _require(session, item_id, feed_id, lock=True)
        if _move(context, item, REJECT_HELD.after(Status(item.status))):
            item.review_note = note or None


def rewrite(context: Context, item_id: str, remark: str, feed_id: str = "") -> str:
    """Reject a held item, and have its rule write it again, from the same keyword and angle, with
    the remark. Return the id of the run; its post is held again.

    Raises:
        NotFound: no such item.
        Conflict: it is no longer held, was written again three times, or its rule is paused.
        ValidationFailed: the remark is empty or too long.
    """
    note, now = _read_note("remark", remark), context.clock.now()
    if not note:
        raise ValidationFailed("Say what the post should do better.", {"field": "remark"})
    with reading() as session:
        item = _require(session, item_id, feed_id)
    with writing() as session:
        lock_scope(session, item.token_id)
        rule = lock(session, models.Rule, item.rule_id)
        item = _require_held(session, item_id, feed_id, lock=True)
        require_unpaused(rule)
        if _rewrites(session, item) == MAX_REWRITES:
            raise Conflict(
                f"This post was written again {MAX_REWRITES} times. Edit it, or reject it."
            )
        _move(context, item, Status.REJECTED)
        item.review_note = note
        # The next version may say the same.
        forget_signature(session, item.token_id, item_id)
        run_id = add_run(session, rule.id, now, replaces=item_id)
    context.queue.enqueue(Work(WorkKind.RUN, run_id))
    return run_id


def after_time(context: Context) -> int:
    """Approve or reject the items that have waited for as long as their feeds allow; return how
    many. Several processes may do so at once."""
    now, decided = context.clock.now(), 0
    with reading() as session:
        held = waiting(session)
    for feed, since in held:
        hours = feed.review_hours
        if hours is None or since > (until := now - timedelta(hours=hours)):
            continue
        columns: dict[str, Any] = {"status": Status.PENDING.value, "updated_at": now}
        if feed.review_then == "reject":
            columns["status"] = Status.REJECTED.value
            columns["review_note"] = f"Nobody reviewed it within {span(hours * 3600)}."
        # Unless its review has changed since.
        same = select(Feed.id).where(
            Feed.id == feed.id,
            Feed.review == HOLD,
            Feed.review_hours == hours,
            Feed.review_then == feed.review_then,
        )
        old = (FeedItem.status == Status.HELD.value) & (FeedItem.generated_at <= until)
        moved = update(FeedItem).where(FeedItem.token_id == same.scalar_subquery(), old)
        with writing() as session:
            decided += session.connection().execute(moved.values(columns)).rowcount
    return decided


@dataclass(frozen=True)
class _Found:
    """A held item, and what its post is read and rendered with."""

    item: FeedItem
    request: GenerateRequest
    brief: Brief
    offers: Sequence[Offer]


def _find(item_id: str, feed_id: str) -> _Found:
    with reading() as session:
        item = _require_held(session, item_id, feed_id)
        rule = session.get_one(models.Rule, item.rule_id)
        feed = session.get_one(Feed, item.token_id)
        plan = account_store.plan_of_account(session, feed.account_id)
    request = parse(GenerateRequest, rule.request, STORED)
    request = request.about(item.keyword or request.keywords[0])
    cap = plan.max_words_per_request
    # Without its sources, nothing in it can be compared with them.
    brief = make_brief(
        request,
        max_words=min(request.max_words(cap), cap),
        today=item.generated_at.date(),
        verified=False,
    )
    return _Found(item, request, brief, [parse(Offer, offer) for offer in rule.offers])


def _read(found: _Found, edit: Edit) -> tuple[Draft, Mapping[str, Any], bytes]:
    """Return the draft of an edit, its columns of the item, and its signature."""
    limits = {"title": MAX_TITLE, "description": MAX_DESCRIPTION, "text": MAX_TEXT}
    problems = {
        name: f"The {name} has more than {most:,} characters. Shorten it."
        for name, most in limits.items()
        if len(getattr(edit, name)) > most
    }
    if max(map(len, _PARAGRAPH_BREAK.split(edit.text))) > _MAX_PARAGRAPH:
        told = (
            f"A paragraph has more than {_MAX_PARAGRAPH:,} characters. Divide it by a blank line."
        )
        problems.setdefault("text", told)
    if problems:
        return Draft(edit, "", (), problems), {}, b""
    title, description = (_clean(one_line(each)) for each in (edit.title, edit.description))
    post = parse_text(title, description, _clean(edit.text), found.brief)
    findings = []
    for finding in check_post(post, found.brief):
        if finding.rule in _REFUSED and (finding.rule, finding.section) not in _OPTIONAL:
            problems.setdefault(_FIELDS.get(finding.section, "text"), finding.reason)
        else:
            findings.append(finding)
    if not any(each.content_markdown for each in post.sections):
        problems["text"] = "The post has no text. Write one."
    columns = item_columns(post, found.request, found.offers)
    shown = Edit(post.title, post.meta.description, format_text(post), edit.version)
    return Draft(shown, columns["html"], findings, problems), columns, sign(text_of(post))


def _clean(text: str) -> str:
    """Return a text that databases can store."""
    return text.encode("utf-8", "replace").decode()


def _require(session: Session, item_id: str, feed_id: str, *, lock: bool = False) -> FeedItem:
    item = require(session, FeedItem, item_id, with_for_update=lock, populate_existing=lock)
    if feed_id and item.token_id != feed_id:
        raise NotFound("This feed has no such post.")
    return item


def _require_held(session: Session, item_id: str, feed_id: str, *, lock: bool = False) -> FeedItem:
    item = _require(session, item_id, feed_id, lock=lock)
    if item.status != Status.HELD:
        problem = f"This post is no longer held: it is {item.status}."
        raise Conflict(problem, {"status": item.status})
    return item


def _move(context: Context, item: FeedItem, to: Status) -> bool:
    """Move an item to a state; return whether it was in another one."""
    if item.status == to:
        return False
    item.status, item.updated_at = to.value, context.clock.now()
    return True


def _rewrites(session: Session, item: FeedItem) -> int:
    """Return how many times a post was written again before this version, counting up to the
    most."""
    number, earlier = 0, item.replaces
    while earlier is not None and number < MAX_REWRITES:
        number += 1
        found = session.get(FeedItem, earlier)
        earlier = found.replaces if found else None
    return number


def _read_note(name: str, text: str) -> str:
    note = _clean(one_line(text[: MAX_NOTE + 1]))
    if len(text) > MAX_NOTE:
        problem = f"The {name} has more than {MAX_NOTE:,} characters. Shorten it."
        raise ValidationFailed(problem, {"field": name})
    return note
