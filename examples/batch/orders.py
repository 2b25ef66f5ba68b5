"""The orders of both batches, and the files with their posts."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from copydesk import GenerateRequest, Generation


@dataclass(frozen=True)
class Order:
    """A row of the CSV file."""

    id: str
    request: GenerateRequest

    @property
    def key(self) -> str:
        """The idempotency key: the post of an order is written and billed once."""
        return f"order-{self.id}"


def open_orders(file: Path, folder: Path) -> Iterator[Order]:
    """Yield the orders that have no post yet."""
    with file.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if not _path(folder, row["id"]).exists():
                yield Order(
                    row["id"],
                    {
                        "keywords": row["keywords"].split(";"),
                        "topic": row["topic"] or None,
                        "max_words": int(row["max_words"]),
                    },
                )


def save(folder: Path, order: Order, generation: Generation) -> None:
    """Store the post of an order, all of it or nothing."""
    path = _path(folder, order.id)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(generation.rendered.markdown or "", encoding="utf-8")
    unfinished.replace(path)


def _path(folder: Path, order_id: str) -> Path:
    return folder / f"{order_id}.md"
