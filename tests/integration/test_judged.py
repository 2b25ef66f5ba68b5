"""Verified posts whose sentences a model compares with the sources; both models are scripted."""

import json
import secrets
from dataclasses import replace
from typing import Any

import pytest

from app.core.errors import ContentQualityFailed
from app.core.schemas.api_model import to_json
from app.core.schemas.post import SEOPost
from app.core.schemas.request import parse_generate_request
from app.core.writing.completion import Completion, Prompt
from app.deadline import Deadline
from app.ports import Model
from app.services import jobs
from app.services.assignment import Assignment
from app.services.pipeline import Written
from app.services.post_writer import PostWriter
from app.services.replay import replay
from app.store import database, models
from tests.integration.test_verified import (
    DESCRIPTION,
    REQUEST,
    VERIFIED,
    Reporter,
    Writer,
    checks,
    options,
    rows,
)
from tests.support.contexts import context_at
from tests.support.integration import FRESH, Feed, ManualClock
from tests.support.scripted_model.judge import ASSERTED
from tests.support.scripted_writer import scripted
from tests.support.service_harness import ServiceHarness
from tests.support.source_site import BRIDGE, RIVER, SourceSite, article


class Editor(Model):
    """Reads posts well, and judges them with this behaviour."""

    name = "editor"
    concurrency = 1

    def __init__(self, behaviour: str = "good") -> None:
        self.behaviour = behaviour
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        self.prompts.append(prompt)
        is_judge = prompt.purpose == "judge"
        told = scripted(prompt, self.behaviour if is_judge else "good")
        return replace(told, prompt_tokens=1_000, completion_tokens=100)

    def ping(self) -> None:
        """Always there."""

    @property
    def judged(self) -> list[str]:
        """What the judge was asked, a prompt each."""
        return [prompt.user for prompt in self.prompts if prompt.purpose == "judge"]


@pytest.fixture(autouse=True)
def _seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same posts each time."""
    monkeypatch.setattr(secrets, "randbits", lambda _bits: 1)


@pytest.fixture
def pages(site: SourceSite, other: SourceSite) -> list[str]:
    return [
        site.add("/a", article("Harbour bridge: council votes", published=FRESH)),
        other.add("/b", article("Brackwater repairs its bridge", RIVER, published=FRESH)),
    ]


def written(
    model: Model, editor: Model | None, pages: list[str], members: dict[str, Any] = VERIFIED
) -> Written:
    desk = replace(options(*pages), editor=lambda: editor)
    context = context_at(ManualClock(), model=lambda: model, options=desk)
    return PostWriter(context, Assignment(parse_generate_request(members), 300, (None,))).write()


def refused(model: Model, editor: Editor, pages: list[str]) -> ContentQualityFailed:
    with pytest.raises(ContentQualityFailed) as caught:
        written(model, editor, pages)
    return caught.value


def all_of(post: SEOPost) -> str:
    return json.dumps(post.to_wire())


def test_a_sentence_that_no_source_supports_is_removed(feed: Feed, pages: list[str]) -> None:
    """ "verified … removes sentences that no source supports". Without a judge it stays: it has no
    figure, date, quotation or name."""
    alone = written(Writer("asserts_once"), None, pages)
    assert ASSERTED in all_of(alone.post)
    post = written(Writer("asserts_once"), Editor(), pages)
    assert "Experts" not in all_of(post.post)
    assert post.quality.revision_count == 1
    assert not any(finding.blocks for finding in post.warnings)


def test_a_part_that_cannot_spare_the_sentence_is_rewritten(feed: Feed, pages: list[str]) -> None:
    class Once(Reporter):
        def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
            if "An editor sent this back" in prompt.user:
                self.says = ""
            return super().complete(prompt, deadline)

    model = Once(says=ASSERTED, part=DESCRIPTION)
    assert "Experts" not in all_of(written(model, Editor(), pages).post)
    told = f"In “{ASSERTED}”, no source says “Experts agree”. Say it without these words"
    assert any(told in prompt.user for prompt in model.prompts)


def test_what_the_last_rewrite_brings_in_is_removed(feed: Feed, pages: list[str]) -> None:
    class Stubborn(Reporter):
        rewrites = 0

        def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
            if self.part in prompt.user and "An editor sent this back" in prompt.user:
                self.rewrites += 1
                self.only = self.rewrites < 2
            return super().complete(prompt, deadline)

    model = Stubborn(says=ASSERTED, only=True)
    post = written(model, Editor(), pages)
    assert (model.rewrites, post.quality.revision_count) == (2, 2)
    assert "Experts" not in all_of(post.post)


def test_a_sentence_that_stays_fails_and_is_named(feed: Feed, pages: list[str]) -> None:
    failed = refused(Reporter(says=ASSERTED, part=DESCRIPTION), Editor(), pages)
    assert failed.code == "CONTENT_QUALITY_FAILED"
    assert checks(failed) == {"unsupported_claim"}
    assert ASSERTED in failed.message


@pytest.mark.parametrize(
    ("behaviour", "check"),
    [
        ("judge_rejects", "unsupported_claim"),
        ("judge_invents", "unsupported_claim"),
        ("judge_unreadable", "unreadable"),
    ],
)
def test_a_judge_that_supports_nothing_lets_nothing_through(
    behaviour: str, check: str, feed: Feed, pages: list[str]
) -> None:
    """What is said to be supported by words that no source has is not supported."""
    assert check in checks(refused(Writer(), Editor(behaviour), pages))


def test_sentences_without_a_verdict_are_asked_for_once_more(feed: Feed, pages: list[str]) -> None:
    """And then they are not supported: what is left of the post has verdicts only."""
    editor = Editor("judge_half")
    with pytest.raises(ContentQualityFailed):
        written(Reporter(says=ASSERTED, part=DESCRIPTION), editor, pages)
    first, again, *_ = editor.judged

    def count(prompt: str) -> int:
        asked = prompt.partition("The sentences of the post:")[2].partition("Give one verdict")[0]
        return len(asked.strip().splitlines())

    assert count(again) == count(first) // 2


def test_a_sentence_is_judged_once(feed: Feed, pages: list[str]) -> None:
    """A removal costs no call; a rewrite costs one for the new sentences."""
    editor = Editor()
    written(Writer("asserts_once"), editor, pages)
    numbered = [line for asked in editor.judged for line in asked.splitlines()]
    assert sum(line.endswith(f". {ASSERTED}") for line in numbered) == 1


def test_only_verified_posts_are_judged(feed: Feed, pages: list[str]) -> None:
    editor = Editor()
    written(Writer("asserts"), editor, pages, REQUEST)
    assert editor.judged == []
    assert editor.prompts


def test_what_the_judge_supports_is_evidence(feed: Feed, pages: list[str]) -> None:
    said = "The bridge has stayed closed to cars and walkers since the storms of last spring."
    harness = ServiceHarness()
    desk = replace(options(*pages), editor=Editor)
    harness.create(generateRequest=VERIFIED)
    jobs.run_next(replace(harness.context, model=lambda: Reporter(says=said), options=desk))
    (row,) = rows()
    (told,) = [claim for claim in row.coverage if claim["claim"] == said]
    assert (told["kind"], told["url"]) == ("statement", pages[0])
    assert told["sentence"] == BRIDGE[1]


def test_a_job_with_a_judge_resumes_replays_and_is_counted(
    feed: Feed, pages: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """A judge's call is stored and counted as the editor's is."""
    caplog.set_level("INFO")
    harness = ServiceHarness()
    editor = Editor()
    desk = replace(options(*pages), editor=lambda: editor)
    model = Writer("asserts_once")
    created = harness.create(generateRequest=VERIFIED)
    jobs.run_next(replace(harness.context, model=lambda: model, options=desk))
    with database.reading() as session:
        job = session.get_one(models.Job, created["jobId"])
        purposes = [call.purpose for call in session.query(models.JournalCall)]
    assert job.status == "succeeded"
    assert purposes.count("judge") == len(editor.judged) > 0
    assert replay(created["jobId"]).result == to_json(job.result)
    tokens = f"calls={len(purposes)} prompt_tokens={1_000 * len(editor.prompts)}"
    assert any(tokens in message for message in caplog.messages)
