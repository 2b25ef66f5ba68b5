"""Every statement that runs often finds its rows by an index and reads no more of them than it
needs, whatever is stored.

The statements are those that the services really send; query_plans.py says what each of them costs
in a database of 100,000 rows a table, which query_archive.py makes.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from app.core.feed.review import Policy
from app.deadline import Deadline
from app.extensions import Base
from app.ports import Model
from app.services import (
    accounts,
    cost_reports,
    evidence,
    feed,
    jobs,
    leased_work,
    overview,
    post_list,
    post_writer,
    retention,
    review,
    runs,
    saturation,
    schedule,
    state,
    usage,
)
from app.services.costs import PaidWork, ask, stopping
from app.services.journal import stages
from app.services.leased_work import perform
from app.services.post_list import PostFilter
from app.store import database, models
from app.store.costs import Payer
from app.store.overview import MOST_COUNTED, WorkFilter
from app.writing.completion import Completion, Prompt
from tests.support import large_database as archive
from tests.support.concurrent_processes import connected
from tests.support.integration import BEGIN, CountingQueue, Feed, ManualClock, another_feed
from tests.support.query_plans import noted
from tests.support.service_harness import ServiceHarness, distinct_posts

pytestmark = pytest.mark.long
# As many rows as the tables of plans, accounts and months have, a scan costs nothing.
SMALL_TABLES = {"plans", "accounts", "usage_months", "token_months"}
WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}


@dataclass
class Environment:
    harness: ServiceHarness
    feed: Feed


@pytest.fixture(scope="module")
def sqlite_archive(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Environment]:
    file = tmp_path_factory.mktemp("archive") / "copydesk.db"
    shutil.copy(sqlite_template, file)
    with connected(f"sqlite:///{file}"):
        return file, _fill(f"sqlite:///{file}", analyzed=False)


@pytest.fixture(scope="module", params=["sqlite", "sqlite, analyzed", "postgresql"])
def env(request: pytest.FixtureRequest) -> Iterator[Environment]:
    """The archive on each database. PostgreSQL collects statistics about its tables
    automatically; SQLite does so only if an operator runs ANALYZE."""
    with pytest.MonkeyPatch.context() as patch:
        posts = distinct_posts()
        patch.setattr(post_writer, "write_post", lambda *_, **__: next(posts))
        if request.param == "postgresql":
            server = request.getfixturevalue("postgres")
            url = server.create_database(request.getfixturevalue("postgres_template"))
            with connected(url):
                yield _fill(url, analyzed=True)
            server.drop_database(url)
            return
        file, env = request.getfixturevalue("sqlite_archive")
        copy = file.with_name(f"{request.param}.db")
        shutil.copy(file, copy)
        if request.param == "sqlite, analyzed":
            archive.analyze(f"sqlite:///{copy}")
        with connected(f"sqlite:///{copy}"):
            yield env
        copy.unlink()


def _fill(url: str, *, analyzed: bool) -> Environment:
    harness = ServiceHarness("scale")
    feed = another_feed(url)
    key_id = overview.keys(harness.context, harness.account_id)[0][0].id
    archive.fill(url, harness.account_id, key_id, feed.token_id)
    _give_up_some()
    if analyzed:
        archive.analyze(url)
    accounts.pause_token(archive.LARGE_TOKEN, paused=True)
    return Environment(harness, feed)


def _give_up_some() -> None:
    """Let 3,000 jobs, runs and webhooks have failed lately."""
    refused = {"code": "CONTENT_QUALITY_FAILED", "message": "The post fails a check."}
    with database.writing() as session:
        for table, prefix, changes in (
            (models.Job, "job", {"error": refused, "updated_at": BEGIN}),
            (models.Run, "run", {"error": refused, "finished_at": BEGIN}),
            (models.WebhookDelivery, "msg", {"finished_at": BEGIN}),
        ):
            some = table.id.between(f"{prefix}_050000", f"{prefix}_053000")
            which = update(table).where(some, table.status.in_(["succeeded", "delivered"]))
            session.execute(which.values(status="failed", **changes))


def authentication(env: Environment) -> None:
    usage.report(env.harness.context, env.harness.caller)


def generate(env: Environment) -> None:
    key = env.harness.key("g", "generate")
    assert [env.harness.generate(key)[1], env.harness.generate(key)[1]] == [False, True]


def job(env: Environment) -> None:
    key = env.harness.key("j")
    created = env.harness.create(key, webhook=WEBHOOK)
    assert env.harness.create_or_replay(key, webhook=WEBHOOK)[1]
    assert env.harness.work(created["jobId"])
    assert env.harness.job(created)["status"] == "succeeded"


def evidence_of_a_post(env: Environment) -> None:
    assert evidence.find("job_000005") is not None


def journal_of_a_job(env: Environment) -> None:
    with database.reading() as session:
        assert len(stages(session, "job_000005")) == 3


def job_claim(env: Environment) -> None:
    """What was left behind, and what waits."""
    for _ in range(2):
        assert jobs.claim(env.harness.context) is not None


def delivery_claim(env: Environment) -> None:
    assert env.harness.deliver()


def latest(env: Environment) -> None:
    for next_item in (False, True):
        sent = feed.pull_latest(env.feed.context, env.feed.token, next_item=next_item)
        assert sent is not None


def items(env: Environment) -> None:
    sent = feed.pull_items(env.feed.context, env.feed.token, rule=None)
    assert len(sent) > 10


def items_of_a_rule(env: Environment) -> None:
    sent = feed.pull_items(env.feed.context, env.feed.token, rule="RUL_000000")
    assert sent


def confirm_and_reject(env: Environment) -> None:
    sent = feed.pull_items(env.feed.context, env.feed.token, rule=None)
    for _ in range(2):
        feed.confirm(env.feed.context, env.feed.token, sent[0].id)
        feed.reject(env.feed.context, env.feed.token, sent[1].id)


def decisions_on_held_items(env: Environment) -> None:
    feed_id = env.feed.token_id
    accounts.update_token(feed_id, policy=Policy("hold", 1, "approve"))
    items = post_list.items(PostFilter(feed=feed_id, status="pending"), "", 20)
    with database.writing() as session:
        held = update(models.FeedItem).where(models.FeedItem.id.in_([row.id for row in items]))
        session.execute(held.values(status="held"))
    later = ManualClock(env.feed.clock.now() + timedelta(days=1000))
    assert review.after_time(replace(env.feed.context, clock=later)) == len(items) > 0
    accounts.update_token(feed_id, policy=Policy())


def pull_with_a_due_rule(env: Environment) -> None:
    queue, due = CountingQueue(), {"next_due_at": env.feed.clock.now(), "run_id": None}
    with database.writing() as session:
        rule = update(models.Rule).where(models.Rule.id == "rul_000005")
        session.execute(rule.values(**due, paused=False))
    feed.pull_latest(replace(env.feed.context, queue=queue), env.feed.token, next_item=False)
    assert queue.wakes == 1


def tick(env: Environment) -> None:
    assert schedule.tick(env.feed.context) > 500


def saturated_rules(env: Environment) -> None:
    """A batch of rules, each of which is looked at."""
    rule_ids = [f"rul_{number:06}" for number in range(50_000, 50_500)]
    with database.reading() as session:
        found = session.scalars(select(models.Rule).where(models.Rule.id.in_(rule_ids))).all()
        assert len(saturation.posts_left(session, found)) == 500


def run_claim(env: Environment) -> None:
    """What was left behind, and what waits; 10,000 runs of a paused token wait before it."""
    for _ in range(2):
        assert runs.claim(env.feed.context) is not None


def run(env: Environment) -> None:
    """Perform a run: every query about earlier items, and storing the item."""
    made = runs.start_now(env.feed.context, "rul_000000")
    assert perform(made, env.feed.context) is not None


def requeue(env: Environment) -> None:
    leased_work.requeue_lost(env.harness.context)


def lapsed_reservations(env: Environment) -> None:
    assert usage.release_lapsed(env.harness.context) == 100


def forget(env: Environment) -> None:
    forgotten = retention.delete_old(env.harness.context, pause=lambda _: False)
    kinds = {
        "bodies", "keys", "jobs", "runs", "days", "pages", "evidence", "journals",
        "post costs", "receivers", "feed URLs",
    }  # fmt: skip
    assert forgotten.keys() == kinds
    assert min(forgotten.values()) >= 900, forgotten


class _Brief(Model):
    name = "brief"

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        return Completion("Tea.", prompt_tokens=10, completion_tokens=2)

    def ping(self) -> None:
        """Always there."""


def costs_of_a_call(env: Environment) -> None:
    """Count a call and settle it, look at the caps, and report."""
    context, payer = env.feed.context, Payer(env.feed.account_id, "rul_000000")
    owner = PaidWork(context, "run_cost", "run_cost", payer, lambda *_: True)
    asked = (_Brief(), Prompt("system", "user"), Deadline(60.0))
    _, settle = ask(owner, *asked, begin=lambda _: None)
    with database.writing() as session:
        settle(session)
    with database.reading() as session:
        assert stopping(context, session, [payer]) == [None]
    for post in ("run_cost", "job_050000"):
        assert cost_reports.of_post(post) is not None
    assert cost_reports.report(context, 50).lines
    assert cost_reports.of_rule(context, "rul_000000").figures.calls == 2


def costs_of_an_account(env: Environment) -> None:
    """The rules that cost most of its newest 10,000."""
    assert cost_reports.report(env.feed.context, 50, env.feed.account_id).lines


def lists_of_items(env: Environment) -> None:
    """The console's, and the pages behind them."""
    for wanted in (
        PostFilter(),
        PostFilter(feed=env.feed.token_id),
        PostFilter(feed=env.feed.token_id, status="used"),
        PostFilter(rule="rul_000000"),
        PostFilter(rule="rul_000000", status="used"),
        PostFilter(status="used"),
        PostFilter(status="pending"),
    ):
        first = post_list.items(wanted, "")
        assert len(first) == overview.PAGE
        second = post_list.items(wanted, first[-1].id)
        assert not {row.id for row in first} & {row.id for row in second}
        assert second


def lists_of_posts(env: Environment) -> None:
    for posts in (PostFilter(), PostFilter("published", env.feed.token_id), PostFilter("failed")):
        assert len(post_list.posts(posts)) == overview.PAGE
    for posts in (PostFilter(jobs=True), PostFilter("sent", account=env.harness.account_id)):
        assert len(post_list.posts(posts, "job_060000")) == overview.PAGE


def searches_of_posts(env: Environment) -> None:
    """The newest 10,000 of each kind are looked through, and no more."""
    for wanted in (
        PostFilter(text="nowhere"),
        PostFilter("waiting", text="nowhere"),
        PostFilter("failed", feed=env.feed.token_id),
        PostFilter(rule="rul_000000", text="nowhere"),
    ):
        assert not post_list.posts(wanted)


def page_of_an_account(env: Environment) -> None:
    found = overview.account(env.harness.context, env.harness.account_id)
    assert found.months
    feeds = overview.feeds(env.harness.context, env.harness.account_id)
    assert len(feeds) == overview.PAGE
    accounts.caller_for(env.harness.context, env.harness.account_id)


def lists_of_what_succeeded(env: Environment) -> None:
    """Most rows are in these states."""
    mine = env.harness.account_id
    for wanted in (WorkFilter("succeeded"), WorkFilter("succeeded", mine)):
        assert len(overview.jobs(wanted, "job_060000")) == overview.PAGE
    assert len(overview.deliveries(WorkFilter("delivered", mine), "msg_060000")) == overview.PAGE
    assert len(overview.deliveries(WorkFilter("delivered"), "msg_053000")) == overview.PAGE


def lists_of_jobs_and_webhooks(env: Environment) -> None:
    mine = env.harness.account_id
    for wanted in (WorkFilter(), WorkFilter(account=mine)):
        assert len(overview.jobs(wanted, "job_060000")) == overview.PAGE
        assert len(overview.deliveries(wanted, "msg_053000")) == overview.PAGE
    assert len(overview.deliveries(WorkFilter(job="job_052000"))) == 1
    overview.job("job_060000")
    assert len(overview.deliveries(WorkFilter("failed"), "msg_052000")) == overview.PAGE
    assert len(overview.deliveries(WorkFilter("failed", job="job_052000"))) == 1


def lists_of_what_failed(env: Environment) -> None:
    for wanted in (WorkFilter("failed"), WorkFilter("failed", env.harness.account_id)):
        assert len(overview.jobs(wanted, "job_053000")) == overview.PAGE
        assert len(overview.deliveries(wanted, "msg_053000")) == overview.PAGE


def webhooks_of_an_account(env: Environment) -> None:
    """Those that were given up. Counting ends at 1,000."""
    wanted = WorkFilter("failed", env.harness.account_id)
    assert len(overview.deliveries(wanted)) == overview.PAGE
    assert overview.count_deliveries(wanted) == MOST_COUNTED


def lists_of_open_work(env: Environment) -> None:
    for status in ("queued", "processing"):
        for wanted in (WorkFilter(status), WorkFilter(status, env.harness.account_id)):
            assert len(overview.jobs(wanted)) == overview.PAGE
    assert overview.deliveries(WorkFilter("queued", env.harness.account_id))


def lists_by_name(env: Environment) -> None:
    assert overview.accounts(env.harness.context, text="a")
    assert not overview.feeds(env.harness.context, text="no such name")


def lists_of_keys(env: Environment) -> None:
    for account_id in ("", env.harness.account_id):
        first = overview.keys(env.harness.context, account_id)
        assert len(first) == overview.PAGE
        assert overview.keys(env.harness.context, account_id, first[-1][0].id)


def home(env: Environment) -> None:
    assert state.read(env.feed.context).number


def state_for_metrics(env: Environment) -> None:
    found = state.read_gauges(env.feed.context)
    assert found["copydesk_webhooks_given_up"][""] == 1_000  # where counts end


def what_the_desk_stopped(env: Environment) -> None:
    assert state.stopped(env.feed.context).is_cut


# The most rows that a statement may read from one table.
USES: dict[Callable[[Environment], None], int] = {
    authentication: 3,
    # The earlier one left 21 bands.
    generate: 50,
    job: 50,
    evidence_of_a_post: 3,
    journal_of_a_job: 5,
    job_claim: 110,
    delivery_claim: 5,
    latest: 30,
    items: 220,
    items_of_a_rule: 220,
    confirm_and_reject: 220,
    decisions_on_held_items: 60,
    # It may give up every item that was sent three times before.
    pull_with_a_due_rule: 220,
    run_claim: 210,
    # Of each of 21 bands, 50.
    run: 1_060,
    requeue: 510,
    lapsed_reservations: 110,
    tick: 510,
    # The rules themselves.
    saturated_rules: 510,
    forget: 530,
    # Fifty lines, each with its name.
    costs_of_a_call: 110,
    costs_of_an_account: 10_010,
    # Fifty of each of five states.
    lists_of_items: 260,
    # 3,000 runs failed at one time, and are put in the order of their ids.
    lists_of_posts: 3_010,
    # Of each of six states.
    searches_of_posts: 75_000,
    # Of an account, the newest key that works is found among 1,000.
    page_of_an_account: 1_010,
    lists_of_jobs_and_webhooks: 60,
    lists_of_what_failed: 60,
    lists_of_what_succeeded: 60,
    webhooks_of_an_account: 1_010,
    lists_of_open_work: 60,
    lists_by_name: 10_010,
    lists_of_keys: 60,
    home: 10_010,
    state_for_metrics: 10_010,
    what_the_desk_stopped: 510,
}
# Their statements may go through a table, as they end after some rows: those and the steps count.
END_EARLY = {
    costs_of_an_account,
    lists_of_items,
    lists_of_jobs_and_webhooks,
    lists_by_name,
    lists_of_keys,
    lists_of_what_succeeded,
    lists_of_posts,
    searches_of_posts,
    home,
    state_for_metrics,
}


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_no_statement_reads_more_than_it_needs(
    env: Environment, use: Callable[[Environment], None]
) -> None:
    most = USES[use]
    with noted() as costs:
        use(env)
    assert costs
    tables = set(Base.metadata.tables) - SMALL_TABLES
    for cost in costs:
        if use not in END_EARLY:
            assert not cost.scanned & tables, cost
        assert cost.rows <= most, cost
        # Two for each row of three indexes or of its own, and what a plan begins with.
        assert cost.pages <= 25 * most + 100, cost
        assert cost.steps <= 120 * most + 1_000, cost
