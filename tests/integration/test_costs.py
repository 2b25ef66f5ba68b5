"""What calls to models cost: counted once with the journal, also when a post fails, and stopped by
a cap before the next call."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from click.testing import Result
from sqlalchemy import select, update

from app.core.billing.costs import MICROS, Budget, CostScope, Figures, Price
from app.core.errors import GenerationTimeout, ModelUnavailable, SpendCapReached
from app.core.schemas.bodies import parse
from app.core.schemas.request import GenerateRequest
from app.deadline import Deadline
from app.services import accounts, cost_reports, retention, rule_lists, rules, runs, schedule
from app.services.context import Context
from app.services.costs import NO_CAP
from app.services.generate import GenerateCommand, generate
from app.services.lease_keeping import LEASE
from app.services.rules import RuleChanges
from app.services.state import read_gauges
from app.store import costs as store
from app.store import database, models
from app.store.rows import record
from app.writing.completion import Completion, Prompt
from tests.support.commands import Commands
from tests.support.consoles import ConsoleOperator
from tests.support.integration import SQLITE, Feed, another_feed
from tests.support.paid_model import REQUEST, PaidModel, options
from tests.support.service_harness import PaidDesk

LAPSED = LEASE + timedelta(seconds=1)
# A call has 100 tokens of prompt and 10 of answer: 100 and 50 micro-dollars.
PRICE = Price(1_000_000, 5_000_000)
A_CALL = 150


class Desk(PaidDesk):
    """One account with a feed, and a model that has a price."""

    def __init__(self, url: str, ledger: Path) -> None:
        self.url = url
        self.budget = Budget({"paid": PRICE})
        super().__init__(ledger)
        self.feed = another_feed(url)
        self.rule_id = self.feed.rules["Tea"]
        with database.writing() as session:
            session.execute(update(models.Rule).values(request=REQUEST))

    @property
    def context(self) -> Context:
        return replace(super().context, budget=self.budget)

    @property
    def paid(self) -> int:
        """How many calls the model was paid for."""
        return len(self.model.paid)

    def due(self) -> None:
        """Let the rule Tea be due now."""
        with database.writing() as session:
            session.get_one(models.Rule, self.rule_id).next_due_at = self.clock.now()

    def listed(self) -> rule_lists.ListedRule:
        found = rule_lists.list_rules(self.context, self.feed.token_id)
        return next(each for each in found if each.row.id == self.rule_id)

    def month(self, scope: str = store.INSTALLATION) -> Figures:
        period = self.clock.now().date().replace(day=1)
        with database.reading() as session:
            found = store.spent(session, [scope], period)
        return found.get(scope, Figures())

    def command(self, *arguments: str, code: int = 0, **env: str) -> Result:
        """Run copydesk-server on this database."""
        database.dispose()
        done = Commands(COPYDESK_DATABASE_URL=self.url).run(*arguments, code=code, **env)
        database.dispose()
        database.bind(self.url)
        return done

    def set_cap(self, cap: int) -> None:
        accounts.update_account(self.account_id, spend_cap=cap)


def counted(calls: int, **more: int) -> Figures:
    """Return the figures of a number of calls of the scripted model."""
    return Figures(calls, 100 * calls, 10 * calls, A_CALL * calls, **more)


@pytest.fixture
def desk(migrated_url: str, tmp_path: Path) -> Iterator[Desk]:
    database.bind(migrated_url)
    yield Desk(migrated_url, tmp_path / "paid")
    database.dispose()


def test_a_job_counts_each_call_for_its_post_its_account_and_the_installation(desk: Desk) -> None:
    job_id = desk.begin()
    assert desk.work()
    assert desk.paid == 4
    figures = counted(desk.paid)
    assert cost_reports.of_post(job_id) == figures
    assert desk.month() == desk.month(desk.account_id) == figures
    with database.reading() as session:
        assert session.get_one(models.PostCost, job_id).open_call is None
    spent = read_gauges(desk.context)["copydesk_month_cost_dollars"][""]
    assert spent == desk.month().micros / MICROS > 0


def test_a_run_counts_for_its_rule_and_its_item(desk: Desk) -> None:
    rules.run_soon(desk.context, desk.rule_id)
    assert runs.run_next(desk.context)
    with database.reading() as session:
        (item,) = session.scalars(select(models.FeedItem))
    figures = counted(desk.paid)
    assert cost_reports.of_post(item.id) == figures
    assert cost_reports.of_rule(desk.context, desk.rule_id).figures == figures
    report = cost_reports.report(desk.context, 10, desk.feed.account_id)
    assert report.total.figures == figures
    assert [(line.id, line.name) for line in report.lines] == [(desk.rule_id, "Tea")]
    assert desk.month(desk.account_id) == Figures()


def test_drafts_written_at_once_cost_what_the_endpoint_reports_for_each(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, all_begun = desk.model.complete, Barrier(3)

    def together(prompt: Prompt, deadline: Deadline) -> Completion:
        if prompt.purpose == "draft":
            all_begun.wait(30)
        return told(prompt, deadline)

    desk.model.complete = together  # type: ignore[method-assign]
    monkeypatch.setattr(Desk, "options", property(lambda desk: options(desk.model, drafts=3)))
    job_id = desk.begin()
    assert desk.work()
    assert desk.paid == 6
    assert cost_reports.of_post(job_id) == desk.month() == counted(desk.paid)


def test_a_call_that_fails_is_counted_not_billed_and_resumed_by_its_key(desk: Desk) -> None:
    desk.model.unavailable_at = 3
    with pytest.raises(ModelUnavailable):
        desk.call("k")
    assert desk.paid == 2
    assert desk.month(desk.account_id) == cost_reports.of_post("req_1") == counted(2)
    assert desk.consumed().words == 0
    body = desk.call("k")
    assert desk.call("k") == body
    assert len(set(desk.model.paid)) == desk.paid == 4
    assert desk.month() == counted(4)


def test_an_answer_that_cannot_be_used_is_counted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.model.unavailable_at = 3
    monkeypatch.setattr(ModelUnavailable, "paid", (100, 10))
    with pytest.raises(ModelUnavailable):
        desk.call("k")
    assert desk.month() == counted(3)


def test_a_call_with_no_answer_in_time_keeps_its_estimate(desk: Desk) -> None:
    def late(prompt: Prompt, deadline: Deadline) -> Completion:
        raise GenerationTimeout

    desk.model.complete = late  # type: ignore[method-assign]
    with pytest.raises(GenerationTimeout):
        desk.call()
    figures = desk.month()
    assert (figures.calls, figures.estimated) == (1, 1)
    assert figures.micros > A_CALL


def test_a_worker_that_lost_its_lease_leaves_an_estimate_of_the_call_it_paid(desk: Desk) -> None:
    late, held = desk.model, desk.model.complete
    desk.begin()

    def slow(prompt: Prompt, deadline: Deadline) -> Completion:
        answer = held(prompt, deadline)
        if late.calls == 2:
            desk.clock.move(LAPSED)
            desk.model = PaidModel(late.ledger)
            assert desk.work()
        return answer

    late.complete = slow  # type: ignore[method-assign]
    assert desk.work()
    assert late.calls == 2, "it makes no further call"
    assert desk.consumed().posts == 1
    figures = desk.month()
    assert (figures.calls, figures.estimated) == (desk.paid, 1)
    assert figures.micros >= counted(desk.paid).micros


def test_an_endpoint_that_reports_no_tokens_gets_an_estimate_and_a_flag(desk: Desk) -> None:
    told = desk.model.complete

    def silent(prompt: Prompt, deadline: Deadline) -> Completion:
        answer = told(prompt, deadline)
        return replace(answer, prompt_tokens=0, completion_tokens=0)

    desk.model.complete = silent  # type: ignore[method-assign]
    desk.begin()
    assert desk.work()
    figures = desk.month()
    assert figures.estimated == figures.calls == desk.paid
    assert min(figures.prompt_tokens, figures.answer_tokens, figures.micros) > 100


def test_a_model_without_a_price_counts_tokens_and_stops_at_no_cap(desk: Desk) -> None:
    desk.budget = Budget({}, cap=1)
    desk.set_cap(1)
    desk.begin()
    assert desk.work()
    figures = desk.month()
    assert figures == replace(counted(desk.paid), micros=0, unpriced=desk.paid)
    assert desk.consumed().posts == 1


def test_a_sandbox_key_costs_nothing_and_knows_no_cap(desk: Desk) -> None:
    desk.budget = replace(desk.budget, cap=0)
    secret = accounts.create_key(desk.context, desk.account_id, sandbox=True).secret
    caller = accounts.authenticate(desk.context, f"Bearer {secret}")
    generate(desk.context, GenerateCommand(caller, parse(GenerateRequest, REQUEST), "req_s", None))
    assert desk.month() == Figures()


def test_a_reached_cap_stops_the_next_call_without_a_word_of_money(desk: Desk) -> None:
    desk.set_cap(2 * A_CALL)
    with pytest.raises(SpendCapReached) as stopped:
        desk.call("k")
    assert desk.paid == 2
    body = stopped.value.body()
    assert body["code"] == "QUOTA_EXCEEDED"
    assert body["details"] == {"limitType": "monthlyBudget", "resetAt": "2026-02-01T00:00:00.000Z"}
    assert "$" not in str(body)
    assert "the account “A customer”, $0.0003 a month, is reached" in stopped.value.operator
    # What was paid is not paid again once the cap is raised.
    desk.set_cap(NO_CAP)
    desk.call("k")
    assert len(set(desk.model.paid)) == desk.paid
    assert desk.month() == counted(desk.paid)


def test_the_cap_of_the_installation_stops_jobs_before_they_are_created(desk: Desk) -> None:
    desk.budget = replace(desk.budget, cap=2 * A_CALL)
    job_id = desk.begin()
    assert desk.work()
    assert desk.paid == 2
    with database.reading() as session:
        job = session.get_one(models.Job, job_id)
    assert (job.status, (job.error or {})["code"]) == ("failed", "QUOTA_EXCEEDED")
    assert "$" not in str(job.error)
    with pytest.raises(SpendCapReached):
        desk.begin()
    with pytest.raises(SpendCapReached):
        desk.call()
    assert desk.paid == 2


@pytest.mark.parametrize("kind", ["rule", "account", "installation"])
def test_a_rule_waits_while_a_cap_is_reached_and_resumes_by_itself(desk: Desk, kind: str) -> None:
    def cap(micros: int) -> None:
        if kind == "rule":
            rules.update_rule(desk.context, desk.rule_id, RuleChanges(spend_cap=micros))
        elif kind == "account":
            accounts.update_account(desk.feed.account_id, spend_cap=micros)
        else:
            desk.budget = replace(desk.budget, cap=None if micros == NO_CAP else micros)

    cap(2 * A_CALL)
    rules.run_soon(desk.context, desk.rule_id)
    assert runs.run_next(desk.context)
    assert desk.paid == 2
    listed = desk.listed()
    assert (listed.status, listed.row.failures) == ("waiting: spend cap reached", 0)
    assert "is reached. Writing goes on in the next month" in (listed.cap_reached or "")
    assert "The spend cap of the" in str(listed.row.last_error)
    # A slot passes without a run while the cap is reached.
    desk.due()
    assert schedule.tick(desk.context) == 0
    # In the next month, it writes without anybody's help.
    desk.clock.at = datetime(2026, 2, 1, 0, 1, tzinfo=UTC)
    assert desk.listed().status == "active"
    desk.due()
    assert schedule.tick(desk.context) == 1
    assert runs.run_next(desk.context)
    assert desk.paid == 4
    # And when the cap is raised.
    cap(NO_CAP)
    desk.clock.move(timedelta(hours=1))
    assert desk.listed().status == "active"
    desk.due()
    assert schedule.tick(desk.context) == 1
    assert runs.run_next(desk.context)
    assert desk.listed().row.last_error is None


def test_what_costs_most_comes_first_and_near_a_cap_needs_the_operator(desk: Desk) -> None:
    rules.run_soon(desk.context, desk.rule_id)
    assert runs.run_next(desk.context)
    desk.begin()
    spent = desk.paid * A_CALL
    rules.update_rule(desk.context, desk.rule_id, RuleChanges(spend_cap=spent * 5 // 4))
    desk.set_cap(10 * spent)
    assert desk.work()
    with database.reading() as session:
        (near,) = cost_reports.near_caps(desk.context, session, 10)
    assert (near.kind, near.name, near.is_reached) == (CostScope.RULE, "Tea", False)
    nothing = {"installation": 0, "account": 0, "rule": 0}
    assert read_gauges(desk.context)["copydesk_spend_caps_reached"] == nothing
    rules.update_rule(desk.context, desk.rule_id, RuleChanges(spend_cap=spent))
    assert read_gauges(desk.context)["copydesk_spend_caps_reached"] == {**nothing, "rule": 1}
    report = cost_reports.report(desk.context, 1)
    assert len(report.lines) == 1
    assert report.total.figures == counted(desk.paid)
    assert report.lines[0].figures.micros >= report.total.figures.micros // 2
    assert cost_reports.has_caps(desk.context)


def test_costs_of_posts_are_deleted_after_their_time(desk: Desk) -> None:
    job_id = desk.begin()
    assert desk.work()
    desk.clock.move(timedelta(days=91))
    deleted = retention.delete_old(desk.context, pause=lambda _: False)
    assert deleted["post costs"] == 1
    assert cost_reports.of_post(job_id) is None
    with database.reading() as session:
        month = session.get_one(models.Cost, (desk.account_id, date(2026, 1, 1)))
        assert record(Figures, month) == counted(desk.paid)


@SQLITE
def test_the_costs_of_a_month_fit_80_columns_and_are_data_as_json(desk: Desk) -> None:
    job_id = desk.begin()
    assert desk.work()
    with database.writing() as session:
        session.get_one(models.Account, desk.account_id).name = "A name of a customer " * 4
    dollars = f"{A_CALL * desk.paid / 1e6:f}".rstrip("0")
    done = desk.command("costs", "--month", "2026-01")
    assert max(map(len, done.stdout.splitlines())) <= 80
    for account in ((), ("--account", desk.account_id)):
        data = json.loads(desk.command("costs", "--month", "2026-01", *account, "--json").stdout)
        assert data[0]["dollars"].startswith(dollars)
        assert data[0]["calls"] == desk.paid
    (post,) = json.loads(desk.command("costs", "--post", job_id, "--json").stdout)
    assert post["promptTokens"] == 100 * desk.paid
    assert "No costs are stored" in desk.command("costs", "--post", "job_x", code=1).output
    desk.command("costs", "--month", "November", code=2)


@SQLITE
def test_caps_are_set_by_command_and_a_missing_price_is_told(desk: Desk) -> None:
    endpoint = {"OPENAI_API_KEY": "sk-x"}
    account = desk.command("account", "update", desk.account_id, "--spend-cap", "12.5", **endpoint)
    assert "gpt-5-mini has no price in COPYDESK_MODEL_PRICES" in account.stderr
    desk.command("rule", "update", desk.rule_id, "--spend-cap", "$0.75")
    listed = json.loads(desk.command("rule", "list", desk.feed.token_id, "--json").stdout)
    assert {row["spendCap"] for row in listed} == {"0.75", None}
    assert '"spendCap": "12.5"' in desk.command("account", "list", "--json").stdout
    found = json.loads(desk.command("doctor", "--json", code=1, **endpoint).stdout)
    prices = next(each for each in found["checks"] if each["check"] == "prices")
    assert not prices["ok"]
    assert "set the price in COPYDESK_MODEL_PRICES" in prices["message"]
    desk.command("account", "update", desk.account_id, "--spend-cap", "none")
    assert '"spendCap": "12.5"' not in desk.command("account", "list", "--json").stdout
    for wrong in ("-1", "ten", "1e9", ""):
        done = desk.command("account", "update", desk.account_id, f"--spend-cap={wrong}", code=2)
        assert "To remove the cap, pass none" in done.output
    desk.command("account", "update", desk.account_id, code=2)


def test_the_console_shows_the_money_and_sets_caps(ada: ConsoleOperator, feed: Feed) -> None:
    now = datetime.now(UTC)
    rule_id = feed.rules["Tea"]
    payer = store.Payer(feed.account_id, rule_id)
    figures = Figures(3, 30_000, 5_000, 4_200_000, estimated=1)
    with database.writing() as session:
        store.add(session, payer, now.date(), figures)
    home = ada.page("/")
    assert "$4.20" in home
    assert "35,000 tokens" in home
    page = ada.done(f"/console/accounts/{feed.account_id}/spend-cap", spendCap="5")
    assert "$5.00 a month" in page
    assert "reached" not in page
    page = ada.done(f"/console/rules/{rule_id}/spend-cap", spendCap="$4")
    assert "waiting: spend cap reached" in page
    home = ada.page("/")
    assert "$4.20 of $5.00" in home
    assert "$4.20 of $4.00" in home
    wrong = ada.send(f"/console/rules/{rule_id}/spend-cap", spendCap="lots")
    assert (wrong.status_code, "US dollars" in wrong.text) == (400, True)
    page = ada.done(f"/console/rules/{rule_id}/spend-cap", spendCap="")
    assert "waiting" not in page
