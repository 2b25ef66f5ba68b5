"""Reading an item of the feed."""

from typing import Any

import pytest

from copydesk_connectors.target.errors import BadItem
from copydesk_connectors.target.post import Post

from .items import make_item


def test_what_a_site_needs_is_read_from_the_item() -> None:
    """Feed item: id, post, rendered {markdown, html}, generatedAt"""
    post = Post.from_item(make_item())
    assert post.id == "itm_1"
    assert post.title == "How to descale an espresso machine"
    assert post.slug == "descale-espresso-machine"
    assert post.description == "Descale it in an hour: what to buy & what to avoid."
    assert post.keywords == ("descale espresso machine", "citric acid")
    assert post.generated_at.isoformat() == "2026-05-01T10:00:00.250000+00:00"


def test_a_title_inside_the_body_is_taken_out() -> None:
    """Every site adds the title itself; no raw # is left either."""
    post = Post.from_item(make_item())
    assert post.html.startswith("<p>Scale &amp; hard water")
    assert post.markdown.startswith("Scale & hard water")
    assert "<h2>Rinse twice</h2>" in post.html
    assert "## Rinse twice" in post.markdown


def test_a_body_without_a_title_is_kept_whole() -> None:
    """Only a heading of the first level at the very start is the title."""
    rendered = {"html": "<h2>A</h2><h1>b</h1>", "markdown": "## A\n\n# b\n#tag"}
    post = Post.from_item(make_item(rendered=rendered))
    assert post.html == rendered["html"]
    assert post.markdown == rendered["markdown"]


@pytest.mark.parametrize(
    ("suggestion", "title", "slug"),
    [
        ("../../etc/passwd", "T", "etc-passwd"),
        ("/absolute\\path", "T", "absolute-path"),
        ("Größe & Maß", "T", "grosse-mass"),
        ("", "What is 9 x 9?", "what-is-9-x-9"),
        ("…", "…", "itm-1"),
        ("word " * 60, "T", "-".join(["word"] * 20)),
    ],
)
def test_a_slug_is_safe_in_a_path_and_in_an_address(suggestion: str, title: str, slug: str) -> None:
    """Feed content is data: a slug never leaves the target's folder"""
    assert Post.from_item(make_item(slug=suggestion, title=title)).slug == slug


def test_a_key_is_safe_in_a_comment_and_in_a_file_name() -> None:
    """Item identifiers are opaque."""
    assert Post.from_item(make_item("a/b-->c")).key == "a%2Fb--%3Ec"


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"post": None}, "post object"),
        ({"post": {"title": "  "}}, "title"),
        ({"rendered": {}}, "html"),
        ({"rendered": {"html": "<p>x</p>"}}, "markdown"),
        ({"generatedAt": "yesterday"}, "generatedAt: yesterday"),
    ],
)
def test_an_item_that_cannot_be_a_post_is_refused_by_name(
    changes: dict[str, Any], missing: str
) -> None:
    """Bad input gets one clear error"""
    with pytest.raises(BadItem, match=f"{missing}$"):
        Post.from_item(make_item(**changes))
