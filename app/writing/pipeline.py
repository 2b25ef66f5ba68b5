"""The pipeline: drafts, rules, an editor, a reader; then a post, or an error.

    write ×2 → rules → edit (choose, graft, correct) → rules → read → polish → rules → read → post
                         ↑ once more, if a rule or the reader objects ↩

The drafts are written beside each other. The editor changes text only where an edit names it. The
program reads each version into its parts and writes it back (``format_post``), adds what a local
draft lacks (``completed``), and takes out the statements of a verified post that the reader could
not prove with words of a source (``without_unsupported``).
"""

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

from app.core.errors import ContentQualityFailed, GenerationCancelled, ServiceError
from app.core.schemas.post import Quality, SEOPost
from app.core.schemas.times import counted
from app.deadline import Deadline
from app.ports import Model
from app.rules.finding import Finding, Severity, score
from app.rules.passages import post_words
from app.rules.table import QUALITY_VERSION, check_post
from app.rules.words import shortened
from app.sources.prompt import within
from app.sources.source import DEFAULT_SOURCE_TOKENS, Source
from app.writing.brief import Brief
from app.writing.edits import Edit, UnreadableAnswer, apply, is_cut, parse_edits, without
from app.writing.evidence import figure_proofs
from app.writing.model_calls import ModelCalls
from app.writing.post_markdown import completed, format_post, parse_post, with_coverage
from app.writing.prompts import (
    LETTERS,
    cut_prompt,
    edit_prompt,
    polish_prompt,
    read_prompt,
    write_local_prompt,
    write_prompt,
)
from app.writing.reader import Proof, Verdicts, parse_reading, statements

log = logging.getLogger(__name__)

MAX_REVISIONS = 2
# A reader's mark below which the editor gets the reader's notes, and below which a post fails.
WANTED_MARK, LEAST_MARK = 6.0, 4.0
# How many drafts a small model writes at most, as long as each breaks a rule.
_LOCAL_DRAFTS = 3
_MAX_FINDINGS = 20
_TOLD_CHARS = 160
_NOT_APPLIED = "An edit was not applied, because its passage does not occur exactly once: “{}”"
_MARKED = "A reader gave the post {:g} of 10."
_NOT_COMPARED = "A reader did not compare each statement of the post with the sources."


@dataclass(frozen=True)
class Writers:
    """Who writes a post.

    Args:
        writer: writes the drafts.
        editor: edits the drafts and, as the reader, marks the post; None if nobody does.
        drafts: how many drafts are written beside each other.
        is_local: the writer is a small model: a short prompt, one draft at a time, nobody edits.
        source_tokens: how many tokens of sources a prompt has at most.
        seed: orders the drafts, so that a resumed post has the same order.
    """

    writer: Model
    editor: Model | None = None
    drafts: int = 2
    is_local: bool = False
    source_tokens: int = DEFAULT_SOURCE_TOKENS
    seed: int = 0


@dataclass(frozen=True)
class Written:
    """A post that passed.

    Args:
        mark: the reader's, from 0 to 10; None if nobody read the post. The reader is a call to the
            editor's model.
        warnings: what rules and the reader would still change.
        proofs: which words of which source support its statements.
    """

    post: SEOPost
    quality: Quality
    warnings: tuple[Finding, ...]
    mark: float | None = None
    sources: tuple[Source, ...] = ()
    proofs: tuple[Proof, ...] = ()


class PostRejected(ContentQualityFailed):
    """Blockers are left after the last revision.

    ``post`` is the version that was to be published, and ``findings`` are what was found in it,
    warnings included. Both are for reports; no response contains the post.
    """

    def __init__(self, post: SEOPost, findings: Sequence[Finding], revisions: int) -> None:
        blockers = [finding for finding in findings if finding.blocks]
        first, times = blockers[0], counted(revisions, "revision")
        super().__init__(
            f"The post still breaks {len({each.rule for each in blockers})} of its rules after"
            f" {times}; the first: {first.section}: {first.reason}",
            {"findings": [finding.to_wire() for finding in blockers[:_MAX_FINDINGS]]},
        )
        self.post, self.findings, self.revisions = post, tuple(findings), revisions


@dataclass(frozen=True)
class _Version:
    """The post at one stage, and what is known of it. A changed text is another version; only if
    statements that have no proof go, or become again what they were, does what a reader said stay.

    Args:
        text: the document.
        found: what the rules find in it, and its statements of which a reader found no proof.
        unrepairable: what its editor says that edits cannot repair.
        dropped: the editor's edits that did not apply.
        mark, notes: what its reader says; no mark if nobody read it.
    """

    text: str
    post: SEOPost
    found: tuple[Finding, ...]
    unrepairable: tuple[Finding, ...] = ()
    dropped: tuple[str, ...] = ()
    mark: float | None = None
    notes: tuple[Finding, ...] = ()

    @property
    def broken(self) -> Counter[str]:
        """How often it breaks each rule."""
        return Counter(each.rule for each in self.found if each.blocks)


def write_post(
    writers: Writers, brief: Brief, *, deadline: Deadline, sources: Sequence[Source] = ()
) -> Written:
    """Return a post without blockers; what else is found against it are its warnings.

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
    calls, began = ModelCalls(deadline), time.monotonic()
    shown = within(sources, writers.source_tokens)
    try:
        return _Run(writers, brief, tuple(sources), shown, calls).run()
    finally:
        log.info(
            "writing ended: calls=%d prompt_tokens=%d completion_tokens=%d seconds=%.1f",
            len(calls.completions),
            sum(each.prompt_tokens for each in calls.completions),
            sum(each.completion_tokens for each in calls.completions),
            time.monotonic() - began,
        )


@dataclass
class _Run:
    """The stages of one post, and what they share.

    Args:
        sources: all of them; ``shown`` is what prompts have room for.
        verdicts: what readers said of statements so far.
    """

    writers: Writers
    brief: Brief
    sources: tuple[Source, ...]
    shown: Sequence[Source]
    calls: ModelCalls
    verdicts: Verdicts = field(default_factory=Verdicts)
    revisions: int = 0
    readings: int = 0

    def run(self) -> Written:
        if self.writers.is_local:
            return self.published(self.local_draft())
        drafts = self.drafts()
        if self.writers.editor is None:
            return self.published(_best_draft(drafts))
        version = self.revised(self.writers.editor, drafts)
        return self.published(self.polished(self.writers.editor, version))

    def revised(self, editor: Model, drafts: Sequence[_Version]) -> _Version:
        """Return the version that rules and reader accept, or else the best one."""
        best: _Version | None = None
        objections: Sequence[Finding] = ()
        while self.revisions < MAX_REVISIONS:
            version = self.edited(editor, drafts, objections)
            # Statements of a verified post are compared early: what has no proof needs an edit.
            if self.brief.verified or not version.broken:
                version = self.read(editor, version)
            objections = self.objections(version)
            if not objections and not self.new_statements(version):
                return version
            best = self.better(best, version)
            drafts = [version]
        version = self.cut_to_length(editor, self.without_unsupported(version))
        if version.broken:
            return best or version
        if version.mark is None or self.new_statements(version):
            version = self.without_unsupported(self.read(editor, version))
        return self.better(best, version) or version

    # --- drafts

    def drafts(self) -> list[_Version]:
        """Return the drafts in an order that their seed decides: editors prefer a place."""
        numbers = range(1, self.writers.drafts + 1)
        prompts = [write_prompt(self.brief, self.shown, number) for number in numbers]
        answers = self.calls.ask_at_once(self.writers.writer, prompts)
        turn = crc32(f"{self.writers.seed}".encode()) % len(answers)
        return [self.version(answer) for answer in answers[turn:] + answers[:turn]]

    def local_draft(self) -> _Version:
        """Return the first draft of a small model that breaks no rule, or its last one."""
        for number in range(1, _LOCAL_DRAFTS + 1):
            prompt = write_local_prompt(self.brief, self.shown, number)
            answer = self.calls.ask(self.writers.writer, prompt)
            whole = completed(parse_post(answer, self.brief), self.brief)
            version = self.version(format_post(whole))
            # A small model cannot say things in its own words: its posts are for trying it out.
            found = tuple(each for each in version.found if each.rule != "copied_from_source")
            version = replace(version, found=found)
            if not version.broken:
                break
        return version

    def version(self, document: str) -> _Version:
        """Return a document in its canonical form, with what is found in it."""
        text = format_post(parse_post(document, self.brief))
        post = parse_post(text, self.brief)
        found = check_post(post, self.brief, self.sources)
        return _Version(text, post, (*found, *self.verdicts.findings(text, self.brief.language)))

    # --- editing

    def edited(
        self, editor: Model, drafts: Sequence[_Version], objections: Sequence[Finding]
    ) -> _Version:
        """Return the draft that the editor chose, with its edits; the draft with the fewest
        blockers if its answer cannot be read."""
        self.revisions += 1
        told = [_told(each) for each in objections]
        for letter, draft in zip(LETTERS, drafts, strict=False):
            told += draft.dropped
            told += [(f"{letter}: " if drafts[1:] else "") + _told(each) for each in draft.found]
        prompt = edit_prompt(
            self.brief,
            self.shown,
            [draft.text for draft in drafts],
            list(dict.fromkeys(told)),
            self.revisions,
            read=drafts[0].mark is not None,
        )
        answer = self.calls.ask(editor, prompt)
        try:
            edits = parse_edits(answer, chooses=len(drafts) > 1)
            base = drafts[LETTERS.index(edits.base)]
        except (UnreadableAnswer, IndexError) as unreadable:
            log.warning("the editor's answer cannot be read: %s", unreadable)
            return replace(_best_draft(drafts), dropped=())
        version, dropped = self.with_edits(
            base, edits.edits, is_last=self.revisions == MAX_REVISIONS
        )
        return replace(
            version,
            unrepairable=tuple(_blocker("editor", each) for each in edits.blocking),
            dropped=tuple(_NOT_APPLIED.format(_short(each.find)) for each in dropped),
        )

    def with_edits(
        self, base: _Version, edits: Sequence[Edit], *, is_last: bool
    ) -> tuple[_Version, list[Edit]]:
        """Return the version with edits, and those that were dropped: their passage does not stand
        there once or, if nobody edits the result any more, they break a rule or have no proof."""
        document, dropped = apply(base.text, edits)
        if dropped:
            log.info("%d of %d edits name no passage once", len(dropped), len(edits))
        version = self.version(document)
        if not is_last or version.broken <= base.broken:
            return version, dropped
        version, dropped = base, []
        for edit in edits:
            document, _ = apply(version.text, [edit])
            edited = self.version(document)
            if document == version.text or not edited.broken <= version.broken:
                dropped.append(edit)
            else:
                version = edited
        return version, dropped

    def polished(self, editor: Model, version: _Version) -> _Version:
        """Return a version that may be published with what is noted of it corrected, in sentences
        that read well aloud, and read again; the version itself if that fails or is no better."""
        noted = self.findings(version)
        if not noted or any(each.blocks for each in noted):
            return version
        prompt = polish_prompt(self.brief, version.text, [_told(each) for each in noted])
        try:
            edits = parse_edits(self.calls.ask(editor, prompt)).edits
            polished, dropped = self.with_edits(version, edits, is_last=True)
            if polished.text == version.text:
                return version
            polished = self.read(editor, polished)
        except GenerationCancelled:
            raise
        except (ServiceError, UnreadableAnswer) as error:
            log.warning("the post was not polished: %s", error)
            return version
        # A statement without a proof costs its own edit, not the others.
        applied = [each for each in edits if each not in dropped]
        kept, _ = self.with_edits(version, applied, is_last=True)
        kept = replace(kept, mark=polished.mark, notes=polished.notes)
        return self.better(version, kept) or version

    def cut_to_length(self, editor: Model, version: _Version) -> _Version:
        """Return the version without what it has too much, if that is all that blocks it."""
        if set(version.broken) != {"too_long"}:
            return version
        over = post_words(version.post) - self.brief.max_words
        answer = self.calls.ask(editor, cut_prompt(self.brief, version.text, over))
        try:
            cuts = [edit for edit in parse_edits(answer).edits if is_cut(edit)]
        except UnreadableAnswer:
            return version
        return replace(
            self.version(apply(version.text, cuts)[0]), unrepairable=version.unrepairable
        )

    def without_unsupported(self, version: _Version) -> _Version:
        """Return the version without the statements that no source supports."""
        text = version.text
        for finding in version.found:
            if finding.rule == "unsupported_claim":
                text = format_post(parse_post(without(text, finding.quotation), self.brief))
        if text == version.text:
            return version
        shorter = self.version(text)
        return replace(version, text=shorter.text, post=shorter.post, found=shorter.found)

    # --- reading

    def read(self, editor: Model, version: _Version) -> _Version:
        """Return the version with its mark. In a verified post, statements that are new are
        compared with the sources."""
        self.readings += 1
        asked = self.new_statements(version)
        prompt = read_prompt(self.brief, self.shown, version.text, asked, self.readings)
        answer = self.calls.ask(editor, prompt)
        try:
            reading = parse_reading(answer, asked, self.shown)
        except UnreadableAnswer as unreadable:
            log.warning("the reader's answer cannot be read: %s", unreadable)
            return version
        self.verdicts.add(asked, reading)
        notes = tuple(Finding("reader", Severity.WARNING, "post", note) for note in reading.notes)
        found = self.version(version.text).found
        return replace(version, found=found, mark=reading.mark, notes=notes)

    def new_statements(self, version: _Version) -> list[tuple[int, str]]:
        """Return the statements of a verified post that nobody has compared, numbered."""
        said = statements(version.text, self.brief.language)
        return self.verdicts.missing(said) if self.brief.verified else []

    # --- the end

    def objections(self, version: _Version) -> list[Finding]:
        """Return what the editor has to change before the post is published."""
        found = [*(each for each in version.found if each.blocks), *version.unrepairable]
        is_marked_low = version.mark is not None and version.mark < WANTED_MARK
        return [*found, *version.notes] if found or is_marked_low else []

    def findings(self, version: _Version) -> list[Finding]:
        """Return everything known against a version. With a blocker it is not published."""
        found = [*version.found, *version.unrepairable, *version.notes]
        if version.mark is not None and version.mark < LEAST_MARK:
            found.append(_blocker("reader_mark", _MARKED.format(version.mark)))
        # Without an editor nobody reads the post: then only rules compare it with its sources.
        if self.writers.editor is not None and self.new_statements(version):
            found.append(_blocker("unsupported_claim", _NOT_COMPARED))
        return found

    def better(self, one: _Version | None, other: _Version) -> _Version | None:
        """Return the other version if it may be published and its mark is not lower: a revision
        that makes a post worse does not replace it."""
        if other.mark is None or any(each.blocks for each in self.findings(other)):
            return one
        return one if one is not None and other.mark < (one.mark or 0) else other

    def published(self, version: _Version) -> Written:
        """Return the post.

        Raises:
            PostRejected: it has blockers.
        """
        findings = self.findings(version)
        if any(each.blocks for each in findings):
            raise PostRejected(version.post, findings, self.revisions)
        quality = Quality(
            status="pass",
            score=score(findings, version.mark),
            revision_count=self.revisions,
            quality_version=QUALITY_VERSION,
        )
        said = statements(version.text, self.brief.language)
        proofs = self.verdicts.proofs_of(said)
        if not self.verdicts.compared:
            proofs = tuple(figure_proofs(said, self.sources, self.brief.language))
        post = with_coverage(version.post, self.brief)
        return Written(post, quality, tuple(findings), version.mark, self.sources, proofs)


def _best_draft(drafts: Sequence[_Version]) -> _Version:
    return min(drafts, key=lambda draft: draft.broken.total())


def _told(finding: Finding) -> str:
    where = "" if finding.section == "post" else f"{finding.section}: "
    quotation = _short(finding.quotation)
    quoted = f" (“{quotation}”)" if quotation and quotation not in finding.reason else ""
    return f"{where}{finding.reason}{quoted}"


def _short(text: str) -> str:
    return shortened(text, _TOLD_CHARS)


def _blocker(rule: str, reason: str) -> Finding:
    return Finding(rule, Severity.BLOCKER, "post", reason)
