"""robots.txt (RFC 9309): what a site lets us read, and how often.

Protego supports wildcards, longest matches and Crawl-delay. The standard library's parser takes `*`
and `$` literally and stops at the first rule that fits, so it would read pages that
`Disallow: /*.pdf$` forbids and skip pages that `Allow: /a/b` under `Disallow: /a` permits.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock

from protego import Protego

from app.adapters.bounded_http import ROBOT, Answer, Unreachable
from app.core.addresses import WebTarget
from app.ports import PageRefused, PageUnavailable

MAX_CRAWL_DELAY_SECONDS = 10.0
MAX_ROBOTS_BYTES = 512 * 1024
_KEPT_SECONDS = 3600.0
# A file that could not be read is requested again sooner.
_KEPT_UNKNOWN_SECONDS = 300.0
_MOST_HOSTS = 1000


def read_robots(answer: Answer) -> Protego | str:
    """Return the rules in an answer, or why they are unknown, as a sentence. A site without the
    file allows everything."""
    if answer.is_momentary:
        return f"It answered with status {answer.status}."
    return Protego.parse(answer.body.decode("utf-8", "replace") if answer.status == 200 else "")


def pause_seconds(rules: Protego | str) -> float:
    """Return the pause between two requests, at most ``MAX_CRAWL_DELAY_SECONDS``."""
    asked = 0.0 if isinstance(rules, str) else float(rules.crawl_delay(ROBOT) or 0.0)
    # The comparison is false for NaN.
    return min(asked, MAX_CRAWL_DELAY_SECONDS) if asked > 0 else 0.0


@dataclass
class Host:
    """What this process knows about a host. Only the thread whose turn it is may use it."""

    lock: Lock = field(default_factory=Lock)
    next_at: float = 0.0
    pause: float = 0.0
    _known: dict[str, tuple[float, Protego | str]] = field(default_factory=dict)

    def check(self, target: WebTarget, fetch: Callable[[], Answer]) -> None:
        """Check that a page may be read. The site's rules are read once in an hour.

        Args:
            fetch: gets /robots.txt and follows redirects.

        Raises:
            PageRefused: it must not; PageUnavailable if the rules cannot be fetched.
            TimeoutError: ``fetch`` raised it; nothing is kept.
        """
        until, rules = self._known.get(target.scheme, (0.0, ""))
        if time.monotonic() >= until:
            try:
                rules = read_robots(fetch())
            except Unreachable as problem:
                # Kept as well, so that the site's other pages do not wait for it again.
                rules = str(problem)
            kept = _KEPT_UNKNOWN_SECONDS if isinstance(rules, str) else _KEPT_SECONDS
            self._known[target.scheme] = (time.monotonic() + kept, rules)
        self.pause = pause_seconds(rules)
        if isinstance(rules, str):
            raise PageUnavailable(f"The robots.txt of {target.site} cannot be read. {rules}")
        if not rules.can_fetch(f"{target.scheme}://{target.authority}{target.path}", ROBOT):
            raise PageRefused(f"The robots.txt of {target.site} does not allow this page.")


class Hosts:
    """Lets one thread of this process at a time request from a host."""

    def __init__(self) -> None:
        self._host = lru_cache(maxsize=_MOST_HOSTS)(lambda _: Host())
        self._lock = Lock()

    @contextmanager
    def turn(self, name: str, deadline: float) -> Iterator[Host]:
        """Wait for the turn at a host and hold it for the block. The next turn begins after the
        pause that the site asks for.

        Raises:
            TimeoutError: it did not come by the deadline, on the monotonic clock.
        """
        with self._lock:
            host = self._host(name)
        if not host.lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise TimeoutError
        if host.next_at > deadline:
            host.lock.release()
            raise TimeoutError
        try:
            time.sleep(max(0.0, host.next_at - time.monotonic()))
            yield host
        finally:
            host.next_at = time.monotonic() + host.pause
            host.lock.release()
