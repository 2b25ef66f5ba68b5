"""Find pages with a search service: SearXNG, Brave or Tavily."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from app.adapters.bounded_http import Request, Unreachable, exchange
from app.adapters.stated_times import moment
from app.core.addresses import web_target
from app.ports import Hit, SourceProvider, SourcesUnavailable
from app.rules.languages import primary_subtag
from app.sources.text import bounded_title

_SECONDS = 15.0
_MAX_BYTES = 2_000_000
# Limits of Brave and Tavily.
_MAX_RESULTS = 20
_MAX_QUERY_CHARS = 400
# Brave has its own codes for some languages.
_BRAVE_LANGUAGES = {"ja": "jp", "pt": "pt-pt", "zh": "zh-hans", "no": "nb"}


class _JsonSearch(SourceProvider):
    """A search service that answers with JSON."""

    _date: ClassVar[str]
    """The member of a result that has its date."""
    _problems: ClassVar[Mapping[int, str]]
    """What a status means or what to do about it, as the end of a sentence."""

    def __init__(self, url: str, allow_private: bool, **headers: str) -> None:
        self._url, self._allow_private = url, allow_private
        self._headers = {"accept": "application/json", **headers}

    def _ask(self, query: Mapping[str, str], body: bytes = b"") -> dict[str, Any]:
        """Return the JSON object of a 200 answer. A body is posted.

        Raises:
            SourcesUnavailable: any other answer, or no answer.
        """
        try:
            url = f"{self._url}?{urlencode(query)}" if query else self._url
            target = web_target(url, self._allow_private)
        except ValueError as problem:
            raise SourcesUnavailable(f"The address of {self.name} {problem}.") from None
        request = Request(self._headers, body)
        deadline = time.monotonic() + _SECONDS
        try:
            answer = exchange(target, request, deadline=deadline, max_bytes=_MAX_BYTES)
        except TimeoutError:
            raise SourcesUnavailable(
                f"{self.name} gave no answer within {_SECONDS:g} seconds."
            ) from None
        except Unreachable as problem:
            raise SourcesUnavailable(f"{self.name}: {problem}") from None
        if answer.status != 200:
            meaning = self._problems.get(answer.status, "")
            raise SourcesUnavailable(
                f"{self.name} answered with status {answer.status}{meaning and f': {meaning}'}."
            )
        try:
            said = json.loads(answer.body)
        except (ValueError, RecursionError):
            raise SourcesUnavailable(f"{self.name} answered something that is not JSON.") from None
        if not isinstance(said, dict):
            raise SourcesUnavailable(f"{self.name} answered JSON that is not an object.")
        return said

    def _hits(self, results: object, limit: int) -> list[Hit]:
        """Return the results that have a web address.

        Raises:
            SourcesUnavailable: ``results`` is not a list.
        """
        if not isinstance(results, list):
            raise SourcesUnavailable(f"{self.name} answered JSON without a list of results.")
        found = []
        for result in results:
            if not isinstance(result, dict):
                continue
            url, title = result.get("url"), result.get("title")
            if isinstance(url, str) and url.startswith(("http://", "https://")):
                known = bounded_title(title) if isinstance(title, str) else ""
                found.append(Hit(url, known, moment(result.get(self._date) or "")))
        return found[:limit]


class SearxngSources(_JsonSearch):
    """The JSON API of the operator's own SearXNG instance, which may have a private address."""

    name = "SearXNG"
    _date = "publishedDate"
    _problems: ClassVar = {
        403: "its JSON API is off; add json to search.formats in its settings.yml",
        429: "its limiter refuses us; let this host through, or turn the limiter off",
    }

    def __init__(self, url: str) -> None:
        super().__init__(f"{url.rstrip('/')}/search", allow_private=True)

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        asked = {"q": query, "format": "json", "language": primary_subtag(language)}
        return self._hits(self._ask(asked).get("results"), limit)


class BraveSources(_JsonSearch):
    """Brave's web search; the key is a subscription token."""

    name = "Brave Search"
    _date = "page_age"
    _problems: ClassVar = {
        401: "check COPYDESK_BRAVE_API_KEY",
        403: "check COPYDESK_BRAVE_API_KEY and its plan",
        422: "check COPYDESK_BRAVE_API_KEY",
        429: "the plan's limit is reached",
    }

    def __init__(
        self,
        key: str,
        *,
        api: str = "https://api.search.brave.com/res/v1/web/search",
        allow_private: bool = False,
    ) -> None:
        super().__init__(api, allow_private, **{"x-subscription-token": key})

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        tag = language.lower()
        code = "pt-br" if tag == "pt-br" else primary_subtag(tag)
        asked = {
            "q": query[:_MAX_QUERY_CHARS],
            "count": str(min(limit, _MAX_RESULTS)),
            "search_lang": _BRAVE_LANGUAGES.get(code, code),
            "result_filter": "web",
            "text_decorations": "false",
        }
        web = self._ask(asked).get("web")
        # A search without results has no member for them.
        found = web.get("results") if isinstance(web, dict) else [] if web is None else web
        return self._hits(found, limit)


class TavilySources(_JsonSearch):
    """Tavily's search. It has no language filter: other languages are rejected later."""

    name = "Tavily"
    _date = "published_date"
    _problems: ClassVar = {
        401: "check COPYDESK_TAVILY_API_KEY",
        429: "too many searches in a short time",
        432: "the plan's limit is reached",
        433: "the limit of the pay-as-you-go plan is reached",
    }

    def __init__(
        self, key: str, *, api: str = "https://api.tavily.com/search", allow_private: bool = False
    ) -> None:
        headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
        super().__init__(api, allow_private, **headers)

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        asked = {
            "query": query[:_MAX_QUERY_CHARS],
            "max_results": min(limit, _MAX_RESULTS),
            "search_depth": "basic",
        }
        return self._hits(self._ask({}, json.dumps(asked).encode()).get("results"), limit)
