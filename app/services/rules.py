"""Keyword rules: making and changing them, and finding the ones that are due."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import Conflict, NotFound, ValidationFailed
from app.core.request import parse_generate_request
from app.core.rule import FREQUENT, SchedulePolicy, describe_status
from app.ports import Clock, TaskQueue, Work, WorkKind
from app.services.accounts import lock_token, require_token
from app.services.rule_checks import check_every, check_request, read_offers, rule_name
from app.store import accounts as account_store
from app.store import feed as feed_store
from app.store import rules as store
from app.store.database import autocommit, reading, writing
from app.store.due import BATCH, anything_due, queue_due
from app.store.feed_tables import RuleRow, RunRow
from app.store.ids import new_id

_RUNS_SHOWN = 1000


@dataclass(frozen=True)
class ListedRule:
    """A rule as operators see it: its status in words, how many items wait to be pulled (at most
    the cap), and its scheduled run where one is open."""

    row: RuleRow
    status: str
    pending: int
    open_run: RunRow | None


def create_rule(
    token: str,
    name: str,
    request: dict[str, Any],
    every: timedelta,
    offers: Sequence[dict[str, Any]],
    clock: Clock,
    queue: TaskQueue,
    *,
    current_event: bool = False,
    has_sources: bool = False,
    policy: SchedulePolicy = FREQUENT,
) -> str:
    """Add a rule to a token; its first item is generated at once, in the background.

    ``has_sources`` says whether there is anywhere to look for sources.

    Raises:
        ValidationFailed: the request, the frequency or an offer is invalid, beyond the plan of the
            token's account, or needs sources and there are none.
        NotFound: unknown token.
        Conflict: the token has a rule of that name.
    """
    name = rule_name(name)
    valid = parse_generate_request(request)
    checked = read_offers(offers)
    check_every(every)
    now = clock.now()
    with writing() as session:
        # Held: whoever pauses it at this moment must not overlook the new rule.
        feed = lock_token(session, token)
        check_request(
            session,
            valid,
            feed.account_id,
            current_event=current_event,
            has_sources=has_sources,
        )
        if store.name_taken(session, feed.id, name.casefold()):
            raise Conflict(f"This token has a rule “{name}” already.", {"field": "name"})
        rule = RuleRow(
            id=new_id("rul"),
            token_id=feed.id,
            name=name,
            name_key=name.casefold(),
            request=valid.to_wire(),
            offers=[offer.to_wire() for offer in checked],
            every_seconds=int(every.total_seconds()),
            current_event=current_event,
            paused=False,
            token_paused=feed.paused,
            next_due_at=policy.next_slot(now, every, now),
            created_at=now,
        )
        session.add(rule)
        session.flush()
        run_id = rule.run_id = store.add_run(session, rule.id, now, now)
        rule_id = rule.id
    if run_id is not None:
        queue.enqueue(Work(WorkKind.RUN, run_id))
    return rule_id


def update_rule(
    rule_id: str,
    clock: Clock,
    *,
    name: str | None = None,
    request: dict[str, Any] | None = None,
    every: timedelta | None = None,
    current_event: bool | None = None,
    has_sources: bool = False,
    policy: SchedulePolicy = FREQUENT,
) -> None:
    """Change what is given and leave the rest. ``request`` holds the members to replace; one that
    is None is taken away. A rule that waits after failures is tried at its next slot again.

    Raises:
        ValidationFailed, NotFound, Conflict: as for ``create_rule``.
    """
    now = clock.now()
    with writing() as session:
        rule = _lock(session, rule_id)
        if name is not None:
            name = rule_name(name)
            if store.name_taken(session, rule.token_id, name.casefold(), but=rule_id):
                raise Conflict(f"This token has a rule “{name}” already.", {"field": "name"})
            rule.name, rule.name_key = name, name.casefold()
        merged = {**rule.request, **(request or {})}
        if request and "constraints" in request:
            merged["constraints"] = {
                **rule.request.get("constraints", {}),
                **request["constraints"],
            }
        if current_event is not None:
            rule.current_event = current_event
        if request or current_event:
            valid = parse_generate_request(merged)
            account_id = account_store.account_of_token(session, rule.token_id)
            check_request(
                session,
                valid,
                account_id,
                current_event=rule.current_event,
                has_sources=has_sources,
            )
            rule.request = valid.to_wire()
        forgive(rule, now, policy)
        if every is not None:
            check_every(every)
            rule.every_seconds = int(every.total_seconds())
            rule.next_due_at = min(rule.next_due_at, policy.next_slot(now, every, now))


def pause_rule(
    rule_id: str, clock: Clock, *, paused: bool, policy: SchedulePolicy = FREQUENT
) -> None:
    """Pause or resume one rule; what it has queued stays pullable. A rule that is resumed does not
    wait any more for having failed before."""
    with writing() as session:
        rule = _lock(session, rule_id)
        rule.paused = paused
        if not paused:
            forgive(rule, clock.now(), policy)
        session.flush()
        store.hold_back_paused(session, RuleRow.id == rule_id)


def forgive(rule: RuleRow, now: datetime, policy: SchedulePolicy) -> None:
    """Have a rule that failed tried at its next slot, as if it had not."""
    if rule.failures:
        every = timedelta(seconds=rule.every_seconds)
        rule.failures = 0
        rule.next_due_at = policy.brought_forward(rule.next_due_at, every, now)


def list_rules(token: str, policy: SchedulePolicy = FREQUENT) -> Sequence[ListedRule]:
    """The rules of a token, with what they do."""
    cap = policy.queue_cap
    with reading() as session:
        token_id = require_token(session, token).id
        listed = []
        for rule, run in store.rules_of(session, token_id):
            pending = feed_store.count_pending(session, token_id, rule.id, up_to=cap)
            status = describe_status(
                paused=rule.paused,
                token_paused=rule.token_paused,
                full=pending >= cap,
                failures=rule.failures,
                last_error=rule.last_error,
            )
            listed.append(ListedRule(rule, status, pending, run))
        session.expunge_all()
    return listed


def list_runs(rule_id: str, limit: int) -> Sequence[RunRow]:
    """The runs of a rule's last slots, newest first.

    Raises:
        NotFound: unknown rule.
        ValidationFailed: a limit that is not between 1 and 1,000.
    """
    if not 1 <= limit <= _RUNS_SHOWN:
        raise ValidationFailed(
            f"limit must be between 1 and {_RUNS_SHOWN}.", {"field": "limit", "received": limit}
        )
    with reading() as session:
        _require(store.find_rule(session, rule_id), rule_id)
        rows = store.latest_runs(session, rule_id, limit)
        session.expunge_all()
    return rows


def add_offer(rule_id: str, offer: dict[str, Any]) -> None:
    """Add an offer to a rule, for the items that are generated from now on."""
    with writing() as session:
        rule = _lock(session, rule_id)
        rule.offers = [entry.to_wire() for entry in read_offers([*rule.offers, offer])]


def remove_offer(rule_id: str, name: str) -> None:
    """Remove an offer by its name.

    Raises:
        NotFound: the rule has no such offer.
    """
    with writing() as session:
        rule = _lock(session, rule_id)
        left = [entry for entry in rule.offers if entry["name"].casefold() != name.casefold()]
        if len(left) == len(rule.offers):
            raise NotFound(f"Rule {rule_id} has no offer “{name}”.")
        rule.offers = left


def tick(clock: Clock, queue: TaskQueue, policy: SchedulePolicy = FREQUENT) -> int:
    """Queue a run for every rule that is due; says how many. Any number of processes may tick."""
    with autocommit() as connection:
        if not anything_due(connection, clock.now()):
            return 0
    return _queue_due(clock, queue, policy, None)


def trigger_due(
    token_id: str, clock: Clock, queue: TaskQueue, policy: SchedulePolicy = FREQUENT
) -> int:
    """The same for the rules of one token, as by a pull that noticed them."""
    return _queue_due(clock, queue, policy, token_id)


def _queue_due(clock: Clock, queue: TaskQueue, policy: SchedulePolicy, token_id: str | None) -> int:
    now, queued = clock.now(), 0
    while True:
        # Each batch is a transaction of its own, so that a feed never waits for the whole tick.
        with writing() as session:
            batch = queue_due(session, now, policy, token_id)
        queue.enqueue(*(Work(WorkKind.RUN, run) for run in batch.runs))
        queued += len(batch.runs)
        if batch.due < BATCH:
            return queued


def _lock(session: Session, rule_id: str) -> RuleRow:
    return _require(store.lock_rule(session, rule_id), rule_id)


def _require(rule: RuleRow | None, rule_id: str) -> RuleRow:
    if rule is None:
        raise NotFound(f"There is no rule {rule_id}.")
    return rule
