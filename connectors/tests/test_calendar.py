"""The publishing calendar: its slots, the passes that keep to them, and kills around a slot."""

import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from itertools import count, islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk_connectors.cli import config, reports
from copydesk_connectors.engine import delivery, ledger
from copydesk_connectors.engine.calendar import Calendar, evenly, longest_jitter
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState
from copydesk_connectors.target.base import Copy, CopyState
from copydesk_connectors.target.errors import ConfigError, Unavailable
from copydesk_connectors.target.post import Post

from .extent import POINTS
from .fake_ghost import FakeGhost
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed, FeedServer
from .items import MARKDOWN, PAGES, make_item
from .kill_driver import driver
from .notebook import Notebook
from .passes import Passes, add
from .test_cli import connect

BERLIN = "Europe/Berlin"
EVERY_DAY = frozenset(range(7))


def calendar(*times: str, zone: str = BERLIN, **more: Any) -> Calendar:
    at = tuple(time.fromisoformat(text) for text in times)
    more = {"days": EVERY_DAY, "per_day": len(at), **more}
    return Calendar(zone=ZoneInfo(zone), times=at, **more)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(slots: Sequence[datetime], zone: str = BERLIN) -> list[str]:
    return [f"{slot.astimezone(ZoneInfo(zone)):%m-%d %H:%M %z}" for slot in slots]


@pytest.mark.parametrize(
    ("zone", "day", "times", "slots"),
    [
        # The clocks go forward from 02:00 to 03:00.
        (BERLIN, "2026-03-29", ["01:59", "02:30"], ["01:59 +0100", "03:30 +0200"]),
        (BERLIN, "2026-03-29", ["02:30", "03:00"], ["03:00 +0200", "03:30 +0200"]),
        (BERLIN, "2026-03-29", ["02:30", "03:30"], ["03:30 +0200"]),
        # They go back from 03:00 to 02:00.
        (BERLIN, "2026-10-25", ["02:30", "03:00"], ["02:30 +0100", "03:00 +0100"]),
        ("America/New_York", "2026-03-08", ["02:15"], ["03:15 -0400"]),
        ("America/New_York", "2026-11-01", ["01:30"], ["01:30 -0500"]),
        # By half an hour.
        ("Australia/Lord_Howe", "2026-10-04", ["02:10"], ["02:40 +1100"]),
        # At midnight: the day begins at 01:00.
        ("Asia/Beirut", "2026-03-29", ["00:10", "01:00"], ["01:00 +0300", "01:10 +0300"]),
        # A day that did not exist.
        ("Pacific/Apia", "2011-12-30", ["09:00"], []),
        ("UTC", "2024-02-29", ["00:00", "23:59"], ["00:00 +0000", "23:59 +0000"]),
    ],
)
def test_daylight_saving(zone: str, day: str, times: list[str], slots: list[str]) -> None:
    """daylight saving right (a time that does not exist that day, one that exists twice)"""
    found = calendar(*times, zone=zone).slots_on(date.fromisoformat(day))
    assert [entry[6:] for entry in local(found, zone)] == slots


def test_a_window_is_divided_evenly() -> None:
    """per_day posts in a window"""
    assert evenly(time(8), time(20), 3) == (time(8), time(12), time(16))
    assert evenly(time(23, 58), time(23, 59), 1) == (time(23, 58),)


ZONES = st.sampled_from(
    [BERLIN, "America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu", "Africa/Cairo", "UTC"]
)
CLOCK = st.times().map(lambda at: at.replace(second=0, microsecond=0))


@st.composite
def calendars(draw: st.DrawFn) -> Calendar:
    times = tuple(sorted(draw(st.sets(CLOCK, min_size=1, max_size=5))))
    longest = longest_jitter(times)
    return Calendar(
        zone=ZoneInfo(draw(ZONES)),
        days=draw(st.frozensets(st.integers(0, 6), min_size=1)),
        times=times,
        per_day=draw(st.integers(1, len(times))),
        jitter=timedelta(seconds=draw(st.integers(0, longest.seconds))),
        seed=draw(st.sampled_from(["blog", "news"])),
    )


MOMENTS = st.integers(1_100_000_000, 2_100_000_000).map(
    lambda seconds: datetime.fromtimestamp(seconds, UTC)
)


@given(calendars(), MOMENTS, st.integers(0, 12))
@settings(deadline=None, max_examples=150)
def test_every_calendar(one: Calendar, now: datetime, taken: int) -> None:
    """jitter; a restart chooses the same"""
    before = list(islice(one.free_slots(now, ()), taken))
    slots = list(islice(one.free_slots(now, before), 12))
    assert slots == list(islice(one.free_slots(now, before), 12))
    together = [*before, *slots]
    assert together == sorted(set(together)), "each once, in order"
    assert all(slot > now for slot in together)
    days = Counter(map(one.day_of, together))
    assert max(days.values()) <= one.per_day
    assert {day.weekday() for day in days} <= one.days
    for slot in together:
        wall = slot.astimezone(one.zone).replace(tzinfo=None)
        early = [datetime.combine(wall.date(), at) for at in one.times]
        shift = timedelta(hours=1)  # the largest change of these zones within a day
        assert any(at <= wall <= at + one.jitter + shift for at in early)


@given(calendars(), MOMENTS, st.integers(1, 10), st.integers(0, 400))
@settings(deadline=None, max_examples=150)
def test_every_backlog(one: Calendar, now: datetime, posts: int, hours_off: int) -> None:
    """a backlog is spread, not dumped; a connector that was off catches up by the calendar"""
    waiting = list(islice(one.free_slots(now, ()), posts))
    later = now + timedelta(hours=hours_off)
    slots = one.caught_up(waiting, (), later)
    assert len(slots) == len(waiting)
    assert slots == sorted(set(slots)), "in the same order, no two at one moment"
    due = [slot for slot in slots if slot <= later]
    missed = [slot for slot in waiting if slot <= later]
    recent = [slot for slot in missed if later - slot <= timedelta(hours=1)]
    assert len(due) <= max(1, len(recent))
    assert set(due) <= {*waiting, later}
    if missed and one.day_of(later).weekday() in one.days:
        assert due, "it gets on, however rarely it is started"
    if not missed:
        assert slots == waiting
    assert set(waiting) - set(missed) <= set(slots), "what others were promised stays"
    assert one.caught_up(slots, (), later) == slots, "a restart chooses the same"


class Blog(Notebook):
    """A site that can schedule: a post with a slot in the future appears then."""

    schedules = True

    def publish(self, post: Post, remote_id: str) -> Copy:
        copy = super().publish(post, remote_id)
        if post.slot is None or post.slot <= delivery._now():
            return copy
        return Copy(post.id, CopyState.SCHEDULED, due=post.slot)


def slots(passes: Passes, *numbers: int) -> list[str]:
    found = [passes.delivery(f"itm_{number}").slot for number in numbers]
    return local([slot for slot in found if slot])


def noted(kind: type[Notebook], *times: str, **more: Any) -> Notebook:
    notebook = kind()
    notebook.calendar = calendar(*times, **more)
    return notebook


def test_a_post_waits_in_the_ledger_for_its_slot(passes: Passes, feed: FakeFeed) -> None:
    """where it cannot, the connector publishes when the slot is due; deliveries that wait for
    their slot are no failure"""
    add(feed, 1, 2)
    for hours in (0, 1, 0.5):
        outcome = passes.once(noted(Notebook, "09:00"), hours=hours)
        assert (outcome.confirmed, outcome.problems, outcome.unfinished) == (0, [], False)
        assert outcome.scheduled == [outcome.next_slot] == [utc("2026-06-01T07:00")]
        assert slots(passes, 1) == ["06-01 09:00 +0200"]
    assert feed.states() == {"itm_1": "reserved", "itm_2": "pending"}
    assert feed.items[0].sends == 1, "a post that waits costs no delivery"
    assert passes.delivery("itm_1").state is DeliveryState.RECEIVED
    notebook = noted(Notebook, "09:00")
    assert passes.once(notebook, hours=1).confirmed == 1
    assert list(notebook.posts) == ["itm_1"]
    assert feed.states()["itm_1"] == "used"
    assert slots(passes, 2) == ["06-02 09:00 +0200"]


def test_a_backlog_is_scheduled_on_the_site(passes: Passes, feed: FakeFeed) -> None:
    """a backlog is spread, not dumped; where the site can schedule it is scheduled there"""
    add(feed, *range(1, 7))
    outcome = passes.once(noted(Blog, "09:00", "16:30"))
    assert (outcome.confirmed, outcome.hidden, outcome.problems) == (6, 6, [])
    assert local(outcome.scheduled) == [
        f"06-0{day} {at} +0200" for day in (1, 2, 3) for at in ("09:00", "16:30")
    ]
    assert slots(passes, *range(1, 7)) == local(outcome.scheduled)
    assert reports.summary(outcome) == [
        "0 published and confirmed",
        "6 scheduled, the first for 2026-06-01 07:00 UTC",
    ]


def test_posts_in_parallel_appear_in_the_order_of_the_feed(passes: Passes, feed: FakeFeed) -> None:
    """Each post gets the next free slot, in the order of the feed."""
    add(feed, *range(20))
    blog = noted(Blog, "09:00", "16:30")
    blog.at_once = 8
    blog.lingers = {"draft"}
    outcome = passes.once(blog, parallel=8)
    assert len(set(outcome.scheduled)) == outcome.confirmed == 20
    assert slots(passes, *range(20)) == local(outcome.scheduled)


def test_the_slot_is_in_the_ledger_before_anything_is_sent(passes: Passes, feed: FakeFeed) -> None:
    """the slot is written into the ledger before the draft (so a restart chooses the same)"""
    add(feed, 1)

    class Watched(Blog):
        def find(self, post: Post) -> Copy | None:
            assert post.slot == passes.delivery("itm_1").slot == utc("2026-06-01T07:00")
            raise Unavailable("no answer")

    assert passes.once(noted(Watched, "09:00")).unfinished
    # Another calendar changes nothing about it.
    blog = noted(Blog, "23:00")
    outcome = passes.once(blog, hours=0.5)
    assert local(outcome.scheduled) == ["06-01 09:00 +0200"]


def test_a_connector_that_was_off(passes: Passes, feed: FakeFeed) -> None:
    """a connector that was off for a week catches up by the calendar"""
    add(feed, *range(1, 4))
    down = noted(Notebook, "09:00")
    assert passes.once(down).confirmed == 0
    notebook = noted(Notebook, "09:00")
    outcome = passes.once(notebook, hours=8 * 24)
    assert (outcome.confirmed, list(notebook.posts)) == (1, ["itm_1"])
    assert slots(passes, 1, 2) == ["06-09 07:00 +0200", "06-10 09:00 +0200"]
    for _ in range(2):
        passes.once(notebook, hours=27)
    assert list(notebook.posts) == ["itm_1", "itm_2", "itm_3"]


def test_a_post_that_waits_follows_a_calendar_that_changed(passes: Passes, feed: FakeFeed) -> None:
    """Each post gets the next free slot; without a calendar, it appears immediately"""
    add(feed, 1)
    years = timedelta(days=3650)
    passes.now += years  # a clock that is wrong, and is then put right
    passes.once(noted(Notebook, "09:00"))
    passes.now -= years
    passes.once(noted(Notebook, "09:00", days=frozenset({4})))
    assert slots(passes, 1) == ["06-05 09:00 +0200"]
    passes.once(noted(Notebook, "09:00"))
    assert slots(passes, 1) == ["06-01 09:00 +0200"]
    assert passes.once(Notebook()).confirmed == 1


def test_a_retried_post_gets_a_slot_of_its_own(passes: Passes, feed: FakeFeed) -> None:
    """retry"""
    add(feed, 1)
    passes.once(noted(Notebook, "09:00"))
    with Ledger.open(passes.loaded.ledger) as opened:
        opened.move_delivery("itm_1", "notebook", ledger.states.DeliveryState.PARKED)
        opened.move_delivery("itm_1", "notebook", ledger.states.DeliveryState.RECEIVED)
        assert opened.slots("notebook") == {}
    passes.once(noted(Notebook, "16:30"), hours=24)
    assert slots(passes, 1) == ["06-02 16:30 +0200"]


# A day on which no slot is due while the tests run.
LATER = f"{datetime.now(UTC) + timedelta(days=3):%a}".lower()
SCHEDULE = f'[target.schedule]\ndays = ["{LATER}"]\ntimes = ["09:00"]\ntimezone = "Europe/Berlin"\n'


@pytest.mark.parametrize("kind", ["wordpress", "ghost"])
def test_wordpress_and_ghost_schedule_the_post(
    request: pytest.FixtureRequest,
    write_config: Callable[..., Path],
    one_pass: Callable[[Path], Outcome],
    feed: FakeFeed,
    kind: str,
) -> None:
    """Where the site can schedule (WordPress `future`, Ghost `scheduled`) it is scheduled there"""
    fake: FakeWordPress | FakeGhost = request.getfixturevalue(f"fake_{kind}")
    table = request.getfixturevalue(f"{kind}_target")
    file = write_config(table() + SCHEDULE)
    add(feed, 1, 2)
    outcome = one_pass(file)
    assert (outcome.confirmed, outcome.problems, outcome.next_slot) == (2, [], None)
    stored = list(fake.posts.values())
    assert {post["status"] for post in stored} == {"scheduled" if kind == "ghost" else "future"}
    key = "published_at" if kind == "ghost" else "date_gmt"
    times = [datetime.fromisoformat(post[key]).replace(tzinfo=UTC) for post in stored]
    assert times == outcome.scheduled
    assert {moment.astimezone(ZoneInfo(BERLIN)).hour for moment in times} == {9}
    before = fake.writes()
    assert one_pass(file).problems == []
    assert fake.writes() == before
    done = connect("status", "--config", file)
    assert done.stdout.count("scheduled") == 2
    assert f"{times[0]:%Y-%m-%d %H:%M} UTC" in done.stdout


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('times = []\ntimezone = "UTC"', 'times: must be a list of times such as ["09:00"'),
        ('times = ["9"]\ntimezone = "UTC"', 'times: must be a time such as "09:00", not "9"'),
        ('times = ["24:00"]\ntimezone = "UTC"', "times: must be a time such as"),
        ('times = ["09:00", "09:00"]\ntimezone = "UTC"', "times: contains a time twice"),
        ('times = ["20:00-08:00"]\ntimezone = "UTC"\nper_day = 1', "must be a window within one"),
        ('times = ["08:00-20:00"]\ntimezone = "UTC"', "per_day: is missing; a window needs"),
        ('times = ["08:00-08:02"]\ntimezone = "UTC"\nper_day = 3', "more than one post a minute"),
        ('times = ["09:00"]\ntimezone = "UTC"\nper_day = 2', "per_day: is 2, but times has 1"),
        ('times = ["09:00"]', "schedule timezone: is missing"),
        ('timezone = "UTC"', "schedule times: is missing"),
        ('times = ["09:00"]\ntimezone = "Europe/Berln"', 'did you mean "Europe/Berlin"?'),
        ('times = ["09:00"]\ntimezone = "../../etc/passwd"', "must be an IANA time zone"),
        ('times = ["09:00"]\ntimezone = "America"', "must be an IANA time zone"),
        ('times = ["09:00"]\ntimezone = "UTC"\ndays = ["monday"]', 'did you mean "mon"?'),
        (
            'times = ["09:00", "09:30"]\ntimezone = "UTC"\njitter = "30m"',
            "jitter: must be shorter than 30 minutes, the time from one post to the next or",
        ),
        ('times = ["23:30"]\ntimezone = "UTC"\njitter = "30m"', "jitter: must be shorter than 30"),
        ('times = ["09:00"]\ntimezone = "UTC"\nday = "mon"', "day: is not a setting here; did you"),
    ],
)
def test_a_wrong_calendar_is_one_sentence(
    write_config: Callable[..., Path], lines: str, said: str
) -> None:
    """Bad input gets one clear error (what, where, what would be right)"""
    file = write_config(f"{PAGES}[target.schedule]\n{lines}\n")
    with pytest.raises(ConfigError) as caught:
        config.load(file)
    assert said in str(caught.value)
    assert f"{file}: [[target]] 1 schedule" in str(caught.value)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ('status = "draft"', 'schedule: needs status = "publish", which is the default, not "draf'),
        ('status = "scheduled"\npublish_after = "2h"', 'schedule: needs status = "publish"'),
    ],
)
def test_a_calendar_is_for_posts_that_are_published(
    write_config: Callable[..., Path], ghost_target: Callable[..., str], status: str, said: str
) -> None:
    """`publish_after` stays valid, and is another way than a calendar"""
    with pytest.raises(ConfigError) as caught:
        config.load(write_config(ghost_target(status) + SCHEDULE))
    assert said in str(caught.value)


def test_a_calendar_is_read(write_config: Callable[..., Path]) -> None:
    """days, times, per_day, timezone (IANA), jitter"""
    lines = 'times = ["08:00-20:00"]\nper_day = 4\ndays = ["mon", "FRI"]\njitter = "20m"\n'
    text = f'[target.schedule]\ntimezone = "{BERLIN}"\n{lines}'
    loaded = config.load(write_config(PAGES + text + MARKDOWN))
    one, other = (target.calendar for target in loaded.targets)
    assert other is None
    assert one == calendar(
        "08:00",
        "11:00",
        "14:00",
        "17:00",
        days=frozenset({0, 4}),
        jitter=timedelta(minutes=20),
        seed="pages",
    )


KILLED = """
[feed]
url_env = "KILL_TEST_FEED"
[ledger]
path = "ledger"
[[target]]
type = "markdown"
path = "public"
[target.schedule]
times = ["00:00"]
days = ["{day}"]
timezone = "UTC"
"""


@POINTS
@pytest.mark.parametrize("moment", ["before the slot", "at the slot"])
def test_killed_at_every_point_around_a_slot(
    feeds: FeedServer,
    tmp_path: Path,
    one_pass: Callable[[Path], Outcome],
    moment: str,
    points: tuple[int, int],
) -> None:
    """SIGKILL between any two I/O calls: exactly one published post, at its slot"""
    day = datetime.now(UTC).date() + timedelta(days=3)
    settings = KILLED.format(day=f"{day:%a}".lower())
    received, first = tmp_path / "received", feeds.new()
    received.mkdir()
    first.add(make_item())
    (received / "copydesk.toml").write_text(
        settings.replace('url_env = "KILL_TEST_FEED"', f'url = "{first.url}"')
    )
    one_pass(received / "copydesk.toml")
    _come(received / "ledger")
    with driver() as process:
        for number in count(*points):
            folder, feed = tmp_path / str(number), feeds.new()
            folder.mkdir()
            (folder / "copydesk.toml").write_text(settings)
            feed.add(make_item())
            if moment == "at the slot":  # the same state, without a pass for each
                shutil.copy(received / "ledger", folder / "ledger")
                feed.items[0].state, feed.items[0].sends = "reserved", 1
            point = process.killed_once(folder, feed.url, number)
            where = f"killed before {point}: {(folder / 'log').read_text()}"
            with Ledger.read(folder / "ledger") as opened:
                (entry,) = opened.newest(9)
            (owed,) = entry.deliveries
            pages = sorted(path.name for path in folder.glob("public/*.md"))
            if moment == "at the slot":
                assert feed.states() == {"itm_1": "used"}, where
                assert pages == ["descale-espresso-machine.md"], where
                assert owed.state is DeliveryState.PUBLISHED, where
            else:
                assert feed.states() == {"itm_1": "reserved"}, where
                assert pages == [], where
                assert owed.slot == datetime.combine(day, time(), UTC), where
                assert owed.state is DeliveryState.RECEIVED, where
            if not point:
                break
    assert number > 20


def _come(path: Path) -> None:
    """Let the slot come, a minute ago: a machine's clock may be set back a little."""
    with closing(sqlite3.connect(path)) as db:
        come = datetime.now(UTC) - timedelta(minutes=1)
        db.execute("UPDATE deliveries SET slot = ?", [come.isoformat()])
        db.commit()
