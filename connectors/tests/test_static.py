"""Static sites: the files as generators and browsers read them, and a command after each post."""

import errno
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import frontmatter
import pytest

from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.target.base import Copy, Level, Target
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .feed_server import FakeFeed
from .items import Open, Write, make_item


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The site's folder, not made yet."""
    return tmp_path / "site"


@pytest.fixture
def target(folder: Path) -> Open:
    """Opens the target on ``folder``, with more settings where they are given."""

    def open_it(**settings: Any) -> Target:
        table = Table(
            {"path": str(folder), **settings}, "[[target]] 1", folder.with_name("copydesk.toml")
        )
        return TARGETS["markdown"]("markdown", table)

    return open_it


def put(publisher: Target, item: dict[str, Any]) -> Copy:
    """Publish an item."""
    return publisher.publish(Post.from_item(item), "")


def visible(folder: Path) -> list[str]:
    """The names of all files, by name; hidden ones are nobody's business."""
    return sorted(path.name for path in folder.rglob("*") if not path.name.startswith("."))


def test_front_matter_that_hugo_and_jekyll_read(target: Open, folder: Path) -> None:
    """title, date, description, slug, tags/keywords, and the item's id as copydesk_id"""
    put(target(), make_item(title="Salt: \"3 > 2\" & 'so' — 9%"))
    text = (folder / "descale-espresso-machine.md").read_text()
    page = frontmatter.loads(text)
    assert page.metadata == {
        "title": "Salt: \"3 > 2\" & 'so' — 9%",
        "date": Post.from_item(make_item()).generated_at.replace(microsecond=0),
        "description": "Descale it in an hour: what to buy & what to avoid.",
        "slug": "descale-espresso-machine",
        "tags": ["descale espresso machine", "citric acid"],
        "keywords": ["descale espresso machine", "citric acid"],
        "copydesk_id": "itm_1",
    }
    assert list(page.metadata)[:2] == ["title", "date"]
    assert "\ndate: 2026-05-01 10:00:00+00:00\n" in text, "a time, not a text"
    assert page.content == Post.from_item(make_item()).markdown
    assert text.endswith("enjoy.\n")


def test_the_slug_in_the_file_is_that_of_its_name(target: Open, folder: Path) -> None:
    """Hugo makes the address of the slug: two files of one slug would be one page"""
    for number in (1, 2, 3):
        put(target(), make_item(f"itm_{number}"))
    found = {path.stem: frontmatter.load(path)["slug"] for path in folder.glob("*.md")}
    assert found == {name: name for name in found}
    assert len(found) == 3


def test_a_file_that_was_moved_renamed_or_rewritten_is_still_the_post(
    target: Open, folder: Path
) -> None:
    """found again by id, also by a connector that has read the file before"""
    running = target()
    put(running, make_item())
    (folder / "2026").mkdir()
    moved = folder / "2026" / "other-name.md"
    (folder / "descale-espresso-machine.md").rename(moved)
    for front in (
        moved.read_text(),
        "+++\ntitle = 'Mine'\ncopydesk_id = \"itm_1\"\n+++\nText\n",
        "---\ntitle: 'unfinished\ncopydesk_id: itm_1\n---\nText\n",
        "---\ndate: 2026-99-99\ncopydesk_id: 'itm_1'\n---\nText\n",
    ):
        moved.write_text(front)
        for site in (running, target()):
            assert put(site, make_item()).remote_id == "2026/other-name.md"
        assert visible(folder) == ["2026", "other-name.md"]
    (folder / "post.md").write_text(front)
    moved.write_text("Another text.\n")
    for site in (running, target()):
        assert put(site, make_item()).remote_id == "post.md"


def test_a_file_that_only_speaks_of_the_id_is_another_post(target: Open, folder: Path) -> None:
    """found again by id, and by nothing else"""
    folder.mkdir()
    (folder / "howto.md").write_text("---\ntitle: Mine\n---\ncopydesk_id: itm_1\n")
    (folder / "latin.md").write_bytes(b"copydesk_id: \xe9\n")
    (folder / "drafts.md").mkdir()
    put(target(), make_item())
    assert "descale-espresso-machine.md" in visible(folder)


def test_no_post_takes_a_name_that_the_site_needs(target: Open) -> None:
    """Hugo takes a folder with an index.md for one page"""
    assert put(target(), make_item(slug="index")).remote_id == "index-2.md"


def test_no_file_of_the_owner_stops_a_post(target: Open, folder: Path) -> None:
    """An item never stops the others: a name that is not UTF-8, a pipe, a link to itself"""
    site = target(base_url="https://blog.example")
    put(site, make_item("itm_1", slug="first"))
    mine = Path(os.fsdecode(os.fsencode(folder) + b"/B\xfcro.md"))
    (folder / "first.md").rename(mine)
    os.mkfifo(folder / "pipe.md")
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "second.md").mkdir()
    found = site.find(Post.from_item(make_item("itm_1")))
    assert found is not None
    assert found.url.startswith("https://blog.example/B%FCro")
    assert [page.url for page in site.related("espresso machine")] == [found.url]
    assert put(site, make_item("itm_2", slug="second")).remote_id == "second-2.md"


def test_a_file_appears_whole_and_readable(target: Open, folder: Path) -> None:
    """atomic writes (write temp in the same folder, fsync, rename)"""
    seen = []
    sync = os.fsync

    def watch(handle: int) -> None:
        seen.append(visible(folder))
        sync(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", watch)
        put(target(), make_item())
    page = "descale-espresso-machine.md"
    assert seen == [[], [page]], "the text, then the folder"
    assert not list(folder.rglob(".*"))
    umask = os.umask(0)
    os.umask(umask)
    assert (folder / page).stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_file_that_the_owner_makes_meanwhile_is_not_replaced(
    target: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the write there is no gap"""
    sync = os.fsync
    mine = folder / "descale-espresso-machine.md"

    def owner_is_quicker(handle: int) -> None:
        if not mine.exists():
            mine.write_text("Mine.")
        sync(handle)

    monkeypatch.setattr(os, "fsync", owner_is_quicker)
    copy = put(target(), make_item())
    assert mine.read_text() == "Mine."
    assert copy.remote_id == "descale-espresso-machine-2.md"
    assert not list(folder.glob(".*"))


def test_a_volume_without_hard_links(
    target: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network and FAT volumes have no links: look, then rename"""

    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    for number in (1, 2, 1):
        put(target(), make_item(f"itm_{number}"))
    assert visible(folder) == ["descale-espresso-machine-2.md", "descale-espresso-machine.md"]
    assert not list(folder.glob(".*"))


def test_what_a_dead_process_left_is_swept_in_time(target: Open, folder: Path) -> None:
    """A write that another instance is in the middle of is not disturbed"""
    folder.mkdir()
    old, fresh = folder / ".copydesk-old.tmp", folder / ".copydesk-fresh.tmp"
    old.touch()
    fresh.touch()
    yesterday = time.time() - 86_400
    os.utime(old, (yesterday, yesterday))
    put(target(), make_item())
    assert not old.exists()
    assert fresh.exists()


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, Unavailable), (errno.EACCES, Misconfigured)]
)
def test_the_systems_errors_are_sorted(
    target: Open,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    kind: type[Exception],
) -> None:
    """A full disk passes; a right that is missing does not"""

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", fail)
    with pytest.raises(kind, match=os.strerror(number)):
        put(target(), make_item())
    assert visible(folder) == []


def test_a_mistyped_path_is_found_by_check(tmp_path: Path) -> None:
    """writable folder; each finding with how to fix it"""
    table = Table({"path": "no/such/place"}, "[[target]] 1", tmp_path / "copydesk.toml")
    (finding,) = TARGETS["markdown"]("site", table).check()
    assert finding.level is Level.PROBLEM
    assert finding.fix == f"make it (mkdir -p {tmp_path}/no/such/place) or correct the path"


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
    monkeypatch.setattr("copydesk_connectors.targets.folder._TIMEOUT_S", 0.2)
    settings = {"path": "posts", "command": "echo $$ > pid; sleep 600 | cat"}
    target: Target = TARGETS["markdown"]("m", Table(settings, "t", tmp_path / "c.toml"))
    with pytest.raises(Unavailable, match="command did not end within 0 s"):
        target.publish(post, "")
    group = int((tmp_path / "posts" / "pid").read_text())
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run(["pgrep", "-r", "D,R,S", "-g", str(group)], check=True)
