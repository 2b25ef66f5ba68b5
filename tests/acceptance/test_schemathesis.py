"""schemathesis sends what docs/openapi.json allows, and what it does not, to the running service.

All of its checks run: no 5xx, no undocumented status, header or body, nothing valid refused and
nothing invalid accepted but as the body of a confirm.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from app.store import models
from tests.support.customers import Customer, new_customer
from tests.support.feeds import RunningFeed, new_feed
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, ScriptedModel
from tools.api import examples

HOOKS = Path(__file__).with_name("schemathesis_hooks.py")
SEED = "20261121"
SHORT_POST = {"keywords": ["tea"], "constraints": {"maxWords": 80}}
MANY = 10**9


@pytest.fixture
def service(model: ScriptedModel) -> Iterator[CopydeskService]:
    """One of its own: that of the other tests lets webhooks go to private addresses, and would be
    busy with the jobs for a while."""
    with ProcessGroup() as running:
        yield CopydeskService(running, model.url, "schema")


@pytest.mark.long
def test_no_answer_is_undocumented(service: CopydeskService, tmp_path: Path) -> None:
    customer = new_customer(
        service, "scale", monthly_words=MANY, requests_per_minute=MANY, requests_per_day=MANY
    )
    feed = _feed(service)
    config = tmp_path / "schemathesis.toml"
    config.write_text(_config(customer, feed))
    report = tmp_path / "report.json"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"),
            *("--phases", "examples,coverage,fuzzing,stateful"),
            *("--max-examples", "15", "--seed", SEED),
            # A machine that begins all other tests beside it is in no hurry.
            *("--request-timeout", "120", "--max-response-time", "120"),
            *("--suppress-health-check", "too_slow"),
            *("--report-json-path", str(report), "--warnings", "off"),
            f"{service.url}/v1/openapi.json",
        ],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    told = json.loads(report.read_text())
    assert told["complete"]
    assert told["operations"]["tested"] == told["operations"]["total"] == 11
    assert told["test_cases"]["generated"] >= 800
    # Otherwise the checks would have seen nothing but refusals.
    never_accepted = [
        operation
        for operation, rates in told["valid_rates"].items()
        if not any(phase["accepted"] for phase in rates.values())
    ]
    assert never_accepted == []


def _feed(service: CopydeskService) -> RunningFeed:
    """A feed with hundreds of items, whose posts have every field."""
    feed = new_feed(service)
    feed.add_items(feed.add_rule("Coffee"), 300)
    with service.engine.begin() as database:
        database.execute(update(models.FeedItem).values(post=examples.POST))
    return feed


def _config(customer: Customer, feed: RunningFeed) -> str:
    job = customer.create_job(generateRequest=SHORT_POST).json()["jobId"]
    customer.finished_job(job)
    items = [item["id"] for item in feed.items()["items"]]
    # Whatever becomes of the others, of these two one can be confirmed and one rejected again.
    assert feed.confirm(items[0]).ok
    assert feed.reject(items[1]).ok
    known = {"token_id": [feed.token], "jobId": [job], "item_id": items[:4]}
    lines = [
        f"hooks = {json.dumps(str(HOOKS))}",
        "continue-on-failure = true",
        "[headers]",
        f'Authorization = "Bearer {customer.api_key}"',
        # 422 is a verdict on the post, not on the request.
        "[checks.positive_data_acceptance]",
        'expected-statuses = ["2xx", "401", "403", "404", "409", "422", "429", "5xx"]',
        "[parameters]",
        *(f'{name} = {{ dictionary = "{name}", probability = 0.8 }}' for name in known),
        *(f"[dictionaries.{name}]\nvalues = {json.dumps(ids)}" for name, ids in known.items()),
        # A post has appeared: no body makes its confirm fail, not even one that is no JSON.
        "[[operations]]",
        'include-operation-id = "confirmItem"',
        'checks.negative_data_rejection.expected-statuses = ["2xx", "4xx", "5xx"]',
    ]
    return "\n".join(lines) + "\n"
