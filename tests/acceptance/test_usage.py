"""GET /v1/usage."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from copydesk import QualityError, Usage, ValidationError
from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer, another_key, new_customer
from tests.support.response_schemas import USAGE, matches
from tests.support.service import CopydeskService, ScriptedModel


@clause("GET /v1/usage reports metered usage")
@clause("quota for the current billing period.")
@clause("| plan | id, name")
@clause("priorityProcessing (boolean)")
@clause("teamSeats (integer)")
@clause("| limits | monthlyWords, maxWordsPerRequest, requestsPerMinute (numbers);")
@clause("| consumed | words, posts, requests (numbers)")
@clause("200 response: Usage report.")
@clause("periodStart, periodEnd | ISO 8601 boundaries of the billing period")
@clause("| metering | unit (word or post), granularity (request or generation)")
@clause(
    "Metering unit is words or posts, at request or generation granularity, as reported in usage."
)
def test_a_report_is_of_the_calendar_month_and_has_its_members(customer: Customer) -> None:
    with customer.sdk() as sdk:
        usage = sdk.usage()
    matches(usage.raw, USAGE)
    assert usage.period_start is not None
    assert usage.period_end is not None
    assert usage.period_start <= datetime.now(UTC) < usage.period_end
    assert (usage.period_start.day, usage.period_end.day) == (1, 1)
    assert usage.period_end - usage.period_start <= timedelta(days=31)
    assert (usage.metering.unit, usage.metering.granularity) == ("word", "request")


@clause("monthly post caps may also appear")
def test_a_cap_of_posts_is_read_where_a_plan_has_one(customer: Customer) -> None:
    # No plan of this service has one; another service of this interface may.
    report = customer.usage()
    assert "monthlyPosts" not in report["limits"]
    assert Usage.from_wire(report).limits.monthly_posts is None
    report["limits"]["monthlyPosts"] = 30
    assert Usage.from_wire(report).limits.monthly_posts == 30


@clause("priorityProcessing (boolean)")
@pytest.mark.usefixtures("idle")
def test_jobs_of_a_plan_with_priority_go_first(
    service: CopydeskService, model: ScriptedModel
) -> None:
    first, plain = new_customer(service, "scale"), new_customer(service, "growth")
    assert first.usage()["plan"]["priorityProcessing"] is True
    assert plain.usage()["plan"]["priorityProcessing"] is False
    with model.behaving("slow", delay=0.4):
        # As many as there are workers, and twice as many behind them.
        waiting = [plain.create_job(generateRequest=SHORT).json()["jobId"] for _ in range(6)]
        urgent = first.create_job(generateRequest=SHORT).json()["jobId"]
        ended = {job: plain.finished_job(job)["updatedAt"] for job in waiting}
        assert first.finished_job(urgent)["updatedAt"] < ended[waiting[-1]]


@clause(
    "After a generation, consumed.words, consumed.posts, consumed.requests increase and"
    " remaining.words decreases by the words consumed."
)
@clause(
    "| remaining | limits minus consumed for the metered units the plan tracks (words in the seen"
    " case) |"
)
def test_what_was_delivered_is_counted(customer: Customer) -> None:
    with customer.sdk() as sdk:
        words = sdk.generate(**SHORT_SDK).post.word_count
        job = sdk.jobs.wait(sdk.jobs.create(**SHORT_SDK).job_id, poll=0.1)
        assert job.post is not None
        words += job.post.word_count
        usage = sdk.usage()
    assert usage.consumed.raw == {"words": words, "posts": 2, "requests": 2}
    assert usage.limits.monthly_words is not None
    assert usage.remaining.raw == {"words": usage.limits.monthly_words - words}


SHORT_SDK: Any = {"keywords": ["tea"], "max_words": 200}


@clause("GET /v1/usage reports metered usage")
def test_what_failed_costs_nothing(service: CopydeskService, model: ScriptedModel) -> None:
    customer = new_customer(service, "growth", monthly_words=200)
    before = customer.usage()
    with customer.sdk() as sdk, model.behaving("link"):
        with pytest.raises(QualityError):
            sdk.generate(**SHORT_SDK)
        job = sdk.jobs.wait(sdk.jobs.create(**SHORT_SDK).job_id, poll=0.1)
        assert job.status == "failed"
        with pytest.raises(ValidationError):
            sdk.generate(keywords=[])
    after = customer.usage()
    assert after["consumed"] == before["consumed"]
    assert after["remaining"] == before["remaining"]
    assert after["daily"]["used"] == 2, "work was begun twice"
    # Nothing is held for them either: all of the month's words are there.
    assert customer.generate(**SHORT).status_code == 200


@clause(
    "| daily | limit, used, remaining (numbers), resetAt (ISO 8601); per-API-key"
    " requests-per-day quota; resets at UTC midnight"
)
@clause("daily per-API-key requests-per-day (resets at UTC midnight;")
@clause("are reported by GET /v1/usage.")
def test_the_day_is_counted_per_key(service: CopydeskService, customer: Customer) -> None:
    other = another_key(service, customer.account_id)
    assert customer.generate(**SHORT).status_code == 200
    assert customer.create_job(generateRequest=SHORT).status_code == 202
    mine, others = customer.usage(), other.usage()
    now = datetime.now(UTC)
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    assert mine["daily"] == {
        "limit": 500,
        "used": 2,
        "remaining": 498,
        "resetAt": midnight.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }
    assert others["daily"] == {**mine["daily"], "used": 0, "remaining": 500}
    assert others["consumed"]["posts"] >= 1, "the month is the account's"


@clause("monthlyWords, requestsPerMinute (plan),")
@clause("Concrete numeric limits per plan: not shown.")
@pytest.mark.parametrize(
    ("plan", "month", "request_", "minute", "day"),
    [
        ("starter", 20_000, 1_500, 10, 50),
        ("growth", 100_000, 3_000, 60, 500),
        ("scale", 500_000, 5_000, 300, 5_000),
    ],
)
def test_the_limits_of_the_plans(
    service: CopydeskService, plan: str, month: int, request_: int, minute: int, day: int
) -> None:
    with new_customer(service, plan).sdk() as sdk:
        usage = sdk.usage()
    assert usage.plan.id == plan
    assert usage.plan.name == plan.capitalize()
    assert usage.limits.raw == {
        "monthlyWords": month,
        "maxWordsPerRequest": request_,
        "requestsPerMinute": minute,
    }
    assert usage.daily.limit == day
