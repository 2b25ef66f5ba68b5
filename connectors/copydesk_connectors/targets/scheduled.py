"""Posts that appear later: ``[target.schedule]``, or ``status = "scheduled"``."""

import difflib
import re
from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Any, NamedTuple, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import Field, PlainValidator, model_validator

from copydesk_connectors.engine.calendar import Calendar, evenly, longest_jitter
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import SettingError, Settings, TimeSpan, one_of, setting

# Ghost takes no date that is past when the request arrives; WordPress immediately publishes a post
# that is due within about a minute.
_SOONEST = timedelta(minutes=2)
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])\Z")


def _texts(raw: Any) -> list[str]:
    if not isinstance(raw, list) or not all(isinstance(each, str) for each in raw):
        raise ValueError('must be a list of texts, such as ["a", "b"]')
    return raw


def _days(raw: Any) -> tuple[int, ...]:
    return tuple(_DAYS.index(one_of(name.lower(), _DAYS)) for name in _texts(raw))


def _time(written: str) -> time:
    match = _TIME.match(written)
    if match is None:
        raise ValueError(f'must be a time such as "09:00", not "{written[:40]}"')
    return time(int(match[1]), int(match[2]))


class _Window(NamedTuple):
    start: time
    end: time


def _times(raw: Any) -> tuple[time, ...] | _Window:
    written = _texts(raw)
    start, hyphen, end = written[0].partition("-") if len(written) == 1 else ("", "", "")
    if hyphen:
        window = _Window(_time(start.strip()), _time(end.strip()))
        if window.start >= window.end:
            raise ValueError('must be a window within one day, such as "08:00-20:00"')
        return window
    if not written:
        raise ValueError('must be a list of times such as ["09:00", "16:30"]')
    times = sorted(map(_time, written))
    if len(set(times)) < len(times):
        raise ValueError("contains a time twice")
    return tuple(times)


def _zone(raw: Any) -> ZoneInfo:
    name = str(raw)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        close = difflib.get_close_matches(name[:100], available_timezones(), n=1)
        hint = f'; did you mean "{close[0]}"?' if close else ""
        raise ValueError(
            f'must be an IANA time zone such as "Europe/Berlin", not "{name[:40]}"{hint}'
        ) from None


Zone = Annotated[ZoneInfo, PlainValidator(_zone)]
"""An IANA time zone such as "Europe/Berlin"."""


class ScheduleSettings(Settings):
    """The settings of a calendar."""

    times: Annotated[tuple[time, ...] | _Window, PlainValidator(_times)] = setting(
        'When posts appear, such as `["09:00", "16:30"]`, one post each; or a window such as '
        '`["08:00-20:00"]`, in which `per_day` posts appear at equal distances.'
    )
    timezone: Zone = setting(
        "The time zone of the times, by its IANA name, such as `Europe/Berlin`."
    )
    days: Annotated[tuple[int, ...], PlainValidator(_days)] = setting(
        'The days on which posts appear, such as `["mon", "wed", "fri"]`. By default, every day.',
        (),
    )
    per_day: Annotated[int, Field(ge=1, le=1440)] | None = setting(
        "The most posts on one day. By default, one for each time.", None
    )
    jitter: TimeSpan | None = setting(
        'Each post appears up to this much later than its time, such as `"20m"`.', default=None
    )

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        """Check that the settings go together."""
        times = self._clock_times()
        if isinstance(self.times, _Window):
            if self.per_day is None:
                raise SettingError("per_day", "is missing; a window needs the number of posts")
            if len(set(times)) < len(times):
                raise SettingError("per_day", "is more than one post a minute in that window")
        elif self.per_day is not None and self.per_day > len(self.times):
            raise SettingError("per_day", f"is {self.per_day}, but times has {len(self.times)}")
        longest = longest_jitter(times)
        if self.jitter is not None and self.jitter > longest:
            raise SettingError(
                "jitter",
                f"must be shorter than {longest.seconds // 60 + 1} minutes, the time from one post "
                "to the next or to midnight",
            )
        return self

    def calendar(self, seed: str) -> Calendar:
        """Return the calendar."""
        times = self._clock_times()
        return Calendar(
            zone=self.timezone,
            days=frozenset(self.days or range(7)),
            times=times,
            per_day=self.per_day or len(times),
            jitter=self.jitter or timedelta(),
            seed=seed,
        )

    def _clock_times(self) -> tuple[time, ...]:
        if isinstance(self.times, _Window):
            return evenly(*self.times, self.per_day or 1)
        return self.times


class DelaySettings(Settings):
    """The settings of a site that shows posts later on its own. It has a ``status`` as well."""

    publish_after: TimeSpan | None = setting(
        'With `status = "scheduled"`: how long after its generation a post appears, such as '
        '`"90m"`, `"2h"` or `"3d"`. A post that is due already appears immediately.',
        default=None,
    )

    @model_validator(mode="after")
    def _goes_with_status(self) -> Self:
        """Accept ``publish_after`` with ``status = "scheduled"``, and neither alone."""
        is_scheduled = getattr(self, "status", "") == "scheduled"
        if is_scheduled and self.publish_after is None:
            raise SettingError("publish_after", 'is missing; write a time span such as "2h"')
        if self.publish_after is not None and not is_scheduled:
            raise SettingError("publish_after", 'needs status = "scheduled"')
        return self


def due(post: Post, after: timedelta | None) -> datetime | None:
    """Return when to show a post, in UTC, or None for immediately.

    The calendar decides if there is one, else ``publish_after``.
    """
    moment = post.slot
    if moment is None and after is not None:
        moment = post.generated_at + after
    if moment is None:
        return None
    return moment if moment > datetime.now(UTC) + _SOONEST else None
