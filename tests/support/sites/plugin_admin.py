"""The pages of the Copydesk plugin on a real WordPress of the tests: installed, seen, called.

with WordPressSite("trixie") as site:
    admin = PluginAdmin(site)
    admin.install()
    admin.add(item_id="itm_1", title="A title", state="parked", reason="No disk.")
    page = admin.login("editor").get(admin.page("copydesk")).text
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from bs4 import BeautifulSoup, Tag

from tests.support.sites.live_site import REQUEST_SECONDS
from tests.support.sites.plugin_site import PLUGIN, PluginSite, encoded
from tests.support.sites.wordpress_site import SCRIPTS


class Session(requests.Session):
    """A user's cookies, and what a browser does with a form."""

    def form(self, url: str, selector: str) -> dict[str, list[str]]:
        """The fields that a form of a page would send, as its server filled them in."""
        form = BeautifulSoup(self.get(url).text, "html.parser").select_one(selector)
        assert form is not None, f"{url} has no {selector}"
        return fields_of(form)


@dataclass(frozen=True)
class PluginAdmin(PluginSite):
    """The plugin on one site, whose code runs in the site's own web server."""

    def install(self, folder: Path = PLUGIN) -> None:
        """Put the plugin among the site's plugins and activate it."""
        self.site.add_plugin(SCRIPTS / "plugin-eval.php")
        super().install(folder)
        # No question after the login, and no pictures from other servers.
        self.php("update_option( 'admin_email_lifespan', time() + YEAR_IN_SECONDS );")
        self.php("update_option( 'show_avatars', 0 );")

    def page(self, name: str, query: str = "") -> str:
        """The address of a page of the plugin."""
        return f"{self.site.url}/wp-admin/admin.php?page={name}{query}"

    def php(self, code: str) -> Any:
        """What the code returns, run as a page of the administration would, as nobody."""
        answer = requests.post(
            f"{self.site.url}/wp-admin/admin-ajax.php?action=copydesk_eval",
            data=code.encode(),
            headers={"X-Secret": self.site.secret, "Content-Type": "text/plain"},
            timeout=REQUEST_SECONDS,
        )
        assert answer.status_code == 200, answer.text
        return json.loads(answer.text.splitlines()[-1])

    def settings(self) -> dict[str, Any]:
        """The settings that are in force."""
        return dict(self.php("return Copydesk_Settings::get();"))

    def set_last_run(self, **run: Any) -> None:
        """Store what the last run did; ``ago`` is in seconds."""
        run["at"] = "NOW"
        value = f"json_decode( base64_decode( '{encoded(run)}' ), true )"
        self.php(
            f"$run = {value}; $run['at'] = time() - ( $run['ago'] ?? 0 ); "
            "update_option( 'copydesk_last_run', $run, false );"
        )

    def clear(self) -> None:
        """Delete all posts, rows, settings and what users dismissed."""
        self.sql(
            "DELETE FROM wp_copydesk_items; DELETE FROM wp_posts; DELETE FROM wp_postmeta; "
            "DELETE FROM wp_options WHERE option_name LIKE '%copydesk\\_said%' "
            "OR option_name = 'copydesk_last_run'; "
            "DELETE FROM wp_usermeta WHERE meta_key LIKE 'copydesk%'"
        )
        self.set_options()

    def add(self, **row: Any) -> None:
        """Write a row of an item into the plugin's table."""
        now = "2026-11-20 08:00:00"
        row = {"body": "", "reason": "", "received_at": now, "updated_at": now} | row
        value = f"json_decode( base64_decode( '{encoded(row)}' ), true )"
        self.php(f"global $wpdb; $wpdb->insert( $wpdb->prefix . 'copydesk_items', {value} );")

    def states(self) -> dict[str, str]:
        """The state of each item by id."""
        lines = self.sql("SELECT item_id, state FROM wp_copydesk_items ORDER BY item_id")
        return dict(line.split("\t") for line in lines)

    def login(self, role: str) -> Session:
        """A session of the user with that role; an empty role is nobody."""
        session = Session()
        session.request = _bounded(session.request)  # type: ignore[method-assign]
        if role:
            user = self.site.users[role]
            fields = {"log": user.login, "pwd": user.password, "testcookie": "1"}
            session.cookies.set("wordpress_test_cookie", "WP%20Cookie%20check")
            answer = session.post(
                f"{self.site.url}/wp-login.php", data=fields, allow_redirects=False
            )
            assert answer.status_code == 302, "the login was refused"
        return session

    def nonce(self, session: Session, role: str, action: str) -> str:
        """The nonce that the site would give this session for an action, allowed or not."""
        name, cookie = next(
            (name, value)
            for name, value in session.cookies.get_dict().items()
            if name.startswith("wordpress_logged_in_")
        )
        return str(
            self.php(
                f"$_COOKIE['{name}'] = urldecode( '{cookie}' ); "
                f"wp_set_current_user( get_user_by( 'login', '{role}' )->ID ); "
                f"return wp_create_nonce( '{action}' );"
            )
        )


def fields_of(form: Tag) -> dict[str, list[str]]:
    """The fields that a form sends, without those of its buttons."""
    fields: dict[str, list[str]] = {}
    for field in form.select("input[name], select[name], textarea[name]"):
        kind = field.get("type")
        if field.name == "select":
            options = field.select("option[selected]") or field.select("option")[:1]
            values = [str(option.get("value", "")) for option in options]
        elif kind in {"checkbox", "radio"}:
            values = [str(field.get("value", "on"))] if field.has_attr("checked") else []
        else:
            values = [] if kind == "submit" else [str(field.get("value", ""))]
        if values:
            fields.setdefault(str(field["name"]), []).extend(values)
    return fields


def text_of(html: str) -> str:
    """What people read of a page, in one line."""
    return re.sub(r"\s+", " ", BeautifulSoup(html, "html.parser").get_text(" "))


def _bounded(request: Any) -> Any:
    def bounded(*args: Any, **options: Any) -> requests.Response:
        options.setdefault("timeout", REQUEST_SECONDS)
        return request(*args, **options)  # type: ignore[no-any-return]

    return bounded
