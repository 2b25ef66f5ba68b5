"""WordPress by XML-RPC: the mapping, and what goes wrong, on a fake that speaks real XML."""

import html
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.errors import DraftGone, Misconfigured, Refused, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import CopyState, Level, Publisher
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.toml_table import Table

from .fake_xmlrpc import FakeXmlRpc, Raw
from .items import make_item

pytest.importorskip("wordpress_xmlrpc")
HTML = {"Content-Type": "text/html"}
XML = {"Content-Type": "text/xml"}


@pytest.fixture
def post() -> Post:
    return Post.from_item(make_item())


@pytest.fixture
def target(fake_xmlrpc: FakeXmlRpc, tmp_path: Path) -> Callable[..., Publisher]:
    """Makes a target of the fake site, with more settings where they are given."""
    secret = tmp_path / "password"
    secret.write_text(fake_xmlrpc.password)
    secret.chmod(0o600)

    def make(**more: Any) -> Publisher:
        settings = {"url": fake_xmlrpc.url, "username": "jo", "password_file": str(secret)}
        table = Table(settings | {"protocol": "xmlrpc"} | more, "t", tmp_path / "copydesk.toml")
        return TARGETS["wordpress"]("blog", table)

    return make


Make = Callable[..., Publisher]


def put(target: Publisher, post: Post) -> Any:
    copy = target.find(post) or target.draft(post)
    return target.publish(post, copy.remote_id)


def test_the_whole_mapping(
    fake_xmlrpc: FakeXmlRpc, target: Make, post: Post, tmp_path: Path
) -> None:
    """the same settings and content: terms, author, image (uploadFile), scheduled"""
    fake_xmlrpc.role = "editor"
    (tmp_path / "card.png").write_bytes(b"png")
    settings = {
        "status": "scheduled",
        "publish_after": "9000d",
        "categories": ["News & more", "uncategorized"],
        "tags": ["One"],
        "author": "Ann",
        "image": str(tmp_path / "card.png"),
    }
    copy = put(target(**settings), post)
    assert (copy.state, copy.url) == (CopyState.PUBLIC, "")
    (stored,) = fake_xmlrpc.posts.values()
    assert (stored["status"], stored["excerpt"]) == ("future", html.escape(post.description))
    assert stored["date"] > "2040"
    assert fake_xmlrpc.terms["category"] == {1: "Uncategorized", 2: "News & more"}
    assert stored["terms"] == {"post_tag": [1], "category": [2, 1]}
    assert fake_xmlrpc.media[1]["bits"] == b"png"
    put(target(**settings), replace(post, id="itm_2", slug="two"))
    assert len(fake_xmlrpc.media) == 1, "a picture is sent once, whatever process asks"


def test_tags_that_the_role_may_not_make_are_left_out(
    fake_xmlrpc: FakeXmlRpc, target: Make, post: Post
) -> None:
    fake_xmlrpc.terms["post_tag"] = {7: "there"}
    copy = target(tags=["There", "missing"]).draft(post)
    assert copy.notes == ("the user may not make tags, left out: missing",)
    assert fake_xmlrpc.posts[1]["terms"] == {"post_tag": [7]}


def test_fields_that_the_site_does_not_keep_are_sent_once(
    fake_xmlrpc: FakeXmlRpc, target: Make, post: Post
) -> None:
    """custom fields for SEO (read back what was kept)"""
    fake_xmlrpc.role, fake_xmlrpc.registered = "editor", {"_yoast_wpseo_metadesc"}
    site = target(json_ld=True)
    first = site.draft(post)
    assert "goes without its JSON-LD" in first.notes[0]
    assert fake_xmlrpc.posts[1]["custom_fields"] == {"_yoast_wpseo_metadesc": post.description}
    assert site.draft(replace(post, id="itm_2")).notes == ()
    fake_xmlrpc.registered.add("_copydesk_json_ld")
    assert target(json_ld=True).draft(replace(post, id="itm_3")).notes == ()
    assert json.loads(fake_xmlrpc.posts[3]["custom_fields"]["_copydesk_json_ld"])


def test_rank_maths_fields_go_where_rank_math_is(
    fake_xmlrpc: FakeXmlRpc, target: Make, post: Post
) -> None:
    target().draft(post)
    assert fake_xmlrpc.posts[1]["custom_fields"] == {}
    fake_xmlrpc.insert(custom_fields={"rank_math_seo_score": "80"})
    target().draft(replace(post, id="itm_2"))
    assert fake_xmlrpc.posts[3]["custom_fields"]["rank_math_description"] == post.description
    target(seo="none").draft(replace(post, id="itm_3"))
    assert fake_xmlrpc.posts[4]["custom_fields"] == {}


def test_a_post_is_found_without_its_marker_by_slug_and_text(
    fake_xmlrpc: FakeXmlRpc, target: Make, post: Post
) -> None:
    """found again by text search of the marker and by the slug"""
    made = target().draft(post)
    stored = fake_xmlrpc.posts[int(made.remote_id)]
    stored["content"] = stored["content"].replace("<!-- copydesk:itm_1 -->", "")
    found = target().find(post)
    assert found is not None
    assert found.remote_id == made.remote_id
    stored["content"] = "<p>Something else under that address.</p>"
    assert target().find(post) is None


def test_what_was_trashed_or_edited_meanwhile_is_not_published(
    fake_xmlrpc: FakeXmlRpc, target: Make, post: Post, waits: list[float]
) -> None:
    """trashed is never restored: not even between our look and our publishing"""
    made = target().draft(post)

    def trash_first(method: str) -> Raw | None:
        if method == "wp.editPost" and fake_xmlrpc.posts[1]["status"] == "draft":
            fake_xmlrpc.trash(1)
        return None

    fake_xmlrpc.broken = trash_first
    assert target().publish(post, made.remote_id).state is CopyState.WITHDRAWN
    assert fake_xmlrpc.posts[1]["status"] == "trash"
    assert waits == [0.0]


def test_a_deleted_draft_is_told(fake_xmlrpc: FakeXmlRpc, target: Make, post: Post) -> None:
    with pytest.raises(DraftGone):
        target().publish(post, "9")


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
    fake_xmlrpc: FakeXmlRpc, target: Make, role: str, settings: dict[str, str], said: str
) -> None:
    """every fault mapped … in clear sentences"""
    fake_xmlrpc.role = role
    site = target(**settings)
    with pytest.raises(Misconfigured) as caught:
        site.ready()
    assert said in str(caught.value)
    assert [finding.level for finding in site.check()] == [Level.PROBLEM]


def test_pending_is_for_contributors_too(fake_xmlrpc: FakeXmlRpc, target: Make, post: Post) -> None:
    fake_xmlrpc.role = "contributor"
    target(status="pending").ready()
    put(target(status="pending"), post)
    assert fake_xmlrpc.posts[1]["status"] == "pending"


def test_another_author_needs_an_editor(fake_xmlrpc: FakeXmlRpc, target: Make, post: Post) -> None:
    with pytest.raises(Misconfigured, match="not allowed to create posts as this user"):
        target(author="ann").draft(post)
    assert fake_xmlrpc.posts == {}


BOMB = b"""<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY c "&a;&a;&a;">]>
<methodResponse><params><param><value><string>&c;</string></value></param></params>
</methodResponse>"""
BROKEN = "a web page or a broken answer in place of XML"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ((200, XML, BOMB), f"{BROKEN} "),
        ((200, XML, b"<?xml version='1.0'?><methodResponse><params>"), BROKEN),
        ((200, XML, b"<?xml version='1.0'?><methodResponse></methodResponse>"), BROKEN),
        ((200, HTML, b"<title>Log in</title>"), BROKEN),
        ((200, HTML, b""), BROKEN),
        ((500, HTML, b"no"), "answered 500"),
        ((429, HTML | {"Retry-After": "3600"}, b""), "answered 429"),
        ((200, XML | {"Content-Length": "999"}, b"<?xml"), "gave no answer"),
    ],
)
def test_answers_that_cannot_be_used_are_waited_out(
    fake_xmlrpc: FakeXmlRpc, target: Make, raw: Raw, said: str, waits: list[float]
) -> None:
    """no XML bombs"""
    fake_xmlrpc.broken = lambda method: raw if method == "wp.getProfile" else None
    with pytest.raises(Unavailable) as caught:
        target().ready()
    assert said in str(caught.value)
    assert caught.value.retry_after == (3600.0 if raw[0] == 429 else None)


def test_an_answer_that_does_not_end_is_given_up(
    fake_xmlrpc: FakeXmlRpc, target: Make, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    from copydesk_connectors.targets.wordpress import xmlrpc

    monkeypatch.setattr(xmlrpc, "_LARGEST_ANSWER", 10_000)
    fake_xmlrpc.broken = lambda method: (200, XML, b"<?xml" + b" " * 20_000)
    with pytest.raises(Unavailable, match="more than an answer can be long"):
        target().ready()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ((301, HTML | {"Location": "https://other.example/x?key=1"}, b""), "to https://other.exa"),
        ((403, HTML, b"Forbidden by ModSecurity"), "answered 403 in place of XML-RPC"),
        ((404, HTML, b""), "answered 404 in place of XML-RPC"),
    ],
)
def test_what_its_owner_has_to_mend_says_so(
    fake_xmlrpc: FakeXmlRpc, target: Make, raw: Raw, said: str
) -> None:
    """redirects refused"""
    fake_xmlrpc.broken = lambda method: raw
    with pytest.raises(Misconfigured) as caught:
        target().ready()
    assert said in str(caught.value)
    assert "key=1" not in str(caught.value)


def test_a_wrong_password_is_in_no_error(fake_xmlrpc: FakeXmlRpc, target: Make) -> None:
    """password never in an error"""
    site = target()
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
    target: Make,
    post: Post,
    code: int,
    error: type[Exception],
    waits: list[float],
) -> None:
    fault = (
        f'<?xml version="1.0"?><methodResponse><fault><value><struct><member><name>faultCode'
        f"</name><value><int>{code}</int></value></member><member><name>faultString</name>"
        f"<value><string>Too odd.</string></value></member></struct></value></fault>"
        f"</methodResponse>"
    )
    fake_xmlrpc.broken = lambda m: (200, XML, fault.encode()) if m == "wp.newPost" else None
    with pytest.raises(error, match="Too odd"):
        target().draft(post)


def test_noise_before_the_answer_is_no_harm(
    fake_xmlrpc: FakeXmlRpc, target: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = fake_xmlrpc.answer

    def answer(body: bytes) -> Raw:
        status, headers, text = noisy(body)
        return status, headers, b"\n<b>Notice</b>: a plugin's\n" + text

    monkeypatch.setattr(fake_xmlrpc, "answer", answer)
    target().ready()


def test_characters_that_xml_cannot_hold(fake_xmlrpc: FakeXmlRpc, target: Make, post: Post) -> None:
    put(target(), replace(post, title="A\x0bB\x00 ✓ 😀", html="<p>x\x1fy\r\n\ufffe</p>"))
    (stored,) = fake_xmlrpc.posts.values()
    assert stored["title"] == "AB ✓ 😀"


def test_its_library_is_loaded_where_it_is_used_alone() -> None:
    """import lazily"""
    code = "import sys, copydesk_connectors.cli; sys.exit('wordpress_xmlrpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
