"""Many processes on one feed: real processes, the real file, real kills."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from math import inf
from pathlib import Path

from sqlalchemy import text

from app.store import database
from tests.support import concurrent_processes as processes
from tests.support.feed_history import Call, answered, as_oracle, deliveries, explains, read
from tests.support.feed_oracle import Item, Operation, Outcome
from tests.support.integration import NEVER, Feed
from tests.support.long_tests import LONG
from tests.support.web_server import web_server


def test_16_pullers_never_hold_two_unused_items_at_once(feed: Feed, tmp_path: Path) -> None:
    """“Every transition is atomic: concurrent or retried calls on one token cannot claim
    different unused items.”"""
    feed.add_items("Coffee", 80)
    before = as_oracle(feed)
    with processes.ConcurrentProcesses(
        tmp_path / "pulls", 16, processes.pulls_latest, feed.url, feed.token, 12
    ) as pulling:
        callers = [read(lines, feed.items) for lines in pulling.join()]
    counts = deliveries(callers)
    # 192 pulls: three of each item, and none of the next before the third.
    assert {item: sorted(sends) for item, sends in counts.items()} == {
        item: [1, 2, 3] for item in range(64)
    }
    assert feed.states().count("reserved") == 1
    assert explains(callers, before, as_oracle(feed))


def test_8_processes_of_random_calls_can_be_put_into_one_order(feed: Feed, tmp_path: Path) -> None:
    """“… nor double-confirm or double-reject.”"""
    feed.add_items("Tea", 10)
    feed.add_items("Coffee", 190)
    before = as_oracle(feed)
    with processes.ConcurrentProcesses(
        tmp_path / "calls", 8, processes.calls_at_random,
        feed.url, feed.token, feed.items, 100, None,
    ) as calling:  # fmt: skip
        callers = [read(lines, feed.items) for lines in calling.join()]
    assert sum(map(len, callers)) == 800
    for item, sends in deliveries(callers).items():
        assert sorted(sends) == list(range(1, len(sends) + 1)), item
        assert len(sends) <= 3, item
    confirmed, rejected = answered(callers, "confirm"), answered(callers, "reject")
    assert confirmed
    assert rejected
    assert confirmed & rejected == set()
    states = feed.states()
    assert len(states) == 200
    assert {item for item, state in enumerate(states) if state == "used"} == confirmed
    assert {item for item, state in enumerate(states) if state == "rejected"} >= rejected
    assert explains(callers, before, as_oracle(feed))


def test_a_kill_of_half_of_the_processes_loses_nothing(feed: Feed, tmp_path: Path) -> None:
    """A call that was cut off happened wholly or not at all; the rest go on as if nothing was."""
    feed.add_items("Tea", 10)
    feed.add_items("Coffee", 190)
    before = as_oracle(feed)
    stop = tmp_path / "stop"
    with processes.ConcurrentProcesses(
        tmp_path / "calls", 8, processes.calls_at_random,
        feed.url, feed.token, feed.items, 10_000, stop,
    ) as calling:  # fmt: skip
        calling.wait_for_lines(20)
        for number in range(4):
            calling.kill(number)
        began = time.monotonic()
        feed.add_rule("Cocoa", due=NEVER)
        # Half of what a writer waits for a lock: no lock was left behind, on a busy machine too.
        assert time.monotonic() - began < 15, "the database was not usable at once"
        calling.wait_for_lines(20)
        stop.touch()
        callers = [read(lines, feed.items) for lines in calling.join()]
    cut_off = [calls[-1] for calls in callers if calls[-1].outcome is None]
    assert cut_off, "no call was cut off: the kills proved nothing"
    if database.engine().dialect.name == "sqlite":
        with database.reading() as session:
            assert session.scalar(text("PRAGMA integrity_check")) == "ok"
    assert len(feed.states()) == 200
    assert max(max(sends) for sends in deliveries(callers).values()) <= 3
    assert explains(callers, before, as_oracle(feed))


def pull_over_http(port: int, token: str, items: list[str], number: int) -> list[Call]:
    """Pulls of one client, each of which it confirms or leaves."""
    calls = []
    connection = HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(operation: Operation, method: str, rest: str) -> Outcome:
        began = time.monotonic_ns()
        connection.request(method, f"/v1/content-tokens/{token}/{rest}")
        response = connection.getresponse()
        body = json.loads(response.read())
        outcome: Outcome = response.status
        if method == "GET":
            sent = [body["item"]] if body["available"] else []
            outcome = tuple((items.index(item["id"]), item["deliveryCount"]) for item in sent)
        calls.append(Call(operation, began, time.monotonic_ns(), outcome))
        return outcome

    for turn in range(6):
        verb = "next" if turn % 5 == 4 else "latest"
        outcome = ask(Operation(verb), "GET", f"latest?next={verb == 'next'}")
        if isinstance(outcome, tuple) and outcome and (turn + number) % 2:
            index = outcome[0][0]
            ask(Operation("confirm", index), "POST", f"items/{items[index]}/confirm")
    connection.close()
    return calls


@LONG
def test_16_clients_of_a_server_of_two_processes(feed: Feed, tmp_path: Path) -> None:
    """The same over HTTP, through the web server that operators run."""
    feed.add_items("Coffee", 100)
    before = as_oracle(feed)
    with (
        web_server(feed.url, tmp_path / "web.log", processes=2) as port,
        ThreadPoolExecutor(16) as clients,
    ):
        pulls = [
            clients.submit(pull_over_http, port, feed.token, feed.items, number)
            for number in range(16)
        ]
        callers = [pull.result() for pull in pulls]
    assert sum(len(sends) for sends in deliveries(callers).values()) == 96
    assert feed.states().count("reserved") <= 1
    assert explains(callers, before, as_oracle(feed))


def test_a_history_that_cannot_be_is_found_out() -> None:
    """The check itself: two callers that hold two items at once, and a confirm that was lost."""
    pending = (Item("Coffee", "pending", 0),) * 2
    both = (Item("Coffee", "reserved", 1),) * 2
    latest, confirm = Operation("latest"), Operation("confirm", 0)
    two_at_once = [[Call(latest, 0, 10, ((0, 1),))], [Call(latest, 5, 15, ((1, 1),))]]
    assert not explains(two_at_once, pending, both)
    one = (both[0], pending[1])
    confirmed = [[Call(latest, 0, 10, ((0, 1),)), Call(confirm, 20, 30, 200)]]
    assert not explains(confirmed, pending, one)
    assert explains(confirmed, pending, (Item("Coffee", "used", 0), pending[1]))
    # A call that was cut off may have happened or not, but not by half.
    cut_off = [[Call(latest, 0, 10, ((0, 1),)), Call(confirm, 20, inf, None)]]
    assert explains(cut_off, pending, one)
    assert explains(cut_off, pending, (Item("Coffee", "used", 0), pending[1]))
    assert not explains(cut_off, pending, (Item("Coffee", "rejected", 0), pending[1]))
    # What ended before another call began cannot have happened after it.
    in_order = [[Call(confirm, 20, 30, 409)], [Call(latest, 0, 10, ((0, 1),))]]
    assert not explains(in_order, pending, one)
    assert explains([[Call(confirm, 5, 30, 409)], in_order[1]], pending, one)
