"""Published posts as readers of WordPress's default themes see them; pictures of them are kept."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.target.post import Post
from tests.support.chromium import Browser
from tests.support.sites.example_posts import CONTENTS, blocks_of, example_item, expected_blocks
from tests.support.sites.wordpress_site import WordPressSite
from tests.support.sites.wordpress_target import a_post, picture, put, target

pytestmark = pytest.mark.sites

WIDTHS = {"wide": 1280, "phone": 390}


@pytest.mark.parametrize("format_name", ["html", "blocks"])
def test_the_page_as_readers_see_it_is_right(
    wordpress: WordPressSite, tmp_path: Path, chromium: Browser, format_name: str
) -> None:
    """headings, FAQ, callouts, lists, quotes and tables look as meant on the default themes; no
    raw # or **; offer links exact; images with alt text"""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    picture(pictures / "descale-espresso-machine.png", 1200, 630)
    site = target(wordpress, tmp_path, format=format_name, image=str(pictures))
    copy = put(site, a_post())
    assert copy.notes == ()
    page = BeautifulSoup(wordpress.page_html(copy.url), "html.parser")
    body = page.select_one(".entry-content")
    assert body is not None
    assert [(tag.name, tag.get_text()) for tag in body.find_all(["h1", "h2", "h3", "h4"])] == [
        ("h2", "Rinse twice"),
        ("h3", "How much?"),
        ("h2", "Frequently asked questions"),
        ("h3", "How often?"),
        ("h2", "Featured offers"),
    ]
    text = body.get_text()
    assert "#" not in text
    assert "**" not in text
    assert "copydesk" not in text
    # No empty paragraph, which would show as a gap.
    assert [tag for tag in body.find_all("p") if not tag.get_text().strip()] == []
    assert [len(tag.find_all("li")) for tag in body.find_all(["ul", "ol"])] == [3, 1, 2, 1]
    quote = body.find("blockquote")
    assert quote is not None
    assert quote.get_text().split() == ["Mind:", "the", "steam", "is", "hot."]
    assert [cell.get_text() for cell in body.select("table th, table td")] == [
        "Water", "Acid", "1 l", "20 g"
    ]  # fmt: skip
    code = body.find("pre")
    assert code is not None
    assert code.get_text() == "acid = 20 * litres\nif litres < 1: pass\n".rstrip("\n") + (
        "\n" if format_name == "html" else ""
    )
    # Themes of blocks bring the looks of a callout and a table only to pages that hold such blocks.
    for name in ("quote", "table"):
        brought = page.select(f'head [id^="wp-block-{name}-"]')
        assert bool(brought) is (format_name == "blocks"), name
    images = page.select(".wp-post-image")
    assert images
    assert {image["alt"] for image in images} == {"How to descale an espresso machine"}
    for name, width in WIDTHS.items():
        chromium.resize(width)
        chromium.open(copy.url)
        chromium.keep_picture(f"wordpress-{wordpress.version}-{format_name}-{name}")


@pytest.mark.parametrize("format_name", ["html", "blocks"])
@pytest.mark.parametrize("protocol", ["rest", "xmlrpc"])
def test_lists_tables_quotations_and_code_are_shown_as_meant(
    wordpress: WordPressSite, tmp_path: Path, protocol: str, format_name: str
) -> None:
    site = target(wordpress, tmp_path, format=format_name, protocol=protocol)
    for name in sorted(CONTENTS):
        raw = example_item(name)
        copy = put(site, Post.from_item(raw))
        body = BeautifulSoup(wordpress.page_html(copy.url), "html.parser").select_one(
            ".entry-content"
        )
        assert body is not None
        assert blocks_of(body) == expected_blocks(raw)
        starts = [tag.get("start") for tag in body.find_all("ol")]
        assert starts == ([None, None, "3"] if name == "how-to" else [])
