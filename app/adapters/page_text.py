"""Extract title, visible text, language and date of a page.

Hidden elements are removed, then trafilatura finds the text. The date is the earliest one that the
page's own metadata declares, as it includes the time of day; otherwise `htmldate` finds the day.
Guessing is off: a year in a footer is not a date.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from copy import deepcopy
from datetime import datetime
from typing import Any

import webencodings
from bs4.dammit import EncodingDetector, UnicodeDammit
from htmldate import find_date
from lxml import etree
from lxml.html import HTMLParser, document_fromstring
from trafilatura import bare_extraction

from app.adapters.hidden_text import remove_hidden, storable
from app.adapters.stated_times import moment
from app.core.sources.source_text import bounded, bounded_title
from app.core.text import MARKS

# Extracting the text of this many elements takes seconds; few articles have a third of them.
MAX_ELEMENTS = 15_000
# Share of a text's characters; in prose it is one in thirty.
_MAX_SIGNS = 0.5
_SIGN = re.compile(rf"[^\w\s{MARKS}]|_")
# A page with a password field and fewer words is a login page.
_LOGIN_WORDS = 120
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?=[-_]|\Z)")
# Invisible characters: soft hyphen, spaces without width, marks of direction, operators, tags
# (a second, unseen alphabet) and variation selectors, which can carry hidden bytes.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# Persian and the languages of India spell with joiners; elsewhere they only hide.
_STRAY_JOINER = re.compile(r"(?<![\u0600-\u0dff])[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u0dff])")
# Includes surrogates, which no database accepts.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_DECLARED_DATES = (
    "//meta[@property='article:published_time' or @property='og:article:published_time'"
    " or @itemprop='datePublished' or @name='parsely-pub-date' or @name='citation_date'"
    " or @name='dcterms.created' or @name='DC.date.issued' or @name='publish-date'"
    " or @name='sailthru.date']/@content"
    " | //*[@itemprop='datePublished']/@datetime"
)
_MAX_JSON_DEPTH = 6
# The mark of an item that has its number.
_NUMBERED_ITEM = re.compile(r"^- (?=\d{1,3}\. )", re.MULTILINE)


class TextMissing(Exception):
    """A page has no usable text; the message is a sentence that says why."""


def read_plain(body: bytes, charset: str, url: str) -> dict[str, Any]:
    """Return members of ``app.ports.Page`` for a text/plain page; its first line is the title.

    Raises:
        TextMissing: it is not text.
    """
    text = visible(_decoded(body, charset, is_html=False))
    if not text:
        raise TextMissing("The page is empty.")
    return {
        "title": bounded_title(text.partition("\n")[0]),
        "text": _article(text),
        "language": "",
        "published_at": None,
        "main_share": 1.0,
    }


def read_html(body: bytes, charset: str, url: str) -> dict[str, Any]:
    """Return members of ``app.ports.Page`` for an HTML page.

    Raises:
        TextMissing: it is not HTML, or has no main text.
    """
    tree = _parsed(_decoded(body, charset, is_html=True))
    language = _declared_language(tree)
    published_at = _published(tree, url)
    password = bool(tree.xpath("//input[@type='password']"))
    remove_hidden(tree)
    _number_items(tree)
    seen = len(" ".join(tree.itertext()).split())
    try:
        found: Any = bare_extraction(
            tree, url=url, fast=True, include_comments=False, with_metadata=True
        )
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - untrusted input may trip any part of a parser
        found = None
    text = _NUMBERED_ITEM.sub("", visible(found.text or "")) if found else ""
    words = len(text.split())
    if password and words < _LOGIN_WORDS:
        raise TextMissing("The page asks for a password.")
    if not text:
        raise TextMissing("The page has no main text.")
    return {
        "title": bounded_title(visible(found.title or "")),
        "text": _article(text),
        "language": language,
        "published_at": published_at,
        "main_share": min(1.0, words / max(1, seen)),
    }


def _decoded(body: bytes, charset: str, *, is_html: bool) -> str:
    """Return bytes as text.

    UTF-8 is tried first, as no other encoding looks like it by chance; then the declared encodings
    of server and page; then the detector's guess.

    Raises:
        TextMissing: it is not text.
    """
    if not body.strip():
        raise TextMissing("The page is empty.")
    if body.lstrip()[:5] == b"%PDF-" or (b"\0" in body[:4096] and not body.startswith(_BOMS)):
        raise TextMissing("The page is not text, whatever it says it is.")
    declared = EncodingDetector.find_declared_encoding(body, is_html=is_html) or ""
    first = [codec for label in (charset, declared) if (codec := _codec(label))]
    if not body.isascii() and _is_utf8(body):
        first.insert(0, "utf-8")
    # Some of Python's encodings, which no page uses, take minutes for two megabytes.
    excluded = [] if _codec(declared) else [declared]
    dammit = UnicodeDammit(
        body, known_definite_encodings=first, exclude_encodings=excluded, is_html=is_html
    )
    text = dammit.unicode_markup
    if text is None or dammit.contains_replacement_characters:
        raise TextMissing("The page's characters cannot be read.")
    return str(text)


def _codec(label: str) -> str:
    """Return Python's name of an encoding that browsers know, or "" for others."""
    found = webencodings.lookup(label)
    return str(found.codec_info.name) if found else ""


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def visible(text: str) -> str:
    """Return the text without invisible characters, empty lines and outer spaces of lines."""
    # Composed first, so that removing a character cannot make its neighbors compose.
    text = unicodedata.normalize("NFC", text)
    text = _CONTROLS.sub(" ", _STRAY_JOINER.sub("", _UNSEEN.sub("", text)))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _article(text: str) -> str:
    """Return the beginning of a text, within bounds.

    Raises:
        TextMissing: it is not made of words.
    """
    if len(_SIGN.sub("", text)) < (1 - _MAX_SIGNS) * len(text):
        raise TextMissing("The page's text is mostly punctuation.")
    return bounded(text)


def _parsed(text: str) -> Any:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    source = _XML_DECLARATION.sub("", text).encode("utf-8", "replace")
    try:
        tree = document_fromstring(source, parser=parser)
    except (etree.LxmlError, ValueError):
        raise TextMissing("The page is not HTML.") from None
    if sum(1 for _ in tree.iter()) > MAX_ELEMENTS:
        raise TextMissing(f"The page has more than {MAX_ELEMENTS:,} elements.")
    return tree


def _number_items(tree: Any) -> None:
    """Write the numbers of numbered lists into their items: their order matters, and the extracted
    text has the same mark for every item."""
    for numbered in tree.iter("ol"):
        for number, item in enumerate(numbered.iterchildren("li"), 1):
            first = next((each for each in item.iter() if (each.text or "").strip()), None)
            if first is not None:
                first.text = storable(f"{number}. {first.text.lstrip()}")


def _declared_language(tree: Any) -> str:
    said = [
        tree.get("lang"),
        tree.get("{http://www.w3.org/XML/1998/namespace}lang") or tree.get("xml:lang"),
        *tree.xpath("//meta[@property='og:locale']/@content"),
    ]
    for value in said:
        if value and (match := _LANGUAGE.match(html.unescape(str(value)).strip())):
            return match.group().lower()
    return ""


def _published(tree: Any, url: str) -> datetime | None:
    """Return when a page was first published, or None; a day without a time is its beginning."""
    said = [*map(str, tree.xpath(_DECLARED_DATES)), *_linked_data_dates(tree)]
    times = [time for value in said if (time := moment(value))]
    if times:
        return min(times)
    try:
        day = find_date(deepcopy(tree), extensive_search=False, original_date=True, url=url)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - untrusted input may trip any part of a parser
        return None
    return moment(day)


def _linked_data_dates(tree: Any) -> Iterator[str]:
    for script in tree.xpath("//script[@type='application/ld+json']"):
        try:
            yield from _dates(json.loads(script.text or ""), _MAX_JSON_DEPTH)
        except (ValueError, RecursionError):
            continue


def _dates(value: object, depth: int) -> Iterator[str]:
    """Yield each datePublished except those of comments and reviews, which are later anyway."""
    if depth == 0:
        return
    if isinstance(value, dict):
        if isinstance(value.get("datePublished"), str):
            yield value["datePublished"]
        for key in ("@graph", "mainEntity", "mainEntityOfPage"):
            yield from _dates(value.get(key), depth - 1)
    elif isinstance(value, list):
        for entry in value[:100]:
            yield from _dates(entry, depth - 1)
