"""What owners read about their posts, and a post's later life."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.cli import config, reports
from copydesk_connectors.engine import item_actions, site_states
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Delivery
from copydesk_connectors.engine.states import DeliveryState
from copydesk_connectors.target.base import Copy, CopyState
from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.ghost.site import GhostSite
from copydesk_connectors.targets.wordpress.site import WordPressSite

from .fake_ghost import FakeGhost
from .fake_site import Killed
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import Write, make_item, publish_in
from .notebook import Notebook
from .passes import Passes
from .test_cli import connect

Table = Callable[..., str]
Pass = Callable[[Path], Outcome]
MARKDOWN = '[[target]]\ntype = "markdown"\npath = "posts"\n'


def add(feed: FakeFeed, *numbers: int) -> None:
    generated_at = datetime.now(UTC).isoformat()
    for number in numbers:
        item_id, slug = f"itm_{number}", f"post-{number}"
        feed.add(make_item(item_id, slug=slug, generated_at=generated_at))


def rows(file: Path) -> list[dict[str, Any]]:
    with Ledger.read(config.ledger_path(file)) as ledger:
        entries = [reports.entry_as_json(entry) for entry in reversed(ledger.newest(99))]
    return [dict(delivery) for entry in entries for delivery in entry["deliveries"]]


def deliveries(file: Path, item_id: str = "itm_1") -> tuple[Delivery, ...]:
    with Ledger.read(config.ledger_path(file)) as ledger:
        return ledger.deliveries(item_id)


def live(file: Path, last: int = 99) -> site_states.SiteStates:
    with Ledger.read(config.ledger_path(file)) as ledger:
        return site_states.ask(config.load(file).targets, ledger.newest(last))


def table(file: Path, answers: site_states.SiteStates | None = None) -> list[str]:
    with Ledger.read(config.ledger_path(file)) as ledger:
        lines = reports.ledger_table(list(reversed(ledger.newest(99))), answers).splitlines()
    return [" ".join(line.split()) for line in lines[1:]]


@pytest.mark.parametrize(
    ("lines", "state", "said"),
    [
        (('status = "draft"',), "draft", "2 left as drafts"),
        (('status = "pending"',), "pending", "2 left for review"),
        (('status = "scheduled"', 'publish_after = "2h"'), "scheduled", "2 scheduled, the first"),
        ((), "live", "2 published and confirmed"),
    ],
)
@pytest.mark.parametrize("kind", ["wordpress", "ghost"])
def test_every_state_is_named(
    request: pytest.FixtureRequest,
    write_config: Write,
    one_pass: Pass,
    feed: FakeFeed,
    kind: str,
    lines: tuple[str, ...],
    state: str,
    said: str,
) -> None:
    """draft, pending, scheduled (when), live (URL) in the ledger, table, JSON and summary lines"""
    if kind == "ghost" and state == "pending":
        pytest.skip("Ghost has no posts for review")
    request.getfixturevalue(f"fake_{kind}")
    file = write_config(request.getfixturevalue(f"{kind}_target")(*lines))
    add(feed, 1, 2)
    outcome = one_pass(file)
    summary = reports.summary(outcome)
    assert any(line.startswith(said) for line in summary)
    assert summary[0] == ("2" if state == "live" else "0") + " published and confirmed"
    assert (outcome.confirmed, outcome.problems) == (2, [])
    for row, owed in zip(rows(file), deliveries(file) + deliveries(file, "itm_2"), strict=True):
        assert (row["state"], owed.shown) == (state, state)
        assert bool(row["url"]) == (state == "live")
        assert bool(row["scheduled_for"]) == (state == "scheduled")
        if state == "scheduled":
            due = datetime.fromisoformat(row["scheduled_for"])
            assert timedelta(hours=1, minutes=50) < due - datetime.now(UTC) <= timedelta(hours=2)
    assert all(f" blog {state} " in f"{line} " for line in table(file))
    assert all(" (was " not in line for line in table(file, live(file)))


@pytest.mark.parametrize(
    ("status", "shown", "is_wrong"),
    [
        ("publish", CopyState.DRAFT, True),
        ("publish", CopyState.PENDING, True),
        ("publish", CopyState.WITHDRAWN, True),
        ("publish", CopyState.SCHEDULED, False),
        ("scheduled", CopyState.DRAFT, True),
        ("pending", CopyState.DRAFT, True),
        ("draft", CopyState.PUBLIC, True),
        ("draft", CopyState.DRAFT, False),
        ("", CopyState.DRAFT, False),
    ],
)
def test_a_state_that_was_not_configured_is_a_problem(
    passes: Passes, feed: FakeFeed, status: str, shown: CopyState, is_wrong: bool
) -> None:
    """`once` exits with 0 only if every target has every post in the state that you configured"""

    class Headstrong(Notebook):
        def publish(self, post: Post, remote_id: str) -> Copy:
            return replace(super().publish(post, remote_id), state=shown)

    add(feed, 1)
    notebook = Headstrong()
    notebook.status = status
    outcome = passes.once(notebook)
    assert (outcome.confirmed, outcome.unfinished) == (1, False)
    assert len(outcome.problems) == is_wrong
    for problem in outcome.problems:
        assert problem.startswith(f"itm_1 is {shown} on notebook, although the configuration has")
    assert passes.once(notebook).problems == []


def test_a_live_status_shows_what_changed(
    fake_wordpress: FakeWordPress,
    write_config: Write,
    wordpress_target: Table,
    one_pass: Pass,
    feed: FakeFeed,
) -> None:
    """status --live asks the sites now and shows what changed"""
    file = write_config(wordpress_target('status = "draft"') + MARKDOWN)
    add(feed, *range(1, 6))
    one_pass(file)
    fake_wordpress.posts[1]["status"] = "publish"
    fake_wordpress.trash(2)
    fake_wordpress.posts[3].update(status="future", date_gmt="2030-01-01T09:00:00")
    del fake_wordpress.posts[4]
    (file.parent / "posts" / "post-1.md").unlink()
    before = fake_wordpress.writes()
    lines = table(file, live(file))
    assert fake_wordpress.writes() == before
    assert lines[0].endswith("blog live (was draft) https://blog.example/post-1/")
    assert lines[1].endswith("markdown missing (was live) the site does not have it")
    assert lines[2].endswith("blog withdrawn (was draft)")
    assert lines[4].endswith("blog scheduled (was draft) 2030-01-01 09:00 UTC")
    assert lines[6].endswith("blog missing (was draft) the site does not have it")
    assert lines[8].endswith("blog draft")
    assert {owed.shown for owed in deliveries(file)} == {"draft", "live"}, "it changes nothing"


def test_a_dead_site_is_one_sentence(write_config: Write, one_pass: Pass, feed: FakeFeed) -> None:
    """bounded, a dead site is one sentence"""
    file = write_config(MARKDOWN + '[[target]]\ntype = "html"\npath = "public"\n')
    add(feed, 1, 2)
    one_pass(file)
    (public := file.parent / "public").rename(file.parent / "away")
    public.write_text("not a folder any more")
    done = connect("status", "--live", "--config", file)
    assert done.returncode == 1
    (problem,) = done.stderr.splitlines()
    assert problem.startswith(f"html could not be asked: {public} is not a folder")
    assert done.stdout.count(" live ") == 4, "what is not known stays as the ledger has it"
    shown = json.loads(connect("status", "--live", "--json", "--config", file).stdout)
    assert {row["was"] for entry in shown for row in entry["deliveries"]} == {""}


def test_a_target_that_takes_too_long_is_left(
    write_config: Write, one_pass: Pass, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bounded"""
    file = write_config(MARKDOWN)
    add(feed, 1, 2)
    one_pass(file)
    monkeypatch.setattr(site_states, "_LONGEST_S", -1.0)
    assert live(file).problems == ["markdown took too long; it was asked for 0 posts"]


def test_a_mistake_in_a_target_stops_only_that_target(
    write_config: Write, one_pass: Pass, feed: FakeFeed
) -> None:
    """no single item, site or feed may stop the rest"""
    file = write_config(MARKDOWN)
    add(feed, 1)
    one_pass(file)

    class Broken(Notebook):
        def look(self, post: Post, remote_id: str) -> Copy | None:
            raise RuntimeError("secret")

    with Ledger.read(config.ledger_path(file)) as ledger:
        (entry,) = ledger.newest(9)
    targets = [Broken("markdown"), *config.load(file).targets]
    answers = site_states.ask(targets, [entry])
    assert answers.problems == ["markdown could not be asked: internal error (RuntimeError)"]
    assert [copy and copy.state for copy in answers.copies.values()] == [CopyState.PUBLIC]


def test_update_writes_the_changed_settings(
    fake_wordpress: FakeWordPress,
    write_config: Write,
    wordpress_target: Table,
    one_pass: Pass,
    feed: FakeFeed,
) -> None:
    """update from the ledger's text with changed settings such as category"""
    fake_wordpress.role = "editor"
    add(feed, 1, 2)
    one_pass(write_config(wordpress_target() + MARKDOWN))
    assert "categories" not in fake_wordpress.posts[1]
    changed = 'category = "News"'
    file = write_config(wordpress_target(changed) + MARKDOWN + f'{changed}\nauthor = "Jo"\n')
    fake_wordpress.posts[2]["content"] += "<p>A word of my own.</p>"
    targets = {target.name: target for target in config.load(file).targets}
    for _ in range(2):
        with Ledger.read(config.ledger_path(file)) as ledger:
            done = [list(item_actions.update(ledger.entry(f"itm_{n}"), targets)) for n in (1, 2)]
        assert [(one.sentence, one.failed) for one in done[0]] == [
            ("itm_1 is updated on blog", False),
            ("itm_1 is updated on markdown", False),
        ]
        assert done[1][0].failed
        assert done[1][0].sentence == (
            "itm_2 was not updated on blog: post 2 on blog was edited and stays as it is; change "
            "it there"
        )
    (news,) = (key for key, name in fake_wordpress.terms["categories"].items() if name == "News")
    assert fake_wordpress.posts[1]["categories"] == [news]
    assert "categories" not in fake_wordpress.posts[2]
    text = (file.parent / "posts" / "post-1.md").read_text()
    assert "author: Jo" in text
    assert "- News" in text
    assert len(fake_wordpress.public()) == 2
    assert [post["slug"] for post in fake_wordpress.public()] == ["post-1", "post-2"]


@pytest.mark.parametrize("kind", ["wordpress", "ghost"])
@pytest.mark.parametrize("cut", ["before", "after"])
def test_unpublish_is_repeatable_after_a_kill(
    request: pytest.FixtureRequest,
    write_config: Write,
    one_pass: Pass,
    feed: FakeFeed,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    cut: str,
) -> None:
    """both repeatable after a kill"""
    fake: FakeWordPress | FakeGhost = request.getfixturevalue(f"fake_{kind}")
    file = write_config(request.getfixturevalue(f"{kind}_target")())
    add(feed, 1)
    one_pass(file)
    (site,) = config.load(file).targets

    def dies(post: Post, stored: Any) -> Any:
        if cut == "after":
            type(site).hide(site, post, stored)
        raise Killed

    assert isinstance(site, WordPressSite | GhostSite)
    monkeypatch.setattr(site, "hide", dies)
    with Ledger.open(config.ledger_path(file)) as ledger, pytest.raises(Killed):
        list(item_actions.unpublish(ledger, ledger.entry("itm_1"), {"blog": site}))
    assert deliveries(file)[0].state is DeliveryState.PUBLISHED
    for sentence in ("itm_1 is unpublished on blog", "itm_1 is already withdrawn on blog"):
        with Ledger.open(config.ledger_path(file)) as ledger:
            targets = {target.name: target for target in config.load(file).targets}
            (done,) = item_actions.unpublish(ledger, ledger.entry("itm_1"), targets)
        assert (done.sentence, done.failed) == (sentence, False)
    assert fake.public() == []
    assert len(fake.posts) == 1, "its owner can restore it"
    (row,) = rows(file)
    assert (row["state"], row["reason"]) == ("withdrawn", "unpublished by its owner")
    assert one_pass(file).problems == []
    assert fake.public() == [], "it stays away"
    assert feed.states() == {"itm_1": "used"}


def test_the_commands(write_config: Write, feed: FakeFeed, tmp_path: Path) -> None:
    """`copydesk-connect update ITEM`, `unpublish ITEM`; `retry` brings an unpublished post back"""
    html = '[[target]]\ntype = "html"\npath = "public"\n'
    file = write_config(MARKDOWN + html)
    add(feed, 1, 2)
    connect("once", "--config", file)
    done = connect("update", "itm_1", "--config", file)
    said = "itm_1 is updated on html\nitm_1 is updated on markdown\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")
    done = connect("unpublish", "itm_1", "--dry-run", "--config", file)
    assert (done.returncode, done.stdout.count("is on ")) == (0, 2)
    assert connect("unpublish", "itm_1", "--config", file).returncode == 1, "nobody said yes"
    page, text = tmp_path / "public" / "post-1.html", tmp_path / "posts" / "post-1.md"
    assert page.exists()
    done = connect("unpublish", "itm_1", "--yes", "--config", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert not page.exists()
    assert not text.exists()
    assert "post-1.html" not in (tmp_path / "public" / "index.html").read_text()
    assert "post-2.html" in (tmp_path / "public" / "index.html").read_text()
    connect("once", "--config", file)
    assert not page.exists()
    connect("retry", "itm_1", "--config", file)
    assert connect("once", "--config", file).returncode == 0
    assert page.exists()
    assert text.exists()
    assert rows(file)[0]["state"] == "live"
    for command in ("update nowhere", "unpublish nowhere --yes"):
        done = connect(*command.split(), "--config", file)
        assert done.returncode == 1
        assert "the ledger has no item nowhere" in done.stderr


def test_what_is_not_there_yet_is_not_changed(write_config: Write) -> None:
    """one sentence"""
    file = write_config(MARKDOWN)
    with Ledger.open(config.ledger_path(file)) as ledger:
        ledger.receive("itm_1", make_item(), 1)
        ledger.owe("itm_1", ["markdown", "old"])
    said = "itm_1 is not yet on markdown; to give it up: copydesk-connect forget itm_1"
    for command in ("update itm_1", "unpublish itm_1 --yes"):
        done = connect(*command.split(), "--config", file)
        assert done.returncode == 1
        assert done.stderr.splitlines() == [said, "old is no longer in the configuration"]


def test_a_committed_post_is_updated_and_removed_in_commits(
    write_config: Write, feed: FakeFeed, tmp_path: Path, one_pass: Pass
) -> None:
    """git = true: each change is a commit with the connector's own files only"""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(tmp_path / "posts"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    (tmp_path / "posts").mkdir()
    git("init", "--quiet", "--initial-branch=main")
    lines = 'git = true\ngit_name = "Jo"\ngit_email = "jo@blog.example"\n'
    add(feed, 1)
    one_pass(write_config(MARKDOWN + lines))
    file = write_config(MARKDOWN + lines + 'author = "Ann"\n')
    targets = {target.name: target for target in config.load(file).targets}
    with Ledger.open(config.ledger_path(file)) as ledger:
        for _ in range(2):
            (done,) = item_actions.update(ledger.entry("itm_1"), targets)
            assert not done.failed, done.sentence
        (done,) = item_actions.unpublish(ledger, ledger.entry("itm_1"), targets)
        assert not done.failed, done.sentence
        (target,) = targets.values()
        post = Post.from_item(ledger.entry("itm_1").raw)
        target.unpublish(post, "post-1.md")  # as after a kill
    title = "How to descale an espresso machine"
    assert git("log", "--format=%s").splitlines() == [
        f"Remove: {title}",
        f"Update: {title}",
        title,
    ]
    assert git("ls-files") == git("status", "--porcelain") == ""


def test_a_site_that_is_down_changes_nothing(write_config: Write, one_pass: Pass) -> None:
    """one sentence"""
    file = write_config(MARKDOWN)
    with Ledger.open(config.ledger_path(file)) as ledger:
        ledger.receive("itm_1", make_item(), 1)
        ledger.owe("itm_1", ["notebook"])
        publish_in(ledger, "itm_1", "notebook")
        notebook = Notebook()
        notebook.down = Unavailable("no answer")
        (done,) = item_actions.unpublish(ledger, ledger.entry("itm_1"), {"notebook": notebook})
        assert done.failed
        assert done.sentence == "itm_1 was not unpublished on notebook: no answer"
        assert ledger.deliveries("itm_1")[0].state is DeliveryState.PUBLISHED
