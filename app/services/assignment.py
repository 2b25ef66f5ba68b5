"""What a post is written from: its assignment, and what else its prompts depend on.

The inputs are stored with the journal of a post, so that a later attempt writes from the same
sources without another search.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from typing import Any

from app.core.errors import ServiceError
from app.core.schemas.request import GenerateRequest, parse
from app.sources.source import Source
from app.writing.angles import BY_KEY, Angle
from app.writing.brief import EarlierPost


@dataclass(frozen=True)
class Assignment:
    """A request and what its post must differ from.

    Args:
        max_words: of the whole post.
        angles: one for each attempt; None means the request as it is.
        earlier: posts of its feed, which it must neither repeat nor contradict, newest first.
        current_event: the post needs fresh sources, whatever the request says.
    """

    request: GenerateRequest
    max_words: int
    angles: tuple[Angle | None, ...]
    earlier: tuple[EarlierPost, ...] = ()
    current_event: bool = False

    def asks_as(self, other: "Assignment") -> bool:
        """Return whether both ask for the same post. Angles and earlier posts may differ: other
        posts may have appeared between two attempts."""
        asked, others = (
            (each.request, each.max_words, each.current_event) for each in (self, other)
        )
        return asked == others


@dataclass(frozen=True)
class Inputs:
    """Everything that the prompts of a post depend on, except the model's answers.

    Args:
        seed: orders the drafts.
        is_local: a small model writes.
        edited: an editor reads the drafts.
        drafts: how many are written.
        source_tokens: how many tokens of sources a prompt has at most.
        today: the day on which the sources were found; prompts name it.
        sources: the most relevant first.
    """

    assignment: Assignment
    seed: int
    is_local: bool
    edited: bool
    drafts: int
    source_tokens: int
    today: date
    sources: tuple[Source, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the inputs as a JSON object."""
        assignment = self.assignment
        return {
            "request": assignment.request.to_wire(),
            "maxWords": assignment.max_words,
            "angles": [angle and angle.key for angle in assignment.angles],
            "earlier": [asdict(each) for each in assignment.earlier],
            "currentEvent": assignment.current_event,
            "seed": self.seed,
            "isLocal": self.is_local,
            "edited": self.edited,
            "drafts": self.drafts,
            "sourceTokens": self.source_tokens,
            "today": self.today.isoformat(),
            "sources": [_source_to_json(source) for source in self.sources],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Inputs | None":
        """Return stored inputs; None if another version of Copydesk stored them in another form."""
        try:
            return cls(
                assignment=Assignment(
                    request=parse(GenerateRequest, stored["request"]),
                    max_words=stored["maxWords"],
                    angles=tuple(key and BY_KEY[key] for key in stored["angles"]),
                    earlier=tuple(EarlierPost(**each) for each in stored["earlier"]),
                    current_event=stored["currentEvent"],
                ),
                seed=stored["seed"],
                is_local=stored["isLocal"],
                edited=stored["edited"],
                drafts=stored["drafts"],
                source_tokens=stored["sourceTokens"],
                today=date.fromisoformat(stored["today"]),
                sources=tuple(_source_from_json(source) for source in stored["sources"]),
            )
        except (KeyError, TypeError, ValueError, ServiceError):
            return None


_TIMES = ("published_at", "fetched_at")


def _source_to_json(source: Source) -> dict[str, Any]:
    times = {name: getattr(source, name) for name in _TIMES}
    texts = {field.name: getattr(source, field.name) for field in fields(Source)}
    return texts | {name: time and time.isoformat() for name, time in times.items()}


def _source_from_json(stored: Mapping[str, Any]) -> Source:
    times = {name: stored[name] and datetime.fromisoformat(stored[name]) for name in _TIMES}
    return Source(**{**stored, **times})
