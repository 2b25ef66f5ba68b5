"""Hostile requests of each role to each page, form and action of the WordPress plugin."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup

from connectors.tests.feed_server import FeedServer
from tests.support.sites.plugin_admin import PluginAdmin, Session, text_of

pytestmark = pytest.mark.sites

ROLES = ("", "subscriber", "contributor", "author", "editor", "administrator")
MAY_ACT = {"editor", "administrator"}
MAY_SET = {"administrator"}
REFUSED = {302, 400, 401, 403}
EVIL = "\"'></option></textarea><img data-evil src=x onerror=alert(1)><script data-evil>&lt;b&gt;"
SQL = [
    "' OR 1=1 -- ",
    "') OR ('1'='1",
    "\\",
    "%",
    "_",
    "1; DROP TABLE wp_copydesk_items",
    "\x00",
    "%s",
]


@pytest.fixture(scope="module")
def sessions(plugin_admin: PluginAdmin) -> dict[str, Session]:
    """A session of each role, and one of nobody."""
    return {role: plugin_admin.login(role) for role in ROLES}


@pytest.fixture
def admin(plugin_admin: PluginAdmin) -> Iterator[PluginAdmin]:
    """The plugin with two items; afterwards neither PHP nor the database has complained."""
    plugin_admin.clear()
    plugin_admin.add(item_id="itm_1", title="One", state="received")
    plugin_admin.add(item_id="itm_2", title="Two", state="parked", reason="No disk.")
    with plugin_admin.without_complaints():
        yield plugin_admin


def post(
    session: Session, admin: PluginAdmin, path: str, fields: dict[str, Any], nonce: str = ""
) -> int:
    """Send a form without following what it leads to; the status of the answer."""
    answer = session.post(
        f"{admin.site.url}/wp-admin/{path}",
        data=fields | ({"_wpnonce": nonce} if nonce else {}),
        allow_redirects=False,
    )
    if answer.status_code == 302 and "wp-login.php" in answer.headers["Location"]:
        return 401
    return answer.status_code


@pytest.mark.parametrize("role", ROLES)
def test_pages_are_for_those_who_may(
    admin: PluginAdmin, sessions: dict[str, Session], role: str
) -> None:
    """manage_options for settings; items page edit_others_posts for seeing and acting"""
    for page, allowed in (("copydesk", MAY_ACT), ("copydesk-settings", MAY_SET)):
        answer = sessions[role].get(admin.page(page), allow_redirects=False)
        assert (answer.status_code == 200) == (role in allowed), (page, answer.status_code)
        assert role in allowed or answer.status_code in REFUSED
        assert role in allowed or "itm_1" not in answer.text
    if role:
        menu = sessions[role].get(f"{admin.site.url}/wp-admin/profile.php").text
        assert ("page=copydesk" in menu) == (role in MAY_ACT)
        assert ("page=copydesk-settings" in menu) == (role in MAY_SET)


@pytest.mark.parametrize("role", ROLES)
def test_settings_are_changed_by_those_who_may(
    admin: PluginAdmin, sessions: dict[str, Session], role: str
) -> None:
    session = sessions[role]
    fields = {"option_page": "copydesk_settings", "action": "update"}
    fields |= {"copydesk_settings[status]": "pending"}
    for nonce in ("", "0123456789"):
        assert post(session, admin, "options.php", fields, nonce) in REFUSED
        assert admin.settings()["status"] == "draft"
    nonce = admin.nonce(session, role, "copydesk_settings-options") if role else ""
    status = post(session, admin, "options.php", fields, nonce)
    assert (status == 302) == (role in MAY_SET), status
    assert admin.settings()["status"] == ("pending" if role in MAY_SET else "draft")


@pytest.mark.parametrize("role", ROLES)
def test_no_other_way_leads_to_the_settings(
    admin: PluginAdmin, sessions: dict[str, Session], feeds: FeedServer, role: str
) -> None:
    url = feeds.new().url
    admin.set_options(feed_url=url)
    token = url.split("/")[-2]
    auth = (admin.site.users[role].login, admin.site.app_password(role)) if role else None
    rest = f"{admin.site.url}/wp-json/wp/v2/settings"
    got = Session().get(rest, auth=auth, timeout=30)
    assert token not in got.text
    assert "copydesk" not in got.text
    Session().post(rest, json={"copydesk_settings": {"status": "publish"}}, auth=auth, timeout=30)
    assert admin.settings()["status"] == "draft"
    for path in ("", "admin-ajax.php?action=copydesk", "admin-post.php?action=copydesk_run"):
        assert token not in sessions[role].get(f"{admin.site.url}/wp-admin/{path}").text


@pytest.mark.parametrize("role", ROLES)
def test_actions_are_for_those_who_may(
    admin: PluginAdmin, sessions: dict[str, Session], role: str
) -> None:
    """Every form and action: nonce + capability"""
    session = sessions[role]
    page = "admin.php?page=copydesk"
    forms: list[dict[str, Any]] = [
        {"copydesk_one": "never|itm_1"},
        {"action": "never", "items[]": ["itm_1", "itm_2"]},
        {"action": "-1", "action2": "never", "items[]": ["itm_1"]},
    ]
    other = admin.nonce(session, role, "copydesk_run") if role else "0123456789"
    for form in forms:
        for nonce in ("", "0123456789", other):
            assert post(session, admin, page, form, nonce) in REFUSED - {302}
        # A link does nothing, whatever it says.
        session.get(f"{admin.site.url}/wp-admin/{page}", params=form | {"_wpnonce": other})
    assert admin.states() == {"itm_1": "received", "itm_2": "parked"}
    nonce = admin.nonce(session, role, "bulk-copydesk-items") if role else ""
    status = post(session, admin, page, forms[0], nonce)
    assert (status == 302) == (role in MAY_ACT), status
    assert admin.states()["itm_1"] == ("never" if role in MAY_ACT else "received")


@pytest.mark.parametrize("role", ROLES)
def test_a_run_is_begun_by_those_who_may(
    admin: PluginAdmin, sessions: dict[str, Session], feeds: FeedServer, role: str
) -> None:
    admin.set_options(feed_url=feeds.new().url)
    session = sessions[role]
    ran = "SELECT COUNT(*) FROM wp_options WHERE option_name = 'copydesk_last_run'"
    other = admin.nonce(session, role, "bulk-copydesk-items") if role else "0123456789"
    for nonce in ("", other):
        status = post(session, admin, "admin.php?page=copydesk", {"copydesk_run": "1"}, nonce)
        assert status in REFUSED - {302}
        assert admin.sql(ran) == ["0"]
    nonce = admin.nonce(session, role, "copydesk_run") if role else ""
    status = post(session, admin, "admin.php?page=copydesk", {"copydesk_run": "1"}, nonce)
    assert (status == 302) == (role in MAY_ACT)
    assert admin.sql(ran) == ["1" if role in MAY_ACT else "0"]


@pytest.mark.parametrize(
    ("capability", "denied", "allowed"),
    [
        ("publish_posts", ["publish_now|itm_1", "retry|itm_2"], "reject|itm_1"),
        ("delete_others_posts", ["reject|itm_1", "never|itm_2"], "publish_now|itm_1"),
    ],
)
def test_who_may_not_publish_or_delete_may_not_do_so_here(
    admin: PluginAdmin,
    sessions: dict[str, Session],
    capability: str,
    denied: list[str],
    allowed: str,
) -> None:
    """capability … checked for each page and route of the plugin"""
    admin.php(f"get_role( 'editor' )->remove_cap( '{capability}' );")
    try:
        session = sessions["editor"]
        page = session.get(admin.page("copydesk")).text
        assert allowed in page
        nonce = admin.nonce(session, "editor", "bulk-copydesk-items")
        before = admin.states()
        for one in denied:
            assert one not in page
            action, item = one.split("|")
            for form in ({"copydesk_one": one}, {"action": action, "items[]": [item]}):
                assert post(session, admin, "admin.php?page=copydesk", form, nonce) == 403
        assert admin.states() == before
    finally:
        admin.php(f"get_role( 'editor' )->add_cap( '{capability}' );")


def test_texts_of_strangers_are_text(admin: PluginAdmin, sessions: dict[str, Session]) -> None:
    """escaping of hostile titles/reasons/rule names; everything escaped late"""
    for number, state in enumerate(("received", "parked", "live", "draft", "<b data-evil>")):
        row = {"title": EVIL, "reason": EVIL, "rule": EVIL, "state": state}
        admin.add(item_id=f"{number}{EVIL[:40]}", **row)
    admin.set_last_run(ago=9 * 86400, problems=[EVIL], pulled=EVIL)
    made = "return wp_insert_category( array( 'cat_name' => 'C' ) );"
    category = admin.php(made)
    admin.sql(f"UPDATE wp_terms SET name = {sql_text(EVIL)} WHERE term_id = {category}")
    admin.sql(f"UPDATE wp_users SET display_name = {sql_text(EVIL)} WHERE user_login = 'author'")
    route = {
        "match": "rule",
        "value": EVIL,
        "categories": [category],
        "tags": [EVIL],
        "status": EVIL,
    }
    admin.set_options(
        feed_url="https://feed.example/v1/content-tokens/x/latest", status=EVIL, routes=[route]
    )
    session = sessions["administrator"]
    evil = quote(EVIL)
    for path in (
        "admin.php?page=copydesk", f"admin.php?page=copydesk&s={evil}&state={evil}&paged={evil}",
        f"admin.php?page=copydesk&orderby={evil}&order={evil}", "index.php", "plugins.php",
        "admin.php?page=copydesk-settings", f"admin.php?page=copydesk-settings&check={evil}",
    ):  # fmt: skip
        page = session.get(f"{admin.site.url}/wp-admin/{path}")
        assert page.status_code == 200
        assert BeautifulSoup(page.text, "html.parser").select("[data-evil]") == [], path
        assert "<img data-evil" not in page.text
    assert EVIL[:60] in text_of(session.get(admin.page("copydesk")).text)
    # Sentences about them are text too.
    nonce = admin.nonce(session, "administrator", "bulk-copydesk-items")
    ids = [f"2{EVIL[:40]}", EVIL]
    fields: dict[str, Any] = {"action": "never", "items[]": ids, "_wpnonce": nonce, "s": EVIL}
    page = session.post(admin.page("copydesk"), data=fields)
    assert BeautifulSoup(page.text, "html.parser").select("[data-evil]") == []
    assert "is no longer in the list" in text_of(page.text)


def test_what_the_form_sends_is_stored_as_text(
    admin: PluginAdmin, sessions: dict[str, Session]
) -> None:
    session = sessions["administrator"]
    fields: dict[str, Any] = session.form(admin.page("copydesk-settings"), "form.copydesk-settings")
    new = "copydesk_settings[routes][new]"
    fields |= {f"{new}[value]": EVIL, f"{new}[tags]": EVIL, f"{new}[categories][]": ["1", EVIL]}
    fields |= {"copydesk_settings[seo][]": EVIL, "copydesk_settings[json_ld][x]": EVIL}
    fields |= {"copydesk_settings[unknown]": EVIL}
    answer = session.post(f"{admin.site.url}/wp-admin/options.php", data=fields)
    assert BeautifulSoup(answer.text, "html.parser").select("[data-evil]") == []
    settings = admin.settings()
    assert "unknown" not in settings
    assert settings["seo"] == "auto"
    (route,) = settings["routes"]
    assert route["categories"] == [1]
    assert "<" not in json.dumps(route)


def test_questions_to_the_database_are_prepared(
    admin: PluginAdmin, sessions: dict[str, Session]
) -> None:
    """prepared SQL only"""
    session = sessions["administrator"]
    admin.add(item_id="itm_3", title="100 % of it", state="live")
    for text in SQL:
        for name in ("s", "state", "paged", "orderby", "copydesk_one"):
            page = session.get(admin.page("copydesk"), params={name: text})
            assert page.status_code == 200, (name, text)
        found = text_of(session.get(admin.page("copydesk"), params={"s": text}).text)
        assert "One" not in found or not text.strip("\x00 ") or text == "_", text
    assert "100 % of it" in text_of(session.get(admin.page("copydesk", "&s=%25")).text)
    nonce = admin.nonce(session, "administrator", "bulk-copydesk-items")
    for fields in (
        {"action": "never", "items[]": SQL},
        {"action": "never", "items[][x]": "itm_1"},
        {"action": "never", "items": "itm_1"},
        {"action[]": "never", "items[]": "itm_1"},
        {"copydesk_one[]": "never|itm_1"},
        {"copydesk_one": "drop|itm_1"},
        {"copydesk_one": "never|ITM_1' OR '1'='1"},
        {"action": "never", "items[]": "x" * 100000},
        {"s[]": "x", "state[]": "x", "paged[]": "x"},
    ):
        assert post(session, admin, "admin.php?page=copydesk", fields, nonce) == 302, fields
    for name in ("s[]", "state[]", "paged[]"):
        session.get(f"{admin.site.url}/wp-admin/admin.php?page=copydesk", params={name: "x"})
    assert admin.states() == {"itm_1": "received", "itm_2": "parked", "itm_3": "live"}


def test_files_say_nothing_when_they_are_called_directly(admin: PluginAdmin) -> None:
    folder = admin.root / "wp-content" / "plugins" / "copydesk"
    for file in sorted(folder.rglob("*.php")):
        path = file.relative_to(admin.root)
        answer = Session().get(f"{admin.site.url}/{path}", timeout=30)
        assert (answer.status_code, answer.text) == (200, ""), path


def sql_text(text: str) -> str:
    """A text as a literal of MariaDB."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
