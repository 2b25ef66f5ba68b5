"""A new operator, from the first page of a new service to a post on a real WordPress: one browser,
one mouse, and nothing that is not real but the model."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chromium import Browser
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_site import WordPressSite, log_in
from tools import wordpress_plugin

pytestmark = [pytest.mark.sites, pytest.mark.browser]

PASSWORD = "correct horse battery"


@pytest.fixture
def site() -> Iterator[WordPressSite]:
    """A new WordPress."""
    with start_or_skip(lambda: WordPressSite("trixie")) as site:
        yield site


@pytest.fixture
def service() -> Iterator[CopydeskService]:
    """A new service: nobody has used it yet."""
    with ProcessGroup() as group:
        yield CopydeskService(group, ScriptedModel(group).url)


def test_from_the_first_page_to_a_post_on_wordpress(
    site: WordPressSite, service: CopydeskService, tmp_path: Path
) -> None:
    """first run to a post on a real WordPress, in real Chromium, nothing mocked but the model; from
    the plugin's zip to the first live post without a terminal"""
    archive = tmp_path / "copydesk.zip"
    wordpress_plugin.build(archive)
    with start_or_skip(Browser) as browser:
        browser.resize(1440)
        person = Person(browser)

        browser.open(service.url)
        command = browser.text("pre").strip()
        assert command == "copydesk-server operator create NAME"
        service.cli("operator", "create", "ada", typed=f"{PASSWORD}\n")
        person.follow("reload this page")
        person.fill("name", "ada")
        person.fill("password", PASSWORD)
        person.follow("Sign in")
        assert person.steps_done() == ["Model", "Address"]

        person.follow("Answer them one by one")
        person.follow("Skip this")
        # The address is set.
        person.follow("Next")
        person.fill("name", "Shop blog")
        browser.point("document.getElementById('review')")
        person.follow("Create its feed")
        person.fill("keywords", "espresso grinder")
        person.follow("Add the rule")
        browser.wait_for("main section a[href*='/items/itm_']")
        person.follow("Read the post")
        title = browser.text("h1")
        browser.open(f"{service.url}/console/setup")
        person.follow("Show the feed URL")
        browser.point("document.querySelector('pre code')", clicks=3)
        browser.copy()

        log_in(browser, site)
        browser.open(f"{site.url}/wp-admin/plugin-install.php?tab=upload")
        browser.choose_file("#pluginzip", archive)
        browser.submit("#install-plugin-submit")
        browser.submit("a.button-primary[href*='action=activate']")
        browser.click("document.querySelector('.copydesk-notice a')")
        browser.point("document.querySelector('#copydesk-feed-url')")
        browser.paste()
        browser.point("document.querySelector('[value=publish]')")
        browser.click("document.querySelector('#copydesk-save-first')")
        assert "The feed responds." in person.page()
        browser.click("document.querySelector('[name=copydesk_run]')")
        assert "1 post received, 1 put on the site." in person.page()
        browser.click("document.querySelector('td.column-link a')")
        assert browser.text("h1") == title
        # What a reader without a login gets.
        assert title in site.page_html(browser.evaluate("location.href"))

        browser.open(service.url)
        assert "First steps" not in person.page()
        assert "Database, queue and model are ok" in person.page()
        # Chromium complains of WordPress's own pages as well.
        ours = re.compile(rf"copydesk|{re.escape(service.url)}")
        assert not [line for line in browser.complaints if ours.search(line)]


class Person:
    """Who reads a page, clicks with the mouse and types."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def follow(self, label: str) -> None:
        """Click the link or button of that label, and wait for its page."""
        controls = "[...document.querySelectorAll('a, button')]"
        control = f"{controls}.find(one => one.innerText === {json.dumps(label)})"
        assert self._browser.evaluate(f"!!{control}"), f"no “{label}” on this page: {self.page()}"
        self._browser.click(control)

    def fill(self, field: str, text: str) -> None:
        """Click into a field and type."""
        self._browser.point(f"document.getElementById({json.dumps(field)})")
        self._browser.type(text)

    def page(self) -> str:
        """What the page says."""
        return self._browser.text("body")

    def steps_done(self) -> list[str]:
        """The first steps with a tick."""
        done = "[...document.querySelectorAll('.steps .done strong')].map(one => one.innerText)"
        return list(self._browser.evaluate(done))
