"""The console in Chromium: by keyboard, on a phone, dark and light."""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from werkzeug.serving import WSGIRequestHandler, make_server

from app import create_app
from app.services import operators
from app.settings import Settings
from app.store import database
from tests.support.chromium import Browser
from tests.support.integration import Feed, another_feed
from tests.support.sites.plugin_admin import axe
from tests.support.sites.programs import NotInstalled

pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"


@dataclass
class Console:
    """The console of a service with a feed of two rules and three items, and a browser."""

    address: str
    feed: Feed
    browser: Browser

    def open(self, path: str) -> None:
        self.browser.open(self.address + path)

    @property
    def pages(self) -> list[str]:
        feed, rule, item = self.feed.token_id, self.feed.rules["Coffee"], self.feed.items[0]
        lists = ["/", "/feeds", "/items", "/jobs", "/webhooks", "/accounts", "/audit"]
        return [*lists, f"/feeds/{feed}", f"/rules/{rule}", f"/items/{item}", "/items/itm_none"]


class Quiet(WSGIRequestHandler):
    def log(self, *_: object, **__: object) -> None:
        """The test prints nothing of a good run."""


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    url = f"sqlite:///{tmp_path / 'copydesk.db'}"
    app = create_app(Settings(database_url=url))
    database.bound().migrate()
    feed = another_feed(url)
    feed.add_items("Coffee", 3)
    operators.create_operator(app.extensions["copydesk"].context, "Ada", PASSWORD)
    # With threads: a browser opens connections that it may never use.
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    with Browser() as browser:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield Console(f"http://127.0.0.1:{server.server_port}", feed, browser)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
            database.bound().dispose()


def sign_in(console: Console) -> None:
    """By keyboard: the name has the focus."""
    browser = console.browser
    console.open("/")
    browser.evaluate(
        "new Promise(done => { const look = () => document.activeElement.id === 'name'"
        " ? done(true) : requestAnimationFrame(look); look() })"
    )
    browser.type("Ada")
    browser.press("Tab")
    browser.type(PASSWORD)
    browser.press_and_load("Enter")


def test_by_keyboard_from_the_sign_in_page_to_a_new_rule(console: Console) -> None:
    """each page's main action, keyboard alone; no console error"""
    browser = console.browser
    sign_in(console)
    assert browser.evaluate("document.querySelector('h1').textContent") == "Home"
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.textContent") == "Skip to the content"
    console.open(f"/feeds/{console.feed.token_id}")
    browser.evaluate("document.querySelector('#keywords').focus()")
    browser.type("oat milk")
    for _ in range(3):
        browser.press("Tab")
    browser.press_and_load("Enter")
    assert browser.evaluate("document.querySelector('h1').textContent") == "oat milk"
    assert browser.complaints == []


@pytest.mark.parametrize(("width", "dark"), [(320, True), (1440, False)])
def test_every_page_fits_and_can_be_read(
    console: Console, width: int, dark: bool, axe_script: str
) -> None:
    """320 and 1,440 px, dark and light; axe-core finds nothing; no console error"""
    browser = console.browser
    sign_in(console)
    browser.resize(width, 900, dark=dark)
    kept = Path(os.environ.get("ARTIFACTS") or "var/artifacts") / "console"
    kept.mkdir(parents=True, exist_ok=True)
    for path in console.pages:
        console.open(path)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width, path
        browser.evaluate(axe_script)
        found = browser.evaluate(
            "axe.run().then(({violations}) => violations.map(one => "
            "[one.id, one.nodes.map(node => node.html.slice(0, 200))]))"
        )
        assert found == [], path
        name = path.strip("/").split("/")[0] or "home"
        browser.screenshot(kept / f"{name}-{width}-{'dark' if dark else 'light'}.png")
    missing = [line for line in browser.complaints if "404" not in line]
    assert missing == []


@pytest.fixture(scope="session")
def axe_script() -> str:
    """The script of axe-core; without npm the tests are skipped, but never in CI."""
    try:
        return axe()
    except NotInstalled as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
