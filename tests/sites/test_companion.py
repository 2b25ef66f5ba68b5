"""The companion plugin on real WordPress, on MariaDB and on SQLite."""

import json
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import requests
from bs4 import BeautifulSoup

from copydesk_connectors.targets.wordpress.companion import plugin_version
from tests.support.long_tests import ALL
from tests.support.sites.companion import Companion, body
from tests.support.sites.programs import start_or_skip
from tests.support.sites.sqlite_wordpress import SqliteWordPressSite
from tests.support.sites.wordpress_site import WordPressSite

pytestmark = pytest.mark.sites

AT_ONCE = 8
WORKERS = 8


@pytest.fixture(scope="module", params=["bookworm", "trixie", "sqlite"])
def companion_server(request: pytest.FixtureRequest) -> Iterator[Companion]:
    sqlite = request.param == "sqlite"
    made = SqliteWordPressSite(WORKERS) if sqlite else WordPressSite(request.param, WORKERS)
    with start_or_skip(lambda: made) as site:
        there = Companion(site)
        there.install()
        yield there


@pytest.fixture
def companion(companion_server: Companion) -> Iterator[Companion]:
    """The plugin on a site without posts; afterwards PHP has complained of nothing."""
    companion_server.site.clear()
    said = len(companion_server.site.log())
    yield companion_server
    complaints = [
        line
        for line in companion_server.site.log()[said:].splitlines()
        if any(word in line for word in ("PHP Warning", "PHP Notice", "PHP Fatal", "PHP Depr"))
    ]
    assert complaints == []


def stored(companion: Companion) -> list[tuple[str, str]]:
    return [(post.status, post.slug) for post in companion.site.posts()]


def test_it_says_its_version(companion: Companion) -> None:
    """GET /copydesk/v1/ {"version": ...}"""
    assert companion.call("GET", "", role="").json()["version"] == plugin_version()


def test_one_request_makes_the_post_and_the_next_finds_it(companion: Companion) -> None:
    """finds or makes the post and shows it in ONE request … answering 200 or 201 with the post"""
    first = companion.put("itm_1")
    (post,) = companion.site.posts()
    assert (first.status_code, first.json()["id"]) == (201, post.id)
    assert first.json()["link"] == f"{companion.site.url}/post-itm_1/"
    assert (post.status, post.slug, post.title) == (
        "publish",
        "post-itm_1",
        "Title of itm_1 &amp; more",
    )
    assert (post.author, post.excerpt) == ("author", "Short.")
    assert post.tags == ("alpha", "beta &amp; gamma")
    again = companion.put("itm_1", title="Another")
    assert (again.status_code, again.json()["id"]) == (200, post.id)
    assert companion.call("GET", "posts/itm_1").json()["id"] == post.id
    assert companion.call("GET", "posts/itm_2").status_code == 404
    assert companion.call("GET", "posts/ITM_1").status_code == 404, "ids have capitals"
    assert companion.site.posts() == [post]


def test_many_requests_at_once_make_one_post(companion: Companion) -> None:
    """eight concurrent POSTs of one id give one post"""
    for number in range(1, 11):
        start = threading.Barrier(AT_ONCE)
        answers: list[requests.Response] = []

        def put(
            item: str = f"itm_{number}",
            start: threading.Barrier = start,
            answers: list[requests.Response] = answers,
        ) -> None:
            start.wait()
            answers.append(companion.put(item))

        threads = [threading.Thread(target=put) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == AT_ONCE
        # SQLite may be busy for too long; such a request says so and is sent again.
        said = [answer for answer in answers if answer.ok]
        assert said
        assert all(answer.status_code >= 500 for answer in answers if not answer.ok)
        assert companion.put(f"itm_{number}").status_code == 200
        assert len({answer.json()["id"] for answer in said}) == 1
        posts = companion.site.posts()
        assert [(post.status, post.slug) for post in posts if post.status == "publish"] == [
            ("publish", f"post-itm_{n}") for n in range(1, number + 1)
        ]
        assert [post for post in posts if post.status != "publish"] == []


def test_php_dies_at_any_point_and_the_next_request_heals_it(companion: Companion) -> None:
    """PHP may also die between the claim and the post: the next request completes the post."""
    # TESTS=all dies at each statement; test_plugin_kills.py has more of them.
    step = 1 if ALL else 5
    for number in count(1, step):
        item = f"itm_{number}"
        killed = companion.put_in_a_process(item, kill_at=number)
        if killed:
            assert not companion.put_in_a_process(item)
        posts = [post for post in companion.site.posts() if item in post.title.split()]
        assert [(post.status, post.slug) for post in posts] == [("publish", f"post-{item}")]
        assert posts[0].tags == ("alpha", "beta &amp; gamma"), f"killed before {number}"
        assert posts[0].excerpt == "Short."
        if not killed:
            break
    assert number > 20
    # What it died before claiming is an empty post that WordPress itself forgets, as its editor's.
    empty = [post for post in companion.site.posts() if post.status == "auto-draft"]
    assert {post.content for post in empty} <= {""}
    assert len(companion.site.posts()) == 1 + number // step + len(empty)


def test_a_claim_whose_post_is_gone_does_not_count(companion: Companion) -> None:
    """The next request replaces a claim without a post."""
    old = companion.put("itm_1").json()["id"]
    companion.site._database.execute(f"DELETE FROM wp_posts WHERE ID = {old}", "wordpress")
    answer = companion.put("itm_1")
    assert answer.status_code == 201
    assert answer.json()["id"] != old
    assert companion.put("itm_1").json()["id"] == answer.json()["id"]
    assert stored(companion) == [("publish", "post-itm_1")]


def test_a_post_that_is_deleted_takes_its_claim_along(companion: Companion) -> None:
    """stores nothing else"""
    made = companion.put("itm_1").json()["id"]
    claims = "SELECT JSON_OBJECT('has', option_value) FROM wp_options WHERE option_name LIKE"
    query = f"{claims} 'copydesk_item_%'"
    assert companion.site._database.rows(query, "wordpress") == [{"has": str(made)}]
    companion.site.rest("DELETE", f"posts/{made}", params={"force": "true"})
    assert companion.site._database.rows(query, "wordpress") == []


def test_the_trash_and_edits_are_the_owners(companion: Companion) -> None:
    """never restoring what is in the trash, never overwriting what was edited"""
    edited, trashed = (companion.put(item).json()["id"] for item in ("itm_1", "itm_2"))
    companion.site.rest("POST", f"posts/{edited}", json={"content": "Mine.", "status": "private"})
    companion.site.rest("DELETE", f"posts/{trashed}")
    before = companion.site.posts()
    # Also where the row is lost that knew them: by the field, for the edit took the marker out.
    for forget in (False, True):
        if forget:
            companion.site._database.execute(
                "DELETE FROM wp_options WHERE option_name LIKE 'copydesk_item_%'", "wordpress"
            )
        for item, found, status in (("itm_1", edited, "private"), ("itm_2", trashed, "trash")):
            answer = companion.put(item)
            assert (answer.status_code, answer.json()["id"]) == (200, found)
            assert answer.json()["status"] == status
            assert companion.call("GET", f"posts/{item}").json()["id"] == found
        assert companion.site.posts() == before


def test_an_edited_draft_is_shown_as_its_owner_left_it(companion: Companion) -> None:
    """never overwriting what was edited"""
    made = companion.put("itm_1", status="draft").json()["id"]
    assert stored(companion) == [("draft", "post-itm_1")]
    companion.site.rest("POST", f"posts/{made}", json={"title": "Mine", "slug": "mine"})
    assert companion.put("itm_1").json()["id"] == made
    (post,) = companion.site.posts()
    assert (post.status, post.slug, post.title) == ("publish", "mine", "Mine")


@pytest.mark.parametrize(
    ("role", "status", "code"),
    [
        ("", "draft", 401),
        ("subscriber", "draft", 403),
        ("contributor", "publish", 403),
        ("contributor", "future", 403),
        ("contributor", "pending", 201),
        ("author", "publish", 201),
    ],
)
def test_every_check_of_wordpress_applies(
    companion: Companion, role: str, status: str, code: int
) -> None:
    """going through rest_do_request so that every permission check of WordPress applies"""
    assert companion.put("itm_1", role, status=status).status_code == code
    assert len(companion.site.posts()) == (code == 201)


def test_what_others_have_is_named_and_not_shown(companion: Companion) -> None:
    made = companion.put("itm_1", "administrator", status="draft").json()["id"]
    answer = companion.put("itm_1", "author")
    assert answer.status_code == 403
    found = companion.call("GET", "posts/itm_1", "author").json()
    assert {key: found[key] for key in ("id", "status", "link")} == {
        "id": made,
        "status": "draft",
        "link": "",
    }
    assert "content" not in found
    assert stored(companion) == [("draft", "post-itm_1")]


def test_names_of_tags_and_categories(companion: Companion) -> None:
    """categories and tags by name (created where the role may)"""
    refused = companion.put("itm_1", "author", categories=["No such"])
    assert (refused.status_code, refused.json()["code"]) == (403, "rest_cannot_create")
    assert companion.site.posts() == []
    name = f"News {companion.site.suite} {type(companion.site).__name__}"
    companion.put("itm_2", "editor", categories=[name])
    companion.put("itm_3", "author", categories=[name.upper()])
    assert [post.categories for post in companion.site.posts()] == [(name,), (name,)]


SEO = """<?php add_filter( 'copydesk_seo_plugins', fn() => array( 'yoast', 'rank_math' ) );"""
KEYWORD = {"_yoast_wpseo_focuskw": "a secret plan", "rank_math_focus_keyword": "a secret plan"}


def test_only_those_who_edit_a_post_see_its_fields(companion: Companion, tmp_path: Path) -> None:
    """meta in context `edit` only: visitors do not see focus keywords"""
    plugin = tmp_path / "seo-fields.php"
    plugin.write_text(SEO)
    companion.site.add_plugin(plugin)
    try:
        answer = companion.put("itm_1", meta=KEYWORD | {"_copydesk_json_ld": "{}"})
        made = answer.json()["id"]
        assert companion.site.meta(made).items() >= KEYWORD.items()
        anonymous = requests.get(
            f"{companion.site.url}/wp-json/wp/v2/posts?_fields=id,meta", timeout=30
        )
        for shown in (
            anonymous.json()[0],
            companion.site.rest("GET", f"posts/{made}", "subscriber"),
            companion.call("GET", f"posts/{made}", "contributor").json(),
        ):
            assert not [key for key in [*KEYWORD, "_copydesk_json_ld"] if key in str(shown)]
        edited = companion.site.rest("GET", f"posts/{made}", params={"context": "edit"})
        assert edited["meta"].items() >= KEYWORD.items()
    finally:
        companion.site.remove_plugin(plugin.name)


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_item_that_is_no_string_is_a_bad_request(companion: Companion, method: str) -> None:
    """an array as `item` is a 400"""
    for wrong in ({"item[]": "x"}, {"item[a][b]": "x"}):
        answer = companion.call(method, "posts/itm_1", "contributor", params=wrong)
        assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_param")
    for item in (["x"], {"a": "b"}, 5, True):
        answer = companion.call("PUT", "posts/itm_1", json=body("itm_1") | {"item": item})
        assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_param")
    assert companion.site.posts() == []


def test_only_the_path_says_which_item_it_is(companion: Companion) -> None:
    """route parameters by get_url_params()"""
    made = companion.put("itm_1").json()["id"]
    answer = companion.call("PUT", "posts/itm_2?item=itm_1", json=body("itm_2") | {"item": "itm_1"})
    assert (answer.status_code, answer.json()["slug"]) == (201, "post-itm_2")
    found = companion.call("GET", "posts/itm_2", params={"item": "itm_1"}).json()
    assert found["id"] == answer.json()["id"] != made
    assert companion.put("itm_3", id=made, title="Another").status_code == 201
    assert [post.title for post in companion.site.posts() if post.id == made] == [
        "Title of itm_1 &amp; more"
    ]


@pytest.mark.parametrize("wrong", [["x"], {"raw": ["x"]}, {"a": {"b": "c"}}, 5, True])
@pytest.mark.parametrize(
    "field", ["status", "title", "content", "slug", "excerpt", "date", "meta", "tags", "_fields"]
)
def test_a_field_of_the_wrong_type_is_no_fatal_error(
    companion: Companion, field: str, wrong: object
) -> None:
    """check every other parameter for the same; PHP complains of nothing, see the fixture"""
    # A new post, one that is there, and a draft of it, which is compared with the body.
    for item in ("itm_1", "itm_1", "itm_2"):
        assert companion.put(item, **{field: wrong}).status_code < 500
        companion.put("itm_2", status="draft")


def test_json_ld_stands_in_the_head_once_and_cannot_break_out(companion: Companion) -> None:
    """prints the JSON-LD into wp_head of its post, escaped rightly (no </script> break-out …),
    once, and not where the body has it already"""
    said = {"@type": "BlogPosting", "headline": "</script><script>alert(1)</script> & [gallery]"}
    link = companion.put("itm_1", meta={"_copydesk_json_ld": json.dumps(said)}).json()["link"]
    assert printed(companion, link) == [said]
    own = '<script type="application/ld+json">{"own": 1}</script>'
    link = companion.put(
        "itm_2",
        "administrator",
        content=f"{body('itm_2')['content']}{own}",
        meta={"_copydesk_json_ld": json.dumps(said)},
    ).json()["link"]
    assert printed(companion, link) == [{"own": 1}]
    link = companion.put("itm_3", meta={"_copydesk_json_ld": "no JSON"}).json()["link"]
    assert printed(companion, link) == []
    assert said not in printed(companion, companion.site.url)


def printed(companion: Companion, url: str) -> list[Any]:
    page = BeautifulSoup(companion.site.page_html(url), "html.parser")
    assert "alert(1)" not in [script.get_text() for script in page.find_all("script")]
    return [json.loads(one.get_text()) for one in page.select('script[type*="ld+json"]')]
