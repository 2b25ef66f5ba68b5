"""Keyword rules: creating, changing, pausing and starting them."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.core.errors import Conflict, NotFound, ValidationFailed
from app.core.feed.rule import SchedulePolicy
from app.core.schemas.bodies import parse
from app.core.schemas.names import name_key, read_name
from app.core.schemas.request import GenerateRequest, check_plan
from app.ports import Work, WorkKind
from app.rendering.offers import Offer, check_offers
from app.services.context import Context
from app.services.costs import checked_cap
from app.services.lookups import lock
from app.services.sources import NO_PROVIDER, needs_sources
from app.store import accounts as account_store
from app.store import models
from app.store import rules as store
from app.store.database import writing
from app.store.rows import changes, new_row

log = logging.getLogger(__name__)


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


def create_rule(context: Context, feed_id: str, new: NewRule) -> str:
    """Add a rule to a feed and return its id. Its first item is generated immediately, in the
    background.

    Raises:
        ValidationFailed: the request, the frequency or an offer is invalid or beyond the plan of
            the feed's account, or the request needs sources and none are configured.
        NotFound: unknown feed.
        Conflict: the feed has a rule of that name.
    """
    name = read_name(new.name)
    valid = parse(GenerateRequest, new.request)
    offers = _read_offers(new.offers)
    now = context.clock.now()
    with writing() as session:
        # Locked, so that a concurrent pause of the feed does not miss the new rule.
        feed = lock(session, models.Feed, feed_id)
        _check_request(context, session, valid, feed.account_id, new.current_event)
        _require_free_name(session, feed.id, name)
        rule = new_row(
            models.Rule,
            "rul",
            created_at=now,
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
        session.add(rule)
        session.flush()
        rule.run_id = store.add_run(session, rule.id, now, now)
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
        rule = lock(session, models.Rule, rule_id)
        if changes.name is not None:
            name = read_name(changes.name)
            _require_free_name(session, rule.token_id, name, but=rule_id)
            rule.name, rule.name_key = name, name_key(name)
        if changes.current_event is not None:
            rule.current_event = changes.current_event
        if changes.request or changes.current_event:
            valid = parse(GenerateRequest, _merged(rule.request, changes.request or {}))
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
        rule = lock(session, models.Rule, rule_id)
        require_unpaused(rule)
        reset_backoff(rule, now, context.policy)
        run, run_id = models.Run, rule.run_id
        queued = (run.id == run_id) & (run.status == store.RunStatus.QUEUED.value)
        if run_id is None:
            # Its run from now on, as if a slot had come: a pause holds it back.
            run_id = rule.run_id = add_run(session, rule_id, now)
        elif not changes(session, update(run).where(queued).values(not_before=now)):
            raise Conflict("A run of this rule is being written at this moment.")
        attempt = session.get_one(models.Run, run_id).attempts + 1
    context.queue.enqueue(Work(WorkKind.RUN, run_id, attempt))
    return run_id


def require_unpaused(rule: models.Rule) -> None:
    """Require that neither a rule nor its feed is paused.

    Raises:
        Conflict: one of them is.
    """
    if rule.paused or rule.token_paused:
        raise Conflict(f"The rule “{rule.name}” is paused. Resume it and its feed first.")


def add_run(session: Session, rule_id: str, now: datetime, **columns: Any) -> str:
    """Add a run outside of the schedule; return its id.

    Raises:
        Conflict: another one began at the same moment.
    """
    run_id = store.add_run(session, rule_id, now, now, **columns)
    if run_id is None:
        raise Conflict("Another run began at this very moment. Try again.")
    return run_id


def _merged(request: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with members replaced, and constraints replaced one by one."""
    merged = {**request, **changes}
    if "constraints" in changes:
        merged["constraints"] = {**request.get("constraints", {}), **changes["constraints"]}
    return merged


def _require_free_name(session: Session, token_id: str, name: str, but: str | None = None) -> None:
    rule = models.Rule
    named = select(rule.id).where(rule.token_id == token_id, rule.name_key == name_key(name))
    if session.scalar(named.where(rule.id != but).limit(1)) is not None:
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
        rule = lock(session, models.Rule, rule_id)
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


def add_offer(rule_id: str, offer: dict[str, Any]) -> None:
    """Add an offer to a rule, for items generated from now on."""
    with writing() as session:
        rule = lock(session, models.Rule, rule_id)
        rule.offers = [entry.to_wire() for entry in _read_offers([*rule.offers, offer])]


def remove_offer(rule_id: str, name: str) -> None:
    """Remove an offer by name.

    Raises:
        NotFound: the rule has no such offer.
    """
    with writing() as session:
        rule = lock(session, models.Rule, rule_id)
        left = [entry for entry in rule.offers if name_key(entry["name"]) != name_key(name)]
        if len(left) == len(rule.offers):
            raise NotFound(f"Rule {rule_id} has no offer “{name}”.")
        rule.offers = left
