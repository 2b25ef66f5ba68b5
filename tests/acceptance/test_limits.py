"""Limits: requests a minute and a day, words a month, and what is said where they are passed."""

import calendar
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
import requests
from sqlalchemy import func, select

from app.store import models
from copydesk import QuotaExceededError, RateLimitError
from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer, another_key, new_customer
from tests.support.response_schemas import ERROR_BODY, matches
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import wait_until

PLENTY = 1_000_000
# Three times as many as any of the limits lets through.
AT_ONCE = 60


def midnight() -> datetime:
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    return tomorrow.replace(hour=0, minute=0, second=0, microsecond=0)


def next_month() -> datetime:
    now = datetime.now(UTC)
    days = calendar.monthrange(now.year, now.month)[1]
    first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return first + timedelta(days=days)


def sent_at(answer: requests.Response) -> datetime:
    """When the server sent it, by its own clock."""
    return parsedate_to_datetime(answer.headers["Date"])


def exceeded(answer: requests.Response, code: str, limit_type: str, *more: str) -> Any:
    """The details of a 429, whose Retry-After leads to resetAt; ``more`` are further members."""
    assert answer.status_code == 429
    matches(answer.json(), ERROR_BODY)
    error = answer.json()["error"]
    assert (error["code"], error["details"]["limitType"]) == (code, limit_type)
    assert set(error["details"]) == {"limitType", "limit", "used", "resetAt", *more}
    resets = datetime.fromisoformat(error["details"]["resetAt"])
    wait = (resets - sent_at(answer)).total_seconds()
    assert abs(int(answer.headers["Retry-After"]) - wait) <= 2
    return error["details"]


@clause("rate limiting")
@clause("Behavior when a rate limit")
def test_the_minute_is_kept(service: CopydeskService) -> None:
    customer = new_customer(service, "growth", requests_per_minute=3)
    begun = datetime.now(UTC)
    first, *_ = [customer.create_job(generateRequest=SHORT) for _ in range(3)]
    assert first.status_code == 202
    for send in (customer.generate, lambda **body: customer.create_job(generateRequest=body)):
        answer = send(**SHORT)
        details = exceeded(answer, "RATE_LIMITED", "requestsPerMinute")
        assert (details["limit"], details["used"]) == (3, 3)
        # There is room again a minute after the first call, and not a minute after this one.
        room = sent_at(answer) + timedelta(seconds=int(answer.headers["Retry-After"]))
        minute = timedelta(seconds=60)
        slack = timedelta(seconds=2)
        assert begun + minute - slack <= room <= sent_at(first) + minute + slack
        assert answer.headers.get("x-should-retry") != "false"
    # The whole account shares it; reading is free.
    colleague = another_key(service, customer.account_id)
    assert colleague.generate(**SHORT).status_code == 429
    assert customer.call("GET", "/v1/usage").status_code == 200
    with customer.sdk(max_retries=0) as sdk, pytest.raises(RateLimitError) as caught:
        sdk.generate(keywords=["tea"])
    assert caught.value.code == "RATE_LIMITED"
    assert caught.value.retry_after is not None
    assert 0 < caught.value.retry_after <= 60


@clause("quota is exceeded: not shown.")
def test_the_day_is_kept(service: CopydeskService) -> None:
    customer = new_customer(service, "growth", requests_per_day=2)
    for _ in range(2):
        assert customer.create_job(generateRequest=SHORT).status_code == 202
    answer = customer.generate(**SHORT)
    details = exceeded(answer, "QUOTA_EXCEEDED", "requestsPerDay")
    assert (details["limit"], details["used"]) == (2, 2)
    assert datetime.fromisoformat(details["resetAt"]) == midnight()
    assert answer.headers["x-should-retry"] == "false"
    assert customer.usage()["daily"]["remaining"] == 0
    # It is the key's: another one of the account has its own.
    assert another_key(service, customer.account_id).generate(**SHORT).status_code == 200
    with customer.sdk() as sdk, pytest.raises(QuotaExceededError) as caught:
        sdk.jobs.create(keywords=["tea"])
    assert caught.value.details["limitType"] == "requestsPerDay"


@clause("quota is exceeded: not shown.")
def test_the_month_is_kept(service: CopydeskService) -> None:
    customer = new_customer(service, "growth", monthly_words=500)
    assert customer.generate(**SHORT).status_code == 200
    left = customer.usage()["remaining"]["words"]
    answer = customer.generate(keywords=["tea"], constraints={"maxWords": left + 1})
    details = exceeded(answer, "QUOTA_EXCEEDED", "monthlyWords")
    assert (details["limit"], details["used"]) == (500, 500 - left)
    assert datetime.fromisoformat(details["resetAt"]) == next_month()
    assert answer.headers["x-should-retry"] == "false"
    assert customer.usage()["remaining"]["words"] == left
    with customer.sdk() as sdk:
        # What fits is still given, to the last word.
        assert sdk.generate(keywords=["tea"], max_words=left).post.word_count <= left
        with pytest.raises(QuotaExceededError, match="more than are left"):
            sdk.generate(keywords=["tea"], max_words=400)


@clause("quota is exceeded: not shown.")
@clause(
    "| Held words | A request that has no room only because other requests still run gets"
    " RATE_LIMITED with a short Retry-After, limitType monthlyWords, and the words they"
    " hold in held; used is what is consumed |"
)
def test_words_are_held_while_a_post_is_written(
    service: CopydeskService, model: ScriptedModel
) -> None:
    """They are not consumed: a call that has no room beside them is told to come back soon."""
    customer = new_customer(service, "growth", monthly_words=300)
    fitting = {"keywords": ["tea"], "constraints": {"maxWords": 200}}
    with customer.sdk(max_retries=0) as sdk:
        with model.behaving("slow", delay=1.0):
            job_id = sdk.jobs.create(keywords=["tea"], max_words=200).job_id
            for answer in (
                customer.generate(**fitting),
                customer.create_job(generateRequest=fitting),
            ):
                details = exceeded(answer, "RATE_LIMITED", "monthlyWords", "held")
                assert (details["limit"], details["used"], details["held"]) == (300, 0, 200)
                assert int(answer.headers["Retry-After"]) <= 30
                assert answer.headers.get("x-should-retry") != "false"
            with pytest.raises(RateLimitError) as caught:
                sdk.generate(keywords=["tea"], max_words=200)
            assert caught.value.transient
            usage = sdk.usage()
            assert usage.consumed.words == 0, "what is held is not consumed"
            # What no waiting brings is the month's.
            large = customer.generate(keywords=["tea"], constraints={"maxWords": 301})
            assert exceeded(large, "QUOTA_EXCEEDED", "monthlyWords")["used"] == 0
        assert sdk.jobs.wait(job_id, poll=0.1).status == "succeeded"
    left = customer.usage()["remaining"]["words"]
    assert left >= 100
    assert customer.generate(keywords=["tea"], constraints={"maxWords": left}).status_code == 200


_ITEM = re.compile(r'"(\w+)";r=(\d+);t=(\d+)')


@clause("Behavior when a rate limit", "quota is exceeded: not shown.")
def test_every_authenticated_answer_tells_what_is_left(customer: Customer) -> None:
    created = customer.create_job(generateRequest=SHORT)
    answers = [
        created,
        customer.generate(**SHORT),
        customer.generate(keywords=[]),
        customer.job(created.json()["jobId"]),
        customer.job("job_unknown"),
        customer.call("GET", "/v1/usage"),
    ]
    assert [answer.status_code for answer in answers] == [202, 200, 400, 200, 404, 200]
    for answer, used in zip(answers, (1, 2, 2, 2, 2, 2), strict=True):
        assert answer.headers["RateLimit-Policy"] == '"minute";q=60;w=60, "day";q=500;w=86400'
        left = {name: (int(r), int(t)) for name, r, t in _ITEM.findall(answer.headers["RateLimit"])}
        assert left["day"][0] == 500 - used
        assert left["minute"][0] == 60 - used
        assert 0 < left["minute"][1] <= 60
        assert abs(left["day"][1] - (midnight() - sent_at(answer)).total_seconds()) <= 2


def all_at_once(customer: Customer, jobs: bool) -> list[requests.Response]:
    """Two hundred calls (60 outside CI), all on their way before the first has its answer."""

    def call(number: int) -> requests.Response:
        if jobs:
            return customer.create_job(generateRequest=SHORT)
        return customer.generate(**SHORT)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(call, range(AT_ONCE)))


@clause("quota is exceeded: not shown.")
@pytest.mark.parametrize("jobs", [False, True], ids=["generate", "jobs"])
def test_many_calls_at_once_never_pass_the_months_words(
    service: CopydeskService, jobs: bool
) -> None:
    customer = new_customer(
        service, "growth", monthly_words=2_000, requests_per_minute=PLENTY, requests_per_day=PLENTY
    )
    answers = all_at_once(customer, jobs)
    accepted = [answer for answer in answers if answer.status_code in {200, 202}]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(accepted) + len(refused) == AT_ONCE
    assert len(accepted) >= 10, "each holds at most a tenth"
    reasons = {answer.json()["error"]["details"]["limitType"] for answer in refused}
    assert reasons <= {"monthlyWords"} | (set() if jobs else {"callsInFlight"})
    if jobs:
        bodies = [customer.finished_job(answer.json()["jobId"]) for answer in accepted]
        assert {body["status"] for body in bodies} == {"succeeded"}
    usage = customer.usage()
    assert usage["consumed"]["words"] <= 2_000
    assert usage["consumed"]["posts"] == len(accepted)
    assert customer.held() == (0, 0), "nothing is held for ever"


@clause("Behavior when a rate limit", "quota is exceeded: not shown.")
@pytest.mark.parametrize(
    ("limits", "code"),
    [({"requests_per_day": 17}, "QUOTA_EXCEEDED"), ({"requests_per_minute": 17}, "RATE_LIMITED")],
    ids=["day", "minute"],
)
def test_many_calls_at_once_never_pass_a_count(
    service: CopydeskService, limits: dict[str, int], code: str
) -> None:
    plenty = {"requests_per_minute": PLENTY, "requests_per_day": PLENTY}
    customer = new_customer(service, "growth", **{**plenty, **limits})
    answers = all_at_once(customer, jobs=True)
    wait_until(service.is_idle, 120, "the jobs are done")
    accepted = [answer for answer in answers if answer.status_code == 202]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert (len(accepted), len(refused)) == (17, AT_ONCE - 17)
    errors = [answer.json()["error"] for answer in refused]
    # On a busy machine, many calls are in flight at the same time, which has a limit of its own.
    counted = [each for each in errors if each["details"]["limitType"] != "callsInFlight"]
    assert {each["code"] for each in counted} == {code}
    assert customer.usage()["daily"]["used"] == 17
    with service.engine.connect() as database:
        jobs = select(func.count()).where(models.Job.account_id == customer.account_id)
        assert database.scalar(jobs) == 17
    assert customer.usage()["consumed"]["posts"] == 17
