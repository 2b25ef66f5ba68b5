"""Posts as the real generators build them, read back from the built pages.

Hugo and Jekyll are Debian packages; Eleventy and Astro come from npm into the cache folder, once.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup, Tag

from app.core.schemas.post import (
    Callout,
)
from app.core.schemas.request import ResponseType
from app.rendering.escape import escape
from app.rendering.offers import Offer
from app.rendering.page import render
from copydesk_connectors.target.base import CopyState, Target
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from tests.support.posts import make_post
from tests.support.sites.cache import made_once, npm_install
from tests.support.sites.example_posts import CONTENTS, blocks_of, example_item, expected_blocks
from tests.support.sites.programs import NotInstalled, program

# What Debian 12's and later Node can run.
NPM_PACKAGES = {"eleventy": "@11ty/eleventy@3.1.2", "astro": "astro@5.18.2"}
BUILD_SECONDS = 240.0


@dataclass(frozen=True)
class Generator:
    """Where a site has its posts and what is built, the path of their pages, and what builds it;
    the rest of the site is in the folder ``generators``."""

    posts: str
    built: str
    prefix: str
    command: Callable[[], Sequence[str]]


GENERATORS = {
    # With its defaults: HTML in Markdown is dropped. Its template of links is that of the README.
    "hugo": Generator(
        "content/posts", "public", "posts/",
        lambda: [program("hugo"), "--quiet", "--cleanDestinationDir"],
    ),
    # With its defaults: kramdown, Liquid in every text.
    "jekyll": Generator(
        "_posts", "_site", "", lambda: [program("jekyll"), "build", "--quiet", "--trace"]
    ),
    # With its defaults: Liquid in every Markdown file.
    "eleventy": Generator("posts", "_site", "posts/", lambda: [npm_command("eleventy"), "--quiet"]),
    # With the schema of its own blog template.
    "astro": Generator(
        "src/content/blog", "dist", "blog/", lambda: [npm_command("astro"), "build", "--silent"]
    ),
}  # fmt: skip


class StaticSite:
    """A site of a generator in ``root``."""

    def __init__(self, name: str, root: Path) -> None:
        """
        Raises:
            NotInstalled: the generator is not there.
        """
        self.name, self.root, self.generator = name, root, GENERATORS[name]
        self.posts, self.built = root / self.generator.posts, root / self.generator.built
        self._command = self.generator.command()
        shutil.copytree(Path(__file__).with_name("generators") / name, root)
        if name == "astro":  # Node looks for packages beside the site.
            (root / "node_modules").symlink_to(npm_folder(name) / "node_modules")

    def build(self) -> None:
        """Build the whole site again.

        Raises:
            AssertionError: the generator failed; holds what it said.
        """
        done = subprocess.run(
            self._command,
            cwd=self.root,
            env={
                **os.environ,
                "ASTRO_TELEMETRY_DISABLED": "1",
                "NO_COLOR": "1",
                "LANG": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def page(self, address: str) -> str:
        """A built page by its address on the site, as a web server finds it."""
        path = self.built / unquote(address).strip("/")
        return (path / "index.html" if path.is_dir() else path).read_text()

    def pages(self) -> str:
        """All built pages together."""
        return "\n".join(path.read_text() for path in sorted(self.built.rglob("*.html")))


def npm_command(name: str) -> str:
    """The path of a generator from npm."""
    return str(npm_folder(name) / "node_modules" / ".bin" / name)


def npm_folder(name: str) -> Path:
    """A folder with a generator installed, fetched when the cache does not hold it.

    Raises:
        NotInstalled: npm is not there, or cannot fetch it.
    """
    package = NPM_PACKAGES[name]
    return made_once(
        f"npm/{package.replace('/', '-')}", lambda folder: npm_install(package, folder=folder)
    )


pytestmark = pytest.mark.sites

OFFER_URL = "https://shop.example/kit?ref=1&plan=a_b*c"
TITLE = 'Salt & <b>lime</b>: "3 > 2", it\'s 9% {{ title }} # so'
DESCRIPTION = "What to buy & what to avoid: {{ secret }}."
PARAGRAPHS = (
    "Templates such as {{ page.title }}, {% raw %}, {{< figure >}}, {{% x %}} and {# this #} stay.",
    "Bars make no table: a | b | c, nor do dollars make a formula: $$5$$ and $$6.",
    "{: .note} begins this line, and {:toc} ends it.",
    "<script>alert(1)</script> and <b>5 < 6</b> & 7 > 2 are text, as is &amp; too.",
    "Neither *stars* nor **two** nor snake_case_names nor `ticks` nor # signs do anything ##",
    "# No heading",
    "1. No list",
    "- no list either",
    "> no quote",
    ": no definition",
    "~~~ no code",
    "[no link](https://evil.example/) and ![no picture](x.png) and [^1]: no note",
)
TABLE = "| Acid | Grams |\n|---|---|\n| Citric | 20 |\n| Lactic | 40 |"
TABLE_HTML = "<table><thead><tr><th>Acid</th><th>Grams</th></tr></thead></table>"


def item() -> dict[str, Any]:
    """What a feed sends: every kind of section, and texts that must stay texts."""
    post = make_post(
        TITLE,
        "Buy the Green Kit first.",
        [("Rinse {{ twice }} | dry", "\n\n".join(map(escape, PARAGRAPHS)))],
        "That is all.",
        description=DESCRIPTION,
        keyword="salt",
        covered=["salt", "lime & co"],
        slug="salt-and-lime",
        callout=Callout(label="Mind", text="the {{ steam }} | it."),
        faqs=[("How often? {% if %}", "Once a month.")],
        faq_heading="Questions",
    )
    kinds = (ResponseType.MARKDOWN, ResponseType.HTML)
    rendered = render(post, kinds, [Offer(name="Green Kit", url=OFFER_URL)])
    assert rendered.markdown
    assert rendered.html
    lists = "\n\n- Once warm.\n- Once cold.\n\n"
    return {
        "id": "itm_1",
        "post": post.to_wire(),
        "rendered": {
            "markdown": rendered.markdown + lists + TABLE + "\n",
            "html": rendered.html + "<ul><li>Once warm.</li></ul>" + TABLE_HTML,
        },
        "generatedAt": "2026-05-01T23:30:00.250Z",
        "deliveryCount": 1,
    }


def tidy(text: str) -> str:
    """A text without what typographers change: quotes, dashes, dots, breaks."""
    for curly, plain in {"“": '"', "”": '"', "‘": "'", "’": "'", "–": "--", "…": "..."}.items():
        text = text.replace(curly, plain)
    return " ".join(text.split())


@pytest.fixture(params=sorted(GENERATORS))
def site(request: pytest.FixtureRequest, tmp_path: Path) -> StaticSite:
    """A site of each generator in turn, from nothing."""
    try:
        return StaticSite(request.param, tmp_path / "site")
    except NotInstalled as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))


@pytest.fixture
def target(site: StaticSite) -> Callable[..., Target]:
    """Opens the target with the generator's preset."""
    site.posts.parent.mkdir(parents=True, exist_ok=True)

    def opened(**settings: Any) -> Target:
        base = f"https://blog.example/{site.generator.prefix}"
        data = {"path": str(site.posts), "preset": site.name, "base_url": base, **settings}
        table = Table(data, "[[target]] 1", site.root / "copydesk.toml")
        return TARGETS["markdown"]("site", table)

    return opened


def put(publisher: Target, raw: Mapping[str, Any], **changes: str) -> Any:
    """Publish an item."""
    return publisher.publish(Post.from_item({**raw, **changes}), "")


def texts(page: BeautifulSoup | Tag, selector: str) -> list[str]:
    """The texts of the elements, tidied."""
    return [tidy(found.get_text()) for found in page.select(selector)]


def test_the_built_page_is_as_meant(site: StaticSite, target: Callable[..., Target]) -> None:
    """The page as readers see it is right: headings, FAQ, callouts, lists, quotes and tables look
    as meant; no raw # or **; offer links exact"""
    copy = put(target(category=["Home Care"], json_ld=True), item())
    site.build()
    page = BeautifulSoup(site.page(copy.url.removeprefix("https://blog.example/")), "html.parser")
    article = page.article
    assert article is not None
    assert texts(page, "title") == texts(article, "h1") == [tidy(TITLE)]
    description = page.select_one("meta[name=description]")
    assert description is not None
    assert description["content"] == DESCRIPTION
    when = page.select_one("time")
    assert when is not None
    assert re.fullmatch(r"2026-05-01T23:30:00(\.000)?(Z|\+00:00)", str(when["datetime"]))
    assert set(texts(page, "i.tag")) >= {"salt", "lime & co"}
    assert texts(page, "i.category") == ["Home Care"]

    assert texts(article, "h2") == ["Rinse {{ twice }} | dry", "Questions"]
    assert texts(article, "h3") == ["How often? {% if %}"]
    assert texts(article, "blockquote") == ["Mind: the {{ steam }} | it."]
    assert texts(article, "blockquote strong") == ["Mind:"]
    shown = texts(article, "p")
    for paragraph in PARAGRAPHS:
        assert tidy(paragraph) in shown
    assert "Once a month." in shown
    assert texts(article, "li") == ["Once warm.", "Once cold."]
    assert texts(article, "table tr") == ["Acid Grams", "Citric 20", "Lactic 40"]
    assert not article.select("script:not([type]), b, em, pre, code, img, dl, ol, sup")
    assert len(article.select("hr")) == 1

    (link,) = article.select("a[href*=shop]")
    assert link.attrs == {
        "href": OFFER_URL,
        "rel": ["sponsored", "noopener"],
        "target": "_blank",
    }
    assert link.get_text() == "Green Kit"
    (data,) = page.select('script[type="application/ld+json"]')
    posting = json.loads(data.get_text())
    assert posting["headline"] == TITLE
    assert posting["mainEntityOfPage"]["@id"] == copy.url


@pytest.mark.parametrize("name", sorted(CONTENTS))
def test_lists_tables_quotations_and_code_are_built_as_meant(
    site: StaticSite, target: Callable[..., Target], name: str
) -> None:
    raw = example_item(name)
    copy = put(target(), raw)
    site.build()
    page = BeautifulSoup(site.page(copy.url.removeprefix("https://blog.example/")), "html.parser")
    assert page.article is not None
    assert blocks_of(page.article) == expected_blocks(raw)
    assert [link.get_text() for link in page.article.select("a[href*=shop]")] == ["Green Kit"]


def test_a_draft_is_not_built_until_its_owner_says_so(
    site: StaticSite, target: Callable[..., Target]
) -> None:
    """status = "draft" where the generator knows drafts"""
    first = put(target(), item())
    copy = put(target(status="draft"), item() | {"id": "itm_2"})
    assert (copy.state, copy.url) == (CopyState.DRAFT, "")
    site.build()
    assert "That is all." in site.page(first.url.removeprefix("https://blog.example/"))
    assert site.pages().count("That is all.</p>") == 1
    file = site.posts / copy.remote_id
    hidden = ("draft:", "published:", "permalink:", "eleventyExclude")
    kept = [line for line in file.read_text().splitlines() if not line.startswith(hidden)]
    file.write_text("\n".join([*kept[:1], "draft: false", *kept[1:]]))
    found = target().find(Post.from_item(item() | {"id": "itm_2"}))
    assert found is not None
    assert found.state is CopyState.PUBLIC
    site.build()
    assert site.pages().count("That is all.</p>") == 2
    assert "That is all." in site.page(found.url.removeprefix("https://blog.example/"))
