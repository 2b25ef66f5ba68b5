"""What commands and an import of the SDK cost before they do anything, when the service answers
first, and what memory a web process takes.

    python bench/startup.py [--runs 5] [--requests 1000]

Commands are measured by processor time (user and system), the first answer by the clock, the least
of several runs, because other work on the machine only adds to it. The web process writes posts in
seven languages with the scripted model; its memory is the resident set (RSS) after the last one.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.support.customers import new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import ROOT, ScriptedModel, one_process
from tests.support.startup import wait_until

HELP_SECONDS, LIST_SECONDS, ANSWER_SECONDS, WEB_MEGABYTES = 0.25, 0.6, 2.0, 150
IMPORT_OF_STRIPE = 2 / 3
LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt")
MANY = ("--monthly-words", "100000000", "--requests-per-minute", "100000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--requests", type=int, default=1000)
    options = parser.parse_args()
    # As in an installation, where modules are compiled once.
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""
    table = Table("what", "measured", "limit")
    with tempfile.TemporaryDirectory() as folder:
        seconds(folder, "account", "create", "A customer")
        for command, limit in ((("--help",), HELP_SECONDS), (("account", "list"), LIST_SECONDS)):
            least = min(seconds(folder, *command) for _ in range(options.runs))
            table.add_row(f"copydesk-server {' '.join(command)}", f"{least:.2f} s", f"{limit} s")
    ours, stripe = (
        min(used(sys.executable, "-c", f"import {name}") for _ in range(options.runs))
        for name in ("copydesk", "stripe")
    )
    share = f"{IMPORT_OF_STRIPE:.2f} of stripe"
    table.add_row("import copydesk", f"{ours:.3f} s, {ours / stripe:.2f} of stripe", share)
    first = min(seconds_to_first_answer() for _ in range(options.runs))
    table.add_row(
        "copydesk-server run, to its first answer", f"{first:.2f} s", f"{ANSWER_SECONDS} s"
    )
    megabytes = web_megabytes(options.requests)
    name = f"a web process after {options.requests} requests"
    table.add_row(name, f"{megabytes} MB", f"{WEB_MEGABYTES} MB")
    Console().print(table)


def seconds(folder: str, *command: str) -> float:
    """Return the processor time of one run of copydesk-server."""
    program = Path(sys.executable).with_name("copydesk-server")
    return used(str(program), *command, COPYDESK_DATA_DIR=folder)


def used(*command: str, **settings: str) -> float:
    """Return the processor time of a command."""
    before = _children()
    subprocess.run(command, env={**os.environ, **settings}, check=True, stdout=subprocess.DEVNULL)
    return _children() - before


def seconds_to_first_answer() -> float:
    """Return the time from the start of the service to its first answer."""
    with ProcessGroup() as group:
        service = one_process(group, "http://127.0.0.1:9/v1")
        service.kill()
        # The process that it started ends a moment later.
        wait_until(lambda: not service.answers(), 30, "nobody answers")
        begun = time.monotonic()
        # What it prints once it listens is not waited for: the answer comes first.
        group.spawn(
            [sys.executable, "-m", "app.cli", "run", "--port", service.url.rpartition(":")[2]],
            log=group.folder / "again.log", cwd=ROOT, env=service._env,
        )  # fmt: skip
        wait_until(service.answers, 30, "the service answers")
        return time.monotonic() - begun


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def web_megabytes(requests: int) -> int:
    """Return the RSS of the web process after that many posts."""
    with ProcessGroup() as group:
        model = ScriptedModel(group)
        service = one_process(group, model.url)
        service.cli("plan", "update", "scale", *MANY, "--requests-per-day", "1000000")
        customer = new_customer(service, "scale")

        def write(number: int) -> None:
            answer = customer.generate(
                keywords=[f"cold brew {number}"],
                language=LANGUAGES[number % len(LANGUAGES)],
                constraints={"minWords": 50, "maxWords": 100},
            )
            # The scripted model writes English: a post in another language may fail its checks.
            assert answer.status_code in {200, 422}, answer.text

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(requests)))
        return max(
            _resident(pid)
            for pid in _family([process.pid for process in service._processes.values()])
        )


def _family(pids: Sequence[int]) -> list[int]:
    """Return the processes and all that they started."""
    family = list(pids)
    for pid in family:
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            family += map(int, children.read_text().split())
    return family


def _resident(pid: int) -> int:
    (line,) = (
        line
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmRSS:")
    )
    return int(line.split()[1]) // 1024


if __name__ == "__main__":
    main()
