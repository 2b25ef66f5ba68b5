"""POST /v1/generate: from a validated request to a finished, billed post."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy.orm import Session

from app.core.credentials import is_sandbox
from app.core.errors import (
    ContentQualityFailed,
    DatabaseUnavailable,
    GenerationCancelled,
    GenerationTimeout,
    Later,
    ModelUnavailable,
    ProhibitedInput,
    ServiceError,
    SpendCapReached,
    ValidationFailed,
)
from app.core.schemas.api_model import to_json
from app.core.schemas.request import GenerateRequest, check_plan
from app.rendering.page import answer_members
from app.rules.passages import post_words
from app.services import idempotency, sandbox, usage
from app.services.context import Context
from app.services.costs import PaidWork
from app.services.idempotency import Key, KeyLease
from app.services.journal import Assignment
from app.services.lease_keeping import LEASE, TakenOver, keep_lease, retry_on_disconnect
from app.services.post_writer import PostWriter, angles_of_a_call
from app.services.usage import Reservation
from app.store.accounts import Caller
from app.store.costs import Payer
from app.store.database import writing
from app.store.trouble import is_passing
from app.writing.pipeline import Written

log = logging.getLogger(__name__)

# Enough to tell any two keys apart.
_KEY_DIGITS = 32
# After these errors, a later call with the same key continues behind the last answer.
_RESUMED = (ModelUnavailable, GenerationTimeout, GenerationCancelled, SpendCapReached)
_BROKEN = "Something went wrong on our side in the request that had this idempotency key."


@dataclass(frozen=True)
class GenerateCommand:
    """One call of POST /v1/generate.

    Args:
        waited_for: the owner of the call with the same key that this one waited for.
        debug: add the debug block to the answer.
    """

    caller: Caller
    request: GenerateRequest
    request_id: str
    key: Key | None
    waited_for: str = ""
    debug: bool = False


def generate(context: Context, command: GenerateCommand) -> tuple[str, bool]:
    """Return the JSON of a 200 answer, and whether it repeats that of an earlier call with the key.

    The model runs outside of any transaction. The last transaction bills the words and stores the
    signature and the evidence of the post, and its text as the answer if there is a key; the
    journal keeps the model's answers for a time. If the call fails, the words are released.

    Raises:
        ValidationFailed: the plan does not allow the request, or the key was used with another
            body.
        KeyInUse: a call with the key is running.
        RecordedError: the earlier call failed.
        RateLimited, QuotaExceeded, SpendCapReached, ContentQualityFailed, ProhibitedInput,
        ModelUnavailable, GenerationTimeout
    """
    reference = command.request.client_provided_request_id
    if reference:
        log.info("request %s has the client's reference “%s”", command.request_id, reference)
    while True:
        lease = None
        if command.key is not None:
            begun = idempotency.begin(context, command.key, command.waited_for)
            if isinstance(begun, str):
                return begun, True
            lease = begun
        try:
            return _Attempt(context, command, lease).run(), False
        except TakenOver:
            continue


def _told(error: BaseException) -> ServiceError:
    """Return the error that calls get which waited for the one that failed."""
    if isinstance(error, ServiceError):
        return error
    return DatabaseUnavailable() if is_passing(error) else ServiceError(_BROKEN)


class _Attempt:
    """One attempt at the work of a call, under its idempotency key if it has one."""

    def __init__(self, context: Context, command: GenerateCommand, lease: KeyLease | None) -> None:
        self._context = context
        self._command = command
        self._lease = lease
        self._reservation: Reservation | None = None
        self._writer: PostWriter | None = None
        plan = command.caller.plan
        self._max_words = command.request.max_words(plan.max_words_per_request)

    def run(self) -> str:
        """Return the JSON of the answer."""
        caller, request = self._command.caller, self._command.request
        try:
            check_plan(request, caller.plan)
            usage.admit(self._context, caller)
            if is_sandbox(caller.account_id):
                return self._return_fixed()
            reservation = self._reservation = self._reserve()
            angles = angles_of_a_call(reservation.id)
            assignment = Assignment(request, self._max_words, angles)
            work = self._paid_work(reservation)
            writer = self._writer = PostWriter(assignment, work)
            with keep_lease(self._extend, self._context.clock):
                return writer.write_unique(
                    lambda written: self._store(reservation, writer, written)
                )
        except TakenOver:
            self._release()
            raise
        except BaseException as error:
            self._give_up(error)
            raise

    def _return_fixed(self) -> str:
        """Return the JSON of the sandbox's answer: no model, no words, no evidence."""
        command, now = self._command, self._context.clock.now()
        with writing() as session:
            usage.count_request(session, command.caller, now)
        wanted = command.request.format.response_types
        sandbox.raise_provoked(command.request, now)
        members = sandbox.result(command.request, self._max_words, wanted)
        made = self._json(members, sandbox.MODEL_NAME)
        if self._lease is not None:
            with writing() as session:
                if not self._lease.finish(session, result=made):
                    raise TakenOver
        return made

    def _reserve(self) -> Reservation:
        caller, now = self._command.caller, self._context.clock.now()
        with writing() as session:
            usage.count_request(session, caller, now)
            return usage.reserve(session, caller, self._max_words, now, now + LEASE)

    def _extend(self, session: Session, until: datetime) -> bool:
        """Extend the leases of the words and of the key; return False if another call has the
        key."""
        # The key first, as in the transaction that stores the post: otherwise the two deadlock.
        mine = self._lease is None or self._lease.extend(session, until)
        if mine and self._reservation is not None:
            usage.extend(session, self._reservation, until)
        return mine

    def _paid_work(self, reservation: Reservation) -> PaidWork:
        """Return whose journal is written: that of the key, which the next call with it resumes;
        without a key, that of the reservation."""
        command = self._command
        work_id = reservation.id
        if command.key is not None:
            known = to_json(command.key.id).encode("utf-8", "surrogatepass")
            work_id = f"key_{sha256(known).hexdigest()[:_KEY_DIGITS]}"
        payer = Payer(command.caller.account_id)
        return PaidWork(self._context, work_id, command.request_id, payer, self._extend)

    @retry_on_disconnect
    def _release(self) -> None:
        if self._reservation is not None:
            with writing() as session:
                usage.release(session, self._reservation)

    def _store(self, reservation: Reservation, writer: PostWriter, written: Written) -> str:
        """Bill the post, and store its signature and evidence; under a key, also the answer. Return
        the JSON of the answer."""
        request = self._command.request
        wanted = request.format.response_types
        members = answer_members(written.post, written.quality, request, wanted)
        body = self._json(members, self._context.model.name)

        def record() -> None:
            with writer.storing(written, self._command.caller.account_id) as session:
                if self._lease is not None and not self._lease.finish(session, result=body):
                    raise TakenOver
                usage.bill(session, reservation, post_words(written.post))

        # Only a key tells whether a transaction was committed if its confirmation was lost.
        (record if self._lease is None else retry_on_disconnect(record))()
        return body

    def _json(self, members: Mapping[str, Any], model: str) -> str:
        body: dict[str, Any] = {"requestId": self._command.request_id, **members}
        if self._command.debug:
            body["debug"] = {"generationModel": model}
        return to_json(body)

    def _give_up(self, error: BaseException) -> None:
        """Bill nothing, and leave the key as the error requires: a verdict on the content is
        stored, a passing error frees the key."""
        lease = self._lease
        known = {**_told(error).body(), "requestId": self._command.request_id}
        with writing() as session:
            self._close_journal(session, error)
            if self._reservation is not None:
                usage.release(session, self._reservation)
            if lease is None:
                return
            if isinstance(error, ContentQualityFailed | ProhibitedInput):
                lease.finish(session, error=known)
            elif isinstance(error, ValidationFailed | Later):
                lease.delete(session)
            else:
                lease.reopen(session, known)

    def _close_journal(self, session: Session, error: BaseException) -> None:
        """Close the journal unless the next call with the key may resume it. After a fault of
        Copydesk it starts over: the stored answers may have caused the fault."""
        is_resumed = isinstance(error, _RESUMED) or is_passing(error)
        if self._writer is None or is_resumed or not isinstance(error, Exception):
            return
        if self._lease is None or self._lease.extend(session, self._context.clock.now() + LEASE):
            self._writer.journal.close(session)
