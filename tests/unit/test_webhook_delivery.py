"""When a webhook is tried again, and what it carries."""

from datetime import timedelta

import pytest

from app.core.webhooks.delivery import next_pause

PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]


def test_the_schedule() -> None:
    """5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h after the first attempt, then no more."""
    pauses = [next_pause(number, None, 500, 0.0) for number in range(1, 9)]
    assert pauses == [timedelta(seconds=pause) for pause in PAUSES] + [None]


@pytest.mark.parametrize("number", range(1, 8))
def test_jitter_only_lengthens_a_pause(number: int) -> None:
    pause = next_pause(number, None, None, 0.999)
    assert pause is not None
    assert 1 < pause.total_seconds() / PAUSES[number - 1] < 1.2


def test_retry_after_is_honoured() -> None:
    assert next_pause(1, 90.0, 429, 0.0) == timedelta(seconds=90)
    assert next_pause(3, 90.0, 503, 0.0) == timedelta(seconds=1_800)


def test_a_receiver_cannot_put_a_delivery_off_for_good() -> None:
    pause = next_pause(1, 1e9, 503, 0.5)
    assert pause is not None
    assert pause <= timedelta(hours=12)
