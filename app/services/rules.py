"""Keyword rules: creating, changing and planning them, and queueing the ones that are due."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, cycle, islice
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import Conflict, NotFound, ValidationFailed
from app.core.feed.rule import (
    Saturation,
    SchedulePolicy,
    describe_status,
    nothing_left,
)
from app.core.schemas.names import name_key, read_name
from app.core.schemas.request import GenerateRequest, check_plan, parse, parse_generate_request
from app.ports import Work, WorkKind
from app.rendering.offers import Offer, check_offers
from app.services import saturation as saturations
from app.services.context import Context
from app.services.costs import checked_cap, why_stopped
from app.services.lookups import lock_rule, require, require_token
from app.services.overview import PAGE
from app.services.post_writer import needs_sources
from app.services.sources import NO_PROVIDER
from app.store import accounts as account_store
from app.store import feed as feed_store
from app.store import models
from app.store import rules as store
from app.store.costs import Payer
from app.store.database import reading, writing
from app.store.due import anything_due, queue_due
from app.writing.angles import Angle

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ListedRule:
    """A rule as operators see it: its status in words, the number of items that no site has
    pulled (at most the cap), and its scheduled run if one is open.

    ``left`` is the number of posts that it can still write, None if that is not limited.
    ``saturation`` and ``cap_reached``, a sentence, say why it writes none at this moment."""

    row: models.Rule
    status: str
    pending: int
    open_run: models.Run | None
    left: int | None
    saturation: Saturation | None
    cap_reached: str | None = None


@dataclass(frozen=True)
class NewRule:
    """A rule to create. ``request`` holds the members of a GenerateRequest."""

    name: str
    request: Mapping[str, Any]
    every: timedelta
    offers: Sequence[dict[str, Any]] = ()
    current_event: bool = False


@dataclass(frozen=True)
class RuleChanges:
    """What to change of a rule; None leaves it as it is.

    ``request`` holds the members to replace; a member that is None is removed. ``spend_cap`` is
    in micro-dollars a month; ``NO_CAP`` removes it.
    """

    name: str | None = None
    request: Mapping[str, Any] | None = None
    every: timedelta | None = None
    current_event: bool | None = None
    spend_cap: int | None = None


def create_rule(context: Context, token: str, new: NewRule) -> str:
    """Add a rule to a feed and return its id. Its first item is generated immediately, in the
    background.

    Raises:
        ValidationFailed: the request, the frequency or an offer is invalid or beyond the plan of
            the feed's account, or the request needs sources and none are configured.
        NotFound: unknown token.
        Conflict: the feed has a rule of that name.
    """
    name = read_name(new.name)
    valid = parse_generate_request(new.request)
    offers = _read_offers(new.offers)
    now = context.clock.now()
    with writing() as session:
        # Locked, so that a concurrent pause of the feed does not miss the new rule.
        feed = require_token(session, token, lock=True)
        _check_request(context, session, valid, feed.account_id, new.current_event)
        _require_free_name(session, feed.id, name)
        rule = store.add_rule(
            session,
            now,
            token_id=feed.id,
            name=name,
            name_key=name_key(name),
            request=valid.to_wire(),
            offers=[offer.to_wire() for offer in offers],
            every_seconds=int(new.every.total_seconds()),
            current_event=new.current_event,
            token_paused=feed.paused,
            next_due_at=context.policy.next_slot(now, new.every, now),
        )
    if rule.run_id is not None:
        context.queue.enqueue(Work(WorkKind.RUN, rule.run_id))
    return rule.id


def update_rule(context: Context, rule_id: str, changes: RuleChanges) -> None:
    """Change a rule. If it is waiting after failures, it runs again at its next slot.

    Raises:
        ValidationFailed, NotFound, Conflict: as for ``create_rule``.
    """
    now, every = context.clock.now(), changes.every
    with writing() as session:
        rule = lock_rule(session, rule_id)
        if changes.name is not None:
            name = read_name(changes.name)
            _require_free_name(session, rule.token_id, name, but=rule_id)
            rule.name, rule.name_key = name, name_key(name)
        if changes.current_event is not None:
            rule.current_event = changes.current_event
        if changes.request or changes.current_event:
            valid = parse_generate_request(_merged(rule.request, changes.request or {}))
            account_id = session.get_one(models.Feed, rule.token_id).account_id
            _check_request(context, session, valid, account_id, rule.current_event)
            rule.request = valid.to_wire()
        if changes.spend_cap is not None:
            rule.spend_cap = checked_cap(changes.spend_cap)
        reset_backoff(rule, now, context.policy)
        if every is not None:
            rule.every_seconds = int(every.total_seconds())
            rule.next_due_at = min(rule.next_due_at, context.policy.next_slot(now, every, now))


def run_soon(context: Context, rule_id: str) -> str:
    """Let a worker begin a run of a rule now, and return its id. If a run waits for another
    attempt, it begins now. The rule no longer waits because of earlier failures.

    Raises:
        NotFound: unknown rule.
        Conflict: the rule or its feed is paused, or a run is being written.
    """
    now = context.clock.now()
    with writing() as session:
        rule = lock_rule(session, rule_id)
        if rule.paused or rule.token_paused:
            raise Conflict("The rule is paused. Resume the rule and its feed first.")
        reset_backoff(rule, now, context.policy)
        run_id = rule.run_id
        if run_id is None:
            # Its run from now on, as if a slot had come: a pause holds it back.
            run_id = rule.run_id = store.add_run(session, rule_id, now, now)
        elif not store.begin_now(session, run_id, now):
            raise Conflict("A run of this rule is being written at this moment.")
        if run_id is None:
            raise Conflict("Another run began at this very moment. Try again.")
        attempt = session.get_one(models.Run, run_id).attempts + 1
    context.queue.enqueue(Work(WorkKind.RUN, run_id, attempt))
    return run_id


def _merged(request: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with members replaced, and constraints replaced one by one."""
    merged = {**request, **changes}
    if "constraints" in changes:
        merged["constraints"] = {**request.get("constraints", {}), **changes["constraints"]}
    return merged


def _require_free_name(session: Session, token_id: str, name: str, but: str | None = None) -> None:
    if store.name_taken(session, token_id, name, but):
        raise Conflict(f"This feed already has a rule named “{name}”.", {"field": "name"})


def _check_request(
    context: Context,
    session: Session,
    request: GenerateRequest,
    account_id: str,
    current_event: bool,
) -> None:
    """Refuse a request for which every run of the rule would fail."""
    plan = account_store.plan_of_account(session, account_id)
    assert plan is not None  # noqa: S101 - a foreign key
    check_plan(request, plan)
    field = needs_sources(request, current_event=current_event)
    if field is not None and context.options.research is None:
        message = (
            f"{field}: a rule on current events or with factualityMode verified needs sources to"
            " check against."
        )
        raise ValidationFailed(message, {"field": field}, operator=f"{message} {NO_PROVIDER}")


def _read_offers(entries: Sequence[dict[str, Any]]) -> list[Offer]:
    """Return the offers of a rule: http(s) only, names and addresses unique."""
    offers = [parse(Offer, entry) for entry in entries]
    check_offers(offers)
    return offers


def pause_rule(context: Context, rule_id: str, *, paused: bool) -> None:
    """Pause or resume a rule; a resumed rule no longer waits because of earlier failures. Items in
    the feed can still be pulled."""
    with writing() as session:
        rule = lock_rule(session, rule_id)
        rule.paused = paused
        if not paused:
            reset_backoff(rule, context.clock.now(), context.policy)
        session.flush()
        store.hold_back_paused(session, models.Rule.id == rule_id)


def reset_backoff(rule: models.Rule, now: datetime, policy: SchedulePolicy) -> None:
    """Let a rule that failed run at its next slot, as if it had not."""
    if rule.failures:
        every = timedelta(seconds=rule.every_seconds)
        rule.failures = 0
        rule.next_due_at = policy.brought_forward(rule.next_due_at, every, now)


def list_rules(
    context: Context, token: str = "", account_id: str = "", before: str = "", limit: int = PAGE
) -> Sequence[ListedRule]:
    """Return a page of rules and their state, of a feed, of an account or of all, newest first.

    Raises:
        NotFound: unknown feed or account.
    """
    with reading() as session:
        token_id = require_token(session, token).id if token else ""
        if account_id:
            require(session, models.Account, account_id)
        found = store.newest_rules(session, token_id, account_id, before, limit)
        return listed(context, session, found)


def listed(
    context: Context, session: Session, found: Sequence[tuple[models.Rule, models.Run | None]]
) -> Sequence[ListedRule]:
    """Return rules and their open runs as operators see them, in as many queries as for one."""
    rules, cap = [rule for rule, _ in found], context.policy.queue_cap
    pending = feed_store.count_waiting(session, [rule.id for rule in rules], up_to=cap)
    left = saturations.posts_left(session, rules)
    accounts = account_store.owners(session, {rule.token_id for rule in rules})
    payers = [Payer(accounts[rule.token_id], rule.id) for rule in rules]
    found_rules = []
    for (rule, run), stopped in zip(found, why_stopped(context, session, payers), strict=True):
        saturation = nothing_left(rule.id, rule.saturated_since) if left[rule.id] == 0 else None
        waits_for = "spend cap reached" if stopped else None
        if pending[rule.id] >= cap:
            waits_for = "queue full"
        status = describe_status(
            paused=rule.paused,
            token_paused=rule.token_paused,
            failures=rule.failures,
            last_error=rule.last_error,
            saturated=saturation is not None,
            waits_for=waits_for,
        )
        of_rule = (left[rule.id], saturation, stopped)
        found_rules.append(ListedRule(rule, status, pending[rule.id], run, *of_rule))
    return found_rules


def list_runs(rule_id: str, limit: int) -> Sequence[models.Run]:
    """Return the runs of a rule's latest slots, newest first.

    Raises:
        NotFound: unknown rule.
    """
    with reading() as session:
        require(session, models.Rule, rule_id)
        return store.latest_runs(session, rule_id, limit)


def add_offer(rule_id: str, offer: dict[str, Any]) -> None:
    """Add an offer to a rule, for items generated from now on."""
    with writing() as session:
        rule = lock_rule(session, rule_id)
        rule.offers = [entry.to_wire() for entry in _read_offers([*rule.offers, offer])]


def remove_offer(rule_id: str, name: str) -> None:
    """Remove an offer by name.

    Raises:
        NotFound: the rule has no such offer.
    """
    with writing() as session:
        rule = lock_rule(session, rule_id)
        left = [entry for entry in rule.offers if name_key(entry["name"]) != name_key(name)]
        if len(left) == len(rule.offers):
            raise NotFound(f"Rule {rule_id} has no offer “{name}”.")
        rule.offers = left


def tick(context: Context) -> int:
    """Queue a run for every rule that is due; return how many. Several processes may tick."""
    with reading() as session:
        if not anything_due(session, context.clock.now()):
            return 0
    return trigger_due(context, None)


def trigger_due(context: Context, token_id: str | None) -> int:
    """Queue a run for every due rule of one feed, or of all; return how many.

    A rule that was saturated when it last ran is looked at again, outside of the transaction that
    moves the slots: it gets its run if it has something to write by now.
    """
    now, queued = context.clock.now(), 0
    while True:
        # One transaction per batch, so that a feed never waits for the whole tick.
        with writing() as session:
            cap = context.budget.cap
            batch = queue_due(session, now, context.policy, token_id, spend_cap=cap)
        context.queue.enqueue(*(Work(WorkKind.RUN, run) for run in batch.runs))
        queued += len(batch.runs)
        woken = _wake(batch.saturated) if batch.saturated else 0
        if not batch.more and not woken:
            return queued


def _wake(saturated: Mapping[str, datetime]) -> int:
    """Make those rules due again that have something to write; return how many."""
    with reading() as session:
        left = saturations.posts_left(session, store.rules_by_id(session, saturated))
    awake = [rule_id for rule_id, number in left.items() if number != 0]
    if not awake:
        return 0
    log.info("no longer saturated: %s", ", ".join(awake))
    with writing() as session:
        return store.end_saturation(session, {rule_id: saturated[rule_id] for rule_id in awake})


@dataclass(frozen=True)
class PlannedPost:
    """A slot of a rule, and the primary keyword and angle of its post. A slot that has passed is
    generated as soon as possible."""

    slot: datetime
    keyword: str
    angle: Angle


@dataclass(frozen=True)
class RulePlan:
    """The next posts of a rule; ``rule`` has its status. The posts of a paused rule are those that
    it would generate if it were resumed.

    If there are fewer than asked for, ``shortfall`` says why.
    """

    rule: ListedRule
    posts: tuple[PlannedPost, ...]
    shortfall: Saturation | None


def plan_rule(context: Context, rule_id: str, count: int) -> RulePlan:
    """Return the next ``count`` posts of a rule, provided that each run succeeds: a run that fails
    leaves its angle to the next one. Generates nothing.

    Raises:
        NotFound: unknown rule.
        ValidationFailed: the stored request is no longer valid.
    """
    with reading() as session:
        rule = require(session, models.Rule, rule_id)
        open_run = session.get(models.Run, rule.run_id) if rule.run_id else None
        outlook = saturations.look(session, rule)
        (shown,) = listed(context, session, [(rule, open_run)])
        # The open run comes first, then the slots without a run.
        begun = [open_run.slot] if open_run else []
        slots = chain(begun, _slots(context, rule))
        left = cycle(outlook.left) if outlook.unlimited else outlook.left
        posts = tuple(
            PlannedPost(slot, keyword, angle)
            for slot, (keyword, angle) in zip(slots, islice(left, count), strict=False)
        )
        return RulePlan(
            rule=shown,
            posts=posts,
            shortfall=nothing_left(rule_id) if len(posts) < count else None,
        )


def _slots(context: Context, rule: models.Rule) -> Iterator[datetime]:
    """Yield the slots of a rule."""
    now, due, every = context.clock.now(), rule.next_due_at, timedelta(seconds=rule.every_seconds)
    while True:
        yield due
        due = context.policy.next_slot(due, every, max(due, now))
