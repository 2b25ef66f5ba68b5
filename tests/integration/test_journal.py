"""The journal of a post: what it stores, who may write it, and what a replay makes of it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import OperationalError

from app.adapters.pages import HttpPageReader
from app.cli import main
from app.core.errors import ModelUnavailable
from app.core.schemas.api_model import to_json
from app.core.schemas.job import parse_job_request
from app.core.schemas.request import parse_generate_request
from app.core.writing.completion import Completion, Prompt
from app.services import jobs, retention
from app.services.context import Context
from app.services.generate import GenerateCommand, generate
from app.services.idempotency import Key
from app.services.leases import LEASE
from app.services.replay import JournalIncomplete, replay
from app.services.sources import Research
from app.store import database, models
from tests.support.integration import FRESH
from tests.support.listed_provider import ListedPages
from tests.support.paid_model import REQUEST, SECTIONS, PaidModel, options
from tests.support.service_harness import ServiceHarness
from tests.support.source_site import RIVER, SourceSite, article

LAPSED = LEASE + timedelta(seconds=1)


class Desk(ServiceHarness):
    """One account, whose posts the real pipeline writes with a model that is paid by call."""

    def __init__(self, url: str, ledger: Path) -> None:
        self.url = url
        self.model = PaidModel(ledger)
        self.research: Research | None = None
        super().__init__()

    @property
    def context(self) -> Context:
        made = replace(options(self.model, SECTIONS), research=lambda: self.research)
        return replace(super().context, model=lambda: self.model, options=made)

    @property
    def paid(self) -> list[str]:
        return self.model.paid

    def begin(self, **members: Any) -> str:
        """Create a job; return its id."""
        body = {"generateRequest": {**REQUEST, **members}, "format": {"responseTypes": ["html"]}}
        request = parse_job_request(body, allow_private=False)
        command = jobs.JobCommand(self.caller, request, "req_job", None)
        return str(json.loads(jobs.create(self.context, command)[0])["jobId"])

    def call(self, key: str | None = None, request_id: str = "req_1", **members: Any) -> str:
        """Make a call of POST /v1/generate; return its body."""
        request = parse_generate_request({**REQUEST, **members})
        named = Key(self.account_id, "generate", key, to_json(members)) if key else None
        return generate(self.context, GenerateCommand(self.caller, request, request_id, named))[0]

    def result(self, job_id: str) -> Any:
        with database.reading() as session:
            return session.get_one(models.Job, job_id).result

    def calls(self, work_id: str) -> list[models.JournalCall]:
        of_work = select(models.JournalCall).where(models.JournalCall.work_id == work_id)
        with database.reading() as session:
            return list(session.scalars(of_work.order_by(models.JournalCall.number)))

    def change_call(self, work_id: str, number: int, **columns: Any) -> None:
        call = update(models.JournalCall).where(
            models.JournalCall.work_id == work_id, models.JournalCall.number == number
        )
        with database.writing() as session:
            session.execute(call.values(columns))

    def command(self, *arguments: str) -> Result:
        """Run copydesk-server on this database, without any model."""
        database.bound().dispose()
        done = CliRunner().invoke(main, arguments, env={"COPYDESK_DATABASE_URL": self.url})
        database.bound().dispose()
        database.bind(self.url)
        return done


@pytest.fixture
def desk(migrated_url: str, tmp_path: Path) -> Iterator[Desk]:
    database.bind(migrated_url)
    yield Desk(migrated_url, tmp_path / "paid")
    database.bound().dispose()


def test_a_job_replays_to_the_bytes_that_are_stored(desk: Desk) -> None:
    job_id = desk.begin()
    assert desk.work()
    paid = desk.paid
    for name in (job_id, "req_job"):
        done = desk.command("replay", name, "--json")
        assert done.exit_code == 0, done.output
        assert done.stdout == to_json(desk.result(job_id)) + "\n"
        assert done.stderr == f"Built from {len(paid)} calls. The stored result is the same.\n"
    assert desk.paid == paid
    assert [call.prompt for call in desk.calls(job_id)] == paid
    purposes = [call.purpose for call in desk.calls(job_id)]
    assert (purposes[0], purposes[1], purposes[-1]) == ("plan", "draft", "editor")
    text = desk.command("replay", job_id)
    assert text.stdout.startswith(f"# {desk.result(job_id)['post']['title']}\n\n")


def test_a_replay_writes_nothing(desk: Desk) -> None:
    job_id = desk.begin()
    assert desk.work()

    def everything() -> list[Any]:
        with database.reading() as session:
            tables = models.Base.metadata.sorted_tables
            return [sorted(map(repr, session.execute(select(table)))) for table in tables]

    before = everything()
    assert desk.command("replay", job_id).exit_code == 0
    assert everything() == before


def test_a_call_replays_to_its_body(desk: Desk) -> None:
    body = desk.call()
    assert desk.command("replay", "req_1", "--json").stdout == body + "\n"


def test_a_replay_says_that_the_stored_result_differs(desk: Desk) -> None:
    # The description is in no later prompt but the editor's, and nobody needs the editor here. A
    # post with a warning is rewritten, with an editor or without, so another one is taken then.
    for keyword in ("cold brew", "bike light", "night train", "tea pot", "garden bed"):
        job_id = desk.begin(keywords=[keyword])
        assert desk.work()
        calls = desk.calls(job_id)
        if [call.purpose for call in calls[-2:]] != ["draft", "editor"]:
            continue
        with database.writing() as session:
            stored = session.get_one(models.Journal, job_id)
            stored.inputs = {**stored.inputs, "edited": False}
            of_editor = models.JournalCall.purpose == "editor"
            session.execute(delete(models.JournalCall).where(of_editor))
        description = calls[-2].answer
        said = description["text"].replace(".", "!", 1)
        desk.change_call(job_id, len(calls) - 1, answer={**description, "text": said})
        done = desk.command("replay", job_id, "--json")
        if done.stdout:
            break
    else:
        raise AssertionError("every post was rewritten")
    assert done.exit_code == 1
    assert json.loads(done.stdout) != desk.result(job_id)
    assert done.stderr == f"Built from {len(calls) - 1} calls. The stored result DIFFERS.\n"


def test_a_replay_says_after_which_call_the_journal_ends(desk: Desk) -> None:
    job_id = desk.begin()
    desk.model.unavailable_at = 3
    assert desk.work()
    done = desk.command("replay", job_id)
    assert done.exit_code == 1
    assert "incomplete: it ends after call 2 (draft). The next call would be: draft." in done.stderr


def test_a_replay_says_which_prompt_this_version_does_not_send(desk: Desk) -> None:
    job_id = desk.begin()
    assert desk.work()
    desk.change_call(job_id, 2, prompt="0" * 64)
    with pytest.raises(JournalIncomplete, match=r"prompt of call 2 \(draft\).*behind call 1"):
        replay(job_id)


def test_an_unknown_id_has_no_journal(desk: Desk) -> None:
    done = desk.command("replay", "req_x")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "No journal is stored for req_x" in done.stderr


def test_a_job_that_is_tried_again_goes_on_behind_the_last_answer(desk: Desk) -> None:
    job_id = desk.begin()
    desk.model.unavailable_at = 4
    assert desk.work()
    desk.clock.move(timedelta(minutes=1))
    assert desk.work()
    assert desk.result(job_id) is not None
    assert len(desk.paid) == len(set(desk.paid)) == len(desk.calls(job_id))


def test_each_paid_call_counts_once(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    desk.begin()
    desk.model.unavailable_at = 4
    assert desk.work()
    desk.clock.move(timedelta(minutes=1))
    assert desk.work()
    calls = len(desk.paid)
    tokens = f"calls={calls} prompt_tokens={100 * calls} completion_tokens={10 * calls}"
    assert tokens in caplog.messages[-2]


def test_changed_prompts_discard_the_rest_of_the_journal(desk: Desk) -> None:
    job_id = desk.begin()
    desk.model.unavailable_at = 5
    assert desk.work()
    desk.change_call(job_id, 3, prompt="0" * 64)
    desk.clock.move(timedelta(minutes=1))
    assert desk.work()
    assert desk.result(job_id) is not None
    calls = desk.calls(job_id)
    assert [call.number for call in calls] == list(range(1, len(calls) + 1))
    # Calls 3 and 4 were made again.
    assert len(desk.paid) == len(calls) + 2
    assert replay(job_id).result == to_json(desk.result(job_id))


def test_a_worker_that_lost_its_lease_makes_no_further_call(desk: Desk) -> None:
    job_id = desk.begin()
    late = desk.model
    held = late.complete
    finished = []

    def slow(prompt: Prompt, deadline: Any) -> Completion:
        answer = held(prompt, deadline)
        if late.calls == 2:
            desk.clock.move(LAPSED)
            desk.model = PaidModel(late.ledger)
            assert desk.work()
            finished.append(desk.result(job_id))
        return answer

    late.complete = slow  # type: ignore[method-assign]
    assert desk.work()
    assert late.calls == 2
    assert desk.result(job_id) == finished[0] is not None
    assert len(desk.paid) == len(desk.calls(job_id)) + 1
    assert desk.consumed().posts == 1
    assert replay(job_id).result == to_json(desk.result(job_id))


def test_a_call_with_a_key_goes_on_behind_the_last_answer(desk: Desk) -> None:
    desk.model.unavailable_at = 4
    with pytest.raises(ModelUnavailable):
        desk.call("k")
    body = desk.call("k", "req_2")
    assert json.loads(body)["requestId"] == "req_2"
    assert len(desk.paid) == len(set(desk.paid))
    assert desk.call("k", "req_3") == body
    assert replay("req_2").result == body


def test_a_key_that_is_used_with_another_body_starts_from_the_beginning(desk: Desk) -> None:
    desk.model.unavailable_at = 4
    with pytest.raises(ModelUnavailable):
        desk.call("k")
    body = desk.call("k", "req_2", topic="Green tea")
    assert replay("req_2").calls == len(desk.paid) - 3
    assert replay("req_2").result == body


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (RuntimeError("a bug"), 3),
        (OperationalError("BEGIN", None, Exception("the connection was cut")), 0),
    ],
    ids=["bug", "database"],
)
def test_only_after_a_fault_of_the_service_the_journal_starts_over(
    desk: Desk, error: Exception, lost: int
) -> None:
    """The stored answers may have caused a fault, but not an outage of the database."""
    paid = desk.model.complete

    def broken(prompt: Prompt, deadline: Any) -> Completion:
        if desk.model.calls == 3:
            raise error
        return paid(prompt, deadline)

    desk.model.complete = broken  # type: ignore[method-assign]
    with pytest.raises(type(error)):
        desk.call("k")
    desk.model = PaidModel(desk.model.ledger)
    desk.call("k", "req_2")
    assert replay("req_2").calls == len(desk.paid) - lost


def test_sources_are_searched_for_once(desk: Desk, site: SourceSite, other: SourceSite) -> None:
    pages = [
        site.add("/a", article("Harbour bridge: council votes", published=FRESH)),
        other.add("/b", article("Brackwater repairs its bridge", RIVER, published=FRESH)),
    ]
    desk.research = Research([ListedPages(pages)], HttpPageReader(allow_private=True))
    job_id = desk.begin(keywords=["harbour bridge"])
    desk.model.unavailable_at = 4
    assert desk.work()
    # Nothing finds these pages again, and no cache has them.
    desk.research = Research([ListedPages([])], HttpPageReader(allow_private=True))
    with database.writing() as session:
        session.execute(delete(models.SourcePage))
    desk.clock.move(timedelta(minutes=1))
    assert desk.work()
    assert [call.prompt for call in desk.calls(job_id)] == desk.paid
    with database.reading() as session:
        (evidence,) = session.scalars(select(models.Evidence))
    assert [source["url"] for source in evidence.sources] == pages
    assert replay(job_id).result == to_json(desk.result(job_id))


@pytest.mark.parametrize("odd", ["\x00", "\ud800", "\ufffe", "𝄞"])
def test_any_answer_can_be_stored(desk: Desk, odd: str) -> None:
    paid = desk.model.complete

    def strange(prompt: Prompt, deadline: Any) -> Completion:
        answer = paid(prompt, deadline)
        # Before the first marker or value, where nobody reads it.
        return replace(answer, text=odd + answer.text) if prompt.purpose == "draft" else answer

    desk.model.complete = strange  # type: ignore[method-assign]
    job_id = desk.begin()
    assert desk.work()
    assert desk.calls(job_id)[1].answer["text"].startswith(odd)


def test_a_journal_has_a_limit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.services.journal._MAX_CALLS", 3)
    job_id = desk.begin()
    assert desk.work()
    assert desk.result(job_id) is not None
    assert len(desk.calls(job_id)) == 3
    with pytest.raises(JournalIncomplete, match="it ends after call 3"):
        replay(job_id)


def test_journals_are_deleted_after_30_days(desk: Desk) -> None:
    job_id = desk.begin()
    assert desk.work()
    for days, kept in ((29, 1), (2, 0)):
        desk.clock.move(timedelta(days=days))
        retention.delete_old(desk.context, pause=lambda _: False)
        with database.reading() as session:
            assert session.scalar(select(func.count()).select_from(models.Journal)) == kept
        assert bool(desk.calls(job_id)) == bool(kept)
