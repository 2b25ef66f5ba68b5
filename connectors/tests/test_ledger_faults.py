"""A ledger that cannot be written: nothing is pulled, nothing is lost, and the cause is named."""

import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from copydesk_connectors.cli import config
from copydesk_connectors.cli.commands import cli
from copydesk_connectors.engine import ledger_file
from copydesk_connectors.engine.courier import Courier
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.poller import Stop
from copydesk_connectors.target.errors import LedgerError
from copydesk_connectors.target.post import Post

from .feed_server import FakeFeed
from .items import PAGES, Write, make_item
from .notebook import Notebook
from .passes import add

HELD = "another program holds the ledger"


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_file, "_BUSY_S", 0.02)


@contextmanager
def held(path: Path, *statements: str) -> Iterator[sqlite3.Connection]:
    """Another program in the middle of a change."""
    with closing(sqlite3.connect(path, timeout=0.02, isolation_level=None)) as other:
        for statement in statements:
            other.execute(statement)
        yield other


@contextmanager
def courier(file: Path, notebook: Notebook) -> Iterator[Courier]:
    """What ``run`` keeps between its passes."""
    loaded = config.load(file)
    with Ledger.open(loaded.ledger) as ledger:
        yield Courier([FeedClient(loaded.feeds[0])], ledger, [notebook], parallel=4)


def sends(feed: FakeFeed) -> list[int]:
    return [item.sends for item in feed.items]


def test_a_held_ledger_costs_no_send_and_run_goes_on_when_it_is_free(
    write_config: Write, feed: FakeFeed
) -> None:
    """An item is abandoned after 3 sends, so nothing is pulled that cannot be recorded."""
    add(feed, 1, 2)
    file, notebook = write_config(PAGES), Notebook()
    with courier(file, notebook) as running:
        with held(config.ledger_path(file), "BEGIN IMMEDIATE"):
            for _ in range(4):
                outcome = running.once()
                (problem,) = outcome.problems
                assert problem.startswith(HELD)
                assert outcome.unfinished
        assert (sends(feed), notebook.calls) == ([0, 0], [])
        assert running.once().confirmed == 2
    assert sends(feed) == [1, 1]


@pytest.mark.parametrize(
    "statements",
    [
        ["BEGIN IMMEDIATE"],
        ["BEGIN IMMEDIATE", "UPDATE items SET reason = 'edited by hand'"],
        ["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "DELETE FROM items"],
    ],
)
def test_once_says_in_one_sentence_who_holds_the_ledger(
    write_config: Write,
    feed: FakeFeed,
    monkeypatch: pytest.MonkeyPatch,
    statements: list[str],
) -> None:
    """Exit codes: 0 success, 1 failure (the reason is printed)"""
    monkeypatch.setattr(Stop, "listen", lambda self: None)
    add(feed, 1)
    file = write_config(PAGES)
    Ledger.open(config.ledger_path(file)).close()
    with held(config.ledger_path(file), *statements):
        for command in ("once", "check"):
            done = CliRunner().invoke(cli, [command, "--config", str(file)])
            assert done.exit_code == 1
            assert done.output.count(HELD) >= 1
            assert "internal error" not in done.output
    assert sends(feed) == [0]
    done = CliRunner().invoke(cli, ["once", "--config", str(file)])
    assert (done.exit_code, sends(feed)) == (0, [1])


def test_no_other_program_can_write_between_the_pull_and_the_record(
    write_config: Write, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(feed, 1)
    file, refused = write_config(PAGES), []
    answer = feed.answer

    def pulled(method: str, path: str, query: dict[str, list[str]]) -> object:
        if method == "GET":
            try:
                with held(config.ledger_path(file), "BEGIN IMMEDIATE"):
                    pass
            except sqlite3.OperationalError as error:
                refused.append(str(error))
        return answer(method, path, query)

    monkeypatch.setattr(feed, "answer", pulled)
    with courier(file, Notebook()) as running:
        assert running.once().confirmed == 1
    assert set(refused) == {"database is locked"}


def test_a_ledger_that_is_held_between_two_steps_goes_on_with_the_next(
    write_config: Write, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process or the machine dies: the post appears once."""
    add(feed, 1)
    file, notebook = write_config(PAGES), Notebook()
    with courier(file, notebook) as running:
        for step in ("draft", "publish"):
            original = getattr(notebook, step)
            with closing(sqlite3.connect(config.ledger_path(file), isolation_level=None)) as other:

                def and_lock(post: Post, *more: str) -> object:
                    made = original(post, *more)  # noqa: B023
                    other.execute("BEGIN IMMEDIATE")
                    return made

                monkeypatch.setattr(notebook, step, and_lock)
                (problem,) = running.once().problems
                assert problem.startswith(HELD)
            monkeypatch.setattr(notebook, step, original)
        assert feed.states() == {"itm_1": "reserved"}
        assert running.once().confirmed == 1
    assert sends(feed) == [1]
    assert [step for step, _ in notebook.calls].count("publish") == 2


def test_a_folder_that_is_moved_away_costs_no_send(
    write_config: Write, feed: FakeFeed, tmp_path: Path
) -> None:
    add(feed, 1)
    (tmp_path / "state").mkdir()
    file, notebook = write_config(f'{PAGES}[ledger]\npath = "state/ledger"\n'), Notebook()
    with courier(file, notebook) as running:
        (tmp_path / "state").rename(tmp_path / "elsewhere")
        for _ in range(4):
            (problem,) = running.once().problems
            assert "was moved or deleted while it was in use" in problem
        assert sends(feed) == [0]
        (tmp_path / "elsewhere").rename(tmp_path / "state")
        assert running.once().confirmed == 1


def test_a_lock_that_is_deleted_lets_only_the_second_connector_pull(
    write_config: Write, feed: FakeFeed, tmp_path: Path
) -> None:
    """A second connector on the same ledger refuses to start."""
    add(feed, 1)
    file = write_config(PAGES)
    with courier(file, Notebook()) as first:
        (tmp_path / "copydesk-ledger.sqlite3.lock").unlink()
        with courier(file, Notebook()) as second:
            (problem,) = first.once().problems
            assert "or its .lock was moved or deleted" in problem
            assert sends(feed) == [0]
            assert second.once().confirmed == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_IOERR_LOCK, "keep it on a local disk"),
        (sqlite3.SQLITE_IOERR_SHMMAP, "keep it on a local disk"),
        (sqlite3.SQLITE_IOERR_WRITE, "free space on its disk"),
        (sqlite3.SQLITE_CANTOPEN, "room for new files"),
    ],
)
def test_the_remedy_fits_the_cause(tmp_path: Path, code: int, said: str) -> None:
    """The pass ends with a sentence that names the cause"""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    with pytest.raises(LedgerError, match=said), ledger_file.as_ledger_errors(tmp_path):
        raise error


@pytest.mark.parametrize("limit", [40_000, 1_000_000])
def test_a_disk_without_room_costs_no_send(write_config: Write, feed: FakeFeed, limit: int) -> None:
    """Simulated by a limit on file sizes; the post itself is larger than the room left."""
    text = "<p>beds</p>" * (limit // 11)
    feed.add(make_item(rendered={"html": text, "markdown": "beds"}))
    file = write_config(PAGES)
    command = [sys.executable, "-m", "copydesk_connectors", "once", "--config", str(file)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1
    assert "cannot be written: disk I/O error; free space on its disk" in done.stdout
    assert "Traceback" not in done.stderr
    assert sends(feed) == [0]


@pytest.mark.parametrize(
    ("letters", "posts"), [(1_990_000, 1), (150_000, 60)], ids=["a huge post", "many posts"]
)
def test_a_disk_that_is_full_after_the_pull_still_records_what_was_pulled(
    write_config: Write,
    feed: FakeFeed,
    monkeypatch: pytest.MonkeyPatch,
    letters: int,
    posts: int,
) -> None:
    """After the first post of a pass, all that wait are pulled together."""
    for number in range(posts):
        text = "x" * letters
        item = make_item(f"itm_{number}", rendered={"html": text, "markdown": "beds"})
        feed.add(item)
    file, notebook = write_config(PAGES), Notebook()
    notebook.at_once = 4
    answer, unlimited = feed.answer, resource.getrlimit(resource.RLIMIT_FSIZE)
    log = config.ledger_path(file).with_name("copydesk-ledger.sqlite3-wal")

    def pulled(method: str, path: str, query: dict[str, list[str]]) -> object:
        if method == "GET" and (posts == 1 or notebook.calls):
            resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, unlimited[1]))
        return answer(method, path, query)

    monkeypatch.setattr(feed, "answer", pulled)
    try:
        with courier(file, notebook) as running:
            running.once()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    with Ledger.read(config.ledger_path(file)) as ledger:
        assert len(ledger.newest(99)) == posts
    assert sends(feed) == [1] * posts


def test_a_feed_without_posts_does_not_let_the_ledger_grow(
    write_config: Write, feed: FakeFeed
) -> None:
    """Another program may read in the ledger for days, which keeps its log from being reused."""
    file = write_config(PAGES)
    log = config.ledger_path(file).with_name("copydesk-ledger.sqlite3-wal")
    with courier(file, Notebook()) as running:
        running.once()
        with held(config.ledger_path(file), "BEGIN", "SELECT * FROM items"):
            before = log.stat().st_size
            for _ in range(20):
                assert running.once().problems == []
            assert log.stat().st_size - before < 1_000_000
