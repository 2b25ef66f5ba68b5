"""What calls, jobs and runs share: moderation, sources and the pipeline, recorded in a journal;
another angle if the post repeats an earlier one; the transaction that stores it."""

import logging
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from sqlalchemy.orm import Session

from app.core.errors import outcome
from app.deadline import Deadline
from app.metrics import GENERATION_SECONDS, count_verdict
from app.rules.finding import Finding
from app.rules.near_duplicates import sign
from app.rules.passages import text_of
from app.services.costs import PaidWork, require_budget
from app.services.evidence import save_evidence
from app.services.journal import Assignment, Inputs, Journal, RecordedModel
from app.services.lease_keeping import TakenOver
from app.services.moderation import moderate
from app.services.near_duplicates import NearDuplicate, lock_scope, save_signature, too_alike
from app.services.sources import find_sources, needs_sources
from app.store.database import writing
from app.writing.angles import Angle, next_angles
from app.writing.brief import EarlierPost, make_brief
from app.writing.pipeline import PostRejected, Writers, Written, write_post

T = TypeVar("T")

log = logging.getLogger(__name__)

_OTHER_ANGLES = 2
# The outcome that is counted, if it is no error code.
_SUCCEEDED = "SUCCEEDED"


class PostWriter:
    """Writes the post of an assignment. All attempts together may take
    ``context.options.timeout_seconds``."""

    def __init__(self, assignment: Assignment, work: PaidWork) -> None:
        self.journal = Journal(work)
        self._context = context = work.context
        self._assignment = assignment
        self._work = work
        self._inputs: Inputs | None = None
        self._repeats: tuple[EarlierPost, ...] = ()
        self._deadline = Deadline(context.options.timeout_seconds)

    @property
    def angle(self) -> Angle | None:
        """The angle of the current attempt."""
        return self._assignment.angles[len(self._repeats)]

    def write_unique(self, store: Callable[[Written], T]) -> T:
        """Write posts, each from the next angle, until ``store`` accepts one; return what ``store``
        returns.

        Args:
            store: stores a post in the transaction of ``storing``.

        Raises:
            ContentQualityFailed: the post has blockers, its sources cannot be found, or the post of
                every angle repeats an earlier one.
            TakenOver: another worker holds the work.
            SpendCapReached: a cap is reached.
            ProhibitedInput, ModelUnavailable, GenerationTimeout, GenerationCancelled
        """
        with _timed():
            while True:
                written = self.write()
                try:
                    return store(written)
                except NearDuplicate as found:
                    repeated = found
                log.info("a post repeats %s: rewriting it", repeated.post_id)
                post = written.post
                self._repeats = (EarlierPost(post.title, post.meta.description), *self._repeats)
                if len(self._repeats) == len(self._assignment.angles):
                    raise too_alike(repeated, len(self._assignment.angles))

    @contextmanager
    def storing(
        self, written: Written, scope: str, item_id: str | None = None
    ) -> Iterator[Session]:
        """Open the transaction that stores a post and ends its work: with what the block writes, it
        stores the signature and the evidence of the post, and closes its journal.

        Args:
            scope: the account or the feed in which no post may repeat another.
            item_id: the id of the post if it is an item.

        Raises:
            NearDuplicate: the post repeats an earlier one of the scope; nothing is stored.
        """
        work, signature = self._work, sign(text_of(written.post))
        post_id = item_id or work.post_id
        with writing() as session:
            lock_scope(session, scope)
            yield session
            save_signature(session, scope, post_id, signature)
            now = self._context.clock.now()
            save_evidence(session, post_id, work.payer.account_id, written, now)
            self.journal.close(session, item_id)

    def write(self) -> Written:
        """Return a post from the current angle. Holds no transaction while the model works.

        Raises:
            As ``write_unique``.
        """
        options = self._context.options
        with options.running.until(self._deadline):
            if self._inputs is None:
                self._inputs = self._resume() or self._begin()
            try:
                written = self._attempt(self._inputs)
            except PostRejected as rejected:
                self._count(rejected.findings, rejected.revisions, passed=False)
                raise
            self._count(written.warnings, written.quality.revision_count, passed=True)
            return written

    def _attempt(self, inputs: Inputs) -> Written:
        assignment, number = inputs.assignment, len(self._repeats)
        request = assignment.request
        editor = self._context.options.editor if inputs.edited else None
        writers = Writers(
            RecordedModel(self.journal, self._context.model, number + 1),
            editor and RecordedModel(self.journal, editor, number + 1),
            drafts=inputs.drafts,
            source_tokens=inputs.source_tokens,
            is_local=inputs.is_local,
            seed=inputs.seed + number,
        )
        brief = make_brief(
            request,
            max_words=assignment.max_words,
            today=inputs.today,
            angle=assignment.angles[number],
            earlier=(*self._repeats, *assignment.earlier),
            verified=bool(needs_sources(request, current_event=assignment.current_event)),
        )
        brief = replace(brief, rewrite=assignment.rewrite)
        return write_post(writers, brief, deadline=self._deadline, sources=inputs.sources)

    def _count(self, findings: Iterable[Finding], revisions: int, *, passed: bool) -> None:
        named = [(each.rule, each.severity.value) for each in findings]
        count_verdict(passed=passed, revisions=revisions, findings=named)

    def _resume(self) -> Inputs | None:
        inputs = self.journal.resume(self._assignment)
        if inputs is None:
            return None
        self._context.model.check()
        self._assignment = inputs.assignment
        return inputs

    def _begin(self) -> Inputs:
        context, options = self._context, self._context.options
        context.model.check()  # before a search that would be in vain
        require_budget(context, self._work.payer)
        assignment = self._assignment
        remark = assignment.rewrite.remark if assignment.rewrite else None
        moderate(options.moderator, assignment.request, self._deadline, remark)
        sources = find_sources(
            options.research,
            assignment.request,
            context.clock.now(),
            self._deadline,
            current_event=assignment.current_event,
        )
        inputs = Inputs(
            assignment,
            seed=secrets.randbits(31),
            is_local=options.is_local,
            edited=options.editor is not None,
            drafts=options.drafts,
            today=context.clock.now().date(),
            source_tokens=options.source_tokens(),
            sources=sources,
        )
        self.journal.begin(inputs)
        return inputs


@contextmanager
def _timed() -> Iterator[None]:
    began = time.monotonic()
    try:
        yield
    except TakenOver:
        raise
    except Exception as error:
        GENERATION_SECONDS.labels(outcome(error)).observe(time.monotonic() - began)
        raise
    GENERATION_SECONDS.labels(_SUCCEEDED).observe(time.monotonic() - began)


def angles_of_a_call(subject: str) -> tuple[Angle | None, ...]:
    """Return the angles of a call or a job: none first, then two in the order that its id decides.
    The id of a call is that of its reservation."""
    return (None, *next_angles(subject, (), _OTHER_ANGLES))
