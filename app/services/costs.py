"""What calls to models cost: counting each of them, and the caps that stop the next one.

A call is counted before it begins, with an estimate, in the transaction that looks whether a cap is
reached. The transaction that stores its answer replaces the estimate by what the endpoint reports.
If the worker dies in between, the estimate stays: a call that was paid is never lost, and none is
counted twice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import ceil
from secrets import token_hex
from typing import Any

from sqlalchemy.orm import Session

from app.core.billing.costs import HIGHEST_MICROS, Figures, dollars, estimated_tokens
from app.core.billing.metering import midnight, period_end, period_start
from app.core.errors import GenerationCancelled, ModelUnavailable, SpendCapReached, ValidationFailed
from app.core.schemas.times import wire_time
from app.deadline import Deadline
from app.ports import Model
from app.services.context import Context
from app.services.lease_keeping import LEASE, TakenOver, retry_on_disconnect
from app.store import costs as store
from app.store import models
from app.store.costs import INSTALLATION, Payer
from app.store.database import reading, writing
from app.writing.completion import Completion, Prompt

NO_CAP = -1
"""Removes a cap."""
Write = Callable[[Session], object]
"""A part of the caller's transaction."""


@dataclass(frozen=True)
class PaidWork:
    """The work that a post is written for: a job, a run of a rule, or a call.

    Args:
        context: that of the process which writes it.
        work_id: by which a later attempt finds its journal.
        post_id: the id by which operators look its costs up.
        extend: extends the lease of the work; returns False if another worker has taken it over.
    """

    context: Context
    work_id: str
    post_id: str
    payer: Payer
    extend: Callable[[Session, datetime], bool]

    @retry_on_disconnect
    def write(self, *parts: Write) -> None:
        """Write in one transaction, and extend the lease.

        Raises:
            TakenOver: another worker holds the work; nothing was written.
        """
        with writing() as session:
            if not self.extend(session, self.context.clock.now() + LEASE):
                raise TakenOver
            for part in parts:
                part(session)


def ask(
    work: PaidWork, model: Model, prompt: Prompt, deadline: Deadline, begin: Write
) -> tuple[Completion, Write]:
    """Return the answer to a prompt, and what replaces the estimate of the call by its figures.
    ``begin`` is written before the model is asked.

    If the endpoint cannot be reached, nothing is counted; if none of its answers can be used, the
    tokens that it reported. If it gives no answer in time, the estimate stays: it may have been
    paid.

    Raises:
        SpendCapReached: a cap is reached; the model was not asked.
        TakenOver: another worker holds the work; the model was not asked.
        ModelUnavailable, GenerationTimeout, GenerationCancelled
    """
    deadline.left()
    budget, now = work.context.budget, work.context.clock.now()
    call_id = token_hex(4)
    tokens = estimated_tokens(prompt.system, prompt.user)
    estimate = budget.figures(model.name, tokens, prompt.expected_tokens, is_estimate=True)

    def count(session: Session) -> None:
        payer, work_id, rule_id = work.payer, work.work_id, work.payer.rule_id
        of = {"post_id": work.post_id, "account_id": payer.account_id, "rule_id": rule_id}
        if not store.open_call(session, work_id, call_id, estimate, created_at=now, **of):
            return
        micros = store.add(session, payer, now.date(), estimate)
        caps = {INSTALLATION: budget.cap, **store.caps(session, [payer])}
        for _, scope in payer.scopes:
            cap, before = caps.get(scope), micros[scope] - estimate.micros
            if cap is not None and before >= cap:
                raise _reached(session, payer, scope, cap, now)

    def settle(figures: Figures, session: Session) -> None:
        more = figures + -estimate
        if store.end_call(session, work.work_id, call_id, more):
            store.add(session, work.payer, now.date(), more)

    work.write(begin, count)
    try:
        completion = model.complete(prompt, deadline)
    except GenerationCancelled:
        raise
    except ModelUnavailable as error:
        figures = budget.figures(model.name, *error.paid, is_estimate=False)
        work.write(partial(settle, figures if any(error.paid) else Figures()))
        raise
    is_estimate = not completion.prompt_tokens
    figures = budget.figures(
        model.name,
        tokens if is_estimate else completion.prompt_tokens,
        estimated_tokens(completion.text) if is_estimate else completion.completion_tokens,
        is_estimate=is_estimate,
    )
    return completion, partial(settle, figures)


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


def require_budget(context: Context, payer: Payer) -> None:
    """Check that no cap stops a call for this payer, before anything else is done for a post.

    Raises:
        SpendCapReached: one does.
    """
    with reading() as session:
        (reached,) = stopping(context, session, [payer])
    if reached is not None:
        raise reached


def stopping(
    context: Context, session: Session, payers: Sequence[Payer]
) -> Sequence[SpendCapReached | None]:
    """Return, for each payer, the error of the first cap that stops its calls, or None. Its text
    for the operator says which."""
    now = context.clock.now()
    found = store.stops(session, payers, period_start(now), context.budget.cap)
    return [
        None if stop is None else _reached(session, payer, *stop, now)
        for payer, stop in zip(payers, found, strict=True)
    ]


def _reached(
    session: Session, payer: Payer, scope: str, cap: int, now: datetime
) -> SpendCapReached:
    """Return the error of a cap. Only its text for the operator has amounts."""
    resets = midnight(period_end(period_start(now)))
    whose, remedy = "of the installation", "raise COPYDESK_SPEND_CAP"
    if scope != INSTALLATION:
        kind = "account" if scope == payer.account_id else "rule"
        row: Any = models.Account if kind == "account" else models.Rule
        whose = f"of the {kind} “{session.get_one(row, scope).name}”"
        remedy = f"run `copydesk-server {kind} update {scope} --spend-cap …`"
    return SpendCapReached(
        "The budget for this month is used up. Try again next month, or contact the operator of"
        " this service.",
        {"limitType": "monthlyBudget", "resetAt": wire_time(resets)},
        operator=f"The spend cap {whose}, {dollars(cap)} a month, is reached. Writing goes on in"
        f" the next month, from {wire_time(resets)}. To go on now, {remedy}.",
        retry_after=max(1, ceil((resets - now).total_seconds())),
    )
