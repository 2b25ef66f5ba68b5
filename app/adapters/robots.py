"""robots.txt (RFC 9309): what a site lets us read, and how often.

Read by Protego, which knows wildcards, longest matches and Crawl-delay; of these the standard
library's parser takes `*` and `$` literally and stops at the first rule that fits, so that it reads
what `Disallow: /*.pdf$` forbids and leaves what `Allow: /a/b` under `Disallow: /a` permits.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from protego import Protego

from app.adapters.bounded_http import ROBOT, Answer
from app.adapters.guarded_connection import Unreachable
from app.core.addresses import WebTarget

MAX_CRAWL_DELAY_SECONDS = 10.0
MAX_ROBOTS_BYTES = 512 * 1024
_KEPT_SECONDS = 3600.0
# A site that could not say is asked again sooner.
_KEPT_UNKNOWN_SECONDS = 300.0
_MOST_SITES = 1000
_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True)
class Rules:
    """What one site allows. Where they are not known, ``unknown`` is the sentence why, and nothing
    is allowed."""

    parsed: Protego | None
    unknown: str = ""

    def allows(self, url: str) -> bool:
        if self.parsed is None:
            return not self.unknown
        return bool(self.parsed.can_fetch(url, ROBOT))

    @property
    def delay_seconds(self) -> float:
        """The pause between two requests, at most ``MAX_CRAWL_DELAY_SECONDS``."""
        asked = float((self.parsed.crawl_delay(ROBOT) if self.parsed else None) or 0.0)
        # Which also is the answer to a delay that is not a number.
        return min(asked, MAX_CRAWL_DELAY_SECONDS) if asked > 0 else 0.0


class Robots:
    """The rules of sites, each read once in an hour. Safe to call from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, Rules]] = {}
        self._lock = Lock()

    def rules(self, target: WebTarget, fetch: Callable[[], Answer]) -> Rules:
        """The rules of a target's site; ``fetch`` gets /robots.txt, redirects followed.

        A site without the file allows everything; one whose file cannot be had allows nothing.

        Raises:
            TimeoutError: as ``fetch``; nothing is learnt from it.
        """
        origin = f"{target.scheme}://{target.authority}"
        with self._lock:
            until, rules = self._known.get(origin, (0.0, Rules(None)))
        if time.monotonic() < until:
            return rules
        try:
            rules = _rules(fetch())
        except Unreachable as problem:
            rules = Rules(None, unknown=str(problem))
        kept = _KEPT_UNKNOWN_SECONDS if rules.unknown else _KEPT_SECONDS
        with self._lock:
            while len(self._known) >= _MOST_SITES:
                del self._known[next(iter(self._known))]
            self._known[origin] = (time.monotonic() + kept, rules)
        return rules


def _rules(answer: Answer) -> Rules:
    if answer.status == _TOO_MANY_REQUESTS or answer.status >= 500:
        return Rules(None, unknown=f"It answered with status {answer.status}.")
    if answer.status != 200:
        return Rules(None)
    return Rules(Protego.parse(answer.body.decode("utf-8", "replace")))
