"""The loop: ledger, feed over real HTTP, targets, and where one of them says no."""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Courier
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import ItemState
from copydesk_connectors.target.errors import DraftGone, Unavailable

from .fake_site import Broken
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import MARKDOWN, PAGES, OnePass, Write, entry, make_item
from .notebook import Notebook
from .passes import Passes

EMPTY = '{"code": "empty_content", "message": "Content is empty.", "data": {"status": 400}}'


def test_all_that_waits_is_published_on_every_target_and_confirmed(
    write_config: Write, one_pass: OnePass, feed: FakeFeed, tmp_path: Path
) -> None:
    """once: carry on from the ledger, then pull until the feed says available:false"""
    for number in range(1, 4):
        feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
    outcome = one_pass(write_config(PAGES + MARKDOWN))
    assert (outcome.confirmed, outcome.problems, outcome.unfinished) == (3, [], False)
    assert set(feed.states().values()) == {"used"}
    assert list(feed.addresses) == ["itm_1", "itm_2", "itm_3"]
    assert len(list((tmp_path / "content").glob("*.md"))) == 3
    assert len(list((tmp_path / "public").glob("post-*.md"))) == 3
    assert [item.sends for item in feed.items] == [1, 1, 1]
    assert feed.calls[-1] == ("GET", "/latest")


def test_a_second_pass_does_nothing(
    write_config: Write, one_pass: OnePass, feed: FakeFeed, tmp_path: Path
) -> None:
    """running again changes nothing"""
    feed.add(make_item())
    file = write_config(PAGES + MARKDOWN)
    one_pass(file)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.[hm]*")}
    feed.calls.clear()
    outcome = one_pass(file)
    assert (outcome.confirmed, outcome.problems) == (0, [])
    assert feed.calls == [("HEAD", "/latest"), ("GET", "/latest")]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.[hm]*")} == before


def test_a_rule_restricts_what_is_taken(
    write_config: Write, one_pass: OnePass, feed: FakeFeed, tmp_path: Path
) -> None:
    """optional rule"""
    feed.add(make_item("itm_1", slug="tea"), rule="Tea")
    feed.add(make_item("itm_2", slug="espresso"), rule="Espresso")
    outcome = one_pass(write_config(MARKDOWN, top='rule = "tea"'))
    assert outcome.confirmed == 1
    assert feed.states() == {"itm_1": "used", "itm_2": "pending"}
    outcome = one_pass(write_config(MARKDOWN, top='rule = "coffee"'))
    assert outcome.problems == [
        "the feed: it has no rule coffee. To fix it: correct its rule, or leave it out to take all"
    ]


def test_all_that_was_pulled_is_written_down_before_anything_is_sent(
    write_config: Write, feed: FakeFeed
) -> None:
    """an item (its whole content) is written down before anything is sent"""
    for number in (1, 2, 3):
        feed.add(make_item(f"itm_{number}"))
    loaded = config.load(write_config(MARKDOWN, top='rule = "espresso"'))
    answers = iter([False])  # the pull, and not one step more
    with Ledger.open(loaded.ledger) as ledger:
        stop = partial(next, answers, True)
        Courier([FeedClient(loaded.feeds[0])], ledger, loaded.targets, stop).once()
        assert [entry.id for entry in ledger.unfinished()] == ["itm_1", "itm_2", "itm_3"]


def test_a_conflict_on_confirm_keeps_the_post_and_is_said_once(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """409 on confirm keeps the post and says so loudly"""
    item = feed.add(make_item())
    feed.failing.add("confirm")
    file = write_config(MARKDOWN)
    one_pass(file)
    feed.failing.clear()
    item.state = "abandoned"
    caplog.clear()
    outcome = one_pass(file)
    assert len(outcome.problems) == 1
    assert outcome.problems[0].startswith(
        "itm_1 is published and stays on the site, but the feed had given"
    )
    assert not outcome.unfinished
    assert [r.levelname for r in caplog.records if "itm_1" in r.getMessage()] == ["ERROR"]
    assert (tmp_path / "content" / "descale-espresso-machine.md").exists()
    assert entry(file).state is ItemState.CONFLICT
    assert one_pass(file).problems == []


def test_an_item_that_the_feed_does_not_know_is_a_conflict_and_a_token_is_not(
    write_config: Write, one_pass: OnePass, feed: FakeFeed
) -> None:
    """Unknown content token: NOT_FOUND. The owner can fix that, and the item waits."""
    feed.add(make_item())
    feed.failing.add("confirm")
    file = write_config(MARKDOWN)
    one_pass(file)
    feed.failing.clear()
    right = file.read_text()
    file.write_text(right.replace("/tok_", "/gone_"))
    assert "it does not know this token" in one_pass(file).problems[0]
    assert entry(file).state is ItemState.CONFIRMING
    feed.items.clear()
    file.write_text(right)
    assert "was the feed's URL changed?" in one_pass(file).problems[0]
    assert entry(file).state is ItemState.CONFLICT


def test_a_feed_that_hands_out_the_same_item_for_ever_does_not_keep_us_busy(
    write_config: Write, one_pass: OnePass, feed: FakeFeed
) -> None:
    """polling in a tight loop is discouraged"""
    item = feed.add(make_item())
    settle = feed._settle

    def forgetful(item_id: str, verb: str) -> tuple[int, object]:
        answer = settle(item_id, verb)
        item.state, item.sends = "pending", 0
        return answer

    feed._settle = forgetful  # type: ignore[method-assign]
    outcome = one_pass(write_config(MARKDOWN))
    assert outcome.problems == ["the feed delivers itm_1 again although it was answered"]
    assert feed.pulls() == 2


def test_targets_are_those_that_the_file_names_now(
    write_config: Write, one_pass: OnePass, feed: FakeFeed, tmp_path: Path
) -> None:
    """A target that was taken out of the file holds nothing up; a new one gets what is open."""
    feed.add(make_item()).state = "reserved"
    file = write_config(MARKDOWN)
    with Ledger.open(config.ledger_path(file)) as ledger:
        ledger.receive("itm_1", make_item(), 1)
        ledger.owe("itm_1", ["taken-out"])
    assert one_pass(file).confirmed == 1
    assert len(list((tmp_path / "content").glob("*.md"))) == 1


def test_a_stop_ends_the_pass_between_two_steps_and_the_next_carries_on(
    write_config: Write, feed: FakeFeed
) -> None:
    """SIGTERM ends cleanly between steps"""
    feed.add(make_item())
    loaded = config.load(write_config(MARKDOWN + PAGES))
    seen = []
    for _ in range(6):  # pull; draft and publish on each target, the feed told in between
        answers = iter([False])
        stop = partial(next, answers, True)
        with Ledger.open(loaded.ledger) as ledger:
            outcome = Courier([FeedClient(loaded.feeds[0])], ledger, loaded.targets, stop).once()
            assert outcome.problems == ["stopped as requested; the next start continues"]
            (entry,) = ledger.newest(1)
            seen.append([entry.state.value, *(d.state.value for d in entry.deliveries)])
    assert seen == [
        ["open", "received", "received"],
        ["open", "publishing", "received"],
        ["confirming", "published", "received"],
        ["confirmed", "published", "received"],
        ["confirmed", "published", "publishing"],
        ["confirmed", "published", "published"],
    ]
    assert feed.states() == {"itm_1": "used"}
    assert feed.items[0].sends == 1


def test_a_post_that_one_target_refused_stays_on_the_other_and_is_confirmed(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    tmp_path: Path,
) -> None:
    """What readers can see is used; a rejected item would be counted as not published."""
    feed.add(make_item())
    feed.add(make_item("itm_2", slug="second"))
    tries = count()

    def refuse(method: str, path: str) -> Broken | None:
        refused = (method, path) == ("POST", "posts") and next(tries) in {0, 2}
        return Broken(False, 400, EMPTY) if refused else None

    fake_wordpress.fault = refuse
    outcome = one_pass(write_config(wordpress_target() + MARKDOWN))
    assert outcome.confirmed == 2
    assert "blog refused itm_1: WordPress refused the post: " in outcome.problems[1]
    assert feed.states() == {"itm_1": "used", "itm_2": "used"}
    assert len(list((tmp_path / "content").glob("*.md"))) == 2


@pytest.mark.parametrize(
    ("member", "lost", "said"),
    [
        ("password", "another", "the site does not accept the user"),
        ("role", "subscriber", "give the user the role Author or Editor"),
    ],
)
def test_a_right_that_is_lost_in_the_middle_rejects_nothing(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    waits: list[float],
    member: str,
    lost: str,
    said: str,
) -> None:
    """An item waits for a fault that the owner can fix; forbidden is the post's fault only where
    the user may write posts at all"""
    feed.add(make_item())
    file = write_config(wordpress_target())
    right = getattr(fake_wordpress, member)

    def lose(method: str, path: str) -> None:
        if (method, path) == ("POST", "posts"):
            setattr(fake_wordpress, member, lost)

    fake_wordpress.fault = lose
    assert said in one_pass(file).problems[0]
    assert feed.states() == {"itm_1": "reserved"}
    fake_wordpress.fault = lambda *_: None
    setattr(fake_wordpress, member, right)
    assert one_pass(file).confirmed == 1
    assert feed.items[0].sends == 1


def site(*, reconciles: bool = True) -> Notebook:
    """A site that chooses, or one that does not."""
    notebook = Notebook()
    notebook.reconciles = reconciles
    return notebook


def steps(notebook: Notebook) -> list[str]:
    return [step for step, _ in notebook.calls]


def test_what_was_handed_out_once_is_not_looked_for(passes: Passes, feed: FakeFeed) -> None:
    """``find`` is left out before the first draft of an item that its feed has handed out once"""
    feed.add(make_item())
    notebook = site()
    assert passes.once(notebook).confirmed == 1
    assert steps(notebook) == ["draft", "publish"]


@pytest.mark.parametrize(("reconciles", "sends"), [(True, 1), (False, 0)])
def test_what_may_be_there_is_looked_for(
    passes: Passes, feed: FakeFeed, reconciles: bool, sends: int
) -> None:
    """who had it before may have put it there; what ``publish`` does not see has to be found
    before"""
    item = feed.add(make_item())
    item.state, item.sends = "reserved" if sends else "pending", sends
    notebook = site(reconciles=reconciles)
    assert passes.once(notebook).confirmed == 1
    assert steps(notebook) == ["find", "draft", "publish"]


@pytest.mark.parametrize(
    ("step", "error", "calls"),
    [
        ("draft", Unavailable("no answer"), ["draft", "find", "draft", "publish"]),
        ("publish", Unavailable("no answer"), ["draft", "publish", "publish"]),
        ("publish", DraftGone("deleted"), ["draft", "publish", "publish"]),
    ],
    ids=["a draft without an answer", "a publish without an answer", "a draft not shown yet"],
)
def test_what_was_sent_is_looked_for_before_it_is_sent_again(
    passes: Passes, feed: FakeFeed, step: str, error: Exception, calls: list[str]
) -> None:
    """left out before the first draft, and before no other"""
    feed.add(make_item())
    notebook = site()
    notebook.faults = {step: [error]}
    while passes.once(notebook).unfinished:
        pass
    assert steps(notebook) == calls
    assert feed.states() == {"itm_1": "used"}
