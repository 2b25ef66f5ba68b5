"""What the SDK costs: its import beside that of other API clients, and a call beside bare httpx2.

    python bench/sdk.py [--runs 9] [--rounds 60]

Both are processor time (user and system) of the client's process, the median of several runs that
alternate, because other work on the machine adds to some of them. Calls are GET /v1/usage of the
stand-in of the tests in another process, in short rounds of 25 that take turns at being first.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import httpx2
from rich.console import Console
from rich.table import Table

from copydesk import Copydesk

LIMITS = {"openai": 1 / 3, "stripe": 2 / 3, "httpx2": 1.1}
CALLS = 25
SERVER = """
import sys
from tests.support.canned_service import CannedService
service = CannedService()
with service.serve() as url:
    print(url, service.api_key, flush=True)
    sys.stdin.read()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    table = Table("what", "ms", "of", "ratio", "limit")
    imports = import_seconds(("copydesk", "openai", "stripe"), options.runs)
    for other in ("openai", "stripe"):
        add_row(table, f"import, {other}", imports["copydesk"], imports[other], LIMITS[other])
    ours, bare = call_seconds(options.rounds)
    add_row(table, "call, httpx2", ours, bare, LIMITS["httpx2"])
    Console().print(table)


def add_row(table: Table, what: str, ours: float, other: float, limit: float) -> None:
    ratio = f"{ours / other:.2f}"
    table.add_row(what, f"{ours * 1e3:.2f}", f"{other * 1e3:.2f}", ratio, f"{limit:.2f}")


def import_seconds(modules: tuple[str, ...], runs: int) -> dict[str, float]:
    """Return the time that a process takes to import each module."""
    # Modules are compiled once, as after an installation.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    found: dict[str, list[float]] = {module: [] for module in modules}
    for _ in range(runs + 1):
        for module in modules:
            before = _children()
            command = [sys.executable, "-c", f"import {module}"]
            subprocess.run(command, env=environment, check=True)
            found[module].append(_children() - before)
    return {module: median(times[1:]) for module, times in found.items()}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def call_seconds(rounds: int) -> tuple[float, float]:
    """Return the time of a call by the SDK, and by httpx2 alone with the same headers."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        url, key = server.stdout.readline().split()
        headers = {"Authorization": f"Bearer {key}"}
        with (
            Copydesk(key, url) as client,
            httpx2.Client(base_url=url, headers=headers, trust_env=False) as bare,
        ):

            def bare_call() -> None:
                bare.get("/v1/usage").raise_for_status().json()

            times: tuple[list[float], list[float]] = ([], [])
            made: tuple[Callable[[], object], ...] = (client.usage, bare_call)
            for number in range(rounds + 1):
                for which in (0, 1) if number % 2 else (1, 0):
                    times[which].append(_each(made[which]))
        return median(times[0][1:]), median(times[1][1:])
    finally:
        server.stdin.close()
        server.wait(30)
        server.stdout.close()


def _each(call: Callable[[], object]) -> float:
    begin = time.process_time()
    for _ in range(CALLS):
        call()
    return (time.process_time() - begin) / CALLS


if __name__ == "__main__":
    main()
