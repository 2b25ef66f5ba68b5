"""The ledger: on disk when a call returns, one writer, readers at any time."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import (
    ON_A_SITE,
    SETTLED,
    DeliveryState,
    IllegalTransition,
    ItemState,
)
from copydesk_connectors.target.errors import LedgerError

from .items import make_item


def test_a_row_is_there_for_the_next_process(tmp_path: Path) -> None:
    """an item (its whole content) is written down before anything is sent"""
    path = tmp_path / "ledger"
    with Ledger.open(path) as ledger:
        ledger.receive("itm_1", make_item(), 1)
        ledger.owe("itm_1", ["blog", "site"])
        ledger.move_delivery("itm_1", "blog", DeliveryState.DRAFTING)
        ledger.move_delivery("itm_1", "blog", DeliveryState.PUBLISHING, remote_id="7")
        ledger.note_failure("itm_1", "blog", "no \ud83d answer", target_ready=True)
    with Ledger.open(path) as ledger:
        (entry,) = ledger.unfinished()
    assert entry.raw == make_item()
    assert [(d.target, d.state, d.remote_id, d.reason, d.failures) for d in entry.deliveries] == [
        ("blog", DeliveryState.PUBLISHING, "7", "no ? answer", 1),
        ("site", DeliveryState.RECEIVED, "", "", 0),
    ]


def test_the_disk_has_it_before_a_call_returns(tmp_path: Path) -> None:
    """WAL, synchronous=FULL"""
    with Ledger.open(tmp_path / "ledger") as ledger:
        mode = ledger._db.execute("PRAGMA journal_mode").fetchone()[0]
        assert (mode, ledger._db.execute("PRAGMA synchronous").fetchone()[0]) == ("wal", 2)


def test_an_item_that_is_known_keeps_what_was_done_with_it(tmp_path: Path) -> None:
    """The same item is resent until it is confirmed; it must not start over."""
    with Ledger.open(tmp_path / "ledger") as ledger:
        ledger.receive("itm_1", make_item(), 1)
        ledger.owe("itm_1", ["blog"])
        ledger.move_delivery("itm_1", "blog", DeliveryState.PUBLISHING, remote_id="7")
        entry = ledger.receive("itm_1", make_item(generatedAt="later"), 2)
        assert entry.raw == make_item()
        assert (entry.delivery_count, entry.state) == (2, ItemState.OPEN)
        assert entry.deliveries[0].state is DeliveryState.PUBLISHING

        ledger.move_item("itm_1", ItemState.CONFIRMING)
        ledger.move_item("itm_1", ItemState.CONFIRMED)
        assert ledger.unfinished() == []
        assert ledger.receive("itm_1", make_item(), 1).state is ItemState.OPEN


def test_what_waits_for_a_target_in_every_state_of_an_item(tmp_path: Path) -> None:
    """an item confirmed while another target still owes; every combination"""
    with Ledger.open(tmp_path / "ledger") as ledger:
        expected = []
        for number, (item, here, there) in enumerate(
            product(ItemState, DeliveryState, DeliveryState), 1000
        ):
            item_id = f"itm_{number}"
            ledger.receive(item_id, make_item(item_id), 1)
            ledger.owe(item_id, ["a", "b"])
            ledger._db.execute("UPDATE items SET state = ? WHERE id = ?", (item, item_id))
            for target, state in (("a", here), ("b", there)):
                values = (state, item_id, target)
                ledger._db.execute(
                    "UPDATE deliveries SET state = ? WHERE item_id = ? AND target = ?", values
                )
            custody = item in {ItemState.CONFIRMED, ItemState.CONFLICT} and there in ON_A_SITE
            if here not in SETTLED and (item in {ItemState.OPEN, ItemState.CONFIRMING} or custody):
                expected.append(item_id)
        assert ledger.queue("a", 10_000) == expected
        assert ledger.queue("a", 2, {expected[0]}) == expected[1:3]
        assert {b.target: b.posts for b in ledger.backlogs()}["a"] == len(expected)


def test_an_impossible_step_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    """Each step is one transaction."""
    with Ledger.open(tmp_path / "ledger") as ledger:
        ledger.receive("itm_1", make_item(), 1)
        ledger.owe("itm_1", ["blog"])
        before = ledger.entry("itm_1")
        with pytest.raises(IllegalTransition):
            ledger.move_delivery("itm_1", "blog", DeliveryState.PUBLISHED, url="https://x")
        assert ledger.entry("itm_1") == before
        ledger.move_delivery("itm_1", "blog", DeliveryState.DRAFTING)


HOLDER = """
import sys
from contextlib import closing
from pathlib import Path
from copydesk_connectors.engine.ledger import Ledger
with Ledger.open(Path(sys.argv[1])) as ledger:
    print("open", flush=True)
    sys.stdin.read()
"""


def test_one_writer_and_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    """One writer per ledger"""
    path = tmp_path / "ledger"
    command = [sys.executable, "-c", HOLDER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as holder:  # type: ignore[call-overload]
        assert holder.stdout.readline() == b"open\n"
        (tmp_path / "link").symlink_to(path)
        for name in (path, tmp_path / "link"):
            with pytest.raises(LedgerError, match="another copydesk-connect is using"):
                Ledger.open(name)
        with Ledger.read(path) as reader:
            assert reader.newest(20) == []
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
    with Ledger.open(path) as ledger:
        ledger.receive("itm_1", make_item(), 1)


def test_what_is_no_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    """Bad input gets one clear error"""
    text = tmp_path / "notes.txt"
    text.write_text("not a database, and long enough to be taken for one " * 10)
    with pytest.raises(LedgerError, match="cannot be used"):
        Ledger.open(text)
    assert text.read_text().startswith("not a database")
    folder, other = tmp_path / "folder", tmp_path / "other.sqlite3"
    folder.mkdir(0o755)
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE items (name)")
    for path in (folder, other):
        for use in (Ledger.open, Ledger.read):
            with pytest.raises(LedgerError, match=r"cannot be used.*set \[ledger\] path"):
                use(path)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    with pytest.raises(LedgerError, match=r"cannot be used.*folder must exist"):
        Ledger.open(tmp_path / "no" / "ledger")
    with pytest.raises(LedgerError, match="nothing was received"):
        Ledger.read(tmp_path / "ledger")


def test_a_damaged_index_is_found_before_anything_is_pulled(tmp_path: Path) -> None:
    """an item is abandoned after 3 sends, so nothing is pulled that cannot be recorded"""
    path = tmp_path / "ledger"
    with Ledger.open(path) as ledger:
        ledger.receive("itm_1", make_item(), 1)
    with closing(sqlite3.connect(path)) as db:
        ((page,),) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_items_1'"
        )
        ((size,),) = db.execute("PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)
    with pytest.raises(LedgerError, match="put back a copy of the ledger"):
        Ledger.open(path)


@pytest.mark.parametrize(("version", "said"), [(99, "newer copydesk"), (4, "an earlier copy")])
def test_a_ledger_of_another_version_is_not_touched(
    tmp_path: Path, version: int, said: str
) -> None:
    """A program must not write into tables that it does not know."""
    path = tmp_path / "ledger"
    Ledger.open(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    for way in (Ledger.open, Ledger.read):
        with pytest.raises(LedgerError, match=said):
            way(path)


def test_its_owner_alone_can_read_the_ledger_also_one_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    path.touch()
    path.chmod(0o644)
    with Ledger.open(path) as ledger:
        ledger.receive("itm_1", make_item(), 1)
        files = [path, tmp_path / "ledger-wal", tmp_path / "ledger-shm"]
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
