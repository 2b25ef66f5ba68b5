"""The process that parses untrusted pages, within limits of processor time and memory.

`python -m app.adapters.page_process CPU_SECONDS MEMORY_BYTES` answers requests one after the other
on the connection of `multiprocessing` that is its standard input. A request is a message of JSON,
then one with the page; an answer is a message of JSON. The process ends when the other side is
gone.
"""

import gc
import json
import logging
import math
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from multiprocessing.connection import Connection
from typing import Any

# The exit code when the process runs out of memory.
NO_MEMORY = 77
_NICENESS = 5
_MAX_TRACE_CHARS = 4000


def main(cpu_seconds: int, memory_bytes: int) -> None:
    """Answer requests until the other side is gone.

    Args:
        cpu_seconds: for each page.
        memory_bytes: for the process with its libraries.
    """
    _limit(resource.RLIMIT_CORE, 0)
    os.nice(_NICENESS)
    # Libraries log pieces of the page.
    logging.disable(logging.CRITICAL)
    # Imported here: the parent process imports NO_MEMORY and needs none of these.
    from app.adapters.feed_entries import feed_entries
    from app.adapters.page_text import TextMissing, read_html, read_plain

    readers: dict[str, Callable[..., Any]] = {
        "html": read_html,
        "plain": read_plain,
        "feed": feed_entries,
    }
    # The libraries' objects stay, so the garbage collector need not look at them again.
    gc.freeze()
    _limit(resource.RLIMIT_DATA, memory_bytes)
    with Connection(os.dup(0)) as channel:
        try:
            while True:
                request, body = json.loads(channel.recv_bytes()), channel.recv_bytes()
                # The limit counts from the start of the process.
                _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + cpu_seconds)
                try:
                    answer = {"read": readers[request.pop("kind")](body, **request)}
                except TextMissing as missing:
                    answer = {"refused": str(missing)}
                except MemoryError:
                    raise
                except Exception:  # noqa: BLE001 - the parent process logs it
                    answer = {"failed": traceback.format_exc()[-_MAX_TRACE_CHARS:]}
                channel.send_bytes(json.dumps(answer, default=datetime.isoformat).encode())
        except MemoryError:
            os._exit(NO_MEMORY)


def _limit(what: int, most: int) -> None:
    # Not every system has every limit; the parent process stops waiting in any case.
    with suppress(ValueError, OSError):
        resource.setrlimit(what, (most, resource.getrlimit(what)[1]))


if __name__ == "__main__":
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        main(*map(int, sys.argv[1:]))
