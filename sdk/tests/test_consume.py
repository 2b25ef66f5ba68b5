"""``Feed.consume``: each item is published, and the feed is told, whatever happens in between."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
import httpx2
import pytest

from copydesk import (
    APIConnectionError,
    APIError,
    AsyncFeed,
    ConfigurationError,
    Feed,
    FeedItem,
    NotFoundError,
    Outcome,
    PublishError,
    Reject,
)

MAX_SENDS = 3


class Queue:
    """The items of one token, by the published table of states."""

    def __init__(self, item: dict[str, Any], ids: list[str]) -> None:
        self.items = {each: item | {"id": each, "deliveryCount": 0} for each in ids}
        self.states = dict.fromkeys(ids, "pending")

    def latest(self) -> dict[str, Any]:
        for each, item in self.items.items():
            if self.states[each] == "reserved" and item["deliveryCount"] >= MAX_SENDS:
                self.states[each] = "abandoned"
        for wanted in ("reserved", "pending"):
            for each, item in self.items.items():
                if self.states[each] == wanted:
                    self.states[each] = "reserved"
                    item["deliveryCount"] += 1
                    return {"available": True, "item": item}
        return {"available": False}

    def settle(self, each: str, verb: str) -> tuple[int, Any]:
        result = {"confirm": "used", "reject": "rejected"}[verb]
        if self.states[each] not in {"reserved", result}:
            message = f"it is {self.states[each]}"
            return 409, {"error": {"code": "CONFLICT", "message": message}}
        self.states[each] = result
        return 200, {"ok": True, "item": {"id": each, "status": result}}


@pytest.fixture
def queues(service: Any, samples: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Queue]:
    """The feeds of the service by token; an unknown token has two items."""
    made: dict[str, Queue] = {}

    def answer(seen: Any) -> tuple[int, Any, dict[str, str]]:
        _, _, _, token, *rest = seen.path.split("/")
        queue = made.setdefault(token, Queue(samples["item"], ["itm_1", "itm_2"]))
        if rest == ["latest"]:
            return 200, queue.latest(), {}
        return *queue.settle(*rest[1:]), {}

    monkeypatch.setattr(service, "answer", answer)
    return made


@pytest.fixture
def queue(queues: dict[str, Queue], samples: Any, token: str) -> Queue:
    return queues.setdefault(token, Queue(samples["item"], ["itm_1", "itm_2", "itm_3"]))


@pytest.fixture(params=["sync", "asyncio", "trio"])
def consume(request: pytest.FixtureRequest, service: Any) -> Callable[..., list[Outcome]]:
    """``Feed.consume`` and ``AsyncFeed.consume`` with the same functions."""

    def awaited(function: Callable[..., Any]) -> Callable[..., Any]:
        async def call(item: FeedItem) -> Any:
            return function(item)

        return call

    async def run_async(publish: Any, **options: Any) -> list[Outcome]:
        if "find" in options:
            options["find"] = awaited(options["find"])
        async with AsyncFeed(service.pull_url) as feed:
            return await feed.consume(awaited(publish), **options)

    def run(publish: Any, **options: Any) -> list[Outcome]:
        if request.param != "sync":
            work = partial(run_async, publish, **options)
            return anyio.run(work, backend=request.param)
        with Feed(service.pull_url) as feed:
            return feed.consume(publish, **options)

    return run


def ids(outcomes: Iterable[Outcome], status: str = "published") -> list[str]:
    return [outcome.item_id for outcome in outcomes if outcome.status == status]


def calls(service: Any) -> list[str]:
    return [seen.path.partition("/content-tokens/")[2].partition("/")[2] for seen in service.seen]


def test_each_item_is_published_and_confirmed_until_the_feed_is_empty(
    service: Any, queue: Queue, consume: Any
) -> None:
    """pull one item, call publish(item), confirm ... stops at an empty feed"""
    published: list[str] = []
    done = consume(lambda item: published.append(item.id))
    assert published == ["itm_1", "itm_2", "itm_3"]
    assert ids(done) == published
    assert done[0].title == "Cold brew at home"
    assert set(queue.states.values()) == {"used"}
    steps = [step for each in published for step in ("latest", f"items/{each}/confirm")]
    assert calls(service) == [*steps, "latest"]
    assert consume(published.append) == []


def test_a_limit_ends_it_before_the_next_pull(service: Any, queue: Queue, consume: Any) -> None:
    """limit="""
    assert len(consume(lambda item: None, limit=2)) == 2
    assert list(queue.states.values()) == ["used", "used", "pending"]
    assert calls(service)[-1] == "items/itm_2/confirm"


def test_a_rejected_item_is_rejected_with_its_reason_and_the_next_one_follows(
    queue: Queue, consume: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Reject raised by publish rejects with its reason logged"""

    def publish(item: FeedItem) -> None:
        if item.id == "itm_2":
            raise Reject("no\npicture")

    caplog.set_level("INFO", "copydesk")
    done = consume(publish)
    assert list(queue.states.values()) == ["used", "rejected", "used"]
    assert [(each.item_id, each.reason) for each in done if each.status == "rejected"] == [
        ("itm_2", "no picture")
    ]
    assert "itm_2 is rejected: no picture" in caplog.text


def test_an_item_that_fails_ends_the_run_and_comes_again(queue: Queue, consume: Any) -> None:
    """another exception leaves the item reserved (it comes again up to 3 sends)"""
    attempts: list[str] = []

    def publish(item: FeedItem) -> None:
        attempts.append(item.id)
        if item.id == "itm_2":
            raise OSError("the disk\nis full")

    for send in range(1, 4):
        with pytest.raises(PublishError, match="itm_2 is not published: OSError") as caught:
            consume(publish)
        assert isinstance(caught.value.__cause__, OSError)
        failed = caught.value.outcomes[-1]
        assert (failed.item_id, failed.reason) == ("itm_2", "OSError: the disk is full")
        assert len(ids(caught.value.outcomes)) == (send == 1)
        assert ("abandons it" in str(caught.value)) == (send == MAX_SENDS)
    assert queue.states["itm_2"] == "reserved"
    assert ids(consume(publish)) == ["itm_3"]
    assert queue.states["itm_2"] == "abandoned"
    assert attempts == ["itm_1", "itm_2", "itm_2", "itm_2", "itm_3"]


def test_errors_of_the_feed_are_its_own_and_carry_what_was_done(
    service: Any, queue: Queue, consume: Any
) -> None:
    """a typed summary of what was done"""
    service.refuse(404, "NOT_FOUND")
    with pytest.raises(NotFoundError) as unknown:
        consume(lambda item: None)
    assert unknown.value.outcomes == ()
    with pytest.raises(APIConnectionError) as cut:
        consume(lambda item: service.replies.extend(["cut"] * 3))
    assert ids(cut.value.outcomes) == ["itm_1"]


def test_a_conflict_is_no_failure(service: Any, queue: Queue, consume: Any) -> None:
    """any non-active (superseded, abandoned, never reserved) | confirm | unchanged | 409"""
    done = consume(lambda item: queue.states.update({item.id: "abandoned"}))
    assert len(ids(done)) == 3
    assert all("does not count it: it is abandoned" in each.reason for each in done)


def test_an_item_without_an_id_is_not_published(service: Any, queue: Queue, consume: Any) -> None:
    service.reply(200, {"available": True, "item": {"id": 7}})
    with pytest.raises(PublishError, match="it has no id"):
        consume(pytest.fail)


def test_a_feed_that_goes_round_in_circles_is_left(
    service: Any, samples: Any, consume: Any
) -> None:
    service.reply(200, {"available": True, "item": samples["item"]})
    service.reply(200, {"ok": True, "item": {"id": "itm_1", "status": "used"}})
    service.reply(200, {"available": True, "item": samples["item"]})
    with pytest.raises(PublishError, match="sends itm_1 again"):
        consume(lambda item: None)


def test_what_is_there_is_only_confirmed(queue: Queue, consume: Any) -> None:
    """``find`` tells whether an item is published already; it is asked before each ``publish``"""
    published: list[str] = []
    done = consume(lambda item: published.append(item.id), find=lambda item: item.id == "itm_2")
    assert published == ["itm_1", "itm_3"]
    assert ids(done, "confirmed") == ["itm_2"]
    assert set(queue.states.values()) == {"used"}


def test_a_find_that_fails_publishes_nothing(queue: Queue, consume: Any) -> None:
    def broken(item: FeedItem) -> bool:
        raise OSError("no route")

    with pytest.raises(PublishError, match="OSError: no route"):
        consume(pytest.fail, find=broken)
    assert queue.states["itm_1"] == "reserved"


def test_reasons_contain_no_secret(
    service: Any, queue: Queue, consume: Any, token: str, caplog: Any
) -> None:
    caplog.set_level("DEBUG")

    def publish(item: FeedItem) -> None:
        raise RuntimeError(f"could not fetch {service.pull_url}\x1b[2J" + "x" * 1000)

    with pytest.raises(PublishError) as caught:
        consume(publish)
    reason = caught.value.outcomes[0].reason
    assert "[redacted]" in reason
    assert len(reason) == 300
    assert token not in reason + str(caught.value) + caplog.text


def test_a_wrong_kind_of_function_publishes_and_confirms_nothing(
    service: Any, queue: Queue
) -> None:
    async def publish(item: FeedItem) -> bool:
        pytest.fail("it is never awaited")

    with pytest.raises(PublishError, match="use AsyncFeed"):
        Feed(service.pull_url).consume(publish)
    with pytest.raises(PublishError, match="use AsyncFeed"):
        Feed(service.pull_url).consume(pytest.fail, find=publish)  # type: ignore[arg-type]
    assert queue.states["itm_1"] == "reserved"


def test_a_blocking_function_is_taken_by_the_async_feed(service: Any, queue: Queue) -> None:
    """Awaiting its result would fail after the item is published, and publish it again."""
    published: list[str] = []

    async def work() -> list[Outcome]:
        async with AsyncFeed(service.pull_url) as feed:
            return await feed.consume(lambda item: published.append(item.id))  # type: ignore[arg-type,func-returns-value]

    assert ids(asyncio.run(work())) == published
    assert len(published) == 3


def test_a_wrong_argument_pulls_nothing(service: Any, consume: Any) -> None:
    with pytest.raises(ConfigurationError, match="limit must be 1 or more"):
        consume(pytest.fail, limit=0)
    feed: Any = Feed(service.pull_url)
    for wrong in (None, "./publish.sh"):
        with pytest.raises(ConfigurationError, match="publish must be a function"):
            feed.consume(wrong)
    with pytest.raises(ConfigurationError, match="find must be a function, not bool"):
        feed.consume(pytest.fail, find=False)
    assert service.seen == []


class Stop(BaseException):
    """Ends the program, which keeps nothing on the disk, as a kill does."""


def test_whatever_fails_in_whatever_order(samples: Any) -> None:
    """exactly once, even if the program is killed at any point: if ``find`` tells the truth"""
    for seed in range(160):
        _random_runs(random.Random(seed), samples["item"], f"seed {seed}")


def _random_runs(rng: random.Random, item: dict[str, Any], where: str) -> None:
    queue = Queue(item, [f"itm_{number}" for number in range(rng.randint(1, 4))])
    site = Counter[str]()
    trouble = rng.choice([0.1, 0.3, 0.5])

    def strike(*kinds: type[BaseException]) -> None:
        if rng.random() < trouble:
            raise rng.choice(kinds)("struck")

    def answer(request: httpx2.Request) -> httpx2.Response:
        strike(Stop, httpx2.ConnectError)
        _, verb = request.url.path.rsplit("/", 1)
        if request.method == "GET":
            status, body = 200, queue.latest()
        else:
            status, body = queue.settle(request.url.path.split("/")[-2], verb)
        strike(Stop, httpx2.ReadError)
        return httpx2.Response(status, json=body)

    def publish(item: FeedItem) -> None:
        strike(Stop, OSError, Reject)
        site[item.id] += 1
        strike(Stop, TimeoutError)

    feed = Feed(
        "http://127.0.0.1:9/v1/content-tokens/tok",
        transport=httpx2.MockTransport(answer),
        max_retries=0,
    )
    for _ in range(12):
        with suppress(Stop, APIError, APIConnectionError, PublishError):
            feed.consume(publish, find=lambda item: site[item.id] > 0)
    trouble = 0.0
    feed.consume(publish, find=lambda item: site[item.id] > 0)
    assert set(site.values()) <= {1}, where
    assert set(queue.states.values()) <= {"used", "rejected", "abandoned"}, where
    assert all(site[each] for each, state in queue.states.items() if state == "used"), where
