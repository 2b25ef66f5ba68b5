"""retry and forget."""

from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .feed_server import FakeFeed
from .items import PAGES, Write, entry, make_item, publish_in
from .terminal import Terminal
from .test_cli import connect


@pytest.fixture
def file(write_config: Write) -> Path:
    """A configuration whose ledger holds one item in each of several states."""
    file = write_config(PAGES)
    with Ledger.open(config.ledger_path(file)) as ledger:
        for number in range(1, 5):
            ledger.receive(f"itm_{number}", make_item(f"itm_{number}", slug=f"post-{number}"), 1)
            ledger.owe(f"itm_{number}", ["html", "old"])
        for target in ("html", "old"):
            ledger.move_delivery("itm_1", target, DeliveryState.REFUSED, reason="too long")
        ledger.move_item("itm_1", ItemState.REJECTING, reason="too long")
        ledger.move_item("itm_1", ItemState.REJECTED, reason="too long")
        publish_in(ledger, "itm_2", "html", "https://a.example/2")
        ledger.move_delivery("itm_2", "old", DeliveryState.PARKED, reason="parked after …")
        ledger.move_item("itm_2", ItemState.CONFIRMING)
        ledger.move_item("itm_2", ItemState.CONFIRMED)
        ledger.move_delivery("itm_3", "html", DeliveryState.PUBLISHING, remote_id="77")
        ledger.note_failure("itm_3", "old", "no answer", target_ready=True)
    return file


def test_retry_takes_up_one_item_or_all(file: Path, feed: FakeFeed) -> None:
    """`retry`: brings what is parked or refused back, and says what the feed makes of it"""
    done = connect("retry", "--config", file)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "itm_1 will be retried on html, old; the feed counts it as rejected, even once it is "
        "published",
        "itm_2 will be retried on old; the feed already counts it as used",
        "the next `copydesk-connect once` or `run` publishes it",
    ]
    assert entry(file, "itm_1").state is ItemState.OPEN
    states = {d.target: d.state for d in entry(file, "itm_2").deliveries}
    assert states == {"html": DeliveryState.PUBLISHED, "old": DeliveryState.RECEIVED}
    assert connect("retry", "--config", file).stdout == "nothing is refused or parked\n"
    assert feed.calls == []


def test_what_its_owner_took_away_is_taken_up_where_it_is_named(file: Path) -> None:
    """`copydesk-connect retry ITEM` brings it back"""
    with Ledger.open(config.ledger_path(file)) as ledger:
        ledger.move_delivery("itm_4", "html", DeliveryState.WITHDRAWN)
        ledger.move_delivery("itm_4", "old", DeliveryState.PARKED, reason="parked after …")
        ledger.move_item("itm_4", ItemState.CONFIRMING)
        ledger.move_item("itm_4", ItemState.CONFIRMED)
    # What no target ever took comes first: who retries that does not mean the other.
    for taken_up in ("old", "html"):
        done = connect("retry", "itm_4", "--config", file)
        assert done.stdout.startswith(
            f"itm_4 will be retried on {taken_up}; the feed already counts"
        )
    assert {d.state for d in entry(file, "itm_4").deliveries} == {DeliveryState.RECEIVED}


def test_status_says_that_it_can_be_taken_up_again(file: Path) -> None:
    """is visible in `status`"""
    *rows, hint, html, old = connect("status", "--config", file).stdout.splitlines()
    assert hint == "to retry a refused or parked item: copydesk-connect retry ITEM"
    assert html.startswith("2 posts wait for html, the oldest since ")
    assert old.startswith("2 posts wait for old, the oldest since ")
    assert (
        f"{old}; the configuration has no such target" in connect("check", "--config", file).stdout
    )
    assert any(row.split()[-5:] == ["old", "parked", "parked", "after", "…"] for row in rows)


def test_forget_asks_and_ends_it(file: Path, tmp_path: Path) -> None:
    """forget ends an item in the ledger after asking"""
    before = entry(file, "itm_3")
    for answer in ("n", "y"):
        assert entry(file, "itm_3") == before
        with Terminal(tmp_path, "forget", "itm_3") as terminal:
            terminal.read_until("Forget itm_3?")
            terminal.answer(answer)
            assert terminal.ends_with() == (answer == "n")
    ended = entry(file, "itm_3")
    assert ended.state is ItemState.FORGOTTEN
    assert {d.state for d in ended.deliveries} == {DeliveryState.PARKED}
    assert connect("forget", "itm_4", "--yes", "--config", file).returncode == 0
    assert entry(file, "itm_4").state is ItemState.FORGOTTEN
    # Without a terminal nobody can say yes.
    assert connect("retry", "itm_4", "--config", file).returncode == 0
    assert connect("forget", "itm_4", "--config", file).returncode == 1
    assert entry(file, "itm_4").state is ItemState.OPEN


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "retry nowhere",
            "the ledger has no item nowhere; to list its items: copydesk-connect status",
        ),
        ("forget nowhere --yes", "the ledger has no item nowhere"),
        (
            "retry itm_3",
            "itm_3 has nothing to retry: it was not refused, parked or removed anywhere; it is op",
        ),
        ("forget itm_2 --yes", "itm_2 has already ended: it is confirmed"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(file: Path, command: str, said: str) -> None:
    """Bad input gets one clear error"""
    done = connect(*command.split(), "--config", file)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_a_ledger_none_is_made(write_config: Write, tmp_path: Path) -> None:
    """Bad input gets one clear error"""
    done = connect("retry", "--config", write_config(PAGES))
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was received so far" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["copydesk.toml"]
