"""What calls to models cost: counting each of them, and the caps that stop the next one.

A call is counted before it begins, with an estimate, in the transaction that looks whether a cap is
reached. The transaction that stores its answer replaces the estimate by what the endpoint reports.
If the worker dies in between, the estimate stays: a call that was paid is never lost, and none is
counted twice.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from math import ceil
from typing import TypeVar

from sqlalchemy.orm import Session

from app.core.billing.costs import HIGHEST_MICROS, Figures, dollars, estimated_tokens
from app.core.billing.metering import midnight, period_end, period_start
from app.core.errors import (
    GenerationCancelled,
    ModelUnavailable,
    SpendCapReached,
    ValidationFailed,
)
from app.core.feed.rule import spend_cap_reached
from app.core.schemas.times import wire_time
from app.deadline import Deadline
from app.ports import Model, Moderator
from app.services.context import Context
from app.services.leases import LEASE, TakenOver, retry_on_disconnect
from app.store import costs as store
from app.store import models
from app.store.costs import INSTALLATION, Payer
from app.store.database import reading, writing
from app.store.rows import new_id
from app.writing.completion import Completion, Prompt

T = TypeVar("T")

log = logging.getLogger(__name__)

NO_CAP = -1
"""Removes a cap."""
_MODEL_CHARS = 100
Settle = Callable[[Session], None]
"""Replaces the estimate of a call by its figures, in the caller's transaction."""


@dataclass(frozen=True)
class Costed:
    """The work that calls are made for.

    Args:
        post_id: the id by which operators look its costs up.
        extend: extends the lease of the work; returns False if another worker has taken it over.
    """

    work_id: str
    post_id: str
    payer: Payer
    extend: Callable[[Session, datetime], bool]


@dataclass(frozen=True)
class _Charge:
    """A call that was counted with an estimate."""

    id: str
    model: str
    day: date
    estimate: Figures


class Meter:
    """Counts the calls for one post. Thread-safe: drafts are written beside each other."""

    def __init__(self, context: Context, work: Costed) -> None:
        self._context = context
        self._clock = context.clock
        self._budget = context.budget
        self._work = work

    def require_budget(self) -> None:
        """Check that no cap is reached, before anything else is done for the post.

        Raises:
            SpendCapReached: one is.
        """
        with reading() as session:
            require_budget(self._context, session, self._work.payer)

    def ask(self, model: Model, prompt: Prompt, deadline: Deadline) -> tuple[Completion, Settle]:
        """Return the answer to a prompt, and what settles the call.

        If the endpoint cannot be reached, nothing is counted. If it gives no answer in time, the
        estimate stays: it may have been paid.

        Raises:
            SpendCapReached: a cap is reached; the model was not asked.
            TakenOver: another worker holds the work; the model was not asked.
            ModelUnavailable, GenerationTimeout, GenerationCancelled
        """
        deadline.left()
        tokens = estimated_tokens(prompt.system, prompt.user)
        charge = self._charge(model.name, tokens, prompt.expected_tokens)
        completion = self._made(charge, lambda: model.complete(prompt, deadline))
        is_estimate = not completion.prompt_tokens
        answered_by = completion.model[:_MODEL_CHARS] or charge.model
        figures = self._budget.figures(
            answered_by,
            tokens if is_estimate else completion.prompt_tokens,
            estimated_tokens(completion.text) if is_estimate else completion.completion_tokens,
            is_estimate=is_estimate,
        )
        return completion, partial(self._settle, charge, answered_by, figures)

    def counted_moderator(self, moderator: Moderator) -> Moderator:
        """Return the moderator with its calls counted; endpoints report no tokens of them."""
        return _CountedModerator(self, moderator)

    def moderated(
        self, moderator: Moderator, texts: Sequence[str], deadline: Deadline
    ) -> tuple[str, ...]:
        """Return what the moderator says of texts.

        Raises:
            As ``ask``.
        """
        deadline.left()
        charge = self._charge(moderator.name, estimated_tokens(*texts), 0)
        return self._made(charge, lambda: moderator.flagged(texts, deadline))

    def name_post(self, session: Session, post_id: str) -> None:
        """Name the post by which operators look its costs up."""
        store.name_post(session, self._work.work_id, post_id)

    @retry_on_disconnect
    def settle(self, settle: Settle) -> None:
        """Settle a call in a transaction of its own.

        Raises:
            TakenOver: another worker holds the work; the estimate stays.
        """
        with writing() as session:
            self._require_lease(session)
            settle(session)

    def _made(self, charge: _Charge, call: Callable[[], T]) -> T:
        try:
            return call()
        except GenerationCancelled:
            raise
        except ModelUnavailable:
            self.settle(partial(self._settle, charge, charge.model, Figures()))
            raise

    def _charge(self, model: str, prompt_tokens: int, answer_tokens: int) -> _Charge:
        now, model = self._clock.now(), model[:_MODEL_CHARS]
        estimate = self._budget.figures(model, prompt_tokens, answer_tokens, is_estimate=True)
        charge = _Charge(new_id("cal"), model, now.date(), estimate)
        self._count(charge, now)
        return charge

    @retry_on_disconnect
    def _count(self, charge: _Charge, now: datetime) -> None:
        work, payer = self._work, self._work.payer
        with writing() as session:
            self._require_lease(session)
            named = {"post_id": work.post_id, "rule_id": payer.rule_id, "created_at": now}
            named["account_id"] = payer.account_id
            if not store.open_call(session, work.work_id, charge.id, charge.estimate, **named):
                return
            period = period_start(now)
            micros = store.add_to_month(session, payer, period, charge.day, charge.estimate)
            caps = {INSTALLATION: self._budget.cap, **store.caps(session, [payer])}
            for _, scope in payer.scopes:
                cap, before = caps[scope], micros[scope] - charge.estimate.micros
                if cap is not None and before >= cap:
                    raise _reached(session, payer, scope, cap, now)
            store.add_to_day(session, payer, charge.day, charge.model, charge.estimate)

    def _settle(self, charge: _Charge, model: str, figures: Figures, session: Session) -> None:
        work, payer, day = self._work, self._work.payer, charge.day
        more = figures + -charge.estimate
        if not store.end_call(session, work.work_id, charge.id, more):
            return
        store.add_to_month(session, payer, period_start(midnight(day)), day, more)
        if model == charge.model:
            store.add_to_day(session, payer, day, model, more)
        else:  # a fall-back answered
            store.add_to_day(session, payer, day, charge.model, -charge.estimate)
            store.add_to_day(session, payer, day, model, figures)

    def _require_lease(self, session: Session) -> None:
        if not self._work.extend(session, self._clock.now() + LEASE):
            raise TakenOver


class _CountedModerator(Moderator):
    """A moderator whose calls are counted."""

    def __init__(self, meter: Meter, moderator: Moderator) -> None:
        self._meter = meter
        self._moderator = moderator
        self.name = moderator.name

    def flagged(self, texts: Sequence[str], deadline: Deadline) -> tuple[str, ...]:
        return self._meter.moderated(self._moderator, texts, deadline)


def checked_cap(cap: int) -> int | None:
    """Return a cap as it is stored: None for ``NO_CAP``.

    Raises:
        ValidationFailed: out of range.
    """
    if cap == NO_CAP:
        return None
    if not 0 <= cap <= HIGHEST_MICROS:
        most = dollars(HIGHEST_MICROS)
        raise ValidationFailed(f"spendCap must be from $0 to {most}.", {"field": "spendCap"})
    return cap


def require_budget(context: Context, session: Session, payer: Payer) -> None:
    """Check that no cap stops a call for this payer.

    Raises:
        SpendCapReached: one does.
    """
    (reached,) = _stopping(context, session, [payer])
    if reached is not None:
        raise reached


def why_stopped(
    context: Context, session: Session, payers: Sequence[Payer]
) -> Sequence[str | None]:
    """Return, for each payer, which cap stops its calls, in a sentence for the operator, or
    None."""
    stopping = _stopping(context, session, payers)
    return [None if reached is None else reached.operator for reached in stopping]


def _stopping(
    context: Context, session: Session, payers: Sequence[Payer]
) -> Sequence[SpendCapReached | None]:
    """Return, for each payer, the error of the first cap that stops its calls, or None."""
    now = context.clock.now()
    known = {INSTALLATION: context.budget.cap, **store.caps(session, payers)}
    caps = {scope: cap for scope, cap in known.items() if cap is not None}
    spent = store.spent(session, caps, period_start(now)) if caps else {}
    reached = {scope for scope, found in spent.items() if found.figures.micros >= caps[scope]}
    first = (
        next((scope for _, scope in payer.scopes if scope in reached), None) for payer in payers
    )
    return [
        None if scope is None else _reached(session, payer, scope, caps[scope], now)
        for payer, scope in zip(payers, first, strict=True)
    ]


def _reached(
    session: Session, payer: Payer, scope: str, cap: int, now: datetime
) -> SpendCapReached:
    """Return the error of a cap. Only its text for the operator has amounts."""
    resets = midnight(period_end(period_start(now)))
    if scope == INSTALLATION:
        whose, remedy = "of the installation", "raise COPYDESK_SPEND_CAP"
    elif scope == payer.account_id:
        name = session.get_one(models.Account, scope).name
        whose = f"of the account “{name}”"
        remedy = f"run `copydesk-server account update {scope} --spend-cap …`"
    else:
        name = session.get_one(models.Rule, scope).name
        whose = f"of the rule “{name}”"
        remedy = f"run `copydesk-server rule update {scope} --spend-cap …`"
    return SpendCapReached(
        "The budget for this month is used up. Try again next month, or contact the operator of"
        " this service.",
        {"limitType": "monthlyBudget", "resetAt": wire_time(resets)},
        operator=spend_cap_reached(f"{whose}, {dollars(cap)} a month,", resets, remedy),
        retry_after=max(1, ceil((resets - now).total_seconds())),
    )
