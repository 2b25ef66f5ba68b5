"""How often a rule runs: what an operator may write, and the slots that follow from it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ValidationFailed
from app.core.rule import (
    MAX_EVERY,
    MIN_EVERY,
    format_every,
    next_slot,
    parse_every,
    retry_after,
)

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
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
    slot = next_slot(NOON, every, now)
    assert (slot - NOON) % every == timedelta()
    assert now < slot <= now + every


@given(
    every=whole_minutes,
    delays=st.lists(st.timedeltas(timedelta(), timedelta(days=3)), min_size=1, max_size=20),
)
def test_late_ticks_do_not_add_up(every: timedelta, delays: list[timedelta]) -> None:
    slot = NOON
    for delay in delays:
        slot = next_slot(slot, every, slot + delay)
    assert (slot - NOON) % every == timedelta()


def test_a_slot_that_is_due_at_this_very_moment_is_not_offered_again() -> None:
    assert next_slot(NOON, timedelta(hours=1), NOON) == NOON + timedelta(hours=1)
    assert next_slot(NOON, timedelta(hours=1), NOON + timedelta(hours=1)) == NOON + timedelta(
        hours=2
    )


def test_a_clock_that_went_backwards_brings_no_earlier_slot() -> None:
    assert next_slot(NOON, timedelta(hours=1), NOON - timedelta(hours=5)) == NOON + timedelta(
        hours=1
    )


def test_a_failed_run_waits_longer_after_each_attempt() -> None:
    waits = [retry_after(attempt) for attempt in (1, 2, 3)]
    assert waits == [timedelta(minutes=minutes) for minutes in (1, 2, 4)]
