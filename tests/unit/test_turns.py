"""Turns: one at a time, first come, first served, and passed on however a turn ends."""

import time
from collections.abc import Callable
from threading import Event, Thread

import pytest
from sqlalchemy.exc import OperationalError

from app.store.turns import Turns


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def waiting(turns: Turns) -> int:
    return len(turns._waiting)


def test_who_came_first_is_served_first() -> None:
    turns, order, inside = Turns(20), list[int](), list[int]()

    def work(number: int) -> None:
        with turns.turn():
            inside.append(number)
            order.append(number)
            assert inside == [number]
            inside.remove(number)

    threads = [Thread(target=work, args=(number,)) for number in range(16)]
    with turns.turn():
        for number, thread in enumerate(threads):
            thread.start()
            until(lambda number=number: waiting(turns) == number + 1)  # type: ignore[misc]
    for thread in threads:
        thread.join(20)
    assert order == list(range(16))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_turn_that_fails_is_passed_on(error: type[BaseException]) -> None:
    turns = Turns(20)
    with pytest.raises(error), turns.turn():
        raise error
    with turns.turn():
        pass


def test_who_waits_for_too_long_is_told_what_the_database_would_say() -> None:
    turns, held, done = Turns(0.05), Event(), Event()

    def hold() -> None:
        with turns.turn():
            held.set()
            done.wait(20)

    holder = Thread(target=hold)
    holder.start()
    held.wait(20)
    for _ in range(2):
        with pytest.raises(OperationalError, match="database is locked"), turns.turn():
            pass
    assert waiting(turns) == 0
    done.set()
    holder.join(20)
    with turns.turn():
        pass


def test_a_turn_that_comes_to_nobody_goes_to_the_next() -> None:
    """As a wait ends at the very moment at which the turn comes."""
    turns = Turns(20)
    with turns.turn():
        late = Thread(target=lambda: turns._take())
        late.start()
        until(lambda: waiting(turns) == 1)
        (waiter,) = turns._waiting
    late.join(20)
    turns._leave(waiter)
    with turns.turn():
        pass


def test_a_thread_that_would_wait_for_itself_is_told_so() -> None:
    turns = Turns(20)
    with turns.turn(), pytest.raises(RuntimeError, match="do not nest"), turns.turn():
        pass
    with turns.turn():
        pass


def test_many_threads_lose_no_turn() -> None:
    turns, counted = Turns(20), [0]

    def work() -> None:
        for _ in range(500):
            with turns.turn():
                before = counted[0]
                counted[0] = before + 1

    threads = [Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert counted == [8_000]
