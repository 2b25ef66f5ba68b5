"""What owners read about their posts."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.cli import config, reports
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Delivery
from copydesk_connectors.target.base import Copy, CopyState
from copydesk_connectors.target.post import Post

from .feed_server import FakeFeed
from .items import Write, make_item
from .notebook import Notebook
from .passes import Passes

Table = Callable[..., str]
Pass = Callable[[Path], Outcome]


def add(feed: FakeFeed, *numbers: int) -> None:
    generated_at = datetime.now(UTC).isoformat()
    for number in numbers:
        item_id, slug = f"itm_{number}", f"post-{number}"
        feed.add(make_item(item_id, slug=slug, generated_at=generated_at))


def rows(file: Path) -> list[dict[str, Any]]:
    with Ledger.read(config.ledger_path(file)) as ledger:
        entries = [reports.entry_as_json(entry) for entry in reversed(ledger.newest(99))]
    return [dict(delivery) for entry in entries for delivery in entry["deliveries"]]


def deliveries(file: Path, item_id: str = "itm_1") -> tuple[Delivery, ...]:
    with Ledger.read(config.ledger_path(file)) as ledger:
        return ledger.entry(item_id).deliveries


def table(file: Path) -> list[str]:
    with Ledger.read(config.ledger_path(file)) as ledger:
        lines = reports.ledger_table(list(reversed(ledger.newest(99)))).splitlines()
    return [" ".join(line.split()) for line in lines[1:]]


@pytest.mark.parametrize(
    ("lines", "state", "said"),
    [
        (('status = "draft"',), "draft", "2 left as drafts"),
        (('status = "pending"',), "pending", "2 left for review"),
        (('status = "scheduled"', 'publish_after = "2h"'), "scheduled", "2 scheduled, the first"),
        ((), "live", "2 published and confirmed"),
    ],
)
@pytest.mark.parametrize("kind", ["wordpress", "ghost"])
def test_every_state_is_named(
    request: pytest.FixtureRequest,
    write_config: Write,
    one_pass: Pass,
    feed: FakeFeed,
    kind: str,
    lines: tuple[str, ...],
    state: str,
    said: str,
) -> None:
    """draft, pending, scheduled (when), live (URL) in the ledger, table, JSON and summary lines"""
    if kind == "ghost" and state == "pending":
        pytest.skip("Ghost has no posts for review")
    request.getfixturevalue(f"fake_{kind}")
    file = write_config(request.getfixturevalue(f"{kind}_target")(*lines))
    add(feed, 1, 2)
    outcome = one_pass(file)
    summary = reports.summary(outcome)
    assert any(line.startswith(said) for line in summary)
    assert summary[0] == ("2" if state == "live" else "0") + " published and confirmed"
    assert (outcome.confirmed, outcome.problems) == (2, [])
    for row, owed in zip(rows(file), deliveries(file) + deliveries(file, "itm_2"), strict=True):
        assert (row["state"], owed.shown) == (state, state)
        assert bool(row["url"]) == (state == "live")
        assert bool(row["scheduled_for"]) == (state == "scheduled")
        if state == "scheduled":
            due = datetime.fromisoformat(row["scheduled_for"])
            assert timedelta(hours=1, minutes=50) < due - datetime.now(UTC) <= timedelta(hours=2)
    assert all(f" blog {state} " in f"{line} " for line in table(file))


@pytest.mark.parametrize(
    ("status", "shown", "is_wrong"),
    [
        ("publish", CopyState.DRAFT, True),
        ("publish", CopyState.PENDING, True),
        ("publish", CopyState.WITHDRAWN, True),
        ("publish", CopyState.SCHEDULED, False),
        ("scheduled", CopyState.DRAFT, True),
        ("pending", CopyState.DRAFT, True),
        ("draft", CopyState.PUBLIC, True),
        ("draft", CopyState.DRAFT, False),
        ("", CopyState.DRAFT, False),
    ],
)
def test_a_state_that_was_not_configured_is_a_problem(
    passes: Passes, feed: FakeFeed, status: str, shown: CopyState, is_wrong: bool
) -> None:
    """`once` exits with 0 only if every target has every post in the state that you configured"""

    class Headstrong(Notebook):
        def publish(self, post: Post, remote_id: str) -> Copy:
            return replace(super().publish(post, remote_id), state=shown)

    add(feed, 1)
    notebook = Headstrong()
    notebook.status = status
    outcome = passes.once(notebook)
    assert (outcome.confirmed, outcome.unfinished) == (1, False)
    assert len(outcome.problems) == is_wrong
    for problem in outcome.problems:
        assert problem.startswith(f"itm_1 is {shown} on notebook, although the configuration has")
    assert passes.once(notebook).problems == []
