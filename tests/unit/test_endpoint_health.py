"""The breaker and the budget of retries, on a clock that a test moves."""

import logging
from pathlib import Path
from threading import Thread

import pytest

from app.adapters.endpoint_health import EndpointHealth, shared_folder
from app.core.errors import GenerationCancelled, ModelResting
from app.deadline import Deadline
from app.ports import Breaker
from tests.support.startup import wait_until

ENDPOINT = "https://llm.example.com"
REASON = f"The model endpoint {ENDPOINT} answered with status 500."


class Time:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def health(time: Time, file: Path | None = None, *, opens: bool = True) -> EndpointHealth:
    return EndpointHealth(
        ENDPOINT, 4, probe_seconds=60, rest_seconds=30, opens=opens, file=file, now=time
    )


def fail(one: EndpointHealth, times: int = 1) -> None:
    for _ in range(times):
        one.failed(REASON, one.begin_attempt())


def succeed(one: EndpointHealth, times: int = 1) -> None:
    for _ in range(times):
        one.succeeded(one.begin_attempt())


def test_the_breaker_opens_after_seven_failures_and_says_when_to_come_back(time: Time) -> None:
    one = health(time)
    fail(one, 6)
    one.check()
    fail(one)
    with pytest.raises(ModelResting, match="did not answer") as error:
        one.begin_attempt()
    assert error.value.retry_after == 30
    assert error.value.operator == f"{REASON} It is not called for 30 s."
    time.now += 12
    with pytest.raises(ModelResting) as error:
        one.check()
    assert error.value.retry_after == 18


def test_an_endpoint_that_fails_now_and_then_stays_in_use(time: Time) -> None:
    one = health(time)
    for _ in range(50):
        fail(one, 6)
        succeed(one)
    assert one.state().breaker is Breaker.CLOSED


def test_what_says_nothing_about_the_endpoint_is_told_and_does_not_count(time: Time) -> None:
    one = health(time)
    for _ in range(9):
        one.failed("It refused a prompt.", one.begin_attempt(), counts=False)
    assert one.state().breaker is Breaker.CLOSED
    assert one.state().reason == "It refused a prompt."
    succeed(one)
    assert one.state().reason == ""


def test_failures_of_long_ago_do_not_count(time: Time) -> None:
    one = health(time)
    fail(one, 6)
    time.now += 301
    fail(one, 6)
    one.check()


def test_one_call_tries_a_resting_endpoint_and_the_others_wait(time: Time) -> None:
    one = health(time)
    fail(one, 7)
    time.now += 30
    assert one.state().breaker is Breaker.HALF_OPEN
    assert one.begin_attempt() is True
    with pytest.raises(ModelResting) as error:
        one.begin_attempt()
    assert error.value.retry_after == 15
    one.succeeded(True)
    assert one.begin_attempt() is False
    fail(one, 6)
    one.check()  # the failures before the rest are forgotten


def test_a_rest_doubles_with_each_failed_try_up_to_four_times(time: Time) -> None:
    one = health(time)
    fail(one, 7)
    rests = []
    for _ in range(4):
        time.now += one.state().retry_after
        fail(one)
        rests.append(one.state().retry_after)
    assert rests == [60, 120, 120, 120]
    time.now += 120
    succeed(one)
    fail(one, 7)
    assert one.state().retry_after == 30


def test_a_try_that_was_given_up_or_lost_lets_another_one_begin(time: Time) -> None:
    one = health(time)
    fail(one, 7)
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
    fail(one, 7)
    one.succeeded(old)
    assert one.state().breaker is Breaker.OPEN


def test_a_clock_that_is_set_back_lengthens_no_rest(time: Time) -> None:
    one = health(time)
    fail(one, 7)
    time.now -= 3600
    one.check()


def test_the_breaker_of_the_local_model_never_opens(time: Time) -> None:
    one = health(time, opens=False)
    fail(one, 50)
    one.check()


def test_retries_have_a_reserve_of_ten_then_one_for_ten_calls(time: Time) -> None:
    one = health(time)
    assert [one.may_retry() for _ in range(12)] == [True] * 10 + [False] * 2
    for _ in range(25):
        one.begin_call()
    assert [one.may_retry() for _ in range(3)] == [True, True, False]
    for _ in range(1_000):
        one.begin_call()
    assert [one.may_retry() for _ in range(11)] == [True] * 10 + [False]


def test_processes_share_what_they_conclude(time: Time, tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    one, other = (health(time, file) for _ in range(2))
    fail(one, 7)
    with pytest.raises(ModelResting):
        other.check()
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]
    time.now += 30
    succeed(other)
    one.check()
    assert one.state().reason == ""


@pytest.mark.parametrize("text", ["", "{", "[]", '{"open_until": "x"}', '{"unknown": 1}'])
def test_a_record_that_cannot_be_read_is_a_new_one(time: Time, tmp_path: Path, text: str) -> None:
    file = tmp_path / "one.json"
    file.write_text(text)
    one = health(time, file)
    fail(one, 7)
    assert health(time, file).state().breaker is Breaker.OPEN


def test_without_a_usable_folder_the_record_is_in_memory(time: Time, tmp_path: Path) -> None:
    one = health(time, tmp_path / "missing" / "one.json")
    fail(one, 7)
    assert one.state().breaker is Breaker.OPEN
    assert not (tmp_path / "missing").exists()


def test_a_folder_that_cannot_be_made_is_replaced_by_a_private_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.endpoint_health.gettempdir", lambda: str(tmp_path))
    found = shared_folder(tmp_path / "missing" / "endpoints")
    assert found is not None
    assert found.parent == tmp_path
    assert found.stat().st_mode & 0o777 == 0o700


def test_one_line_is_logged_when_an_endpoint_rests_and_when_it_is_used_again(
    time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    one = health(time)
    fail(one, 7)
    one.failed(REASON, False)  # a call that began before
    time.now += 30
    succeed(one, 3)
    assert caplog.messages == [
        f"an endpoint is not called for 30 s: {REASON}",
        f"the model endpoint {ENDPOINT} answers again and is used",
    ]


def test_a_call_that_waits_for_a_place_leaves_when_the_endpoint_rests(time: Time) -> None:
    one = health(time)
    for _ in range(4):
        assert one.take_place(Deadline(60))
    ended: list[str] = []

    def wait(deadline: Deadline) -> None:
        try:
            one.take_place(deadline)
        except (ModelResting, GenerationCancelled) as error:
            ended.append(type(error).__name__)

    cancelled = Deadline(60)
    threads = [Thread(target=wait, args=(each,)) for each in (Deadline(60), cancelled)]
    for thread in threads:
        thread.start()
    cancelled.cancel()
    wait_until(lambda: ended == ["GenerationCancelled"], 30, "the cancelled one ends")
    fail(one, 7)
    wait_until(lambda: len(ended) == 2, 30, "the other one ends")
    assert ended[1] == "ModelResting"
    one.leave_place()
    time.now += 30
    assert one.take_place(Deadline(0.1))
    assert not one.take_place(Deadline(0.1))
