"""Finds pages with Brave's web search, by key."""

from collections.abc import Sequence
from urllib.parse import urlencode

from app.adapters.bounded_http import Request
from app.adapters.json_search import KeyedSearch, ask, hits
from app.core.text import primary_subtag
from app.ports import Hit

_MOST_RESULTS = 20
_MOST_CHARS = 400
_PROBLEMS = {
    401: "check COPYDESK_BRAVE_API_KEY",
    403: "check COPYDESK_BRAVE_API_KEY and its plan",
    422: "check COPYDESK_BRAVE_API_KEY",
    429: "the plan's limit is reached",
}
# Brave has codes of its own for some languages.
_LANGUAGES = {"ja": "jp", "pt": "pt-pt", "zh": "zh-hans", "no": "nb"}


class BraveSources(KeyedSearch):
    """A SourceProvider; its key is a subscription token."""

    name = "Brave Search"
    API = "https://api.search.brave.com/res/v1/web/search"

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        tag = language.lower()
        code = "pt-br" if tag == "pt-br" else primary_subtag(tag)
        asked = {
            "q": query[:_MOST_CHARS],
            "count": str(min(limit, _MOST_RESULTS)),
            "search_lang": _LANGUAGES.get(code, code),
            "result_filter": "web",
            "text_decorations": "false",
        }
        answer = ask(
            self.name,
            f"{self._api}?{urlencode(asked)}",
            Request(headers={"accept": "application/json", "x-subscription-token": self._key}),
            problems=_PROBLEMS,
            allow_private=self._allow_private,
        )
        web = answer.get("web")
        # A search without results has no member for them.
        found = web.get("results") if isinstance(web, dict) else [] if web is None else web
        return hits(self.name, found, "page_age", limit)
