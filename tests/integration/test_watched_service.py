"""Metrics and traces of the service as it runs on several processes: on PostgreSQL and Redis, with
worker processes, a real webhook receiver and a collector of traces."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from app.settings import Settings
from tests.support.customers import MARKDOWN, Customer, new_customer
from tests.support.deployments import SETTINGS
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.service import ManyProcesses, ScriptedModel
from tests.support.startup import free_port, wait_until
from tests.support.webhook_receiver import Receiver

SECONDS = 60.0
JOBS = 3
PARTS = ("web", "worker-1", "scheduler")
KEYWORD = "velvet armadillo"
STRANGER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector:
    """Takes spans over OTLP, as an OpenTelemetry collector does."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.bodies.append(body)
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    for scope in resource.scope_spans:
                        collector.spans.extend(scope.spans)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def trace_of(self, job_id: str) -> list[Any]:
        """The spans of a job's trace, in the order of their beginnings."""
        digest = sha256(f"trace of {job_id}".encode()).digest()
        found = [span for span in list(self.spans) if span.trace_id == digest[:16]]
        return sorted(found, key=lambda span: int(span.start_time_unix_nano))


def members(span: Any) -> dict[str, object]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes
    }


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
        """What that process serves."""
        answer = requests.get(f"{self.addresses[name]}/metrics", timeout=60)
        assert answer.status_code == 200
        return answer.text

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
    collector: Collector
    receiver: Receiver
    folder: Path
    jobs: Sequence[str] = ()
    call: str = ""

    def create_job(self) -> str:
        body = {
            "generateRequest": {"keywords": [KEYWORD]},
            "format": MARKDOWN,
            "webhook": {"url": self.receiver.url(), "events": ["job.succeeded"]},
        }
        headers = {"traceparent": STRANGER}
        created = self.customer.call("POST", "/v1/jobs", json=body, headers=headers)
        job_id: str = created.json()["jobId"]
        return job_id

    def is_traced(self, job_id: str) -> bool:
        names = {span.name for span in self.collector.trace_of(job_id)}
        return names >= {"POST /v1/jobs", "generate", "model call", "deliver webhook"}


@pytest.fixture(scope="module")
def watch(group: ProcessGroup, postgres: PostgresServer) -> Iterator[Watch]:
    collector = Collector()
    folder = group.folder / "watched-tmp"
    folder.mkdir()
    service = Watched(
        group,
        ScriptedModel(group).url,
        "watched",
        database_url=postgres.create_database(),
        redis_url=RedisServer(group, "redis-watched").url,
        TMPDIR=str(folder),
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        OTEL_BSP_SCHEDULE_DELAY="200",
        **SETTINGS,
    )
    with Receiver() as receiver:
        watch = Watch(service, new_customer(service), collector, receiver, folder)
        watch.jobs = [watch.create_job() for _ in range(JOBS)]
        answer = watch.customer.generate(keywords=[KEYWORD])
        assert answer.status_code == 200
        watch.call = answer.json()["requestId"]
        wait_until(lambda: all(map(watch.is_traced, watch.jobs)), SECONDS, "all jobs are traced")
        yield watch
    service.kill()
    collector.close()


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


def test_each_command_counts_in_a_private_folder(watch: Watch) -> None:
    folders = list(watch.folder.glob("copydesk-metrics-*"))
    assert len(folders) == len(PARTS)
    for folder in folders:
        assert folder.stat().st_mode & 0o077 == 0


def test_each_process_serves_what_it_did_and_what_is_stored(watch: Watch) -> None:
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


def test_no_metric_and_no_span_names_a_customer(watch: Watch) -> None:
    watch.customer.call("GET", f"/v1/{KEYWORD}?{KEYWORD}")
    watch.customer.call("VELVET", "/v1/usage")
    told = "".join(watch.service.metrics(part) for part in PARTS)
    traced = b"".join(watch.collector.bodies).decode(errors="replace")
    customer, words = watch.customer, KEYWORD.split()
    ids = (customer.api_key, customer.key_id, customer.account_id)
    for secret in (*words, words[0].upper(), *ids, watch.receiver.url()):
        assert secret not in told + traced
    assert not any(job_id in told for job_id in watch.jobs)


def test_a_job_is_one_trace_from_its_call_to_its_webhook(watch: Watch) -> None:
    spans = watch.collector.trace_of(watch.jobs[0])
    by_name = {span.name: span for span in spans}
    request, generate = by_name["POST /v1/jobs"], by_name["generate"]
    assert spans[0] == request
    assert not request.parent_span_id
    assert members(request)["http.response.status_code"] == 202
    assert generate.parent_span_id == request.span_id
    assert by_name["deliver webhook"].parent_span_id == request.span_id
    assert members(by_name["deliver webhook"])["http.response.status_code"] == 200
    calls = [span for span in spans if span.name == "model call"]
    assert {span.parent_span_id for span in calls} == {generate.span_id}
    assert {members(span)["copydesk.purpose"] for span in calls} == {"draft", "edit", "read"}
    assert all(int(str(members(span)["gen_ai.usage.input_tokens"])) > 0 for span in calls)


def test_a_strangers_trace_is_linked_and_not_continued(watch: Watch) -> None:
    strange = bytes.fromhex(STRANGER.split("-")[1])
    request = watch.collector.trace_of(watch.jobs[0])[0]
    assert [link.trace_id for link in request.links] == [strange]
    assert strange not in {span.trace_id for span in watch.collector.spans}


def test_receivers_are_told_nothing_of_traces(watch: Watch) -> None:
    names = {name for one in watch.receiver.received() for name in one.headers}
    assert "webhook-id" in names
    assert names & {"traceparent", "tracestate", "baggage", "b3"} == set()


def test_a_call_is_one_trace_as_well(watch: Watch) -> None:
    def spans() -> list[Any]:
        every = list(watch.collector.spans)
        own = [span for span in every if members(span).get("copydesk.request") == watch.call]
        return [span for span in every if own and span.trace_id == own[0].trace_id]

    wait_until(lambda: len({span.name for span in spans()}) == 3, SECONDS, "the call is traced")
    by_name = {span.name: span for span in spans()}
    request, generate = by_name["POST /v1/generate"], by_name["generate"]
    assert generate.parent_span_id == request.span_id
    assert by_name["model call"].parent_span_id == generate.span_id
    assert request.start_time_unix_nano < generate.start_time_unix_nano
