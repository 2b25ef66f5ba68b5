"""Plain HTML pages: what a post's page says, the index, and templates of the owner's."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.target.base import Level, Target
from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .items import Open, make_item

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


def page(file: Path) -> BeautifulSoup:
    """A page as a browser reads it."""
    return BeautifulSoup(file.read_text(), "html.parser")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file by its name within the folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_page_is_valid_and_complete(target: Open, folder: Path) -> None:
    """title, meta description, article, valid HTML5, no external asset"""
    site = target(title="Our <blog>", base_url="https://blog.example/news", language="de")
    sent = Post.from_item(make_item(title="Salt & <b>lime</b>"))
    copy = site.publish(sent, "")
    assert copy.url == "https://blog.example/news/descale-espresso-machine.html"
    text = (folder / copy.remote_id).read_text()
    shown = page(folder / copy.remote_id)
    assert text.startswith("<!doctype html>\n")
    assert shown.html is not None
    assert shown.html["lang"] == "de"
    assert shown.title is not None
    assert shown.title.get_text() == "Salt & <b>lime</b>"
    assert [h1.get_text() for h1 in shown.find_all("h1")] == ["Salt & <b>lime</b>"]
    about = "Descale it in an hour: what to buy & what to avoid."
    said = {
        str(tag.get("name") or tag.get("property")): tag["content"]
        for tag in shown.find_all("meta")[1:]
    }
    assert said == {
        "viewport": "width=device-width, initial-scale=1",
        "color-scheme": "light dark",
        "description": about,
        "og:type": "article",
        "og:site_name": "Our <blog>",
        "og:title": "Salt & <b>lime</b>",
        "og:description": about,
        "og:url": copy.url,
        "twitter:card": "summary",
        "article:published_time": "2026-05-01T10:00:00+00:00",
        "copydesk-id": "itm_1",
    }
    assert sent.html in text
    assert not shown.find_all(["script", "img", "iframe"])
    assert [link["href"] for link in shown.find_all("link")] == [copy.url]


def test_the_index_lists_all_posts_newest_first(target: Open, folder: Path) -> None:
    """an index.html listing all posts newest first"""
    site = target(title="Our <blog>")
    for number in (2, 9, 1):
        site.publish(post(number), "")
    index = page(folder / "index.html")
    assert [(a["href"], a.get_text()) for a in index.select(".posts a")] == [
        ("p009.html", "T 9 &"),
        ("p002.html", "T 2 &"),
        ("p001.html", "T 1 &"),
    ]
    assert index.h1 is not None
    assert index.h1.get_text() == "Our <blog>"
    (folder / "p009.html").unlink()
    edited = folder / "p002.html"
    edited.write_text(edited.read_text().replace("T 2 &amp;", "My title"))
    target(title="Our <blog>").publish(post(1), "")
    titles = [a.get_text() for a in page(folder / "index.html").select(".posts a")]
    assert titles == ["My title", "T 1 &"]


@pytest.mark.parametrize("whose", ["edited", "the owner's"])
def test_an_index_that_was_edited_is_never_overwritten(
    target: Open, folder: Path, whose: str
) -> None:
    """an edited file is never overwritten"""
    index = folder / "index.html"
    folder.mkdir()
    if whose == "edited":
        target().publish(post(1), "")
        index.write_text(index.read_text().replace("<h1>", "<h1>Hello from "))
    else:
        index.write_text("<h1>Home</h1>")
    before = index.read_text()
    copy = target().publish(post(2), "")
    assert index.read_text() == before
    assert "left as it is" in copy.notes[0]
    findings = target().check()
    assert [finding.level for finding in findings] == [Level.OK, Level.WARNING]
    assert "move it away" in findings[1].fix
    assert target(index="posts.html").publish(post(3), "").notes == ()
    assert (folder / "posts.html").exists()


def test_the_same_items_give_the_same_bytes(target: Open, folder: Path) -> None:
    """Sites stay reproducible: same items, same bytes"""
    found = []
    for order in (range(12), reversed(range(12))):
        site = target(base_url="https://blog.example", json_ld=True, notice="By AI.")
        for number in order:
            site.publish(post(number), "")
        found.append(contents(folder))
        for path in folder.iterdir():
            path.unlink()
    assert found[0] == found[1]


def test_json_ld_and_the_owners_picture(target: Open, folder: Path, tmp_path: Path) -> None:
    """JSON-LD BlogPosting by choice; image (the owner's file, copied, alt text)"""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "p001.png").write_bytes(b"GIF89a")
    (pictures / "p002.jpg").write_bytes(b"\xff\xd8\xff")
    site = target(image="pictures", json_ld=True, base_url="https://blog.example")
    for number in (1, 2, 3):
        site.publish(post(number), "")
    pages = [page(folder / f"p00{number}.html") for number in (1, 2, 3)]
    sources = [str(each.select_one("article img")["src"]) for each in pages]  # type: ignore[index]
    assert [(folder / source).read_bytes() for source in sources[:2]] == [
        b"GIF89a",
        b"\xff\xd8\xff",
    ]
    assert len(list((folder / "images").iterdir())) == 2
    assert pages[0].select_one("article img")["alt"] == "T 1 &"  # type: ignore[index]
    og = pages[0].find("meta", property="og:image")
    assert og["content"] == f"https://blog.example/{sources[0]}"  # type: ignore[index]
    assert '"headline": "T 1 &"' in pages[0].find("script").get_text()  # type: ignore[union-attr]


def test_the_owners_template_replaces_ours(target: Open, folder: Path, tmp_path: Path) -> None:
    """a template that the owner can replace (Jinja)"""
    own = tmp_path / "mine.html"
    own.write_text(
        '{% extends "copydesk.html" %}{% block style %}body { color: red }{% endblock %}'
        "{% block footer %}<footer>{{ page.title }}{% endblock %}"
    )
    target(template="mine.html").publish(post(1), "")
    assert "<footer>T 1 &amp;" in (folder / "p001.html").read_text(), "it escapes"
    assert "<footer>Blog" in (folder / "index.html").read_text()
    own.write_text(own.read_text().replace("red", "blue"))
    target(template="mine.html").publish(post(1), "")
    assert "color: blue" in (folder / "index.html").read_text(), "the index follows a template"
    assert "color: red" in (folder / "p001.html").read_text(), "a published page does not change"


BROKEN = [
    ("<p>\n{% if %}", "mine.html, line 2: TemplateSyntaxError"),
    ("<p>\n\n{{ post.titel }}", "mine.html, line 3: UndefinedError: "),
    ("{{ 1 / 0 }}", "mine.html, line 1: ZeroDivisionError"),
    ("x\n{% include 'no.html' %}", "mine.html, line 2: TemplateNotFound: 'no.html'"),
    ("<h1>{{ page.title }}</h1>", "leaves out the id by which posts are recognized"),
    ('{% extends "copydesk.html" %}{% block main %}{{ posts[7].title }}{% endblock %}', "line 1: "),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_a_broken_template_is_one_error_and_no_page_is_written(
    target: Open, folder: Path, tmp_path: Path, text: str, said: str
) -> None:
    """an owner's broken template is one clear error with file and line, never half-written pages"""
    target().publish(post(1), "")
    before = contents(folder)
    (tmp_path / "mine.html").write_text(text)
    site = target(template="mine.html")
    with pytest.raises(Misconfigured) as caught:
        site.ready()
    assert said in str(caught.value)
    problems = [finding for finding in site.check() if finding.level is Level.PROBLEM]
    assert [said in finding.message for finding in problems] == [True]
    with pytest.raises(Misconfigured):
        site.publish(post(2), "")
    assert contents(folder) == before
