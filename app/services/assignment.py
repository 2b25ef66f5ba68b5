"""What a post is written from: its assignment, and all that prompts depend on beside the answers.

The inputs are stored with the journal of a post, so that a later attempt and a replay build the
same prompts without another search.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from typing import Any

from app.core.errors import ServiceError
from app.core.planning.angles import BY_KEY, Angle
from app.core.schemas.request import GenerateRequest, parse
from app.core.sources.source import Source
from app.core.verification import Grounding, RequestContext
from app.core.writing.profile import Profile, Strategy


@dataclass(frozen=True)
class Assignment:
    """A request and what its post must differ from.

    Args:
        max_words: of the whole post.
        angles: one for each attempt; None means the request as it is.
        earlier_titles: titles that must not be used again, newest first.
        earlier_angles: keys of the angles that other posts cover.
        current_event: the post needs fresh sources, whatever the request says.
        brands: names that need no source.
    """

    request: GenerateRequest
    max_words: int
    angles: tuple[Angle | None, ...]
    earlier_titles: tuple[str, ...] = ()
    earlier_angles: tuple[str, ...] = ()
    current_event: bool = False
    brands: tuple[str, ...] = ()

    def asks_as(self, other: "Assignment") -> bool:
        """Return whether both ask for the same post. Angles and titles may differ: other posts
        may have appeared between two attempts."""
        asked, others = (
            (each.request, each.max_words, each.current_event, each.brands)
            for each in (self, other)
        )
        return asked == others


@dataclass(frozen=True)
class Inputs:
    """Everything that the prompts of a post depend on, except the model's answers.

    Args:
        seed: of the first attempt; each further one adds 1.
        edited: an editor reads the drafts.
        today: the day on which the sources were found; prompts name it.
    """

    assignment: Assignment
    seed: int
    profile: Profile
    edited: bool
    today: date
    sources: tuple[Source, ...] = ()

    def grounding(self) -> Grounding | None:
        """Return the sources, prepared for the checks; None if the post has none."""
        return ground(self.assignment, self.sources, self.today)

    def to_json(self) -> dict[str, Any]:
        """Return the inputs as a JSON object."""
        assignment = self.assignment
        return {
            "request": assignment.request.to_wire(),
            "maxWords": assignment.max_words,
            "angles": [angle and angle.key for angle in assignment.angles],
            "earlierTitles": assignment.earlier_titles,
            "earlierAngles": assignment.earlier_angles,
            "currentEvent": assignment.current_event,
            "brands": assignment.brands,
            "seed": self.seed,
            "profile": asdict(self.profile),
            "edited": self.edited,
            "today": self.today.isoformat(),
            "sources": [_source_to_json(source) for source in self.sources],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Inputs | None":
        """Return stored inputs; None if another version of Copydesk stored them in another form."""
        try:
            profile = {**stored["profile"], "strategy": Strategy(stored["profile"]["strategy"])}
            return cls(
                assignment=Assignment(
                    request=parse(GenerateRequest, stored["request"]),
                    max_words=stored["maxWords"],
                    angles=tuple(key and BY_KEY[key] for key in stored["angles"]),
                    earlier_titles=tuple(stored["earlierTitles"]),
                    earlier_angles=tuple(stored["earlierAngles"]),
                    current_event=stored["currentEvent"],
                    brands=tuple(stored["brands"]),
                ),
                seed=stored["seed"],
                profile=Profile(**profile),
                edited=stored["edited"],
                today=date.fromisoformat(stored["today"]),
                sources=tuple(_source_from_json(source) for source in stored["sources"]),
            )
        except (KeyError, TypeError, ValueError, ServiceError):
            return None


def ground(assignment: Assignment, sources: tuple[Source, ...], today: date) -> Grounding | None:
    """Return the sources of a post, prepared for its checks; None if there are no sources."""
    if not sources:
        return None
    request = assignment.request
    background = (request.target_audience, request.brand_voice, request.industry)
    asked = RequestContext(
        request.language,
        request.keywords,
        request.topic or "",
        assignment.brands,
        " ".join(filter(None, background)),
    )
    return Grounding(sources, asked, today)


_TIMES = ("published_at", "fetched_at")


def _source_to_json(source: Source) -> dict[str, Any]:
    times = {name: getattr(source, name) for name in _TIMES}
    texts = {field.name: getattr(source, field.name) for field in fields(Source)}
    return texts | {name: time and time.isoformat() for name, time in times.items()}


def _source_from_json(stored: Mapping[str, Any]) -> Source:
    times = {name: stored[name] and datetime.fromisoformat(stored[name]) for name in _TIMES}
    return Source(**{**stored, **times})
