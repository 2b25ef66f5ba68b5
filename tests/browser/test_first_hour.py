"""What stopped newcomers in their first hour, as the console shows it now."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from app import create_app
from app.container import NoModel
from app.services import accounts, jobs, operators
from app.services.context import Context
from app.settings import Settings
from app.store import database
from tests.support.chromium import Browser
from tests.support.consoles import PASSWORD, add_held, add_job, served, sign_in
from tests.support.integration import Feed, another_feed
from tests.support.odd_endpoint import OddEndpoint, refused, serving

pytestmark = pytest.mark.browser

KEY = refused(401, "Incorrect API key provided: sk-…")
SHORT = "The post has 482 words; it needs at least 600. Add at least 118 words."


class Newcomer:
    """Somebody who is signed in, and keeps a picture of each page."""

    def __init__(self, address: str, app: Flask, feed: Feed, browser: Browser) -> None:
        self.app, self.feed, self.browser, self._address = app, feed, browser, address
        self.context: Context = app.extensions["copydesk"].context
        sign_in(browser, address)

    def open(self, path: str) -> None:
        self.browser.open(self._address + path)

    def sees(self, name: str, *told: str) -> None:
        """The page says that, on a desk and on a phone."""
        shown = " ".join(self.browser.text("body").split())
        for each in told:
            assert each in shown, (name, shown)
        for width, dark in ((390, True), (1440, False)):
            self.browser.look(f"first-hour/{name}", width, dark)


@pytest.fixture
def endpoint() -> Iterator[OddEndpoint]:
    with serving(KEY) as found:
        yield found


@pytest.fixture
def newcomer(tmp_path: Path, browser: Browser, endpoint: OddEndpoint) -> Iterator[Newcomer]:
    """A new installation with a feed, whose endpoint does not accept the key."""
    endpoint.listed = KEY
    url = f"sqlite:///{tmp_path / 'copydesk.db'}"
    given = {"openai_base_url": endpoint.base_url, "openai_api_key": "sk-none", "model": "m"}
    app = create_app(Settings(database_url=url, **given))
    database.migrate()
    feed, held = another_feed(url), app.extensions["copydesk"]
    operators.create_operator(held.context, "Ada", PASSWORD)
    accounts.create_key(held.context, feed.account_id)
    with served(app) as address:
        yield Newcomer(address, app, feed, browser)


def test_what_stopped_newcomers_is_told_where_they_look(newcomer: Newcomer) -> None:
    """Each of these cost a newcomer minutes, or stopped her."""
    feed, context, browser = newcomer.feed, newcomer.context, newcomer.browser
    # “Model unreachable”, and the reason only in the log.
    sentence = "does not accept the API key. Check OPENAI_API_KEY."
    job = try_to_write(newcomer)
    for name, path in (
        ("home", "/"),
        ("form", f"/console/playground?account={feed.account_id}"),
        ("job", f"/console/jobs/{job}"),
    ):
        newcomer.open(path)
        newcomer.sees(f"1-wrong-key-{name}", sentence)
    # “Write a first post ✓”, although it failed; and an error without what to change.
    finding = {"check": "too_short", "section": "post", "reason": SHORT}
    error = {"code": "CONTENT_QUALITY_FAILED", "message": "x", "details": {"findings": [finding]}}
    failed = add_job(feed.account_id, at=context.clock.now(), status="failed", error=error)
    newcomer.open("/")
    step = "[...document.querySelectorAll('.steps li')].find(e => /First post/.test(e.innerText))"
    assert browser.evaluate(f"({step}).className") == "open"
    newcomer.sees("2-failed-home", "it needs at least 600. Lower “Words, at least”", "Try again")
    newcomer.open(f"/console/jobs/{failed}")
    newcomer.sees("2-failed-job", "it needs at least 600. Lower “Words, at least”", "Try again")
    newcomer.open(f"/console/playground?again={failed}")
    newcomer.sees("2-failed-again", "Write a post")
    assert browser.evaluate("document.querySelector('#keywords').value") == "tea"
    # “An item of a feed: no button at all.”
    held = add_held(feed.token_id, feed.rules["Coffee"], context.clock.now())
    newcomer.open(f"/console/items/{held}")
    newcomer.sees("3-item", "Approve", "Edit", "Write again …", "Reject …")
    # “A rule form with five mistakes: they come one by one; no field is marked.”
    newcomer.open(f"/console/feeds/{feed.token_id}/rules/new")
    browser.evaluate("document.querySelectorAll('main details').forEach(e => e.open = true)")
    wrong = {"keywords": "", "every": "soon", "maxWords": "9", "language": "?", "targetUrl": "x"}
    for name, typed in wrong.items():
        browser.evaluate(f"document.querySelector('#{name}').value = '{typed}'")
    browser.submit("main form button")
    newcomer.sees("4-rule-form", "These fields need a change:")
    assert {
        name for name in wrong if browser.evaluate(f"!!document.querySelector('#{name}-fault')")
    } == wrong.keys()
    # “No settings page at all.”
    newcomer.open("/console/settings")
    newcomer.sees("5-settings", "openai_base_url", "Set by")
    # “A wrong address below /console: raw JSON.”
    newcomer.open("/console/nowhere")
    newcomer.sees("6-nowhere", "There is no such page.")


def test_the_local_model_is_asked_for_what_it_can_do(newcomer: Newcomer) -> None:
    """“Sources are no step”; “the form's default (600 to 1,200 words) is beyond the local model”"""
    held = newcomer.app.extensions["copydesk"]
    options = replace(held.context.options, is_local=True)
    held.context = replace(held.context, model=NoModel(), options=options)
    newcomer.open("/")
    newcomer.sees("7-sources-home", "writes only from sources, and there are none", "Name them")
    newcomer.open(f"/console/playground?account={newcomer.feed.account_id}")
    newcomer.sees("7-sources-form", "Words, at least")
    shown = "['minWords', 'maxWords'].map(name => document.querySelector('#' + name).value)"
    assert newcomer.browser.evaluate(shown) == ["150", "400"]


def try_to_write(newcomer: Newcomer) -> str:
    """Order a post, which a worker tries to write; return the id of its job."""
    job = add_job(newcomer.feed.account_id, at=newcomer.context.clock.now(), status="queued")
    assert jobs.run_next(newcomer.context, job)
    return job
