"""The commands."""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from copydesk_connectors.cli import cli, config
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.poller import Stop
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .feed_server import FakeFeed
from .items import PAGES, Write, entry, make_item, publish_in
from .terminal import Terminal

PAGE = "descale-espresso-machine.md"


def connect(
    *arguments: object, folder: Path | None = None, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run copydesk-connect to its end in this process, in a folder and without a terminal.

    No secret may ever be in what it says.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder or Path.cwd())
        # Signals and the handlers of the log are this process's own.
        patch.setattr(Stop, "listen", lambda self: None)
        patch.setattr(logging.root, "handlers", [])
        words = [str(argument) for argument in arguments]
        done = CliRunner().invoke(cli, words, env=environment, prog_name="copydesk-connect")
    assert "secretsecret" not in done.output
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def test_once_publishes_confirms_and_ends_with_0(
    write_config: Write, feed: FakeFeed, tmp_path: Path
) -> None:
    """The exit code is 0 only if every pulled item is published and confirmed."""
    feed.add(make_item())
    done = connect("once", "--config", write_config(PAGES))
    assert done.returncode == 0
    assert done.stdout == "1 published and confirmed\n"
    page = tmp_path / "public" / PAGE
    said = [line.split(" ", 1)[1] for line in done.stderr.splitlines()]
    assert said == [
        "itm_1: received (delivery 1 of 3)",
        f"itm_1 pages: published {page.as_uri()}",
        "itm_1: confirmed",
    ]


def test_once_ends_with_1_and_the_reason(
    write_config: Write, feed: FakeFeed, tmp_path: Path
) -> None:
    """1 otherwise with the reason; what is only a warning is in the log"""
    feed.add(make_item(rendered={}))
    file = write_config(PAGES)
    file.chmod(0o640)
    done = connect("once", "--config", file)
    assert done.returncode == 1
    assert f"run chmod 600 {file}" in done.stderr
    assert done.stdout.splitlines() == [
        "0 published and confirmed",
        "not done: itm_1 was rejected: the feed's item has no text under html",
    ]


def test_a_feed_that_is_down_or_does_not_know_the_token(
    write_config: Write, feed: FakeFeed
) -> None:
    """Unknown token: error body with code NOT_FOUND"""
    unknown = feed.url.replace("/tok_", "/other_")
    done = connect("once", "--config", write_config(PAGES, url=unknown))
    assert done.returncode == 1
    assert "it does not know this token. To fix it: put the current feed URL" in done.stdout
    closed = "http://127.0.0.1:9/v1/content-tokens/tok_secretsecret/latest"
    done = connect("once", "--config", write_config(PAGES, url=closed))
    assert done.returncode == 1
    assert "the feed: cannot reach http://127.0.0.1:9: Connection refused" in done.stdout
    assert done.stdout.endswith("\nnothing is lost: the next pass continues from here\n")
    feed.failing.add("HEAD")
    done = connect("once", "--config", write_config(PAGES))
    assert "current feed URL" not in done.stdout, "it is the feed's to repair"


def test_check_says_what_is_right_and_what_is_wrong(
    write_config: Write, feed: FakeFeed, tmp_path: Path
) -> None:
    """feed reachable WITHOUT claiming; writable folder; each finding with how to fix it"""
    feed.add(make_item())
    file = write_config(PAGES)
    done = connect("check", "--config", file)
    assert done.returncode == 0
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "ok      feed",
        "ok      ledger",
        "ok      pages",
    ]
    assert feed.states() == {"itm_1": "pending"}
    file.chmod(0o644)
    (tmp_path / "public").write_text("in the way")
    done = connect("check", "--config", file)
    assert done.returncode == 1
    assert "WARNING configuration: " in done.stdout
    assert "        to fix it: give the path of a folder" in done.stdout
    findings = json.loads(connect("check", "--json", "--config", file).stdout)
    assert [finding["level"] for finding in findings] == ["warning", "ok", "ok", "problem"]


def test_status_shows_the_ledger(write_config: Write, feed: FakeFeed, tmp_path: Path) -> None:
    """status (the ledger as a table; --json)"""
    file = write_config(PAGES + '[[target]]\ntype = "markdown"\npath = "content"\n')
    done = connect("status", "--config", file)
    assert done.returncode == 1
    assert "nothing was received so far" in done.stderr
    feed.add(make_item(title="A title that is longer than what fits into a column"))
    connect("once", "--config", file)
    # It needs no secret, so that it works where the feed's variable is not set.
    file.write_text(file.read_text().replace("url =", "url_env ="))
    head, first, second = connect("status", "--config", file).stdout.splitlines()
    assert " ".join(head.split()) == "RECEIVED ITEM TITLE STATE TARGET THERE URL OR REASON"
    assert "itm_1  A title that is longer than what fits i…  confirmed  markdown" in first
    assert first.split()[-2:] == ["live", (tmp_path / "content" / PAGE).as_uri()]
    assert second.split()[:2] == ["pages", "live"]
    (entry,) = json.loads(connect("status", "--json", "--config", file).stdout)
    assert (entry["item_id"], entry["state"], entry["delivery_count"]) == ("itm_1", "confirmed", 1)
    assert [delivery["target"] for delivery in entry["deliveries"]] == ["markdown", "pages"]
    assert {delivery["state"] for delivery in entry["deliveries"]} == {"live"}
    assert "raw" not in entry


@contextmanager
def running(file: Path) -> "Iterator[subprocess.Popen[str]]":
    """``run`` in the background, with its log to read from; killed where it did not end."""
    with subprocess.Popen(
        [sys.executable, "-m", "copydesk_connectors", "run", "--config", str(file)],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_run_works_until_it_is_told_to_end(
    write_config: Write, feed: FakeFeed, number: signal.Signals
) -> None:
    """run: poll … SIGTERM ends cleanly between steps"""
    feed.add(make_item())
    with running(write_config(PAGES)) as process:
        assert process.stderr is not None
        lines = [next(process.stderr) for _ in range(4)]
        assert lines[2].endswith("itm_1: confirmed\n")
        assert " next pass in 9" in lines[3]
        os.kill(process.pid, number)
        assert process.stderr.read().endswith(" stopped as requested\n")
        assert process.wait() == 0
    assert feed.states() == {"itm_1": "used"}


@pytest.fixture
def file(write_config: Write) -> Path:
    """A configuration whose ledger holds one item in each of several states."""
    file = write_config(PAGES)
    with Ledger.open(config.ledger_path(file)) as ledger:
        for number in range(1, 5):
            ledger.receive(f"itm_{number}", make_item(f"itm_{number}", slug=f"post-{number}"), 1)
            ledger.owe(f"itm_{number}", ["pages", "old"])
        for target in ("pages", "old"):
            ledger.move_delivery("itm_1", target, DeliveryState.REFUSED, reason="too long")
        ledger.move_item("itm_1", ItemState.REJECTING, reason="too long")
        ledger.move_item("itm_1", ItemState.REJECTED, reason="too long")
        publish_in(ledger, "itm_2", "pages", "https://a.example/2")
        ledger.move_delivery("itm_2", "old", DeliveryState.PARKED, reason="parked after …")
        ledger.move_item("itm_2", ItemState.CONFIRMING)
        ledger.move_item("itm_2", ItemState.CONFIRMED)
        ledger.move_delivery("itm_3", "pages", DeliveryState.PUBLISHING, remote_id="77")
        ledger.note_failure("itm_3", "old", "no answer", target_ready=True)
    return file


def test_retry_takes_up_one_item_or_all(file: Path, feed: FakeFeed) -> None:
    """`retry`: brings what is parked or refused back, and says what the feed makes of it"""
    done = connect("retry", "--config", file)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "itm_1 will be retried on old, pages; the feed counts it as rejected, even once it is "
        "published",
        "itm_2 will be retried on old; the feed already counts it as used",
        "the next `copydesk-connect once` or `run` publishes it",
    ]
    assert entry(file, "itm_1").state is ItemState.OPEN
    states = {d.target: d.state for d in entry(file, "itm_2").deliveries}
    assert states == {"pages": DeliveryState.PUBLISHED, "old": DeliveryState.RECEIVED}
    assert connect("retry", "--config", file).stdout == "nothing is refused or parked\n"
    assert feed.calls == []


def test_what_its_owner_took_away_is_taken_up_where_it_is_named(file: Path) -> None:
    """`copydesk-connect retry ITEM` brings it back"""
    with Ledger.open(config.ledger_path(file)) as ledger:
        ledger.move_delivery("itm_4", "pages", DeliveryState.WITHDRAWN)
        ledger.move_delivery("itm_4", "old", DeliveryState.PARKED, reason="parked after …")
        ledger.move_item("itm_4", ItemState.CONFIRMING)
        ledger.move_item("itm_4", ItemState.CONFIRMED)
    # What no target ever took comes first: who retries that does not mean the other.
    for taken_up in ("old", "pages"):
        done = connect("retry", "itm_4", "--config", file)
        assert done.stdout.startswith(
            f"itm_4 will be retried on {taken_up}; the feed already counts"
        )
    assert {d.state for d in entry(file, "itm_4").deliveries} == {DeliveryState.RECEIVED}


def test_status_says_that_it_can_be_taken_up_again(file: Path) -> None:
    """is visible in `status`"""
    *rows, hint, old, pages = connect("status", "--config", file).stdout.splitlines()
    assert hint == "to retry a refused or parked item: copydesk-connect retry ITEM"
    assert pages.startswith("2 posts wait for pages, the oldest since ")
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
