"""The pages of the WordPress plugin in Chromium, as its owner uses them: mouse, keys, phone."""

import html
import json
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup

from connectors.tests.feed_server import FakeFeed, FeedServer
from connectors.tests.items import make_item
from tests.support.chromium import Browser
from tests.support.sites.plugin_admin import PluginAdmin, text_of

pytestmark = pytest.mark.sites

SAVED = "#copydesk-save-first"
LATER = "2031-01-02 08:30:00"
NOTICES = "[...document.querySelectorAll('.notice')].map(one => one.innerText.trim())"
OURS = NOTICES.replace(".notice", ".copydesk-notice")
# A row of each state, and how people read it.
ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "received": ({}, "Received"),
    "failing": (
        {"state": "received", "attempts": 2, "next_try": LATER, "reason": "The feed answered 503."},
        "Next try: January 2, 2031, 8:30 am",
    ),
    "live": ({"told": "used"}, "Live"),
    "scheduled": ({"slot": LATER, "told": "used"}, "Scheduled for January 2, 2031, 8:30 am"),
    "draft": ({"told": "used"}, "Draft"),
    "pending": ({"told": "used"}, "Waiting for review"),
    "parked": ({"reason": "No disk space is left."}, "Stopped after errors"),
    "rejected": ({"told": "rejected"}, "Rejected"),
    "withdrawn": ({"told": "used"}, "Withdrawn"),
    "never": ({"told": "rejected"}, "Never published"),
}
ACTIONS = {
    "received": ["Publish now", "Reject", "Never publish"],
    "failing": ["Publish now", "Retry", "Reject", "Never publish"],
    "live": [],
    "scheduled": ["Publish now", "Never publish"],
    "draft": ["Publish now", "Never publish"],
    "pending": ["Publish now", "Never publish"],
    "parked": ["Publish now", "Retry", "Reject", "Never publish"],
    "rejected": ["Retry"],
    "withdrawn": ["Retry"],
    "never": [],
}


@pytest.fixture
def admin(plugin_admin: PluginAdmin) -> Iterator[PluginAdmin]:
    """The plugin on a site without posts and settings; afterwards PHP has complained of nothing."""
    plugin_admin.clear()
    with plugin_admin.without_complaints():
        yield plugin_admin


@pytest.fixture
def browser(chromium: Browser, admin: PluginAdmin) -> Iterator[Browser]:
    """Chromium with an administrator; afterwards its console has complained of nothing."""
    chromium.complaints.clear()
    chromium.dialogs.clear()
    chromium.without_scripts(False)
    chromium.clear_cookies()
    cookies = admin.login("administrator").cookies.get_dict()
    chromium.set_cookies(admin.site.url, cookies)
    chromium.resize(1440)
    yield chromium
    assert chromium.complaints == []


@pytest.fixture
def feed(feeds: FeedServer) -> FakeFeed:
    return feeds.new()


def enter_address(browser: Browser, admin: PluginAdmin, url: str, status: str = "publish") -> None:
    """Paste an address, choose a status and save."""
    browser.open(admin.page("copydesk-settings"))
    browser.evaluate(f"document.querySelector('#copydesk-feed-url').value = {json.dumps(url)}")
    browser.evaluate(f"document.querySelector('[value={status}]').click()")
    browser.submit(SAVED)


def add_rows(admin: PluginAdmin) -> None:
    for name, (fields, _) in ROWS.items():
        admin.add(**({"item_id": f"itm_{name}", "title": f"Post {name}", "state": name} | fields))


def listed(browser: Browser) -> list[dict[str, Any]]:
    """The rows of the list as people read them."""
    script = """[...document.querySelectorAll('#the-list tr')].map(row => ({
        title: row.querySelector('strong')?.innerText.trim(),
        state: row.querySelector('td.column-state')?.innerText.trim().replace(/\\s+/g, ' '),
        reason: row.querySelector('td.column-reason')?.innerText.trim(),
        link: row.querySelector('td.column-link a')?.href ?? '',
        actions: [...row.querySelectorAll('.row-actions button')].map(one => one.innerText)}))"""
    return list(browser.evaluate(script))


def test_the_address_is_never_printed(browser: Browser, admin: PluginAdmin, feed: FakeFeed) -> None:
    """no feed address in any page, log, REST answer or export, not even masked in full"""
    enter_address(browser, admin, feed.url)
    assert admin.settings()["feed_url"] == feed.url
    token = feed.url.split("/")[-2]
    session = admin.login("administrator")
    for path in (
        "admin.php?page=copydesk-settings", "admin.php?page=copydesk-settings&check=1",
        "admin.php?page=copydesk", "options.php", "plugins.php",
    ):  # fmt: skip
        page = html.unescape(session.get(f"{admin.site.url}/wp-admin/{path}").text)
        assert token not in page
        assert "content-tokens/tok" not in page
    headers = {"X-WP-Nonce": admin.nonce(session, "administrator", "wp_rest")}
    for path in (
        "wp-admin/export.php?download=true&content=all",
        "wp-json/",
        "wp-json/wp/v2/settings",
    ):
        answer = session.get(f"{admin.site.url}/{path}", headers=headers)
        assert answer.status_code == 200, path
        assert token not in answer.text
    # What was typed wrongly is not printed either: it may be the address but for one character.
    for wrong in (f"{feed.url}/x", f"{feed.url}?{token}", f"<b>{token}"):
        enter_address(browser, admin, wrong)
        assert token not in browser.evaluate("document.documentElement.outerHTML")
        assert admin.settings()["feed_url"] == feed.url
    browser.evaluate("document.querySelector('.copydesk-replace').open = true")
    assert browser.evaluate("document.querySelector('#copydesk-feed-url').value") == ""


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("", "does not know your feed yet"),
        ("https://example.com/", "Feed URL: this is not the address of a feed."),
        ("https://u:p@example.com/v1/content-tokens/a/latest", "Feed URL: this is not the"),
        ("//example.com/v1/content-tokens/a/latest", "Feed URL: it must begin with https"),
        ("ftp://example.com/v1/content-tokens/a/latest", "Feed URL: it must begin with https"),
        ("http://127.0.0.1:9/v1/content-tokens/a/latest", "The feed’s server could not be reached"),
        ("UNKNOWN", "does not know this feed. Copy the whole address again"),
        ("DOWN", "cannot respond at the moment (HTTP 503). The address is saved"),
    ],
)
def test_a_wrong_address_gets_the_sentence_that_helps(
    browser: Browser, admin: PluginAdmin, feed: FakeFeed, address: str, sentence: str
) -> None:
    """or the one sentence that helps"""
    feed.failing.add("HEAD")
    known = {"UNKNOWN": feed.url.replace("tok_", "tik_"), "DOWN": feed.url}
    enter_address(browser, admin, known.get(address, address))
    said = browser.evaluate(NOTICES)
    if address:
        assert sum(sentence in one for one in said) == 1, said
        assert not any("The feed responds" in one for one in said)
    # With no address the other settings are saved, and the list says what is missing.
    assert admin.settings()["status"] == "publish"
    browser.open(admin.page("copydesk"))
    shown = browser.evaluate("document.querySelector('.copydesk-last-run').innerText")
    assert ("does not know your feed yet" in shown) == (not admin.settings()["feed_url"])


def test_an_address_can_be_replaced_removed_and_fixed_in_a_file(
    browser: Browser, admin: PluginAdmin, feed: FakeFeed, feeds: FeedServer
) -> None:
    """the field shows only “saved” and a Replace button; constant COPYDESK_FEED_URL … wins"""
    feed.add(make_item("itm_1"))
    enter_address(browser, admin, feed.url)
    assert (feed.states(), feed.pulls()) == ({"itm_1": "pending"}, 0), "a test takes no post"
    other = feeds.new()
    enter_address(browser, admin, other.url, "draft")
    assert admin.settings()["feed_url"] == other.url
    # An empty field changes nothing.
    browser.submit(SAVED)
    assert admin.settings()["feed_url"] == other.url
    # As wp-config.php would.
    with admin.site.with_plugin(f"define( 'COPYDESK_FEED_URL', '{feed.url}' );"):
        browser.open(admin.page("copydesk-settings"))
        assert not browser.evaluate("!!document.querySelector('#copydesk-feed-url')")
        assert "Set by COPYDESK_FEED_URL" in browser.evaluate("document.body.innerText")
        assert admin.settings()["feed_url"] == feed.url
        browser.submit(SAVED)
    assert admin.settings()["feed_url"] == other.url
    browser.open(admin.page("copydesk-settings"))
    browser.evaluate("document.querySelector('[type=checkbox][name*=forget_feed]').click()")
    browser.submit(SAVED)
    assert admin.settings()["feed_url"] == ""


def test_the_list_says_what_became_of_each_post(browser: Browser, admin: PluginAdmin) -> None:
    """title, state as people read it, when, link, reason, row actions, bulk, search, filter"""
    add_rows(admin)
    browser.open(admin.page("copydesk"))
    rows = {row["title"].removeprefix("Post "): row for row in listed(browser)}
    assert {name: row["state"] for name, row in rows.items()} == {
        name: label for name, (_, label) in ROWS.items()
    }
    assert {name: row["actions"] for name, row in rows.items()} == ACTIONS
    assert rows["parked"]["reason"] == "No disk space is left."
    browser.submit(".subsubsub .parked a")
    assert [row["title"] for row in listed(browser)] == ["Post parked"]
    browser.open(admin.page("copydesk", "&s=draft"))
    assert [row["title"] for row in listed(browser)] == ["Post draft"]
    browser.open(admin.page("copydesk", "&s=nothing+of+that"))
    assert "No posts match." in browser.evaluate("document.body.innerText")


def test_posts_are_linked_where_people_may_see_them(browser: Browser, admin: PluginAdmin) -> None:
    for status, state in (("publish", "live"), ("draft", "draft"), ("trash", "withdrawn")):
        code = (
            f"return wp_insert_post( array( 'post_title' => 'T', 'post_status' => '{status}' ) );"
        )
        admin.add(item_id=state, title=state, state=state, post_id=admin.php(code))
    browser.open(admin.page("copydesk"))
    links = {row["title"]: row["link"] for row in listed(browser)}
    assert links["live"].startswith(admin.site.url)
    assert "preview=true" in links["draft"]
    assert links["withdrawn"] == ""


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_actions_on_one_and_on_many(browser: Browser, admin: PluginAdmin, scripts: bool) -> None:
    """row actions, bulk … works without JS"""
    for number in range(4):
        admin.add(item_id=f"itm_{number}", title=f"Post {number}", state="received")
    admin.add(item_id="itm_live", title="Post live", state="live", told="used")
    if scripts:
        browser.open(admin.page("copydesk"))
        browser.accepts_dialogs = False
        browser.evaluate("document.querySelector('[value=\"reject|itm_0\"]').click()")
        browser.accepts_dialogs = True
        assert browser.dialogs[0].startswith("Reject this post? It will not be published")
        assert admin.states()["itm_0"] == "received"
        browser.submit('[value="reject|itm_0"]')
        assert browser.evaluate(NOTICES) == ["1 post is rejected."]
        browser.evaluate("document.querySelector('#cb-select-all-1').click()")
        browser.evaluate("document.querySelector('#bulk-action-selector-top').value = 'never'")
        browser.submit("#doaction")
        assert browser.dialogs[-1].startswith("Do this with all selected posts?")
        said = browser.evaluate(NOTICES)
    else:
        session = admin.login("administrator")
        fields = session.form(admin.page("copydesk"), "form.copydesk-list")
        reject = fields | {"copydesk_one": ["reject|itm_0"]}
        answer = session.post(admin.page("copydesk"), data=reject)
        assert "1 post is rejected." in text_of(answer.text)
        fields |= {"action": ["never"], "items[]": sorted(admin.states())}
        answer = session.post(admin.page("copydesk"), data=fields)
        found = BeautifulSoup(answer.text, "html.parser").select(".notice")
        said = [one.get_text(" ", strip=True) for one in found]
    assert admin.states() == {f"itm_{n}": "never" for n in range(4)} | {"itm_live": "live"}
    assert any(one.startswith("“Post live”: ") for one in said), said
    assert "4 posts will never be published." in said


def test_a_person_is_told_what_is_missing_to_an_action(admin: PluginAdmin) -> None:
    session = admin.login("administrator")
    fields = session.form(admin.page("copydesk"), "form.copydesk-list")
    for change, sentence in (
        ({"action": ["reject"]}, "No post is selected."),
        ({"action": ["reject"], "items[]": ["gone"]}, "is no longer in the list"),
        (
            {"action": ["reject"], "items[]": [str(n) for n in range(60)]},
            "Nothing was changed: at most 50 posts can be changed at a time.",
        ),
    ):
        page = session.post(admin.page("copydesk"), data=fields | change).text
        assert sentence in text_of(page)
        assert sentence not in text_of(session.get(admin.page("copydesk")).text), "said once"


def test_settings_are_saved_without_scripts(
    browser: Browser, admin: PluginAdmin, feed: FakeFeed
) -> None:
    """no library; works without JS"""
    browser.without_scripts(True)
    browser.open(admin.page("copydesk-settings"))
    browser.without_scripts(False)
    script = """(() => {
        const form = document.querySelector('.copydesk-settings');
        const set = (name, value) => { form.elements[`copydesk_settings[${name}]`].value = value; };
        set('feed_url', FEED);
        set('status', 'schedule');
        set('schedule][times', '7:30 18.15');
        set('schedule][per_day', '2');
        set('schedule][jitter', '10');
        form.querySelector('[name="copydesk_settings[schedule][days][]"][value="6"]').checked = true;
        set('format', 'html');
        set('routes][new][match', 'keyword');
        set('routes][new][value', '*espresso*');
        set('routes][new][tags', 'coffee, home , coffee');
        set('routes][new][status', 'pending');
        form.querySelector('[name="copydesk_settings[routes][new][categories][]"][value="1"]').checked = true;
    })()"""  # noqa: E501
    browser.evaluate(script.replace("FEED", json.dumps(feed.url)))
    browser.submit(SAVED)
    assert browser.evaluate(NOTICES)[0] == "Settings saved."
    settings = admin.settings()
    assert settings["schedule"] == {
        "days": [1, 2, 3, 4, 5, 6], "times": ["07:30", "18:15"], "per_day": 2, "jitter": 10,
    }  # fmt: skip
    assert (settings["status"], settings["format"], settings["json_ld"]) == (
        "schedule",
        "html",
        True,
    )
    assert settings["routes"] == [
        {
            "match": "keyword", "value": "*espresso*", "categories": [1],
            "tags": ["coffee", "home"], "author": 0, "status": "pending", "schedule": None,
        }
    ]  # fmt: skip
    # Saved again as the page shows it, nothing changes.
    browser.open(admin.page("copydesk-settings"))
    browser.submit(SAVED)
    assert admin.settings() == settings


def test_routes_are_added_ordered_and_removed(browser: Browser, admin: PluginAdmin) -> None:
    browser.open(admin.page("copydesk-settings"))
    add = "document.querySelector('.copydesk-routes + .button').click()"
    put = (
        "(() => { const routes = [...document.querySelectorAll('.copydesk-route')];"
        "const one = routes.at(-1);"
        "one.querySelector('[name$=\"[value]\"]').value = VALUE;"
        "one.querySelector('[name$=\"[position]\"]').value = POSITION; return routes.length })()"
    )
    for number, (value, position) in enumerate([("Second", 2), ("First", 1), ("", 3)], start=1):
        browser.evaluate(add)
        assert browser.evaluate("document.activeElement.name").endswith("[match]")
        script = put.replace("VALUE", json.dumps(value)).replace("POSITION", str(position))
        assert browser.evaluate(script) == number
    ids = browser.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids)), "labels belong to one field"
    browser.submit(SAVED)
    assert [one["value"] for one in admin.settings()["routes"]] == ["First", "Second"]
    browser.evaluate(
        "document.querySelector('[name=\"copydesk_settings[routes][0][remove]\"]').click()"
    )
    browser.submit(SAVED)
    assert [one["value"] for one in admin.settings()["routes"]] == ["Second"]


def test_values_that_cannot_be_keep_the_earlier_ones(admin: PluginAdmin) -> None:
    """Errors say what, where and what would be right."""
    session = admin.login("administrator")
    page = admin.page("copydesk-settings")
    fields = session.form(page, "form.copydesk-settings")
    before = admin.settings()
    for change, sentence in (
        ({"schedule][times": ["25:00"]}, "Schedule: write 1 to 24 times of day such as 09:00"),
        ({"schedule][days][": ["0"]}, "Schedule: choose at least one day."),
        ({"schedule][per_day": ["0"]}, "Schedule: posts per day must be a number from 1 to 24."),
        (
            {"schedule][jitter": ["-1"]},
            "the random delay must be a number of minutes from 0 to 180",
        ),
        ({"status": ["delete"]}, "status must be one of: draft, publish, pending, schedule."),
        ({"author": ["999999"]}, "Author: this user cannot write posts on this site."),
        ({"routes][new][value": ["x" * 201]}, "must not be longer than 200 characters"),
    ):
        sent = fields | {f"copydesk_settings[{name}]": value for name, value in change.items()}
        answer = session.post(f"{admin.site.url}/wp-admin/options.php", data=sent)
        assert text_of(answer.text).count(sentence) == 1, sentence
        assert "kept their earlier values, and new routes" in text_of(answer.text)
        assert admin.settings() == before
    cut = {name: value for name, value in fields.items() if "complete" not in name}
    cut["copydesk_settings[status]"] = ["pending"]
    answer = session.post(f"{admin.site.url}/wp-admin/options.php", data=cut)
    assert "max_input_vars" in text_of(answer.text)
    assert admin.settings() == before, "half a form loses no routes"


def test_a_route_with_a_mistake_stays_as_it_was(admin: PluginAdmin) -> None:
    first = {"match": "rule", "value": "A", "tags": ["a"], "categories": [], "author": 0}
    admin.set_options(routes=[first, first | {"value": "B"}])
    before = admin.settings()["routes"]
    session = admin.login("administrator")
    fields = session.form(admin.page("copydesk-settings"), "form.copydesk-settings")
    name = "copydesk_settings[routes]"
    for change, sentence in (
        ({"[0][value]": ""}, "Route 1: write a rule or a keyword, or choose “Remove this route”."),
        ({"[1][value]": "x" * 201}, "Route 2: the rule or keyword must not be longer than 200"),
        ({"[1][tags]": "x" + "&" * 40}, "Route 2: at most 20 tags of up to 200 characters"),
        (
            {"[0][schedule][own]": "1", "[0][schedule][times]": "nine"},
            "Route 1: write 1 to 24 times of day",
        ),
    ):
        sent = fields | {f"{name}{key}": [value] for key, value in change.items()}
        sent[f"{name}[new][value]"] = ["C"]
        answer = session.post(f"{admin.site.url}/wp-admin/options.php", data=sent)
        assert sentence in text_of(answer.text)
        routes = admin.settings()["routes"]
        assert routes[:2] == before
        assert [one["value"] for one in routes[2:]] == ["C"], "what is right is saved"
        admin.set_options(routes=before)


@pytest.mark.parametrize(
    ("match", "value", "applies"),
    [
        ("rule", "espresso", True),
        ("rule", "Espress", False),
        ("rule", "esp*SO", True),
        ("rule", "*", True),
        ("keyword", "descale espresso machine", True),
        ("keyword", "*ESPRESSO*", True),
        ("keyword", "citric*", True),
        ("keyword", "*e*e*e*machine*", True),
        ("keyword", "machine*machine", False),
        ("keyword", "*machine*machine", False),
        ("keyword", "Espresso", False),
        ("keyword", "(citric|.*)", False),
    ],
)
def test_the_first_route_that_matches_applies(
    admin: PluginAdmin, match: str, value: str, applies: bool
) -> None:
    """rule|keyword, value (case-insensitive, * wildcard)"""
    schedule = {"days": [7], "times": ["10:00"], "per_day": 1, "jitter": 0}
    route = {"match": match, "value": value, "categories": [1, 99999], "tags": ["a"]}
    admin.set_options(
        status="draft",
        routes=[
            route | {"author": 3, "status": "schedule", "schedule": schedule},
            {"match": "rule", "value": "*", "categories": [], "tags": ["other"], "status": ""},
        ],
    )
    item = json.dumps(make_item(ruleName="Espresso"))
    code = f"return Copydesk_Settings::route( json_decode( '{item.replace(chr(39), '')}', true ) );"
    got = admin.php(code)
    assert set(got) == {
        "status", "author", "categories", "tags", "schedule", "format", "image", "disclosure",
        "json_ld", "seo", "links", "offers",
    }  # fmt: skip
    if applies:
        assert (got["status"], got["author"], got["tags"]) == ("schedule", 3, ["a"])
        assert (got["schedule"], got["categories"]) == (schedule, [1])
    else:
        assert (got["status"], got["tags"]) == ("draft", ["other"])


@pytest.mark.parametrize(
    "stored",
    ["'text'", "false", "array( 'routes' => 'x', 'schedule' => 7, 'feed_url' => array() )",
     "array( 'schedule' => array( 'days' => array( 'x' ), 'times' => array( 9 ) ), 'status' => 1 )",
     "array( 'routes' => array( 1, array( 'value' => array() ), array( 'value' => 'x' ) ) )"],
)  # fmt: skip
def test_all_settings_are_there_whatever_is_stored(admin: PluginAdmin, stored: str) -> None:
    """all keys always present, with defaults"""
    admin.store(stored)
    settings = admin.settings()
    assert settings["feed_url"] == ""
    assert settings["status"] == "draft"
    assert settings["schedule"]["times"] == ["09:00"]
    assert settings["author"] == 1
    assert {route["value"] for route in settings["routes"]} <= {"x"}
    assert admin.login("administrator").get(admin.page("copydesk-settings")).status_code == 200


def test_what_is_wrong_is_said_once_with_a_link(
    browser: Browser, admin: PluginAdmin, feed: FakeFeed
) -> None:
    """each one sentence and one link"""
    admin.set_options(feed_url=feed.url)
    admin.add(item_id="itm_1", title="Post", state="parked", reason="No disk.")
    admin.set_last_run(ago=3 * 86400, problems=["The feed answered 503."])
    browser.open(f"{admin.site.url}/wp-admin/index.php")
    said = browser.evaluate(OURS)
    starts = [
        "Copydesk has fetched no posts for 3 days: WordPress’s scheduler is switched off",
        "Copydesk’s last run had a problem: The feed answered 503.",
        "1 Copydesk post stopped after errors.",
    ]
    assert [one[: len(start)] for one, start in zip(said, starts, strict=True)] == starts
    links = "document.querySelectorAll('.copydesk-notice a').length"
    assert browser.evaluate(links) == 3
    editor = admin.login("editor").get(f"{admin.site.url}/wp-admin/index.php").text
    assert "1 Copydesk post stopped after errors." in text_of(editor), "for each user"
    admin.set_last_run(ago=60, problems=[])
    admin.sql("DELETE FROM wp_copydesk_items")
    browser.open(f"{admin.site.url}/wp-admin/index.php")
    assert browser.evaluate("document.querySelectorAll('.copydesk-notice').length") == 0


def test_a_timer_that_never_ran_is_said_too(admin: PluginAdmin, feed: FakeFeed) -> None:
    """nothing pulled for a day though cron should"""
    admin.set_options(feed_url=feed.url)
    due = "wp_clear_scheduled_hook( 'copydesk_run' ); wp_schedule_event( time() - {}, 'daily', "
    due += "'copydesk_run' ); wp_set_current_user( 1 ); return Copydesk_Notices::problems();"
    assert admin.php(due.format(3600)) == []
    assert "has fetched no posts for 2 days" in admin.php(due.format(2 * 86400))["late"]["sentence"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1440])
def test_everybody_can_use_the_pages(
    browser: Browser, admin: PluginAdmin, feed: FakeFeed, width: int, dark: bool
) -> None:
    """320 and 1,440 px, dark admin colour scheme …; axe-core … against our parts"""
    add_rows(admin)
    route = {"match": "rule", "value": "W" * 200, "categories": [1], "tags": ["a"], "author": 0}
    admin.set_options(
        feed_url=feed.url,
        status="schedule",
        routes=[route | {"status": "schedule", "schedule": {"days": [1], "times": ["08:00"]}}],
    )
    admin.set_last_run(ago=3 * 86400, problems=["Donaudampfschifffahrt" * 12])
    scheme = "midnight" if dark else "fresh"
    admin.php(f"update_user_meta( 1, 'admin_color', '{scheme}' );")
    for name, query in (("copydesk", ""), ("copydesk-settings", "&check=1")):
        browser.open(admin.page(name, query))
        browser.evaluate(
            "document.querySelectorAll('.wrap details').forEach(one => one.open = true)"
        )
        browser.evaluate("document.querySelector('.copydesk-routes + .button')?.click()")
        # The colours of buttons are WordPress's own, and those of this scheme are too pale.
        left_out = "[['.button'], ['.page-title-action']]" if dark else "[]"
        part = f"{{include: ['.copydesk'], exclude: {left_out}}}"
        browser.look(f"plugin-{name}-{scheme}-{admin.site.version}", width, dark, part)


def test_the_settings_can_be_made_with_the_keyboard(
    browser: Browser, admin: PluginAdmin, feed: FakeFeed
) -> None:
    """keyboard only: tab order, focus visible, labels"""
    admin.set_options(feed_url=feed.url, status="schedule")
    browser.open(admin.page("copydesk-settings"))
    expected = browser.evaluate(
        """(() => { window.order = [...document.querySelectorAll(
            '.copydesk a, .copydesk summary, .copydesk button, .copydesk select, .copydesk input')]
            .filter(one => one.type !== 'hidden' && one.checkVisibility() &&
                (one.type !== 'radio' || one.checked));
            window.order[0].focus(); return window.order.length })()"""
    )
    look = """(() => { const one = document.activeElement, style = getComputedStyle(one);
        const isSeen = style.outlineStyle !== 'none' || style.boxShadow !== 'none';
        return [window.order.indexOf(one), isSeen,
            !!(one.labels?.length || one.innerText || one.value)] })()"""
    browser.press("Tab", shift=True)
    for number in range(expected):
        browser.press("Tab")
        assert browser.evaluate(look) == [number, True, True], number
    assert expected > 15
    # The address is replaced without a mouse.
    browser.evaluate("document.querySelector('.copydesk-replace summary').focus()")
    browser.press("Enter")
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.id") == "copydesk-feed-url"
    browser.press_and_load("Enter")
    assert "Settings saved." in browser.evaluate(NOTICES)


def test_a_post_can_be_rejected_with_the_keyboard(browser: Browser, admin: PluginAdmin) -> None:
    admin.add(item_id="itm_1", title="Post", state="parked", reason="No disk.")
    browser.open(admin.page("copydesk", "&state=parked"))
    browser.evaluate("document.querySelector('#the-list .check-column input').focus()")
    for _ in range(3):
        browser.press("Tab")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert browser.evaluate(focused) == "Reject: “Post”"
    browser.press_and_load("Enter")
    assert admin.states() == {"itm_1": "rejected"}
    assert "state=parked" in browser.evaluate("location.href"), "the list stays as it was"
