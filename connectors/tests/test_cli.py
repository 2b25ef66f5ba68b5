"""The command."""

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

from copydesk_connectors.cli import cli
from copydesk_connectors.engine.poller import Stop

from .feed_server import FakeFeed
from .items import PAGES, Write, make_item

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
    """1 otherwise with the reason"""
    feed.add(make_item(rendered={}))
    done = connect("once", "--config", write_config(PAGES))
    assert done.returncode == 1
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
    assert head.split() == [
        "RECEIVED",
        "ITEM",
        "TITLE",
        "STATE",
        "TARGET",
        "THERE",
        "URL",
        "OR",
        "REASON",
    ]
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
