"""Two sites that report one event in their own words, and a feed that lists what they wrote."""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

from tests.running.source_site import BRIDGE, RIVER, SourceSite, article

KEYWORDS = ["harbour bridge", "Brackwater"]
_ENTRY = """<entry><title>{title}</title><id>{url}</id><link href="{url}"/>
<updated>{at}</updated><published>{at}</published><summary>{title}</summary></entry>"""


class Newsroom:
    """A context manager: in its block the pages are there. ``settings`` are what a service needs
    to find them."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.urls: list[str] = []
        self.settings: dict[str, str] = {}

    def __enter__(self) -> Self:
        one = self._stack.enter_context(SourceSite())
        two = self._stack.enter_context(SourceSite("127.0.0.2"))
        at = datetime.now(UTC) - timedelta(hours=1)
        reports = (
            (one, "Harbour bridge of Brackwater: council votes", BRIDGE),
            (two, "Brackwater repairs its harbour bridge", RIVER),
        )
        self.urls = [
            site.add("/bridge", article(title, text, published=at)) for site, title, text in reports
        ]
        entries = "".join(
            _ENTRY.format(title=title, url=url, at=at.isoformat())
            for url, (_, title, _) in zip(self.urls, reports, strict=True)
        )
        feed = one.add(
            "/feed.xml",
            f'<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>{entries}</feed>',
            type="application/atom+xml",
        )
        self.settings = {"COPYDESK_SOURCE_FEEDS": feed, "COPYDESK_SOURCES_ALLOW_PRIVATE": "1"}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
