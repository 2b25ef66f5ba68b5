"""A publishing calendar: on which days and at which times posts appear. Pure: no clock, no I/O.

A slot is a moment at which one post appears. Its time is local time in the calendar's time zone;
a slot itself is in UTC. A time that does not exist on a day is read with the offset before the
change of clocks, so 02:30 becomes 03:30 (RFC 5545, 3.3.5). Of a time that exists twice, the second
one counts: WordPress's own timer knows no other.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

# A post that is at most this late is published, however many are.
_ON_TIME = timedelta(hours=1)
# A post that is at most this late may be published on a day that the calendar leaves out.
_TODAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """When posts appear on one target.

    Attributes:
        days: the weekdays, Monday is 0. At least one.
        times: local times in ascending order. At least one.
        per_day: the most posts on one day, at least 1.
        jitter: each slot is up to this much later than its time. It is shorter than the time
            between two times, and leads no time into the next day.
        seed: what the jitter depends on besides the day and the time. The same seed always gives
            the same slots.
    """

    zone: ZoneInfo
    days: frozenset[int]
    times: tuple[time, ...]
    per_day: int
    jitter: timedelta = timedelta()
    seed: str = ""

    def day_of(self, moment: datetime) -> date:
        """Return the local date of a moment."""
        return moment.astimezone(self.zone).date()

    def slots_on(self, day: date) -> list[datetime]:
        """Return the slots of a day in ascending order, none if posts do not appear on it.

        Two times that fall on the same moment, because one of them does not exist, are one slot. A
        time that the change of clocks moves to another day is left out.
        """
        if day.weekday() not in self.days:
            return []
        slots = {self._slot(day, at) for at in self.times}
        return sorted(slot for slot in slots if self.day_of(slot) == day)

    def free_slots(self, after: datetime, taken: Collection[datetime]) -> Iterator[datetime]:
        """Yield the free slots after a moment, without end.

        Args:
            taken: the moments at which other posts appear or appeared. Each counts against the
                posts of its day.
        """
        used = set(taken)
        on_day = Counter(self.day_of(moment) for moment in used)
        day = self.day_of(after)
        while True:
            for slot in self.slots_on(day):
                if slot > after and slot not in used and on_day[day] < self.per_day:
                    on_day[day] += 1
                    yield slot
            day += timedelta(days=1)

    def caught_up(
        self, waiting: Sequence[datetime], taken: Collection[datetime], now: datetime
    ) -> list[datetime]:
        """Return new slots for the posts that wait for theirs, in the same order.

        A slot in the future stays, unless an earlier post needs it, or an earlier one is free
        because the calendar changed or the clock was set back. Of the missed slots, those of the
        last hour stay, so those posts are due. If there are none, one post is due now: if it is
        less than a day late, or if posts appear on this weekday. The rest get the next free slots.
        So a connector that was off for a week does not publish its backlog at once, and a
        connector that is started rarely still publishes.

        Args:
            waiting: the present slots in ascending order.
            taken: the slots of the other posts.
        """
        missed = [slot for slot in waiting if slot <= now]
        due = [slot for slot in missed if now - slot <= _ON_TIME]
        is_recent = bool(missed) and now - missed[0] <= _TODAY
        if missed and not due and (is_recent or self.day_of(now).weekday() in self.days):
            due = [now]
        ahead = list(waiting[len(missed) :])
        others = {*taken, *due, *ahead}
        later = list(islice(self.free_slots(now, others), len(missed) - len(due)))
        return [*due, *map(min, sorted(ahead + later), self.free_slots(now, {*taken, *due}))]

    def _slot(self, day: date, at: time) -> datetime:
        local = datetime.combine(day, at, self.zone) + self._delay(day, at)
        # The later moment has the offset before the change if the time does not exist, and the one
        # after it if the time exists twice.
        return max(local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))

    def _delay(self, day: date, at: time) -> timedelta:
        seconds = int(self.jitter.total_seconds())
        digest = hashlib.sha256(f"{self.seed}\n{day}\n{at}".encode()).digest()
        return timedelta(seconds=int.from_bytes(digest[:8]) % (seconds + 1))


def evenly(start: time, end: time, posts: int) -> tuple[time, ...]:
    """Return that many times from ``start``, with equal distances, all before ``end``."""
    first, last = _seconds(start), _seconds(end)
    steps = (first + (last - first) * number // posts for number in range(posts))
    return tuple(time(s // 3600, s // 60 % 60) for s in steps)


def longest_jitter(times: Sequence[time]) -> timedelta:
    """Return the longest jitter with which the slots of a day keep their order and their day."""
    seconds = [*map(_seconds, times), 24 * 3600]
    gaps = (later - earlier for earlier, later in pairwise(seconds))
    return timedelta(seconds=min(gaps) - 1)


def _seconds(at: time) -> int:
    return at.hour * 3600 + at.minute * 60
