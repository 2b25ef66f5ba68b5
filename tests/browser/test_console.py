"""The console in Chromium: by keyboard, on a phone, dark and light."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app import create_app
from app.services import accounts, operators, review_links, totp
from app.settings import Settings
from app.store import database, models
from tests.support.chromium import Browser
from tests.support.consoles import PASSWORD, add_given_up, add_held, add_job, served, sign_in
from tests.support.integration import Feed, another_feed
from tests.support.startup import wait_until

pytestmark = pytest.mark.browser


@dataclass
class Console:
    """The console of a service with a key, a feed of two rules and three items, the last of them
    abandoned, a held one, a job and a webhook that was given up, and a browser."""

    address: str
    feed: Feed
    job: str
    held: str
    browser: Browser

    def open(self, path: str) -> None:
        self.browser.open(self.address + path)

    @property
    def pages(self) -> list[str]:
        account, feed = (
            f"/console/accounts/{self.feed.account_id}",
            f"/console/feeds/{self.feed.token_id}",
        )
        rule, item = (
            f"/console/rules/{self.feed.rules['Coffee']}",
            f"/console/items/{self.feed.items[0]}",
        )
        link = f"/review/{review_links.link(self.feed.context, self.feed.token_id)}"
        return [
            "/",
            "/console/feeds",
            "/console/posts",
            f"/console/posts?feed={self.feed.token_id}",
            "/console/posts?state=failed",
            "/console/posts?state=stopped",
            "/console/posts?state=held&done=approved",
            f"/console/items/{self.held}",
            f"/console/items/{self.held}/edit",
            f"{feed}/review",
            "/console/webhooks",
            "/console/accounts",
            "/console/accounts/new",
            "/console/audit",
            "/console/settings",
            "/console/codes",
            account,
            f"{account}/feeds/new",
            f"{account}/delete",
            feed,
            f"{feed}/rotate",
            f"{feed}/delete",
            f"{feed}/rules/new",
            rule,
            f"{rule}/edit",
            f"{rule}/delete",
            item,
            f"/console/items/{self.feed.items[-1]}",
            f"/console/jobs/{self.job}",
            f"/console/playground?account={self.feed.account_id}",
            "/console/items/itm_none",
            link,
            f"{link}/{self.held}",
            f"{link}/{self.held}/edit",
            "/review/none",
        ]


@pytest.fixture
def console(tmp_path: Path, browser: Browser) -> Iterator[Console]:
    url = f"sqlite:///{tmp_path / 'copydesk.db'}"
    app = create_app(Settings(database_url=url))
    database.migrate()
    feed = another_feed(url)
    *_, abandoned = feed.add_items("Coffee", 3)
    with database.writing() as session:
        session.get_one(models.FeedItem, abandoned).status = "abandoned"
    context = app.extensions["copydesk"].context
    job, now = example_job(feed, context.clock.now()), context.clock.now()
    add_given_up(job, now, last_answer="HTTP 503")
    held = add_held(feed.token_id, feed.rules["Coffee"], now)
    accounts.create_key(context, feed.account_id)
    operators.create_operator(context, "Ada", PASSWORD)
    with served(app) as address:
        yield Console(address, feed, job, held, browser)


def example_job(feed: Feed, now: datetime) -> str:
    """A job with its post, its evidence, and evidence of the first item."""
    html = "<p>Take 100 g.</p><table><tbody><tr><td>Water</td><td>1 l</td></tr></tbody></table>"
    job = add_job(
        feed.account_id,
        at=now,
        request={"keywords": ["cold brew ratio"], "constraints": {"maxWords": 900}},
        result={
            "post": {"title": "Cold brew"},
            "rendered": {"markdown": "Take 100 g.", "html": html},
            "quality": {"revisionCount": 1},
        },
    )
    claim = {"claim": "Take 100 g.", "url": "https://example.com/", "sentence": "Yes."}
    finding = {"check": "reader", "section": "post", "reason": "Name a temperature."}
    score = {"total": 86, "mark": 8.6, "findings": [finding]}
    with database.writing() as session:
        for number, post_id in enumerate((job, feed.items[0])):
            known = {"post_id": post_id, "account_id": feed.account_id, "created_at": now}
            found = {"sources": [], "coverage": [claim], "score": score}
            session.add(models.Evidence(id=f"evd_{number}", **known, **found))
    return job


def test_by_keyboard_from_the_sign_in_page_to_a_new_rule(console: Console) -> None:
    """each page's main action, keyboard alone; no console error"""
    browser = console.browser
    sign_in(browser, console.address)
    assert browser.text("h1") == "Home"
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.textContent") == "Skip to the content"
    console.open(f"/console/feeds/{console.feed.token_id}/rules/new")
    browser.evaluate("document.querySelector('#keywords').focus()")
    browser.type("oat milk")
    browser.press("Tab")
    browser.press_and_load("Enter")
    assert browser.text("h1") == "oat milk"
    assert browser.complaints == []


def test_an_operator_turns_codes_on_by_keyboard(console: Console) -> None:
    """optional TOTP"""
    browser = console.browser
    sign_in(browser, console.address)
    browser.submit("header .menu a[href$=codes]")
    secret = browser.text("pre").replace(" ", "").strip()
    browser.evaluate("document.querySelector('#code').focus()")
    browser.type(totp.code_at(secret, int(time.time()) // 30))
    browser.press("Tab")
    browser.type(PASSWORD)
    browser.press_and_load("Enter")
    assert browser.text("main strong") == "On."
    browser.submit("header .who button")
    sign_in(browser, console.address)
    assert browser.text("[role=alert]") == "The name, the password or the code is wrong."
    assert [line for line in browser.complaints if "403" not in line] == []


def test_a_wrong_form_keeps_what_was_typed_and_says_what_is_wrong(console: Console) -> None:
    """each page's main action, its errors"""
    browser = console.browser
    sign_in(browser, console.address)
    console.open(f"/console/rules/{console.feed.rules['Coffee']}/edit")
    browser.evaluate("document.querySelector('#maxWords').focus()")
    browser.type("9")
    browser.press_and_load("Enter")
    assert "Words, at most: Must be at least 50." in browser.text("[role=alert]")
    browser.until("document.activeElement.id === 'maxWords'")
    assert browser.evaluate("document.querySelector('#maxWords').value") == "9"
    assert browser.evaluate("document.querySelector('#keywords').value") == "Coffee"
    browser.evaluate("document.querySelector('#maxWords').select()")
    browser.type("900")
    browser.press_and_load("Enter")
    assert browser.text("h1") == "Coffee"
    assert "900" in browser.text("main")


def test_from_an_account_to_a_feed_by_keyboard(console: Console) -> None:
    """keys (create a key, shown once; revoke); create a feed (feed URL shown once)"""
    browser = console.browser
    sign_in(browser, console.address)
    console.open("/console/accounts/new")
    browser.evaluate("document.querySelector('#name').focus()")
    browser.type("Shop")
    browser.press_and_load("Enter")
    assert browser.text("h1") == "Shop"
    browser.evaluate("document.querySelector('form[action$=\"/keys\"] button').focus()")
    browser.press_and_load("Enter")
    assert browser.text("pre").startswith("cd_live_")
    browser.submit("a.button")
    assert "cd_live_…" in browser.text("main")
    browser.evaluate("document.querySelector('input[name=chosen]').focus()")
    browser.press(" ")
    browser.evaluate("document.querySelector('#chosen summary').focus()")
    browser.press("Enter")
    browser.press("Tab")
    browser.press_and_load("Enter")
    assert "revoked" in browser.text("main")
    browser.submit("a[href$='/feeds/new']")
    browser.evaluate("document.querySelector('#name').focus()")
    browser.type("Blog")
    browser.press_and_load("Enter")
    assert "/v1/content-tokens/ct_" in browser.text("pre")
    assert browser.complaints == []


def test_enter_on_a_ticked_row_sends_nothing(console: Console) -> None:
    """Browsers press the first button of the form: it would revoke a key without a question."""
    browser = console.browser
    sign_in(browser, console.address)
    console.open(f"/console/accounts/{console.feed.account_id}")
    browser.evaluate(
        "document.querySelector('#chosen').addEventListener('submit',"
        " event => { document.title = event.submitter.formMethod })"
    )
    browser.evaluate("document.querySelector('input[name=chosen]').focus()")
    browser.press(" ")
    browser.press("Enter")
    # By this method, a form outside of a dialog sends nothing.
    assert browser.evaluate("document.title") == "dialog"
    assert "revoked" not in browser.text("main")


def test_times_are_of_the_readers_zone_and_commands_are_copied(console: Console) -> None:
    """“times in the operator's zone (a <time datetime> that a small script of our own localises,
    UTC without it; CSP stays); copy buttons (progressive) for every shown secret and command”"""
    browser, path = console.browser, f"/console/jobs/{console.job}"
    sign_in(browser, console.address)
    browser.without_scripts(True)
    console.open(path)
    shown = browser.text("time")
    assert shown.endswith(" UTC")
    assert browser.evaluate("document.querySelectorAll('button.copies').length") == 0
    browser.without_scripts(False)
    browser.set_zone("Asia/Tokyo")
    console.open(path)
    browser.set_zone("")
    at = datetime.strptime(shown.removesuffix(" UTC") + " +0000", "%d %b %Y, %H:%M %z")
    there = at.astimezone(ZoneInfo("Asia/Tokyo"))
    assert browser.text("time") == f"{there.day} {there:%b %Y, %H:%M} GMT+9"
    commands = browser.evaluate("document.querySelectorAll('main pre').length")
    assert browser.evaluate("document.querySelectorAll('button.copies').length") == commands
    browser.evaluate("document.querySelector('section button.copies').focus()")
    browser.press("Enter")
    wait_until(lambda: browser.text("section button.copies") == "Copied", 10, "it is copied")
    console.open("/console/accounts/new")
    browser.evaluate("document.querySelector('#name').focus()")
    browser.paste()
    assert "curl -X POST" in browser.evaluate("document.querySelector('#name').value")
    assert browser.complaints == []


@pytest.mark.parametrize(("width", "dark"), [(320, True), (1440, False)])
def test_every_page_fits_and_can_be_read(console: Console, width: int, dark: bool) -> None:
    """320 and 1,440 px, dark and light; axe-core finds nothing; no console error"""
    browser = console.browser
    sign_in(browser, console.address)
    for number, path in enumerate(console.pages):
        console.open(path)
        name = "-".join(re.findall("[a-z]+", re.sub("_[0-9A-Z]+", "", path))) or "home"
        browser.look(f"console/{number:02}-{name}", width, dark)
    missing = [line for line in browser.complaints if "404" not in line]
    assert missing == []
