"""The lists of a plain HTML site and its feed."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.target.base import Target
from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .items import make_item

Open = Callable[..., Target]
ATOM = "{http://www.w3.org/2005/Atom}"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The site's folder, not made yet."""
    return tmp_path / "site"


@pytest.fixture
def target(folder: Path) -> Open:
    """Opens the target as a new process does."""

    def open_it(**settings: Any) -> Target:
        table = Table({"path": "site", **settings}, "[[target]] 1", folder.with_name("c.toml"))
        return TARGETS["html"]("html", table)

    return open_it


def post(number: int, **changes: Any) -> Post:
    """The ``number``-th post, an hour after the one before."""
    when = (BEGIN + timedelta(hours=number)).isoformat()
    name = f"p{number:03}"
    return Post.from_item(
        make_item(name, slug=name, title=f"T {number} &", generated_at=when, **changes)
    )


def links(file: Path) -> list[str]:
    """Where the entries of a list lead."""
    page = BeautifulSoup(file.read_text(), "html.parser")
    return [str(link["href"]) for link in page.select(".posts a")]


def test_pages_of_fifty_newest_first(target: Open, folder: Path) -> None:
    """an index in pages of 50 (newest first; page 1 keeps its address; a page that is full never
    changes needlessly)"""
    site = target()
    first_page = folder / "index-page-1.html"
    for number in range(99):
        site.publish(post(number), "")
    assert len(links(folder / "index.html")) == 99
    assert not first_page.exists()
    site.publish(post(99), "")
    names = [f"p{number:03}.html" for number in range(99, -1, -1)]
    assert links(folder / "index.html") == names[:50]
    assert links(first_page) == names[50:]
    before = first_page.stat()
    site = target()
    for number in range(100, 151):
        site.publish(post(number), "")
    assert (first_page.stat().st_ino, first_page.stat().st_mtime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
    )
    every = []
    page = folder / "index.html"
    while page:
        every += links(page)
        older = BeautifulSoup(page.read_text(), "html.parser").find("a", rel="prev")
        page = folder / str(older["href"]) if older else None  # type: ignore[assignment,index]
    assert every == [f"p{number:03}.html" for number in range(150, -1, -1)]


def test_a_post_that_its_owner_deletes_leaves_every_list(target: Open, folder: Path) -> None:
    """each list says what is there, also where it had been full"""
    site = target()
    for number in range(101):
        site.publish(post(number), "")
    (folder / "p003.html").unlink()
    (folder / "p090.html").unlink()
    target().publish(post(200), "")
    kept = links(folder / "index.html") + links(folder / "index-page-1.html")
    assert kept == [f"p{n:03}.html" for n in [200, *range(100, -1, -1)] if n not in (3, 90)]
    for number in range(4, 60):
        (folder / f"p{number:03}.html").unlink()
    target().publish(post(201), "")
    assert not (folder / "index-page-1.html").exists()
    assert len(links(folder / "index.html")) == 45


def test_no_post_takes_the_name_of_a_list(target: Open, folder: Path) -> None:
    """page 1 keeps its address"""
    copy = target().publish(Post.from_item(make_item(slug="index-page-1")), "")
    assert copy.remote_id == "index-page-1-2.html"


def test_the_feed_is_atom(target: Open, folder: Path) -> None:
    """an Atom feed beside the index (RFC 4287: valid ids that never change, updated, absolute
    links where base_url is set)"""
    site = target(title="Salt & <lime>", base_url="https://blog.example/news/", author="Jo <3")
    for number in range(30):
        site.publish(post(number), "")
    feed = read_feed(folder)
    assert [found.text for found in feed.findall(f"{ATOM}title")] == ["Salt & <lime>"]
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Jo <3"
    assert feed.findtext(f"{ATOM}updated") == "2026-01-02T05:00:00+00:00"
    related = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert related == {
        "self": "https://blog.example/news/feed.xml",
        "alternate": "https://blog.example/news/index.html",
    }
    entries = feed.findall(f"{ATOM}entry")
    assert [found.findtext(f"{ATOM}title") for found in entries] == [
        f"T {number} &" for number in range(29, 9, -1)
    ]
    first = entries[0]
    assert first.findtext(f"{ATOM}published") == "2026-01-02T05:00:00+00:00"
    assert first.findtext(f"{ATOM}summary") == "Descale it in an hour: what to buy & what to avoid."
    assert first.find(f"{ATOM}link").attrib["href"] == (  # type: ignore[union-attr]
        "https://blog.example/news/p029.html"
    )
    page = BeautifulSoup((folder / "index.html").read_text(), "html.parser")
    assert page.select_one('link[type="application/atom+xml"]')["href"] == "feed.xml"  # type: ignore[index]


def read_feed(folder: Path) -> ElementTree.Element:
    """The feed, held to what RFC 4287 (4.1.1, 4.1.2) demands."""
    feed = ElementTree.fromstring((folder / "feed.xml").read_text())
    assert feed.tag == f"{ATOM}feed"
    for element in [feed, *feed.findall(f"{ATOM}entry")]:
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
        identity = element.findtext(f"{ATOM}id") or ""
        assert identity.startswith("urn:uuid:")
        when = datetime.fromisoformat(element.findtext(f"{ATOM}updated") or "")
        assert when.tzinfo is not None
        assert element.findall(f"{ATOM}link[@rel='alternate']")
    ids = [found.text for found in feed.iter(f"{ATOM}id")]
    assert len(ids) == len(set(ids))
    assert len(feed.findall(f"{ATOM}author")) == 1
    return feed


def test_ids_in_the_feed_never_change(target: Open, folder: Path) -> None:
    """valid ids that never change"""
    target().publish(post(1), "")
    before = [found.text for found in read_feed(folder).iter(f"{ATOM}id")]
    page = (folder / "p001.html").rename(folder / "renamed.html")
    page.write_text(page.read_text().replace("T 1 &amp;", "Another title"))
    target(title="New", base_url="https://new.example").publish(post(1), "")
    feed = read_feed(folder)
    assert feed.findtext(f"{ATOM}entry/{ATOM}title") == "Another title"
    assert [found.text for found in feed.iter(f"{ATOM}id")] == before


def test_a_feed_of_the_owners_is_left_alone(target: Open, folder: Path) -> None:
    """an edited file is never overwritten"""
    folder.mkdir()
    (folder / "feed.xml").write_text("<mine/>")
    copy = target().publish(post(1), "")
    assert "feed.xml was made or edited by hand" in copy.notes[0]
    assert (folder / "feed.xml").read_text() == "<mine/>"
    assert "in feed" in target().check()[1].fix
    assert target(feed="posts.xml").publish(post(1), "").notes == ()
    assert (folder / "posts.xml").exists()


def test_control_characters_do_not_break_the_feed(target: Open, folder: Path) -> None:
    """Bad input gets a valid feed all the same: XML has no form for them"""
    item = make_item(title="A\x0bb\x00c\ufffe")
    target().publish(Post.from_item(item), "")
    read_feed(folder)


def test_json_ld_and_the_owners_picture(target: Open, folder: Path, tmp_path: Path) -> None:
    """JSON-LD BlogPosting by choice; image (the owner's file, copied, alt text)"""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "p001.png").write_bytes(b"one")
    (pictures / "p002.jpg").write_bytes(b"two")
    site = target(image="pictures", json_ld=True, base_url="https://blog.example")
    for number in (1, 2, 3):
        site.publish(post(number), "")
    pages = [BeautifulSoup((folder / f"p00{n}.html").read_text(), "html.parser") for n in (1, 2, 3)]
    sources = [str(page.select_one("article img")["src"]) for page in pages]  # type: ignore[index]
    shown = [(folder / source).read_bytes() for source in sources]
    assert shown[:2] == [b"one", b"two"]
    assert shown[2] in (b"one", b"two")
    assert len(list((folder / "images").iterdir())) == 2
    assert pages[0].select_one("article img")["alt"] == "T 1 &"  # type: ignore[index]
    og = pages[0].find("meta", property="og:image")
    assert og["content"] == f"https://blog.example/{sources[0]}"  # type: ignore[index]
    assert '"headline": "T 1 &"' in pages[0].find("script").get_text()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"image": "no/such"}, "image: must be"),
        ({"feed": "feed.html"}, "feed: must be a file name that ends in .xml"),
        ({"index": "../index.html"}, "index: must be a file name that ends in .html"),
        ({"statsu": "draft"}, "statsu: is not a setting here"),
    ],
)
def test_wrong_values_are_one_error(target: Open, settings: dict[str, str], said: str) -> None:
    """Misspelt or wrong values get the one clear error that Table gives."""
    with pytest.raises(ConfigError) as caught:
        target(**settings)
    assert said in str(caught.value)


def test_no_file_is_read_twice(target: Open, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cost of one more post must not grow with the number of posts"""
    site = target()
    for number in range(101):
        site.publish(post(number), "")
    opened: list[str] = []
    read = Path.read_text

    def watch(self: Path, *arguments: Any, **options: Any) -> str:
        opened.append(self.name)
        return read(self, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", watch)
    target().publish(post(101), "")
    assert "index.html" in opened
    assert {*opened} <= {"index.html", "feed.xml", "p101.html"}


def test_a_lost_or_broken_cache_costs_time_and_nothing_else(
    target: Open, folder: Path, tmp_path: Path
) -> None:
    """It is only a cache"""
    target().publish(post(1), "")
    (cache,) = tmp_path.glob(".copydesk-*.cache")
    for broken in (None, b"", b"no database at all, but long enough to be taken for one"):
        cache.unlink(missing_ok=True)
        if broken is not None:
            cache.write_bytes(broken)
        found = target().find(post(1))
        assert found is not None
        assert found.remote_id == "p001.html"
        target().publish(post(1), "")
    assert len(links(folder / "index.html")) == 1
