"""The plain HTML site in a real browser: wide, on a phone, in the dark."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from tests.support.chromium import Browser

pytestmark = pytest.mark.browser

BODY = (
    '<p>Ask <a href="https://shop.example/" rel="sponsored noopener" target="_blank">Acme</a>.</p>'
    "<h2>What are raised beds?</h2><p>" + "They hold soil above the ground. " * 12 + "</p>"
    "<blockquote><p><strong>Mind:</strong> water them.</p></blockquote>"
    "<table><thead><tr>"
    + "<th>Heading</th>" * 9
    + "</tr></thead><tbody><tr>"
    + "<td>Something</td>" * 9
    + "</tr></tbody></table>"
    f"<p>{'Donaudampfschifffahrt' * 9}</p><pre>{'code ' * 60}</pre>"
    "<h3>How often?</h3><p>Monthly.</p>"
)
MEASURED = """(() => {
    const root = document.documentElement, links = [...document.querySelectorAll("a")];
    const style = getComputedStyle(document.body);
    return {
        clientWidth: root.clientWidth, scrollWidth: root.scrollWidth,
        colours: [style.color, style.backgroundColor],
        links: links.length,
        unreachable: links.filter((each) => each.tabIndex < 0 || !each.href).length,
        unscrollable: [...document.querySelectorAll("main *")].filter((each) =>
            each.scrollWidth > each.clientWidth && getComputedStyle(each).overflowX === "auto"
            && each.tabIndex < 0).length,
    };
})()"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with three posts."""
    folder = tmp_path / "site"
    settings = {"path": str(folder), "title": "Garden notes", "base_url": "https://blog.example"}
    target = TARGETS["html"]("html", Table(settings, "[[target]] 1", tmp_path / "copydesk.toml"))
    for number in range(3):
        made = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
        title = f"Why raised garden beds are better, part {number + 1}"
        about = "Learn why raised beds drain better, and what to put in them before the frost."
        slug = f"beds-{number}"
        target.publish(Post(f"itm_{number}", title, slug, about, ("soil",), BODY, "", made), "")
    return folder


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages_fit_a_phone_and_follow_the_readers_colours(
    browser: Browser, site: Path, tmp_path: Path, dark: bool
) -> None:
    """dark mode, keyboard, phone: nothing is wider than the phone, every link can be reached"""
    kept = Path(os.environ.get("ARTIFACTS") or tmp_path)
    browser.resize(320, dark=dark)
    for page in ("index.html", "beds-0.html"):
        browser.open(f"file://{site}/{page}")
        browser.screenshot(kept / f"static-{Path(page).stem}-{'dark' if dark else 'light'}.png")
        report = browser.evaluate(MEASURED)
        assert report["scrollWidth"] == report["clientWidth"] <= 320
        assert report["links"] > 0
        assert report["unreachable"] == 0
        assert report["unscrollable"] == 0, "by keyboard"
        text, back = (sum(_rgb(colour)) for colour in report["colours"])
        assert (text > back) is dark
        assert abs(text - back) > 450, "text and ground differ plainly"


def _rgb(colour: str) -> list[int]:
    return [int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(",")[:3]]
