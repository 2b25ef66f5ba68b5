"""The pipeline: drafts, rules, an editor, a reader; then a post, or an error.

    write ×2 → rules → edit (choose, graft, correct) → rules → read → post
                         ↑ once more, if a rule or the reader objects ↩

The drafts are written beside each other. Text changes only where an edit names it. In a verified
post the reader proves each statement with words of a source; what stays unproved is taken out.
"""

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from zlib import crc32

from app.core.errors import ContentQualityFailed, ModelResting, ProhibitedInput
from app.core.schemas.post import Quality, SEOPost
from app.deadline import Deadline
from app.logs import in_context
from app.ports import Model
from app.rules.finding import Finding, Severity
from app.rules.passages import post_words
from app.rules.score import score
from app.rules.table import QUALITY_VERSION, check_post
from app.rules.words import shortened
from app.sources.prompt import DEFAULT_TOKENS, within
from app.sources.source import Source
from app.writing.brief import Brief
from app.writing.completion import Completion, Prompt
from app.writing.edits import UnreadableAnswer, apply, is_cut, read_edits, without
from app.writing.evidence import figure_proofs
from app.writing.post_markdown import completed, read, write
from app.writing.prompts import (
    LETTERS,
    cut_prompt,
    edit_prompt,
    read_prompt,
    write_local_prompt,
    write_prompt,
)
from app.writing.reader import Proof, Reading, read_reading, statements
from app.writing.refusals import is_refusal

log = logging.getLogger(__name__)

MAX_REVISIONS = 2
# A reader's mark below which the editor gets the reader's notes, and below which a post fails.
WANTED_MARK, LEAST_MARK = 6.0, 4.0
# How often a small model writes a post again that breaks a rule.
_LOCAL_DRAFTS = 3
_MAX_FINDINGS = 20
_TOLD_CHARS = 160
_DECLINED = "The model declined this request on its own safety grounds."
Ask = Callable[[Model, Prompt], Completion]
_NOT_APPLIED = "An edit was not applied, because its passage does not occur exactly once: “{}”"
_MARKED = "A reader gave the post {:g} of 10."
_NOT_COMPARED = "Nobody compared the post with its sources: the reader's answer could not be read."
_TOO_LONG, _COPIED = "too_long", "copied_from_source"


@dataclass(frozen=True)
class Writers:
    """Who writes a post.

    Args:
        writer: writes the drafts.
        editor: edits and reads them; None if nobody does.
        drafts: how many drafts are written beside each other.
        is_local: the writer is a small model: a short prompt, one draft, nobody edits.
        source_tokens: how many tokens of sources a prompt has at most.
        seed: orders the drafts, so that a resumed post has the same order.
    """

    writer: Model
    editor: Model | None = None
    drafts: int = 2
    is_local: bool = False
    source_tokens: int = DEFAULT_TOKENS
    seed: int = 0


@dataclass
class Effort:
    """What a post cost: calls to the model and its own count of tokens. Thread-safe."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def add(self, completion: Completion) -> None:
        with self._lock:
            self.calls += 1
            self.prompt_tokens += completion.prompt_tokens
            self.completion_tokens += completion.completion_tokens


@dataclass(frozen=True)
class Written:
    """A post that passed.

    Args:
        mark: the reader's, from 0 to 10; None if nobody read the post.
        warnings: what rules and the reader would still change.
        proofs: which words of which source support its statements.
    """

    post: SEOPost
    quality: Quality
    warnings: tuple[Finding, ...]
    effort: Effort
    mark: float | None = None
    sources: tuple[Source, ...] = ()
    proofs: tuple[Proof, ...] = ()


class PostRejected(ContentQualityFailed):
    """Blockers are left after the last revision.

    ``post`` is the last draft and ``findings`` are its findings, warnings included. Both are for
    reports; no response contains the draft.
    """

    def __init__(self, post: SEOPost, findings: Sequence[Finding], revisions: int) -> None:
        blockers = [finding for finding in findings if finding.blocks]
        first, times = blockers[0], f"{revisions} revision{'s' * (revisions != 1)}"
        super().__init__(
            f"The post still breaks {len({each.rule for each in blockers})} of its rules after"
            f" {times}; the first: {first.section}: {first.reason}",
            {"findings": [finding.to_wire() for finding in blockers[:_MAX_FINDINGS]]},
        )
        self.post, self.findings, self.revisions = post, tuple(findings), revisions


def write_post(
    writers: Writers, brief: Brief, *, deadline: Deadline, sources: Sequence[Source] = ()
) -> Written:
    """Return a post that breaks no rule.

    Args:
        sources: what the post is written from, the most relevant first. Prompts have as much of
            them as the budget of tokens allows, rules compare with all. A verified post states
            only what they support.

    Raises:
        ContentQualityFailed: blockers are left after the last revision; details list them. It is
            a PostRejected.
        ProhibitedInput: the model declined.
        ModelUnavailable, GenerationTimeout: the model did not answer, or not in time.
        GenerationCancelled: another thread cancelled the deadline.
    """
    run, began = _Run(writers, brief, tuple(sources), deadline), time.monotonic()
    try:
        return run.run()
    finally:
        effort = run.effort
        log.info(
            "writing ended: calls=%d prompt_tokens=%d completion_tokens=%d seconds=%.1f",
            effort.calls, effort.prompt_tokens, effort.completion_tokens,
            time.monotonic() - began,
        )  # fmt: skip


class _Run:
    """One post on its way through the pipeline. ``text`` is the document as it is now."""

    def __init__(
        self, writers: Writers, brief: Brief, sources: tuple[Source, ...], deadline: Deadline
    ) -> None:
        self.writers, self.brief, self.sources, self.deadline = writers, brief, sources, deadline
        self._shown = within(sources, writers.source_tokens)
        self.effort = Effort()
        self.revisions = 0
        self.text = ""
        self.mark: float | None = None
        self.notes: tuple[str, ...] = ()
        self._blocking: tuple[str, ...] = ()
        # The verdicts on statements, which are asked for once: proofs, or what is missing.
        self._proved: dict[str, tuple[Proof, ...]] = {}
        self._unsupported: dict[str, str] = {}
        self._judged: set[str] = set()
        self._readings = 0
        self._dropped: list[str] = []
        # The version that may be published and has the best mark, with its mark and notes.
        self._sound: tuple[str, float, tuple[str, ...]] | None = None

    def run(self) -> Written:
        if self.writers.is_local:
            return self._run_local()
        drafts = self._drafts()
        if self.writers.editor is None:
            self.text = min(drafts, key=lambda text: len(self._blockers(text)))
        else:
            self._revise(self.writers.editor, drafts)
        return self._finished()

    # --- writing

    def _drafts(self) -> list[str]:
        """Return the drafts in an order that their seed decides: editors prefer a place."""
        prompts = [
            write_prompt(self.brief, self._shown, number + 1)
            for number in range(self.writers.drafts)
        ]
        texts = [self._document(each) for each in self._beside(self.writers.writer, prompts)]
        turn = crc32(f"{self.writers.seed}".encode()) % len(texts)
        return texts[turn:] + texts[:turn]

    def _run_local(self) -> Written:
        for number in range(1, _LOCAL_DRAFTS + 1):
            prompt = write_local_prompt(self.brief, self._shown, number)
            completion = self._ask(self.writers.writer, prompt)
            self.text = write(completed(read(completion.text, self.brief), self.brief))
            if not self._blockers(self.text):
                break
        return self._finished()

    def _document(self, completion: Completion) -> str:
        """Return the document of a draft in its canonical form."""
        return write(read(completion.text, self.brief))

    # --- editing

    def _revise(self, editor: Model, drafts: list[str]) -> None:
        self.text = drafts[0]
        told: list[str] = []
        while self.revisions < MAX_REVISIONS:
            self._edit(editor, drafts, told)
            drafts = [self.text]
            objections = self._blockers(self.text)
            if self.brief.verified or not objections:
                objections += self._objections(self._reading(editor))
            if not objections and not self._blocking:
                return
            told = [_told(each) for each in objections] + list(self._blocking)
            self._keep(objections)
        self._shorten(editor)
        self._remove_unsupported()
        if not self._blockers(self.text):
            if self.mark is None or self._new_statements():
                self._reading(editor)
                self._remove_unsupported()
            self._keep([])
        if self._sound:
            self.text, self.mark, self.notes = self._sound
            self._blocking = ()

    def _keep(self, objections: Sequence[Finding]) -> None:
        """Keep this version if it may be published and is the best so far: a revision that makes a
        post worse does not replace it."""
        if any(each.blocks for each in objections) or self._blocking or self.mark is None:
            return
        if self.mark >= max(LEAST_MARK, self._sound[1] if self._sound else 0):
            self._sound = self.text, self.mark, self.notes

    def _edit(self, editor: Model, drafts: Sequence[str], told: Sequence[str]) -> None:
        """Let the editor take the best draft and correct it."""
        found = [*told, *self._dropped]
        for letter, draft in zip(LETTERS, drafts, strict=False):
            marked = f"{letter}: " if drafts[1:] else ""
            found += [f"{marked}{_told(each)}" for each in self._findings(draft)]
        self.revisions += 1
        prompt = edit_prompt(
            self.brief, self._shown, drafts, list(dict.fromkeys(found)), self.revisions,
            read=self.mark is not None,
        )  # fmt: skip
        answer = self._ask(editor, prompt)
        self._blocking = ()
        self.mark, self.notes = None, ()  # they are those of another text
        try:
            edits = read_edits(answer.text, chooses=bool(drafts[1:]))
            base = dict(zip(LETTERS, drafts, strict=False))[edits.base]
        except (UnreadableAnswer, KeyError) as unreadable:
            log.warning("the editor's answer cannot be read: %s", unreadable)
            self.text = min(drafts, key=lambda text: len(self._blockers(text)))
            return
        edited, dropped = apply(base, edits.edits)
        self._dropped = [_NOT_APPLIED.format(shortened(each.find, _TOLD_CHARS)) for each in dropped]
        if dropped:
            log.info("%d of %d edits name no passage once", len(dropped), len(edits.edits))
        self.text = write(read(edited, self.brief))
        self._blocking = edits.blocking

    def _shorten(self, editor: Model) -> None:
        """Take out what the post has too much, if that is all that blocks it."""
        blockers = self._blockers(self.text)
        if not blockers or any(each.rule != _TOO_LONG for each in blockers):
            return
        over = post_words(read(self.text, self.brief)) - self.brief.max_words
        try:
            answer = read_edits(self._ask(editor, cut_prompt(self.brief, self.text, over)).text)
        except UnreadableAnswer:
            return
        cut, _ = apply(self.text, [edit for edit in answer.edits if is_cut(edit)])
        self.text = write(read(cut, self.brief))
        self.mark, self.notes = None, ()

    # --- reading

    def _reading(self, editor: Model) -> Reading | None:
        """Return what a reader says of the post; in a verified one, of statements that are new."""
        self._readings += 1
        asked = self._new_statements()
        prompt = read_prompt(self.brief, self._shown, self.text, asked, self._readings)
        answer = self._ask(editor, prompt)
        try:
            reading = read_reading(answer.text, asked, self._shown)
        except UnreadableAnswer as unreadable:
            log.warning("the reader's answer cannot be read: %s", unreadable)
            self.mark, self.notes = None, ()
            return None
        self.mark, self.notes = reading.mark, reading.notes
        self._judged |= {each for _, each in asked}
        self._unsupported |= reading.unsupported
        for proof in reading.proofs:
            self._proved[proof.statement] = (*self._proved.get(proof.statement, ()), proof)
        return reading

    def _new_statements(self) -> list[tuple[int, str]]:
        """Return the statements of a verified post that nobody has compared, numbered."""
        if not self.brief.verified:
            return []
        every = enumerate(statements(self.text, self.brief.language), 1)
        return [(number, each) for number, each in every if each not in self._judged]

    def _objections(self, reading: Reading | None) -> list[Finding]:
        """Return what the reader wants changed before the post is published."""
        if reading is None:
            return []
        found = self._unsupported_findings()
        if reading.mark < WANTED_MARK:
            found += [_of_reader(note) for note in reading.notes]
        return found

    def _unsupported_findings(self) -> list[Finding]:
        there = set(statements(self.text, self.brief.language)) if self._unsupported else set()
        return [
            Finding(
                "unsupported_claim", Severity.BLOCKER, "post",
                f"No source supports “{shortened(each, _TOLD_CHARS)}”"
                + (f" ({shortened(why, _TOLD_CHARS)})" if why else "")
                + ". Say what a source says, or leave it out.",
                each,
            )
            for each, why in self._unsupported.items()
            if each in there
        ]  # fmt: skip

    def _remove_unsupported(self) -> None:
        """Take out the sentences that no source supports, after the editor had them once."""
        for finding in self._unsupported_findings():
            self.text = write(read(without(self.text, finding.quotation), self.brief))

    # --- the end

    def _finished(self) -> Written:
        post = read(self.text, self.brief)
        findings = [*self._findings(self.text), *self._unsupported_findings()]
        findings += [_blocker("editor", each) for each in self._blocking]
        findings += [_of_reader(note) for note in self.notes]
        if self.mark is not None and self.mark < LEAST_MARK:
            findings.append(_blocker("reader_mark", _MARKED.format(self.mark)))
        if self.brief.verified and self.writers.editor is not None and not self._judged:
            findings.append(_blocker("unsupported_claim", _NOT_COMPARED))
        if any(each.blocks for each in findings):
            raise PostRejected(post, findings, self.revisions)
        quality = Quality(
            status="pass",
            score=score(findings, self.mark),
            revision_count=self.revisions,
            quality_version=QUALITY_VERSION,
        )
        return Written(
            post, quality, tuple(findings), self.effort, self.mark, self.sources, self._proofs()
        )

    def _proofs(self) -> tuple[Proof, ...]:
        """Return what the reader quoted; of a post that was not compared, the sentences of the
        sources that have its figures."""
        there = statements(self.text, self.brief.language)
        if self._judged:
            return tuple(proof for each in there for proof in self._proved.get(each, ()))
        return tuple(figure_proofs(there, self.sources, self.brief.language))

    def _findings(self, text: str) -> list[Finding]:
        found = check_post(read(text, self.brief), self.brief, self.sources)
        # A small model cannot say things in its own words: its posts are for trying the service.
        return [each for each in found if not self.writers.is_local or each.rule != _COPIED]

    def _blockers(self, text: str) -> list[Finding]:
        return [each for each in self._findings(text) if each.blocks]

    # --- calls

    def _beside(self, model: Model, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return the answers to prompts that are asked at once."""
        if len(prompts) == 1:
            return [self._ask(model, prompts[0])]
        with ThreadPoolExecutor(len(prompts), "draft") as pool:
            ask = in_context(self._ask)
            running = [pool.submit(ask, model, prompt) for prompt in prompts]
        rests = [error for each in running if isinstance(error := each.exception(), ModelResting)]
        if len(rests) == len(prompts):
            raise max(rests, key=lambda error: error.retry_after or 0)
        # An endpoint that rested gets one call alone. Once that is answered, it takes the others.
        answers = [None if each.exception() in rests else each.result() for each in running]
        return [
            answer or self._ask(model, prompt)
            for answer, prompt in zip(answers, prompts, strict=True)
        ]

    def _ask(self, model: Model, prompt: Prompt) -> Completion:
        completion = model.complete(prompt, self.deadline)
        self.effort.add(completion)
        if completion.refusal is not None or is_refusal(completion.text):
            raise ProhibitedInput(_DECLINED)
        return completion


def _told(finding: Finding) -> str:
    where = "" if finding.section == "post" else f"{finding.section}: "
    quotation = shortened(finding.quotation, _TOLD_CHARS)
    quoted = f" (“{quotation}”)" if quotation and quotation not in finding.reason else ""
    return f"{where}{finding.reason}{quoted}"


def _of_reader(note: str) -> Finding:
    return Finding("reader", Severity.WARNING, "post", note)


def _blocker(rule: str, reason: str) -> Finding:
    return Finding(rule, Severity.BLOCKER, "post", reason)
