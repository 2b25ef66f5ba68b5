"""From a request to a written post: moderation, sources where it needs some, the pipeline."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.core.backing import Backing
from app.core.brief import Brief, make_brief
from app.core.current_event import is_current_event
from app.core.errors import ContentQualityFailed, SourcesUnreachable
from app.core.evidence.claims import Asked
from app.core.request import FactualityMode, GenerateRequest
from app.ports import Model, Moderator
from app.services.moderation import moderate
from app.services.pipeline import Written, write_post
from app.services.sources import NO_PROVIDER, Gathered, Research, gather

_MAX_REFUSED = 20


def _none() -> None:
    return None


@dataclass(frozen=True)
class WritingOptions:
    """How posts are written: how long one may take in seconds, how many drafts each piece gets in
    a round, where sources come from (None: nowhere), and who looks at a request before (None:
    nobody)."""

    timeout_seconds: float
    drafts: int
    research: Callable[[], Research | None] = _none
    moderator: Callable[[], Moderator | None] = _none


def compose(
    model: Model, options: WritingOptions, request: GenerateRequest, max_words: int, now: datetime
) -> Written:
    """Write the post of one request; takes as long as the model does, and holds no transaction.

    Raises:
        ContentQualityFailed: it has blockers, or sources that it needs are not to be had.
        ProhibitedInput, ModelUnavailable, GenerationTimeout
    """
    began = time.monotonic()
    backing = prepare(request, options, now)
    brief = make_brief(request, max_words=max_words, verified=backing is not None)
    return write(model, options, brief, backing, spent_seconds=time.monotonic() - began)


def write(
    model: Model,
    options: WritingOptions,
    brief: Brief,
    backing: Backing | None,
    *,
    spent_seconds: float = 0.0,
) -> Written:
    """Run the pipeline with what is left of the time."""
    return write_post(
        model,
        brief,
        backing=backing,
        drafts=options.drafts,
        timeout_seconds=options.timeout_seconds - spent_seconds,
    )


def prepare(
    request: GenerateRequest,
    options: WritingOptions,
    now: datetime,
    *,
    current_event: bool = False,
    brands: Sequence[str] = (),
) -> Backing | None:
    """Have the request looked at, and find the sources that its post must stand on; None where it
    needs none.

    Needed in the mode verified, by a rule on current events, and where the request asks for what
    happens now. ``brands`` need no source.

    Raises:
        ProhibitedInput: the moderator flagged it.
        ModelUnavailable: the moderator gave no answer, or no search for sources could be made.
        ContentQualityFailed: there are not enough usable sources; details say which were refused.
    """
    moderate(options.moderator(), request)
    field = needs_sources(request, current_event=current_event)
    if field is None:
        return None
    current = current_event or _asks_for_news(request)
    research = options.research()
    gathered = (
        gather(research, request.keywords, request.language, now, current_event=current)
        if research
        else Gathered(shortfall=NO_PROVIDER)
    )
    if gathered.unreachable:
        problems = " ".join(f"{each.url}: {each.reason}" for each in gathered.refused)
        raise SourcesUnreachable(f"No search for sources could be made. {problems}")
    if gathered.shortfall is not None:
        raise ContentQualityFailed(*_nothing_to_stand_on(gathered, field, current))
    asked = Asked(request.language, request.keywords, request.topic or "", tuple(brands))
    return Backing(gathered.sources, asked, now.date())


def needs_sources(request: GenerateRequest, *, current_event: bool) -> str | None:
    """The field by which a post must stand on sources; None where it need not."""
    if current_event:
        return "currentEvent"
    if request.factuality_mode is FactualityMode.VERIFIED:
        return "factualityMode"
    return "keywords" if _asks_for_news(request) else None


def _asks_for_news(request: GenerateRequest) -> bool:
    return is_current_event([*request.keywords, request.topic or ""], request.language)


def _nothing_to_stand_on(
    gathered: Gathered, field: str, current: bool
) -> tuple[str, dict[str, Any]]:
    why = "A post about current events" if current else "factualityMode verified"
    refused = [{"source": each.url, "reason": each.reason} for each in gathered.refused]
    return (
        f"{why} needs sources to check against. {gathered.shortfall}",
        {"field": field, "refusedSources": refused[:_MAX_REFUSED]},
    )
