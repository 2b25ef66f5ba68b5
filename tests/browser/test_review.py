"""The review of a post in Chromium: the editor with and without its script, and by keyboard."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from app.services import overview, review, review_links
from app.services.context import Context
from app.settings import Settings
from app.store import database
from tests.support.chromium import Browser
from tests.support.consoles import add_held, served
from tests.support.integration import BEGIN, another_feed

pytestmark = pytest.mark.browser
HOSTILE = "<img src=/x onerror=document.title='run'><script>document.title='run'</script>"


@dataclass
class Owner:
    """Somebody with a link to two held posts, and a browser."""

    address: str
    link: str
    items: list[str]
    browser: Browser
    context: Context

    def open(self, path: str = "") -> None:
        self.browser.open(self.address + self.link + path)

    def edit(self) -> None:
        self.open(f"/{self.items[0]}/edit")

    def write(self, name: str, text: str) -> None:
        """Replace the text of a field, as a person does."""
        field = f"document.querySelector('[name={name}]')"
        self.browser.evaluate(f"({field}.focus(), {field}.select())")
        self.browser.type(text)

    def preview_has(self, text: str) -> None:
        """Wait until the preview shows a text."""
        shown = "document.querySelector('#preview').innerText"
        self.browser.until(f"{shown}.includes({json.dumps(text)})")

    def stored(self) -> Any:
        return overview.item(self.items[0])[0]


@pytest.fixture
def owner(tmp_path: Path, browser: Browser) -> Iterator[Owner]:
    url = f"sqlite:///{tmp_path / 'copydesk.db'}"
    app = create_app(Settings(database_url=url))
    database.migrate()
    feed = another_feed(url)
    ages = (timedelta(0), timedelta(hours=1))
    items = [add_held(feed.token_id, feed.rules["Coffee"], BEGIN - age) for age in ages]
    context = app.extensions["copydesk"].context
    link = f"/review/{review_links.link(context, feed.token_id)}"
    with served(app) as address:
        yield Owner(address, link, items, browser, context)


def test_from_the_list_to_an_approved_post_by_keyboard(owner: Owner) -> None:
    """each page's main action, keyboard alone"""
    browser = owner.browser
    owner.open()
    browser.evaluate("document.querySelector('td a').focus()")
    browser.press_and_load("Enter")
    browser.evaluate("document.querySelector('.decide button').focus()")
    browser.press_and_load("Enter")
    assert owner.stored().status == "pending"
    assert "Approved." in browser.text(".notice")
    # The next held post is there; it is rejected, with a reason.
    browser.evaluate("document.querySelector('.ask:last-of-type summary').focus()")
    browser.press("Enter")
    browser.press("Tab")
    browser.type("Old news")
    browser.press("Tab")
    browser.press_and_load("Enter")
    assert overview.item(owner.items[1])[0].review_note == "Old news"
    assert "No post waits for you." in browser.text("main")
    assert browser.complaints == []


def test_the_preview_follows_what_is_typed_and_runs_nothing_of_it(owner: Owner) -> None:
    """“live preview; the rules run on it”, “a small script of our own … shows its sanitised HTML,
    script-src 'self'”"""
    browser = owner.browser
    owner.edit()
    assert browser.evaluate("document.querySelector('[value=preview]').offsetParent") is None
    owner.write("title", f"Kaffee {HOSTILE}")
    owner.preview_has("Kaffee <img")
    assert browser.text("output[data-of=title]") == str(len(f"Kaffee {HOSTILE}"))
    owner.write("text", f"First words.\n\n## A *part*\n\n`{HOSTILE}` and **more**.\n")
    owner.preview_has("First words.")
    assert "What the rules find" in browser.text("#preview")
    assert (
        browser.evaluate("document.querySelectorAll('#preview img, #preview script').length") == 0
    )
    assert browser.evaluate("document.title").startswith("Edit: ")
    assert browser.violations() == []
    assert browser.complaints == []
    assert owner.stored().version == 0


def test_leaving_unsaved_changes_asks_first_and_saving_does_not(owner: Owner) -> None:
    """“leaving with unsaved changes warns”"""
    browser = owner.browser
    browser.dialogs.clear()
    owner.edit()
    owner.write("title", "Another title")
    browser.point("document.querySelector('[name=title]')")
    browser.submit(".trail a")
    assert browser.dialogs
    browser.dialogs.clear()
    owner.edit()
    browser.point("document.querySelector('[name=title]')")
    owner.write("title", "A stored title")
    browser.click("document.querySelector('[value=save]')")
    assert "Saved." in browser.text(".notice")
    assert browser.dialogs == []
    assert owner.stored().title == "A stored title"


def test_without_scripts_a_button_shows_the_preview(owner: Owner) -> None:
    """“without JavaScript a Preview button”"""
    browser = owner.browser
    browser.without_scripts(True)
    try:
        owner.edit()
        owner.write("title", "Without a script")
        browser.click("document.querySelector('[value=preview]')")
        assert "Without a script" in browser.text("#preview article")
        assert browser.evaluate("document.querySelector('#title').value") == "Without a script"
        browser.click("document.querySelector('[value=save]')")
        assert owner.stored().title == "Without a script"
    finally:
        browser.without_scripts(False)


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1440, False)])
def test_both_texts_of_a_conflict_and_all_faults_can_be_read(
    owner: Owner, width: int, dark: bool
) -> None:
    """“a conflict with another editor shows both texts so that nothing is lost”"""
    browser = owner.browser
    owner.edit()
    theirs = replace(review.draft(owner.items[0]).edit, title="By somebody else")
    review.edit(owner.context, owner.items[0], theirs)
    owner.write("title", "Mine")
    browser.click("document.querySelector('[value=save]')")
    assert "Somebody else has edited this post" in browser.text("[role=alert]")
    assert "By somebody else" in browser.text(".editing")
    assert browser.evaluate("document.querySelector('#title').value") == "Mine"
    for name in ("conflict", "faults"):
        if name == "faults":
            owner.write("title", " ")
            owner.write("text", "See https://evil.example/x")
            browser.click("document.querySelector('[value=save]')")
            browser.until("document.activeElement.id === 'title'")
        browser.look(f"review/{name}", width, dark)
