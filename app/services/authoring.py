"""From a request to a written post: moderation, sources where it needs some, the pipeline."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.core.angles import Angle, next_angles
from app.core.backing import Backing
from app.core.brief import make_brief
from app.core.current_event import is_current_event
from app.core.errors import ContentQualityFailed, SourcesUnreachable
from app.core.evidence.claims import Asked
from app.core.request import FactualityMode, GenerateRequest
from app.ports import Model, Moderator
from app.services.moderation import moderate
from app.services.originality import Likeness, too_alike
from app.services.pipeline import Written, write_post
from app.services.sources import NO_PROVIDER, Gathered, Research, gather

log = logging.getLogger(__name__)

_MAX_REFUSED = 20
_OTHER_ANGLES = 2


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


class Author:
    """Writes the post of a request, and anew from another angle where it repeated an earlier one.

    Args:
        options: its time is for all that is written of the request.
        angles: one for each try; None is the request as it is.
        earlier_titles: not to be taken again, the newest first.
        earlier_angles: keys of what is left to other posts.
        current_event: whether it needs fresh sources, whatever the request says.
        brands: names that need no source.
    """

    def __init__(
        self,
        model: Model,
        options: WritingOptions,
        request: GenerateRequest,
        max_words: int,
        angles: Sequence[Angle | None],
        *,
        earlier_titles: tuple[str, ...] = (),
        earlier_angles: tuple[str, ...] = (),
        current_event: bool = False,
        brands: Sequence[str] = (),
    ) -> None:
        self._model = model
        self._options = options
        self._request = request
        self._max_words = max_words
        self._angles = list(angles)
        self._tries = len(angles)
        self._titles = earlier_titles
        self._earlier_angles = earlier_angles
        self._current_event = current_event
        self._brands = brands
        self._prepared = False
        self._backing: Backing | None = None
        self._repeated: Likeness | None = None
        self._began = time.monotonic()

    @property
    def angle(self) -> Angle | None:
        """From where the next post, or the one just written, is written."""
        return self._angles[0]

    def write(self, now: datetime) -> Written:
        """Write a post; takes as long as the model does, and holds no transaction.

        Raises:
            ContentQualityFailed: it has blockers, or sources that it needs are not to be had, or
                it repeated an earlier one as often as there are angles.
            ProhibitedInput, ModelUnavailable, GenerationTimeout
        """
        if self._repeated and not self._angles:
            raise too_alike(self._repeated, self._tries)
        if not self._prepared:
            self._backing = prepare(
                self._request,
                self._options,
                now,
                current_event=self._current_event,
                brands=self._brands,
            )
            self._prepared = True
        brief = make_brief(
            self._request,
            max_words=self._max_words,
            angle=self.angle,
            earlier_titles=self._titles,
            earlier_angles=self._earlier_angles,
            verified=self._backing is not None,
        )
        return write_post(
            self._model,
            brief,
            backing=self._backing,
            drafts=self._options.drafts,
            timeout_seconds=self._options.timeout_seconds - (time.monotonic() - self._began),
        )

    def again(self, repeated: Likeness, title: str) -> None:
        """Say that what was written repeats that post; the next one is from the next angle."""
        log.info("a post repeats %s: it is written anew", repeated.post_id)
        self._repeated = repeated
        self._titles = (title, *self._titles)
        self._angles.pop(0)


def angles_of_a_call(subject: str) -> tuple[Angle | None, ...]:
    """Those of a call or a job: the request as it is, then two that hang on its own id."""
    return (None, *next_angles(subject, (), _OTHER_ANGLES))


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
