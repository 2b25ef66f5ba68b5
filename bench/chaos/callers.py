"""Clients of POST /v1/generate that note every final answer to a key."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from threading import Event, Lock
from typing import Any

import requests

CALLERS = 3
# Answers that a repetition does not change, as their key holds them.
FINAL = frozenset({200, 400, 422})
# What a customer may meet while parts are away: busy, not in time.
PASSING = frozenset({429, 503, 504})


@dataclass
class Call:
    """A call as its customer knows it: every final answer to it."""

    key: str
    answers: list[tuple[int, Any]] = field(default_factory=list)


class GenerateCalls:
    """Some threads that share a key."""

    def __init__(self, url: str, api_key: str, seed: int) -> None:
        self.api_key = api_key
        self.calls: list[Call] = []
        self.surprises: list[str] = []
        self.headers = {"Authorization": f"Bearer {api_key}"}
        self._url = f"{url}/v1/generate"
        self._seed = seed
        self._lock = Lock()
        self._closed, self._given_up = Event(), Event()

    def work(self) -> None:
        """Call until ``close``, and then end the calls that have begun."""
        with ThreadPoolExecutor(CALLERS) as pool:
            for caller in [pool.submit(self._caller, n) for n in range(CALLERS)]:
                caller.result()

    def close(self) -> None:
        """Begin no more calls."""
        self._closed.set()

    def give_up(self) -> None:
        """Wait for no answer any more."""
        self._given_up.set()

    def _caller(self, number: int) -> None:
        random, turn = Random(f"{self._seed}/{number}"), 0
        with requests.Session() as session:
            while not self._closed.is_set():
                turn += 1
                call = Call(f"{random.getrandbits(64):016x}")
                body = {
                    "keywords": [f"{random.choice(('pottery', 'rowing', 'bees'))} notes"],
                    "topic": f"Caller {number}, number {turn}",
                    "constraints": {"maxWords": 350},
                }
                with self._lock:
                    self.calls.append(call)
                for _ in range(2 if random.random() < 0.25 else 1):
                    self._until_answered(session, call, body)
                self._closed.wait(random.uniform(0, 2))

    def _until_answered(self, session: requests.Session, call: Call, body: dict[str, Any]) -> None:
        headers = {**self.headers, "Idempotency-Key": call.key}
        while not self._given_up.is_set():
            try:
                answer = session.post(self._url, json=body, headers=headers, timeout=(5, 90))
            except requests.RequestException:
                self._given_up.wait(0.3)
                continue
            if answer.status_code in FINAL:
                call.answers.append((answer.status_code, answer.json()))
                return
            if answer.status_code not in PASSING:
                with self._lock:
                    self.surprises.append(f"POST /v1/generate: {answer.status_code} {answer.text}")
            self._given_up.wait(1.0)
