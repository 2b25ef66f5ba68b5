"""What it costs to look up the claims of a post among those of the earlier posts of its feed.

    python bench/claims.py [--posts 10000] [--rounds 40]

Two archives on SQLite, of 100 posts and of --posts, about the same things: the larger one has a
hundred times as many claims under the same keys. Both are asked in turn for the claims of the same
posts, so that both see the same machine. Times are medians of processor time in milliseconds: of
the query, and of the whole look-up with the comparison.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from app.core.checks import Kind, Passage, claimed
from app.services.claims import Ledger
from app.store import claims as store
from app.store import database
from tests.support.claim_posts import TUNED, Written, posts
from tests.support.concurrent_processes import connected

SCOPE = "tkn_01ARZ3NDEKTSV4RRFFQ69G5FAV"
SMALL = 100
_NOW = datetime(2026, 1, 31, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--posts", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    written = list(posts(options.posts, 0, TUNED))
    asked = list(posts(options.rounds, options.rounds // 2, TUNED))
    table = Table("posts", "query, ms", "look-up with comparison, ms", "warned of")
    with tempfile.TemporaryDirectory() as folder:
        for size in (SMALL, options.posts):
            with connected(f"sqlite:///{Path(folder) / str(size)}.db"):
                database.bound().migrate()
                _fill(written[:size])
                table.add_row(f"{size:,}", *_measured(asked))
    Console().print(table)


def _fill(written: list[Written]) -> None:
    with database.writing() as session:
        for post in written:
            claims = [claim for _, _, claim in claimed(_passages(post), "en")]
            store.add(session, SCOPE, (f"itm_{post.number:08}", post.title), claims, _NOW)


def _measured(asked: list[Written]) -> tuple[str, str, str]:
    queries, whole, warned = [], [], 0
    for post in asked:
        texts = _passages(post)
        keys = {key for _, _, claim in claimed(texts, "en") for key in claim.keys}

        def query(keys: set[int] = keys) -> None:
            with database.reading() as session:
                store.find(session, SCOPE, keys)

        query()
        queries.append(_milliseconds(query))
        ledger = Ledger(SCOPE)
        warned += bool(ledger.findings(texts, "en"))

        def look_up(texts: list[Passage] = texts, ledger: Ledger = ledger) -> None:
            ledger.findings(texts, "en")

        whole.append(_milliseconds(look_up))
    return f"{median(queries):.2f}", f"{median(whole):.2f}", f"{warned} of {len(asked)}"


def _milliseconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1000


def _passages(post: Written) -> list[Passage]:
    return [Passage("sections[0]", Kind.PROSE, " ".join(post.sentences))]


if __name__ == "__main__":
    main()
