"""The owner's command after each post, with a real git."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS, command

from .feed_server import FakeFeed
from .items import Write, make_item

README = (Path(__file__).parents[1] / "README.md").read_text()
DOCUMENTED = next(line for line in README.splitlines() if line.startswith("command = "))
TITLE = "How to descale an espresso machine"


def git(folder: Path, *arguments: str) -> str:
    run = ["git", "-C", str(folder), *arguments]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The folder of a checkout whose remote is beside it."""
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "remote.git")
    git(tmp_path, "clone", "--quiet", "remote.git", "site")
    site = tmp_path / "site"
    for key, value in (("name", "Jo"), ("email", "jo@blog.example")):
        git(site, "config", f"user.{key}", value)
    git(site, "commit", "--quiet", "--allow-empty", "--message=First")
    git(site, "push", "--quiet", "origin", "HEAD")
    return site


def test_the_feed_is_told_once_the_command_has_succeeded(
    checkout: Path,
    write_config: Write,
    one_pass: Callable[[Path], Outcome],
    feed: FakeFeed,
) -> None:
    """The feed is told only once it has succeeded; the documented command commits and pushes"""
    feed.add(make_item("itm_1", slug="one"))
    file = write_config(f'[[target]]\ntype = "markdown"\npath = "site/posts"\n{DOCUMENTED}\n')
    remote, away = checkout.parent / "remote.git", checkout.parent / "away.git"
    remote.rename(away)
    outcome = one_pass(file)
    assert outcome.confirmed == 0
    assert "command ended with 128: fatal: " in outcome.problems[0]
    assert feed.states() == {"itm_1": "reserved"}
    away.rename(remote)
    feed.add(make_item("itm_2", slug="two"))
    assert one_pass(file).confirmed == 2
    assert git(remote, "log", "--format=%s").splitlines() == [TITLE, TITLE, "First"]
    assert git(checkout, "status", "--porcelain") == ""
    assert feed.states() == {"itm_1": "used", "itm_2": "used"}


def test_a_command_that_does_not_end_is_ended(
    tmp_path: Path, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """it took too long, with all that it started"""
    monkeypatch.setattr(command, "_TIMEOUT_S", 0.2)
    settings = {"path": "posts", "command": "echo $$ > pid; sleep 600 | cat"}
    target: Target = TARGETS["markdown"]("m", Table(settings, "t", tmp_path / "c.toml"))
    with pytest.raises(Unavailable, match="command did not end within 0 s"):
        target.publish(post, "")
    group = int((tmp_path / "posts" / "pid").read_text())
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run(["pgrep", "-r", "D,R,S", "-g", str(group)], check=True)
