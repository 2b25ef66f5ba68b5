"""The rhythm of ``run``."""

from datetime import UTC, datetime, timedelta

import pytest

from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.poller import Stop, pause_s, poll


@pytest.mark.parametrize(
    ("outcome", "failures", "seconds"),
    [
        (Outcome(confirmed=3), 0, 900),
        (Outcome(problems=["rejected"]), 0, 900),
        (Outcome(unfinished=True), 1, 30),
        (Outcome(unfinished=True), 2, 60),
        (Outcome(unfinished=True), 5, 480),
        (Outcome(unfinished=True), 6, 900),
        (Outcome(unfinished=True), 5000, 900),
        (Outcome(unfinished=True, retry_after=45), 1, 45),
        (Outcome(unfinished=True, retry_after=3600), 9, 3600),
        (Outcome(unfinished=True, retry_after=1), 3, 120),
        (Outcome(unfinished=True, retry_after=31_536_000), 1, 21_600),
    ],
)
def test_the_pause_after_a_pass(outcome: Outcome, failures: int, seconds: float) -> None:
    """poll: default every 15 min, with backoff"""
    assert pause_s(outcome, failures, 900) == seconds


class Patience(Stop):
    """Notes every wait in place of waiting, and asks to end after some."""

    def __init__(self, waits: int) -> None:
        super().__init__()
        self.left = waits
        self.waited: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.left -= 1

    def __call__(self) -> bool:
        return self.left == 0


def test_failures_in_a_row_are_counted_and_forgotten() -> None:
    """with backoff; recovered, the usual rhythm is back"""
    bad, good = Outcome(unfinished=True), Outcome()
    outcomes = iter([bad, bad, good, bad])
    stop = Patience(4)
    poll(lambda: next(outcomes), 900, stop)
    expected = [30, 60, 900, 30]
    for waited, seconds in zip(stop.waited, expected, strict=True):
        assert seconds <= waited <= seconds * 1.1


def test_run_wakes_up_for_the_next_slot() -> None:
    """the connector publishes when the slot is due"""
    soon = datetime.now(UTC) + timedelta(minutes=5)
    past = datetime.now(UTC) - timedelta(minutes=5)
    outcomes = iter([Outcome(next_slot=soon), Outcome(next_slot=past), Outcome()])
    stop = Patience(3)
    poll(lambda: next(outcomes), 900, stop)
    assert 1 < stop.waited[0] <= 300
    assert stop.waited[1] == 1
    assert stop.waited[2] >= 900
