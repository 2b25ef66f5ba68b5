"""Finds pages with a SearXNG instance of the operator's own, through its JSON API."""

from collections.abc import Sequence
from urllib.parse import urlencode

from app.adapters.bounded_http import Request
from app.adapters.json_search import ask, hits
from app.core.text import primary_subtag
from app.ports import Hit, SourceProvider

_PROBLEMS = {
    403: "its JSON API is off; add json to search.formats in its settings.yml",
    429: "its limiter refuses us; let this host through, or turn the limiter off",
}


class SearxngSources(SourceProvider):
    """A SourceProvider.

    Args:
        url: the instance's address; as the operator chose it, it may be a private one.
    """

    name = "SearXNG"

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        asked = {"q": query, "format": "json", "language": primary_subtag(language)}
        answer = ask(
            self.name,
            f"{self._url}/search?{urlencode(asked)}",
            Request(headers={"accept": "application/json"}),
            problems=_PROBLEMS,
            allow_private=True,
        )
        return hits(self.name, answer.get("results"), "publishedDate", limit)
