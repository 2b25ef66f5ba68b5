"""Reads web pages of strangers: behind the guard, within bounds, and only what robots.txt allows.

Where a redirect leads is checked anew as if it had been asked for. The registered part of a host is
told by `publicsuffixlist`: a new list comes with each weekly release and none is ever downloaded,
while `tldextract` brings a client for doing so and `publicsuffix2` has a list of 2019.
"""

import re
import ssl
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from email.message import Message
from functools import cache, partial
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

from publicsuffixlist import PublicSuffixList

from app.adapters.bounded_http import Answer, Bounds, Request, SlowHead, exchange
from app.adapters.guarded_connection import Unreachable
from app.adapters.page_text import TextMissing, plain_text, read_html
from app.adapters.robots import MAX_ROBOTS_BYTES, Robots, Rules
from app.adapters.turns_at_hosts import TurnsAtHosts
from app.core.addresses import WebTarget, page_target
from app.ports import Page, PageReader, PageRefused

MAX_BYTES = 2_000_000
MAX_REDIRECTS = 5
PAGE_SECONDS = 15.0
# A server that says nothing for so long is asked once more, within the same 15 seconds.
HEAD_SECONDS = 6.0
HTML = frozenset({"text/html", "application/xhtml+xml"})
_PLAIN = "text/plain"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RETRY_PAUSE_SECONDS = 0.5
_WHAT = "pages are read"
_MEDIA_TYPE = re.compile(r"\s*[\w.+-]+/[\w.+-]+\s*(?:;|\Z)")


@dataclass(frozen=True)
class Fetched:
    """A body, where it was in the end, and as what it was sent (type and charset or "")."""

    url: str
    type: str
    charset: str
    body: bytes


class _Budget:
    """The seconds that one page gets; waiting for the host's turn does not count."""

    def __init__(self, seconds: float, page_seconds: float) -> None:
        self.until = time.monotonic() + seconds
        self.left = page_seconds
        self.cut_short = seconds < page_seconds

    def deadline(self) -> float:
        return min(self.until, time.monotonic() + self.left)


class HttpPageReader(PageReader):
    """The PageReader for the internet.

    Args:
        allow_private: also read private addresses, local names and every port.
        page_seconds: for one page with its redirects, retries and robots.txt.
        head_seconds: for the headers of a first attempt.
        ssl_context: whom to trust; the system's certificate authorities where it is None.
    """

    def __init__(
        self,
        allow_private: bool,
        *,
        page_seconds: float = PAGE_SECONDS,
        head_seconds: float = HEAD_SECONDS,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_private = allow_private
        self._page_seconds = page_seconds
        self._head_seconds = head_seconds
        self._ssl_context = ssl_context
        self._robots = Robots()
        self._turns = TurnsAtHosts()

    def site(self, url: str) -> str:
        try:
            host = page_target(url, allow_private=True).host
        except ValueError:
            return ""
        return registered_part(host)

    def read(self, url: str, seconds: float) -> Page:
        fetched = self.fetch(url, HTML | {_PLAIN}, seconds)
        read = plain_text if fetched.type == _PLAIN else read_html
        try:
            found = read(fetched.body, fetched.charset, fetched.url)
        except TextMissing as missing:
            raise PageRefused(str(missing)) from None
        return Page(
            url=fetched.url,
            site=self.site(fetched.url),
            title=found.title,
            text=found.text,
            language=found.language,
            published_at=found.published_at,
            main_share=found.main_share,
        )

    def fetch(self, url: str, types: Collection[str], seconds: float) -> Fetched:
        """Get a body of one of these types, redirects followed.

        Raises:
            PageRefused, TimeoutError: as ``read``.
        """
        budget = _Budget(seconds, self._page_seconds)
        try:
            for _ in range(MAX_REDIRECTS + 1):
                target = self._target(url)
                with self._turns.turn(target.authority, budget.until) as turn:
                    began = time.monotonic()
                    rules = self._rules(target, budget)
                    turn.pause_seconds = rules.delay_seconds
                    self._require_allowed(rules, target)
                    answer = self._ask_twice(target, types, budget)
                    budget.left -= time.monotonic() - began
                if answer.status not in _REDIRECTS:
                    kind, charset = _content_type(answer.headers)
                    return Fetched(url, kind, charset, answer.body)
                url = _redirected(url, answer.headers, target)
        except Unreachable as problem:
            raise PageRefused(str(problem)) from None
        except TimeoutError:
            if budget.cut_short or time.monotonic() >= budget.until:
                raise
            raise PageRefused(
                f"{target.site} gave no whole answer within {self._page_seconds:g} seconds."
            ) from None
        raise PageRefused(f"{target.site} redirects more than {MAX_REDIRECTS} times.")

    def _target(self, url: str) -> WebTarget:
        try:
            return page_target(url, self._allow_private)
        except ValueError as problem:
            raise PageRefused(f"The page's URL {problem}.") from None

    def _rules(self, target: WebTarget, budget: _Budget) -> Rules:
        return self._robots.rules(target, partial(self._robots_txt, target, budget))

    def _robots_txt(self, target: WebTarget, budget: _Budget) -> Answer:
        url = f"{target.scheme}://{target.authority}/robots.txt"
        for _ in range(MAX_REDIRECTS + 1):
            try:
                at = page_target(url, self._allow_private)
            except ValueError:
                break
            try:
                answer = self._exchange(at, None, budget, MAX_ROBOTS_BYTES)
            except TimeoutError:
                if budget.cut_short:
                    raise
                # Known from now on: else every page of the site would wait for it anew.
                break
            if answer.status not in _REDIRECTS:
                return answer
            url = _redirected(url, answer.headers, at)
        raise Unreachable("It leads nowhere, or takes too long.")

    def _require_allowed(self, rules: Rules, target: WebTarget) -> None:
        if rules.unknown:
            raise PageRefused(f"The robots.txt of {target.site} cannot be read. {rules.unknown}")
        if not rules.allows(f"{target.scheme}://{target.authority}{target.path}"):
            raise PageRefused(f"The robots.txt of {target.site} does not allow this page.")

    def _ask_twice(self, target: WebTarget, types: Collection[str], budget: _Budget) -> Answer:
        try:
            answer = self._exchange(target, types, budget, MAX_BYTES)
            if answer.status < 500:
                return _accepted(answer, target)
            time.sleep(min(_RETRY_PAUSE_SECONDS, max(0.0, budget.until - time.monotonic())))
        except SlowHead:
            pass
        return _accepted(self._exchange(target, types, budget, MAX_BYTES, last=True), target)

    def _exchange(
        self,
        target: WebTarget,
        types: Collection[str] | None,
        budget: _Budget,
        max_bytes: int,
        *,
        last: bool = False,
    ) -> Answer:
        deadline = budget.deadline()
        head = deadline if last else min(deadline, time.monotonic() + self._head_seconds)
        accept = ", ".join(sorted(types)) if types else "text/plain"
        return exchange(
            target,
            Request(headers={"accept": accept}),
            Bounds(deadline, head, max_bytes),
            allow_private=self._allow_private,
            what=_WHAT,
            wanted=partial(_wanted, target, types),
            ssl_context=self._ssl_context,
        )


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def registered_part(host: str) -> str:
    """`news.example.co.uk` → `example.co.uk`; an address or a local name stands for itself."""
    try:
        ip_address(host)
    except ValueError:
        return _suffixes().privatesuffix(host) or host
    return host


def _wanted(
    target: WebTarget,
    types: Collection[str] | None,
    status: int,
    headers: Mapping[str, str],
) -> bool:
    """Only the body of a 200 is read, and only one of a type that is asked for."""
    if status != 200:
        return False
    if types is not None and _content_type(headers)[0] not in types:
        raise Unreachable(f"{target.site} sent something other than {' or '.join(sorted(types))}.")
    return True


def _accepted(answer: Answer, target: WebTarget) -> Answer:
    if answer.status != 200 and answer.status not in _REDIRECTS:
        raise Unreachable(f"{target.site} answered with status {answer.status}.")
    return answer


def _content_type(headers: Mapping[str, str]) -> tuple[str, str]:
    """Type and charset, in lower case; "" for what is not said."""
    if not _MEDIA_TYPE.match(headers.get("content-type", "")):
        return "", ""  # for which the parser would say text/plain
    message = Message()
    message["content-type"] = headers["content-type"]
    return message.get_content_type(), (message.get_content_charset() or "")


def _redirected(url: str, headers: Mapping[str, str], target: WebTarget) -> str:
    location = headers.get("location", "").strip()
    try:
        led = urljoin(url, location)
        # A fragment is the browser's business.
        return urlsplit(led)._replace(fragment="").geturl() if location else ""
    except ValueError:
        raise Unreachable(f"{target.site} redirects to something that is not a URL.") from None
