"""Every statement that runs often finds its rows by an index and reads no more of them than it
needs, whatever is stored.

The statements are those that the services really send; query_plans.py says what each of them costs
in a database of 100,000 rows a table, which query_archive.py makes.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from flask import current_app
from sqlalchemy import update

from app.services import (
    accounts,
    authoring,
    evidence,
    feed,
    job_work,
    retention,
    rules,
    runs,
    sweep,
    usage,
)
from app.store import database
from app.store.feed_tables import RuleRow
from app.wiring import NoModel
from tests.extent import LONG
from tests.integration import query_archive as archive
from tests.integration.conftest import CountingQueue, Feed, another_feed
from tests.integration.feed_processes import connected
from tests.integration.office import OPTIONS, Office, others
from tests.integration.query_plans import noted

pytestmark = LONG
# As many rows as the tables of plans, accounts and months have, a scan costs nothing.
SMALL_TABLES = {"plans", "accounts", "usage_months", "token_months"}
WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}


@dataclass
class World:
    office: Office
    feed: Feed


@pytest.fixture(scope="module")
def sqlite_archive(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, World]:
    file = tmp_path_factory.mktemp("archive") / "copydesk.db"
    shutil.copy(sqlite_template, file)
    with connected(f"sqlite:///{file}"):
        return file, _fill(f"sqlite:///{file}", analyzed=False)


@pytest.fixture(scope="module", params=["sqlite", "sqlite, analyzed", "postgresql"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """The archive on each database. SQLite looks at what is in its tables only where an operator
    has it do so; PostgreSQL does it by itself."""
    with pytest.MonkeyPatch.context() as patch:
        posts = others()
        patch.setattr(authoring, "write_post", lambda *_, **__: next(posts))
        if request.param == "postgresql":
            server = request.getfixturevalue("postgres")
            url = server.create_database(request.getfixturevalue("postgres_template"))
            with connected(url):
                yield _fill(url, analyzed=True)
            server.drop_database(url)
            return
        file, world = request.getfixturevalue("sqlite_archive")
        copy = file.with_name(f"{request.param}.db")
        shutil.copy(file, copy)
        if request.param == "sqlite, analyzed":
            archive.analyze(f"sqlite:///{copy}")
        with connected(f"sqlite:///{copy}"):
            yield world
        copy.unlink()


def _fill(url: str, *, analyzed: bool) -> World:
    office = Office("scale")
    feed = another_feed(current_app, url)
    key_id = accounts.list_keys(office.account_id)[0].id
    archive.fill(url, office.account_id, key_id, feed.token_id)
    if analyzed:
        archive.analyze(url)
    accounts.pause_token(archive.LARGE_TOKEN, paused=True)
    return World(office, feed)


def authentication(world: World) -> None:
    usage.report(world.office.caller, world.office.clock)


def authentication_with_a_key(world: World) -> None:
    seen = [world.office.caller_with_key("jobs", key)[1] for key in ("key-5", "new")]
    assert [use and use.status for use in seen] == ["done", None]


def generate(world: World) -> None:
    key = world.office.key("g", "generate")
    assert [world.office.generate(key)[1], world.office.generate(key)[1]] == [False, True]


def job(world: World) -> None:
    key = world.office.key("j")
    created = world.office.create(key, webhook=WEBHOOK)
    assert world.office.create_or_replay(key, webhook=WEBHOOK)[1]
    assert world.office.work(created["jobId"])
    assert world.office.job(created)["status"] == "succeeded"


def evidence_of_a_post(world: World) -> None:
    assert len(evidence.find("job_000005")) == 1


def job_claim(world: World) -> None:
    """What was left behind, and what waits."""
    for _ in range(2):
        assert job_work.claim(world.office.clock) is not None


def delivery_claim(world: World) -> None:
    assert world.office.deliver()


def latest(world: World) -> None:
    for next_item in (False, True):
        sent = feed.pull_latest(
            world.feed.token, world.feed.clock, world.feed.queue, next_item=next_item
        )
        assert sent is not None


def items(world: World) -> None:
    sent = feed.pull_items(world.feed.token, world.feed.clock, world.feed.queue, rule=None)
    assert len(sent) > 10


def items_of_a_rule(world: World) -> None:
    sent = feed.pull_items(world.feed.token, world.feed.clock, world.feed.queue, rule="RUL_000000")
    assert sent


def confirm_and_reject(world: World) -> None:
    sent = feed.pull_items(world.feed.token, world.feed.clock, world.feed.queue, rule=None)
    for _ in range(2):
        feed.confirm(world.feed.token, sent[0].id, world.feed.clock)
        feed.reject(world.feed.token, sent[1].id, world.feed.clock)


def pull_with_a_due_rule(world: World) -> None:
    _make_due(world, "rul_000005")
    queue = CountingQueue()
    feed.pull_latest(world.feed.token, world.feed.clock, queue, next_item=False)
    assert queue.wakes == 1


def tick(world: World) -> None:
    assert rules.tick(world.feed.clock, CountingQueue()) > 500


def run_claim(world: World) -> None:
    """What was left behind, and what waits; 10,000 runs of a paused token wait before it."""
    for _ in range(2):
        assert runs.claim(world.feed.clock) is not None


def run(world: World) -> None:
    """With all that is asked of earlier items, and the item as it is stored."""
    made = runs.start_now("rul_000000", world.feed.clock)
    assert runs.execute(made, NoModel(), world.feed.clock, OPTIONS) is not None


def requeue(world: World) -> None:
    sweep.requeue_lost(world.office.queue, world.office.clock)


def lapsed_reservations(world: World) -> None:
    assert usage.release_lapsed(world.office.clock) == 100


def forget(world: World) -> None:
    forgotten = retention.forget_old(world.office.clock, pause=lambda _: False)
    assert forgotten.keys() == {"bodies", "keys", "jobs", "runs", "days", "pages", "evidence"}
    assert min(forgotten.values()) >= 900, forgotten


def _make_due(world: World, rule_id: str) -> None:
    with database.writing() as session:
        session.execute(
            update(RuleRow)
            .where(RuleRow.id == rule_id)
            .values(next_due_at=world.feed.clock.now(), run_id=None, paused=False)
        )


# The most rows that a statement may read from one table.
USES: dict[Callable[[World], None], int] = {
    authentication: 3,
    authentication_with_a_key: 3,
    # The earlier one left 42 bands.
    generate: 50,
    job: 50,
    evidence_of_a_post: 3,
    job_claim: 110,
    delivery_claim: 5,
    latest: 30,
    items: 220,
    items_of_a_rule: 220,
    confirm_and_reject: 220,
    # It may give up all that was sent three times before.
    pull_with_a_due_rule: 220,
    run_claim: 210,
    # Of bands, 500 at most: PostgreSQL reads a scope that has no more as a whole.
    run: 510,
    requeue: 510,
    lapsed_reservations: 110,
    tick: 510,
    forget: 530,
}


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_no_statement_reads_more_than_it_needs(world: World, use: Callable[[World], None]) -> None:
    most = USES[use]
    with noted() as costs:
        use(world)
    assert costs
    tables = set(database.db.metadata.tables) - SMALL_TABLES
    for cost in costs:
        assert not cost.scanned & tables, cost
        assert cost.rows <= most, cost
        # Two for each row of three indexes or of its own, and what a plan begins with.
        assert cost.pages <= 25 * most + 100, cost
        assert cost.steps <= 120 * most + 1_000, cost


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT id FROM feed_items WHERE title = 'Tea'",
        "SELECT id FROM feed_items ORDER BY title LIMIT 1",
        "SELECT id FROM jobs WHERE request_id = '' ORDER BY created_at LIMIT 1",
        "SELECT count(*) FROM rule_runs WHERE finished_at < '2100-01-01'",
        "SELECT count(*) FROM usage_days WHERE day > '2000-01-01'",
    ],
)
def test_a_statement_that_reads_too_much_is_noticed(world: World, statement: str) -> None:
    """The check itself, with the largest limit that there is."""
    with noted() as costs, database.reading() as session:
        session.connection().exec_driver_sql(statement).all()
    cost, most = costs[-1], max(USES.values())
    assert cost.scanned or cost.rows > most or cost.steps > 120 * most + 1_000, cost
