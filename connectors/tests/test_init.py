"""init: it asks on a real terminal."""

import json
import stat
import tomllib
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.cli.init_command import questions
from copydesk_connectors.target.settings import is_secret
from copydesk_connectors.targets import TARGETS

from .fake_ghost import KEY as GHOST_KEY
from .fake_ghost import FakeGhost
from .feed_server import FakeFeed
from .items import make_item
from .terminal import Terminal
from .test_cli import connect


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_asks_writes_and_checks(tmp_path: Path, feed: FakeFeed) -> None:
    """`copydesk-connect init` asks and writes it … secrets by environment or file"""
    with Terminal(tmp_path, "init") as terminal:
        terminal.read_until("Feed URL")
        terminal.answer("nonsense")
        terminal.read_until("That is not a feed URL: ")
        # What is typed before a hidden answer is asked for is thrown away.
        terminal.read_until("Feed URL")
        terminal.answer(feed.url)
        terminal.read_until("Where should the posts be published (astro, eleventy, ghost, hugo, ")
        terminal.answer("markdown")
        terminal.read_until("Folder for the posts, such as content/posts")
        terminal.answer('Jo\'s "Äpfel"')
        terminal.read_until("Program that builds the site (plain, hugo, jekyll, eleventy, astro)")
        terminal.answer("")
        terminal.read_until("Publish posts, or leave them as drafts (publish, draft) [draft]")
        terminal.answer("publish")
        terminal.read_until("ok      feed: answers and knows the token")
        terminal.read_until("without publishing. Publish the first post of the feed now? [Y/n]")
        terminal.answer("n")
        assert terminal.ends_with() == 0, terminal.shown
        assert "to publish the others: copydesk-connect once" in terminal.shown
        assert "to keep it running: copydesk-connect run" in terminal.shown
        assert "secretsecret" not in terminal.shown
    assert names(tmp_path) == ["copydesk-feed-url", "copydesk.toml"]
    text = (tmp_path / "copydesk.toml").read_text()
    assert "secretsecret" not in text
    assert tomllib.loads(text) == {
        "feed": {"url_file": "copydesk-feed-url"},
        "target": [
            {
                "type": "markdown",
                "path": 'Jo\'s "Äpfel"',
                "preset": "plain",
                "status": "publish",
            }
        ],
    }
    assert (tmp_path / "copydesk-feed-url").read_text().strip() == feed.url
    assert {mode(path) for path in tmp_path.iterdir()} == {0o600}
    assert feed.pulls() == 0


def test_it_ends_with_the_first_post_a_draft(
    tmp_path: Path, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """takes the feed URL from `COPYDESK_FEED_URL`; the names of generators; suggests a draft"""
    feed.add(make_item())
    feed.add(make_item("itm_2"))
    monkeypatch.setenv("COPYDESK_FEED_URL", feed.url)
    with Terminal(tmp_path, "init") as terminal:
        terminal.read_until("the feed URL is that of COPYDESK_FEED_URL")
        terminal.read_until("Where should the posts be published")
        terminal.answer("hugo")
        terminal.read_until("Folder for the posts")
        terminal.answer("site/content/posts")
        terminal.read_until("Publish posts, or leave them as drafts (publish, draft) [draft]")
        terminal.answer("")
        terminal.read_until("site/content does not exist. Make it? [Y/n]")
        terminal.answer("")
        terminal.read_until("Publish the first post")
        terminal.answer("")
        assert terminal.ends_with() == 0, terminal.shown
        assert "1 left as a draft" in terminal.shown
        assert [item.sends for item in feed.items] == [1, 0]
        assert "to publish the others: copydesk-connect once" in terminal.shown
        assert 'posts stay drafts until copydesk.toml has status = "publish"' in terminal.shown
    text = (tmp_path / "site/content/posts/descale-espresso-machine.md").read_text()
    assert "\ndraft: true\n" in text
    (target,) = tomllib.loads((tmp_path / "copydesk.toml").read_text())["target"]
    assert (target["type"], target["preset"]) == ("markdown", "hugo")


def test_it_goes_on_where_it_stopped(tmp_path: Path, feed: FakeFeed, fake_ghost: FakeGhost) -> None:
    """If `check` finds a problem, run `init` again: it goes on where it stopped."""
    with fake_ghost.on_loopback() as url:
        with Terminal(tmp_path, "init") as terminal:
            terminal.read_until("Feed URL")
            terminal.answer(feed.url)
            terminal.read_until("Where should the posts")
            terminal.answer("ghost")
            terminal.read_until("Address under which Ghost's admin is opened")
            terminal.answer(url.removeprefix("http://"))
            terminal.read_until("Admin API key")
            terminal.answer(GHOST_KEY[::-1])
            terminal.read_until("This does not work")
            terminal.read_until("(it is not shown)")
            terminal.answer(f"{'0' * 24}:{'1' * 64}")
            terminal.read_until("Publish posts, or leave")
            terminal.answer("publish")
            terminal.read_until("Answer the questions about ghost again? [Y/n]")
            terminal.answer("n")
            assert terminal.ends_with() == 1
        with Terminal(tmp_path, "init") as terminal:
            terminal.read_until("copydesk.toml is there, from an earlier init. Go on with it?")
            terminal.answer("")
            terminal.read_until("Answer the questions about ghost again? [Y/n]")
            terminal.answer("")
            terminal.read_until(f"Address under which Ghost's admin is opened [{url}]")
            terminal.answer("127.0.0.1:9")
            terminal.read_until("Admin API key")
            terminal.answer(fake_ghost.key)
            terminal.read_until("Publish posts, or leave them as drafts (publish, draft")
            terminal.answer("")
            terminal.read_until("Answer the questions about ghost again? [Y/n]")
            terminal.answer("")
            terminal.read_until("Address under which Ghost's admin is opened")
            terminal.answer(url)
            terminal.read_until("Admin API key")
            terminal.read_until("Enter keeps it")
            terminal.answer("")
            terminal.read_until("Publish posts, or leave them as drafts (publish, draft")
            terminal.answer("")
            terminal.read_until("everything works that")
            terminal.answer("n")
            assert terminal.ends_with() == 0, terminal.shown
            assert fake_ghost.key not in terminal.shown
        assert config.load(tmp_path / "copydesk.toml").warnings == ()
    assert fake_ghost.key not in (tmp_path / "copydesk.toml").read_text()
    assert (tmp_path / "copydesk-ghost-admin_key").read_text().strip() == fake_ghost.key


def test_a_token_that_the_feed_does_not_know_is_told_at_its_question(
    tmp_path: Path, feed: FakeFeed
) -> None:
    """checks each answer"""
    with Terminal(tmp_path, "init") as terminal:
        terminal.read_until("Feed URL")
        terminal.answer(feed.url.replace("/tok_", "/other_"))
        terminal.read_until("it does not know this token")
        terminal.read_until("Feed URL")
        terminal.answer(feed.url)
        terminal.read_until("Where should the posts")


def test_an_answer_that_does_not_go_with_another_is_asked_for_again(
    tmp_path: Path, feed: FakeFeed
) -> None:
    """checks each answer"""
    with Terminal(tmp_path, "init") as terminal:
        terminal.read_until("Feed URL")
        terminal.answer(feed.url)
        terminal.read_until("Where should the posts")
        terminal.answer("wordpress")
        terminal.read_until("Address of the site")
        terminal.answer("http://blog.example/wp-admin/index.php")
        for question, answer in (("User", "jo"), ("password", "abcdef"), ("Publish", "draft")):
            terminal.read_until(question)
            terminal.answer(answer)
        terminal.read_until("must begin with https://")
        terminal.read_until("Address of the site")
        terminal.answer("http://127.0.0.1:9")
        terminal.read_until("Answer the questions about wordpress again? [Y/n]")
        terminal.answer("n")
        assert terminal.ends_with() == 1, "no site answers there"
        assert "fix the problems, then run: copydesk-connect check" in terminal.shown


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, feed: FakeFeed) -> None:
    """Keyboard interrupt leaves nothing half-written."""
    with Terminal(tmp_path, "init") as terminal:
        terminal.read_until("Feed URL")
        terminal.answer(feed.url)
        terminal.read_until("Where should the posts")
        terminal.answer("markdown")
        terminal.read_until("Folder for the posts")
        assert terminal.interrupt() == 1
    assert names(tmp_path) == []


def test_what_is_there_is_never_replaced_without_asking(tmp_path: Path, feed: FakeFeed) -> None:
    """never overwrites without asking"""
    mine = tmp_path / "copydesk.toml"
    mine.write_text("mine")
    with Terminal(tmp_path, "init") as terminal:
        terminal.read_until("copydesk.toml exists already. Replace it? [y/N]")
        terminal.answer("n")
        assert terminal.ends_with() == 1


def test_a_secret_file_of_ones_own_is_not_replaced_either(tmp_path: Path, feed: FakeFeed) -> None:
    """never overwrites without asking"""
    (tmp_path / "copydesk-feed-url").write_text("mine")
    with Terminal(tmp_path, "init") as terminal:
        terminal.read_until("Feed URL")
        terminal.answer(feed.url)
        terminal.read_until("Where should the posts")
        terminal.answer("hugo")
        for question, answer in (("Folder", "posts"), ("Publish posts", "")):
            terminal.read_until(question)
            terminal.answer(answer)
        terminal.read_until("copydesk-feed-url exists already. Replace it? [y/N]")
        terminal.answer("")
        assert terminal.ends_with() == 1
    assert names(tmp_path) == ["copydesk-feed-url"]
    assert (tmp_path / "copydesk-feed-url").read_text() == "mine"


def test_without_a_terminal_it_asks_nothing(tmp_path: Path) -> None:
    done = connect("init", folder=tmp_path)
    assert (done.returncode, names(tmp_path)) == (1, [])
    assert "there is no terminal to ask on; write copydesk.toml yourself" in done.stderr


@pytest.mark.parametrize("kind", ["ghost", "markdown", "webhook", "wordpress"])
def test_every_target_names_its_questions_and_they_are_settings(
    tmp_path: Path, feed: FakeFeed, kind: str
) -> None:
    """the kind of target and its few needed settings"""
    asked = questions(kind)
    fields = TARGETS.settings(kind).model_fields
    assert {key for key, field in fields.items() if field.is_required()} <= asked.keys()
    answers = {"url": "https://a.example", "path": "x", "username": "jo", "admin_key": GHOST_KEY}
    answers |= {"secret": "whsec_" + "A" * 43 + "=", "password": "abcdef", "token": "abcdef"}
    lines = ["[feed]", 'url_env = "F"', "[[target]]", f'type = "{kind}"']
    for key, field in asked.items():
        value = answers[key] if field.is_required() else field.default
        if is_secret(field):
            (tmp_path / key).write_text(value)
            (tmp_path / key).chmod(0o600)
            lines.append(f'{key}_file = "{key}"')
        elif value:
            lines.append(f"{key} = {json.dumps(value)}")
    file = tmp_path / "copydesk.toml"
    file.write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("F", feed.url)
        assert config.load(file).targets[0].name == kind
