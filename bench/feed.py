"""What a pull costs beside the database's own work, and that it costs the same however much is
stored. Each row is a ratio taken in one run.

    python bench/feed.py [--postgresql] [--items 1000000] [--rounds 5]

The peers are the same statements by the bare driver, behind bare Flask routes (bench/bare_feed.py).
The second peer of a poll has these routes behind the service's own front as well: what is left is
what the service does in Flask. All servers are processes of their own on the same web server,
database and settings, with the same durability; the rounds take turns, so that other work on the
machine weighs on all alike.
"""

import argparse
import secrets
import sys
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from statistics import median

import requests
from rich.console import Console
from rich.table import Table
from sqlalchemy import JSON, NullPool, bindparam, create_engine, insert, text

from app.core.credentials import fingerprint, make_token_id
from app.store import database, models
from bench.load import CONNECTIONS, deliveries_per_second, requests_per_second
from tests.support import postgres
from tests.support.process_group import ProcessGroup
from tests.support.service import ROOT
from tests.support.startup import free_port, wait_until

SIZES = (1_000, 100_000, 1_000_000)
TOKENS = 10
# Of each token that is pulled; all else that is stored was used long ago.
PENDING = 100
POLL_SECONDS = 1.0
_FIRST = 10_000_000
_FILL = text(
    """
    INSERT INTO feed_items (id, token_id, rule_id, status, delivery_count, title, post, markdown,
                            html, generated_at, updated_at)
    WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)
    SELECT 'itm_' || (:first + n), 'tok_' || (n % :tokens), 'rul_' || (n % :tokens),
           CASE WHEN n >= :used AND n % :tokens < :pulled THEN 'pending' ELSE 'used' END, 0,
           'An article', :post, 'Text.', '<p>Text.</p>', :now, :now
    FROM numbers
    """
).bindparams(bindparam("post", type_=JSON))
_PUT_BACK = text(
    "UPDATE feed_items SET status = 'pending', delivery_count = 0"
    " WHERE id >= :first AND status = 'used' AND token_id < :above"
)
Rates = dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--items", type=int, default=SIZES[-1])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    sizes = [size for size in SIZES if size <= options.items]
    with ProcessGroup() as group:
        server = None
        if options.postgresql:
            # The tests do not wait for the disk; what is measured here does.
            postgres.SETTINGS.update(fsync="on", full_page_writes="on", autovacuum="on")
            server = postgres.PostgresServer(group)
        archives = []
        for size in sizes:
            url = server.create_database() if server else f"sqlite:///{group.folder}/{size}.db"
            archives.append(Archive(group, url, size))
        for number in range(options.rounds + 1):
            for archive in archives:
                archive.measure()
                if number == 0:
                    archive.rates.clear()  # connections, caches and prepared statements
            print(f"round {number} of {options.rounds}", file=sys.stderr)
    name = "PostgreSQL" if options.postgresql else "SQLite"
    table = Table(f"what, on {name}", "here", "the peer", "ratio", "aim")
    for archive in archives:
        stored = f"{archive.size:,} stored"
        rates = archive.rates
        for what, mine, peer, told, aim in (
            ("claim + confirm", "feed", "bare feed", "bare driver", "≥ 0.55"),
            ("empty poll", "poll", "bare poll", "bare driver", "≥ 0.6"),
            ("empty poll", "poll", "bare poll, front", "same, behind the front", ""),
        ):
            table.add_row(f"{what}, {stored}", *_compared(rates[mine], rates[peer], told), aim)
    for what, key in (("claim + confirm", "feed"), ("empty poll", "poll")):
        first, last = archives[0], archives[-1]
        compared = _compared(last.rates[key], first.rates[key], f"{first.size:,} stored")
        table.add_row(f"{what}, {last.size:,} stored", *compared, "≥ 0.9")
    Console(width=110).print(table)


def _compared(mine: list[float], peer: list[float], told: str) -> tuple[str, str, str]:
    ratio = median(one / other for one, other in zip(mine, peer, strict=True))
    return f"{median(mine):.0f}/s", f"{median(peer):.0f}/s, {told}", f"{ratio:.2f}"


class Archive:
    """A database with ``size`` items, and the three servers that use it."""

    def __init__(self, group: ProcessGroup, url: str, size: int) -> None:
        self.size = size
        self.rates: Rates = defaultdict(list)
        self._group, self._url = group, url
        self._engine = create_engine(url, poolclass=NullPool)
        self._tokens = [make_token_id(secrets.token_bytes(32)) for _ in range(TOKENS)]
        self._fill()
        settings = {"COPYDESK_DATABASE_URL": url, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
        port = free_port()
        command = ["-m", "app.cli", "web", "--port", str(port)]
        self._service = self._serve(command, settings, port, "/healthz")
        self._bare_feed = self._bare("bench.bare_feed:bare", "--interface", "wsgi")
        self._behind_front = self._bare("bench.bare_feed:behind_front", "--interface", "asgi")

    def measure(self) -> None:
        """One round: each of them once."""
        pulled = self._tokens[:CONNECTIONS]
        feeds = f"{self._service}/v1/content-tokens"
        rates = {"feed": deliveries_per_second([f"{feeds}/{token}" for token in pulled], PENDING)}
        self._put_back()
        bare = [f"{self._bare_feed}/{token}" for token in pulled]
        rates["bare feed"] = deliveries_per_second(bare, PENDING)
        self._put_back()
        for name, url in (
            ("poll", f"{feeds}/{self._tokens[-1]}/latest"),
            ("bare poll", f"{self._bare_feed}/{self._tokens[-1]}/latest"),
            ("bare poll, front", f"{self._behind_front}/{self._tokens[-1]}/latest"),
        ):
            rates[name] = requests_per_second(url, headers={}, seconds=POLL_SECONDS)
        for name, rate in rates.items():
            self.rates[name].append(rate)

    def _fill(self) -> None:
        database.bind(self._url)
        database.migrate()
        database.dispose()
        now = datetime.now(UTC)
        account = {"id": "acc_1", "name": "Bench", "plan_id": "scale", "created_at": now}
        numbered = list(enumerate(self._tokens))
        with self._engine.begin() as connection:
            connection.execute(insert(models.Account).values(account))
            connection.execute(
                insert(models.Feed),
                [
                    {"id": f"tok_{number}", "account_id": "acc_1", "name": "A blog", "hint": "",
                     "hash": fingerprint(token), "paused": False, "created_at": now}
                    for number, token in numbered
                ],
            )  # fmt: skip
            connection.execute(
                insert(models.Rule),
                [
                    {"id": f"rul_{number}", "token_id": f"tok_{number}", "name": "A rule",
                     "name_key": "a rule", "request": {"keywords": ["tea"]}, "offers": [],
                     "every_seconds": 3600, "paused": False, "created_at": now,
                     "next_due_at": now + timedelta(days=365)}
                    for number, _ in numbered
                ],
            )  # fmt: skip
            connection.execute(
                _FILL,
                {
                    "first": _FIRST, "last": self.size - 1, "tokens": TOKENS,
                    "used": self.size - PENDING * TOKENS, "pulled": CONNECTIONS, "now": now,
                    "post": {"title": "An article", "sections": [], "conclusion": "So much."},
                },
            )  # fmt: skip
            connection.execute(text("ANALYZE"))

    def _put_back(self) -> None:
        first = f"itm_{_FIRST + self.size - PENDING * TOKENS}"
        with self._engine.begin() as connection:
            connection.execute(_PUT_BACK, {"first": first, "above": f"tok_{CONNECTIONS}"})

    def _bare(self, factory: str, *interface: str) -> str:
        port = free_port()
        command = ["-m", "granian", *interface, "--factory", "--port", str(port)]
        if "wsgi" in interface:
            command += ["--blocking-threads", "16"]  # as many as the front has for short calls
        settings = {"BENCH_DATABASE_URL": self._url, "PYTHONPATH": str(ROOT)}
        command += ["--log-level", "error", factory]
        return self._serve(command, settings, port, f"/{self._tokens[-1]}/latest")

    def _serve(self, command: list[str], env: dict[str, str], port: int, path: str) -> str:
        log = self._group.folder / f"server-{port}.log"
        server = self._group.spawn([sys.executable, *command], log=log, cwd=ROOT, env=env)
        url = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            assert server.poll() is None, log.read_text()
            try:
                return requests.get(f"{url}{path}", timeout=5).ok
            except requests.ConnectionError:
                return False

        wait_until(answers, 60, f"the server answers; see {log}")
        return url


if __name__ == "__main__":
    main()
