"""A new owner, from the plugin's zip to the first live post, in a browser and nowhere else.

pytest -s tests/sites/test_plugin_new_owner.py tells the seconds that each step took.
"""

import itertools
import json
import time
from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from tests.support.chromium import Browser
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_site import WordPressSite, open_login
from tools import wordpress_plugin

pytestmark = pytest.mark.sites


def test_from_the_zip_to_the_first_live_post(feeds: FeedServer, tmp_path: Path) -> None:
    """from the zip to the first live post in under three minutes without a terminal"""
    archive = tmp_path / "copydesk.zip"
    wordpress_plugin.build(archive)
    feed = feeds.new()
    feed.add(make_item("itm_1"))
    steps: list[tuple[str, float]] = []
    with (
        start_or_skip(lambda: WordPressSite("trixie")) as site,
        start_or_skip(Browser) as browser,
    ):
        owner = site.users["administrator"]
        browser.resize(1440)

        def step(name: str) -> None:
            steps.append((name, time.monotonic()))

        step("")
        open_login(browser, site)
        fill(browser, "#user_login", owner.login)
        fill(browser, "#user_pass", owner.password)
        browser.submit("#wp-submit")
        if browser.evaluate("document.querySelector('#correct-admin-email') !== null"):
            browser.submit("#correct-admin-email")
        step("log in")

        browser.open(f"{site.url}/wp-admin/plugin-install.php?tab=upload")
        browser.choose_file("#pluginzip", archive)
        browser.submit("#install-plugin-submit")
        step("upload the zip")
        browser.submit("a.button-primary[href*='action=activate']")
        step("activate the plugin")

        browser.submit(".copydesk-notice a")
        fill(browser, "#copydesk-feed-url", feed.url)
        browser.evaluate("document.querySelector('[value=publish]').click()")
        browser.submit("#copydesk-save-first")
        assert "The feed responds." in browser.evaluate("document.body.innerText")
        step("paste the feed's address and save")
        browser.submit("[name=copydesk_run]")
        assert "1 post received, 1 put on the site." in browser.evaluate("document.body.innerText")
        step("run now")

        browser.submit("td.column-link a")
        title = browser.evaluate("document.querySelector('h1').innerText")
        step("read the post")
        assert title == "How to descale an espresso machine"
        assert feed.states() == {"itm_1": "used"}
        # Chromium complains of WordPress's own pages as well; ours are in test_plugin_pages.py.
        assert not [line for line in browser.complaints if "copydesk" in line]
    taken = [(name, now - before) for (_, before), (name, now) in itertools.pairwise(steps)]
    print("".join(f"\n{name}: {seconds:.1f} s" for name, seconds in taken))
    print(f"from the login page to the post: {steps[-1][1] - steps[0][1]:.1f} s")


def fill(browser: Browser, selector: str, value: str) -> None:
    """Type a value into a field."""
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
    browser.type(value)
