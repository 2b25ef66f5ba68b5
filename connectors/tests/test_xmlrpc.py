"""WordPress by XML-RPC: the mapping, and what goes wrong, on a fake that speaks real XML."""

import html
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from copydesk_connectors.suite import put
from copydesk_connectors.target.base import CopyState, Level
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import Post

from .fake_xmlrpc import FakeXmlRpc, Raw
from .items import Open


def test_the_whole_mapping(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post, tmp_path: Path
) -> None:
    """the same settings and content: terms, author, image (uploadFile), scheduled"""
    fake_xmlrpc.role = "editor"
    (tmp_path / "card.png").write_bytes(b"\x89PNG")
    settings = {
        "status": "scheduled",
        "publish_after": "9000d",
        "category": ["News & more", "uncategorized"],
        "tags": ["One"],
        "author": "Ann",
        "image": str(tmp_path / "card.png"),
    }
    copy = put(xmlrpc_target(**settings), post)
    assert (copy.state, copy.url) == (CopyState.SCHEDULED, "")
    assert copy.due == (post.generated_at + timedelta(days=9000)).replace(microsecond=0)
    (stored,) = fake_xmlrpc.posts.values()
    assert (stored["status"], stored["excerpt"]) == ("future", html.escape(post.description))
    assert stored["date"] > "2040"
    assert fake_xmlrpc.terms["category"] == {1: "Uncategorized", 2: "News & more"}
    assert stored["terms"] == {"post_tag": [1], "category": [2, 1]}
    assert fake_xmlrpc.media[1]["bits"] == b"\x89PNG"
    put(xmlrpc_target(**settings), replace(post, id="itm_2", slug="two"))
    assert len(fake_xmlrpc.media) == 1, "a picture is sent once, whatever process asks"


def test_tags_that_the_role_may_not_make_are_left_out(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post
) -> None:
    fake_xmlrpc.terms["post_tag"] = {7: "there"}
    copy = xmlrpc_target(tags=["There", "missing"]).draft(post)
    assert copy.notes == ("the user may not make tags, left out: missing",)
    assert fake_xmlrpc.posts[1]["terms"] == {"post_tag": [7]}


def test_a_post_is_found_without_its_marker_by_slug_and_text(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post
) -> None:
    """found again by text search of the marker and by the slug"""
    made = xmlrpc_target().draft(post)
    stored = fake_xmlrpc.posts[int(made.remote_id)]
    stored["content"] = stored["content"].replace("<!-- copydesk:itm_1 -->", "")
    found = xmlrpc_target().find(post)
    assert found is not None
    assert found.remote_id == made.remote_id
    stored["content"] = "<p>Something else under that address.</p>"
    assert xmlrpc_target().find(post) is None


def test_what_was_trashed_or_edited_meanwhile_is_not_published(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post, waits: list[float]
) -> None:
    """trashed is never restored: not even between our look and our publishing"""
    made = xmlrpc_target().draft(post)

    def trash_first(method: str) -> Raw | None:
        if method == "wp.editPost" and fake_xmlrpc.posts[1]["status"] == "draft":
            fake_xmlrpc.trash(1)
        return None

    fake_xmlrpc.broken = trash_first
    assert xmlrpc_target().publish(post, made.remote_id).state is CopyState.WITHDRAWN
    assert fake_xmlrpc.posts[1]["status"] == "trash"
    assert waits == [0.0]


def test_a_stray_that_is_half_removed_is_not_taken_for_the_owners_trash(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post, waits: list[float]
) -> None:
    """The connector's stray drafts are removed."""
    first = xmlrpc_target(status="draft").draft(post)
    xmlrpc_target(status="draft").draft(post)
    fake_xmlrpc.broken = lambda method: (500, {}, b"") if method == "wp.deletePost" else None
    assert xmlrpc_target(status="draft").publish(post, first.remote_id).state is CopyState.DRAFT
    found = xmlrpc_target(status="draft").find(post)
    assert found is not None
    assert (found.remote_id, found.state) == (first.remote_id, CopyState.DRAFT)


@pytest.mark.parametrize(
    ("fails", "error", "said"),
    [
        ("wp.newPost", Unavailable, "the site shows no posts and takes none: Could not"),
        ("wp.deletePost", Misconfigured, "delete draft 1 there"),
    ],
)
def test_a_site_that_cannot_read_its_posts_has_not_lost_them(
    fake_xmlrpc: FakeXmlRpc,
    xmlrpc_target: Open,
    post: Post,
    waits: list[float],
    fails: str,
    error: type[Exception],
    said: str,
) -> None:
    """a site that answers with an empty list because of a fault is not a deletion"""
    fault = "<methodResponse><fault><value><struct><member><name>faultCode</name><value><int>500"
    fault += "</int></value></member><member><name>faultString</name><value><string>Could not."
    fault += "</string></value></member></struct></value></fault></methodResponse>"
    fake_xmlrpc.broken = lambda method: (
        (200, {"Content-Type": "text/xml"}, f'<?xml version="1.0"?>{fault}'.encode())
        if method == fails
        else None
    )
    with pytest.raises(error, match=said):
        xmlrpc_target().publish(post, "9")


@pytest.mark.parametrize(
    ("role", "settings", "said"),
    [
        ("subscriber", {"status": "draft"}, "(subscriber) may not put posts up with status draft"),
        ("contributor", {}, 'or set status = "pending" or "draft"'),
        ("author", {"category": "News"}, 'there is no category "News"'),
        ("author", {"author": "nobody"}, 'the site has no author "nobody"'),
    ],
)
def test_roles_and_names_are_checked_before_anything_is_tried(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, role: str, settings: dict[str, str], said: str
) -> None:
    """every fault mapped … in clear sentences"""
    fake_xmlrpc.role = role
    site = xmlrpc_target(**settings)
    with pytest.raises(Misconfigured) as caught:
        site.ready()
    assert said in str(caught.value)
    assert [finding.level for finding in site.check()] == [Level.PROBLEM]


def test_pending_is_for_contributors_too(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post
) -> None:
    fake_xmlrpc.role = "contributor"
    xmlrpc_target(status="pending").ready()
    put(xmlrpc_target(status="pending"), post)
    assert fake_xmlrpc.posts[1]["status"] == "pending"


def test_what_its_owner_deletes_meanwhile_is_made_again(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post
) -> None:
    """run never ends, so each pass reads the site's settings again."""
    fake_xmlrpc.role = "editor"
    site = xmlrpc_target(category="News", tags=[])
    put(site, post)
    fake_xmlrpc.terms["category"].clear()
    site.ready()
    put(site, replace(post, id="itm_2", slug="two"))
    assert list(fake_xmlrpc.terms["category"].values()) == ["News"]


def test_another_author_needs_an_editor(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post
) -> None:
    with pytest.raises(Misconfigured, match="not allowed to create posts as this user"):
        xmlrpc_target(author="ann").draft(post)
    assert fake_xmlrpc.posts == {}
