"""A worker or scheduler that hangs is seen from outside, by `copydesk-server health`."""

import os
import signal
import sys
import time
from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner
from pydantic import SecretStr

import scheduler
from app.cli import main
from app.container import build
from app.heartbeat import STALE_SECONDS, Heartbeat
from app.services import schedule
from app.settings import Settings
from app.store import database
from tests.support.integration import SQLITE
from tests.support.process_group import ProcessGroup
from tests.support.startup import wait_until


def health(file: Path) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["health"], env={"COPYDESK_HEARTBEAT_FILE": str(file)})
    return done.exit_code, done.output


def test_a_file_that_is_touched_is_healthy_and_an_old_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "heartbeat"
    assert health(file)[0] == 1
    assert "No worker or scheduler has started." in health(file)[1]
    Heartbeat(file).beat()
    assert health(file) == (0, "ok\n")
    old = time.time() - STALE_SECONDS - 1
    os.utime(file, (old, old))
    code, said = health(file)
    assert code == 1
    assert "has made no progress for 61 s. Restart it" in said
    assert CliRunner().invoke(main, ["health"], env={"COPYDESK_HEARTBEAT_FILE": ""}).exit_code == 2


def test_work_or_a_process_that_takes_too_long_stops_the_heart(tmp_path: Path) -> None:
    file = tmp_path / "heartbeat"
    heart = Heartbeat(file, 2)

    def beats() -> bool:
        file.unlink(missing_ok=True)
        heart.beat()
        return file.exists()

    with heart.watching(60):
        assert beats()
        with heart.watching(-1):
            assert not beats()
        assert beats()
    heart.allow(1, -1)
    assert not beats(), "another process is not heard of in time"
    heart.allow(1, 60)
    assert beats()
    Heartbeat(tmp_path / "none" / "heartbeat").beat()  # cannot be written: nothing ends


@SQLITE
def test_a_scheduler_that_hangs_in_its_work_is_seen(
    migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, beats, began, hang = tmp_path / "heartbeat", list[int](), Event(), Event()

    def beat(heart: Heartbeat) -> None:
        before(heart)
        beats.append(1)

    def tick(_: object) -> int:
        began.set()
        hang.wait()
        return 0

    before = Heartbeat.beat
    monkeypatch.setattr(Heartbeat, "beat", beat)
    monkeypatch.setattr(schedule, "tick", tick)
    monkeypatch.setattr(scheduler, "_LIMIT_SECONDS", 0)
    monkeypatch.setattr(scheduler, "BEAT_SECONDS", 1)
    settings = Settings(
        database_url=SecretStr(migrated_url), heartbeat_file=file, openai_base_url="http://x.test"
    )
    ticking = scheduler.start_in_background(build(settings))
    try:
        assert began.wait(20)
        beaten = len(beats)
        wait_until(lambda: len(beats) > beaten, 20, "the heart was asked")
        file.unlink(missing_ok=True)
        beaten = len(beats)
        wait_until(lambda: len(beats) > beaten, 20, "the heart was asked again")
        assert not file.exists()
        hang.set()
        wait_until(file.exists, 20, "it beats again")
    finally:
        hang.set()
        ticking.shutdown()
        database.dispose()


@SQLITE
def test_a_worker_that_is_stopped_is_seen(
    migrated_url: str, tmp_path: Path, group: ProcessGroup
) -> None:
    file = tmp_path / "heartbeat"
    env = {
        "COPYDESK_DATABASE_URL": migrated_url,
        "COPYDESK_HEARTBEAT_FILE": str(file),
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    }
    process = group.spawn(
        [sys.executable, "-m", "app.cli", "worker"], log=tmp_path / "log", env=env
    )
    wait_until(file.exists, 60, "it has begun")
    assert health(file)[0] == 0
    process.send_signal(signal.SIGSTOP)
    old = time.time() - STALE_SECONDS - 1
    os.utime(file, (old, old))
    assert health(file)[0] == 1
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: health(file)[0] == 0, 60, "it goes on")
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
