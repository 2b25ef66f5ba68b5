"""Metrics for Prometheus. docs/guides/watching.md lists them; a test compares the two.

A command whose metrics are served names a folder in the variable PROMETHEUS_MULTIPROC_DIR before it
loads this module: all its processes count into the files of that folder. Otherwise each process
counts for itself, and nobody asks.

No label comes from a customer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from app.core.errors import ServiceError

Gauges = Mapping[str, Mapping[str, float]]
"""What is read when the metrics are asked for: values by metric and label, "" for one without."""

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

HTTP_REQUESTS = Counter(
    "copydesk_http_requests_total",
    "Requests, by method, route template and class of the status (2xx).",
    ["method", "route", "status"],
)
HTTP_SECONDS = Histogram(
    "copydesk_http_request_seconds",
    "Time from the request to its response, by route template.",
    ["route"],
    buckets=(0.01, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0, 120.0, 300.0, 600.0),
)
HTTP_ERRORS = Counter(
    "copydesk_http_errors_total", "Responses with an error, by its code.", ["code"]
)
GENERATION_SECONDS = Histogram(
    "copydesk_generation_seconds",
    "Time that a post took, by outcome: SUCCEEDED, CANCELLED, RESTING or an error code.",
    ["outcome"],
    buckets=(5.0, 15.0, 30.0, 60.0, 120.0, 180.0, 240.0, 360.0, 540.0, 900.0),
)
VERDICTS = Counter(
    "copydesk_verdicts_total",
    "Posts that the checks passed or refused, by the number of revisions before.",
    ["verdict", "revisions"],
)
FINDINGS = Counter(
    "copydesk_findings_total",
    "Findings in these posts when they passed or were refused, by check and severity.",
    ["verdict", "check", "severity"],
)
MODEL_CALLS = Counter(
    "copydesk_model_calls_total",
    "Calls to a model, retries included in one, by purpose and outcome: ANSWERED, REFUSED,"
    " CANCELLED, RESTING (not sent, because the endpoint failed too often) or an error code.",
    ["model", "purpose", "outcome"],
)
MODEL_SECONDS = Histogram(
    "copydesk_model_call_seconds",
    "Time that a call to a model took, waiting for a free place included.",
    ["model"],
    buckets=(0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0),
)
MODEL_TOKENS = Counter(
    "copydesk_model_tokens_total",
    "Tokens that the endpoint counted, by purpose and kind: prompt or completion.",
    ["model", "purpose", "kind"],
)
WEBHOOKS = Counter(
    "copydesk_webhook_attempts_total",
    "Attempts to deliver a webhook, by outcome: delivered, retried or given_up.",
    ["outcome"],
)
WEBHOOK_SECONDS = Histogram(
    "copydesk_webhook_attempt_seconds",
    "Time that an attempt to deliver a webhook took.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0),
)
# Alerts look for an increase, which the first of a series is only if it was 0 before.
for _outcome in ("delivered", "retried", "given_up"):
    WEBHOOKS.labels(_outcome)
HTTP_ERRORS.labels(ServiceError.code)

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


def count_request(
    method: str, route: str, status: int, problem: str | None, seconds: float
) -> None:
    """Count a request that got its answer; ``problem`` is the code of its error."""
    known = method if method in _METHODS else "other"
    HTTP_REQUESTS.labels(known, route, f"{status // 100}xx").inc()
    HTTP_SECONDS.labels(route).observe(seconds)
    if problem is not None:
        HTTP_ERRORS.labels(problem).inc()


def count_verdict(*, passed: bool, revisions: int, findings: Iterable[tuple[str, str]]) -> None:
    """Count the verdict on a post; each finding is the name of its rule and its severity."""
    verdict = "passed" if passed else "refused"
    VERDICTS.labels(verdict, str(revisions)).inc()
    for check, severity in findings:
        FINDINGS.labels(verdict, check, severity).inc()


def count_model_call(
    model: str, purpose: str, outcome: str, seconds: float, tokens: tuple[int, int]
) -> None:
    """Count a call to a model, with the tokens of its prompt and of its answer."""
    MODEL_CALLS.labels(model, purpose, outcome).inc()
    MODEL_SECONDS.labels(model).observe(seconds)
    for kind, number in zip(("prompt", "completion"), tokens, strict=True):
        MODEL_TOKENS.labels(model, purpose, kind).inc(number)


def count_delivery(outcome: str, seconds: float) -> None:
    """Count an attempt to deliver a webhook."""
    WEBHOOKS.labels(outcome).inc()
    WEBHOOK_SECONDS.observe(seconds)


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


def serve(address: tuple[str, int], read: Callable[[], Gauges | None]) -> None:
    """Serve the metrics of this command and of the database from a thread of this process.

    Raises:
        OSError: the address cannot be used.
    """
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(_Stored(read))
    host, port = address
    start_http_server(port, host, registry)
