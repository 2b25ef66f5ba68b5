"""Pages are read in other processes: what those may take, and when they end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from app.adapters import page_processes as module
from app.adapters.page_processes import PageProcesses
from app.ports import PageRefused
from tests.support.service import ROOT
from tests.support.source_site import article
from tests.support.startup import wait_until

HONEST = article("The harbour bridge").encode()
# trafilatura looks at each form again for each other one.
FORMS = "<form>a</form>" * 12_000
SLOW = HONEST.replace(b"</article>", f"{FORMS}</article>".encode())
SECONDS = 60.0


@pytest.fixture
def processes() -> Iterator[PageProcesses]:
    running = PageProcesses()
    yield running
    running.close()


def read(processes: PageProcesses, body: bytes = HONEST, seconds: float = SECONDS) -> str:
    found = processes.read("html", body, seconds, charset="", url="https://a.example/")
    return str(found["title"])


def ids(processes: PageProcesses) -> list[int]:
    return [one.process.pid for one in processes._idle.queue if one]


def is_there(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_one_process_reads_page_after_page(processes: PageProcesses) -> None:
    assert read(processes) == "The harbour bridge"
    before = ids(processes)
    assert read(processes) == "The harbour bridge"
    assert ids(processes) == before


def test_a_page_that_takes_too_long_is_refused_and_the_next_is_read() -> None:
    processes = PageProcesses(cpu_seconds=1)
    with pytest.raises(PageRefused, match=r"^The page takes too long to read\.$"):
        read(processes, SLOW)
    assert read(processes) == "The harbour bridge"
    processes.close()


def test_the_limit_of_time_is_each_page_s_own() -> None:
    processes = PageProcesses(cpu_seconds=1)
    before = []
    # Together they take longer than one may.
    for _ in range(40):
        read(processes)
        before += ids(processes)
    assert len(set(before)) == 1
    processes.close()


def test_a_page_that_needs_too_much_memory_is_refused() -> None:
    # No more than its libraries have.
    processes = PageProcesses(memory_bytes=1)
    with pytest.raises(PageRefused, match=r"^The page needs too much memory to read\.$"):
        read(processes, b"<html><body><article><p>" + b"word and word. " * 130_000)
    assert ids(processes) == []


def test_a_page_for_which_there_is_no_time_is_given_up(processes: PageProcesses) -> None:
    read(processes)
    (busy,) = ids(processes)
    with pytest.raises(TimeoutError):
        read(processes, SLOW, seconds=0.1)
    assert not is_there(busy)
    assert read(processes) == "The harbour bridge"


def test_a_process_that_was_killed_while_it_did_nothing_costs_no_page(
    processes: PageProcesses,
) -> None:
    read(processes)
    (idle,) = ids(processes)
    os.kill(idle, signal.SIGKILL)
    wait_until(lambda: not is_there(idle), SECONDS, "it is gone")
    assert read(processes) == "The harbour bridge"


def test_a_process_is_replaced_after_so_many_pages(
    processes: PageProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGES_OF_A_PROCESS", 2)
    read(processes)
    (first,) = ids(processes)
    read(processes)
    assert ids(processes) == []
    assert not is_there(first)


def test_threads_share_two_processes(processes: PageProcesses) -> None:
    titles: list[str] = []
    threads = [Thread(target=lambda: titles.append(read(processes))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert titles == ["The harbour bridge"] * 6
    assert 1 <= len(ids(processes)) <= 2


def test_they_end_with_a_process_that_is_killed() -> None:
    program = (
        "import time\n"
        "from tests.integration.test_page_processes import ids, module, read\n"
        "read(module.page_processes)\n"
        "print(*ids(module.page_processes), flush=True)\n"
        "time.sleep(600)\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout
    (pid,) = map(int, running.stdout.readline().split())
    assert is_there(pid)
    running.kill()
    running.communicate()
    wait_until(lambda: not is_there(pid), SECONDS, "it has noticed")


def test_they_know_nothing_of_the_environment(
    processes: PageProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    read(processes)
    (pid,) = ids(processes)
    assert b"sk-secret" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_an_error_of_ours_is_told_as_one(processes: PageProcesses) -> None:
    with pytest.raises(RuntimeError, match="TypeError"):
        processes.read("html", HONEST, SECONDS, nothing="")
    assert read(processes) == "The harbour bridge"
