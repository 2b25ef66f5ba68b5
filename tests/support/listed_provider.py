"""A source provider with fixed results."""

from collections.abc import Sequence
from datetime import datetime

from app.ports import Hit, SourceProvider


class ListedPages(SourceProvider):
    """Answers every search with these pages."""

    name = "list"

    def __init__(self, urls: Sequence[str], published_at: datetime | None = None) -> None:
        self._hits = [Hit(url, "", published_at) for url in urls]

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        return self._hits
