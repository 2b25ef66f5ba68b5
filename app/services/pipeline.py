"""The pipeline: from a brief to a post that passed the desk, or an error.

outline → all other pieces at the same time → assemble → trim → checks → write again what failed.
Each piece gets up to ``drafts`` tries a round, the best of which is kept; a round after the first
is a revision. A model that writes well at once is asked once for each piece.
"""

import logging
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from zlib import crc32

from app.core.answers import UnreadableAnswer, load, tidy, whole_sentences
from app.core.backing import Backing
from app.core.brief import Brief
from app.core.completion import Completion, Prompt
from app.core.errors import ContentQualityFailed, GenerationTimeout, ProhibitedInput
from app.core.evidence.check import Coverage
from app.core.pieces import Content, Manuscript, Piece
from app.core.post import Quality, SEOPost
from app.core.quality.desk import QUALITY_VERSION, inspect, score
from app.core.quality.finding import Finding, blocker
from app.core.quality.passage import passages
from app.core.refusals import is_refusal
from app.core.rewriting import to_rewrite
from app.core.source import Source
from app.core.writing import OUTLINE, TITLE, accept_outline, assemble, plan_pieces, trim
from app.ports import Model

log = logging.getLogger(__name__)

MAX_REVISIONS = 2
_FIRST_TEMPERATURE = 0.7
_WARMER = 0.05
_MAX_WISHES = 6
_MAX_FINDINGS = 20
_DECLINED = "The model declined this request on its own safety grounds."


@dataclass
class Effort:
    """What a post cost: calls to the model and its own count of tokens; wall time in seconds."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    _lock: Any = field(default_factory=Lock, repr=False, compare=False)

    def add(self, completion: Completion) -> None:
        with self._lock:
            self.calls += 1
            self.prompt_tokens += completion.prompt_tokens
            self.completion_tokens += completion.completion_tokens


@dataclass(frozen=True)
class Written:
    """A post that passed, its public verdict, the warnings left, what it cost, and where each
    of its claims is borne out, if it had to be."""

    post: SEOPost
    quality: Quality
    warnings: tuple[Finding, ...]
    effort: Effort
    sources: tuple[Source, ...] = ()
    coverage: tuple[Coverage, ...] = ()


@dataclass(frozen=True)
class _Draft:
    content: Content
    blockers: tuple[Finding, ...]


def write_post(
    model: Model,
    brief: Brief,
    *,
    backing: Backing | None = None,
    drafts: int = 3,
    timeout_seconds: float = 900.0,
    seed: int | None = None,
) -> Written:
    """Write a post that has no blockers.

    Args:
        backing: what every claim of the post must be found in, where it is a verified one.
        drafts: tries a piece gets in each round, 1 or more.
        timeout_seconds: after this no further call to the model is begun.
        seed: makes the calls repeatable; random where it is None.

    Raises:
        ContentQualityFailed: blockers are left after the last revision; details list them.
        ProhibitedInput: the model declined.
        ModelUnavailable, GenerationTimeout: the model gave no answer.
    """
    desk = _Desk(model, brief, backing, drafts, timeout_seconds, seed)
    try:
        return desk.run()
    finally:
        effort = desk.effort
        log.info(
            "writing ended: calls=%d prompt_tokens=%d completion_tokens=%d seconds=%.1f",
            effort.calls,
            effort.prompt_tokens,
            effort.completion_tokens,
            time.monotonic() - desk.started,
        )


class _Desk:
    """One post on its way through the pipeline."""

    def __init__(
        self,
        model: Model,
        brief: Brief,
        backing: Backing | None,
        drafts: int,
        timeout_seconds: float,
        seed: int | None,
    ) -> None:
        self.model = model
        self.brief = brief
        self.drafts = drafts
        self.started = time.monotonic()
        self.timeout_seconds = timeout_seconds
        self.seed = secrets.randbits(31) if seed is None else seed
        self.effort = Effort()
        self.manuscript = Manuscript(brief, backing=backing)
        self.kept: dict[str, _Draft] = {}

    def run(self) -> Written:
        outline, revision = self._settle(OUTLINE, 0)
        accept_outline(self.manuscript, outline)
        title, revision = self._settle(TITLE, revision)
        self.manuscript.title = title["title"]
        pieces = {piece.name: piece for piece in plan_pieces(self.manuscript)}
        work = {name: (piece, list[str]()) for name, piece in pieces.items()}
        while True:
            self._write(work, revision)
            trim(self.manuscript, pieces.values())
            post = assemble(self.manuscript)
            findings = self._inspect(post)
            blockers = [finding for finding in findings if finding.blocks]
            if not blockers:
                break
            work = to_rewrite(self.manuscript, pieces, blockers)
            if revision == MAX_REVISIONS or not work:
                raise _failed(blockers)
            revision += 1
            pieces |= {name: piece for name, (piece, _) in work.items()}
            log.info("revision %d of %s", revision, ", ".join(sorted(work)))
        self.effort.seconds = time.monotonic() - self.started
        backing = self.manuscript.backing
        return Written(
            post=post,
            quality=Quality(
                status="pass",
                score=score(findings),
                revision_count=revision,
                quality_version=QUALITY_VERSION,
            ),
            warnings=tuple(findings),
            effort=self.effort,
            sources=backing.sources if backing else (),
            coverage=backing.coverage(list(passages(post))) if backing else (),
        )

    def _inspect(self, post: SEOPost) -> list[Finding]:
        findings = inspect(post, self.brief)
        if self.manuscript.backing:
            findings += self.manuscript.backing.findings(list(passages(post)))
        return findings

    def _settle(self, piece: Piece, revision: int) -> tuple[Mapping[str, Any], int]:
        """Write a piece until it passes, as all else hangs on it; returns the revisions used."""
        wishes: list[str] = []
        while True:
            draft = self._draft(piece, wishes, revision)
            if not draft.blockers and not isinstance(draft.content, str):
                return draft.content, revision
            if revision == MAX_REVISIONS:
                raise _failed(draft.blockers)
            revision += 1
            wishes = _wishes(draft.blockers)

    def _write(self, work: Mapping[str, tuple[Piece, list[str]]], revision: int) -> None:
        """Write pieces side by side, as many at once as the model has use for."""
        with ThreadPoolExecutor(max_workers=max(1, self.model.concurrency)) as pool:
            futures = {
                pool.submit(self._draft, piece, wishes, revision): piece
                for piece, wishes in work.values()
            }
            try:
                for future, piece in futures.items():
                    self.kept[piece.name] = future.result()
                    self.manuscript.accept(piece, self.kept[piece.name].content)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _draft(self, piece: Piece, wishes: Sequence[str], revision: int) -> _Draft:
        """The first draft that has no blockers, else the one with the fewest.

        What stands there from an earlier round is one of them, so that no round makes a piece
        worse than it was.
        """
        earlier = best = self.kept.get(piece.name)
        problem = ""
        asked = list(wishes)
        for attempt in range(self.drafts):
            number = revision * self.drafts + attempt
            prompt = piece.prompt(
                self.manuscript,
                asked,
                temperature=min(1.0, _FIRST_TEMPERATURE + _WARMER * number),
                seed=crc32(f"{self.seed}:{piece.name}:{number}".encode()),
            )
            try:
                content = piece.edit(self._ask(prompt), self.brief)
            except UnreadableAnswer as unreadable:
                problem = str(unreadable)
                continue
            blockers = tuple(f for f in piece.check(content, self.manuscript) if f.blocks)
            # As good as what was sent back is better: there was a reason to send it back.
            if best is None or len(blockers) < len(best.blockers) + (best is earlier):
                best = _Draft(content, blockers)
            if not blockers:
                break
            asked = list(dict.fromkeys([*wishes, *_wishes(blockers)]))[:_MAX_WISHES]
        if best is None:
            raise _failed(
                [blocker("unreadable", piece.name, f"No answer could be read: {problem}.")]
            )
        return best

    def _ask(self, prompt: Prompt) -> Content:
        if time.monotonic() - self.started > self.timeout_seconds:
            raise GenerationTimeout(
                f"The post was not finished within {self.timeout_seconds:.0f} seconds."
            )
        completion = self.model.complete(prompt)
        self.effort.add(completion)
        if completion.refusal is not None or is_refusal(completion.text):
            raise ProhibitedInput(_DECLINED)
        if prompt.schema is not None:
            answer = load(completion.text, prompt.schema)
            if any(is_refusal(text) for text in _strings(answer)):
                raise ProhibitedInput(_DECLINED)
            return answer
        text = tidy(completion.text)
        return whole_sentences(text, self.brief.language) if completion.cut_off else text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)


def _wishes(blockers: Sequence[Finding]) -> list[str]:
    return [f"- {finding.reason}" for finding in blockers]


def _failed(blockers: Sequence[Finding]) -> ContentQualityFailed:
    first = blockers[0]
    return ContentQualityFailed(
        f"The post still fails {len({f.check for f in blockers})} of its checks after"
        f" {MAX_REVISIONS} revisions; the first: {first.section}: {first.reason}",
        {"findings": [finding.to_wire() for finding in blockers[:_MAX_FINDINGS]]},
    )
