"""The pipeline: plan, draft, review, revise; then a post that passes every check, or an error.

A strategy says how much one call writes; review and revision are the same for all. Calls are made
one after the other, because each sees what was written before.
"""

import logging
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from zlib import crc32

from app.core.checks import (
    COPIED_FROM_SOURCE,
    DETERMINISTIC,
    QUALITY_VERSION,
    UNREADABLE,
    UNSUPPORTED_CLAIM,
    Finding,
    Passage,
    Score,
    ScorePart,
    Severity,
    check_flesch,
    check_post,
    check_too_long,
    claimed,
    passages,
    post_words,
    score,
    told_findings,
)
from app.core.errors import ContentQualityFailed, ProhibitedInput
from app.core.facts.ledger import Claim
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.rendering.blocks import parse, to_markdown
from app.core.schemas.post import Quality, SEOPost
from app.core.sources.source import Source
from app.core.text import primary_subtag, word_count
from app.core.verification import (
    CONTRADICTED,
    ROW,
    UNSUPPORTED,
    Coverage,
    Extract,
    Grounding,
    Vouched,
    statements,
)
from app.core.writing.answer import accept, read_answer, whole_sentences
from app.core.writing.completion import Completion, Prompt
from app.core.writing.draft import (
    CALLOUT,
    DESCRIPTION,
    FAQS,
    Draft,
    Part,
    PartKind,
    assemble,
    parts_of,
    section_part,
)
from app.core.writing.editor import MAX_DOUBTS, Manuscript, is_doubt, is_editorial, is_missing
from app.core.writing.foreign import Cosines, comparison_prompt, foreign_paragraphs
from app.core.writing.judge import (
    Judgement,
    rejected,
    sheets,
    supported,
    to_judge,
    vouched,
)
from app.core.writing.order import continuation_prompt, disordered, makes_up_for_doubt
from app.core.writing.parsing import UnreadableAnswer, load
from app.core.writing.plan import Plan, check_plan, read_plan, without_corrected, without_refused
from app.core.writing.profile import LARGE, Profile, Strategy
from app.core.writing.prompts import parts_prompt, plan_prompt, rewrite_prompt
from app.core.writing.refusals import is_refusal
from app.core.writing.revision import (
    SLIGHTLY,
    Rewrites,
    fit_description,
    gone,
    leaves_gap,
    remove,
    restore,
    to_rewrite,
    trim,
)
from app.core.writing.sense import LEAST_DOUBTFUL, nonsense, sense_prompt
from app.core.writing.strategy import aim, share_out, smaller, words_of
from app.deadline import Deadline
from app.ports import Model
from app.services.paraphrase import Paraphrase

log = logging.getLogger(__name__)

_MAX_FINDINGS = 20
_DECLINED = "The model declined this request on its own safety grounds."
MAX_REVISIONS = 2
# How often an answer that cannot be read is asked for again, each time with another seed.
_TRIES = 3
# How often a post that its revisions left too long is shortened.
_SHORTENED = 2
_PLANS = 3
# How often a sentence is sent to the judge that gives no verdict on it.
_JUDGED = 2
# The checks whose sentences may have had an earlier form that a source supports.
_NOT_IN_SOURCES = frozenset({UNSUPPORTED, CONTRADICTED})
# A post that may be published is revised further only if the time left is this share of the time
# taken so far.
_LEFT_TO_REVISE = 0.75
# The share of its words below which a section is asked for again.
_FAR_TOO_SHORT = 0.25
# Sentences of the sources in a prompt for one part.
_NOTES_A_PART = 6


@dataclass
class Effort:
    """What a post cost: calls to the model, its own count of tokens, and wall time in seconds."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def add(self, completion: Completion) -> None:
        self.calls += 1
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens


@dataclass(frozen=True)
class Written:
    """A post that passed: its public verdict, the parts of its score, the warnings left, what it
    cost and, if it has sources, where each of its claims is supported."""

    post: SEOPost
    quality: Quality
    score: Score
    warnings: tuple[Finding, ...]
    effort: Effort
    sources: tuple[Source, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    claims: tuple[Claim, ...] = ()


class PostRejected(ContentQualityFailed):
    """Blockers are left after the last revision.

    ``post`` is the best draft and ``findings`` are its findings, warnings included. Both are for
    reports; no response contains the draft.
    """

    def __init__(self, post: SEOPost, findings: Sequence[Finding], revisions: int) -> None:
        error = _failed([finding for finding in findings if finding.blocks], revisions)
        super().__init__(error.message, error.details)
        self.post, self.findings, self.revisions = post, tuple(findings), revisions


class EarlierPosts(Protocol):
    """What earlier posts of the feed or account say."""

    def findings(self, texts: Sequence[Passage], language: str) -> list[Finding]:
        """Return a warning for each statement that an earlier post contradicts."""
        ...


@dataclass(frozen=True)
class Writers:
    """Who writes a post.

    Args:
        writer: plans, writes and rewrites.
        profile: how the writer is asked.
        editor: reads the post for its meaning, and compares the sentences of a verified post with
            its sources; None if nobody does.
        ledger: compares the post with earlier ones; None if there are none.
        seed: makes the calls repeatable; random if None.
    """

    writer: Model
    profile: Profile = LARGE
    editor: Model | None = None
    seed: int | None = None
    ledger: "EarlierPosts | None" = None


@dataclass(frozen=True)
class _Review:
    """A draft and what is wrong with it. ``edited`` if its meaning was examined, or need not be."""

    draft: Draft
    post: SEOPost
    findings: tuple[Finding, ...]
    edited: bool

    @property
    def blockers(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.blocks]

    @property
    def to_fix(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.blocks or finding.fixable]

    @property
    def rank(self) -> tuple[bool, int, int, int, int]:
        """Lower is better. What nobody has read may have any number of faults; what no revision is
        worth comes after what is; what is too long can be shortened, and the less the better."""
        blockers = [each for each in self.blockers if each.check != check_too_long.name]
        too_long = len(self.blockers) - len(blockers)
        words = post_words(self.post) if too_long else 0
        to_fix, found = len(self.to_fix) - too_long, len(self.findings) - too_long
        return not self.edited, len(blockers), to_fix, found, words

    def has_fewer_faults(self, other: "_Review") -> bool:
        """Return whether it is better on the whole, whatever its faults are."""
        return self.edited and len(self.findings) < len(other.findings)


def write_post(
    writers: Writers, brief: Brief, *, deadline: Deadline, grounding: Grounding | None = None
) -> Written:
    """Return a post that has no blockers.

    Args:
        grounding: the sources of the post. Of a verified post (``brief.verified``) they must
            support every claim; another post is told what they do not support and may keep it.

    Raises:
        ContentQualityFailed: blockers are left after the last revision; details list them. It is
            a PostRejected if a whole draft exists.
        ProhibitedInput: the model declined.
        ModelUnavailable, GenerationTimeout: the model did not answer, or not in time.
        GenerationCancelled: another thread cancelled the deadline.
    """
    run = _Run(writers, brief, deadline, grounding)
    try:
        return run.run()
    finally:
        effort = run.effort
        log.info(
            "writing ended: calls=%d prompt_tokens=%d completion_tokens=%d seconds=%.1f",
            effort.calls,
            effort.prompt_tokens,
            effort.completion_tokens,
            time.monotonic() - run.started,
        )


class _Run:
    """One post on its way through the pipeline."""

    def __init__(
        self, writers: Writers, brief: Brief, deadline: Deadline, grounding: Grounding | None
    ) -> None:
        self.writers = writers
        self.profile = writers.profile
        self.brief = brief
        self.deadline = deadline
        self.grounding = grounding
        self.started = time.monotonic()
        self.seed = secrets.randbits(31) if writers.seed is None else writers.seed
        self.effort = Effort()
        self.revisions = 0
        # Warnings of the desk, by check and reason, that the writer was told or the editor judged:
        # neither is asked about them again.
        self._told: set[tuple[str, str]] = set()
        self._weighed: set[tuple[str, str]] = set()
        self.notes: dict[Part, tuple[Extract, ...]] = {}
        # Those of the whole post, for calls that write or read all of it.
        self.all_notes: tuple[Extract, ...] = ()
        # Set if the sections are their notes in other words.
        self.paraphrase: Paraphrase | None = None
        # What the editor read last, and its findings: it is not paid for the same text twice.
        self._read: tuple[Sequence[Passage], list[Finding]] | None = None
        # The verdicts of the judge: a sentence is judged once. Then the passages it was shown: what
        # is said in other words later is not judged by fewer.
        self._judged: dict[tuple[str, str], Judgement] = {}
        self._shown: dict[Extract, None] = {}
        # Whether sentences were removed that no source supports, which the editor may miss.
        self._has_removed = False
        # The reviews after which a draft was rewritten.
        self._revised: list[_Review] = []
        # What the editor missed in the drafts: trimming leaves it in.
        self._missed: list[str] = []
        # The probability that a paragraph makes sense, by its text; the likelihood of a text behind
        # another, by both.
        self._heard: dict[str, float | None] = {}
        self._likelihoods: dict[tuple[str, str], float | None] = {}
        # How alike texts are, by these texts.
        self._compared: dict[tuple[str, ...], Cosines | None] = {}

    def run(self) -> Written:
        plan = self._plan()
        self.words = words_of(plan, self.brief, aim(self.brief, self.profile))
        base = best = self._review(self._first_draft(plan))
        # The last that could be published: what is better and too long may not be shortened.
        sound = None if best.blockers else best
        while base.to_fix and self.revisions < MAX_REVISIONS:
            if self.profile.capable and self._is_slightly_long(base):
                break
            revised = self._revise(base)
            if revised is None:
                break
            self.revisions += 1
            if not revised.rank < best.rank:
                revised = self._in_part(base, revised)
            # What has fewer faults is revised further, even if a new one blocks it.
            base = revised if revised.has_fewer_faults(base) else best
            if revised.rank < best.rank:
                base = best = revised
                sound = sound if best.blockers else best
            elif base is best and not best.blockers:
                break
        if best.blockers and self.profile.capable:
            best = self._cut(self._shortened(self._repaired(best)))
        if best.blockers and sound is not None:
            best = sound
        if self.profile.capable and not best.blockers:
            best = self._touched_up(self._completed(best))
        if best.blockers:
            raise PostRejected(best.post, best.findings, self.revisions)
        return self._written(best)

    def _plan(self) -> Plan:
        about = " ".join([*self.brief.keywords, self.brief.topic or ""])
        if (plan := self._plan_of_notes(about)) is not None:
            return plan
        found = self.grounding.material(about, self.profile.notes) if self.grounding else ()
        self._require_help(found)
        notes = self._marked(found)
        feedback: list[str] = []
        findings: list[Finding] = []
        for number in range(_PLANS):
            seed = self._seed("plan", number)
            prompt = plan_prompt(self.brief, self.profile, notes, feedback, seed=seed)
            try:
                answer = self._ask_for_json(self.writers.writer, prompt)
                if any(map(is_refusal, _strings(answer))):
                    raise ProhibitedInput(_DECLINED)
                plan = without_refused(read_plan(answer, self.brief), self.brief)
            except UnreadableAnswer as unreadable:
                problem = f"No answer could be read: {unreadable}."
                findings, feedback = [UNREADABLE.found("outline", problem)], [problem]
                continue
            findings = [each for each in check_plan(plan, self.brief) if each.blocks]
            if not findings:
                self.all_notes = found
                if self.profile.strategy is not Strategy.WHOLE:
                    self.notes = self._share_notes(plan)
                return plan
            feedback = [finding.reason for finding in findings]
        raise _failed(findings, 0)

    def _require_help(self, notes: Sequence[Extract]) -> None:
        """Check for notes if the model cannot write this language without them."""
        unaided = self.profile.unaided
        if notes or unaided is None or primary_subtag(self.brief.language) in unaided:
            return
        spoken = get_language(self.brief.language)
        language = spoken.name if spoken else self.brief.language
        raise ContentQualityFailed(
            f"The model of this service writes {language} only from sources, and none was found"
            " for these keywords.",
            {"field": "language"} if unaided else {},
        )

    def _plan_of_notes(self, about: str) -> Plan | None:
        """Return a plan whose sections are groups of notes, for a model that needs it so."""
        if self.grounding is None or self.profile.strategy is not Strategy.NOTES:
            return None

        def ask(prompt: Prompt) -> Completion:
            return self._ask(self.writers.writer, prompt)

        is_read = self.writers.editor is not None
        paraphrase = Paraphrase(
            ask, self._seed, self.profile, self.brief, self.grounding, is_read=is_read
        )
        try:
            plan = paraphrase.plan(about)
        except UnreadableAnswer as unreadable:
            problem = f"No answer could be read: {unreadable}."
            raise _failed([UNREADABLE.found("outline", problem)], 0) from None
        if plan is not None:
            self.paraphrase, self.brief, self.notes = paraphrase, paraphrase.brief, paraphrase.notes
        return plan

    def _first_draft(self, plan: Plan) -> Draft:
        draft = Draft(plan)
        if self.paraphrase:
            return self.paraphrase.draft(plan)
        for asked in share_out(plan, self.brief, self.profile):
            draft = self._write(draft, asked)
        missing = [
            part for part in parts_of(plan, self.brief)
            if not draft.has(part) and part not in {CALLOUT, DESCRIPTION}
        ]  # fmt: skip
        if missing:
            problem = f"No answer could be read for {missing[0].marker}."
            raise _failed([UNREADABLE.found("post", problem)], 0)
        return draft

    def _write(self, draft: Draft, asked: tuple[Part, ...]) -> Draft:
        """Return the draft with the parts that could be read.

        A part that cannot be read or is far too short is asked for again in smaller assignments;
        its longer text stays.
        """
        notes = self._notes_for(asked)
        number = sum(part.section * 100 + part.point for part in asked)
        for again in range(_TRIES if len(asked) == 1 else 1):
            prompt = parts_prompt(
                self.brief, self.profile, draft, asked, self.words, notes,
                seed=self._seed(asked[0].marker, number + again),
            )  # fmt: skip
            draft = self._accept(draft, asked, prompt)
            if all(draft.has(part) for part in asked):
                break
        for part in asked:
            if self._is_written(draft, part):
                continue
            longer = draft
            for group in smaller(asked, part, draft.plan):
                longer = self._write(longer, group)
            if word_count(longer.text(part)) > word_count(draft.text(part)):
                draft = longer
        return draft

    def _is_written(self, draft: Draft, part: Part) -> bool:
        """Whether a part is there and, if it is a section, not far too short."""
        if part.kind is not PartKind.SECTION:
            return draft.has(part)
        least = self.words[part] * _FAR_TOO_SHORT
        return draft.has(part) and word_count(draft.text(part)) >= least

    def _accept(
        self, draft: Draft, asked: Sequence[Part], prompt: Prompt, *, also: Sequence[Part] = ()
    ) -> Draft:
        completion = self._ask(self.writers.writer, prompt)
        texts = read_answer(completion.text, asked, also=also, cut_off=completion.cut_off)
        if any(map(is_refusal, texts.values())):
            raise ProhibitedInput(_DECLINED)
        for part, text in texts.items():
            if completion.cut_off and len(asked) == 1:
                text = whole_sentences(text, self.brief.language)
            draft = accept(draft, part, text)
        return draft

    def _revise(self, review: _Review) -> _Review | None:
        """Return the review of the draft with the cheapest remedies; None if there are none."""
        self._revised.append(review)
        cut = self._without_deleted(review)
        draft, to_fix = cut.draft, cut.to_fix
        if self.paraphrase:
            # Their headings are those of the sources, or say what these are about.
            to_fix = [each for each in to_fix if not each.section.endswith(".heading")]
        capable = self.profile.capable
        if capable:
            to_fix = self._not_told(to_fix)
        rewrites = to_rewrite(draft, to_fix, self.words, self.brief, names_rules=capable)
        if self.paraphrase:
            # Each text is already the best of a few.
            rewrites = rewrites.most_urgent(len(rewrites.blocked))
        rewrites = rewrites.most_urgent(self.profile.rewrites)
        if rewrites.feedback:
            draft = self._rewrite(draft, rewrites)
        if draft is review.draft:
            return None
        if cut.edited and not rewrites.feedback and not any(map(is_editorial, cut.findings)):
            return cut
        # A capable model is told what is wrong with what a judge supports, while it can be.
        is_told = capable and self.revisions + 1 < MAX_REVISIONS
        draft = self._without_unsupported(draft, spare_supported=is_told)
        plan = without_corrected(draft.plan, _text(review.draft), _text(draft))
        return self._review(replace(draft, plan=plan))

    def _without_deleted(self, review: _Review) -> _Review:
        """Return the review of a draft without the sentences that go unasked, with what is left of
        the editor's findings; the same review if none goes."""
        to_cut = [each for each in review.to_fix if self._goes_unasked(each, review.draft)]
        draft, left = remove(review.draft, to_cut, self.brief)
        if draft is review.draft:
            return review
        left += [each for each in review.to_fix if each not in to_cut]
        return _with_editorial(self._checked(draft, review), left)

    def _not_told(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings without warnings of the desk that the writer was told before and
        let stand, as it may."""
        new = [
            each
            for each in findings
            if each.blocks or is_editorial(each) or _key(each) not in self._told
        ]
        self._told |= set(map(_key, new))
        return new

    def _goes_unasked(self, finding: Finding, draft: Draft) -> bool:
        """Whether a sentence with this finding is removed where that repairs it, before anything is
        rewritten. A capable model rewrites it, because readers may need it; only what an editor
        would delete goes, if that leaves no gap. What a source says stays as well, unless it blocks
        the post: without it, the rest may say something else."""
        if self._is_copied:
            return finding.blocks or is_editorial(finding)
        if not self.profile.capable:
            return True
        return is_editorial(finding) and not leaves_gap(draft, finding, self.brief)

    @property
    def _is_copied(self) -> bool:
        """Whether the sentences are those of the sources."""
        return self.paraphrase is not None and not self.brief.verified

    def _checked(self, draft: Draft, before: _Review) -> _Review:
        """Return the review of a draft that has only lost sentences: the editor's reading of the
        one before stands, and the doubts that it has judged."""
        checked = self._review(draft, editor=False)
        if self.writers.editor is None or not before.edited:
            return checked
        findings = tuple(each for each in checked.findings if not is_doubt(each))
        return replace(checked, findings=findings, edited=True)

    def _is_slightly_long(self, review: _Review) -> bool:
        """Whether a draft has no other fault than a few words too many: its wording is tightened,
        and nothing else of it changes."""
        over = post_words(review.post) - self.brief.max_words
        is_slight = 0 < over <= SLIGHTLY * self.brief.max_words
        return is_slight and all(
            each.check in {check_too_long.name, check_flesch.name} for each in review.to_fix
        )

    def _repaired(self, review: _Review) -> _Review:
        """Return the review of a draft that only its editor's findings block, with what the editor
        named repaired; the same review if that makes it no better. Its last reading may be the
        first of a sentence, and a post is not refused for one that it says how to change."""
        if not all(map(is_editorial, review.blockers)) or self._is_late:
            return review
        named = tuple(each for each in review.findings if is_editorial(each))
        revised = self._revise(replace(review, findings=named))
        return revised if revised is not None and revised.rank < review.rank else review

    def _completed(self, review: _Review) -> _Review:
        """Return the review of a post that has again what its editor misses since the service
        removed a sentence; the same review if that makes it no better."""
        missing = tuple(each for each in review.findings if is_missing(each))
        is_allowed = self.revisions < MAX_REVISIONS and not self._is_late
        if not missing or not self._has_removed or not is_allowed:
            return review
        revised = self._revise(replace(review, findings=missing))
        if revised is None:
            return review
        self.revisions += 1
        return revised if not revised.blockers and revised.rank < review.rank else review

    def _in_part(self, before: _Review, after: _Review) -> _Review:
        """Return the review of a revised draft with the earlier text of each part in which the
        revision made a fault that blocks the post; the revised one if there is no such part, or
        if another fault is left. One bad sentence need not undo what the others repaired."""
        known = {finding.check for finding in before.blockers}
        faults = [each for each in after.blockers if each.check not in known]
        parts = {after.draft.part_at(each.section) for each in faults}
        draft = after.draft
        for part in filter(None, parts):
            draft = draft.with_part_of(before.draft, part)
        if draft == after.draft or not after.edited:
            return after
        findings = [each for each in after.findings if draft.part_at(each.section) not in parts]
        findings += [each for each in before.findings if draft.part_at(each.section) in parts]
        mixed = _with_editorial(self._checked(draft, after), findings)
        return mixed if mixed.rank < before.rank else after

    def _touched_up(self, review: _Review) -> _Review:
        """Return the review of a post with what its editor's last reading names repaired, unless
        the desk finds more in it then. Nobody reads that again, which is better than to publish
        faults that an editor has said how to change."""
        editorial = [each for each in review.findings if is_editorial(each)]
        is_refused = any(review is each for each in self._revised)
        if not editorial or is_refused or self._is_late:
            return review
        rewrites = to_rewrite(review.draft, editorial, self.words, self.brief, names_rules=True)
        draft = self._rewrite(review.draft, rewrites) if rewrites.feedback else review.draft
        if draft is review.draft:
            return review
        checked = self._checked(self._without_unsupported(draft), review)
        return checked if not checked.blockers and checked.rank < review.rank else review

    @property
    def _is_late(self) -> bool:
        """Whether another revision might not end in time."""
        return self.deadline.left() < _LEFT_TO_REVISE * (time.monotonic() - self.started)

    def _shortened(self, review: _Review) -> _Review:
        """Return the review of a draft that is only too long, without what its editor would delete,
        then without sentences that the plan calls optional, if these are enough; else shortened by
        the writer, who knows what readers miss least; the same review if that is no shorter or has
        other blockers. The editor does not read again what was only tightened."""
        if {each.check for each in review.blockers} != {check_too_long.name}:
            return review
        review = self._without_deleted(review)
        too_long = review.blockers
        if {each.check for each in too_long} != {check_too_long.name}:
            return review
        draft = trim(review.draft, self.brief, self._missed, only_optional=True)
        if post_words(assemble(draft, self.brief)) <= self.brief.max_words:
            checked = self._checked(draft, review)
            if not checked.blockers:
                return _with_editorial(checked, review.findings)
        draft = review.draft
        # What the editor named since the last revision goes along.
        named = [each for each in review.to_fix if is_editorial(each)]
        for number in range(_SHORTENED):
            told = [*too_long, *named] if number == 0 else too_long
            rewrites = to_rewrite(draft, told, self.words, self.brief, names_rules=True)
            draft = self._rewrite(draft, rewrites.most_urgent(self.profile.rewrites))
            if post_words(assemble(draft, self.brief)) <= self.brief.max_words:
                break
        draft = self._without_unsupported(draft)
        is_slight = self._is_slightly_long(review)
        shorter = self._checked(draft, review) if is_slight else self._review(draft)
        others = [each for each in shorter.blockers if each.check != check_too_long.name]
        is_nearer = not others and post_words(shorter.post) < post_words(review.post)
        return shorter if is_nearer else review

    def _cut(self, review: _Review) -> _Review:
        """Return the review of the draft without what its rewriting did not repair, if that is
        enough: the last sentences of a draft that is too long, and sentences with blockers. The
        editor reads what was trimmed: its last sentence may be the one that readers need."""
        draft, cut = trim(review.draft, self.brief, self._missed), review
        if draft is not review.draft:
            known = len(self._missed)
            cut = self._review(draft)
            faults = [each for each in cut.blockers if each not in review.findings]
            if self._missed[known:] or any(map(is_editorial, faults)):
                # What was trimmed is missing, or needed by what stands beside it: something else
                # goes.
                needed = [*self._missed, *gone(review.draft, draft, self.brief.language)]
                cut = self._review(trim(review.draft, self.brief, needed))
        editorial = [each for each in cut.findings if is_editorial(each)]
        blockers = [each for each in (*cut.findings, *editorial) if each.blocks]
        draft, left = remove(cut.draft, list(dict.fromkeys(blockers)), self.brief)
        if any(map(is_editorial, left)):
            return review
        if draft is not cut.draft:
            cut = self._checked(draft, cut)
        kept = [each for each in editorial if not each.blocks and each not in cut.findings]
        cut = replace(cut, findings=(*cut.findings, *kept))
        return review if cut.blockers else cut

    def _without_unsupported(self, draft: Draft, *, spare_supported: bool = False) -> Draft:
        """Return the draft of a verified post without the sentences that its rewriting brought in
        or let stand and no source supports: the last revision has no other one after it. An earlier
        form that the judge supported comes back in their place. What a source says in the same
        words stays, to be reworded.

        Args:
            spare_supported: whether sentences that the judge supports stay. What the rules find
                against them is left to the next revision.
        """
        if not self.brief.verified:
            return draft
        checked = self._review(draft, editor=False)
        to_cut = self._to_cut(checked, spare_supported=spare_supported)
        unsupported = [each for each in to_cut if each.check in _NOT_IN_SOURCES]
        earlier = [
            text for (about, text), each in self._judged.items() if each.is_support and about != ROW
        ]
        restored = restore(checked.draft, unsupported, earlier, self.brief)
        if restored is not checked.draft:
            checked = self._review(restored, editor=False)
            to_cut = self._to_cut(checked, spare_supported=spare_supported)
        shorter, _ = remove(checked.draft, to_cut, self.brief)
        self._has_removed |= shorter is not checked.draft
        return shorter

    def _to_cut(self, review: _Review, *, spare_supported: bool) -> list[Finding]:
        """Return the blockers whose sentences go; what is copied is reworded."""
        supported = []
        if spare_supported:
            vouched = self._vouched(list(passages(review.post)))
            supported = [statement for statement, extracts in vouched if extracts]
        return [
            each
            for each in review.blockers
            if each.check != COPIED_FROM_SOURCE.name
            and not any(statement.holds(each.section, each.span) for statement in supported)
        ]

    def _rewrite(self, draft: Draft, rewrites: Rewrites) -> Draft:
        groups = [[part] for part in rewrites.feedback]
        if self.profile.strategy is Strategy.WHOLE:
            groups = [list(rewrites.feedback)]
        for group in groups:
            if self.paraphrase:
                draft = self.paraphrase.written(draft, group[0], self.revisions + 1)
                continue
            prompt = rewrite_prompt(
                self.brief, self.profile, draft,
                {part: rewrites.feedback[part] for part in group}, rewrites.words,
                self._notes_for(group),
                seed=self._seed(group[0].marker, 1000 + self.revisions),
            )  # fmt: skip
            draft = self._accept(draft, group, prompt, also=self._open(draft, group))
        return draft

    def _open(self, draft: Draft, group: Sequence[Part]) -> list[Part]:
        """Return the parts into which a capable model may move text of a group."""
        if not self.profile.capable or len(group) < 2:
            return []
        return [part for part in parts_of(draft.plan, self.brief) if part not in group]

    def _review(self, draft: Draft, *, editor: bool = True) -> _Review:
        draft = self._tidied(draft)
        post = assemble(draft, self.brief)
        texts = list(passages(post))
        findings = list(check_post(post, self.brief).findings)
        if self.paraphrase is None:
            plan = draft.plan
            told = [plan.purpose, *(section.purpose for section in plan.sections)]
            findings += told_findings(texts, told)
        if self.grounding:
            findings = self.grounding.without_known_spellings(texts, findings)
            judged = self._judge(self.grounding, texts)
            findings += self.grounding.findings(
                texts,
                required=self.brief.verified,
                vouched=self._vouched(texts),
                notes=tuple(self._shown),
            )
            findings += judged
        if self.writers.ledger:
            findings += self.writers.ledger.findings(texts, self.brief.language)
        edited = self.writers.editor is None
        # A capable model repairs what the desk and the editor find in one revision.
        is_read = self.profile.capable or not any(each.blocks for each in findings)
        if editor and self.writers.editor is not None and is_read:
            findings = self._edited(self.writers.editor, draft.plan, texts, findings)
            edited = not any(each.check == UNREADABLE.name for each in findings)
        if not any(each.blocks for each in findings):
            findings += self._nonsense(texts)
        return _Review(draft, post, tuple(findings), edited)

    def _judge(self, grounding: Grounding, texts: Sequence[Passage]) -> list[Finding]:
        """Return a blocker for each sentence of a verified post that no source supports.

        Only sentences that are new are sent to the judge, and once more those that it left out.

        Raises:
            ContentQualityFailed: no answer of the judge could be read.
        """
        judge = self.writers.editor
        if judge is None or not self.brief.verified:
            return []
        found = list(statements(texts, self.brief.language))
        was_read = bool(self._judged)
        for number in range(_JUDGED):
            asked = to_judge(found, grounding, self._judged.keys())
            given = tuple(dict.fromkeys((*self._given, *self._shown)))
            for at, sheet in enumerate(sheets(asked, grounding, self.profile, given)):
                self._shown |= dict.fromkeys(sheet.extracts)
                seed = self._seed("judge", 1000 * self.revisions + 100 * number + at)
                prompt = sheet.prompt(self.brief.language_name, seed=seed)
                try:
                    answer = self._ask_for_json(judge, prompt)
                except UnreadableAnswer as unreadable:
                    log.warning("the judge's answer cannot be read: %s", unreadable)
                    continue
                self._judged.update(sheet.judgements(answer))
                was_read = True
        if asked and not was_read:
            problem = "No answer of the judge could be read, so nobody compared the sentences."
            raise _failed([UNREADABLE.found("post", problem)], self.revisions)
        return list(rejected(found, self._judged, grounding))

    def _vouched(self, texts: Sequence[Passage]) -> Vouched:
        if self.grounding is None or not self._judged:
            return ()
        found = list(statements(texts, self.brief.language))
        return vouched(found, self._judged, self.grounding)

    def _coverage(self, texts: Sequence[Passage]) -> tuple[Coverage, ...]:
        """Return where the sources support the claims of the post, and its judged sentences."""
        if self.grounding is None:
            return ()
        coverage = self.grounding.coverage(texts)
        if self._judged:
            found = statements(texts, self.brief.language)
            coverage += tuple(supported(list(found), self._judged, self.grounding))
        return coverage

    def _nonsense(self, texts: Sequence[Passage]) -> Iterator[Finding]:
        """Yield what a model that cannot edit hears as nonsense in its own text. Sentences of
        sources are not its own, nor is the order of reworded ones."""
        if not self.profile.least_sense or self.writers.editor or self._is_copied:
            return
        language = self.brief.language
        found = list(nonsense(texts, language, self.profile.least_sense, self._sense))
        if self.paraphrase is None:
            is_doubt = found and not any(nonsense(texts, language, LEAST_DOUBTFUL, self._sense))
            if is_doubt and makes_up_for_doubt(texts, language, self._likelihood):
                found = []
            found = found or list(foreign_paragraphs(texts, language, self._cosines))
            found = found or list(disordered(texts, language, self._likelihood))
        yield from found

    def _sense(self, paragraph: str) -> float | None:
        if paragraph not in self._heard:
            answer = self._ask(self.writers.writer, sense_prompt(paragraph))
            self._heard[paragraph] = answer.yes
        return self._heard[paragraph]

    def _likelihood(self, before: str, text: str) -> float | None:
        if (before, text) not in self._likelihoods:
            answer = self._ask(self.writers.writer, continuation_prompt(before, text))
            self._likelihoods[before, text] = answer.likelihood
        return self._likelihoods[before, text]

    def _cosines(self, texts: Sequence[str]) -> Cosines | None:
        key = tuple(texts)
        if key not in self._compared:
            answer = self._ask(self.writers.writer, comparison_prompt(texts))
            self._compared[key] = answer.cosines
        return self._compared[key]

    def _tidied(self, draft: Draft) -> Draft:
        """Return the draft in its plain form and within its limits. A capable model shortens its
        draft itself: the last sentence of a long paragraph may be the one that readers need."""
        for part, text in draft.reading_order():
            if part in draft.texts and part != DESCRIPTION:
                draft = draft.with_text(part, to_markdown(parse(text)))
        if not self.profile.capable:
            draft = trim(draft, self.brief)
        return fit_description(draft, self.brief)

    def _edited(
        self, editor: Model, plan: Plan, texts: Sequence[Passage], findings: Sequence[Finding]
    ) -> list[Finding]:
        """Return the findings of the desk that are certain or that the editor was not told, and
        those of the editor, who judges the rest. Without an answer that can be read, the doubts
        stay."""
        findings = [each for each in findings if _key(each) not in self._weighed]
        doubts = [each for each in findings if is_doubt(each)]
        # The editor compares the post with the notes.
        unsupported = [each for each in doubts if each.check == UNSUPPORTED_CLAIM.name]
        told = [each for each in doubts if each not in unsupported][:MAX_DOUBTS]
        certain = [each for each in findings if each not in told and each not in unsupported]
        if self._read and self._read[0] == texts:
            return [*certain, *self._read[1]]
        manuscript = Manuscript(texts, self.brief.language)
        notes = self._marked(self._given)
        for number in range(_TRIES):
            seed = self._seed("editor", 10 * self.revisions + number)
            prompt = manuscript.prompt(self.brief, plan, notes, told, seed=seed)
            try:
                found = manuscript.findings(self._ask_for_json(editor, prompt))
                self._read = (texts, found)
                self._missed += [each.reason for each in found if is_missing(each)]
                self._weighed |= set(map(_key, told))
                return [*certain, *found]
            except UnreadableAnswer as unreadable:
                log.warning("the editor's answer cannot be read: %s", unreadable)
        problem = "No answer of the editor could be read, so nobody examined the content."
        return [*findings, UNREADABLE.found("post", problem, severity=Severity.WARNING)]

    def _written(self, review: _Review) -> Written:
        self.effort.seconds = time.monotonic() - self.started
        texts = list(passages(review.post))
        grounding, made = self.grounding, self._score(review)
        log.info("score: %s", made)
        return Written(
            post=review.post,
            quality=Quality(
                status="pass",
                score=made.total,
                revision_count=self.revisions,
                quality_version=QUALITY_VERSION,
            ),
            score=made,
            warnings=review.findings,
            effort=self.effort,
            sources=grounding.sources if grounding else (),
            coverage=self._coverage(texts),
            claims=tuple(claim for _, _, claim in claimed(texts, self.brief.language)),
        )

    def _score(self, review: _Review) -> Score:
        examined = set(DETERMINISTIC)
        if self.grounding:
            examined.add(ScorePart.GROUNDING)
        if self.writers.editor is not None and review.edited:
            examined.add(ScorePart.SUBSTANCE)
        return score(review.findings, examined, post_words(review.post))

    def _share_notes(self, plan: Plan) -> dict[Part, tuple[Extract, ...]]:
        """Return the notes of each section and of the questions, found by their own words. No note
        is given twice, so no part repeats another."""
        if self.grounding is None:
            return {}
        queries = {
            section_part(number): " ".join([section.heading, section.purpose, *section.points])
            for number, section in enumerate(plan.sections, 1)
        }
        if plan.questions:
            queries[FAQS] = " ".join(plan.questions)
        subject = self.brief.primary_keyword
        found = self.grounding.notes_apart(
            [f"{subject} {query}" for query in queries.values()], _NOTES_A_PART
        )
        return dict(zip(queries, found, strict=True))

    def _notes_for(self, parts: Sequence[Part]) -> str:
        if self.profile.strategy is Strategy.WHOLE:
            return self._marked(self.all_notes)
        asked = {part.whole for part in parts}
        return self._marked(
            note for part, notes in self.notes.items() if part in asked for note in notes
        )

    def _marked(self, notes: Iterable[Extract]) -> str:
        return self.grounding.marked(notes) if self.grounding else ""

    @property
    def _given(self) -> tuple[Extract, ...]:
        """The notes that the writer was given for any part."""
        of_parts = (note for notes in self.notes.values() for note in notes)
        return tuple(dict.fromkeys((*self.all_notes, *of_parts)))

    def _seed(self, name: str, number: int) -> int:
        return crc32(f"{self.seed}:{name}:{number}".encode())

    def _ask_for_json(self, model: Model, prompt: Prompt) -> Mapping[str, Any]:
        return load(self._ask(model, prompt).text, prompt.schema or {})

    def _ask(self, model: Model, prompt: Prompt) -> Completion:
        completion = model.complete(prompt, self.deadline)
        self.effort.add(completion)
        if completion.refusal is not None or is_refusal(completion.text):
            raise ProhibitedInput(_DECLINED)
        return completion


def _with_editorial(review: _Review, findings: Sequence[Finding]) -> _Review:
    """Return a review with those of the findings that an editor made."""
    editorial = filter(is_editorial, findings)
    return replace(review, findings=(*review.findings, *editorial))


def _key(finding: Finding) -> tuple[str, str]:
    return finding.check, finding.reason


def _text(draft: Draft) -> str:
    return "\n".join(text for _, text in draft.reading_order())


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)


def _failed(blockers: Sequence[Finding], revisions: int) -> ContentQualityFailed:
    """Return the error of a post with these blockers after this many revisions."""
    first = blockers[0]
    number = f"{revisions} revision{'s' * (revisions != 1)}"
    return ContentQualityFailed(
        f"The post still fails {len({f.check for f in blockers})} of its checks after {number};"
        f" the first: {first.section}: {first.reason}",
        {"findings": [finding.to_wire() for finding in blockers[:_MAX_FINDINGS]]},
    )
