"""The lists of a plain HTML site and its feed."""

import json
import shutil
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.target.base import Level, Target
from copydesk_connectors.target.errors import ConfigError, Misconfigured
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS, listing, page_words
from copydesk_connectors.targets import folder as folder_target
from copydesk_connectors.targets import html as html_target

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
    tags = {"descale-espresso-machine.html", "citric-acid.html"}
    assert {*opened} <= {"index.html", "feed.xml", "p101.html", *tags}


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


def test_each_tag_has_a_page_of_its_posts(
    target: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tag pages; a post's links to them work from its first moment"""
    monkeypatch.setattr(listing, "PAGE", 5)
    site = target(base_url="https://blog.example", title="Garden")
    for number in range(12):
        keyword = "C++ & <soil>" if number % 5 == 1 else "Überwintern"
        meta = {"primaryKeyword": keyword, "description": "About."}
        item = make_item()["post"] | {"title": f"T {number}", "slugSuggestion": f"p{number:03}"}
        changes = {"meta": meta, "coverageNotes": {}}
        site.publish(post(number, post={**item, **changes}), "")
        page = BeautifulSoup((folder / f"p{number:03}.html").read_text(), "html.parser")
        (link,) = page.select("nav.tags a")
        assert link.get_text() == keyword
        assert (folder / str(link["href"])).exists()
    few = BeautifulSoup((folder / "tags" / "c-soil.html").read_text(), "html.parser")
    assert few.h1 is not None
    assert few.h1.get_text() == "Posts about C++ & <soil>"
    assert links(folder / "tags" / "c-soil.html") == [
        "../p011.html",
        "../p006.html",
        "../p001.html",
    ]
    canonical = few.find("link", rel="canonical")
    assert canonical["href"] == "https://blog.example/tags/c-soil.html"  # type: ignore[index]
    many = folder / "tags" / "uberwintern.html"
    assert len(links(many)) == 9  # too few for a second page
    for number in (1, 6, 11):
        (folder / f"p{number:03}.html").unlink()
    target(base_url="https://blog.example", title="Garden").publish(post(200, post=item), "")
    assert not (folder / "tags" / "c-soil.html").exists()


def test_tags_may_be_chosen_or_left_out(target: Open, folder: Path) -> None:
    """`tags`: to use instead of the post's keywords; `[]` for none"""
    target(tags=[]).publish(post(1), "")
    assert not (folder / "tags").exists()
    target(tags=["Beds", "☃", "beds!"]).publish(post(2), "")
    assert [path.name for path in (folder / "tags").iterdir()] == ["beds.html"]


def test_what_is_shared_names_its_page_and_site(target: Open, folder: Path) -> None:
    """Open Graph and card metadata"""
    site = target(base_url="https://blog.example", title="Salt & <lime>", tags=["One", "Two"])
    site.publish(post(1), "")
    page = BeautifulSoup((folder / "p001.html").read_text(), "html.parser")
    said = [
        (str(tag.get("property") or tag.get("name")), str(tag["content"]))
        for tag in page.find_all("meta")
        if ":" in str(tag.get("property") or tag.get("name"))
    ]
    assert said == [
        ("og:type", "article"),
        ("og:site_name", "Salt & <lime>"),
        ("og:title", "T 1 &"),
        ("og:description", "Descale it in an hour: what to buy & what to avoid."),
        ("og:url", "https://blog.example/p001.html"),
        ("twitter:card", "summary"),
        ("article:published_time", "2026-01-01T01:00:00+00:00"),
        ("article:tag", "One"),
        ("article:tag", "Two"),
    ]


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "January 1, 2026"),
        ("de-AT", "1. Januar 2026"),
        ("es", "1 de enero de 2026"),
        ("fr_CA", "1er janvier 2026"),
        ("it", "1º gennaio 2026"),
        ("nl", "1 januari 2026"),
        ("pt-BR", "1 de janeiro de 2026"),
        ("sv", "1 januari 2026"),
        ("ja", "2026-01-01"),
    ],
)
def test_dates_are_for_people(target: Open, folder: Path, language: str, shown: str) -> None:
    """html target with dates for people, in the reader's language"""
    target(language=language).publish(post(1), "")
    for name in ("p001.html", "index.html"):
        time = BeautifulSoup((folder / name).read_text(), "html.parser").time
        assert time is not None
        assert (time.get_text(), time["datetime"]) == (shown, "2026-01-01T01:00:00+00:00")


def test_every_language_of_posts_has_its_words() -> None:
    """posts are written in eight languages, and so are the fixed words of their pages"""
    table = tomllib.loads(Path(page_words.__file__).with_suffix(".toml").read_text("utf-8"))
    assert set(table) == {"de", "en", "es", "fr", "it", "nl", "pt", "sv"}
    for found in table.values():
        assert len(set(found["months"])) == 12
        assert set(page_words.Words._fields) - {"first"} == set(found) - {"first"}


def test_the_sitemap_has_every_page_and_its_full_parts_stay(
    target: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """sitemap; the cost of one more post must not grow with what is stored"""
    monkeypatch.setattr(listing, "SITEMAP_PAGES", 3)
    site = target(base_url="https://blog.example")
    for number in range(7):
        site.publish(post(number), "")
    found = []
    for part in locations(folder / "sitemap.xml"):
        assert part.startswith("https://blog.example/sitemap-")
        found += locations(folder / part.removeprefix("https://blog.example/"))
    pages = ["index.html", *(f"p{number:03}.html" for number in range(7))]
    assert found == [f"https://blog.example/{page}" for page in pages]
    full = (folder / "sitemap-1.xml").stat().st_ino
    site.publish(post(8), "")
    assert (folder / "sitemap-1.xml").stat().st_ino == full
    for number in range(1, 7):
        (folder / f"p{number:03}.html").unlink()
    target(base_url="https://blog.example").publish(post(9), "")
    assert sorted(path.name for path in folder.glob("sitemap*")) == ["sitemap-1.xml", "sitemap.xml"]
    target().publish(post(10), "")
    assert not list(folder.glob("sitemap*")), "without an address there is none"


def locations(file: Path) -> list[str]:
    names = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
    return [str(found.text) for found in ElementTree.parse(file).iter(names)]


def test_one_more_post_writes_the_same_few_files_however_many_there_are(
    target: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """rewriting the lists of many posts must not grow with what is stored"""
    monkeypatch.setattr(listing, "PAGE", 5)
    site = target(base_url="https://blog.example")
    written: list[str] = []
    replace = folder_target.replace_whole

    def watch(path: Path, text: str | bytes) -> None:
        written.append(path.relative_to(folder).as_posix())
        replace(path, text)

    monkeypatch.setattr(html_target, "replace_whole", watch)
    for number in range(31):
        written.clear()
        site.publish(post(number), "")
        assert len(written) <= 3 + 1 + 3 + 2, "tags and index with a new page each, sitemap, feed"
    before = {path: path.stat().st_ino for path in folder.rglob("*") if path.is_file()}
    written.clear()
    target(base_url="https://blog.example").publish(post(31), "")
    assert len(written) == 6
    changed = {path for path in before if path.stat().st_ino != before[path]}
    assert {path.relative_to(folder).as_posix() for path in changed} == set(written)


def test_the_same_items_give_the_same_bytes(
    target: Open, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sites stay reproducible: same items, same bytes"""
    settings = {"base_url": "https://blog.example", "json_ld": True, "notice": "By AI."}
    found = []
    for order in (range(12), reversed(range(12))):
        site = target(**settings)
        for number in order:
            site.publish(post(number), "")
        found.append({p.relative_to(folder): p.read_bytes() for p in files(folder)})
        shutil.rmtree(folder)
    assert found[0] == found[1]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_notice_is_at_the_end_of_each_post(target: Open, folder: Path) -> None:
    """an optional visible notice; provenance in JSON-LD, the site as author unless one is set"""
    site = target(notice="Written with <AI> & checked.", json_ld=True, title="Garden")
    site.publish(post(1), "")
    page = BeautifulSoup((folder / "p001.html").read_text(), "html.parser")
    assert page.article is not None
    assert page.article.find_all("p")[-1].get_text() == "Written with <AI> & checked."
    data = json.loads(page.find("script").get_text())  # type: ignore[union-attr]
    assert data["author"] == {"@type": "Organization", "name": "Garden"}
    assert data["digitalSourceType"] == "https://schema.org/TrainedAlgorithmicMediaDigitalSource"


def test_the_owners_templates_replace_ours(target: Open, folder: Path, tmp_path: Path) -> None:
    """a template that the owner can replace (Jinja)"""
    own = tmp_path / "templates"
    own.mkdir()
    (own / "post.html").write_text(
        '{% extends "copydesk/post.html" %}{% block footer %}<footer>{{ post.title }}{% endblock %}'
    )
    target(templates="templates").publish(post(1), "")
    assert "<footer>T 1 &amp;" in (folder / "p001.html").read_text(), "it escapes"
    assert "<footer>" not in (folder / "index.html").read_text()
    (own / "style.css").write_text("body { color: red }")
    site = target(templates="templates")
    site.publish(post(2), "")
    assert "color: red" in (folder / "index.html").read_text()
    (own / "style.css").write_text("body { color: blue }")
    site.publish(post(2), "")
    assert "color: blue" in (folder / "index.html").read_text(), "lists follow a template"
    assert "color: red" in (folder / "p002.html").read_text(), "a published page does not change"


BROKEN = [
    ("post.html", "<p>\n{% if %}", "post.html, line 2: "),
    ("post.html", "<p>\n\n{{ post.titel }}", "post.html, line 3: UndefinedError: "),
    ("post.html", "{{ 1 / 0 }}", "post.html, line 1: ZeroDivisionError"),
    ("list.html", "{{ list.posts[7].title }}", "list.html, line 1: "),
    (
        "page.html",
        "x\n{% include 'no.html' %}",
        'page.html, line 2: there is no template "no.html"',
    ),
    ("style.css", "}\n{% endif %}", "style.css, line 2: "),
    ("post.html", "<h1>{{ post.title }}</h1>", "leaves out the head, by which posts are recog"),
    ("list.html", b"\xff", "list.html: "),
]


@pytest.mark.parametrize(("name", "text", "said"), BROKEN)
def test_a_broken_template_is_one_error_and_no_page_is_written(
    target: Open, folder: Path, tmp_path: Path, name: str, text: str | bytes, said: str
) -> None:
    """an owner's broken template is one clear error with file and line, never half-written pages"""
    target().publish(post(1), "")
    before = {path: path.read_bytes() for path in files(folder)}
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    site = target(templates="own")
    with pytest.raises(Misconfigured) as caught:
        site.ready()
    assert said in str(caught.value)
    problems = [finding for finding in site.check() if finding.level is Level.PROBLEM]
    assert [said in finding.message for finding in problems] == [True]
    if name != "list.html":
        with pytest.raises(Misconfigured):
            site.publish(post(2), "")
        assert {path: path.read_bytes() for path in files(folder)} == before
