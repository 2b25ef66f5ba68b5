"""Metrics of the service as it runs on several processes: on PostgreSQL and Redis, with worker
processes and a real webhook receiver."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from app.settings import Settings
from tests.support.customers import MARKDOWN, Customer, new_customer
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.service import SETTINGS, ManyProcesses, ScriptedModel
from tests.support.startup import free_port, wait_until
from tests.support.webhook_receiver import Receiver

SECONDS = 60.0
JOBS = 3
PARTS = ("web", "worker-1", "scheduler")
KEYWORD = "velvet armadillo"


class Watched(ManyProcesses):
    """Each process with metrics of its own."""

    def start(self, *names: str) -> None:
        for name in names or self.commands():
            port = free_port()
            self.addresses = {**getattr(self, "addresses", {}), name: f"http://127.0.0.1:{port}"}
            self._env["COPYDESK_METRICS_ADDRESS"] = f"127.0.0.1:{port}"
            super().start(name)
        for name in names or self.commands():
            wait_until(partial(self._serves, name), SECONDS, f"{name} serves metrics")

    def _serves(self, name: str) -> bool:
        try:
            return bool(self.metrics(name))
        except requests.ConnectionError:
            return False

    def commands(self) -> Any:
        every = super().commands()
        return {name: every[name] for name in PARTS}

    def metrics(self, name: str) -> str:
        """What that process serves. A look at the moment at which another process makes its file of
        numbers fails."""
        told: list[requests.Response] = []

        def is_told() -> bool:
            told.append(requests.get(f"{self.addresses[name]}/metrics", timeout=60))
            return told[-1].status_code == 200

        wait_until(is_told, SECONDS, f"{name} tells its metrics")
        return told[-1].text

    def value(self, part: str, metric: str, **labels: str) -> float:
        """The sum of the samples of a metric that have these labels."""
        return sum(
            sample.value
            for family in text_string_to_metric_families(self.metrics(part))
            for sample in family.samples
            if sample.name == metric and labels.items() <= sample.labels.items()
        )


@dataclass
class Watch:
    """The service after three jobs, each with a webhook, and a call."""

    service: Watched
    customer: Customer
    receiver: Receiver
    folder: Path
    jobs: Sequence[str] = ()

    def create_job(self) -> str:
        body = {
            "generateRequest": {"keywords": [KEYWORD]},
            "format": MARKDOWN,
            "webhook": {"url": self.receiver.url(), "events": ["job.succeeded"]},
        }
        created = self.customer.call("POST", "/v1/jobs", json=body)
        job_id: str = created.json()["jobId"]
        return job_id

    def delivered(self) -> float:
        return self.service.value("worker-1", "copydesk_webhook_attempts_total")


@pytest.fixture(scope="module")
def watch(group: ProcessGroup, postgres: PostgresServer) -> Iterator[Watch]:
    folder = group.folder / "watched-tmp"
    folder.mkdir()
    service = Watched(
        group,
        ScriptedModel(group).url,
        "watched",
        COPYDESK_DATABASE_URL=postgres.create_database(),
        COPYDESK_REDIS_URL=RedisServer(group).url,
        COPYDESK_WORKERS="1",
        TMPDIR=str(folder),
        **SETTINGS,
    )
    with Receiver() as receiver:
        watch = Watch(service, new_customer(service), receiver, folder)
        watch.jobs = [watch.create_job() for _ in range(JOBS)]
        assert watch.customer.generate(keywords=[KEYWORD]).status_code == 200
        wait_until(lambda: watch.delivered() == JOBS, SECONDS, "all webhooks are delivered")
        yield watch
    service.kill()


def test_a_worker_command_counts_all_of_its_jobs(watch: Watch) -> None:
    value = watch.service.value
    worker = "worker-1"
    outcome = {"outcome": "SUCCEEDED"}
    assert value(worker, "copydesk_generation_seconds_count", **outcome) == JOBS
    assert value(worker, "copydesk_verdicts_total", verdict="passed") == JOBS
    assert value(worker, "copydesk_webhook_attempts_total", outcome="delivered") == JOBS
    drafts = Settings().drafts * JOBS
    assert value(worker, "copydesk_model_calls_total", purpose="draft") == drafts
    assert value(worker, "copydesk_model_tokens_total", purpose="draft", kind="prompt") > 0


def test_each_process_serves_what_it_did_and_what_is_stored(watch: Watch) -> None:
    """Each command counts in a private folder."""
    folders = list(watch.folder.glob("copydesk-metrics-*"))
    assert len(folders) == len(PARTS)
    for folder in folders:
        assert folder.stat().st_mode & 0o077 == 0
    value = watch.service.value
    for part in PARTS:
        assert value(part, "copydesk_database_up") == 1
        assert value(part, "copydesk_work_waiting", kind="job") == 0
    created = {"method": "POST", "route": "/v1/jobs", "status": "2xx"}
    assert value("web", "copydesk_http_requests_total", **created) == JOBS
    assert value("web", "copydesk_generation_seconds_count") == 1
    assert value("worker-1", "copydesk_http_requests_total") == 0


def test_the_public_port_has_no_metrics(watch: Watch) -> None:
    assert requests.get(f"{watch.service.url}/metrics", timeout=10).status_code == 404


def test_no_metric_names_a_customer(watch: Watch) -> None:
    watch.customer.call("GET", f"/v1/{KEYWORD}?{KEYWORD}")
    watch.customer.call("VELVET", "/v1/usage")
    told = "".join(watch.service.metrics(part) for part in PARTS)
    customer, words = watch.customer, KEYWORD.split()
    ids = (customer.api_key, customer.key_id, customer.account_id)
    for secret in (*words, words[0].upper(), *ids, watch.receiver.url()):
        assert secret not in told
    assert not any(job_id in told for job_id in watch.jobs)
