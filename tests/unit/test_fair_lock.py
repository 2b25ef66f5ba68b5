"""FairLock: one at a time, nobody kept waiting for others, and passed on however a turn ends."""

import time
from collections.abc import Callable
from threading import Event, Thread

import pytest
from sqlalchemy.exc import OperationalError

from app.store.fair_lock import FairLock


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def waiting(lock: FairLock) -> int:
    return len(lock._waiting)


def test_who_has_waited_for_too_long_is_next() -> None:
    """In the order in which they came, and before one who is running and comes again."""
    lock, order, inside = FairLock(20, patience_seconds=0), list[int](), list[int]()

    def work(number: int) -> None:
        with lock.held():
            inside.append(number)
            order.append(number)
            assert inside == [number]
            inside.remove(number)

    threads = [Thread(target=work, args=(number,)) for number in range(16)]
    with lock.held():
        for number, thread in enumerate(threads):
            thread.start()
            until(lambda number=number: waiting(lock) == number + 1)  # type: ignore[misc]
    work(16)
    for thread in threads:
        thread.join(20)
    assert order == list(range(17))


def test_until_then_who_runs_goes_on() -> None:
    lock, order = FairLock(20, patience_seconds=20), list[str]()

    def wait() -> None:
        with lock.held():
            order.append("waited")

    other = Thread(target=wait)
    with lock.held():
        other.start()
        until(lambda: waiting(lock) == 1)
        (waiter,) = lock._waiting
        # It sleeps until it is woken, and then finds the turn taken.
        with lock._state:
            lock._wake_first()
        until(waiter.closed.locked)
        order.append("ran")
    other.join(20)
    assert order == ["ran", "waited"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_turn_that_fails_is_passed_on(error: type[BaseException]) -> None:
    lock = FairLock(20)
    with pytest.raises(error), lock.held():
        raise error
    with lock.held():
        pass


def test_who_waits_for_too_long_is_told_what_the_database_would_say() -> None:
    lock, held, done = FairLock(0.05), Event(), Event()

    def hold() -> None:
        with lock.held():
            held.set()
            done.wait(20)

    holder = Thread(target=hold)
    holder.start()
    held.wait(20)
    for _ in range(2):
        with pytest.raises(OperationalError, match="database is locked"), lock.held():
            pass
    assert waiting(lock) == 0
    done.set()
    holder.join(20)
    with lock.held():
        pass


@pytest.mark.parametrize("patience_seconds", [0, 20])
def test_who_is_interrupted_as_the_turn_comes_passes_it_on(
    patience_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was handed over, or only free."""
    lock, interrupted = FairLock(20, patience_seconds), list[bool]()

    def interrupt(_: object) -> bool:
        raise KeyboardInterrupt

    def wait() -> None:
        with pytest.raises(KeyboardInterrupt):
            lock._take()
        interrupted.append(True)

    monkeypatch.setattr(lock, "_came", interrupt)
    late = Thread(target=wait)
    with lock.held():
        late.start()
        until(lambda: waiting(lock) == 1)
    late.join(20)
    assert interrupted
    assert waiting(lock) == 0
    with lock.held():
        pass


def test_a_thread_that_would_wait_for_itself_is_told_so() -> None:
    lock = FairLock(20)
    with lock.held(), pytest.raises(RuntimeError, match="do not nest"), lock.held():
        pass
    with lock.held():
        pass


@pytest.mark.parametrize("patience_seconds", [0, 0.001, 0.1])
def test_many_threads_lose_no_turn(patience_seconds: float) -> None:
    lock, counted = FairLock(60, patience_seconds), [0]

    def work() -> None:
        for _ in range(300):
            with lock.held():
                before = counted[0]
                counted[0] = before + 1

    threads = [Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert counted == [4_800]
