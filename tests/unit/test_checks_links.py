"""Links and HTML: where exactly they stand, and what only looks like them."""

import pytest

from app.core.checks import Finding, Kind, Passage, Severity, check_passage

BEFORE, AFTER = "Fresh beans taste better, and ", " is part of this sentence."


def findings(text: str) -> list[Finding]:
    return check_passage(Passage("sections[1]", Kind.PROSE, text), "en")


def assert_trips(check: str, text: str, found: str) -> None:
    """One blocker of that check, and its span is exactly what was found."""
    (finding,) = (f for f in findings(text) if f.check == check)
    assert finding.severity is Severity.BLOCKER
    assert finding.section == "sections[1]"
    assert finding.span is not None
    assert text[slice(*finding.span)] == found
    assert finding.reason


# DESIGN: "links removed are a finding"; "links, URLs, HTML" are checks.
@pytest.mark.parametrize(
    "link",
    [
        "http://example.com/a?b=c",
        "https://example.com",
        "ftp://files.example/a",
        "www.example.com/page",
        "example.com",
        "Example.COM/path",
        "shop.example.co.uk",
        "example.ai",
        "example.de",
        "beispiel.de/seite",
        "example.museum/hours",
        "[our guide](https://example.com)",
        "[our guide](/guide)",
        "[our guide]()",
        "[our guide] (guide)",
        "[our guide][guide]",
        "[our guide][]",
        "![a jar](jar.png)",
        "mailto:me@example.com",
        "tel:+15550100",
        "javascript:alert(1)",
        "data:text/html,hi",
        "me@example.com",
        "first.last+tag@mail.example.co.uk",
    ],
)
def test_a_link_is_a_blocker(link: str) -> None:
    text = BEFORE + link + AFTER
    assert_trips("link", text, link)


def test_links_that_stand_on_a_line_of_their_own() -> None:
    text = "Grind the beans well.\n  [guide]: https://example.com\nThen wait a night."
    assert_trips("link", text, "  [guide]: https://example.com")
    assert_trips("link", "Read <https://example.com> before you grind.", "https://example.com>")


@pytest.mark.parametrize(
    "phrase",
    [
        "Node.js, Vue.js and ASP.NET",
        "the .NET platform",
        "e.g. a jar, i.e. a glass",
        "the U.S. at 6 a.m.",
        "a 2.5-litre jar at 3.50 a piece",
        "version 1.2.3",
        "the array [0] and [sic] in quotes",
        "the note: data, then more data",
        "and/or its Node.js/Express twin",
        "a handle such as @barista",
        "St. Louis and Washington D.C.",
        "Tiffany & Co. of New York",
        "the file readme.md",
        "tel: a word of Hebrew",
        "one thing at a time.It is a slip of the keyboard, and that",
    ],
)
def test_what_only_looks_like_a_link(phrase: str) -> None:
    assert "link" not in {f.check for f in findings(BEFORE + phrase + AFTER)}


@pytest.mark.parametrize(
    "html",
    [
        "<b>",
        "</p>",
        "<br/>",
        '<a href="x">',
        "<script>",
        "<!--",
        "<!doctype html>",
        "<img src=x onerror=alert(1)>",
        "&nbsp;",
        "&amp;",
        "&rarr;",
        "&#39;",
        "&#x1F600;",
        "&NotEqualTilde;",
    ],
)
def test_html_is_a_blocker(html: str) -> None:
    assert_trips("html", BEFORE + html + AFTER, html)


@pytest.mark.parametrize(
    "phrase",
    [
        "x < 5",
        "5 > x",
        "a ratio < 1:8",
        "AT&T",
        "the budget for R&D; it",
        "M&Ms; they",
        "Q&A",
        "I <3 it, which",
        "salt & pepper",
        "->",
    ],
)
def test_what_only_looks_like_html(phrase: str) -> None:
    assert "html" not in {f.check for f in findings(BEFORE + phrase + AFTER)}
