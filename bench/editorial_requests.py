"""The requests of ``bench/editorial.py``: one TOML file each, with true notes from two sites or
more, which answer what the request asks."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from app.core.schemas.request import GenerateRequest, parse_generate_request
from app.core.sources.source import Source
from app.core.text import primary_subtag
from app.core.verification import Grounding, RequestContext

FOLDER = Path(__file__).parent / "editorial" / "requests"


@dataclass(frozen=True)
class Notes:
    """A short page of our own wording, and the page on which a reader finds the facts.

    ``lines`` are what the page reader extracts from a page: paragraphs, headings, list items and
    table rows.
    """

    url: str
    site: str
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class EditorialRequest:
    """A request for a post.

    Args:
        name: the stem of its file.
        kind: its kinds, such as "law, how-to".
        held_out: prompts and checks are never tuned on it.
        body: the request as a client sends it.
    """

    name: str
    kind: str
    held_out: bool
    body: dict[str, Any]
    notes: tuple[Notes, ...]

    @property
    def request(self) -> GenerateRequest:
        return parse_generate_request(self.body)

    def grounding(self, now: datetime) -> Grounding:
        """Return the notes as the sources of a post written ``now``."""
        request = self.request
        sources = tuple(
            Source(
                url=each.url, site=each.site, title=each.title, text="\n".join(each.lines),
                language=primary_subtag(request.language), published_at=None, fetched_at=now,
            )
            for each in self.notes
        )  # fmt: skip
        context = RequestContext(
            request.language,
            request.keywords,
            request.topic or "",
            background=request.target_audience or "",
        )
        return Grounding(sources, context, now.date())


def load_requests(folder: Path = FOLDER) -> Sequence[EditorialRequest]:
    """Return every request in order of name."""
    return [_load(path) for path in sorted(folder.glob("*.toml"))]


def _load(path: Path) -> EditorialRequest:
    data = tomllib.loads(path.read_text("utf-8"))
    notes = tuple(
        Notes(each["url"], each["site"], each["title"], tuple(each["lines"]))
        for each in data["notes"]
    )
    return EditorialRequest(path.stem, data["kind"], data["held_out"], data["request"], notes)
