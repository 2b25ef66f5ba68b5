"""The metrics, their list in the documentation, and the dashboard and alerts made of them."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from click.testing import CliRunner
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families

from app import metrics
from app.cli import main
from app.metrics import DATABASE_UP, GAUGES, Gauges
from app.settings import Settings, SettingsError
from tests.support.startup import free_port

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
GUIDE = (ROOT / "docs/guides/watching.md").read_text()
ALERTS = [
    rule
    for group in yaml.safe_load((DOCKER / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((DOCKER / "grafana/dashboards/copydesk.json").read_text())
COMPOSE = yaml.safe_load((DOCKER / "compose.metrics.yaml").read_text())
# Prometheus's own, and what it adds to each series.
OTHERS, ADDED = {"up"}, {"job", "instance", "part", "le"}


class Described(NamedTuple):
    """A metric: its kind, its labels and what it tells."""

    kind: str
    labels: tuple[str, ...]
    tells: str


def declared() -> Iterator[tuple[str, Described]]:
    """Yield each metric with its name."""
    for each in vars(metrics).values():
        if isinstance(each, MetricWrapperBase):
            (family,) = each.describe()
            name = f"{family.name}_total" if family.type == "counter" else family.name
            yield name, Described(family.type, tuple(each._labelnames), family.documentation)
    for name, tells in GAUGES.items():
        yield name, Described("gauge", ("kind",) if ", by " in tells else (), tells)


METRICS = dict(declared())
STORED: Gauges = {
    name: {"job" if METRICS[name].labels else "": float(number)}
    for number, name in enumerate(GAUGES)
    if name != DATABASE_UP
}


def test_the_guide_lists_every_metric() -> None:
    rows = re.findall(r"^\| `(copydesk_\w+)` \| (\w+) \| ([^|]*) \| (.*) \|$", GUIDE, re.M)
    listed = {
        name: (kind, tuple(re.findall(r"`(\w+)`", labels)), tells)
        for name, kind, labels, tells in rows
    }
    assert listed == METRICS


def test_the_guide_says_what_to_do_about_every_alert() -> None:
    rows = re.findall(r"^\| `(Copydesk\w+)` \| (\w+) \|", GUIDE, re.M)
    assert dict(rows) == {rule["alert"]: rule["labels"]["severity"] for rule in ALERTS}


def named(expression: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each metric of an expression with the labels that it is narrowed by."""
    for name, labels in re.findall(r"\b(copydesk_\w+|up)\b(?:\{([^}]*)\})?", expression):
        yield name, set(re.findall(r"(\w+)\s*[=!]", labels))


def described(name: str) -> Described | None:
    return METRICS.get(name) or METRICS.get(re.sub(r"_(bucket|sum|count)$", "", name))


def problems(expression: str) -> list[str]:
    found = []
    known = set(ADDED)
    for name, narrowed in named(expression):
        metric = described(name)
        if metric is None and name not in OTHERS:
            found.append(f"there is no metric {name}")
        known |= set(metric.labels if metric else ())
        found += [f"{name} has no label {each}" for each in narrowed - known]
    for group in re.findall(r"\bby \(([^)]*)\)", expression):
        found += [f"no label {each}" for each in set(group.split(", ")) - known]
    return found


def expressions() -> Iterator[str]:
    for rule in ALERTS:
        yield rule["expr"]
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))


def test_alerts_and_dashboard_name_only_metrics_and_labels_that_exist() -> None:
    assert {problem for each in expressions() for problem in problems(each)} == set()


def test_every_metric_is_on_the_dashboard() -> None:
    shown = {described(name) for each in expressions() for name, _ in named(each)}
    assert shown >= set(METRICS.values())


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Prometheus's own tool; skip where it is missing, except in CI, which installs it."""
    program = shutil.which("promtool")
    if program is None:
        assert os.environ.get("CI") != "true", "promtool is missing: see .ci/packages"
        pytest.skip("promtool is missing: apt-get install prometheus")
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, timeout=60, cwd=DOCKER
    )


@pytest.mark.parametrize(
    "arguments",
    [("check", "rules", "alerts.yml"), ("check", "config", "prometheus.yml")],
    ids="-".join,
)
def test_prometheus_accepts_its_files(arguments: tuple[str, ...]) -> None:
    checked = promtool(*arguments)
    assert checked.returncode == 0, checked.stderr


def test_every_alert_fires_when_it_should() -> None:
    tested = promtool("test", "rules", "alerts.test.yml")
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_every_alert_is_tested_firing_and_silent() -> None:
    tests = [
        each
        for group in yaml.safe_load((DOCKER / "alerts.test.yml").read_text())["tests"]
        for each in group["alert_rule_test"]
    ]
    names = {rule["alert"] for rule in ALERTS}
    assert {each["alertname"] for each in tests if "exp_alerts" in each} == names
    assert {each["alertname"] for each in tests if "exp_alerts" not in each} == names


def test_prometheus_asks_the_address_that_the_containers_have() -> None:
    given = {
        each["environment"]["COPYDESK_METRICS_ADDRESS"]
        for each in COMPOSE["services"].values()
        if "COPYDESK_METRICS_ADDRESS" in each.get("environment", {})
    }
    (address,) = given
    _, port = Settings(metrics_address=address).metrics_host_and_port or ("", 0)
    (job,) = yaml.safe_load((DOCKER / "prometheus.yml").read_text())["scrape_configs"]
    targets = job["static_configs"][0]["targets"]
    workers = job["dns_sd_configs"][0]
    assert {*targets, f"{workers['names'][0]}:{workers['port']}"} == {
        f"{name}:{port}" for name in ("web", "worker", "scheduler")
    }


@pytest.mark.parametrize(
    ("given", "means"),
    [
        ("127.0.0.1:9464", ("127.0.0.1", 9464)),
        ("[::1]:65535", ("::1", 65535)),
        ("metrics.internal:1", ("metrics.internal", 1)),
    ],
)
def test_an_address_is_a_host_and_a_port(given: str, means: tuple[str, int]) -> None:
    settings = Settings.from_env({"COPYDESK_METRICS_ADDRESS": given})
    assert settings.metrics_host_and_port == means


@pytest.mark.parametrize(
    "wrong", ["9464", ":9464", "localhost", "::1:9464", "http://localhost:9464", "host:0",
              "host:65536", "host:9464/metrics"],
)  # fmt: skip
def test_any_other_address_stops_the_start(wrong: str) -> None:
    with pytest.raises(SettingsError, match="COPYDESK_METRICS_ADDRESS: must be a host and a port"):
        Settings.from_env({"COPYDESK_METRICS_ADDRESS": wrong})


def count(folder: Path, *calls: str) -> None:
    """Count in another process, which reads the folder's name when it loads the library."""
    program = "\n".join(["from app.metrics import *", *calls])
    env = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, cwd=ROOT, env=env)


def served(folder: Path, gauges: Gauges | None) -> dict[str, dict[str, float]]:
    """What Prometheus reads: each metric's samples by their labels."""
    port = free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROMETHEUS_MULTIPROC_DIR", str(folder))
        metrics.serve(("127.0.0.1", port), lambda: gauges)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    found: dict[str, dict[str, float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def test_each_event_is_counted_with_its_labels(tmp_path: Path) -> None:
    count(
        tmp_path,
        "count_request('POST', '/v1/jobs', 202, None, 0.2)",
        "count_request('BREW', 'unknown', 404, 'NOT_FOUND', 0.2)",
        "GENERATION_SECONDS.labels('SUCCEEDED').observe(42.0)",
        "count_verdict(passed=False, revisions=2, findings=[('heading_count', 'blocker')] * 2)",
        "count_model_call('small', 'draft', 'ANSWERED', 3.0, (100, 200))",
        "count_delivery('retried', 1.0)",
    )
    found = served(tmp_path, STORED)
    assert found["copydesk_http_requests_total"] == {
        "method=POST,route=/v1/jobs,status=2xx": 1,
        "method=other,route=unknown,status=4xx": 1,
    }
    assert found["copydesk_http_errors_total"] == {"code=INTERNAL_ERROR": 0, "code=NOT_FOUND": 1}
    assert found["copydesk_generation_seconds_bucket"]["le=30.0,outcome=SUCCEEDED"] == 0
    assert found["copydesk_generation_seconds_bucket"]["le=60.0,outcome=SUCCEEDED"] == 1
    assert found["copydesk_findings_total"] == {
        "check=heading_count,severity=blocker,verdict=refused": 2
    }
    assert found["copydesk_webhook_attempts_total"] == {
        "outcome=delivered": 0, "outcome=retried": 1, "outcome=given_up": 0,
    }  # fmt: skip
    assert {described(name) for name in found} == set(METRICS.values())
    assert found["copydesk_database_up"] == {"": 1}
    for name, values_of in STORED.items():
        assert found[name] == {
            f"kind={kind}" if kind else "": value for kind, value in values_of.items()
        }


def test_without_a_database_the_counts_are_served(tmp_path: Path) -> None:
    count(tmp_path, "GENERATION_SECONDS.labels('SUCCEEDED').observe(1.0)")
    found = served(tmp_path, None)
    assert found["copydesk_database_up"] == {"": 0}
    assert "copydesk_work_waiting" not in found
    assert found["copydesk_generation_seconds_count"] == {"outcome=SUCCEEDED": 1}


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("127.0.0.1:{taken}", "cannot be used. Each command needs a free address of its own"),
        ("no-such-host.invalid:9464", "cannot be used"),
    ],
)
def test_an_address_that_cannot_be_used_stops_the_start(address: str, says: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port, taken = free_port(), other.getsockname()[1]
        given = {
            "COPYDESK_METRICS_ADDRESS": address.format(port=port, taken=taken),
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        }
        started = CliRunner().invoke(main, ["web", "--port", str(port)], env=given)
    assert started.exit_code == 1
    assert says in started.stderr


def test_what_is_off_is_not_loaded() -> None:
    program = (
        "import sys; from app.container import build; from app.settings import Settings;"
        " build(Settings.from_env({}));"
        " print([name for name in ('prometheus_client', 'limits', 'httpcore2')"
        " if name in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    assert loaded.stdout == "[]\n", loaded.stderr
