"""Whether short calls answer while somebody holds everything that can be held.

    python bench/admission.py [--seconds 30]

Each row is one way to fill the service. Beside it a health check, a poll of an empty feed and a
look at the usage are made over and over; the ratio is their 99th percentile against the limit of
500 ms. The last column says how the calls that filled the service ended.
"""

import argparse
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import quantiles
from threading import Event, Thread
from urllib.parse import urlsplit

import requests
from rich.console import Console
from rich.table import Table

from tests.support.customers import Customer, new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, ScriptedModel, one_process

LIMIT_MS = 500.0
HEADS, BODIES, SAME_KEY, AT_ONCE = 1200, 66, 70, 64
KEYS, BODIES_OF_EACH = 4, 24
BODY_BYTES = 60_000
POST = {"keywords": ["cold brew"], "constraints": {"minWords": 100, "maxWords": 300}}
PATIENCE_SECONDS = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=30.0)
    seconds = parser.parse_args().seconds
    table = Table(
        "filled with", "polls", "p50 ms", "p99 ms", "max ms", "p99 to limit", "they ended"
    )
    with ProcessGroup() as group:
        model = ScriptedModel(group)
        service = one_process(group, model.url)
        polled = Polled(service)
        for name, fill in {
            "nothing": lambda: Event().wait(5),
            f"{HEADS} half-sent heads, no key": lambda: slow_heads(service, seconds),
            f"{BODIES} slow bodies, one key": lambda: slow_bodies(service, 1, BODIES, seconds),
            f"{KEYS * BODIES_OF_EACH} slow bodies, {KEYS} keys": lambda: slow_bodies(
                service, KEYS, BODIES_OF_EACH, seconds
            ),
            f"{SAME_KEY} calls with one idempotency key": lambda: same_key(service, model),
            f"{AT_ONCE} generations at once, 8 accounts": lambda: at_once(service, model),
        }.items():
            with polled.meanwhile() as answers:
                ended = fill()
            told = (
                ", ".join(f"{count} × {what}" for what, count in sorted(ended.items()))
                if (isinstance(ended, Counter))
                else ""
            )
            p50, p99, most = answers.milliseconds()
            ratio = f"{p99 / LIMIT_MS:.2f}"
            table.add_row(
                name, answers.told(), f"{p50:.0f}", f"{p99:.0f}", f"{most:.0f}", ratio, told
            )
    Console(width=160).print(table)


@dataclass
class Answers:
    seconds: list[float] = field(default_factory=list)
    failed: int = 0

    def milliseconds(self) -> tuple[float, float, float]:
        """Median, 99th percentile and the longest; a call without an answer took all its time."""
        cuts = quantiles(self.seconds, n=100)
        return cuts[49] * 1000, cuts[98] * 1000, max(self.seconds) * 1000

    def told(self) -> str:
        return f"{len(self.seconds)}" + (f", {self.failed} failed" if self.failed else "")


class Polled:
    """The short calls that must go on."""

    def __init__(self, service: CopydeskService) -> None:
        customer = new_customer(service, "starter")
        feed = service.cli("token", "create", customer.account_id, "A blog")["pullUrl"]
        feed_path = urlsplit(feed).path
        self._calls: list[tuple[str, dict[str, str]]] = [
            (f"{service.url}/healthz", {}),
            (f"{service.url}{feed_path}", {}),
            (f"{service.url}/v1/usage", customer.headers),
        ]

    @contextmanager
    def meanwhile(self) -> Iterator[Answers]:
        answers, done = Answers(), Event()
        threads = [Thread(target=self._poll, args=(call, answers, done)) for call in self._calls]
        for thread in threads:
            thread.start()
        try:
            yield answers
        finally:
            done.set()
            for thread in threads:
                thread.join()

    def _poll(self, call: tuple[str, dict[str, str]], answers: Answers, done: Event) -> None:
        url, headers = call
        while not done.wait(0.05):
            began = time.monotonic()
            try:
                # A new connection each time, as a liveness probe makes.
                ok = requests.get(url, headers=headers, timeout=PATIENCE_SECONDS).ok
            except requests.RequestException:
                ok = False
            answers.seconds.append(time.monotonic() - began)
            answers.failed += not ok


def slow_heads(service: CopydeskService, seconds: float) -> Counter[str]:
    head = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
    return _drip(service, [head] * HEADS, b"", seconds)


def slow_bodies(service: CopydeskService, keys: int, bodies: int, seconds: float) -> Counter[str]:
    customers = [new_customer(service, "starter") for _ in range(keys)]
    heads = [
        f"POST /v1/generate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {customer.api_key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {BODY_BYTES}\r\n\r\n{{".encode()
        for customer in customers
    ]
    return _drip(service, heads * bodies, b" ", seconds)


def _drip(
    service: CopydeskService, heads: list[bytes], drop: bytes, seconds: float
) -> Counter[str]:
    """Send the heads, then a drop on each connection every few seconds; how they ended."""
    address = urlsplit(service.url)
    ended: Counter[str] = Counter()
    with ExitStack() as stack:
        left = []
        for head in heads:
            line = stack.enter_context(socket.create_connection((address.hostname, address.port)))
            line.sendall(head)
            left.append(line)
        until = time.monotonic() + seconds
        while left and time.monotonic() < until:
            Event().wait(1.0)
            for line in list(left):
                status = _status(line, drop)
                if status:
                    ended[status] += 1
                    left.remove(line)
    ended["still open"] += len(left)
    return +ended


def _status(line: socket.socket, drop: bytes) -> str:
    """How the server ended that connection; empty while it is open."""
    line.settimeout(0.001)
    try:
        heard = line.recv(4096)
    except TimeoutError:
        heard = b"?"
    except OSError:
        heard = b""
    if heard == b"?":
        try:
            line.sendall(drop)
        except OSError:
            return "closed"
        return ""
    return heard.split(b" ")[1].decode() if heard.startswith(b"HTTP/") else "closed"


def same_key(service: CopydeskService, model: ScriptedModel) -> Counter[str]:
    customer = new_customer(service, "starter")
    headers = {"Idempotency-Key": "one"}
    with model.behaving("slow", delay=1.0):
        return _all_at_once(
            [lambda: customer.call("POST", "/v1/generate", json=POST, headers=headers)] * SAME_KEY
        )


def at_once(service: CopydeskService, model: ScriptedModel) -> Counter[str]:
    service.cli("plan", "update", "scale", "--requests-per-minute", "1000")
    customers = [new_customer(service, "scale") for _ in range(8)]

    def call(customer: Customer) -> Callable[[], requests.Response]:
        return lambda: customer.call("POST", "/v1/generate", json=POST)

    with model.behaving("slow", delay=0.2):
        return _all_at_once([call(customers[number % 8]) for number in range(AT_ONCE)])


def _all_at_once(calls: list[Callable[[], requests.Response]]) -> Counter[str]:
    with ThreadPoolExecutor(len(calls)) as threads:
        answers = [future.result() for future in [threads.submit(call) for call in calls]]
    return Counter(_outcome(answer) for answer in answers)


def _outcome(answer: requests.Response) -> str:
    wait = answer.headers.get("Retry-After")
    return f"{answer.status_code}" + (f" (Retry-After {wait})" if wait else "")


if __name__ == "__main__":
    main()
