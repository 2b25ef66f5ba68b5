"""What was accepted is done once and billed once, through a SIGKILL and past a lapsed lease."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests
from sqlalchemy import select, update

from app.store import models
from copydesk import Post, webhooks
from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer
from tests.support.feeds import new_feed
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import wait_until
from tests.support.webhook_receiver import Receiver

pytestmark = pytest.mark.long

BOTH = ["job.succeeded", "job.failed"]
# As many as an account may have in flight.
CALLS = 24


def kill(service: CopydeskService, kind: str) -> None:
    """Kill what answers HTTP, or what works in the background; in one process that is the same."""
    names = [name for name in service.commands() if name.startswith(kind)]
    service.kill(*names)
    if kind == "web" or not names:
        wait_until(lambda: not service.answers(), 90, "nobody answers any more")
    service.start(*names)


def key_is_running(service: CopydeskService, customer: Customer) -> bool:
    """Whether a call is working under the account's one key."""
    query = select(models.IdempotencyKey.status).where(
        models.IdempotencyKey.account_id == customer.account_id
    )
    with service.engine.connect() as database:
        return database.scalar(query) == "running"


def attempts(service: CopydeskService, job_id: str) -> int:
    """How many workers have taken a job."""
    with service.engine.connect() as database:
        return database.scalar(select(models.Job.attempts).where(models.Job.id == job_id)) or 0


@clause("generation runs once,", "so retries cannot double-bill.")
@pytest.mark.usefixtures("idle")
def test_a_call_that_was_killed_is_repeated_with_its_key(
    service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    def call(_: int) -> requests.Response | None:
        headers = {"Idempotency-Key": "k"}
        try:
            return customer.call("POST", "/v1/generate", json=SHORT, headers=headers)
        except requests.ConnectionError:
            return None

    with ThreadPoolExecutor(CALLS) as pool:
        with model.behaving("slow", delay=1.5):
            begun = [pool.submit(call, number) for number in range(CALLS)]
            wait_until(lambda: key_is_running(service, customer), 90, "the first is on its way")
            kill(service, "web")
        assert all(future.result() is None for future in begun), "every caller is cut off"
        service.pass_time()
        answers = list(pool.map(call, range(CALLS)))
    bodies = {answer.content for answer in answers if answer is not None}
    assert [answer.status_code for answer in answers if answer is not None] == [200] * CALLS
    assert len(bodies) == 1
    usage = customer.usage()
    words = Post.from_wire(next(iter(answers)).json()["post"]).word_count  # type: ignore[union-attr]
    assert usage["consumed"] == {"words": words, "posts": 1, "requests": 1}
    wait_until(lambda: customer.held() == (0, 0), 60, "what the dead call held is given back")
    assert customer.usage()["remaining"]["words"] == 100_000 - words


@clause("any retry behavior: not shown.")
def test_jobs_outlive_their_worker(
    service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    feed = new_feed(service)
    feed.add_due_rule("Garden beds")
    with Receiver() as receiver, customer.sdk() as sdk:
        with model.behaving("slow", delay=1.0):
            made = [
                sdk.jobs.create(
                    keywords=["tea"],
                    max_words=200,
                    webhook_url=receiver.url(f"/{number}"),
                    webhook_events=BOTH,
                ).raw
                for number in range(4)
            ]
            assert feed.latest() == {"available": False}, "the pull has it written"
            wait_until(
                lambda: customer.job(made[0]["jobId"]).json()["status"] == "processing",
                30,
                "a worker has begun",
            )
            kill(service, "worker")
        service.pass_time()
        jobs = [sdk.jobs.wait(job["jobId"], poll=0.1).raw for job in made]
        assert [job["status"] for job in jobs] == ["succeeded"] * 4
        for number, job in enumerate(made):
            path = f"/{number}"
            wait_until(lambda: bool(receiver.received(path)), 60, f"{path} is told")  # noqa: B023
            for told in receiver.received(path):
                event = webhooks.parse(told.body, told.headers, job["webhookSigningSecret"])
                assert event.job_id == job["jobId"]
    words = sum(Post.from_wire(job["result"]).word_count for job in jobs)
    assert customer.usage()["consumed"] == {"words": words, "posts": 4, "requests": 4}
    assert customer.held() == (0, 0)
    assert attempts(service, made[0]["jobId"]) == 2
    wait_until(lambda: bool(feed.states()), 60, "the rule's item is there")
    wait_until(service.is_idle, 60, "nothing is left to do")
    assert feed.states() == [("pending", 0)], "it is there once"


@clause("any retry behavior: not shown.")
def test_a_job_that_kills_its_workers_is_given_up(
    service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    with Receiver() as receiver:
        with model.behaving("slow", delay=1.0):
            # It waits behind others, so that two earlier deaths can be written down.
            before = [customer.create_job(generateRequest=SHORT) for _ in range(3)]
            created = customer.create_job(
                generateRequest=SHORT, webhook={"url": receiver.url(), "events": BOTH}
            ).json()
            job_id = created["jobId"]
            with service.engine.begin() as database:
                row = update(models.Job).where(
                    models.Job.id == job_id, models.Job.status == "queued"
                )
                assert database.execute(row.values(attempts=2)).rowcount == 1
            wait_until(
                lambda: customer.job(job_id).json()["status"] == "processing", 60, "it begins"
            )
            kill(service, "worker")
        service.pass_time()
        job = customer.finished_job(job_id)
        assert (job["status"], job["error"]["code"]) == ("failed", "INTERNAL_ERROR")
        wait_until(lambda: bool(receiver.received()), 60, "job.failed arrives")
    told = receiver.received()[0]
    event = webhooks.parse(told.body, told.headers, created["webhookSigningSecret"])
    assert event.event == "job.failed"
    for other in before:
        assert customer.finished_job(other.json()["jobId"])["status"] == "succeeded"
    assert customer.usage()["consumed"]["posts"] == 3
    assert customer.held() == (0, 0)


@clause("generation runs once,", "so retries cannot double-bill.")
@pytest.mark.usefixtures("idle")
def test_a_call_that_was_held_up_past_its_lease_bills_nothing(
    service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    """A machine that stood still comes back: another call has begun anew with its key."""

    def call() -> dict[str, Any]:
        return sdk.generate(keywords=["tea"], max_words=200, idempotency_key="k").raw

    written = service.posts_written()
    slow = model.behaving("slow", delay=1.0)
    with customer.sdk(max_retries=0) as sdk, ThreadPoolExecutor(2) as pool, slow:
        first = pool.submit(call)
        wait_until(lambda: key_is_running(service, customer), 90, "the first is on its way")
        service.pass_time()
        second = pool.submit(call)
        posts = [first.result(), second.result()]
    assert posts[0] == posts[1]
    assert service.posts_written() > written
    assert customer.usage()["consumed"]["posts"] == 1
    assert customer.held() == (0, 0)


@clause("any retry behavior: not shown.")
@pytest.mark.usefixtures("idle")
def test_a_worker_that_was_held_up_past_its_lease_stores_nothing(
    service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    def taken_over() -> bool:
        if attempts(service, job_id) > 1:
            return True
        service.pass_time()  # again, as long as the first worker's heartbeat is the quicker one
        return False

    written = service.posts_written()
    with Receiver() as receiver, customer.sdk() as sdk:
        # Longer in all than it takes until somebody looks for work that was left behind.
        with model.behaving("slow", delay=15.0):
            job_id = sdk.jobs.create(
                keywords=["tea"],
                max_words=200,
                webhook_url=receiver.url(),
                webhook_events=BOTH,
            ).job_id
            wait_until(lambda: sdk.jobs.get(job_id).status == "processing", 90, "it begins")
            wait_until(taken_over, 90, "another worker has it")
        job = sdk.jobs.wait(job_id, poll=0.1)
        wait_until(lambda: service.posts_written() > written, 60, "a post is written")
        wait_until(lambda: customer.held() == (0, 0), 60, "nothing is held any more")
        wait_until(lambda: bool(receiver.received()), 60, "job.succeeded arrives")
    assert sdk.jobs.get(job_id) == job
    assert customer.usage()["consumed"]["posts"] == 1
    assert len({told.body for told in receiver.received()}) == 1
