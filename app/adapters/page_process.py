"""Parse each untrusted page in a process of its own, with limits on time and memory.

The process (`python -m app.adapters.page_process`) has no secrets in its environment. It gets the
page on stdin and answers with JSON on stdout, a file of a limited length, so that even a process
that a page has taken over can do no more than give a wrong answer.
"""

import json
import logging
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from threading import BoundedSemaphore
from typing import Any

from app.ports import PageRefused, PageUnavailable

log = logging.getLogger(__name__)

# A page of 15,000 elements takes about two.
CPU_SECONDS = 10
# A page of two megabytes takes a tenth of it.
MEMORY_BYTES = 768 * 1024 * 1024
# On three processors, two hostile pages at once leave one for the service.
_places = BoundedSemaphore(2)
_MAX_ANSWER_BYTES = 8_000_000
_MAX_TRACE_CHARS = 4000
_NICENESS = 5
# The exit code of a process that runs out of memory.
_NO_MEMORY = 77
_REASONS = {
    -signal.SIGXCPU: "The page takes too long to read.",
    _NO_MEMORY: "The page needs too much memory to read.",
}
_LATE = "The page was not read before the time was up."
_CRASHED = "The page cannot be read: its reader ended with an error."


def read_page(kind: str, body: bytes, seconds: float, **said: str) -> Any:
    """Return what the reader of that kind ("html" or "feed") makes of a body. At most two
    processes run at once; other callers wait.

    Args:
        said: the reader's other arguments.

    Raises:
        PageRefused: the page has no text, or takes too much time or memory; PageUnavailable if
            there was no answer within ``seconds``.
    """
    until = time.monotonic() + seconds
    if not _places.acquire(timeout=max(0.0, seconds)):
        raise PageUnavailable(_LATE)
    try:
        with tempfile.TemporaryFile() as answer:
            order = json.dumps([CPU_SECONDS, MEMORY_BYTES, kind, said])
            ended = subprocess.run(  # noqa: S603 - our own module
                [sys.executable, "-m", __name__, order],
                input=body,
                stdout=answer,
                stderr=subprocess.DEVNULL,
                env={"PYTHONPATH": os.pathsep.join(sys.path)},
                timeout=max(0.0, until - time.monotonic()),
                check=False,
            )
            answer.seek(0)
            found = answer.read(_MAX_ANSWER_BYTES) if ended.returncode == 0 else b""
    except subprocess.TimeoutExpired:
        raise PageUnavailable(_LATE) from None
    finally:
        _places.release()
    try:
        told = json.loads(found)
    except ValueError:
        log.info("a process that read a page ended with %d", ended.returncode)
        raise PageRefused(_REASONS.get(ended.returncode, _CRASHED)) from None
    if refused := told.get("refused"):
        raise PageRefused(refused)
    if failed := told.get("failed"):
        raise RuntimeError(f"a page tripped its reader:\n{failed}")
    return told["read"]


def main(cpu_seconds: int, memory_bytes: int, kind: str, said: dict[str, str]) -> None:
    """Read the page on stdin in this process, within the limits."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _MAX_ANSWER_BYTES)
    os.nice(_NICENESS)
    # Libraries log pieces of the page.
    logging.disable(logging.CRITICAL)
    # Imported here: the other processes need none of these.
    from app.adapters.feed_entries import feed_entries
    from app.adapters.page_text import read_html

    readers: dict[str, Callable[..., Any]] = {"html": read_html, "feed": feed_entries}
    _limit(resource.RLIMIT_DATA, memory_bytes)
    # The limit counts from the start of the process.
    _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + cpu_seconds)
    try:
        answer = {"read": readers[kind](sys.stdin.buffer.read(), **said)}
    except PageRefused as refused:
        answer = {"refused": str(refused)}
    except MemoryError:
        os._exit(_NO_MEMORY)
    except Exception:  # noqa: BLE001 - the parent process logs it
        answer = {"failed": traceback.format_exc()[-_MAX_TRACE_CHARS:]}
    json.dump(answer, sys.stdout, default=datetime.isoformat)


def _limit(what: int, most: int) -> None:
    # Not every system has every limit; the parent process stops waiting in any case. Beyond the
    # second number nothing can raise it, and there is no exit code that says why.
    with suppress(ValueError, OSError):
        resource.setrlimit(what, (most, most + 1))


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))
