"""GET /v1/docs in a real browser: self-contained, on a phone, in dark mode, by keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import create_app
from app.settings import Settings
from tests.support.chromium import Browser
from tests.support.consoles import served

pytestmark = pytest.mark.browser

MEASURED = """(() => {
    for (const each of document.querySelectorAll("details")) each.open = true;
    const root = document.documentElement;
    const isScrolled = (each) => {
        for (let parent = each; parent; parent = parent.parentElement)
            if (["auto", "scroll"].includes(getComputedStyle(parent).overflowX)) return true;
    };
    const wide = [...document.querySelectorAll("body *")].filter((each) =>
        !isScrolled(each) && each.getBoundingClientRect().right > root.clientWidth + 1);
    const scrolling = [...document.querySelectorAll("pre, table")]
        .filter((each) => each.scrollWidth > each.clientWidth);
    return {
        width: root.scrollWidth,
        wide: wide.map((each) => each.outerHTML.slice(0, 200)),
        first: document.querySelector("a[href], summary, [tabindex]").className,
        unreachable: scrolling.filter((each) => each.tabIndex < 0).length,
        contents: [...document.querySelectorAll("nav .narrow, nav .wide")]
            .filter((each) => each.getClientRects().length).map((each) => each.className),
        background: getComputedStyle(document.body).backgroundColor,
    };
})()"""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The address of the page."""
    with served(create_app(Settings(data_dir=tmp_path))) as address:
        yield f"{address}/v1/docs"


def test_the_page_is_whole_under_its_own_policy(browser: Browser, url: str) -> None:
    """Its style is applied, and nothing but the page itself is fetched."""
    browser.open(url)
    assert browser.evaluate("[...document.styleSheets].map(each => each.cssRules.length > 0)") == [
        True
    ]
    assert browser.evaluate("performance.getEntriesByType('resource').length") == 0
    assert browser.complaints == []


@pytest.mark.parametrize(
    ("width", "dark"), [(320, True), (390, False), (768, False), (1280, True), (1280, False)]
)
def test_the_page_fits_and_can_be_read(browser: Browser, url: str, width: int, dark: bool) -> None:
    """No sideways scrolling but inside code and tables; axe-core finds nothing, contrast
    included."""
    browser.resize(width, dark=dark)
    browser.open(url)
    page = browser.evaluate(MEASURED)
    assert page["wide"] == []
    assert page["width"] <= width
    assert (sum(map(int, page["background"][4:-1].split(","))) < 150) is dark
    # By keyboard: past the contents in one step, and every example can be scrolled.
    assert page["first"] == "skip"
    assert page["unreachable"] == 0
    assert page["contents"] == (["wide"] if width >= 1024 else ["narrow"])
    assert browser.violations() == []


def test_each_call_is_shown_in_the_language_that_was_chosen(browser: Browser, url: str) -> None:
    """`/v1/docs` has tabs for curl, Python and JavaScript and the feed's calls."""
    shown = """["bash", "py", "js"].map(name => [...document.querySelectorAll(
        `pre:has(> .language-${name})`)].filter(each => each.getClientRects().length).length)"""
    browser.open(url)
    curl, *others = browser.evaluate(shown)
    assert curl >= 8
    assert others == [0, 0]
    browser.evaluate("document.querySelector('#curl').focus()")
    browser.press("ArrowRight")
    assert browser.evaluate(shown) == [0, curl, 0]
    browser.press("ArrowRight")
    assert browser.evaluate(shown) == [0, 0, curl]
    assert browser.evaluate("document.querySelector('#confirm-an-item') !== null")
