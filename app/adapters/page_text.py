"""The text of a page as its reader sees it: trafilatura's, of what is left when all that is hidden
was taken out."""

import html
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import webencodings
from bs4.dammit import EncodingDetector, UnicodeDammit
from lxml import etree
from lxml.html import HTMLParser, document_fromstring
from trafilatura import bare_extraction

from app.adapters.hidden_text import remove_hidden
from app.adapters.page_dates import published

# The text of a page with so many takes seconds to find; few articles have a third of them.
MAX_ELEMENTS = 15_000
_MAX_TITLE_CHARS = 300
# Below this many words a page with a password field is a login page.
_LOGIN_WORDS = 120
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?=[-_]|\Z)")
# What takes no room: soft hyphen, spaces without width, marks of direction, invisible operators,
# tags (a second, unseen alphabet) and the selectors of variants that can carry hidden bytes.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# Persian and the languages of India spell with joiners; elsewhere they only hide.
_STRAY_JOINER = re.compile(r"(?<![\u0600-\u0dff])[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u0dff])")
# Halves of characters as well: no database takes them.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class TextMissing(Exception):
    """Why a page has no text for us: a sentence."""


@dataclass(frozen=True)
class PageText:
    """See ``app.ports.Page``."""

    title: str
    text: str
    language: str
    published_at: datetime | None
    main_share: float


def plain_text(body: bytes, charset: str, url: str) -> PageText:
    """A page of text/plain; its first line stands for a title.

    Raises:
        TextMissing: it is not text.
    """
    text = visible(decoded(body, charset, is_html=False))
    if not text:
        raise TextMissing("The page is empty.")
    title = text.partition("\n")[0][:_MAX_TITLE_CHARS]
    return PageText(title, text, language="", published_at=None, main_share=1.0)


def read_html(body: bytes, charset: str, url: str) -> PageText:
    """Take title, text, language and date out of a page.

    Raises:
        TextMissing: it is no HTML, or has no main text.
    """
    tree = _parsed(decoded(body, charset, is_html=True))
    language = _declared_language(tree)
    published_at = published(tree, url)
    password = bool(tree.xpath("//input[@type='password']"))
    remove_hidden(tree)
    seen = len(" ".join(tree.itertext()).split())
    try:
        found: Any = bare_extraction(
            tree, url=url, fast=True, include_comments=False, with_metadata=True
        )
    except Exception:  # noqa: BLE001 - a stranger's page may trip any part of a parser
        found = None
    text = visible(found.text or "") if found else ""
    words = len(text.split())
    if password and words < _LOGIN_WORDS:
        raise TextMissing("The page asks for a password.")
    if not text:
        raise TextMissing("The page has no main text.")
    title = visible(found.title or "").replace("\n", " ")[:_MAX_TITLE_CHARS]
    return PageText(title, text, language, published_at, min(1.0, words / max(1, seen)))


def decoded(body: bytes, charset: str, *, is_html: bool) -> str:
    """Bytes as text. UTF-8 is nothing that another encoding looks like by chance, so it is tried
    before what the server or the page says; then what they say; then the detector's guess.

    Raises:
        TextMissing: it is not text.
    """
    if not body.strip():
        raise TextMissing("The page is empty.")
    if body.lstrip()[:5] == b"%PDF-" or (b"\0" in body[:4096] and not _has_bom(body)):
        raise TextMissing("The page is not text, whatever it says it is.")
    declared = EncodingDetector.find_declared_encoding(body, is_html=is_html) or ""
    first = [codec for label in (charset, declared) if (codec := _codec(label))]
    if not body.isascii() and _is_utf8(body):
        first.insert(0, "utf-8")
    # Python knows encodings that no page is in, some of which take minutes for two megabytes.
    excluded = [] if _codec(declared) else [declared]
    dammit = UnicodeDammit(
        body, known_definite_encodings=first, exclude_encodings=excluded, is_html=is_html
    )
    text = dammit.unicode_markup
    if text is None or dammit.contains_replacement_characters:
        raise TextMissing("The page's characters cannot be read.")
    return str(text)


def visible(text: str) -> str:
    """Text without characters that nobody sees, lines without spaces at their ends."""
    # Composed first: what is left of a character must not become another one afterwards.
    text = unicodedata.normalize("NFC", text)
    text = _CONTROLS.sub(" ", _STRAY_JOINER.sub("", _UNSEEN.sub("", text)))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


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


def _codec(label: str) -> str:
    """Python's name of an encoding that browsers know; "" for others."""
    found = webencodings.lookup(label)
    return str(found.codec_info.name) if found else ""


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _has_bom(body: bytes) -> bool:
    return body.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff"))
