"""From an empty folder to the first post, with `copydesk-server run` in a terminal and Chromium."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.tests.terminal import Terminal
from tests.support.chromium import Browser
from tests.support.consoles import PASSWORD
from tests.support.process_group import ProcessGroup
from tests.support.service import MODEL_KEY, ScriptedModel
from tests.support.startup import free_port

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ProcessGroup() as group:
        yield ScriptedModel(group)


class Visitor:
    """Somebody who follows the pages. ``clicks`` are the buttons and links that were chosen."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.clicks = browser, 0

    def look(self, name: str) -> None:
        """Whether it fits and is usable on a phone and a desk, dark and light."""
        for width, dark in ((390, False), (390, True), (1440, True), (1440, False)):
            self.browser.look(f"first-run/{name}", width, dark)

    def fill(self, **fields: str) -> None:
        for name, text in fields.items():
            self.browser.evaluate(f"document.querySelector('#{name}').select()")
            self.browser.type(text)

    def send(self) -> str:
        """Choose the button of the form; the heading of the page after it."""
        self.clicks += 1
        self.browser.submit("main form button")
        return self.heading()

    def enter(self) -> str:
        """Send the form by keyboard, from the field that was filled last."""
        self.clicks += 1
        self.browser.press_and_load("Enter")
        return self.heading()

    def follow(self, text: str) -> str:
        self.clicks += 1
        link = (
            f"[...document.querySelectorAll('main a')].find(a => a.innerText.trim() === '{text}')"
        )
        self.browser.click(link)
        return self.heading()

    def heading(self) -> str:
        return self.text("h1")

    def text(self, selector: str = "main") -> str:
        return self.browser.text(selector)

    @property
    def problem(self) -> str:
        assert self.browser.evaluate("!!document.querySelector('[role=alert]')"), self.text()
        return self.text("[role=alert]")


def test_from_an_empty_folder_to_the_first_post_by_the_browser_alone(
    browser: Browser,
    model: ScriptedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """“First run in the browser: the first visitor creates the operator with a code that `run`
    prints; model (endpoint, key, test call …), sources (… or none), one feed, one rule, one test
    post …, plugin or connector to copy”"""
    monkeypatch.setenv("COPYDESK_MODEL_CACHE", str(tmp_path / "no-weights"))
    visitor, port = Visitor(browser), free_port()
    with Terminal(tmp_path, "run", "--port", port, module="app.cli") as terminal:
        address = f"http://127.0.0.1:{port}"
        terminal.read_until(f"listening on {address}")
        terminal.read_until("enter the code ")
        code = terminal.read_until("\n").strip()
        assert re.fullmatch(r"[A-Z2-9]{4}-[A-Z2-9]{4}", code)
        browser.open(address)
        assert visitor.heading() == "Welcome"
        visitor.look("0-welcome")
        visitor.fill(code="AAAA-AAAA", name="Ada", password=PASSWORD, again=PASSWORD)
        assert visitor.send() == "Welcome"
        assert "not the one that" in visitor.problem
        visitor.look("0-welcome-wrong")
        visitor.fill(code=code.lower().replace("-", " "), password=PASSWORD, again=PASSWORD)
        assert visitor.enter() == "Which model writes your posts?"
        visitor.look("1-model")
        # Each of these was refused, and not written.
        for fields, sentence in (
            ({"openai_base_url": "localhost:1"}, "ust begin with http:// or https://"),
            ({"openai_base_url": "http://127.0.0.1:9/v1"}, "cannot be reached"),
            ({"openai_base_url": model.url}, "does not accept the API key"),
        ):
            behaviour = "error_401" if "accept" in sentence else "good"
            with model.behaving(behaviour):
                visitor.fill(openai_api_key=MODEL_KEY, **fields)
                visitor.send()
            assert sentence in visitor.problem
            visitor.look(f"1-model-{sentence.split()[0]}-{behaviour}")
        with model.behaving("error_404"):
            visitor.fill(openai_api_key=MODEL_KEY, model="nosuch")
            visitor.send()
        assert "does not know the model" in visitor.problem
        file = tmp_path / "var" / "copydesk.toml"
        assert not file.exists()
        visitor.fill(openai_api_key=MODEL_KEY, model="scripted")
        assert visitor.enter() == "What may posts be based on?"
        assert file.stat().st_mode & 0o777 == 0o600
        visitor.look("2-sources")
        visitor.fill(searxng_url="http://127.0.0.1:9")
        visitor.send()
        assert "searxng" in visitor.problem.lower()
        visitor.look("2-sources-wrong")
        assert visitor.follow("Skip this").startswith("Under which address")
        visitor.look("3-address")
        visitor.fill(public_url="http://127.0.0.1:9")
        visitor.send()
        assert "no Copydesk answers at http://127.0.0.1:9" in visitor.problem
        visitor.fill(public_url=address)
        assert visitor.enter() == "Which site do you write for?"
        visitor.look("4-feed")
        visitor.fill(name="My blog")
        assert visitor.enter() == "New rule"
        visitor.look("5-rule")
        visitor.fill(keywords="raised garden beds")
        assert visitor.send() == "Your first post"
        browser.open(f"{address}/console/setup/post")
        visitor.look("6-post")
        browser.open(f"{address}/console/setup/post?follow")
        browser.wait_for("main section a[href*='/items/itm_']")
        visitor.look("6-post-written")
        assert visitor.follow("Next") == "How does your site get the posts?"
        visitor.look("7-connect")
        visitor.send()
        assert f"{address}/v1/content-tokens/ct_" in visitor.text("pre")
        visitor.look("7-connect-url")
        # Whatever the code, nobody else becomes the first operator.
        browser.clear_cookies()
        browser.open(f"{address}/console/welcome")
        assert "There is no such page." in visitor.text()
        browser.open(address)
        assert visitor.heading() == "Sign in"
        assert MODEL_KEY not in terminal.shown
        print(f"{visitor.clicks} clicks")
    unexpected = [line for line in browser.complaints if "400" not in line and "404" not in line]
    assert unexpected == []
