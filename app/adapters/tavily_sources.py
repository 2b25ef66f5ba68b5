"""Finds pages with Tavily's search, by key."""

import json
from collections.abc import Sequence

from app.adapters.bounded_http import Request
from app.adapters.json_search import KeyedSearch, ask, hits
from app.ports import Hit

_MOST_RESULTS = 20
_MOST_CHARS = 400
_PROBLEMS = {
    401: "check COPYDESK_TAVILY_API_KEY",
    429: "too many searches in a short time",
    432: "the plan's limit is reached",
    433: "the limit of the pay-as-you-go plan is reached",
}


class TavilySources(KeyedSearch):
    """A SourceProvider. Tavily takes no language: what is in another is refused as it is read."""

    name = "Tavily"
    API = "https://api.tavily.com/search"

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        asked = {
            "query": query[:_MOST_CHARS],
            "max_results": min(limit, _MOST_RESULTS),
            "search_depth": "basic",
        }
        answer = ask(
            self.name,
            self._api,
            Request(
                "POST",
                {
                    "accept": "application/json",
                    "content-type": "application/json",
                    "authorization": f"Bearer {self._key}",
                },
                json.dumps(asked).encode(),
            ),
            problems=_PROBLEMS,
            allow_private=self._allow_private,
        )
        return hits(self.name, answer.get("results"), "published_date", limit)
