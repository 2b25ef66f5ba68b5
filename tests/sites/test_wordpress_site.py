"""The harness itself: what it says of the server is what the server holds."""

from pathlib import Path

import pytest
import requests

from tests.support.sites import programs
from tests.support.sites.programs import NotInstalled
from tests.support.sites.wordpress_site import ROLES, WordPressSite

pytestmark = pytest.mark.sites

CONTENT = '<p><a href="https://shop.example/" rel="sponsored noopener" target="_blank">Shop</a></p>'


def test_a_fresh_site_has_no_posts_and_a_user_for_each_role(wordpress: WordPressSite) -> None:
    assert wordpress.posts() == []
    assert sorted(wordpress.users) == sorted(ROLES)
    for role in ROLES:
        me = wordpress.rest("GET", "users/me", role, params={"context": "edit"})
        assert (me["username"], me["roles"]) == (role, [role])


def test_the_versions_are_those_that_sites_run(wordpress: WordPressSite) -> None:
    expected = {"bookworm": "6.1.", "trixie": "6.8."}
    assert wordpress.version.startswith(expected[wordpress.suite])


def test_posts_are_those_in_the_database_drafts_and_trash_included(
    wordpress: WordPressSite,
) -> None:
    tag = wordpress.rest("POST", "tags", json={"name": f"Café {wordpress.suite}"})["id"]
    fields = {"content": CONTENT, "excerpt": "Short.", "tags": [tag]}
    for title, status in [("One ✓", "publish"), ("Two", "draft"), ("Three", "publish")]:
        wordpress.rest("POST", "posts", "author", json={"title": title, "status": status, **fields})
    wordpress.rest("DELETE", f"posts/{wordpress.posts()[2].id}")

    posts = wordpress.posts()
    assert [(post.title, post.status) for post in posts] == [
        ("One ✓", "publish"),
        ("Two", "draft"),
        ("Three", "trash"),
    ]
    assert posts[2].slug == "three__trashed"
    assert {(post.author, post.type, post.excerpt) for post in posts} == {
        ("author", "post", "Short.")
    }
    assert posts[0].tags == (f"Café {wordpress.suite}",)
    assert posts[0].categories == ("Uncategorized",)
    assert [post.title for post in wordpress.posts("draft", "trash")] == ["Two", "Three"]
    wordpress.clear()
    assert wordpress.posts() == []


def test_page_html_is_what_a_reader_without_a_login_gets(wordpress: WordPressSite) -> None:
    fields = {"title": "Read me", "content": CONTENT, "status": "publish"}
    post = wordpress.rest("POST", "posts", "author", json=fields)
    assert CONTENT in wordpress.page_html(post["link"])
    assert post["link"] in wordpress.page_html(f"{wordpress.url}/")
    hidden = wordpress.rest("POST", f"posts/{post['id']}", json={"status": "draft"})
    with pytest.raises(AssertionError, match="answered 404"):
        wordpress.page_html(hidden["link"])


def test_files_and_folders_are_served_beside_permalinks(wordpress: WordPressSite) -> None:
    for path, part in [
        ("/wp-includes/js/jquery/jquery.min.js", "jQuery"),
        ("/wp-includes/js/underscore.min.js", "_"),
        ("/wp-admin/", "Log In"),
        ("/wp-login.php", "Log In"),
    ]:
        assert part in wordpress.page_html(wordpress.url + path)


def test_passwords_are_in_no_repr(wordpress: WordPressSite) -> None:
    for user in wordpress.users.values():
        assert user.app_password not in repr(wordpress.users)
        assert user.password not in repr(wordpress.users)
    assert wordpress.app_password("author") == wordpress.users["author"].app_password


def test_two_sites_do_not_share_anything(wordpress: WordPressSite) -> None:
    wordpress.rest("POST", "posts", json={"title": "Here", "status": "publish"})
    with WordPressSite(wordpress.suite, workers=1) as other:
        assert other.url != wordpress.url
        assert other.posts() == []
        url = other.url
    with pytest.raises(requests.ConnectionError):
        requests.get(url, timeout=5)
    assert len(wordpress.posts()) == 1


def test_missing_programs_are_named_with_what_installs_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wordpress_server: WordPressSite
) -> None:
    monkeypatch.setattr(programs, "SEARCH_PATH", str(tmp_path))
    with (
        pytest.raises(NotInstalled, match=r"php is not installed: run \.ci/packages"),
        WordPressSite(wordpress_server.suite),
    ):
        pass


def test_an_unknown_suite_is_refused_with_those_that_are_known() -> None:
    with (
        pytest.raises(ValueError, match=r"'woody' is unknown; known are bookworm, forky, trixie"),
        WordPressSite("woody"),
    ):
        pass
