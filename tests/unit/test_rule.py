"""How often a rule runs: what an operator may write, and the slots that follow from it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ValidationFailed
from app.core.feed.rule import (
    MAX_EVERY,
    MIN_EVERY,
    SchedulePolicy,
    format_every,
    parse_every,
    slot_after_failure,
)
from app.services.rule_lists import ListedRule
from app.store.models import Rule

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
FREQUENT, DAILY = SchedulePolicy(), SchedulePolicy(daily=True)
whole_minutes = st.integers(15, 30 * 24 * 60).map(lambda minutes: timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("15m", timedelta(minutes=15)),
        ("90m", timedelta(minutes=90)),
        ("1h", timedelta(hours=1)),
        (" 12 h ", timedelta(hours=12)),
        ("7d", timedelta(days=7)),
        ("30d", timedelta(days=30)),
        ("720h", timedelta(days=30)),
        ("43200m", timedelta(days=30)),
    ],
)
def test_a_frequency_is_a_number_and_a_unit(text: str, every: timedelta) -> None:
    assert parse_every(text) == every


@pytest.mark.parametrize(
    "text", ["", "h", "15", "1.5h", "-1h", "1 hour", "1h30m", "15M", "1w", "1h\n1h", "9" * 50]
)
def test_anything_else_is_refused_with_what_would_be_right(text: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        parse_every(text)
    assert "30m, 1h or 7d" in refused.value.message
    assert refused.value.details == {"field": "every", "received": text[:40]}


@pytest.mark.parametrize("text", ["0m", "14m", "0d", "31d", "721h", "43201m", "99999d"])
def test_a_frequency_outside_15_minutes_to_30_days_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailed, match="between 15m and 30d"):
        parse_every(text)


@given(whole_minutes)
def test_a_frequency_survives_being_written_and_read(every: timedelta) -> None:
    assert parse_every(format_every(every)) == every


@pytest.mark.parametrize(
    ("every", "text"),
    [
        (timedelta(minutes=90), "90m"),
        (timedelta(minutes=60), "1h"),
        (timedelta(hours=36), "36h"),
        (timedelta(hours=48), "2d"),
    ],
)
def test_the_shortest_spelling_is_used(every: timedelta, text: str) -> None:
    assert format_every(every) == text


@given(
    every=st.one_of(whole_minutes, st.sampled_from([MIN_EVERY, MAX_EVERY])),
    late=st.timedeltas(timedelta(), timedelta(days=400)),
)
def test_the_next_slot_is_the_first_of_the_grid_that_is_not_over(
    every: timedelta, late: timedelta
) -> None:
    """Missed slots coalesce into one, and a rule never drifts off its grid."""
    now = NOON + late
    slot = FREQUENT.next_slot(NOON, every, now)
    assert (slot - NOON) % every == timedelta()
    assert now < slot <= now + every


@given(
    every=whole_minutes,
    due=st.timedeltas(timedelta(), timedelta(days=60)),
    late=st.timedeltas(timedelta(), timedelta(days=3)),
    failures=st.integers(1, 1_000_000),
)
def test_a_rule_that_failed_waits_longer_each_time_and_stays_on_its_grid(
    every: timedelta, due: timedelta, late: timedelta, failures: int
) -> None:
    now = NOON + late
    slot = slot_after_failure(NOON + due, every, now, failures)
    wait = min(every * 2 ** min(failures - 1, 20), DAY)
    assert (slot - NOON - due) % every == timedelta()
    assert slot >= NOON + due, "never earlier than without the failure"
    assert slot >= now + wait
    assert slot == NOON + due or slot < now + wait + every, "the first such slot"


@given(
    every=whole_minutes,
    failures=st.integers(1, 20),
    late=st.timedeltas(timedelta(), timedelta(days=3)),
    later=st.timedeltas(timedelta(), timedelta(days=3)),
)
def test_a_rule_that_is_forgiven_has_the_next_slot_of_its_grid(
    every: timedelta, failures: int, late: timedelta, later: timedelta
) -> None:
    failed_at = NOON + late
    due = slot_after_failure(FREQUENT.next_slot(NOON, every, failed_at), every, failed_at, failures)
    now = failed_at + later
    slot = FREQUENT.brought_forward(due, every, now)
    if due <= now:
        assert slot == due, "it is due already"
    else:
        assert slot == FREQUENT.next_slot(NOON, every, now)


@given(
    every=whole_minutes,
    ahead=st.timedeltas(timedelta(), timedelta(days=400)),
    policy=st.sampled_from([SchedulePolicy(), DAILY]),
)
def test_a_slot_too_far_ahead_is_pulled_in_on_the_grid(
    every: timedelta, ahead: timedelta, policy: SchedulePolicy
) -> None:
    longest = policy.longest_pause(every, failing=False)
    slot = policy.next_slot(NOON + longest + ahead, every, NOON)
    assert NOON < slot <= NOON + longest
    if policy is DAILY:
        assert slot.date() > NOON.date(), "there may have been a run today"
    else:
        assert (slot - NOON - longest - ahead) % every == timedelta()


@given(
    every=whole_minutes,
    moments=st.lists(st.timedeltas(timedelta(), timedelta(days=5)), min_size=1, max_size=60),
)
def test_the_restricted_tier_gives_a_rule_one_slot_a_day_whenever_it_is_looked_at(
    every: timedelta, moments: list[timedelta]
) -> None:
    """“on a restricted tier scheduled runs happen at most once per day regardless of frequency
    under about 24 hours”"""
    due, now, runs = NOON, NOON, []
    for moment in moments:
        now += moment
        if due <= now:
            runs.append(now)
            following = DAILY.next_slot(due, every, now)
            assert following > now
            assert following - now <= max(every, DAY) + DAY
            due = following
    days = [run.date() for run in runs]
    assert len(days) == len(set(days))


def test_the_restricted_tier_runs_daily_by_the_tick_of_midnight_alone() -> None:
    """A slot in the middle of a day is late at midnight; the next must not be late again."""
    due, runs = NOON, []
    for day in range(1, 8):
        midnight = datetime(2026, 1, 31, tzinfo=UTC) + day * DAY + timedelta(milliseconds=3)
        if due <= midnight:
            runs.append(midnight)
            due = DAILY.next_slot(due, MIN_EVERY, midnight)
    assert len(runs) == 7


@given(every=whole_minutes, late=st.timedeltas(timedelta(), timedelta(days=60)))
def test_a_frequency_of_days_is_kept_on_the_restricted_tier(
    every: timedelta, late: timedelta
) -> None:
    now = NOON + late
    slot = DAILY.next_slot(NOON, every, now)
    own = FREQUENT.next_slot(NOON, max(every, DAY), now)
    assert slot == own if own.date() > now.date() else slot.time() == datetime.min.time()


@pytest.mark.parametrize(
    ("row", "state", "status"),
    [
        ({"paused": True, "token_paused": True}, {"is_full": True}, "paused"),
        ({"token_paused": True, "failures": 2}, {}, "paused with its feed"),
        ({"paused": True}, {"left": 0}, "paused"),
        ({"failures": 2}, {"left": 0, "is_full": True}, "saturated"),
        ({"failures": 2}, {"is_full": True, "cap_reached": "$1"}, "waiting: queue full"),
        ({"failures": 2}, {"cap_reached": "$1"}, "waiting: spend cap reached"),
        ({"failures": 1, "last_error": {"code": "QUOTA_EXCEEDED"}}, {}, "waiting: out of words"),
        ({"failures": 0, "last_error": {"code": "QUOTA_EXCEEDED"}}, {}, "active"),
        ({"failures": 1, "last_error": {"code": "SERVICE_UNAVAILABLE"}}, {}, "failing: 1 time"),
        ({"failures": 3}, {}, "failing: 3 times"),
        ({}, {}, "active"),
    ],
)
def test_what_a_rule_does_in_words(row: dict[str, Any], state: dict[str, Any], status: str) -> None:
    rule = Rule(**{"paused": False, "token_paused": False, "failures": 0, **row})
    nothing: dict[str, Any] = {
        "pending": 0, "is_full": False, "open_run": None, "left": None, "cap_reached": None
    }  # fmt: skip
    assert ListedRule(rule, **{**nothing, **state}).status == status
