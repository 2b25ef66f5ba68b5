"""Two sites that report events in their own words, a feed of their pages, and pages that are slow
to read."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from tests.support.source_site import BRIDGE, RIVER, SourceSite, article

KEYWORDS = ["harbour bridge", "Brackwater"]
# What two megabytes of a page are; its keyword finds that page alone.
HOSTILE = {
    "lanternquotes": "“",
    "lanternbrackets": "[",
    "lanterncomments": "&lt;!-- ",
    "lanternblanks": " ",
}
_HOSTILE_BYTES = 1_990_000
_ENTRY = """<entry><title>{title}</title><id>{url}</id><link href="{url}"/>
<updated>{at}</updated><published>{at}</published><summary>{title}</summary></entry>"""


@dataclass(frozen=True)
class Story:
    """An event that both sites report. ``report`` and ``hours`` are the text and the age of what
    the second one has; ``elsewhere``: its text is about something else."""

    thing: str
    place: str
    report: Sequence[str] = RIVER
    hours: float = 1
    elsewhere: bool = False

    @property
    def keywords(self) -> list[str]:
        return [self.thing, self.place]

    def told(self, text: Sequence[str]) -> tuple[str, ...]:
        """What was written of the bridge, as if it were of this event."""
        lines = (line.replace("harbour bridge", self.thing) for line in text)
        return tuple(line.replace("Brackwater", self.place) for line in lines)


# Of all but the good one, the second report must not be used, for the reason of its name alone.
STORIES = {
    "good": Story("lock gate", "Marrowby"),
    "stale": Story("mill dam", "Ostwick", hours=80),
    "irrelevant": Story("tram depot", "Felsted", elsewhere=True),
    "thin": Story("fish ladder", "Quarrin", RIVER[:5]),
    "copied": Story("rope ferry", "Linholm", BRIDGE),
}


class NewsSites:
    """A context manager: in its block the pages are there. ``settings`` are what a service needs
    to find them. ``urls`` are those of the bridge."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.urls: list[str] = []
        self.settings: dict[str, str] = {}

    def __enter__(self) -> Self:
        one = self._stack.enter_context(SourceSite())
        two = self._stack.enter_context(SourceSite("127.0.0.2"))
        entries: list[str] = []

        def publish(site: SourceSite, title: str, text: Sequence[str], hours: float = 1) -> str:
            at = datetime.now(UTC) - timedelta(hours=hours)
            page = article("What happened", tuple(text), published=at)
            url = site.add(f"/{len(entries)}", page)
            entries.append(_ENTRY.format(title=title, url=url, at=at.isoformat()))
            return url

        self.urls = [
            publish(one, "Harbour bridge of Brackwater: council votes", BRIDGE),
            publish(two, "Brackwater repairs its harbour bridge", RIVER),
        ]
        for keyword, pattern in HOSTILE.items():
            publish(two, keyword, [pattern * (_HOSTILE_BYTES // len(pattern.encode()))])
        for story in STORIES.values():
            title = f"News of the {story.thing} of {story.place}"
            publish(one, title, story.told(BRIDGE))
            report = story.report if story.elsewhere else story.told(story.report)
            publish(two, title, report, story.hours)
        feed = one.add(
            "/feed.xml",
            '<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>'
            f"{''.join(entries)}</feed>",
            type="application/atom+xml",
        )
        self.settings = {"COPYDESK_SOURCE_FEEDS": feed, "COPYDESK_SOURCES_ALLOW_PRIVATE": "1"}
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
