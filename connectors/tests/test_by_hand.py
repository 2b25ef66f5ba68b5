"""retry and forget, each time as a process of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from copydesk_connectors import config
from copydesk_connectors.ledger import Entry, Ledger
from copydesk_connectors.states import Delivery, DeliveryEvent, Item, ItemEvent

from .feed_server import FakeFeed
from .items import make_item
from .terminal import Terminal
from .test_cli import connect

Write = Callable[..., Path]
HTML = '[[target]]\ntype = "html"\npath = "public"\n'


@pytest.fixture
def file(write_config: Write) -> Path:
    """A configuration whose ledger holds one item in each of several states."""
    file = write_config(HTML)
    with Ledger.open(config.ledger_path(file)) as ledger:
        for number in range(1, 5):
            ledger.receive(f"itm_{number}", make_item(f"itm_{number}", slug=f"post-{number}"), 1)
            ledger.owe(f"itm_{number}", ["html", "old"])
        for target in ("html", "old"):
            ledger.move_delivery("itm_1", target, DeliveryEvent.TURNED_DOWN, reason="too long")
        ledger.move_item("itm_1", ItemEvent.REJECT_BEGUN, reason="too long")
        ledger.move_item("itm_1", ItemEvent.REJECT_ACCEPTED, reason="too long")
        ledger.move_delivery("itm_2", "html", DeliveryEvent.PUT_UP, url="https://a.example/2")
        ledger.move_delivery("itm_2", "old", DeliveryEvent.GIVEN_UP, reason="set aside after …")
        ledger.move_item("itm_2", ItemEvent.CONFIRM_BEGUN)
        ledger.move_item("itm_2", ItemEvent.CONFIRM_ACCEPTED)
        ledger.move_delivery("itm_3", "html", DeliveryEvent.DRAFT_MADE, remote_id="77")
        ledger.note_failure("itm_3", "old", "no answer", target_ready=True)
    return file


def entry(file: Path, item_id: str) -> Entry:
    with Ledger.read(config.ledger_path(file)) as ledger:
        return ledger.entry(item_id)


def test_retry_takes_up_one_item_or_all(file: Path, feed: FakeFeed) -> None:
    """`retry`: brings what is set aside or refused back, and says what the feed makes of it"""
    before = entry(file, "itm_1")
    done = connect("retry", "itm_1", "--dry-run", "--config", file)
    assert done.stdout == (
        "itm_1 would be tried again on html, old; the feed counts it as rejected and goes on doing "
        "so, also once it is published\n"
    )
    assert entry(file, "itm_1") == before
    done = connect("retry", "--config", file)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "itm_1 is tried again on html, old; the feed counts it as rejected and goes on doing so, "
        "also once it is published",
        "itm_2 is tried again on old; the feed counts it as used already, and goes on doing so",
        "the next `copydesk-connect once` or `run` does it",
    ]
    assert entry(file, "itm_1").state is Item.OPEN
    states = {d.target: d.state for d in entry(file, "itm_2").deliveries}
    assert states == {"html": Delivery.PUBLISHED, "old": Delivery.RECEIVED}
    assert connect("retry", "--config", file).stdout == "nothing was refused or set aside\n"
    assert feed.calls == []


def test_status_says_that_it_can_be_taken_up_again(file: Path) -> None:
    """is visible in `status`"""
    *rows, last = connect("status", "--config", file).stdout.splitlines()
    assert last == "`copydesk-connect retry ITEM` takes up again what was refused or set aside"
    assert any(" old " in row and " set aside  set aside after …" in row for row in rows)


def test_forget_says_what_is_known_asks_and_ends_it(file: Path, tmp_path: Path) -> None:
    """forget ends an item in the ledger after saying what is known … and asking"""
    before = entry(file, "itm_3")
    said = ["itm_3 may be on html, as a draft or in public, 77", "itm_3 is not on old: no answer"]
    done = connect("forget", "itm_3", "--dry-run", "--config", file)
    assert done.stdout.splitlines()[:2] == said
    for answer in ("n", "y"):
        assert entry(file, "itm_3") == before
        with Terminal(tmp_path, "forget", "itm_3") as terminal:
            shown = terminal.read_until("Forget itm_3?")
            assert shown.splitlines()[:2] == said
            terminal.answer(answer)
            assert terminal.ends_with() == (answer == "n")
    ended = entry(file, "itm_3")
    assert ended.state is Item.FORGOTTEN
    assert {d.state for d in ended.deliveries} == {Delivery.SET_ASIDE}
    assert connect("forget", "itm_4", "--yes", "--config", file).returncode == 0
    assert entry(file, "itm_4").state is Item.FORGOTTEN
    # Without a terminal nobody can say yes.
    assert connect("retry", "itm_4", "--config", file).returncode == 0
    assert connect("forget", "itm_4", "--config", file).returncode == 1
    assert entry(file, "itm_4").state is Item.OPEN


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("retry nowhere", "the ledger has no item nowhere; `copydesk-connect status --last 1000`"),
        ("forget nowhere --yes", "the ledger has no item nowhere"),
        ("retry itm_3", "no target refused itm_3 and it was set aside on none; it is open"),
        ("forget itm_2 --yes", "itm_2 has ended already, it is confirmed: nothing waits"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(file: Path, command: str, said: str) -> None:
    """Bad input gets one clear error"""
    done = connect(*command.split(), "--config", file)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_both_refuse_while_another_process_writes_the_ledger(file: Path) -> None:
    """One writer per ledger"""
    with Ledger.open(config.ledger_path(file)):
        for command in ("retry", "retry itm_1", "forget itm_3 --yes"):
            done = connect(*command.split(), "--config", file)
            assert done.returncode == 1
            assert "another copydesk-connect is working with the ledger" in done.stderr
        assert connect("retry", "--dry-run", "--config", file).returncode == 0
    assert entry(file, "itm_3").state is Item.OPEN


def test_without_a_ledger_none_is_made(write_config: Write, tmp_path: Path) -> None:
    """Bad input gets one clear error"""
    done = connect("retry", "--config", write_config(HTML))
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was received so far" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["copydesk.toml"]
