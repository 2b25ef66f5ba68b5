"""Read untrusted web pages through the guard, within limits, and only as robots.txt allows.

The target of a redirect is checked like any other URL. `publicsuffixlist` finds the registered part
of a host: its weekly releases contain the list, so nothing is downloaded, unlike with `tldextract`;
the list of `publicsuffix2` is from 2019.
"""

import ssl
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, partial
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

from publicsuffixlist import PublicSuffixList

from app.adapters.bounded_http import Answer, Guard, Request, Unreachable, Unusable, exchange
from app.adapters.page_process import read_page
from app.adapters.robots import MAX_ROBOTS_BYTES, Hosts
from app.adapters.stated_times import moment
from app.core.addresses import WebTarget, page_target
from app.ports import Page, PageReader, PageRefused, PageUnavailable

MAX_BYTES = 2_000_000
MAX_REDIRECTS = 5
PAGE_SECONDS = 15.0
HTML = frozenset({"text/html", "application/xhtml+xml"})
_PLAIN = "text/plain"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Fetched:
    """A body, its final URL, and its declared type and charset ("" if missing)."""

    url: str
    type: str
    charset: str
    body: bytes


class HttpPageReader(PageReader):
    """Reads pages over HTTP. Safe to call from several threads.

    Args:
        allow_private: also read private addresses, local names and every port.
        page_seconds: for one page including redirects and robots.txt.
        ssl_context: the trusted certificate authorities; the system's if None.
    """

    def __init__(
        self,
        allow_private: bool,
        *,
        page_seconds: float = PAGE_SECONDS,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_private = allow_private
        self._page_seconds = page_seconds
        self._guard = Guard("pages are read", allow_private, ssl_context)
        self._hosts = Hosts()

    def site(self, url: str) -> str:
        try:
            host = page_target(url, allow_private=True).host
        except ValueError:
            return ""
        try:
            ip_address(host)
        except ValueError:
            return _suffixes().privatesuffix(host) or host
        return host

    def read(self, url: str, seconds: float) -> Page:
        until = time.monotonic() + seconds
        fetched = self.fetch(url, HTML | {_PLAIN}, seconds)
        found = read_page(
            "plain" if fetched.type == _PLAIN else "html",
            fetched.body,
            until - time.monotonic(),
            charset=fetched.charset,
            url=fetched.url,
        )
        found["published_at"] = moment(found["published_at"])
        return Page(url=fetched.url, site=self.site(fetched.url), **found)

    def fetch(self, url: str, types: Collection[str], seconds: float) -> Fetched:
        """Return a body of one of these types, following redirects.

        Raises:
            PageRefused, TimeoutError: as ``read``.
        """
        until = time.monotonic() + seconds
        # Without the time that it waits for the turns of its hosts.
        left = self._page_seconds
        try:
            for _ in range(MAX_REDIRECTS + 1):
                deadline = until
                try:
                    target = page_target(url, self._allow_private)
                except ValueError as problem:
                    raise PageRefused(f"The page's URL {problem}.") from None
                with self._hosts.turn(target.authority, until) as host:
                    began = time.monotonic()
                    deadline = min(until, began + left)
                    is_cut = deadline == until
                    robots = partial(self._robots_txt, target, deadline, is_cut=is_cut)
                    if refusal := host.refusal(target, robots):
                        raise PageRefused(refusal)
                    answer = self._exchange(target, types, deadline, MAX_BYTES)
                    left -= time.monotonic() - began
                if answer.status == 200:
                    return Fetched(url, *answer.content_type, answer.body)
                if answer.status not in _REDIRECTS:
                    kind = PageUnavailable if answer.is_momentary else PageRefused
                    raise kind(f"{target.site} answered with status {answer.status}.")
                url = _redirected(url, answer.headers, target)
        except Unusable as problem:
            raise PageRefused(str(problem)) from None
        except Unreachable as problem:
            raise PageUnavailable(str(problem)) from None
        except TimeoutError:
            if deadline == until:
                raise
            raise PageUnavailable(
                f"{target.site} gave no whole answer within {self._page_seconds:g} seconds."
            ) from None
        raise PageRefused(f"{target.site} redirects more than {MAX_REDIRECTS} times.")

    def _robots_txt(self, target: WebTarget, deadline: float, *, is_cut: bool) -> Answer:
        """Return the site's answer; ``is_cut`` if the page has less than its full time."""
        url = f"{target.scheme}://{target.authority}/robots.txt"
        for _ in range(MAX_REDIRECTS + 1):
            try:
                at = page_target(url, self._allow_private)
            except ValueError:
                break
            try:
                answer = self._exchange(at, (), deadline, MAX_ROBOTS_BYTES)
            except TimeoutError:
                if is_cut:
                    raise
                # The failure is cached, so the site's other pages do not wait for it again.
                break
            if answer.status not in _REDIRECTS:
                return answer
            url = _redirected(url, answer.headers, at)
        raise Unreachable("It leads nowhere, or takes too long.")

    def _exchange(
        self, target: WebTarget, types: Collection[str], deadline: float, max_bytes: int
    ) -> Answer:
        accept = ", ".join(sorted(types)) or "text/plain"
        request = Request(headers={"accept": accept}, types=types)
        return exchange(target, request, self._guard, deadline=deadline, max_bytes=max_bytes)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _redirected(url: str, headers: Mapping[str, str], target: WebTarget) -> str:
    location = headers.get("location", "").strip()
    try:
        # A fragment is not sent to servers.
        return urlsplit(urljoin(url, location))._replace(fragment="").geturl() if location else ""
    except ValueError:
        raise Unreachable(f"{target.site} redirects to something that is not a URL.") from None
