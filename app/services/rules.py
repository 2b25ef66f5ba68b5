"""Keyword rules: making and changing them, and finding the ones that are due."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from app.core.errors import Conflict, NotFound, ValidationFailed
from app.core.offers import Offer, check_offers
from app.core.request import parse, parse_generate_request
from app.core.rule import MAX_EVERY, MIN_EVERY, QUEUE_CAP
from app.ports import Clock, TaskQueue, Work, WorkKind
from app.services.accounts import require_token
from app.store import feed as feed_store
from app.store import rules as store
from app.store.database import reading, writing
from app.store.ids import new_id
from app.store.tables import RuleRow


def create_rule(
    token: str,
    name: str,
    request: dict[str, Any],
    every: timedelta,
    offers: Sequence[dict[str, Any]],
    clock: Clock,
    queue: TaskQueue,
) -> str:
    """Add a rule to a token; its first item is generated at once, in the background.

    Raises:
        ValidationFailed: the request, the frequency or an offer is invalid.
        NotFound: unknown token.
        Conflict: the token has a rule of that name.
    """
    name = _rule_name(name)
    valid = parse_generate_request(request)
    checked = _offers(offers)
    _check_every(every)
    now = clock.now()
    with writing() as session:
        feed = require_token(session, token)
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
            paused=False,
            token_paused=feed.paused,
            next_due_at=now + every,
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
) -> None:
    """Change what is given and leave the rest. ``request`` holds the members to replace.

    Raises:
        ValidationFailed, NotFound, Conflict: as for ``create_rule``.
    """
    with writing() as session:
        rule = _require(store.find_rule(session, rule_id), rule_id)
        if name is not None:
            name = _rule_name(name)
            if store.name_taken(session, rule.token_id, name.casefold(), but=rule_id):
                raise Conflict(f"This token has a rule “{name}” already.", {"field": "name"})
            rule.name, rule.name_key = name, name.casefold()
        if request:
            merged = {**rule.request, **request}
            if "constraints" in request:
                merged["constraints"] = {
                    **rule.request.get("constraints", {}),
                    **request["constraints"],
                }
            rule.request = parse_generate_request(merged).to_wire()
        if every is not None:
            _check_every(every)
            rule.every_seconds = int(every.total_seconds())
            rule.next_due_at = min(rule.next_due_at, clock.now() + every)


def pause_rule(rule_id: str, *, paused: bool) -> None:
    """Pause or resume one rule; what it has queued stays pullable."""
    with writing() as session:
        _require(store.find_rule(session, rule_id), rule_id).paused = paused
        session.flush()
        store.hold_back_paused(session, RuleRow.id == rule_id)


def list_rules(token: str) -> Sequence[tuple[RuleRow, int]]:
    """The rules of a token, each with how many items wait to be pulled (at most the cap)."""
    with reading() as session:
        token_id = require_token(session, token).id
        rows = [
            (rule, feed_store.count_pending(session, token_id, rule.id, up_to=QUEUE_CAP))
            for rule in store.rules_of(session, token_id)
        ]
        session.expunge_all()
    return rows


def add_offer(rule_id: str, offer: dict[str, Any]) -> None:
    """Add an offer to a rule, for the items that are generated from now on."""
    with writing() as session:
        rule = _require(store.find_rule(session, rule_id), rule_id)
        rule.offers = [entry.to_wire() for entry in _offers([*rule.offers, offer])]


def remove_offer(rule_id: str, name: str) -> None:
    """Remove an offer by its name.

    Raises:
        NotFound: the rule has no such offer.
    """
    with writing() as session:
        rule = _require(store.find_rule(session, rule_id), rule_id)
        left = [entry for entry in rule.offers if entry["name"].casefold() != name.casefold()]
        if len(left) == len(rule.offers):
            raise NotFound(f"Rule {rule_id} has no offer “{name}”.")
        rule.offers = left


def tick(clock: Clock, queue: TaskQueue) -> int:
    """Queue a run for every rule that is due; says how many. Any number of processes may tick."""
    now = clock.now()
    triggered = 0
    while True:
        with writing() as session:
            due = store.due_rules(session, now, lock=True)
            runs = [store.trigger(session, rule, now) for rule in due]
        if not due:
            return triggered
        queued = [Work(WorkKind.RUN, run) for run in runs if run is not None]
        queue.enqueue(*queued)
        triggered += len(queued)


def _offers(entries: Sequence[dict[str, Any]]) -> list[Offer]:
    offers = [parse(Offer, entry) for entry in entries]
    check_offers(offers)
    return offers


def _check_every(every: timedelta) -> None:
    if not MIN_EVERY <= every <= MAX_EVERY:
        raise ValidationFailed("every must be between 15m and 30d.", {"field": "every"})


def _rule_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise ValidationFailed("name must have 1 to 100 printable characters.", {"field": "name"})
    return name


def _require(rule: RuleRow | None, rule_id: str) -> RuleRow:
    if rule is None:
        raise NotFound(f"There is no rule {rule_id}.")
    return rule
