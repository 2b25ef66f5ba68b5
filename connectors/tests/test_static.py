"""Static sites: the files as generators and browsers read them."""

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import frontmatter
import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.target.base import Copy, Level, Target
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .items import make_item

Open = Callable[..., Target]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The site's folder, not made yet."""
    return tmp_path / "site"


@pytest.fixture
def target(folder: Path) -> Open:
    """Opens a target of a kind on ``folder``, with more settings where they are given."""

    def open_it(kind: str, **settings: Any) -> Target:
        table = Table(
            {"path": str(folder), **settings}, "[[target]] 1", folder.with_name("copydesk.toml")
        )
        return TARGETS[kind](kind, table)

    return open_it


def put(publisher: Target, item: dict[str, Any]) -> Copy:
    """Publish an item."""
    return publisher.publish(Post.from_item(item), "")


def visible(folder: Path) -> list[str]:
    """The names of all files, by name; hidden ones are nobody's business."""
    return sorted(path.name for path in folder.rglob("*") if not path.name.startswith("."))


def test_front_matter_that_hugo_and_jekyll_read(target: Open, folder: Path) -> None:
    """title, date, description, slug, tags/keywords, and the item's id as copydesk_id"""
    put(target("markdown"), make_item(title="Salt: \"3 > 2\" & 'so' — 9%"))
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
        put(target("markdown"), make_item(f"itm_{number}"))
    found = {path.stem: frontmatter.load(path)["slug"] for path in folder.glob("*.md")}
    assert found == {name: name for name in found}
    assert len(found) == 3


def test_jekylls_file_names(target: Open, folder: Path) -> None:
    """Hugo/Jekyll-friendly"""
    markdown = target("markdown", file_name="date-slug", base_url="https://blog.example/posts/")
    copy = put(markdown, make_item())
    assert visible(folder) == ["2026-05-01-descale-espresso-machine.md"]
    assert copy.url == "https://blog.example/posts/descale-espresso-machine/"
    put(markdown, make_item("itm_2"))
    assert visible(folder)[0] == "2026-05-01-descale-espresso-machine-2.md"
    assert frontmatter.load(folder / visible(folder)[0])["slug"] == "descale-espresso-machine-2"


def test_a_file_that_was_moved_renamed_or_rewritten_is_still_the_post(
    target: Open, folder: Path
) -> None:
    """found again by id"""
    put(target("markdown"), make_item())
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
        assert put(target("markdown"), make_item()).remote_id == "2026/other-name.md"
        assert visible(folder) == ["2026", "other-name.md"]


def test_a_file_that_only_speaks_of_the_id_is_another_post(target: Open, folder: Path) -> None:
    """found again by id, and by nothing else"""
    folder.mkdir()
    (folder / "howto.md").write_text("---\ntitle: Mine\n---\ncopydesk_id: itm_1\n")
    (folder / "latin.md").write_bytes(b"copydesk_id: \xe9\n")
    (folder / "drafts.md").mkdir()
    put(target("markdown"), make_item())
    assert "descale-espresso-machine.md" in visible(folder)


@pytest.mark.parametrize(("kind", "name"), [("markdown", "index.md"), ("html", "index.html")])
def test_no_post_takes_a_name_that_the_site_needs(
    target: Open, folder: Path, kind: str, name: str
) -> None:
    """index.html lists all posts; Hugo takes a folder with an index.md for one page"""
    copy = put(target(kind), make_item(slug="index"))
    assert copy.remote_id == name.replace("index", "index-2")


def test_a_page_is_valid_and_complete(target: Open, folder: Path) -> None:
    """title, meta description, article, valid HTML5, no external asset"""
    site = target("html", title="Our <blog>", base_url="https://blog.example/news", language="de")
    copy = put(site, make_item(title="Salt & <b>lime</b>"))
    assert copy.url == "https://blog.example/news/descale-espresso-machine.html"
    text = (folder / copy.remote_id).read_text()
    page = BeautifulSoup(text, "html.parser")
    assert text.startswith("<!doctype html>\n")
    assert page.html is not None
    assert page.html["lang"] == "de"
    assert page.title is not None
    assert page.title.get_text() == "Salt & <b>lime</b>"
    assert [h1.get_text() for h1 in page.find_all("h1")] == ["Salt & <b>lime</b>"]
    assert meta(page, "description") == "Descale it in an hour: what to buy & what to avoid."
    assert meta(page, "viewport") == "width=device-width, initial-scale=1"
    assert page.find("link", rel="canonical")["href"] == copy.url  # type: ignore[index]
    assert page.find("time")["datetime"] == "2026-05-01T10:00:00+00:00"  # type: ignore[index]
    assert "prefers-color-scheme: dark" in text
    assert page.article is not None
    assert Post.from_item(make_item()).html in text
    assert not page.find_all(["script", "img", "iframe"])
    assert [link["href"] for link in page.find_all("link")] == [copy.url, "feed.xml"]


def meta(page: BeautifulSoup, name: str) -> object:
    """The content of a meta element."""
    tag = page.find("meta", attrs={"name": name})
    return tag["content"] if tag else None


def test_the_index_lists_all_posts_newest_first(target: Open, folder: Path) -> None:
    """an index.html listing all posts newest first"""
    for number, day in ((1, "03"), (2, "09"), (3, "01")):
        put(
            target("html", title="Our <blog>"),
            make_item(f"itm_{number}", slug=f"p{number}", title=f"T <{number}>",
                      generated_at=f"2026-05-{day}T10:00:00Z"),
        )  # fmt: skip
    page = BeautifulSoup((folder / "index.html").read_text(), "html.parser")
    assert [(a["href"], a.get_text()) for a in page.select(".posts a")] == [
        ("p2.html", "T <2>"),
        ("p1.html", "T <1>"),
        ("p3.html", "T <3>"),
    ]
    assert page.h1 is not None
    assert page.h1.get_text() == "Our <blog>"
    (folder / "p2.html").unlink()
    edited = folder / "p1.html"
    edited.write_text(edited.read_text().replace("T &lt;1&gt;", "My title"))
    put(target("html", title="Our <blog>"), make_item("itm_3", slug="p3"))
    page = BeautifulSoup((folder / "index.html").read_text(), "html.parser")
    assert [a.get_text() for a in page.select(".posts a")] == ["My title", "T <3>"]


@pytest.mark.parametrize("whose", ["edited", "the owner's"])
def test_an_index_that_was_edited_is_never_overwritten(
    target: Open, folder: Path, whose: str
) -> None:
    """an edited file is never overwritten"""
    index = folder / "index.html"
    folder.mkdir()
    if whose == "edited":
        put(target("html"), make_item())
        index.write_text(index.read_text().replace("<h1>", "<h1>Hello from "))
    else:
        index.write_text("<h1>Home</h1>")
    before = index.read_text()
    copy = put(target("html"), make_item("itm_2"))
    assert index.read_text() == before
    assert "left as it is" in copy.notes[0]
    findings = target("html").check()
    assert [finding.level for finding in findings] == [Level.OK, Level.WARNING]
    assert "move it away" in findings[1].fix
    other = put(target("html", index="posts.html"), make_item("itm_3"))
    assert other.notes == ()
    assert "posts.html" in visible(folder)


def test_a_file_appears_whole_and_readable(target: Open, folder: Path) -> None:
    """atomic writes (write temp in the same folder, fsync, rename)"""
    seen = []
    sync = os.fsync

    def watch(handle: int) -> None:
        seen.append(visible(folder))
        sync(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", watch)
        put(target("html", tags=[]), make_item())
    page, index, feed = "descale-espresso-machine.html", "index.html", "feed.xml"
    # The page's text, the folder, the index's text, the folder, the feed's text, the folder.
    listed = [page, index]
    assert seen == [[], [page], [page], listed, listed, sorted([*listed, feed])]
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
    copy = put(target("markdown"), make_item())
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
        put(target("markdown"), make_item(f"itm_{number}"))
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
    put(target("markdown"), make_item())
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
        put(target("markdown"), make_item())
    assert visible(folder) == []


@pytest.mark.parametrize("kind", ["markdown", "html"])
def test_a_mistyped_path_is_found_by_check(tmp_path: Path, kind: str) -> None:
    """writable folder; each finding with how to fix it"""
    table = Table({"path": "no/such/place"}, "[[target]] 1", tmp_path / "copydesk.toml")
    (finding,) = TARGETS[kind]("site", table).check()
    assert finding.level is Level.PROBLEM
    assert finding.fix == f"make it (mkdir -p {tmp_path}/no/such/place) or correct the path"
