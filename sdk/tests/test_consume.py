"""``Feed.consume``: each item is published, and the feed is told, whatever happens in between."""

import asyncio
import json
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from copydesk import (
    APIConnectionError,
    APIError,
    AsyncFeed,
    ConfigurationError,
    Consumed,
    Feed,
    FeedItem,
    Ledger,
    LedgerError,
    NotFoundError,
    PublishError,
    Reject,
)

DRIVER = Path(__file__).with_name("consume_driver.py")
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
def consume(request: pytest.FixtureRequest, service: Any) -> Callable[..., Consumed]:
    """``Feed.consume`` and ``AsyncFeed.consume`` with the same functions."""

    def awaited(function: Callable[..., Any]) -> Callable[..., Any]:
        async def call(item: FeedItem) -> Any:
            return function(item)

        return call

    async def run_async(publish: Any, **options: Any) -> Consumed:
        if "find" in options:
            options["find"] = awaited(options["find"])
        async with AsyncFeed(service.pull_url) as feed:
            return await feed.consume(awaited(publish), **options)

    def run(publish: Any, **options: Any) -> Consumed:
        if request.param != "sync":
            work = partial(run_async, publish, **options)
            return anyio.run(work, backend=request.param)
        with Feed(service.pull_url) as feed:
            return feed.consume(publish, **options)

    return run


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger")


def calls(service: Any) -> list[str]:
    return [seen.path.partition("/content-tokens/")[2].partition("/")[2] for seen in service.seen]


def test_each_item_is_published_and_confirmed_until_the_feed_is_empty(
    service: Any, queue: Queue, consume: Any
) -> None:
    """pull one item, call publish(item), confirm ... stops at an empty feed"""
    published: list[str] = []
    done = consume(lambda item: published.append(item.id))
    assert published == ["itm_1", "itm_2", "itm_3"]
    assert [outcome.item_id for outcome in done.published] == published
    assert done.published[0].title == "Cold brew at home"
    assert done.outcomes == done.published
    assert set(queue.states.values()) == {"used"}
    steps = [step for each in published for step in ("latest", f"items/{each}/confirm")]
    assert calls(service) == [*steps, "latest"]
    assert consume(published.append).outcomes == ()


def test_a_limit_ends_it_before_the_next_pull(service: Any, queue: Queue, consume: Any) -> None:
    """limit="""
    assert len(consume(lambda item: None, limit=2).published) == 2
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
    assert [(each.item_id, each.reason) for each in done.rejected] == [("itm_2", "no picture")]
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
        assert caught.value.consumed is not None
        (failed,) = caught.value.consumed.failed
        assert (failed.item_id, failed.reason) == ("itm_2", "OSError: the disk is full")
        assert len(caught.value.consumed.published) == (send == 1)
        assert ("abandons it" in str(caught.value)) == (send == MAX_SENDS)
    assert queue.states["itm_2"] == "reserved"
    assert [each.item_id for each in consume(publish).published] == ["itm_3"]
    assert queue.states["itm_2"] == "abandoned"
    assert attempts == ["itm_1", "itm_2", "itm_2", "itm_2", "itm_3"]


def test_errors_of_the_feed_are_its_own_and_carry_what_was_done(
    service: Any, queue: Queue, consume: Any
) -> None:
    """a typed summary of what was done"""
    service.refuse(404, "NOT_FOUND")
    with pytest.raises(NotFoundError) as unknown:
        consume(lambda item: None)
    assert unknown.value.consumed == Consumed()
    with pytest.raises(APIConnectionError) as cut:
        consume(lambda item: service.replies.extend(["cut"] * 3))
    assert cut.value.consumed is not None
    assert [each.item_id for each in cut.value.consumed.published] == ["itm_1"]


def test_a_conflict_is_no_failure(service: Any, queue: Queue, consume: Any) -> None:
    """any non-active (superseded, abandoned, never reserved) | confirm | unchanged | 409"""
    done = consume(lambda item: queue.states.update({item.id: "abandoned"}))
    assert len(done.published) == 3
    assert all("does not count it: it is abandoned" in each.reason for each in done.published)


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


def test_what_was_published_is_only_confirmed_when_it_comes_again(
    service: Any, queue: Queue, consume: Any, ledger: Ledger
) -> None:
    """an item whose publish returned is never published again, even if the confirm was lost"""
    published: list[str] = []

    def publish(item: FeedItem) -> None:
        published.append(item.id)
        if len(published) == 1:
            service.replies.extend(["cut"] * 3)

    with pytest.raises(APIConnectionError):
        consume(publish, ledger=ledger)
    done = consume(publish, ledger=ledger)
    assert published == ["itm_1", "itm_2", "itm_3"]
    assert [each.item_id for each in done.confirmed] == ["itm_1"]
    assert set(queue.states.values()) == {"used"}


def test_a_rejection_that_was_lost_is_repeated_and_nothing_is_published(
    service: Any, queue: Queue, consume: Any, ledger: Ledger
) -> None:
    asked: list[str] = []

    def publish(item: FeedItem) -> None:
        asked.append(item.id)
        if item.id == "itm_1":
            service.replies.extend(["cut"] * 3)
            raise Reject("no picture")

    with pytest.raises(APIConnectionError):
        consume(publish, ledger=ledger)
    assert [each.item_id for each in consume(publish, ledger=ledger).rejected] == ["itm_1"]
    assert asked == ["itm_1", "itm_2", "itm_3"]
    assert queue.states["itm_1"] == "rejected"


class Stop(BaseException):
    """Ends a run as a signal does."""


def test_an_unclear_item_is_not_published_again_until_its_owner_says_so(
    service: Any, queue: Queue, consume: Any, ledger: Ledger
) -> None:
    """without find the item is not published a second time but reported as unclear with what to
    do"""

    def stopped(item: FeedItem) -> None:
        raise Stop

    with pytest.raises(Stop):
        consume(stopped, ledger=ledger)
    with pytest.raises(PublishError, match=r"itm_1 may be published already: .* retry itm_1") as it:
        consume(pytest.fail, ledger=ledger)
    assert it.value.consumed is not None
    assert [each.item_id for each in it.value.consumed.unclear] == ["itm_1"]
    with pytest.raises(LedgerError, match="itm_2 is not unclear; it is not in the ledger"):
        ledger.retry("itm_2")
    ledger.retry("itm_1")
    assert len(consume(lambda item: None, ledger=ledger).published) == 3
    with pytest.raises(LedgerError, match="itm_1 is not unclear; it is published"):
        ledger.retry("itm_1")


@pytest.mark.parametrize("is_published", [True, False])
@pytest.mark.parametrize("error", [Stop, TimeoutError])
def test_find_decides_about_an_item_that_was_begun(
    queue: Queue, consume: Any, ledger: Ledger, is_published: bool, error: type[BaseException]
) -> None:
    """then find(item) (a callback of the user, like the connectors' look-before-resend) decides"""

    def stopped(item: FeedItem) -> None:
        raise error

    def find(item: FeedItem) -> bool:
        assert item.id == "itm_1"
        return is_published

    with pytest.raises((Stop, PublishError)):
        consume(stopped, ledger=ledger)
    done = consume(lambda item: None, ledger=ledger, find=find)
    assert len(done.published) == 3 - is_published
    assert len(done.confirmed) == is_published
    assert set(queue.states.values()) == {"used"}


def test_a_find_that_fails_publishes_nothing(queue: Queue, consume: Any, ledger: Ledger) -> None:
    def broken(item: FeedItem) -> bool:
        raise OSError("no route")

    with pytest.raises(PublishError):
        consume(broken, ledger=ledger)
    with pytest.raises(PublishError, match=r"find did not tell .*: OSError: no route"):
        consume(pytest.fail, ledger=ledger, find=broken)


def test_the_ledger_and_the_reasons_contain_no_secret(
    service: Any, queue: Queue, consume: Any, tmp_path: Path, token: str, caplog: Any
) -> None:
    """Secrets never in the ledger"""
    caplog.set_level("DEBUG")

    def publish(item: FeedItem) -> None:
        raise RuntimeError(f"could not fetch {service.pull_url}\x1b[2J" + "x" * 1000)

    with pytest.raises(PublishError) as caught:
        consume(publish, ledger=Ledger(tmp_path / "ledger"))
    assert caught.value.consumed is not None
    reason = caught.value.consumed.failed[0].reason
    assert "[redacted]" in reason
    assert len(reason) == 300
    assert token not in reason + str(caught.value) + caplog.text
    for file in tmp_path.iterdir():
        assert token.encode() not in file.read_bytes()
        assert b"Cold brew" not in file.read_bytes()


def test_a_wrong_kind_of_function_publishes_and_confirms_nothing(
    service: Any, queue: Queue, ledger: Ledger, tmp_path: Path
) -> None:
    async def publish(item: FeedItem) -> bool:
        pytest.fail("it is never awaited")

    posts = Posts(tmp_path / "posts")
    with pytest.raises(PublishError, match="use AsyncFeed"):
        Feed(service.pull_url).consume(publish, ledger=posts)
    assert posts.db.execute("SELECT * FROM noted").fetchall() == []
    posts.db.close()
    with pytest.raises(PublishError, match="use AsyncFeed"):
        Feed(service.pull_url).consume(pytest.fail, ledger=_begun(service, ledger), find=publish)  # type: ignore[arg-type]
    assert queue.states["itm_1"] == "reserved"


def _begun(service: Any, ledger: Ledger) -> Ledger:
    def stopped(item: FeedItem) -> None:
        raise Stop

    with pytest.raises(Stop):
        Feed(service.pull_url).consume(stopped, ledger=ledger)
    return ledger


def test_a_blocking_function_is_taken_by_the_async_feed(service: Any, queue: Queue) -> None:
    """Awaiting its result would fail after the item is published, and publish it again."""
    published: list[str] = []

    async def work() -> Consumed:
        async with AsyncFeed(service.pull_url) as feed:
            return await feed.consume(lambda item: published.append(item.id))  # type: ignore[arg-type,func-returns-value]

    assert len(asyncio.run(work()).published) == len(published) == 3


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"limit": 0}, "limit must be 1 or more"),
        ({"find": lambda item: True}, "find is for a copydesk.Ledger"),
        ({"ledger": "published.db"}, "ledger must be a copydesk.Ledger"),
    ],
)
def test_wrong_arguments_pull_nothing(
    service: Any, consume: Any, options: Any, complaint: str
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        consume(pytest.fail, **options)
    assert service.seen == []


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"not a database" * 100, "is not a ledger"), ("other", "is another SQLite file")],
)
def test_another_file_is_refused_and_left_alone(
    service: Any, consume: Any, tmp_path: Path, content: bytes | str, complaint: str
) -> None:
    path = tmp_path / "file"
    if isinstance(content, str):
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE items (id TEXT)")
        db.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=complaint):
        consume(pytest.fail, ledger=Ledger(path))
    assert path.read_bytes() == before
    with pytest.raises(LedgerError, match="its folder must exist"):
        consume(pytest.fail, ledger=Ledger(tmp_path / "no" / "folder"))
    assert service.seen == []


class Posts:
    """A consumer's own database."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(path)
        self.db.execute("CREATE TABLE noted (item_id TEXT PRIMARY KEY)")
        self.db.execute("CREATE TABLE posts (item_id TEXT)")
        self.db.commit()

    @contextmanager
    def transaction(self, item_id: str) -> Iterator[bool]:
        with self.db:
            added = self.db.execute("INSERT OR IGNORE INTO noted VALUES (?)", (item_id,))
            yield added.rowcount == 1

    def insert(self, item: FeedItem) -> None:
        self.db.execute("INSERT INTO posts VALUES (?)", (item.id,))

    def ids(self) -> list[str]:
        return [row[0] for row in self.db.execute("SELECT item_id FROM posts")]


def test_an_own_database_takes_the_post_and_the_note_in_one_transaction(
    service: Any, queue: Queue, tmp_path: Path
) -> None:
    """publish and the note of it are one transaction → exactly once without find"""
    posts = Posts(tmp_path / "posts")

    def failing(item: FeedItem) -> None:
        posts.insert(item)
        raise OSError("later in the transaction")

    with Feed(service.pull_url) as feed:
        with pytest.raises(PublishError):
            feed.consume(failing, ledger=posts)
        assert posts.ids() == []
        with pytest.raises(APIConnectionError):
            feed.consume(
                lambda item: (posts.insert(item), service.replies.extend(["cut"] * 3)),
                ledger=posts,
            )
        done = feed.consume(posts.insert, ledger=posts)
    assert [each.item_id for each in done.confirmed] == ["itm_1"]
    assert posts.ids() == ["itm_1", "itm_2", "itm_3"]
    posts.db.close()


def test_a_transaction_that_hides_an_exception_confirms_nothing(service: Any, queue: Queue) -> None:
    class Hiding:
        @contextmanager
        def transaction(self, item_id: str) -> Iterator[bool]:
            try:
                yield True
            except OSError:
                return

    def failing(item: FeedItem) -> None:
        raise OSError

    with pytest.raises(PublishError, match="must pass exceptions on"):
        Feed(service.pull_url).consume(failing, ledger=Hiding())
    assert queue.states["itm_1"] == "reserved"


@pytest.mark.parametrize("mode", ["none", "ledger", "find", "async", "database", "async database"])
def test_killed_at_every_step(
    service: Any, queues: dict[str, Queue], tmp_path: Path, mode: str
) -> None:
    """real SIGKILL at every step (before publish, within, after, before confirm, after)"""
    done = subprocess.run(
        [sys.executable, DRIVER, mode, tmp_path, service.url],
        capture_output=True,
        text=True,
        timeout=300,
    )
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert runs, done.stderr
    assert (runs[-1]["point"], runs[-1]["ended"]) == ("", 0), done.stderr
    points = Counter(run["point"] for run in runs)
    # Two items: three pulls and two confirmations.
    assert points["before send"] == points["after send"] == 5
    assert points["before publish"] == points["within publish"] == 2
    notes = 4 if mode in {"ledger", "find", "async"} else 0
    assert points["before note"] == points["after note"] == notes
    unclear = doubled = 0
    for run in runs:
        folder, queue = tmp_path / str(run["number"]), queues[f"kill_{run['number']}"]
        published = _published(mode, folder)
        where = f"killed {run['point']}: {published} {queue.states}"
        if mode == "none":
            assert set(published) == {"itm_1", "itm_2"}, where
            doubled += len(published) - 2
        elif run["ended"] == 1:
            assert mode == "ledger", where
            assert len(published) == len(set(published)), where
            assert "may be published already" in (folder / "error").read_text()
            unclear += 1
            continue
        else:
            assert sorted(published) == ["itm_1", "itm_2"], where
        assert run["ended"] == 0, where + done.stderr
        assert set(queue.states.values()) == {"used"}, where
    # Cut after the begin and before the result: the note, publish, and the calls around them.
    assert unclear == (8 if mode == "ledger" else 0)
    assert (doubled > 0) == (mode == "none")


def _published(mode: str, folder: Path) -> list[str]:
    if "database" in mode:
        with sqlite3.connect(folder / "database") as db:
            rows = db.execute("SELECT item_id FROM posts").fetchall()
        db.close()
        return [row[0] for row in rows]
    site = folder / "site"
    return site.read_text().split() if site.exists() else []


ONE_OF_SEVERAL = """
import sys
from copydesk import Feed, Ledger, LedgerError
from pathlib import Path
url, ledger, site, wait = sys.argv[1:]
def publish(item):
    with open(site, "a") as lines:
        lines.write(item.id + "\\n")
    if wait == "wait":
        print("publishing", flush=True)
        sys.stdin.readline()
sys.stdin.readline()
try:
    done = Feed(url, proxy="").consume(publish, ledger=Ledger(ledger))
    print(len(done.published), flush=True)
except LedgerError as error:
    print(error, flush=True)
"""


def _start(service: Any, folder: Path, wait: str = "") -> "subprocess.Popen[str]":
    files = [folder / "ledger", folder / "site"]
    return subprocess.Popen(
        [sys.executable, "-c", ONE_OF_SEVERAL, service.pull_url, *files, wait],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _say(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _heard(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_while_one_process_publishes_another_does_not(
    service: Any, queue: Queue, tmp_path: Path
) -> None:
    """Two processes on one ledger at a time must not publish twice"""
    with _start(service, tmp_path, "wait") as first, _start(service, tmp_path) as second:
        _say(first)
        assert _heard(first) == "publishing"
        _say(second)
        assert _heard(second) == (
            f"the ledger {tmp_path / 'ledger'} is in use by another consumer; wait for it, or stop"
            " it"
        )
        with pytest.raises(LedgerError, match="in use"):
            Ledger(tmp_path / "ledger").retry("itm_1")
        for _ in range(3):
            _say(first)
        assert [_heard(first) for _ in range(3)] == ["publishing", "publishing", "3"]
    assert (tmp_path / "site").read_text().split() == ["itm_1", "itm_2", "itm_3"]


@pytest.mark.parametrize("part", range(4))
def test_whatever_fails_in_whatever_order(samples: Any, tmp_path: Path, part: int) -> None:
    """an item whose publish returned is never published again; ... find decides"""
    for seed in range(part * 40, part * 40 + 40):
        _random_runs(random.Random(seed), samples["item"], tmp_path / str(seed), f"seed {seed}")


def _random_runs(rng: random.Random, item: dict[str, Any], path: Path, where: str) -> None:
    queue = Queue(item, [f"itm_{number}" for number in range(rng.randint(1, 4))])
    ledger, site = Ledger(path), Counter[str]()
    trouble = rng.choice([0.1, 0.3, 0.5])
    looks = rng.random() < 0.7

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
        # Without find, an exception is the caller's word that nothing was published.
        strike(Stop, TimeoutError) if looks else strike(Stop)

    feed = Feed(
        "http://127.0.0.1:9/v1/content-tokens/tok",
        transport=httpx2.MockTransport(answer),
        max_retries=0,
    )
    find = (lambda item: site[item.id] > 0) if looks else None
    for _ in range(12):
        with suppress(Stop, APIError, APIConnectionError, PublishError):
            feed.consume(publish, ledger=ledger, find=find)
        assert set(site.values()) <= {1}, where
    trouble = 0.0
    for _ in range(20):
        stopped: Consumed | None = None
        try:
            feed.consume(publish, ledger=ledger, find=find)
        except PublishError as error:
            stopped = error.consumed
        if stopped is not None:
            assert not looks, where
            (unclear,) = stopped.unclear
            if site[unclear.item_id]:
                queue.settle(unclear.item_id, "confirm")
            else:
                ledger.retry(unclear.item_id)
    assert set(site.values()) <= {1}, where
    assert set(queue.states.values()) <= {"used", "rejected", "abandoned"}, where
    assert all(site[each] for each, state in queue.states.items() if state == "used"), where
