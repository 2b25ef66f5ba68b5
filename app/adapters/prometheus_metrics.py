"""Metrics for Prometheus. docs/guides/watching.md lists them; a test compares the two.

A command and all its processes count into files of one folder, by prometheus_client's multiprocess
mode.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from threading import Thread

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from app.core.errors import ServiceError
from app.ports import Gauges, Metrics

# prometheus_client reads its folder from this variable, at each first use of a file.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
# Upper bounds of buckets.
_REQUEST_SECONDS = (0.01, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0, 120.0, 300.0, 600.0)
_GENERATION_SECONDS = (5.0, 15.0, 30.0, 60.0, 120.0, 180.0, 240.0, 360.0, 540.0, 900.0)
_CALL_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)
_DELIVERY_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0)

DATABASE_UP = "copydesk_database_up"
GAUGES = {
    DATABASE_UP: "1 if the database answers, otherwise 0.",
    "copydesk_work_waiting": "Work that waits, by kind: job, run or webhook. Counts to 1,000.",
    "copydesk_work_oldest_seconds": "How long ago the oldest waiting work could have begun, by"
    " kind; 0 if none waits.",
    "copydesk_work_in_progress": "Work that workers hold, by kind.",
    "copydesk_webhooks_given_up": "Webhooks that were given up and are still stored. Counts to"
    " 1,000.",
    "copydesk_webhook_receivers_off": "Receivers that get no webhooks, because they failed for"
    " days. Counts to 1,000.",
    "copydesk_rules_late": "Rules that have been due for so long that no scheduler can be running."
    " Counts to 1,000.",
    "copydesk_rules_failing": "Rules whose last run failed. Counts to 1,000.",
    "copydesk_rules_saturated": "Rules that have nothing new to write. Counts to 1,000.",
    "copydesk_month_cost_dollars": "US dollars that the calls to models of this month (UTC) cost."
    " Calls of models without a price are not in it.",
    "copydesk_spend_caps_reached": "Spend caps of this month (UTC) that are reached, by what has"
    " the cap: installation, account or rule. Counts to 1,000.",
    "copydesk_backup_age_seconds": "The age of the newest backup in COPYDESK_BACKUP_DIR, +Inf if"
    " none can be seen there. Missing without that setting.",
}
"""What is read from the database when the metrics are read. A gauge with several values has one for
each ``kind``."""


class PrometheusMetrics(Metrics):
    """Counts into the files of a folder. Create at most one in a process.

    Args:
        folder: that of the command, which deletes it when it ends.
    """

    def __init__(self, folder: Path) -> None:
        os.environ[_FOLDER] = str(folder)
        values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._requests = self._counter(
            "copydesk_http_requests_total",
            "Requests, by method, route template and class of the status (2xx).",
            "method",
            "route",
            "status",
        )
        self._request_seconds = self._histogram(
            "copydesk_http_request_seconds",
            "Time from the request to its response, by route template.",
            _REQUEST_SECONDS,
            "route",
        )
        self._request_errors = self._counter(
            "copydesk_http_errors_total", "Responses with an error, by its code.", "code"
        )
        self._generation_seconds = self._histogram(
            "copydesk_generation_seconds",
            "Time that a post took, by outcome: SUCCEEDED, CANCELLED, RESTING or an error code.",
            _GENERATION_SECONDS,
            "outcome",
        )
        self._verdicts = self._counter(
            "copydesk_verdicts_total",
            "Posts that the checks passed or refused, by the number of revisions before.",
            "verdict",
            "revisions",
        )
        self._findings = self._counter(
            "copydesk_findings_total",
            "Findings in these posts when they passed or were refused, by check and severity.",
            "verdict",
            "check",
            "severity",
        )
        self._model_calls = self._counter(
            "copydesk_model_calls_total",
            "Calls to a model, retries included in one, by purpose and outcome: ANSWERED, REFUSED,"
            " CANCELLED, RESTING (not sent, because the endpoint failed too often) or an error"
            " code.",
            "model",
            "purpose",
            "outcome",
        )
        self._model_seconds = self._histogram(
            "copydesk_model_call_seconds",
            "Time that a call to a model took, waiting for a free place included.",
            _CALL_SECONDS,
            "model",
        )
        self._tokens = self._counter(
            "copydesk_model_tokens_total",
            "Tokens that the endpoint counted, by purpose and kind: prompt or completion.",
            "model",
            "purpose",
            "kind",
        )
        self._deliveries = self._counter(
            "copydesk_webhook_attempts_total",
            "Attempts to deliver a webhook, by outcome: delivered, retried or given_up.",
            "outcome",
        )
        self._delivery_seconds = self._histogram(
            "copydesk_webhook_attempt_seconds",
            "Time that an attempt to deliver a webhook took.",
            _DELIVERY_SECONDS,
        )
        # Each request counts, and finding a series by its labels takes longer than counting.
        self._of_requests = cache(self._labelled)
        # Alerts look for an increase, which the first of a series is only if it was 0 before.
        for outcome in ("delivered", "retried", "given_up"):
            self._deliveries.labels(outcome)
        self._request_errors.labels(ServiceError.code)

    def _counter(self, name: str, tells: str, *labels: str) -> Counter:
        return Counter(name, tells, labels, registry=self.registry)

    def _histogram(
        self, name: str, tells: str, buckets: Sequence[float], *labels: str
    ) -> Histogram:
        return Histogram(name, tells, labels, registry=self.registry, buckets=buckets)

    def request(
        self, method: str, route: str, status: int, problem: str | None, seconds: float
    ) -> None:
        known = method if method in _METHODS else "other"
        count, duration = self._of_requests(known, route, f"{status // 100}xx")
        count.inc()
        duration.observe(seconds)
        if problem is not None:
            self._request_errors.labels(problem).inc()

    def _labelled(self, method: str, route: str, status: str) -> tuple[Counter, Histogram]:
        return self._requests.labels(method, route, status), self._request_seconds.labels(route)

    def generation(self, outcome: str, seconds: float) -> None:
        self._generation_seconds.labels(outcome).observe(seconds)

    def verdict(self, *, passed: bool, revisions: int, findings: Iterable[tuple[str, str]]) -> None:
        verdict = "passed" if passed else "refused"
        self._verdicts.labels(verdict, str(revisions)).inc()
        for check, severity in findings:
            self._findings.labels(verdict, check, severity).inc()

    def model_call(
        self, model: str, purpose: str, outcome: str, seconds: float, tokens: tuple[int, int]
    ) -> None:
        self._model_calls.labels(model, purpose, outcome).inc()
        self._model_seconds.labels(model).observe(seconds)
        for kind, number in zip(("prompt", "completion"), tokens, strict=True):
            self._tokens.labels(model, purpose, kind).inc(number)

    def delivery(self, outcome: str, seconds: float) -> None:
        self._deliveries.labels(outcome).inc()
        self._delivery_seconds.observe(seconds)


class _Stored(Collector):
    """The metrics that are read from the database. ``read`` returns None if it does not answer."""

    def __init__(self, read: Callable[[], Gauges | None]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        found = self._read()
        for name, kinds in {DATABASE_UP: {"": float(found is not None)}, **(found or {})}.items():
            labels = () if "" in kinds else ("kind",)
            family = GaugeMetricFamily(name, GAUGES[name], labels=labels)
            for kind, value in kinds.items():
                family.add_metric((kind,) if labels else (), value)
            yield family


def serve(address: tuple[str, int], folder: Path, read: Callable[[], Gauges | None]) -> Thread:
    """Serve the metrics of a folder and of the database from a thread of this process; return it.

    Raises:
        OSError: the address cannot be used.
    """
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder))  # type: ignore[no-untyped-call]
    registry.register(_Stored(read))
    host, port = address
    _, thread = prometheus_client.start_http_server(port, host, registry)
    return thread
