"""100,000 hostile requests against the running service, over sockets.

    PYTHONPATH=. python bench/hostile_requests.py [--requests 100000] [--rate 60] [--seed 1]

The service runs on SQLite in one process, with a scripted model. After a warm-up it is left alone,
then gets honest requests at the rate, then the hostile ones. A process of its own polls a feed all
the time. Exits with 1 if an answer is a 5xx, the service logs an unexpected error, its memory
grows by more than a twentieth after the first tenth, or a poll takes, at the median or the 95th
percentile, more than twice what it takes in the calm.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Lock

from flask import Flask
from rich.console import Console
from rich.table import Table

from app import create_app
from app.settings import Settings
from tests.support.customers import new_customer
from tests.support.hostile_callers import insider
from tests.support.hostile_requests import (
    HostileRequest,
    address_of,
    hostile_requests,
    routes,
    send,
)
from tests.support.process_group import ProcessGroup, descendants
from tests.support.service import ROOT, CopydeskService, ScriptedModel, one_process

CALM_SECONDS = 30.0
HONEST = 5_000
WARM_UP = 3_000
CLIENTS = 8
LATENCY, MEMORY = 2.0, 1.05
# Polls a feed until a line comes in, then prints how many milliseconds each poll took.
POLLER = """
import http.client, json, sys, threading, time
host, path, took, stop = sys.argv[1], sys.argv[2], [], threading.Event()
def poll():
    while not stop.wait(0.02):
        began = time.monotonic()
        link = http.client.HTTPConnection(host, timeout=60)
        link.request("GET", path)
        assert link.getresponse().status == 200
        link.close()
        took.append(1000 * (time.monotonic() - began))
thread = threading.Thread(target=poll)
thread.start()
sys.stdin.readline()
stop.set()
thread.join()
print(json.dumps(sorted(took)))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--rate", type=float, default=60.0, help="requests a second, at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with ProcessGroup() as group:
        model = ScriptedModel(group)
        service = one_process(group, model.url)
        return Attack(service, options.seed, options.rate).run(options.requests)


def application() -> Flask:
    """The application, for its routes."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'copydesk.db'}"
        return create_app(Settings.model_validate({"database_url": url}))


class Attack:
    """Requests to a service, and what became of them."""

    def __init__(self, service: CopydeskService, seed: int, rate: float) -> None:
        self._service, self._seed, self._rate = service, seed, rate
        self._address = address_of(service.url)
        self._known = insider(service)
        self._customer = new_customer(service)
        feed = service.cli("feed", "create", self._customer.account_id, "A blog")["pullUrl"]
        self._feed = feed.removeprefix(service.url)
        self._statuses: Counter[int] = Counter()
        self._faults: list[str] = []
        self._lock, self._random = Lock(), Random(seed)

    def run(self, number: int) -> int:
        """Print what happened; 1 if something was wrong."""
        paths = routes(application())
        plain = [(b"Host", b"a"), (b"Connection", b"close")]
        targets = (b"/healthz", self._feed.encode(), b"/v1/openapi.json")
        honest = [HostileRequest(b"GET", target, plain, b"") for target in targets]
        # Loads the identifier of languages, which takes 60 MB, once.
        text = "Kalter Kaffee braucht Zeit, Geduld und gutes Wasser. " * 20
        self._customer.call("POST", "/v1/check", json={"text": text, "language": "en"})
        self._send(hostile_requests(self._seed + 1, WARM_UP, paths, self._known))
        self._statuses.clear()
        calm = self._polled(lambda: time.sleep(CALM_SECONDS))
        peer = self._polled(lambda: self._send(honest * (HONEST // len(honest))))
        self._statuses.clear()
        memory: list[int] = []

        def attack() -> None:
            generated = hostile_requests(self._seed, number, paths, self._known)
            for _ in range(10):
                tenth = [
                    request for request, _ in zip(generated, range(number // 10), strict=False)
                ]
                self._send(tenth)
                memory.append(self._memory())
                print(f"{sum(self._statuses.values()):,} sent, {memory[-1]} MB", file=sys.stderr)

        began = time.monotonic()
        hostile = self._polled(attack)
        took = time.monotonic() - began
        again = self._polled(lambda: time.sleep(CALM_SECONDS))
        table = Table("polls of a feed", "number", "p50 ms", "p95 ms", "p99 ms", "max ms")
        rows = {"calm": calm, "beside honest requests": peer, "beside hostile ones": hostile,
                "calm again": again}  # fmt: skip
        for name, took_ms in rows.items():
            cuts = (_at(took_ms, share) for share in (0.5, 0.95, 0.99, 1.0))
            table.add_row(name, f"{len(took_ms):,}", *(f"{cut:.1f}" for cut in cuts))
        Console(width=110).print(table)
        print(f"{number:,} requests in {took:.0f} s: {_told(self._statuses)}")
        print(f"memory after each tenth, MB: {', '.join(map(str, memory))}")
        slower = max(
            _at(hostile, share) / max(_at(calm, share), _at(again, share)) for share in (0.5, 0.95)
        )
        growth = memory[-1] / memory[0]
        log = self._service.log_text()
        errors = log.count("unexpected error") + log.count("Traceback")
        print(f"latency {slower:.2f} of calm, memory {growth:.3f}, errors in the log: {errors}")
        print("\n".join(self._faults[:10]))
        bad = self._faults or errors or slower > LATENCY or growth > MEMORY
        return int(bool(bad))

    def _send(self, requests: Iterable[HostileRequest]) -> None:
        """Send them at the rate, if the service keeps up."""
        began = time.monotonic()
        with ThreadPoolExecutor(CLIENTS) as pool:
            waiting = []
            for number, request in enumerate(requests):
                time.sleep(max(0.0, began + number / self._rate - time.monotonic()))
                waiting.append(pool.submit(self._one, request))
                if len(waiting) > 4 * CLIENTS:
                    waiting.pop(0).result()
            for each in waiting:
                each.result()

    def _one(self, request: HostileRequest) -> None:
        # From many networks, so that the limits of one do not end all the others.
        source = f"127.{self._random.randrange(1, 255)}.{self._random.randrange(255)}.9"
        try:
            answer = send(self._address, request, source)
        except TimeoutError:
            with self._lock:
                self._faults.append(f"no answer: {request}"[:2_000])
            return
        with self._lock:
            self._statuses[answer.status] += 1
            if answer.status >= 500:
                told = f"{answer.status} {answer.body[:300]!r} {request} {request.mangled!r}"
                self._faults.append(told[:2_000])

    def _polled(self, act: Callable[[], None]) -> list[float]:
        """How long each poll took meanwhile, in milliseconds, the quickest first."""
        poller = subprocess.Popen(
            [sys.executable, "-c", POLLER, ":".join(map(str, self._address)), self._feed],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            act()
        finally:
            took, _ = poller.communicate("\n")
        found: list[float] = json.loads(took)
        return found

    def _memory(self) -> int:
        root = self._service.process("run").pid
        with contextlib.suppress(ProcessLookupError):
            return sum(megabytes([root, *descendants(root)]))
        return 0


def _at(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def _told(statuses: Counter[int]) -> str:
    named = {status or "closed": count for status, count in sorted(statuses.items())}
    return ", ".join(f"{count:,} × {status}" for status, count in named.items())


def megabytes(pids: Sequence[int]) -> list[int]:
    """Return the memory of each process, with its share of what several share."""
    sizes = []
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        sizes += [int(line.split()[1]) // 1024 for line in lines if line.startswith("Pss:")]
    return sizes


if __name__ == "__main__":
    sys.exit(main())
