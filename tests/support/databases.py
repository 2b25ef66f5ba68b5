"""A database as another process sees it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL

from app.store import database


@contextmanager
def another_connection(url: str | URL) -> Iterator[None]:
    """What is read and written meanwhile has connections and a turn to write of its own."""
    with database.connect(url).app_context():
        yield
        database.dispose()
