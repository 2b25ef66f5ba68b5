"""The calendar of the WordPress plugin, run by PHP without WordPress."""

import json
import subprocess
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.sites.plugin_site import PLUGIN
from tests.support.sites.programs import NotInstalled, program

pytestmark = pytest.mark.sites

DAYS = [1, 2, 3, 4, 5, 6, 7]
# What the class takes of WordPress.
SCRIPT = """
define('ABSPATH', '/');
define('MINUTE_IN_SECONDS', 60);
define('DAY_IN_SECONDS', 86400);
define('JOB', json_decode(stream_get_contents(STDIN), true));
function wp_timezone() { return new DateTimeZone(JOB['zone']); }
function wp_rand($least, $most) { return mt_rand($least, $most); }
require JOB['file'];
mt_srand(1);
$taken = JOB['taken'];
$slots = [];
for ($n = 0; $n < JOB['count']; $n++) {
    $taken[] = $slots[] = Copydesk_Calendar::next(JOB['schedule'], $taken, JOB['now']);
}
echo json_encode($slots);
"""


def slots(
    now: str,
    count: int = 1,
    zone: str = "Europe/Berlin",
    taken: tuple[int, ...] = (),
    **schedule: Any,
) -> list[str]:
    """The next slots, each of which then is taken, in UTC."""
    case = {
        "file": str(PLUGIN / "includes/class-copydesk-calendar.php"),
        "zone": zone,
        "now": int(datetime.fromisoformat(now).replace(tzinfo=UTC).timestamp()),
        "count": count,
        "taken": taken,
        "schedule": {"days": DAYS, "times": ["09:00"], "per_day": 24, "jitter": 0} | schedule,
    }
    try:
        php = program("php")
    except NotInstalled as error:
        pytest.skip(str(error))
    done = subprocess.run(
        [php, "-d", "display_errors=stderr", "-r", SCRIPT],
        input=json.dumps(case),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}" for at in json.loads(done.stdout)]


def test_clocks_go_forward() -> None:
    """daylight saving right: nine o'clock stays nine o'clock on the site"""
    assert slots("2026-03-27 12:00", 3) == [
        "2026-03-28 08:00",
        "2026-03-29 07:00",
        "2026-03-30 07:00",
    ]
    # Half past two does not exist on that day: an hour later.
    assert slots("2026-03-27 12:00", 3, times=["02:30"]) == [
        "2026-03-28 01:30",
        "2026-03-29 01:30",
        "2026-03-30 00:30",
    ]
    # Both are the same time on that day, and one post has it.
    assert slots("2026-03-28 12:00", 3, times=["02:30", "03:30"]) == [
        "2026-03-29 01:30",
        "2026-03-30 00:30",
        "2026-03-30 01:30",
    ]


def test_clocks_go_back() -> None:
    assert slots("2026-10-23 12:00", 3) == [
        "2026-10-24 07:00",
        "2026-10-25 08:00",
        "2026-10-26 08:00",
    ]
    # Half past two is twice on that day, and one post has one of both.
    first, second = slots("2026-10-24 12:00", 2, times=["02:30"])
    assert first in {"2026-10-25 00:30", "2026-10-25 01:30"}
    assert second == "2026-10-26 01:30"


@pytest.mark.parametrize(
    ("zone", "first"),
    [
        ("America/New_York", "2026-03-08 13:00"),
        ("Australia/Lord_Howe", "2026-03-07 22:00"),
        ("Pacific/Apia", "2026-03-07 20:00"),
        ("+05:45", "2026-03-08 03:15"),
        ("UTC", "2026-03-08 09:00"),
    ],
)
def test_the_time_zone_is_the_sites_own(zone: str, first: str) -> None:
    """in the site's own time zone (wp_timezone)"""
    now = {"Pacific/Apia": "2026-03-07 15:00", "Australia/Lord_Howe": "2026-03-07 15:00"}
    assert slots(now.get(zone, "2026-03-07 23:00"), zone=zone) == [first]


def test_days_times_and_posts_a_day() -> None:
    """days, times, per_day"""
    # 2026-05-01 is a Friday.
    assert slots("2026-05-01 10:00", 5, days=[1, 5], times=["18:00", "08:15"]) == [
        "2026-05-01 16:00",
        "2026-05-04 06:15",
        "2026-05-04 16:00",
        "2026-05-08 06:15",
        "2026-05-08 16:00",
    ]
    one = slots("2026-05-01 10:00", 3, times=["08:00", "13:00", "18:00"], per_day=1)
    assert one == ["2026-05-01 11:00", "2026-05-02 06:00", "2026-05-03 06:00"]


def test_a_random_delay_takes_one_slot_each() -> None:
    """jitter in minutes"""
    got = slots("2026-05-01 00:00", 200, times=["08:00", "08:20", "23:50"], jitter=60)
    assert len(set(got[:3])) == 3
    days: dict[str, int] = {}
    for at in got:
        # 08:00 in Berlin is 06:00 UTC; the last of a day may be after midnight there.
        assert "06:00" <= at[11:] <= "07:20" or "21:50" <= at[11:] <= "22:50"
        days[at[:10]] = days.get(at[:10], 0) + 1
    assert set(list(days.values())[:-1]) == {3}


def test_a_long_backlog_has_a_slot_for_each() -> None:
    """a backlog is spread"""
    got = slots("2026-01-01 00:00", 400, days=[3])
    assert len(set(got)) == 400
    assert got == sorted(got)
    assert got[-1].startswith("2033-")
