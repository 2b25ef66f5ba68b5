"""SQLite's files: whose they are, and what is done when they or their room are gone."""

import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from flask import Flask

from app import create_app
from app.container import NoModel
from app.services import accounts
from app.services.readiness import Readiness
from app.settings import Settings
from app.store import database
from tests.support.contexts import context_at
from tests.support.integration import SQLITE, Feed, ManualClock


def modes(folder: Path) -> dict[str, str]:
    return {
        path.name: oct(stat.S_IMODE(path.stat().st_mode))
        for path in folder.iterdir()
        if path.name.startswith("copydesk.db")
    }


@pytest.fixture
def model() -> NoModel:
    return NoModel()


def ready(app: Flask) -> dict[str, str]:
    """What /readyz says when nothing is remembered."""
    app.extensions["copydesk"].readiness = Readiness()
    answer = app.test_client().get("/readyz")
    body = answer.get_json()
    assert answer.status_code == (200 if body["status"] == "ok" else 503)
    return dict(body)


def test_its_owner_alone_can_read_what_a_command_makes(tmp_path: Path) -> None:
    """“SQLite files 0600, folders 0700”, whatever the umask."""
    folder = tmp_path / "a" / "var"
    environ = {"COPYDESK_DATA_DIR": str(folder)}
    command = f"umask 022; exec {sys.executable} -m app.cli account create Blog"
    subprocess.run(["/bin/sh", "-c", command], env=environ, check=True, timeout=120)
    assert modes(folder)["copydesk.db"] == "0o600"
    assert {stat.S_IMODE(each.stat().st_mode) for each in (folder, folder.parent)} == {0o700}


def test_the_log_beside_the_file_is_as_private_and_what_was_there_becomes_so(
    sqlite_template: Path, tmp_path: Path
) -> None:
    file = tmp_path / "copydesk.db"
    shutil.copy(sqlite_template, file)
    for name in ("copydesk.db", "copydesk.db-wal", "copydesk.db-shm"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    database.bind(f"sqlite:///{file}")
    accounts.create_account(context_at(ManualClock()), "Blog", "starter")
    assert modes(tmp_path) == dict.fromkeys(
        ("copydesk.db", "copydesk.db-wal", "copydesk.db-shm"), "0o600"
    )
    database.dispose()


@SQLITE
def test_a_full_disk_is_seen(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    room = shutil.disk_usage(tmp_path).free
    monkeypatch.setattr("app.store.sqlite._ROOM_BYTES", room * 2)
    assert ready(app)["database"] == "unreachable (disk full)"
    assert str(tmp_path) in caplog.text
    monkeypatch.undo()
    assert ready(app)["database"] == "ok"


@SQLITE
def test_a_lock_of_another_program_is_seen(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads go on, and nothing can be written."""
    monkeypatch.setattr("app.store.sqlite.CHECK_SECONDS", 0.1)
    with closing(sqlite3.connect(tmp_path / "copydesk.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert ready(app)["database"] == "unreachable (locked)"
    assert ready(app)["database"] == "ok"
    (tmp_path / "copydesk.db").rename(tmp_path / "elsewhere")
    assert ready(app)["database"] == "unreachable (not writable)"


class Pinged(NoModel):
    def __init__(self) -> None:
        self.pings = 0

    def ping(self) -> None:
        self.pings += 1


@SQLITE
def test_whoever_asks_for_readyz_asks_the_model_once_in_a_while(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody may ask: it must not be a way to have the endpoint called."""
    model, now = Pinged(), [1000.0]
    monkeypatch.setattr("app.services.readiness.time.monotonic", lambda: now[0])
    app = create_app(Settings(database_url=feed.url), model=model)
    client = app.test_client()
    for _ in range(20):
        assert client.get("/readyz").status_code == 200
    assert model.pings == 1
    now[0] += 5.0
    client.get("/readyz")
    assert model.pings == 2
    database.dispose()


@SQLITE
def test_a_change_of_readyz_is_logged_once(
    feed: Feed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [1000.0]
    monkeypatch.setattr("app.services.readiness.time.monotonic", lambda: now[0])
    app = create_app(Settings(database_url=feed.url))  # there is no model
    client = app.test_client()
    for _ in range(3):
        assert client.get("/readyz").get_json()["model"] == "unreachable"
        now[0] += 5.0
    said = [line for line in caplog.messages if line.startswith("the model is")]
    assert len(said) == 1
    assert "copydesk-server init" in said[0]
    database.dispose()
