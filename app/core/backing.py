"""What stands behind a post that has to be verified: its sources, prepared once for all pieces."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from app.core.copying import Originals, check_copied
from app.core.evidence.check import Coverage, Witnesses
from app.core.evidence.claims import Asked
from app.core.material import Library, marked
from app.core.quality.finding import Finding
from app.core.quality.passage import Passage
from app.core.source import Source


@dataclass(frozen=True)
class Backing:
    """The sources of one post. ``day`` is that of the post, ``asked`` what its readers may
    take from the request itself."""

    sources: tuple[Source, ...]
    asked: Asked
    day: date

    def notes(self, about: str) -> str:
        """What the sources say about something, as it stands in a prompt; "" if nothing."""
        extracts = self._library.about(about)
        return marked(extracts) if extracts else ""

    def findings(self, texts: Sequence[Passage]) -> list[Finding]:
        """The blockers of single passages: what no source says, and what was copied."""
        return [
            *self._witnesses.check(texts).findings,
            *check_copied(texts, self._originals, self.asked.keywords),
        ]

    def coverage(self, texts: Sequence[Passage]) -> tuple[Coverage, ...]:
        """Every claim of the passages, and where it is borne out."""
        return self._witnesses.check(texts).coverage

    @cached_property
    def _library(self) -> Library:
        return Library(self.sources, self.asked.language)

    @cached_property
    def _witnesses(self) -> Witnesses:
        return Witnesses(self.sources, self.asked, self.day)

    @cached_property
    def _originals(self) -> Originals:
        return Originals(self.sources)
