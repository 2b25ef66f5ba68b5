"""The breaker, the budget of retries and the learned concurrency, on a clock that a test moves."""

import logging
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest

from app.adapters.endpoint_health import EndpointHealth, Places
from app.adapters.shared_state import SharedState, folder
from app.core.errors import GenerationCancelled, ModelResting
from app.deadline import Deadline
from app.ports import Breaker
from tests.support.startup import wait_until

ENDPOINT = "https://llm.example.com"


class Time:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def health(time: Time, state: SharedState | None = None, **options: bool) -> EndpointHealth:
    return EndpointHealth(
        ENDPOINT, 4, probe_seconds=60, rest_seconds=30, state=state, clock=time, **options
    )


def fail(one: EndpointHealth, times: int = 1) -> None:
    for _ in range(times):
        one.failed("status 500", one.begin_attempt())


def succeed(one: EndpointHealth, times: int = 1) -> None:
    for _ in range(times):
        one.succeeded(one.begin_attempt())


def test_the_breaker_opens_after_five_failures_and_says_when_to_come_back(time: Time) -> None:
    one = health(time)
    fail(one, 4)
    one.check()
    fail(one)
    with pytest.raises(ModelResting, match="did not answer") as error:
        one.begin_attempt()
    assert error.value.retry_after == 30
    assert error.value.operator == (
        f"The model endpoint {ENDPOINT} fails (status 500) and is not called for 30 s."
    )
    time.now += 12
    with pytest.raises(ModelResting) as error:
        one.check()
    assert error.value.retry_after == 18


def test_an_endpoint_that_fails_now_and_then_stays_in_use(time: Time) -> None:
    one = health(time)
    for _ in range(50):
        fail(one, 2)
        succeed(one, 3)
    assert one.state().breaker is Breaker.CLOSED


def test_failures_of_long_ago_do_not_count(time: Time) -> None:
    one = health(time)
    fail(one, 4)
    time.now += 301
    fail(one, 4)
    one.check()


def test_one_call_tries_a_resting_endpoint_and_the_others_wait(time: Time) -> None:
    one = health(time)
    fail(one, 5)
    time.now += 30
    assert one.state().breaker is Breaker.HALF_OPEN
    assert one.begin_attempt() is True
    with pytest.raises(ModelResting) as error:
        one.begin_attempt()
    assert error.value.retry_after == 15
    one.succeeded(True)
    assert one.begin_attempt() is False
    fail(one, 4)
    one.check()  # the failures before the rest are forgotten


def test_a_rest_doubles_with_each_failed_try_up_to_four_times(time: Time) -> None:
    one = health(time)
    fail(one, 5)
    rests = []
    for _ in range(4):
        time.now += one.state().retry_after
        fail(one)
        rests.append(one.state().retry_after)
    assert rests == [60, 120, 120, 120]
    time.now += 120
    succeed(one)
    fail(one, 5)
    assert one.state().retry_after == 30


def test_a_try_that_was_given_up_or_lost_lets_another_one_begin(time: Time) -> None:
    one = health(time)
    fail(one, 5)
    time.now += 30
    assert one.begin_attempt()
    one.abandoned(True)
    assert one.begin_attempt()
    with pytest.raises(ModelResting):
        one.begin_attempt()
    time.now += 61  # its process was killed
    assert one.begin_attempt()


def test_a_hung_call_opens_the_breaker_unless_another_one_succeeded_meanwhile(time: Time) -> None:
    one = health(time)
    begun = time.now
    time.now += 10
    succeed(one)
    time.now += 50
    one.failed("no answer in time", one.begin_attempt(), hung_since=begun)
    one.check()
    time.now += 60
    one.failed("no answer in time", one.begin_attempt(), hung_since=time.now - 60)
    with pytest.raises(ModelResting):
        one.check()


def test_a_late_success_of_an_old_call_does_not_close_the_breaker(time: Time) -> None:
    one = health(time)
    old = one.begin_attempt()
    fail(one, 5)
    one.succeeded(old)
    assert one.state().breaker is Breaker.OPEN


def test_a_clock_that_is_set_back_lengthens_no_rest(time: Time) -> None:
    one = health(time)
    fail(one, 5)
    time.now -= 3600
    one.check()


def test_the_breaker_of_the_local_model_never_opens(time: Time) -> None:
    one = health(time, opens=False)
    fail(one, 50)
    one.check()


def test_retries_have_a_reserve_of_ten_then_one_for_ten_calls_and_one_a_minute(time: Time) -> None:
    one = health(time)
    assert [one.may_retry() for _ in range(12)] == [True] * 10 + [False] * 2
    for _ in range(25):
        one.begin_call()
    assert [one.may_retry() for _ in range(3)] == [True, True, False]
    time.now += 61
    assert [one.may_retry() for _ in range(2)] == [True, False]
    time.now += 100_000
    assert [one.may_retry() for _ in range(11)] == [True] * 10 + [False]
    state = one.state()
    assert (state.retries, state.refused_retries) == (23, 5)


def test_processes_share_the_breaker_and_the_budget(time: Time, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    one, other = (health(time, SharedState(path)) for _ in range(2))
    fail(one, 3)
    fail(other, 2)
    with pytest.raises(ModelResting):
        one.check()
    for _ in range(10):
        assert one.may_retry()
    assert not other.may_retry()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"outcomes": 5}', '{"unknown": 1}'])
def test_a_record_that_cannot_be_read_is_a_new_one(time: Time, tmp_path: Path, text: str) -> None:
    path = tmp_path / "one.json"
    path.write_text(text)
    one = health(time, SharedState(path))
    fail(one, 5)
    assert health(time, SharedState(path)).state().breaker is Breaker.OPEN


def test_without_a_usable_folder_the_record_is_in_memory(time: Time, tmp_path: Path) -> None:
    one = health(time, SharedState(tmp_path / "missing" / "one.json"))
    fail(one, 5)
    assert one.state().breaker is Breaker.OPEN
    assert not (tmp_path / "missing").exists()


def test_a_folder_that_cannot_be_made_is_replaced_by_a_private_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.shared_state.gettempdir", lambda: str(tmp_path))
    found = folder(tmp_path / "missing" / "endpoints")
    assert found is not None
    assert found.parent == tmp_path
    assert found.stat().st_mode & 0o777 == 0o700


def test_one_line_is_logged_when_an_endpoint_rests_and_when_it_is_used_again(
    time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    one = health(time)
    fail(one, 5)
    one.failed("status 500", False)  # a call that began before
    time.now += 30
    succeed(one, 3)
    assert caplog.messages == [
        f"the model endpoint {ENDPOINT} is not called for 30 s, because it fails: status 500",
        f"the model endpoint {ENDPOINT} answers again and is used",
    ]


def test_a_429_halves_the_calls_at_once_and_successes_add_one_a_round(time: Time) -> None:
    places = Places(8, time)
    time.now += 1
    places.refused(time.now)
    assert places.limit == 4
    places.refused(time.now - 0.5)  # of a call that began before: it tells nothing new
    assert places.limit == 4
    for _ in range(4):
        time.now += 1
        places.refused(time.now)
    assert places.limit == 1
    rounds = [1]
    for _ in range(100):
        places.succeeded()
        rounds.append(places.limit)
    assert rounds[1:7] == [2, 2, 2, 3, 3, 3]
    assert rounds[-1] == 8
    assert all(after - before <= 1 for before, after in pairwise(rounds))


def test_fewer_places_hold_calls_back_and_none_is_lost(time: Time) -> None:
    places = Places(2, time)
    assert places.take(0)
    assert places.take(0)
    time.now += 1
    places.refused(time.now)
    places.leave()
    assert not places.take(0)
    places.leave()
    assert places.take(0)
    assert not places.take(0)


def test_a_call_that_waits_for_a_place_leaves_when_the_endpoint_rests(time: Time) -> None:
    one = health(time)
    for _ in range(4):
        assert one.places.take(0)
    ended: list[str] = []

    def wait(deadline: Deadline) -> None:
        try:
            one.wait_for_place(deadline)
        except (ModelResting, GenerationCancelled) as error:
            ended.append(type(error).__name__)

    cancelled = Deadline(60)
    threads = [Thread(target=wait, args=(each,)) for each in (Deadline(60), cancelled)]
    for thread in threads:
        thread.start()
    cancelled.cancel()
    wait_until(lambda: ended == ["GenerationCancelled"], 30, "the cancelled one ends")
    fail(one, 5)
    wait_until(lambda: len(ended) == 2, 30, "the other one ends")
    assert ended[1] == "ModelResting"
    assert not one.places.take(0)
