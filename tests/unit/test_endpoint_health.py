"""The circuit breaker, on a clock that a test moves."""

import logging
from contextlib import ExitStack
from threading import Thread

import pytest

from app.adapters.endpoint_health import EndpointHealth
from app.core.errors import GenerationCancelled, GenerationTimeout, ModelResting
from app.deadline import Deadline
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


def health(time: Time) -> EndpointHealth:
    return EndpointHealth(ENDPOINT, 4, rest_seconds=30, now=time)


def fail(one: EndpointHealth, times: int = 1) -> None:
    for _ in range(times):
        one.failed(one.begin(), REASON)


def succeed(one: EndpointHealth, times: int = 1) -> None:
    for _ in range(times):
        one.succeeded(one.begin())


def test_the_breaker_opens_after_seven_failures_and_says_when_to_come_back(time: Time) -> None:
    one = health(time)
    fail(one, 6)
    one.state().check()
    fail(one)
    with pytest.raises(ModelResting, match="did not answer") as error:
        one.begin()
    assert error.value.retry_after == 30
    assert error.value.operator == f"{REASON} It is called again in 30 s."
    time.now += 12
    with pytest.raises(ModelResting) as error:
        one.state().check()
    assert error.value.retry_after == 18


def test_an_endpoint_that_fails_now_and_then_stays_in_use(time: Time) -> None:
    one = health(time)
    for _ in range(50):
        fail(one, 6)
        succeed(one)
    one.state().check()


def test_what_says_nothing_about_the_endpoint_is_told_and_does_not_count(time: Time) -> None:
    one = health(time)
    for _ in range(9):
        one.failed(one.begin(), "It refused a prompt.", counts=False)
    one.state().check()
    assert one.state().reason == "It refused a prompt."
    succeed(one)
    assert one.state().reason == ""


def test_calls_behind_a_rest_say_whether_the_endpoint_is_back(time: Time) -> None:
    one = health(time)
    fail(one, 7)
    time.now += 30
    first, second = one.begin(), one.begin()
    one.succeeded(first)
    one.failed(second, REASON)
    fail(one, 5)
    one.state().check()  # the failures before the rest are forgotten


def test_of_the_calls_behind_a_rest_the_first_failure_alone_begins_another(time: Time) -> None:
    one = health(time)
    fail(one, 7)
    time.now += 30
    calls = [one.begin() for _ in range(4)]
    for each in calls[:3]:
        one.failed(each, REASON)
    time.now += 61
    one.failed(calls[3], "no answer in time", hung=True)
    one.state().check()


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


def test_a_hung_call_opens_the_breaker_unless_another_one_succeeded_meanwhile(time: Time) -> None:
    one = health(time)
    hung = one.begin()
    time.now += 10
    succeed(one)
    time.now += 50
    one.failed(hung, "no answer in time", hung=True)
    one.state().check()
    hung = one.begin()
    time.now += 60
    one.failed(hung, "no answer in time", hung=True)
    with pytest.raises(ModelResting):
        one.state().check()


def test_a_late_success_of_an_old_call_does_not_close_the_breaker(time: Time) -> None:
    one = health(time)
    old = one.begin()
    fail(one, 7)
    one.succeeded(old)
    with pytest.raises(ModelResting):
        one.state().check()


def test_one_line_is_logged_when_an_endpoint_rests_and_when_it_is_used_again(
    time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    one = health(time)
    late = one.begin()
    fail(one, 7)
    one.failed(late, REASON)
    time.now += 30
    succeed(one, 3)
    assert caplog.messages == [
        f"an endpoint is not called for 30 s: {REASON}",
        f"the model endpoint {ENDPOINT} answers again and is used",
    ]


def test_a_call_that_waits_for_a_place_leaves_when_the_endpoint_rests(time: Time) -> None:
    one = health(time)
    ended: list[str] = []

    def wait(deadline: Deadline) -> None:
        try:
            with one.place(deadline):
                ended.append("a place")
        except (ModelResting, GenerationCancelled) as error:
            ended.append(type(error).__name__)

    cancelled = Deadline(60)
    threads = [Thread(target=wait, args=(each,)) for each in (Deadline(60), cancelled)]
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(one.place(Deadline(60)))
        for thread in threads:
            thread.start()
        cancelled.cancel()
        wait_until(lambda: ended == ["GenerationCancelled"], 30, "the cancelled one ends")
        fail(one, 7)
        wait_until(lambda: len(ended) == 2, 30, "the other one ends")
        assert ended[1] == "ModelResting"
        time.now += 30
        with pytest.raises(GenerationTimeout), one.place(Deadline(0.1)):
            pass
    with one.place(Deadline(0.1)):
        pass
