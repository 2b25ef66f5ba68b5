"""Commits and pushes, with a real git and a real bare remote."""

import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.target.base import CopyState, Level, Target
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from . import git_kill_driver
from .items import make_item

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
TITLE = "How to descale an espresso machine"


@pytest.fixture(autouse=True)
def no_settings_of_mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A git that knows nobody but Jo."""
    config = tmp_path / "gitconfig"
    config.write_text(
        "[user]\nname = Jo\nemail = jo@blog.example\n[init]\ndefaultBranch = main\n"
        "[advice]\ndetachedHead = false\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@dataclass
class Repository:
    """The owner's checkout and its bare remote."""

    root: Path
    remote: Path

    def git(self, *arguments: str, at: Path | None = None) -> str:
        """What git says there; it has to end with 0."""
        done = subprocess.run(
            ["git", *arguments], cwd=at or self.root, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def log(self, at: Path | None = None) -> list[str]:
        """The subjects of all commits, the newest first."""
        return self.git("log", "--format=%s", "main", at=at).splitlines()

    def files(self, commit: str = "HEAD") -> list[str]:
        """The files of one commit."""
        return self.git("show", "--format=", "--name-only", commit).split()

    def target(self, kind: str = "html", **settings: Any) -> Target:
        """A target on the folder ``site`` as a new process has it."""
        data = {"path": str(self.root / "site"), "git": True, **settings}
        table = Table(data, "[[target]] 1", self.root.with_name("copydesk.toml"))
        return TARGETS[kind](kind, table)

    def somebody_pushes(self, name: str, text: str) -> None:
        """A commit comes to the remote from elsewhere."""
        other = self.root.with_name("other")
        if not other.exists():
            self.git("clone", "--quiet", str(self.remote), str(other))
        self.git("pull", "--quiet", at=other)
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_text(text)
        self.git("add", ".", at=other)
        self.git("commit", "--quiet", "-m", f"Add {name}", at=other)
        self.git("push", "--quiet", at=other)


def make_repository(folder: Path) -> Repository:
    """A checkout with one commit, pushed."""
    folder.mkdir()
    made = Repository(folder / "checkout", folder / "remote.git")
    made.git("init", "--quiet", "--bare", "-b", "main", str(made.remote), at=folder)
    made.git("clone", "--quiet", str(made.remote), str(made.root), at=folder)
    (made.root / "README").write_text("Mine.")
    made.git("add", "README")
    made.git("commit", "--quiet", "-m", "Begin")
    made.git("push", "--quiet", "-u", "origin", "HEAD:main")
    return made


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """One repository."""
    return make_repository(tmp_path / "repository")


def post(number: int = 1, **changes: Any) -> Post:
    """A post."""
    return Post.from_item(make_item(f"itm_{number}", slug=f"p{number}", **changes))


def test_one_commit_a_post_with_our_files_alone(repository: Repository) -> None:
    """after the file is in place one commit per post with a message that names the title, only our
    files in it (never what the owner has staged)"""
    (repository.root / "staged").write_text("Mine.")
    repository.git("add", "staged")
    (repository.root / "README").write_text("Mine, changed.")
    (repository.root / "site").mkdir()
    (repository.root / "site" / "draft.html").write_text("Mine.")
    target = repository.target(push=True)
    target.publish(post(1), "")
    target.publish(post(2, title='# "Salt" & -lime'), "")
    assert repository.log() == ['# "Salt" & -lime', TITLE, "Begin"]
    assert repository.files() == ["site/index.html", "site/p2.html"]
    files = ["site/index.html", "site/p1.html"]
    assert repository.files("HEAD~1") == files
    assert "Copydesk-Id: itm_2" in repository.git("log", "-1", "--format=%B")
    assert repository.git("status", "--porcelain").splitlines() == [
        " M README",
        "A  staged",
        "?? site/draft.html",
    ]
    assert repository.log(repository.remote) == repository.log()


def test_a_repetition_commits_nothing(repository: Repository) -> None:
    """safe to repeat: no second commit"""
    for kind in ("html", "markdown"):
        for _ in range(2):
            repository.target(kind).publish(post(), "")
    assert repository.log() == [TITLE, TITLE, "Begin"]
    assert repository.files() == ["site/p1.md"]
    page = repository.root / "site" / "p1.md"
    page.write_text(page.read_text() + "\nEdited, and not committed yet.\n")
    repository.target("markdown").publish(post(), "")
    assert repository.log() == [TITLE, TITLE, "Begin"]


def test_an_index_of_the_owners_is_not_committed(repository: Repository) -> None:
    """only our files in it"""
    (repository.root / "site").mkdir()
    (repository.root / "site" / "index.html").write_text("Mine.")
    repository.target().publish(post(), "")
    assert repository.files() == ["site/p1.html"]


def test_in_a_repository_without_a_commit(tmp_path: Path) -> None:
    """The first commit of all can be ours, and by another name than the owner's."""
    root = tmp_path / "new"
    root.mkdir()
    made = Repository(root, root)
    made.git("init", "--quiet", "-b", "main")
    made.target("markdown", git_name="Copy Desk", git_email="desk@blog.example").publish(post(), "")
    assert made.log() == [TITLE]
    assert made.git("log", "-1", "--format=%an %ae %cn").strip() == (
        "Copy Desk desk@blog.example Copy Desk"
    )


def test_a_push_that_fails_is_tried_again(repository: Repository) -> None:
    """push retried as Unavailable; no lost commit"""
    away = repository.remote.rename(repository.remote.with_name("away"))
    with pytest.raises(Unavailable, match="git push"):
        repository.target(push=True).publish(post(), "")
    away.rename(repository.remote)
    copy = repository.target(push=True).publish(post(), "")
    assert copy.state is CopyState.PUBLIC
    assert repository.log(repository.remote) == [TITLE, "Begin"]


def test_a_push_behind_others_is_explained(repository: Repository) -> None:
    """a rejected push (non fast forward) explained; nothing of the owner's is lost"""
    repository.somebody_pushes("theirs", "text")
    with pytest.raises(Misconfigured) as caught:
        repository.target(push=True).publish(post(), "")
    assert "has commits on main that this checkout lacks" in str(caught.value)
    assert repository.log() == [TITLE, "Begin"]
    repository.git(*caught.value.fix.split()[2:4])
    repository.target(push=True).publish(post(), "")
    assert repository.log(repository.remote) == [TITLE, "Add theirs", "Begin"]


def test_a_refusing_hook_is_told_in_its_own_words(repository: Repository) -> None:
    """hooks are the owner's; what they say is what the owner needs to read"""
    hook = repository.root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho 'no posts on Sundays' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Misconfigured, match="no posts on Sundays"):
        repository.target().publish(post(), "")
    hook.unlink()
    repository.target().publish(post(), "")
    assert repository.log() == [TITLE, "Begin"]


def test_a_lock_is_waited_for(repository: Repository) -> None:
    """another git at work is no reason to give up"""
    (repository.root / ".git" / "index.lock").touch()
    with pytest.raises(Unavailable, match=r"index\.lock"):
        repository.target().publish(post(), "")
    (repository.root / ".git" / "index.lock").unlink()
    repository.target().publish(post(), "")
    assert repository.log() == [TITLE, "Begin"]


def test_no_prompt_and_no_password(repository: Repository) -> None:
    """no prompt may hang; secrets never reach an error"""
    repository.git("remote", "add", "web", "http://jo:hunter2@127.0.0.1:9/blog.git")
    with pytest.raises(Unavailable) as caught:
        repository.target(push=True, remote="web").publish(post(), "")
    assert "hunter2" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)
    hook = repository.root / ".git" / "hooks" / "pre-push"
    hook.write_text("#!/bin/sh\necho pushing to https://jo:hunter2@blog.example/ >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Unavailable, match=r"https://\*\*\*@blog\.example/") as caught:
        repository.target(push=True).publish(post(2), "")
    assert "hunter2" not in str(caught.value)


def test_check_says_where_commits_go(repository: Repository, tmp_path: Path) -> None:
    """each finding with how to fix it"""
    findings = repository.target(push=True).check()
    assert [finding.level for finding in findings] == [Level.OK, Level.OK]
    assert "committed to main and is pushed to origin" in findings[1].message
    (_, problem) = repository.target(branch="gh-pages").check()
    assert (problem.level, "git switch gh-pages" in problem.fix) == (Level.PROBLEM, True)
    with pytest.raises(Misconfigured):
        repository.target(branch="gh-pages").ready()
    outside = Repository(tmp_path / "outside", tmp_path)
    outside.root.mkdir()
    (_, problem) = outside.target().check()
    assert "git init" in problem.fix
    assert not (outside.root / "site").exists()


@pytest.mark.long
def test_killed_before_every_git_command(tmp_path: Path) -> None:
    """safe to repeat after a kill at any point (no second commit, no lost one)"""
    template = make_repository(tmp_path / "template")
    killed = 0
    while True:
        shutil.copytree(template.root.parent, tmp_path / str(killed))
        made = Repository(
            tmp_path / str(killed) / "checkout", tmp_path / str(killed) / "remote.git"
        )
        made.git("remote", "set-url", "origin", str(made.remote))
        first = _publish(made.root / "site", killed + 1)
        assert _publish(made.root / "site", 10_000) == 0
        assert made.log(made.remote) == made.log() == [TITLE, "Begin"]
        assert not made.git("status", "--porcelain")
        if first == 0:
            break
        killed += 1
    assert killed > 6


def _publish(site: Path, last: int) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _RUN, git_kill_driver.__file__, str(site), str(last)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


# The driver imports its neighbour, so it has to be loaded as a part of their package.
_RUN = """
import importlib.util, pathlib, sys, types
file = pathlib.Path(sys.argv[1])
package = types.ModuleType("killing")
package.__path__ = [str(file.parent)]
sys.modules["killing"] = package
from killing.git_kill_driver import main
main(pathlib.Path(sys.argv[2]), int(sys.argv[3]))
"""
