"""Read untrusted web pages through the guard, within limits, and only as robots.txt allows.

The target of a redirect is checked like any other URL. `publicsuffixlist` finds the registered part
of a host: its weekly releases contain the list, so nothing is downloaded, unlike with `tldextract`;
the list of `publicsuffix2` is from 2019.
"""

import time
from collections.abc import Collection
from contextlib import suppress
from functools import cache, partial
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

from publicsuffixlist import PublicSuffixList

from app.adapters.bounded_http import Answer, Request, Unreachable, Unusable, exchange
from app.adapters.page_process import read_page
from app.adapters.robots import MAX_ROBOTS_BYTES, Hosts
from app.adapters.stated_times import moment
from app.core.addresses import WebTarget, web_target
from app.ports import PageReader, PageRefused, PageUnavailable
from app.sources.source import Page

MAX_BYTES = 2_000_000
MAX_REDIRECTS = 5
PAGE_SECONDS = 15.0
HTML = frozenset({"text/html", "application/xhtml+xml"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class HttpPageReader(PageReader):
    """Reads pages over HTTP. Safe to call from several threads.

    Args:
        allow_private: also read private addresses, local names and every port.
        page_seconds: for one page of a host including its robots.txt.
    """

    def __init__(self, allow_private: bool, *, page_seconds: float = PAGE_SECONDS) -> None:
        self._allow_private, self._page_seconds = allow_private, page_seconds
        self._hosts = Hosts()

    def site(self, url: str) -> str:
        try:
            host = web_target(url, allow_private=True).host
        except ValueError:
            return ""
        try:
            ip_address(host)
        except ValueError:
            return _suffixes().privatesuffix(host) or host
        return host

    def read(self, url: str, seconds: float) -> Page:
        until = time.monotonic() + seconds
        url, answer = self.fetch(url, HTML, seconds)
        _, charset = answer.content_type
        left = until - time.monotonic()
        found = read_page("html", answer.body, left, charset=charset, url=url)
        found["published_at"] = moment(found["published_at"])
        return Page(url=url, site=self.site(url), **found)

    def fetch(self, url: str, types: Collection[str], seconds: float) -> tuple[str, Answer]:
        """Follow redirects; return the final URL, and the answer with a body of one of these types.

        Raises:
            PageRefused: as ``read``.
        """
        until = time.monotonic() + seconds
        for _ in range(MAX_REDIRECTS + 1):
            try:
                target = web_target(url, self._allow_private)
            except ValueError as problem:
                raise PageRefused(f"The page's URL {problem}.") from None
            try:
                with self._hosts.turn(target.authority, until) as host:
                    deadline = min(until, time.monotonic() + self._page_seconds)
                    robots = partial(self._robots_txt, target, deadline, is_cut=deadline == until)
                    host.check(target, robots)
                    answer = self._exchange(target, types, deadline, MAX_BYTES)
                if answer.status == 200:
                    return url, answer
                if answer.status not in _REDIRECTS:
                    kind = PageUnavailable if answer.is_momentary else PageRefused
                    raise kind(f"{target.site} answered with status {answer.status}.")
                url = _redirected(url, answer, target)
            except Unusable as problem:
                raise PageRefused(str(problem)) from None
            except Unreachable as problem:
                raise PageUnavailable(str(problem)) from None
            except TimeoutError:
                raise PageUnavailable(f"{target.site} gave no whole answer in time.") from None
        raise PageRefused(f"{target.site} redirects more than {MAX_REDIRECTS} times.")

    def _robots_txt(self, target: WebTarget, deadline: float, *, is_cut: bool) -> Answer:
        """Return the site's answer; ``is_cut`` if the page has less than its full time."""
        url = f"{target.scheme}://{target.authority}/robots.txt"
        with suppress(ValueError):
            for _ in range(MAX_REDIRECTS + 1):
                at = web_target(url, self._allow_private)
                try:
                    answer = self._exchange(at, (), deadline, MAX_ROBOTS_BYTES)
                except TimeoutError:
                    if is_cut:
                        raise  # it says nothing about the site
                    raise Unreachable("It takes too long.") from None
                if answer.status not in _REDIRECTS:
                    return answer
                url = _redirected(url, answer, at)
        raise Unreachable("It leads nowhere.")

    def _exchange(
        self, target: WebTarget, types: Collection[str], deadline: float, max_bytes: int
    ) -> Answer:
        accept = ", ".join(sorted(types)) or "text/plain"
        request = Request(headers={"accept": accept}, types=types)
        return exchange(target, request, deadline=deadline, max_bytes=max_bytes)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _redirected(url: str, answer: Answer, target: WebTarget) -> str:
    location = answer.headers.get("location", "").strip()
    try:
        # A fragment is not sent to servers.
        return urlsplit(urljoin(url, location))._replace(fragment="").geturl() if location else ""
    except ValueError:
        raise Unreachable(f"{target.site} redirects to something that is not a URL.") from None
