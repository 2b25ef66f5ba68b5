"""Metrics for Prometheus. docs/guides/watching.md lists them; a test compares the two.

A command and all its processes count into files of one folder, by prometheus_client's multiprocess
mode. Unchanged, that mode keeps files for each process that ever counted. Here a process takes a
number that is free, so there are only as many files as processes at once, and a number's next owner
counts on from its last value.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from threading import Thread

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from app.core.billing.costs import MICROS
from app.core.errors import ServiceError
from app.ports import Metrics, StoredState

# prometheus_client reads its folder from this variable, at each first use of a file.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
# The upper bounds of the buckets, in seconds.
_REQUEST_SECONDS = (0.01, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0, 120.0, 300.0, 600.0)
_GENERATION_SECONDS = (5.0, 15.0, 30.0, 60.0, 120.0, 180.0, 240.0, 360.0, 540.0, 900.0)
_CALL_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)
_DELIVERY_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0)


class PrometheusMetrics(Metrics):
    """Counts into the files of a folder. Create at most one in a process.

    Args:
        folder: that of the command, which deletes it when it ends.
    """

    def __init__(self, folder: Path) -> None:
        os.environ[_FOLDER] = str(folder)
        values.ValueClass = values.MultiProcessValue(_Numbers(folder))  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        counter = partial(Counter, registry=registry)
        histogram = partial(Histogram, registry=registry)
        self._requests = counter(
            "copydesk_http_requests_total",
            "Requests, by method, route template and class of the status (2xx).",
            ("method", "route", "status"),
        )
        self._request_seconds = histogram(
            "copydesk_http_request_seconds",
            "Time from the request to its response, by route template.",
            ("route",),
            buckets=_REQUEST_SECONDS,
        )
        self._request_errors = counter(
            "copydesk_http_errors_total", "Responses with an error, by its code.", ("code",)
        )
        self._generation_seconds = histogram(
            "copydesk_generation_seconds",
            "Time that a post took, by outcome: SUCCEEDED, CANCELLED, RESTING or an error code.",
            ("outcome",),
            buckets=_GENERATION_SECONDS,
        )
        self._verdicts = counter(
            "copydesk_verdicts_total",
            "Posts that the checks passed or refused, by the number of revisions before.",
            ("verdict", "revisions"),
        )
        self._findings = counter(
            "copydesk_findings_total",
            "Findings in these posts when they passed or were refused, by check and severity.",
            ("verdict", "check", "severity"),
        )
        self._model_calls = counter(
            "copydesk_model_calls_total",
            "Calls to a model, retries included in one, by purpose and outcome: ANSWERED, REFUSED,"
            " CANCELLED, RESTING (not sent, because the endpoint failed too often) or an error"
            " code.",
            ("model", "purpose", "outcome"),
        )
        self._model_seconds = histogram(
            "copydesk_model_call_seconds",
            "Time that a call to a model took, waiting for a free place included.",
            ("model",),
            buckets=_CALL_SECONDS,
        )
        self._tokens = counter(
            "copydesk_model_tokens_total",
            "Tokens that the endpoint counted, by purpose and kind: prompt or completion.",
            ("model", "purpose", "kind"),
        )
        self._deliveries = counter(
            "copydesk_webhook_attempts_total",
            "Attempts to deliver a webhook, by outcome: delivered, retried or given_up.",
            ("outcome",),
        )
        self._delivery_seconds = histogram(
            "copydesk_webhook_attempt_seconds",
            "Time that an attempt to deliver a webhook took.",
            buckets=_DELIVERY_SECONDS,
        )
        # Alerts look for an increase, which the first of a series is only if it was 0 before.
        for outcome in ("delivered", "retried", "given_up"):
            self._deliveries.labels(outcome)
        self._request_errors.labels(ServiceError.code)

    def request(
        self, method: str, route: str, status: int, problem: str | None, seconds: float
    ) -> None:
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, f"{status // 100}xx").inc()
        self._request_seconds.labels(route).observe(seconds)
        if problem is not None:
            self._request_errors.labels(problem).inc()

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


class _Numbers:
    """The number of this process: the first that no running process has. A lock on a file holds
    it, which the system releases when the process ends in any way."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = 0
        self._file: int | None = None
        self._number = ""

    def __call__(self) -> str:
        # Called for each value that is counted.
        if self._process != os.getpid():
            self._take()
        return self._number

    def _take(self) -> None:
        if self._file is not None:
            os.close(self._file)  # the parent's: it keeps its lock
        number = 0
        while (file := self._locked(number)) is None:
            number += 1
        self._file, self._number, self._process = file, str(number), os.getpid()

    def _locked(self, number: int) -> int | None:
        path = self._folder / f"{number}.lock"
        file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        return file


class _Stored(Collector):
    """The metrics that are read from the database. ``read`` returns None if it does not answer."""

    def __init__(self, read: Callable[[], StoredState | None]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        state = self._read()
        yield GaugeMetricFamily(
            "copydesk_database_up", "1 if the database answers, otherwise 0.", state is not None
        )
        if state is None:
            return
        for name, tells, read in _GAUGES:
            found = read(state)
            if isinstance(found, Mapping):
                family = GaugeMetricFamily(name, tells, labels=("kind",))
                for kind, value in found.items():
                    family.add_metric((kind,), value)
                yield family
            elif found is not None:
                yield GaugeMetricFamily(name, tells, found)


# Each with what it tells, and its value: one for each kind, or one alone, or none.
_GAUGES: tuple[
    tuple[str, str, Callable[[StoredState], Mapping[str, float] | float | None]], ...
] = (
    (
        "copydesk_work_waiting",
        "Work that waits, by kind: job, run or webhook. Counts to 1,000.",
        lambda state: state.waiting,
    ),
    (
        "copydesk_work_oldest_seconds",
        "How long ago the oldest waiting work could have begun, by kind; 0 if none waits.",
        lambda state: state.oldest_seconds,
    ),
    (
        "copydesk_work_in_progress",
        "Work that workers hold, by kind.",
        lambda state: state.in_progress,
    ),
    (
        "copydesk_webhooks_given_up",
        "Webhooks that were given up and are still stored. Counts to 1,000.",
        lambda state: state.given_up_webhooks,
    ),
    (
        "copydesk_webhook_receivers_off",
        "Receivers that get no webhooks, because they failed for days. Counts to 1,000.",
        lambda state: state.receivers_off,
    ),
    (
        "copydesk_rules_late",
        "Rules that have been due for so long that no scheduler can be running. Counts to 1,000.",
        lambda state: state.late_rules,
    ),
    (
        "copydesk_rules_failing",
        "Rules whose last run failed. Counts to 1,000.",
        lambda state: state.failing_rules,
    ),
    (
        "copydesk_rules_saturated",
        "Rules that have nothing new to write. Counts to 1,000.",
        lambda state: state.saturated_rules,
    ),
    (
        "copydesk_month_cost_dollars",
        "US dollars that the calls to models of this month (UTC) cost. Calls of models without a"
        " price are not in it.",
        lambda state: state.month_micros / MICROS,
    ),
    (
        "copydesk_spend_caps_reached",
        "Spend caps of this month (UTC) that are reached, by what has the cap: installation,"
        " account or rule. Counts to 1,000.",
        lambda state: state.reached_caps,
    ),
    (
        "copydesk_model_endpoints_resting",
        "Model endpoints that this machine does not call now, because they failed too often.",
        lambda state: state.resting_endpoints,
    ),
    (
        "copydesk_backup_age_seconds",
        "The age of the newest backup in COPYDESK_BACKUP_DIR, +Inf if none can be seen there."
        " Missing without that setting.",
        lambda state: state.backup_seconds,
    ),
)


def serve(address: tuple[str, int], folder: Path, read: Callable[[], StoredState | None]) -> Thread:
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
