"""A large installation: 10,000 feeds polled as their owners do, and 1,000 jobs a minute.

    PYTHONPATH=. python bench/installation.py [--feeds 10000] [--jobs-per-minute 1000]
        [--seconds 60] [--workers 1 2 4]

PostgreSQL, Redis, a web server of two processes, a scheduler and a number of workers, with the
scripted model. Each feed is polled every 15 minutes at a random moment, and one in ten of them has
a post, which is confirmed. Polls and jobs come at their times whether or not the service keeps up;
latency counts from these times. Per number of workers it prints percentiles, jobs accepted and
finished, and processor time and memory of each part. What is busiest is the first bottleneck.
"""

import argparse
import os
import secrets
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from threading import Lock, local

import requests
from sqlalchemy import create_engine, delete, func, insert, select, update

from app.adapters.system_clock import SystemClock
from app.core.credentials import fingerprint, hint, make_token_id
from app.services import accounts
from app.store import database, models
from app.store.rows import new_id
from tests.support.contexts import context_at
from tests.support.crashes.programs import Program, descendants
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.service import MODEL_KEY, ScriptedModel
from tests.support.startup import free_port

POLL_SECONDS = 900.0
ONE_IN = 10
CLIENTS = 32
TICKS = os.sysconf("SC_CLK_TCK")
PARTS = ("web", "workers", "scheduler", "postgres", "redis", "model", "clients")


@dataclass
class Calls:
    """The answers to one kind of call."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0

    def said(self) -> str:
        """Return the percentiles in milliseconds."""
        if len(self.seconds) < 2:
            return f"{len(self.seconds)} answered, {self.failed} failed"
        cut = statistics.quantiles(self.seconds, n=1000, method="inclusive")
        figures = ", ".join(
            f"p{name} {cut[at] * 1000:.0f}"
            for name, at in (("50", 499), ("95", 949), ("99", 989), ("99.9", 998))
        )
        return f"{len(self.seconds)} answered, {self.failed} failed, {figures} ms"


def processor_seconds(pids: Sequence[int]) -> float:
    """Return what these processes and their ended children have used."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/stat").read_text(encoding="latin-1")
        except OSError:
            continue
        total += sum(int(ticks) for ticks in text.rpartition(")")[2].split()[11:15])
    return total / TICKS


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


class Installation:
    """The service and its feeds."""

    def __init__(self, group: ProcessGroup, feeds: int) -> None:
        self.group = group
        self.model = ScriptedModel(group)
        self.postgres, self.redis = PostgresServer(group), RedisServer(group)
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        self._settings = {
            "COPYDESK_DATA_DIR": str(group.folder),
            "COPYDESK_DATABASE_URL": self.postgres.create_database(),
            "COPYDESK_REDIS_URL": self.redis.url,
            "COPYDESK_PUBLIC_URL": self.url,
            "COPYDESK_MODEL": "scripted",
            "OPENAI_BASE_URL": self.model.url,
            "OPENAI_API_KEY": MODEL_KEY,
        }
        database.bind(self._settings["COPYDESK_DATABASE_URL"])
        database.migrate()
        limits = {"requests_per_minute": 10**6, "requests_per_day": 10**7, "monthly_words": 10**9}
        accounts.update_plan("scale", limits)
        context = context_at(SystemClock())
        account = accounts.create_account(context, "A customer", "scale")
        self.key = accounts.create_key(context, account).secret
        database.dispose()
        self.engine = create_engine(self._settings["COPYDESK_DATABASE_URL"])
        self.tokens = self._add_feeds(account, feeds)
        command = f"web --processes 2 --port {port}"
        self.web = self._program("web", command, "listening on", "2")
        self.scheduler = self._program("scheduler", "scheduler", "ticking", "2")

    def workers(self, number: int) -> Program:
        """Start this number of workers."""
        return self._program(f"workers-{number}", "worker", "waiting for work", str(number))

    def _program(self, name: str, command: str, says: str, workers: str) -> Program:
        settings = {**self._settings, "COPYDESK_WORKERS": workers}
        program = Program(self.group, name, command, settings, says)
        program.start()
        return program

    def _add_feeds(self, account: str, number: int) -> list[str]:
        now, tokens = datetime.now(UTC), []
        feeds, rules, items = [], [], []
        post = {"title": "A post", "slugSuggestion": "a-post", "sections": [], "conclusion": "So."}
        for each in range(number):
            token, feed, rule = make_token_id(secrets.token_bytes(32)), new_id("tok"), new_id("rul")
            tokens.append(token)
            feeds.append({"id": feed, "account_id": account, "name": f"Blog {each}",
                          "hash": fingerprint(token), "hint": hint(token), "paused": False,
                          "created_at": now})  # fmt: skip
            rules.append({"id": rule, "token_id": feed, "name": "Coffee", "name_key": "coffee",
                          "request": {"keywords": ["coffee"]}, "offers": [],
                          "every_seconds": 86_400, "paused": False, "created_at": now,
                          "next_due_at": now + timedelta(hours=12)})  # fmt: skip
            if each % ONE_IN == 0:
                items.append({"id": new_id("itm"), "token_id": feed, "rule_id": rule,
                              "status": "pending", "delivery_count": 0, "title": "A post",
                              "post": post, "markdown": "A sentence. " * 500,
                              "html": "A sentence. " * 500, "generated_at": now,
                              "updated_at": now})  # fmt: skip
        with self.engine.begin() as connection:
            for table, rows in (
                (models.Feed, feeds),
                (models.Rule, rules),
                (models.FeedItem, items),
            ):
                connection.execute(insert(table), rows)
        return tokens

    def clear(self) -> None:
        """Forget the jobs that were not begun, and make all items pending again."""
        with self.engine.begin() as connection:
            connection.execute(delete(models.Job).where(models.Job.status == "queued"))
            connection.execute(update(models.FeedItem).values(status="pending", delivery_count=0))
        self.redis.flush()

    def finished(self) -> int:
        """How many jobs have ended."""
        ended = models.Job.status.in_(("succeeded", "failed"))
        with self.engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(models.Job).where(ended)) or 0

    def pids(self, workers: Program) -> dict[str, list[int]]:
        """Return the processes of each part."""
        roots = {
            "web": self.web.process.pid,
            "workers": workers.process.pid,
            "scheduler": self.scheduler.process.pid,
            "postgres": self.postgres.process.pid,
            "redis": self.redis.process.pid,
            "model": self.model.process.pid,
        }
        return {name: [pid, *descendants(pid)] for name, pid in roots.items()} | {
            "clients": [os.getpid()]
        }


def load(installation: Installation, seconds: float, jobs_per_minute: int) -> tuple[Calls, Calls]:
    """Let owners and customers call for so long; return the polls and the new jobs."""
    random, own, lock = Random(1), local(), Lock()
    polls, jobs = Calls(), Calls()

    def session() -> requests.Session:
        if not hasattr(own, "session"):
            own.session = requests.Session()
        return own.session  # type: ignore[no-any-return]

    def poll() -> bool:
        base = f"{installation.url}/v1/content-tokens/{random.choice(installation.tokens)}"
        answer = session().get(f"{base}/latest", timeout=60)
        if answer.ok and answer.json().get("available"):
            item = answer.json()["item"]["id"]
            return session().post(f"{base}/items/{item}/confirm", timeout=60).ok
        return answer.ok

    def new_job() -> bool:
        name = secrets.token_hex(8)
        body = {
            "generateRequest": {"keywords": ["tea notes"], "topic": name,
                                "constraints": {"maxWords": 350}},
            "format": {"responseTypes": ["markdown"]},
            "idempotencyKey": name,
        }  # fmt: skip
        headers = {"Authorization": f"Bearer {installation.key}"}
        answer = session().post(
            f"{installation.url}/v1/jobs", json=body, headers=headers, timeout=60
        )
        return answer.status_code == 202

    def make(call: Callable[[], bool], calls: Calls, at: float) -> None:
        try:
            good = call()
        except requests.RequestException:
            good = False
        with lock:
            if good:
                calls.seconds.append(time.monotonic() - at)
            else:
                calls.failed += 1

    began = time.monotonic()
    due = [(random.uniform(0, seconds), poll, polls)
           for _ in range(round(len(installation.tokens) * seconds / POLL_SECONDS))]  # fmt: skip
    due += [(random.uniform(0, seconds), new_job, jobs)
            for _ in range(round(jobs_per_minute * seconds / 60))]  # fmt: skip
    with ThreadPoolExecutor(CLIENTS) as pool:
        for at, call, calls in sorted(due, key=lambda each: each[0]):
            time.sleep(max(0.0, began + at - time.monotonic()))
            pool.submit(make, call, calls, began + at)
    return polls, jobs


def main() -> None:
    """Print a paragraph for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feeds", type=int, default=10_000)
    parser.add_argument("--jobs-per-minute", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    args = parser.parse_args()
    with ProcessGroup() as group:
        installation = Installation(group, args.feeds)
        for number in args.workers:
            installation.clear()
            workers = installation.workers(number)
            before = {
                name: processor_seconds(pids) for name, pids in installation.pids(workers).items()
            }
            done, began = installation.finished(), time.monotonic()
            polls, jobs = load(installation, args.seconds, args.jobs_per_minute)
            took, ended = time.monotonic() - began, installation.finished() - done
            pids = installation.pids(workers)
            used = {name: processor_seconds(pids[name]) - before[name] for name in PARTS}
            print(f"{number} workers, {took:.0f} s, load of the machine {os.getloadavg()[0]:.0f}")
            print(f"  polls: {polls.said()}\n  new jobs: {jobs.said()}")
            print(
                f"  jobs ended: {ended}, {ended / took * 60:.0f} a minute; worker time per job"
                f" {used['workers'] / max(1, ended):.2f} s, of the model"
                f" {used['model'] / max(1, ended):.2f} s,"
                f" postgres {used['postgres'] / max(1, ended):.3f} s"
            )
            for name in PARTS:
                sizes = megabytes(pids[name])
                print(
                    f"  {name}: {used[name] / took:.2f} processors, {len(sizes)} processes,"
                    f" {sum(sizes)} MB, the largest {max(sizes, default=0)} MB"
                )
            workers.kill()


if __name__ == "__main__":
    main()
