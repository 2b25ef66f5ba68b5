"""What was asked for is what is on the site, or a note says what is not."""

import json
from dataclasses import replace
from typing import Any

import pytest

from copydesk_connectors.suite import put
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.markup import lost
from copydesk_connectors.target.post import Post

from .fake_ghost import FakeGhost
from .fake_site import Answer, Broken
from .fake_wordpress import FakeWordPress
from .fake_xmlrpc import FakeXmlRpc
from .items import Open

MESSAGE = (
    "<br />\n<b>Warning</b>: Undefined array key [0] in <b>/p.php</b> on line <b>3</b><br />\n"
)
ME = json.dumps({"id": 2, "name": "Jo", "roles": ["author"], "capabilities": {"publish_posts": 1}})


def forgetful(
    fake: FakeWordPress, monkeypatch: pytest.MonkeyPatch, times: int
) -> list[dict[str, Any]]:
    """Let the site answer a number of writes without having stored the tags."""
    shown, left = fake._shown, [0] * times

    def without_tags(post: dict[str, Any], fields: str) -> dict[str, Any]:
        if left and "tags" in post and fake.seen[-1][0] == "POST":
            left.pop()
            del post["tags"]
        return shown(post, fields)

    monkeypatch.setattr(fake, "_shown", without_tags)
    return left


def test_terms_that_the_site_did_not_store_are_written_again_before_readers_see_the_post(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WordPress answers 201 although its database stored no terms"""
    forgetful(fake_wordpress, monkeypatch, 1)
    assert put(wordpress('tags = ["One"]'), post).remote_id == "1"
    assert fake_wordpress.public()[0]["tags"] == [1]
    assert fake_wordpress.writes() == ["POST tags", "POST posts", "POST posts/1", "POST posts/1"]


def test_terms_that_the_site_never_stores_are_named(
    fake_wordpress: FakeWordPress,
    wordpress: Open,
    post: Post,
    monkeypatch: pytest.MonkeyPatch,
    waits: list[float],
) -> None:
    """What still differs is a warning that names it"""
    forgetful(fake_wordpress, monkeypatch, 99)
    site = wordpress('tags = ["One"]')
    for number in (1, 2):
        one = replace(post, id=f"itm_{number}", slug=f"p{number}")
        copy = site.publish(one, site.draft(one).remote_id)
        assert copy.notes == ("the site did not store its tags",)
        assert waits == [1.0, 2.0], "not waited for again"
    assert len(fake_wordpress.public()) == 2


def test_a_draft_that_no_answer_proved_is_written_again_unless_it_was_edited(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """PHP may have ended between a post and its terms; an owner's text is never overwritten"""
    wordpress('tags = ["One"]').draft(post)
    del fake_wordpress.posts[1]["tags"]
    put(wordpress('tags = ["One"]'), post)
    assert fake_wordpress.public()[0]["tags"] == [1]

    second = replace(post, id="itm_2", slug="two")
    wordpress('tags = ["One"]').draft(second)
    del fake_wordpress.posts[2]["tags"]
    fake_wordpress.posts[2]["content"] += "<p>My own.</p>"
    put(wordpress('tags = ["One"]'), second)
    assert fake_wordpress.posts[2]["status"] == "publish"
    assert "tags" not in fake_wordpress.posts[2]
    assert fake_wordpress.posts[2]["content"].endswith("<p>My own.</p>")


def test_ghost_is_compared_as_well(
    fake_ghost: FakeGhost, ghost: Open, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offer links lose rel="sponsored", and the owner has to know"""
    insert = fake_ghost.insert
    clean = '<p><a href="https://shop.example/">Kit</a></p>'
    monkeypatch.setattr(fake_ghost, "insert", lambda **given: insert(**{**given, "html": clean}))
    offer = '<p><a href="https://shop.example/" rel="sponsored noopener">Kit</a></p>'
    site = ghost('tags = ["One"]')
    assert site.draft(replace(post, html=offer)).notes == (
        'the site changed or removed rel="sponsored"',
    )


@pytest.mark.parametrize(
    ("stored", "gone"),
    [
        ('<p>A <a href="/b" rel="sponsored">b</a></p><table></table>', []),
        ('<div><p>A <a rel="noopener sponsored" href="/c">b</a></p><table></table></div>', []),
        ('<p>A <a href="/b">b</a></p><table></table>', ['rel="sponsored"']),
        ('<p>A <a href="/b" rel="sponsored">b</a></p>', ["<table>"]),
        ("<p>A b</p><table></table>", ["<a>", "links", 'rel="sponsored"']),
        ('<p>B <a href="/b" rel="sponsored">b</a></p><table></table>', ["words of the text"]),
    ],
)
def test_what_is_lost_is_named(stored: str, gone: list[str]) -> None:
    """markup that the site strips"""
    sent = '<p>A <a href="/b" rel="sponsored">b</a></p><table></table>'
    assert sorted(lost(sent, stored)) == sorted(gone)


@pytest.mark.parametrize(
    "answer",
    [
        f"{MESSAGE}{ME}",
        f"{ME}\nDeprecated: Array [] given in /p.php on line 2\n",
        f"{MESSAGE}\n{ME}{MESSAGE}",
        f"Notice: x{ME}",
    ],
)
def test_the_json_in_messages_of_php_is_read(
    fake_wordpress: FakeWordPress, wordpress: Open, answer: str
) -> None:
    """PHP messages around a JSON answer: the JSON that stands in it is read"""
    fake_wordpress.fault = lambda *_: Broken(False, 200, answer)
    wordpress().ready()


@pytest.mark.parametrize(
    "answer",
    [
        MESSAGE,
        f"{MESSAGE}[]",
        f"<!doctype html><script>var user =\n{ME}\n</script>",
        f"[{ME},{ME[:-9]}",
        '{"id": 2, "capabilities": {"publish_posts": true}, "name": "<td>[]</td>',
    ],
)
def test_what_is_no_answer_is_not_read(
    fake_wordpress: FakeWordPress, wordpress: Open, waits: list[float], answer: str
) -> None:
    """a web page or half an answer proves nothing about the posts that are there"""
    fake_wordpress.fault = lambda *_: Broken(False, 200, answer)
    with pytest.raises(Unavailable):
        wordpress().ready()


def test_an_error_that_php_sent_with_the_status_200_is_an_error(
    fake_wordpress: FakeWordPress, wordpress: Open
) -> None:
    """PHP cannot send a status once it has printed a message"""
    said = {"code": "rest_not_logged_in", "message": "Log in.", "data": {"status": 401}}
    fake_wordpress.fault = lambda *_: Broken(False, 200, f"{MESSAGE}{json.dumps(said)}")
    with pytest.raises(Misconfigured, match="does not accept the user: Log in"):
        wordpress().ready()


@pytest.mark.parametrize(
    "answer",
    [
        Broken(False, 301, "", {"Location": "https://blog.example/wp-json/wp/v2/users/me/"}),
        Broken(False, 200, "<!doctype html><h1>Home</h1>"),
        Broken(False, 403, "<h1>Forbidden</h1>"),
        Broken(False, 404, "<h1>Not found</h1>"),
    ],
)
def test_any_first_answer_that_is_not_the_apis_leads_to_the_other_address(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post, answer: Broken
) -> None:
    """plain permalinks: any first answer of /wp-json/ that is not JSON tries ?rest_route="""
    route = fake_wordpress.route
    here: list[bool] = []

    def noted(path: str, query: Any) -> str:
        here.append("rest_route" in query)
        return route(path, query)

    fake_wordpress.route = noted  # type: ignore[method-assign]
    fake_wordpress.fault = lambda *_: None if here[-1] else answer
    site = wordpress()
    site.ready()
    put(site, post)
    assert here[:2] == [False, True]
    assert all(here[1:])


def test_tags_that_are_not_made_have_the_sites_own_reason(
    fake_wordpress: FakeWordPress, wordpress: Open, post: Post
) -> None:
    """not every refusal is a lack of rights"""
    full = '{"code": "too_many", "message": "No more tags.", "data": {"status": 400}}'
    fake_wordpress.fault = lambda method, path: (
        Broken(False, 400, full) if (method, path) == ("POST", "tags") else None
    )
    notes = wordpress('tags = ["One", "Two"]').draft(post).notes
    assert notes == ("No more tags. (too_many, 400), left out: One, Two",)


@pytest.mark.parametrize("name", ["Soup & stew", "What's in it", 'A "good" knife', "1 < 2 cups"])
def test_terms_are_found_by_their_letters(
    fake_wordpress: FakeWordPress,
    wordpress: Open,
    fake_xmlrpc: FakeXmlRpc,
    xmlrpc_target: Open,
    post: Post,
    name: str,
) -> None:
    """terms with & ' " < by XML-RPC and REST: compare unescaped names"""
    fake_wordpress.terms["categories"][7] = fake_xmlrpc.terms["category"][7] = name
    fake_xmlrpc.terms["post_tag"][3] = name
    wordpress(f"category = '''{name}'''").ready()
    site = xmlrpc_target(category=name, tags=[name])
    site.ready()
    put(site, post)
    assert fake_xmlrpc.posts[1]["terms"] == {"category": [7], "post_tag": [3]}


def test_a_long_list_of_terms_is_read_to_its_end(
    fake_wordpress: FakeWordPress, wordpress: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """a site with more than a hundred terms of these letters"""
    fake_wordpress.terms["categories"] |= {n: f"C and {n}" for n in range(2, 250)}
    fake_wordpress.terms["categories"][251] = "C++"
    whole = fake_wordpress._term

    def paged(method: str, kind: str, query: dict[str, str], body: dict[str, Any]) -> Answer:
        status, found = whole(method, kind, query, body)
        first = int(query.get("offset", 0))
        return status, found[first : first + int(query["per_page"])] if method == "GET" else found

    monkeypatch.setattr(fake_wordpress, "_term", paged)
    wordpress('category = "C++"').ready()


def test_ghost_takes_no_tag_of_more_than_191_letters(
    fake_ghost: FakeGhost, ghost: Open, post: Post
) -> None:
    """Ghost's 191 letters of a tag or category"""
    long = "x" * 192
    put(ghost(), replace(post, keywords=(long, "short")))
    assert [tag["name"] for tag in fake_ghost.public()[0]["tags"]][:-1] == ["short"]
    for line in (f'category = "{long}"', f'tags = ["{long}"]'):
        with pytest.raises(Exception, match="at most 191 characters"):
            ghost(line)
