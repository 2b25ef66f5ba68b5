"""Customers that ask for posts while the service dies around them, and note what they are told."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from random import Random
from threading import Event, Lock
from typing import Any

import requests

from tests.support.webhook_receiver import Receiver

CUSTOMERS = 8
# The number of open jobs at which a customer waits for one to end before it creates the next, so
# that jobs are accepted, written and delivered all the time.
OPEN_JOBS = 3
DEADLINE_SECONDS = 200.0
DEADLINE_SECONDS_PER_JOB = 5.0
ENDED = frozenset({"succeeded", "failed"})
EVENTS: tuple[list[str], ...] = (
    ["job.succeeded", "job.failed"],
    ["job.succeeded"],
    ["job.failed"],
    [],
)
WORDS_TOO_MANY = 1_000_000


@dataclass
class Asked:
    """One job as its customer knows it: what was asked, what was answered, and how it ended."""

    number: int
    body: dict[str, Any]
    events: list[str]
    accepted: list[dict[str, Any]] = field(default_factory=list)
    ended: dict[str, Any] | None = None

    @property
    def hook(self) -> str:
        """The path of its webhooks."""
        return f"/hooks/{self.number}"

    @property
    def job_id(self) -> str:
        """The id that its customer was given."""
        return str(self.accepted[0]["jobId"])

    @property
    def breaks_the_plan(self) -> bool:
        """Whether it can only fail."""
        return bool(self.body["generateRequest"]["constraints"]["maxWords"] == WORDS_TOO_MANY)


class Customers:
    """Some threads that share a key: each posts jobs, polls them, and repeats what failed."""

    def __init__(
        self,
        url: str,
        api_key: str,
        receiver: Receiver,
        count: int,
        seed: int,
        open_jobs: int = OPEN_JOBS,
    ) -> None:
        random = Random(seed)
        self.asked = [_job(number, receiver, random) for number in range(count)]
        self.statuses: Counter[str] = Counter()
        # Answers that a customer should never see.
        self.surprises: list[str] = []
        self.accepted = self.ended = 0
        self._url = url
        self._open_jobs = open_jobs
        self.api_key = api_key
        self.headers = {"Authorization": f"Bearer {api_key}"}
        self._seed = seed
        self._lock = Lock()
        self._closed = Event()
        self._until = time.monotonic() + DEADLINE_SECONDS + count * DEADLINE_SECONDS_PER_JOB

    @property
    def progress(self) -> int:
        """How many jobs were accepted, and how many of them ended."""
        return self.accepted + self.ended

    def work(self) -> None:
        """Ask for everything and follow it to its end.

        Raises:
            AssertionError: that takes too long.
        """
        try:
            with ThreadPoolExecutor(CUSTOMERS) as pool:
                for done in as_completed(pool.submit(self._customer, n) for n in range(CUSTOMERS)):
                    if done.exception():
                        self.give_up()
                    done.result()
        finally:
            self.asked = [asked for asked in self.asked if asked.accepted]

    def close(self) -> None:
        """Ask for nothing more, and let ``work`` end once everything accepted has ended. Only that
        is left in ``asked``."""
        self._closed.set()

    def give_up(self) -> None:
        """Let ``work`` end with an error soon."""
        self._until = time.monotonic()

    def _customer(self, number: int) -> None:
        random = Random(f"{self._seed}/{number}")
        mine = self.asked[number::CUSTOMERS]
        with requests.Session() as session:
            session.headers.update(self.headers)
            for asked in mine:
                if self._closed.is_set():
                    break
                self._post(session, asked, random)
                self._watch(session, mine, self._open_jobs - 1)
            self._watch(session, mine, 0)

    def _post(self, session: requests.Session, asked: Asked, random: Random) -> None:
        """Post a job until it is accepted; now and then once more, as a client that died would."""
        repetitions = 2 if random.random() < 0.25 else 1
        while len(asked.accepted) < repetitions:
            answer = self._call(session, "POST", "/v1/jobs", json=asked.body)
            if answer is not None and answer.status_code == 202:
                asked.accepted.append(answer.json())
            else:
                Event().wait(random.uniform(0.05, 0.3))
        with self._lock:
            self.accepted += 1

    def _watch(self, session: requests.Session, mine: list[Asked], enough: int) -> None:
        """Look at the accepted jobs that have not ended until there are so few of them."""
        while len(left := [asked for asked in mine if asked.accepted and not asked.ended]) > enough:
            for asked in left:
                answer = self._call(session, "GET", f"/v1/jobs/{asked.job_id}")
                if answer is None or answer.status_code != 200:
                    continue
                job = answer.json()
                if job["status"] in ENDED:
                    asked.ended = job
                    with self._lock:
                        self.ended += 1
                else:
                    assert not {"result", "rendered", "quality", "error"} & job.keys()
            Event().wait(0.2)

    def _call(
        self, session: requests.Session, method: str, path: str, **content: Any
    ) -> requests.Response | None:
        """One call; None where it was cut off, refused or not answered in time."""
        told = f"{dict(self.statuses)}, {self.surprises[:5]}"
        assert time.monotonic() < self._until, f"too late for {method}; {told}"
        try:
            answer = session.request(method, self._url + path, timeout=(5, 60), **content)
        except requests.RequestException as error:
            self._note(f"{method} {type(error).__name__}")
            return None
        self._note(f"{method} {answer.status_code}")
        if answer.status_code == 503:
            assert answer.json()["error"]["code"] == "SERVICE_UNAVAILABLE"
            assert int(answer.headers["Retry-After"]) > 0
        elif answer.status_code != (202 if method == "POST" else 200):
            with self._lock:
                self.surprises.append(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer

    def _note(self, what: str) -> None:
        with self._lock:
            self.statuses[what] += 1


def _job(number: int, receiver: Receiver, random: Random) -> Asked:
    events = EVENTS[0] if random.random() < 0.7 else random.choice(EVENTS[1:])
    max_words = WORDS_TOO_MANY if random.random() < 0.1 else 350
    body: dict[str, Any] = {
        "generateRequest": {
            "keywords": [f"{random.choice(('tea', 'coffee', 'bread', 'garden'))} notes"],
            "topic": f"Number {number}",
            "constraints": {"maxWords": max_words},
        },
        "format": {"responseTypes": ["markdown"]},
        "idempotencyKey": f"{random.getrandbits(64):016x}-{number}",
    }
    asked = Asked(number, body, events)
    if events:
        body["webhook"] = {"url": receiver.url(asked.hook), "events": events}
    return asked
