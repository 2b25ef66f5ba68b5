"""The WordPress plugin on the versions of PHP and WordPress that its readme names.

The oldest of both and the newest of both run always; PLUGIN_VERSIONS=full runs all pairs.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import requests
from jsonschema import Draft4Validator

from connectors.tests.items import make_item
from tests.support.sites.php_versions import SUITES, php_program
from tests.support.sites.plugin_admin import PluginAdmin, text_of
from tests.support.sites.plugin_feed import TOKEN, FaultyFeed, faulty_feed
from tests.support.sites.plugin_site import PLUGIN, PluginSite
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_files import THEMES
from tests.support.sites.wordpress_site import REQUEST_SECONDS, WordPressSite

pytestmark = pytest.mark.sites

OLDEST, NEWEST = ("7.4", "bookworm"), ("8.4", "forky")
PAIRS = (
    [(php, suite) for php in SUITES for suite in THEMES]
    if os.environ.get("PLUGIN_VERSIONS") == "full"
    else [OLDEST, NEWEST]
)
COMPLAINT = re.compile("PHP (Warning|Notice|Fatal|Deprecated|Parse|Strict)|database error")
TIMERS = (
    "return array_values( array_filter( array( 'copydesk_run', 'copydesk_clean' ), "
    "'wp_next_scheduled' ) );"
)
# Of each ability: read-only, destructive, idempotent, and the HTTP method that WordPress takes.
ABILITIES = {
    "copydesk/list-items": (True, False, True, "GET"),
    "copydesk/publish-item": (False, False, True, "POST"),
    "copydesk/reject-item": (False, True, True, "DELETE"),
    "copydesk/retry-item": (False, False, False, "POST"),
    "copydesk/run": (False, False, False, "POST"),
}
LEFT = (
    "SELECT option_name FROM wp_options WHERE option_name LIKE '%copydesk%' UNION ALL "
    "SELECT meta_key FROM wp_postmeta WHERE meta_key LIKE '%copydesk%' UNION ALL "
    "SELECT table_name FROM information_schema.tables WHERE table_name LIKE '%copydesk%'"
)


@pytest.fixture(
    scope="module",
    params=[
        # One process a site.
        pytest.param(pair, marks=pytest.mark.xdist_group("-".join(pair)), id="-".join(pair))
        for pair in PAIRS
    ],
)
def site(request: pytest.FixtureRequest) -> Iterator[WordPressSite]:
    """A new WordPress of one Debian suite on one PHP."""
    php, suite = request.param
    with start_or_skip(lambda: WordPressSite(suite, php=php_program(php))) as started:
        plugin = PluginSite(started)
        assert plugin.php("return PHP_VERSION;").startswith(f"{php}.")
        yield started


@pytest.fixture
def feed() -> Iterator[FaultyFeed]:
    """A feed with three items."""
    with faulty_feed() as started:
        for name in "abc":
            started.add(make_item(name, title=f"The post {name}", slug=f"post-{name}"))
        yield started


def complaints(site: WordPressSite) -> list[str]:
    """What the log complains of, without what WordPress itself does wrong.

    A PHP that is newer than a WordPress deprecates code of that WordPress. A deprecated function of
    WordPress is reported from its own files too, but is the fault of who called it.
    """
    return [
        line
        for line in site.log().splitlines()
        if COMPLAINT.search(line)
        and "WordPress.org" not in line
        and (
            "PHP Deprecated" not in line
            or "/plugins/copydesk/" in line
            or "deprecated</strong> since version" in line
        )
    ]


def declared(name: str) -> tuple[int, ...]:
    """A version in the head of readme.txt."""
    found = re.search(rf"^{name}: (\S+)$", (PLUGIN / "readme.txt").read_text(), re.MULTILINE)
    assert found, name
    return tuple(map(int, found[1].split(".")))


def test_the_readme_names_what_is_tested(site: WordPressSite) -> None:
    """the readme's "Requires PHP", "Requires at least" and "Tested up to" are shown by tests"""
    versions = [tuple(map(int, version.split("."))) for version in SUITES]
    assert declared("Requires PHP") == min(versions)
    version = tuple(map(int, site.version.split(".")[:2]))
    assert declared("Requires at least") <= version
    if site.suite == OLDEST[1]:
        assert declared("Requires at least") == version
    if site.suite == NEWEST[1]:
        assert declared("Tested up to") <= version


def test_it_runs_from_install_to_uninstall(site: WordPressSite, feed: FaultyFeed) -> None:
    """PHP 7.4–8.4, WordPress 6.1–7.1: no notice, warning or deprecation from our files; uninstall
    that leaves nothing but posts"""
    plugin, admin = PluginSite(site), PluginAdmin(site)
    plugin.install()

    owner = admin.login("administrator")
    form = owner.form(admin.page("copydesk-settings"), "form.copydesk-settings")
    form |= {"copydesk_settings[feed_url]": [feed.url], "copydesk_settings[status]": ["publish"]}
    saved = owner.post(f"{site.url}/wp-admin/options.php", data=form)
    assert saved.status_code == 200, saved.text
    assert "settings-updated" in saved.url

    summaries = [plugin.run(), plugin.run()]
    assert [summary["published"] for summary in summaries] == [3, 0]
    assert [summary["problems"] for summary in summaries] == [[], []]
    assert [post.title for post in site.posts("publish")] == [f"The post {n}" for n in "abc"]
    assert len(site.posts()) == 3
    assert feed.history == [(name, "confirm") for name in "abc"]
    assert "The post a" in text_of(site.page_html(f"{site.url}/post-a/"))

    for page, text in (
        (admin.page("copydesk"), "The post b"),
        (admin.page("copydesk-settings"), "Feed"),
        (f"{site.url}/wp-admin/", "Dashboard"),
        (f"{site.url}/wp-admin/plugins.php", "Copydesk"),
        (f"{site.url}/wp-admin/options-privacy.php?tab=policyguide", "Copydesk"),
    ):
        answer = owner.get(page)
        assert answer.status_code == 200, page
        assert text in text_of(answer.text), page

    assert plugin.php(TIMERS) == ["copydesk_run", "copydesk_clean"]
    plugin.deactivate()
    assert plugin.php(TIMERS) == []
    assert len(plugin.rows()) == 3, "what was received is kept until it is uninstalled"
    plugin.activate()
    assert plugin.run()["problems"] == []
    before = site.posts()
    assert plugin.sql(LEFT) != []
    plugin.uninstall()
    assert plugin.sql(LEFT) == []
    assert "copydesk" not in str(plugin.php("return _get_cron_array();"))
    assert site.posts() == before
    assert complaints(site) == []


@contextmanager
def installed(site: WordPressSite, feed: FaultyFeed) -> Iterator[PluginSite]:
    """The plugin with a feed; afterwards no post is left, and nothing has complained."""
    plugin = PluginSite(site)
    plugin.install()
    plugin.reset()  # Another test of this site leaves its posts.
    plugin.set_options(feed_url=feed.url, status="pending")
    try:
        yield plugin
    finally:
        plugin.reset()
        plugin.uninstall()
    assert complaints(site) == []


def has_abilities(site: WordPressSite) -> bool:
    return tuple(map(int, site.version.split(".")[:2])) >= (6, 9)


def called(site: WordPressSite, path: str, role: str = "", **options: Any) -> requests.Response:
    """The answer of a route of WordPress's Abilities API to a role, "" for nobody."""
    user = site.users[role] if role else None
    return requests.request(
        options.pop("method", "GET"),
        f"{site.url}/wp-json/wp-abilities/v1/{path}",
        auth=(user.login, user.app_password) if user else None,
        timeout=REQUEST_SECONDS,
        **options,
    )


def run(site: WordPressSite, name: str, role: str = "administrator", **given: Any) -> Any:
    """The status and the body of an ability's answer."""
    method = ABILITIES[name][3]
    options: dict[str, Any] = {"json": {"input": given}} if given else {}
    if method != "POST":
        options = {"params": {f"input[{key}]": value for key, value in given.items()}}
    answer = called(site, f"abilities/{name}/run", role, method=method, **options)
    return answer.status_code, answer.json()


def test_a_wordpress_without_abilities_has_none(site: WordPressSite, feed: FaultyFeed) -> None:
    """Older WordPress: nothing happens, no notice"""
    if has_abilities(site):
        pytest.skip("this WordPress has abilities")
    with installed(site, feed) as plugin:
        assert plugin.php("return function_exists( 'wp_register_ability' );") is False
        assert called(site, "abilities", "administrator").status_code == 404
        assert plugin.run()["problems"] == []


def test_abilities_do_what_the_page_of_items_does(site: WordPressSite, feed: FaultyFeed) -> None:
    """abilities with valid schemas, true annotations and the capabilities of the page of items"""
    if not has_abilities(site):
        pytest.skip("this WordPress has no abilities")
    with installed(site, feed) as plugin:
        listed = called(site, "abilities", "administrator", params={"category": "copydesk"}).json()
        assert {one["name"] for one in listed} == set(ABILITIES)
        for one in listed:
            marks = one["meta"]["annotations"]
            expected = ABILITIES[one["name"]][:3]
            assert (marks["readonly"], marks["destructive"], marks["idempotent"]) == expected
            for schema in (one["input_schema"], one["output_schema"]):
                Draft4Validator.check_schema(schema or {})

        for role, status in (("", 401), ("subscriber", 403), ("author", 403)):
            for name in ABILITIES:
                given = {"id": "a"} if name.endswith("-item") else {}
                assert run(site, name, role, **given)[0] == status, (role, name)
        assert feed.history == []
        assert plugin.rows() == []

        ran = {"pulled": 3, "published": 3, "waiting": 0, "failed": 0, "problems": []}
        assert run(site, "copydesk/run", "editor") == (200, ran)
        status, live = run(site, "copydesk/publish-item", id="a")
        assert (status, live["state"], live["link"]) == (200, "live", f"{site.url}/post-a/")
        assert run(site, "copydesk/publish-item", id="a")[0] == 409
        assert run(site, "copydesk/retry-item", id="a")[0] == 409
        assert run(site, "copydesk/reject-item", id="a")[0] == 409
        because = f"Off <b>topic</b>: {feed.url}"
        for _ in range(2):
            status, rejected = run(site, "copydesk/reject-item", id="b", reason=because)
            assert (status, rejected["state"], rejected["link"]) == (200, "rejected", "")
            assert rejected["reason"].startswith("Off topic: ")
        assert run(site, "copydesk/retry-item", id="b")[1]["state"] == "pending"
        assert plugin.row("b")["reason"] == ""

        status, page = run(site, "copydesk/list-items", per_page=2, page=2)
        assert (status, len(page["items"]), page["total"]) == (200, 1, 3)
        status, page = run(site, "copydesk/list-items", "editor", state="live")
        assert (status, page) == (200, {"items": [live], "total": 1})
        assert TOKEN not in str([listed, live, rejected, run(site, "copydesk/list-items")])

        for name, given, wrong in (
            ("list-items", {"state": "lost"}, "state"),
            ("list-items", {"per_page": "101"}, "per_page"),
            ("list-items", {"feed": "x"}, "feed"),
            ("publish-item", {"id": "' OR 1=1"}, "id"),
            ("retry-item", {"id": ["a"]}, "id"),
            ("reject-item", {"reason": "No id."}, "id"),
            ("reject-item", {"id": "c", "reason": "x" * 501}, "reason"),
        ):
            status, error = run(site, f"copydesk/{name}", **given)
            assert (status, error["code"]) == (400, "ability_invalid_input"), given
            assert wrong in error["message"]
        status, error = run(site, "copydesk/publish-item", id="unknown")
        assert (status, error["message"]) == (404, "This post is not in the list.")
        assert plugin.act("c", "never") == ""
        assert run(site, "copydesk/reject-item", id="c")[0] == 409, "it could be retried then"
        plugin.php("get_role( 'editor' )->remove_cap( 'delete_others_posts' );")
        assert run(site, "copydesk/reject-item", "editor", id="b")[0] == 403
        plugin.php("get_role( 'editor' )->add_cap( 'delete_others_posts' );")
        assert [row["state"] for row in plugin.rows()] == ["live", "pending", "never"]
