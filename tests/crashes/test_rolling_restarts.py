"""SIGTERM: what was begun is finished or handed back, and nobody is left without an answer.

The quick version restarts two services in turn three times under 40 jobs and 10 calls;
``CRASHES=full`` ten times under 200 jobs and 50 calls.
"""

import os
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import count
from threading import Event
from typing import Any

import pytest
import requests
from sqlalchemy import select

from app.runtime import HEAD_SECONDS
from app.store import models
from tests.support.customers import Customer, new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import SETTINGS, CopydeskService, ScriptedModel, many_processes
from tests.support.startup import wait_until

FULL = os.environ.get("CRASHES") == "full"
JOBS, CALLS, RESTARTS = (200, 50, 10) if FULL else (40, 10, 3)
CALLERS = 5
SECONDS = 600.0 if FULL else 240.0
SHORT: dict[str, Any] = {"keywords": ["tea"], "constraints": {"maxWords": 200}}


@pytest.fixture
def model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


def beside(
    group: ProcessGroup, model: ScriptedModel, names: str, **settings: str
) -> list[CopydeskService]:
    """Services on one database."""
    database = f"sqlite:///{group.folder / 'shared.db'}"
    shared = {**SETTINGS, "COPYDESK_DATABASE_URL": database, **settings}
    return [CopydeskService(group, model.url, name, **shared) for name in names]


class Balancer:
    """A load balancer that skips a service that refuses the connection."""

    def __init__(self, services: list[CopydeskService], customer: Customer) -> None:
        self._urls = [service.url for service in services]
        self._headers = customer.headers
        self._turn = count()

    def call(self, method: str, path: str, **options: Any) -> requests.Response:
        """The answer; raises where a connection was accepted and then cut off."""
        headers = {**self._headers, **options.pop("headers", {})}
        while True:
            url = self._urls[next(self._turn) % len(self._urls)]
            try:
                return requests.request(
                    method, url + path, headers=headers, timeout=SECONDS, **options
                )
            except requests.ConnectionError as error:
                if "refused" not in str(error):
                    raise
                Event().wait(0.05)


def generate(balancer: Balancer, key: str) -> requests.Response:
    return balancer.call("POST", "/v1/generate", json=SHORT, headers={"Idempotency-Key": key})


def test_rolling_restarts_lose_no_answer(group: ProcessGroup, model: ScriptedModel) -> None:
    services = beside(group, model, "ab", COPYDESK_DRAIN_SECONDS="60")
    services[0].cli("plan", "update", "scale", "--requests-per-minute", "10000")
    customer = new_customer(services[0], "scale")
    balancer = Balancer(services, customer)
    model.behave("slow", delay=0.1)
    job = {"generateRequest": SHORT, "format": {"responseTypes": ["markdown"]}}

    def post_job(number: int) -> str:
        answer = balancer.call("POST", "/v1/jobs", json={**job, "idempotencyKey": f"job-{number}"})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["jobId"])

    with ThreadPoolExecutor(CALLERS + 2) as threads:
        jobs = threads.map(post_job, range(JOBS))
        calls = [threads.submit(generate, balancer, f"call-{number}") for number in range(CALLS)]
        for number in range(RESTARTS):
            service = services[number % 2]
            service.terminate()
            assert service.wait_for_end() == {0}
            service.start()
        answers = [call.result() for call in calls]
        job_ids = list(jobs)

    assert [answer.status_code for answer in answers] == [200] * CALLS
    assert len(set(job_ids)) == JOBS

    def ended() -> list[dict[str, Any]]:
        states = [balancer.call("GET", f"/v1/jobs/{job_id}").json() for job_id in job_ids]
        return [state for state in states if state["status"] in {"succeeded", "failed"}]

    wait_until(lambda: len(ended()) == JOBS, SECONDS, "every job has ended")
    # The scripted writer says the same of the same request: what repeats an earlier post fails,
    # and is not billed.
    succeeded = [state for state in ended() if state["status"] == "succeeded"]
    assert {state.get("error", {}).get("code") for state in ended()} <= {
        None,
        "CONTENT_QUALITY_FAILED",
    }
    usage = customer.usage()
    assert usage["consumed"]["posts"] == len(succeeded) + CALLS
    assert usage["daily"]["used"] == JOBS + CALLS
    with services[0].engine.connect() as database:
        assert database.execute(select(models.Reservation.id)).all() == []


def has_begun_to_stop(service: CopydeskService, times: int) -> bool:
    return service.log_text().count("stopping: ") == times


def test_a_connection_that_was_accepted_before_sigterm_gets_its_answer(
    group: ProcessGroup, model: ScriptedModel
) -> None:
    """DESIGN: "a rolling restart under load loses no answer"."""
    (service,) = beside(group, model, "a")
    host, port = str(service.url).removeprefix("http://").split(":")
    for number in range(10):
        with socket.create_connection((host, int(port)), timeout=30) as early:
            # A later connection was accepted and answered, so the early one was accepted as well.
            assert requests.get(f"{service.url}/healthz", timeout=30).status_code == 200
            began = time.monotonic()
            service.terminate()
            wait_until(partial(has_begun_to_stop, service, number + 1), 30, "it has begun to stop")
            early.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            in_time = time.monotonic() - began < HEAD_SECONDS
            answer = b"".join(iter(lambda: early.recv(65_536), b""))
        assert service.wait_for_end() == {0}
        if answer.startswith(b"HTTP/1.1 200 "):
            return
        # A busy machine took longer than the server gives to such a connection.
        assert not in_time
        service.start()
    pytest.fail("the machine is too busy to send in time")


def test_what_does_not_end_in_time_is_handed_back(
    group: ProcessGroup, model: ScriptedModel
) -> None:
    first, second = beside(group, model, "ab", COPYDESK_DRAIN_SECONDS="1", COPYDESK_WORKERS="1")
    second.terminate()
    assert second.wait_for_end() == {0}
    customer = new_customer(first)
    keyed = {"Idempotency-Key": "one"}
    began = model.calls()
    with model.behaving("slow", delay=30.0), ThreadPoolExecutor() as threads:
        call: Future[requests.Response] = threads.submit(
            customer.call, "POST", "/v1/generate", json=SHORT, headers=keyed
        )
        job_id = customer.create_job(generateRequest=SHORT).json()["jobId"]
        wait_until(lambda: model.calls() >= began + 2, 60, "both are being written")
        first.terminate()
        answer = call.result()
        assert first.wait_for_end() == {0}
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert int(answer.headers["Retry-After"]) >= 1
    assert handed_back(first, job_id) == ("queued", 1, 1), "taken once, and no attempt is spent"
    second.start()
    again = Customer(second, customer.account_id, customer.key_id, customer.api_key)
    assert again.call("POST", "/v1/generate", json=SHORT, headers=keyed).status_code == 200
    wait_until(
        lambda: again.job(job_id).json()["status"] in {"succeeded", "failed"},
        SECONDS,
        "another process ends the job",
    )
    assert again.usage()["daily"]["used"] == 3


def test_a_worker_process_hands_its_work_back(group: ProcessGroup, model: ScriptedModel) -> None:
    service = many_processes(group, model.url, COPYDESK_DRAIN_SECONDS="1")
    customer = new_customer(service)
    began = model.calls()
    workers = ("worker-1", "worker-2")
    with model.behaving("slow", delay=30.0):
        job_id = customer.create_job(generateRequest=SHORT).json()["jobId"]
        wait_until(lambda: model.calls() > began, 60, "it is being written")
        service.terminate(*workers)
        assert service.wait_for_end(*workers) == {0}
    assert handed_back(service, job_id) == ("queued", 1, 1)
    service.start(*workers)
    wait_until(
        lambda: customer.job(job_id).json()["status"] == "succeeded", SECONDS, "another ends it"
    )


def handed_back(service: CopydeskService, job_id: str) -> tuple[str, int, int]:
    columns = select(models.Job.status, models.Job.attempts, models.Job.handed_back)
    with service.engine.connect() as database:
        status, attempts, times = database.execute(columns.where(models.Job.id == job_id)).one()
    return status, attempts, times
