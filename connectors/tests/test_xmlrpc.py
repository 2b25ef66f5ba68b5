"""WordPress by XML-RPC, on a fake that speaks real XML: the mapping, and answers that go wrong."""

import html
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from xmlrpc.client import Fault, dumps

import pytest

from copydesk_connectors.suite import put
from copydesk_connectors.target import http_client
from copydesk_connectors.target.base import CopyState, Level
from copydesk_connectors.target.errors import ConfigError, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .fake_xmlrpc import FakeXmlRpc, Raw
from .items import Open


def fault(code: int, said: str) -> Raw:
    """The answer by which XML-RPC refuses a call."""
    return 200, {"Content-Type": "text/xml"}, dumps(Fault(code, said), methodresponse=True).encode()


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
    assert (copy.state, copy.url, copy.notes) == (CopyState.SCHEDULED, "", ())
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
    fake_xmlrpc.broken = lambda method: fault(500, "Could not.") if method == fails else None
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


HTML = {"Content-Type": "text/html"}
XML = {"Content-Type": "text/xml"}
WORDPRESS = "copydesk_connectors.targets.wordpress"


BOMB = b"""<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY c "&a;&a;&a;">]>
<methodResponse><params><param><value><string>&c;</string></value></param></params>
</methodResponse>"""
BROKEN = "a web page or a broken answer instead of XML"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ((200, XML, BOMB), f"{BROKEN} "),
        ((200, XML, b"<?xml version='1.0'?><methodResponse><params>"), BROKEN),
        ((200, XML, b"<?xml version='1.0'?><methodResponse></methodResponse>"), BROKEN),
        ((200, HTML, b""), BROKEN),
        ((429, HTML | {"Retry-After": "3600"}, b""), "answered 429"),
    ],
)
def test_answers_that_cannot_be_used_are_waited_out(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, raw: Raw, said: str, waits: list[float]
) -> None:
    """no XML bombs"""
    fake_xmlrpc.broken = lambda method: raw if method == "wp.getProfile" else None
    with pytest.raises(Unavailable) as caught:
        xmlrpc_target().ready()
    assert said in str(caught.value)
    assert caught.value.retry_after == (3600.0 if raw[0] == 429 else None)


def test_an_answer_that_does_not_end_is_given_up(
    fake_xmlrpc: FakeXmlRpc,
    xmlrpc_target: Open,
    monkeypatch: pytest.MonkeyPatch,
    waits: list[float],
) -> None:
    monkeypatch.setattr(http_client, "LARGEST_ANSWER", 10_000)
    fake_xmlrpc.broken = lambda method: (200, XML, b"<?xml" + b" " * 20_000)
    with pytest.raises(Unavailable, match="sent more than 10,000 bytes"):
        xmlrpc_target().ready()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ((301, HTML | {"Location": "https://other.example/x?key=1"}, b""), "to https://other.exa"),
        ((403, HTML, b"Forbidden by ModSecurity"), "answered 403 instead of XML-RPC"),
        ((404, HTML, b""), "answered 404 instead of XML-RPC"),
    ],
)
def test_what_its_owner_has_to_mend_says_so(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, raw: Raw, said: str
) -> None:
    """redirects refused"""
    fake_xmlrpc.broken = lambda method: raw
    with pytest.raises(Misconfigured) as caught:
        xmlrpc_target().ready()
    assert said in str(caught.value)
    assert "key=1" not in str(caught.value)


def test_a_wrong_password_is_in_no_error(fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open) -> None:
    """password never in an error"""
    site = xmlrpc_target()
    fake_xmlrpc.password = "another"
    with pytest.raises(Misconfigured, match="Incorrect username or password") as caught:
        site.ready()
    shown = f"{caught.value!r} {caught.value} {site!r} {site.check()}"
    assert "abcd efgh ijkl" not in shown


@pytest.mark.parametrize(
    ("code", "error"), [(400, Refused), (500, Unavailable), (-32700, Unavailable)]
)
def test_faults_of_a_post(
    fake_xmlrpc: FakeXmlRpc,
    xmlrpc_target: Open,
    post: Post,
    code: int,
    error: type[Exception],
    waits: list[float],
) -> None:
    fake_xmlrpc.broken = lambda method: fault(code, "Too odd.") if method == "wp.newPost" else None
    with pytest.raises(error, match="Too odd"):
        xmlrpc_target().draft(post)


def test_noise_before_the_answer_is_no_harm(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = fake_xmlrpc.answer

    def answer(body: bytes) -> Raw:
        status, headers, text = noisy(body)
        return status, headers, b"\n<b>Notice</b>: a plugin's\n" + text

    monkeypatch.setattr(fake_xmlrpc, "answer", answer)
    xmlrpc_target().ready()


def test_characters_that_xml_cannot_hold(
    fake_xmlrpc: FakeXmlRpc, xmlrpc_target: Open, post: Post
) -> None:
    xmlrpc_target().draft(replace(post, title="A\x0bB\x00 ✓ 😀", html="<p>x\x1fy\r\n\ufffe</p>"))
    (stored,) = fake_xmlrpc.posts.values()
    assert stored["title"] == "AB ✓ &#x1f600;"


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """one clear error if the extra is missing"""
    for module in [name for name in sys.modules if name.startswith(f"{WORDPRESS}.xmlrpc")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "wordpress_xmlrpc", None)
    (tmp_path / "password").write_text("abcd efgh")
    table = {"url": "https://blog.example", "username": "jo", "password_file": "password"}
    table["protocol"] = "xmlrpc"
    with pytest.raises(ConfigError, match=r"protocol: .* pip install .*connectors\[xmlrpc"):
        TARGETS["wordpress"]("blog", Table(table, "[[target]] 1", tmp_path / "copydesk.toml"))


def test_its_library_is_loaded_where_it_is_used_alone() -> None:
    """import lazily"""
    code = f"import sys, {WORDPRESS}.site; sys.exit('wordpress_xmlrpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
