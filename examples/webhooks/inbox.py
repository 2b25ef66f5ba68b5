"""An inbox of webhook events in a SQLite file: each event is stored once.

Run it to work on the events that are waiting:

    python examples/webhooks/inbox.py
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from copydesk import WebhookEvent

FILE = os.environ.get("INBOX", "inbox.db")


@contextmanager
def transaction() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(FILE)) as database, database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS inbox"
            " (key TEXT PRIMARY KEY, event TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0)"
        )
        yield database


def add(event: WebhookEvent) -> bool:
    """Store an event; return False if it is stored already, because it was delivered before."""
    with transaction() as database:
        added = database.execute(
            "INSERT INTO inbox (key, event) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (event.key, json.dumps(event.raw)),
        )
        return added.rowcount == 1


def work() -> None:
    """Print the events that are waiting. Publish the posts here instead."""
    with transaction() as database:
        waiting = database.execute("SELECT key, event FROM inbox WHERE NOT done").fetchall()
    for key, text in waiting:
        event = json.loads(text)
        print(key, event["post"]["title"] if "post" in event else event.get("error"))
        # If the program stops before this line, the event is printed again.
        with transaction() as database:
            database.execute("UPDATE inbox SET done = 1 WHERE key = ?", (key,))


if __name__ == "__main__":
    work()
