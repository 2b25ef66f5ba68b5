"""Extract title, visible text, language and date of a page.

trafilatura alone decides what the text of a page is, and writes it in Markdown: headings, lists,
tables and code, with a blank line between blocks. Before that, what readers do not see is removed,
because it can hide orders to a model: what attributes and inline styles hide, not style sheets and
scripts. Text that a script fades in, and that has no opacity until then, is text.

The date is the earliest one that the page's own metadata declares, as it includes the time of day;
otherwise trafilatura finds the day. Guessing is off: a year in a footer is not a date.
"""

import html
import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import webencodings
from bs4.dammit import EncodingDetector, UnicodeDammit
from lxml import etree
from lxml.html import HTMLParser, document_fromstring
from trafilatura import bare_extraction

from app.adapters.stated_times import moment
from app.ports import PageRefused
from app.sources.screening import screened
from app.sources.text import bounded, bounded_title

# Extracting the text of this many elements takes seconds; few articles have a third of them.
MAX_ELEMENTS = 15_000
# A page with a password field and fewer words is a login page.
_LOGIN_WORDS = 120
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?=[-_]|\Z)")
# What an XML tree may not hold, written as it is or by reference: “&#1;”.
_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{1,8};?")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# What no reader needs although it is in the text: links to edit or to a heading, and references.
_PRUNED = (
    "//*[contains(@class, 'mw-editsection') or contains(@class, 'reflist')"
    " or contains(@class, 'navbox') or contains(@class, 'headerlink')]"
    " | //ol[contains(@class, 'references')] | //sup[contains(@class, 'reference')]"
)
# Not a part of words: figures and quotations are compared with the text.
_EMPHASIS = ("b", "strong", "i", "em", "u", "font", "big", "small")
# Looks the same, and means nothing to trafilatura: what follows it is not read as a formula, and
# all backslashes in what it returns are its own.
_BACKSLASH = "\N{REVERSE SOLIDUS OPERATOR}"
_RAISED = re.compile(r"<(sup|sub)>([^<>]*)</\1>")
_BLANK_LINES = re.compile(r"\n{3,}")
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_DECLARED_DATES = (
    "//meta[@property='article:published_time' or @property='og:article:published_time'"
    " or @itemprop='datePublished' or @name='parsely-pub-date' or @name='citation_date'"
    " or @name='dcterms.created' or @name='DC.date.issued' or @name='publish-date'"
    " or @name='sailthru.date']/@content"
    " | //*[@itemprop='datePublished']/@datetime"
)

_NEVER_TEXT = (
    "script", "style", "noscript", "template", "svg", "math", "object", "embed", "iframe", "canvas",
    "audio", "video", "select", "datalist", "textarea", "button", "dialog",
)  # fmt: skip
# In a style without white space.
_HIDING = re.compile(
    r"(?:^|;)(?:display:none|visibility:hidden|font-size:0(?![.\d]*[1-9])"
    r"|(?:left|text-indent):-\d{4})"
)


def read_html(body: bytes, charset: str, url: str) -> dict[str, Any]:
    """Return members of ``app.sources.source.Page`` for an HTML page.

    Raises:
        PageRefused: it is not HTML, or has no main text.
    """
    tree = _parsed(_decoded(body, charset))
    language = _declared_language(tree)
    declared_date = _declared_date(tree)
    password = bool(tree.xpath("//input[@type='password']"))
    _remove_hidden(tree)
    etree.strip_tags(tree, *_EMPHASIS)
    for item in tree.xpath("//td//li"):
        # trafilatura leaves lists in cells out.
        item.tag = "p"
    _hide_backslashes(tree)
    seen = len(" ".join(tree.itertext()).split())
    try:
        found: Any = bare_extraction(
            tree,
            url=url,
            include_comments=False,
            include_formatting=True,
            prune_xpath=_PRUNED,
            with_metadata=True,
            date_extraction_params={"extensive_search": False, "original_date": True},
        )
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - untrusted input may trip any part of a parser
        found = None
    text = _tidied(_unescaped(found.text or "")) if found else ""
    words = len(text.split())
    if password and words < _LOGIN_WORDS:
        raise PageRefused("The page asks for a password.")
    if not text:
        raise PageRefused("The page has no main text.")
    return {
        "title": bounded_title(screened(_unescaped(found.title or ""))),
        "text": bounded(text),
        "language": language,
        # A day without a time is its beginning.
        "published_at": declared_date or moment(found.date),
        "main_share": min(1.0, words / max(1, seen)),
    }


def _decoded(body: bytes, charset: str) -> str:
    """Return bytes as text.

    UTF-8 is tried first, as no other encoding looks like it by chance; then the declared encodings
    of server and page; then the detector's guess.

    Raises:
        PageRefused: it is not text.
    """
    if not body.strip():
        raise PageRefused("The page is empty.")
    if body.lstrip()[:5] == b"%PDF-" or (b"\0" in body[:4096] and not body.startswith(_BOMS)):
        raise PageRefused("The page is not text, whatever it says it is.")
    declared = EncodingDetector.find_declared_encoding(body, is_html=True) or ""
    first = [] if body.isascii() else ["utf-8"]
    first += [codec for label in (charset, declared) if (codec := _codec(label))]
    # Some of Python's encodings, which no page uses, take minutes for two megabytes.
    excluded = [] if _codec(declared) else [declared]
    dammit = UnicodeDammit(
        body, known_definite_encodings=first, exclude_encodings=excluded, is_html=True
    )
    text = dammit.unicode_markup
    if text is None or dammit.contains_replacement_characters:
        raise PageRefused("The page's characters cannot be read.")
    return str(text)


def _codec(label: str) -> str:
    """Return Python's name of an encoding that browsers know, or "" for others."""
    found = webencodings.lookup(label)
    return str(found.codec_info.name) if found else ""


def _remove_hidden(tree: Any) -> None:
    """Remove from an lxml tree, in place, all elements that are hidden or never text."""
    for heading in tree.xpath("//*[self::h2 or self::h3 or self::h4]//button"):
        # It opens the text below its heading.
        heading.tag = "span"
    for element in tree.xpath("//*[@hidden or @aria-hidden or @style]"):
        if element.tag not in {"html", "body"} and _is_hidden(element):
            element.tag = "template"
    # Faster than removing them one by one, which takes time quadratic in their number.
    etree.strip_elements(tree, *_NEVER_TEXT, with_tail=False)


def _is_hidden(element: Any) -> bool:
    return (
        # Browsers show what is hidden "until-found" to those who search the page.
        element.get("hidden", "until-found").lower() != "until-found"
        or element.get("aria-hidden", "").strip().lower() == "true"
        or _HIDING.search("".join(element.get("style", "").lower().split())) is not None
    )


def _hide_backslashes(tree: Any) -> None:
    for element in tree.iter():
        if "\\" in (text := element.text or ""):
            element.text = text.replace("\\", _BACKSLASH)
        if "\\" in (tail := element.tail or ""):
            element.tail = tail.replace("\\", _BACKSLASH)


def _unescaped(markdown: str) -> str:
    """Return Markdown as trafilatura writes it with the page's own characters: `10^6`, `a_b`."""
    text = _RAISED.sub(lambda it: f"^{it[2]}" if it[1] == "sup" else it[2], markdown)
    return text.replace("\\", "").replace(_BACKSLASH, "\\")


def _tidied(text: str) -> str:
    """Return a text as readers see it, with at most one blank line in a row."""
    lines = "\n".join(line.rstrip() for line in screened(text).splitlines())
    return _BLANK_LINES.sub("\n\n", lines).strip("\n")


def _parsed(text: str) -> Any:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    text = _REFERENCE.sub(lambda found: html.escape(html.unescape(found[0])), text)
    source = _CONTROL.sub(" ", _XML_DECLARATION.sub("", text)).encode("utf-8", "replace")
    try:
        tree = document_fromstring(source, parser=parser)
    except (etree.LxmlError, ValueError):
        raise PageRefused("The page is not HTML.") from None
    if sum(1 for _ in tree.iter()) > MAX_ELEMENTS:
        raise PageRefused(f"The page has more than {MAX_ELEMENTS:,} elements.")
    return tree


def _declared_language(tree: Any) -> str:
    declared = tree.xpath("//meta[@property='og:locale']/@content")
    for value in (tree.get("lang"), tree.get("xml:lang"), *declared):
        if match := _LANGUAGE.match((value or "").strip()):
            return match.group().lower()
    return ""


def _declared_date(tree: Any) -> datetime | None:
    """Return when a page says that it was first published, or None."""
    said = [*map(str, tree.xpath(_DECLARED_DATES)), *_linked_data_dates(tree)]
    return min((time for value in said if (time := moment(value))), default=None)


def _linked_data_dates(tree: Any) -> Iterator[str]:
    for script in tree.xpath("//script[@type='application/ld+json']"):
        try:
            data = json.loads(script.text or "")
        except (ValueError, RecursionError):
            continue
        graph = data.get("@graph", [data]) if isinstance(data, dict) else data
        for entry in graph if isinstance(graph, list) else ():
            if isinstance(entry, dict):
                yield str(entry.get("datePublished", ""))
