"""Pages are read in other processes: what those may take, and when they end."""

from pathlib import Path
from threading import Thread

import pytest

from app.adapters import page_process
from app.ports import PageRefused, PageUnavailable
from tests.support.source_site import article
from tests.support.startup import wait_until

HONEST = article("The harbour bridge").encode()
# trafilatura looks at each form again for each other one.
FORMS = "<form>a</form>" * 12_000
SLOW = HONEST.replace(b"</article>", f"{FORMS}</article>".encode())
SECONDS = 60.0


def read(body: bytes = HONEST, seconds: float = SECONDS) -> str:
    found = page_process.read_page("html", body, seconds, charset="", url="https://a.example/")
    return str(found["title"])


def running() -> list[str]:
    """The ids of the processes that read pages for this one."""
    lists = Path("/proc/self/task").glob("*/children")
    return [pid for each in lists for pid in each.read_text().split() if _reads_pages(pid)]


def _reads_pages(pid: str) -> bool:
    try:
        return page_process.__name__ in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def test_a_page_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_process, "CPU_SECONDS", 1)
    with pytest.raises(PageRefused, match=r"^The page takes too long to read\.$"):
        read(SLOW)
    assert read() == "The harbour bridge"


def test_a_page_that_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # No more than its libraries have.
    monkeypatch.setattr(page_process, "MEMORY_BYTES", 1)
    with pytest.raises(PageRefused, match=r"^The page needs too much memory to read\.$"):
        read(b"<html><body><article><p>" + b"word and word. " * 130_000)


def test_a_page_for_which_there_is_no_time_is_given_up() -> None:
    with pytest.raises(PageUnavailable):
        read(SLOW, seconds=2)
    assert running() == []


def test_at_most_two_pages_are_read_at_once() -> None:
    threads = [Thread(target=read) for _ in range(4)]
    most = 0
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        most = max(most, len(running()))
        threads[-1].join(0.01)
    assert most == 2


def test_they_know_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")

    def slow() -> None:
        with pytest.raises(PageUnavailable):
            read(SLOW, seconds=5)

    reading = Thread(target=slow)
    reading.start()
    wait_until(lambda: len(running()) == 1, SECONDS, "the process runs")
    (pid,) = running()
    assert b"sk-secret" not in Path(f"/proc/{pid}/environ").read_bytes()
    reading.join()


def test_an_answer_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_process, "_MAX_ANSWER_BYTES", 100)
    with pytest.raises(PageRefused, match="its reader ended with an error"):
        read()


def test_an_error_of_ours_is_told_as_one() -> None:
    with pytest.raises(RuntimeError, match="TypeError"):
        page_process.read_page("html", HONEST, SECONDS, nothing="")
