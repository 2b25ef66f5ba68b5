"""The objects in responses: posts, feed items, jobs and usage.

All are frozen. They stay readable when the service adds members: ``raw`` is the object as received.
A missing text or list is empty; any other missing or unreadable value is None.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Self

from copydesk._wire import REQUIRED, Received, UnexpectedAnswer, Wire, child
from copydesk.errors import JobPendingError, error_class
from copydesk.request import with_arguments

# Chinese, Japanese and Thai put no space between words: each of their characters counts.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"


@dataclass(frozen=True)
class Meta(Received):
    """Metadata for search engines."""

    description: str
    primary_keyword: str


@dataclass(frozen=True)
class Outline(Received):
    """The post's headings by level."""

    h1: str
    h2: tuple[str, ...]


@dataclass(frozen=True)
class Callout(Received):
    """A highlighted box."""

    label: str
    text: str


@dataclass(frozen=True)
class Section(Received):
    """A part of the post, in reading order.

    ``type`` is introduction, body, callout, faq, conclusion, or a newer one. The entries of a faq
    section are in the post's ``faqs``; its ``content_markdown`` is empty. Other sections are
    CommonMark with lists, tables, quotations, code and headings of level 3, without links or HTML.
    """

    type: str
    heading: str | None
    content_markdown: str
    callout: Callout | None


@dataclass(frozen=True)
class FAQ(Received):
    """A question and its answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class KeywordCoverage(Received):
    """Whether a keyword is covered, and the words that cover it."""

    keyword: str
    covered: bool
    evidence: str


@dataclass(frozen=True)
class CoverageNotes(Received):
    """How the keywords of the request are covered."""

    keyword_coverage: tuple[KeywordCoverage, ...]


@dataclass(frozen=True)
class Post(Received):
    """A finished post. It contains no links; only ``Rendered`` has them."""

    title: str
    slug_suggestion: str
    meta: Meta
    outline: Outline
    sections: tuple[Section, ...]
    faqs: tuple[FAQ, ...]
    conclusion: str
    coverage_notes: CoverageNotes

    @property
    def word_count(self) -> int:
        """The number of words without the title, as limited and billed.

        Marks that no writer needs, such as bold within a word, may make a difference of a word.
        """
        return sum(map(count_words, self._reading_text()))

    def _reading_text(self) -> Iterator[str]:
        for section in self.sections:
            yield section.heading or ""
            if section.callout:
                yield from (section.callout.label, section.callout.text)
            if section.type == "faq":
                yield from (text for faq in self.faqs for text in (faq.question, faq.answer))
            elif section.type != "callout":
                yield html.unescape(_NOT_READ.sub("", section.content_markdown))


@dataclass(frozen=True)
class Rendered(Received):
    """The post as text to publish. A representation that was not requested is None."""

    markdown: str | None
    html: str | None
    raw_json: str | None


@dataclass(frozen=True)
class Quality(Received):
    """What the rules and the reader say of the post.

    ``score`` is 0 to 100: ten times the reader's mark, or at most 70 if nobody read the post.
    ``revision_count`` is how many times an editor revised it.
    """

    status: str
    score: float | None
    revision_count: int | None
    quality_version: str


@dataclass(frozen=True)
class Debug(Received):
    """How the post was made."""

    generation_model: str | None


@dataclass(frozen=True)
class Generation(Received):
    """The result of ``generate``. ``debug`` is None unless the operator has enabled it."""

    request_id: str
    post: Annotated[Post, REQUIRED]
    rendered: Rendered
    quality: Quality
    debug: Debug | None


@dataclass(frozen=True)
class FeedItem(Received):
    """One post of a feed, reserved for the caller until it is confirmed or rejected.

    ``delivery_count`` is the number of sends, including this one; after 3 the item is abandoned.
    Only ``Feed.items`` sets ``rule_id`` and ``rule_name``. ``generated_at`` has an offset. An item
    with the id "" cannot be confirmed or rejected: the service abandons it.
    """

    id: str
    post: Post
    rendered: Rendered
    generated_at: datetime | None
    delivery_count: int | None
    rule_id: str | None
    rule_name: str | None


@dataclass(frozen=True)
class FeedResult(Received):
    """The state of an item after ``confirm`` (used) or ``reject`` (rejected)."""

    id: Annotated[str, REQUIRED]
    status: Annotated[str, REQUIRED]

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return replace(super().from_wire(child(data, "item")), raw=data)


@dataclass(frozen=True)
class InputSummary(Received):
    """A summary of the job's request."""

    keywords: tuple[str, ...]
    language: str
    max_words: int | None


@dataclass(frozen=True)
class JobError(Received):
    """Why a job failed; ``code`` is one of those in ``copydesk.errors``."""

    code: str
    message: str

    @property
    def details(self) -> dict[str, Any]:
        """Further details; empty if there are none."""
        return child(self.raw, "details")


@dataclass(frozen=True)
class JobProgress(Received):
    """What a worker is doing for a job; ``str()`` says it in words: “editing 1 of 2”.

    ``stage`` is preparing, writing, editing, reading, polishing, shortening, or a newer one.
    ``number`` counts the stages of that name, ``of`` is how many there are at most, and ``tokens``
    are those of prompts and answers so far.
    """

    stage: str
    number: int | None
    of: int | None
    tokens: int | None

    def __str__(self) -> str:
        number = "" if self.number is None else f" {self.number}"
        return f"{self.stage}{number}" + ("" if self.of is None else f" of {self.of}")


@dataclass(frozen=True)
class Job(Received):
    """A job as of the last response.

    ``status`` is queued, processing, succeeded, failed, or a newer one. ``progress`` is set while a
    worker writes; ``post`` (the API's ``result``), ``rendered`` and ``quality`` are set if it
    succeeded, and ``error`` if it failed. Only the response to ``jobs.create`` has
    ``webhook_signing_secret``, if there is a webhook; no repr shows it.
    """

    job_id: Annotated[str, REQUIRED]
    status: Annotated[str, REQUIRED]
    created_at: datetime | None
    updated_at: datetime | None
    request_id: str
    input_summary: InputSummary
    webhook_signing_secret: str | None = field(repr=False)
    progress: JobProgress | None
    post: Annotated[Post | None, Wire("result")]
    rendered: Rendered | None
    quality: Quality | None
    error: JobError | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        job = super().from_wire(data)
        if job.status == "succeeded" and job.post is None:
            raise UnexpectedAnswer("it has no result")
        return job

    @property
    def done(self) -> bool:
        """Whether the job has succeeded or failed."""
        return self.status in {"succeeded", "failed"}

    def generation(self) -> Generation:
        """Return the post as ``generate`` returns it.

        Raises:
            APIError: the job failed; the class is that which ``generate`` would have raised.
            JobPendingError: the job is not done yet.
        """
        if self.status == "failed":
            error = self.error or JobError.from_wire({})
            raise error_class(0, error.code)(
                with_arguments(error.message) or "the job failed",
                code=error.code or None,
                details=error.details,
                request_id=self.request_id or None,
            )
        if not self.done:
            raise JobPendingError(
                f"job {self.job_id} is {self.status} and has no post yet: wait for it", self
            )
        members = {name: child(self.raw, name) for name in ("rendered", "quality")}
        post = child(self.raw, "result")
        return Generation.from_wire({"requestId": self.request_id, "post": post, **members})


@dataclass(frozen=True)
class CheckFinding(Received):
    """A fault of a text, at a line and column counted from 1.

    ``severity`` is blocker or warning. ``quotation`` is the text in question, up to 200 characters;
    "" if the finding is about a larger part.
    """

    line: int | None
    column: int | None
    severity: str
    check: str
    reason: str
    quotation: str


@dataclass(frozen=True)
class CheckReport(Received):
    """The result of ``check``. ``passes`` means that no finding is a blocker.

    ``score`` is 0 to 70, because no model reads the text; it is None if the text has no
    words. ``findings`` are in the order of the text, at most 500 of ``finding_count``.
    ``skipped`` names the rules that do not apply.
    """

    passes: bool
    score: int | None
    words: int | None
    language: str
    quality_version: Annotated[str, REQUIRED]
    finding_count: int | None
    findings: tuple[CheckFinding, ...]
    skipped: tuple[str, ...]


@dataclass(frozen=True)
class Plan(Received):
    """The plan of the account."""

    id: str
    name: str
    priority_processing: bool | None
    team_seats: int | None


@dataclass(frozen=True)
class Metering(Received):
    """The metering: ``unit`` is word or post, ``granularity`` request or generation."""

    unit: str
    granularity: str


@dataclass(frozen=True)
class Limits(Received):
    """The plan's limits. None means no limit."""

    monthly_words: int | None
    monthly_posts: int | None
    max_words_per_request: int | None
    requests_per_minute: int | None


@dataclass(frozen=True)
class Amounts(Received):
    """Words, posts and requests, consumed or remaining. None means not tracked."""

    words: int | None
    posts: int | None
    requests: int | None


@dataclass(frozen=True)
class DailyQuota(Received):
    """Requests of this API key today; ``reset_at`` is the next midnight, UTC."""

    limit: int | None
    used: int | None
    remaining: int | None
    reset_at: datetime | None


@dataclass(frozen=True)
class Usage(Received):
    """The result of ``usage``."""

    plan: Annotated[Plan, REQUIRED]
    period_start: datetime | None
    period_end: datetime | None
    metering: Metering
    limits: Limits
    consumed: Amounts
    remaining: Amounts
    daily: DailyQuota


# Fences, and the numbers of lists.
_NOT_READ = re.compile(r"^(?:> ?)*[ \t]*(?:```.*|\d{1,2}\.(?= ))", re.MULTILINE)


def count_words(text: str) -> int:
    """Return the number of words as the service counts and bills them.

    A word is a run of letters and digits with inner hyphens, apostrophes, points and commas.
    """
    return sum(1 for _ in _word().finditer(text))


@cache
def _word() -> re.Pattern[str]:
    # \w lacks the accents and vowel signs that follow a letter, and the joiners inside Persian and
    # Indic words. They are looked up at the first count, not at import.
    marks = "\u200c\u200d" + "".join(
        char
        for char in map(chr, range(0x300, 0x10000))
        if unicodedata.category(char) in {"Mn", "Mc"} and not re.match(f"[{_UNSPACED}]", char)
    )
    letters = rf"[^\W_{_UNSPACED}]+(?:[{marks}][^\W_{_UNSPACED}]*)*"
    return re.compile(rf"[{_UNSPACED}]|{letters}(?:[-.,'’]{letters})*")
