"""A picture of a post's title, for posts that have no picture of their own.

It is for lists and for what is shared: below the headline it would only repeat it.

Pillow draws it in Source Sans Pro, which has the Latin, Greek and Cyrillic letters of all European
languages, and Vietnamese. For other scripts the owner names a font file.
"""

# mypy: disable-error-code="import-not-found,import-untyped"
# Pillow and the font come with an extra, which may be missing where types are checked.

import hashlib
import io
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.post import Post

INSTALL = "pip install ./sdk './connectors[card]'"

# Background, and the accent of the bar and the site's name. All pairs have a contrast of at least
# 4.5:1, more than WCAG 2.2 AA requires for large text.
COLOURS = (
    ("#1b2a41", "#ffc857"),
    ("#0b3d3a", "#8ce0c0"),
    ("#3b1f4b", "#f2b5d4"),
    ("#4a1c23", "#ffb4a2"),
    ("#14342b", "#e9d985"),
    ("#1f2d5a", "#9ad1f5"),
    ("#40291b", "#f6c58f"),
    ("#2b2d33", "#9be37d"),
)
TITLE_COLOUR = "#ffffff"
# All in pixels. Networks crop pictures of other shapes; the margins are so wide that crops from 4:3
# to 2:1 cut no letter.
SIZE = WIDTH, HEIGHT = (1200, 630)
LEFT, TOP = 180, 63
ROOM = WIDTH - 2 * LEFT
NAME_SIZE = 32
LINES = 5
_LARGEST, _SMALLEST, _STEP = 94, 44, 6
_LEADING = 1.18
_BAR = 8
_ORNAMENTS = frozenset({"So", "Sk", "Cf", "Co", "Cs"})


class Undrawable(Exception):
    """The font lacks letters of the title; the message names them."""


def draw(post: Post, *, site: str = "", font: Path | None = None) -> bytes:
    """Return a PNG with the post's title and the site's name, if known.

    The same arguments give the same bytes. ``font`` is a TrueType or OpenType file to use
    instead of the built-in font.

    Raises:
        Misconfigured: Pillow is missing, or the font cannot be used.
        Undrawable: the font lacks letters of the title; readers would see empty boxes.
    """
    face = Face(font)
    from PIL import Image, ImageDraw

    title, name = _drawable(post.title, face), _site_name(site, face)
    low = HEIGHT - TOP - (2 * NAME_SIZE if name else 0)
    lines, pixels = _fit(title, face, low - TOP - 4 * _BAR)
    background, accent = COLOURS[hashlib.sha256(post.id.encode()).digest()[0] % len(COLOURS)]

    picture = Image.new("RGB", SIZE, background)
    canvas = ImageDraw.Draw(picture)
    leading = round(pixels * _LEADING)
    y = TOP + (low - TOP - 4 * _BAR - leading * len(lines)) // 2
    canvas.rectangle((LEFT, y, LEFT + 8 * _BAR, y + _BAR), accent)
    y += 4 * _BAR
    for line in lines:
        # From the top of the tallest letters, so that umlauts do not move a line.
        canvas.text((LEFT, y), line, TITLE_COLOUR, face.sized(pixels), anchor="la")
        y += leading
    if name:
        small = face.sized(NAME_SIZE)
        name = _cut(name, small.getlength)
        canvas.text((LEFT, HEIGHT - TOP), name, accent, small, anchor="ld")
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


class Face:
    """A font in any size.

    Raises:
        Misconfigured: Pillow is missing, or the font cannot be used.
    """

    def __init__(self, font: Path | None) -> None:
        try:
            from font_source_sans_pro import SourceSansProBold
            from PIL import ImageFont
        except ImportError as error:
            raise Misconfigured(f"title cards cannot be drawn: {error}", INSTALL) from None
        self._file = str(font or SourceSansProBold)
        try:
            # Without shaping, a missing sign looks like a sign that no font has.
            self._plain = ImageFont.truetype(self._file, 40, layout_engine=ImageFont.Layout.BASIC)
        except OSError as error:
            raise Misconfigured(
                f"the font {self._file} cannot be used: {error}",
                "let card_font name a TrueType or OpenType file, or leave it out",
            ) from None

    def sized(self, pixels: int) -> Any:
        """Return Pillow's font of that size."""
        from PIL import ImageFont

        return ImageFont.truetype(self._file, pixels)

    def lacks(self, text: str) -> list[str]:
        """Return the signs of the text that would be drawn as empty boxes."""
        box = bytes(self._plain.getmask("\uffff"))
        return [sign for sign in dict.fromkeys(text) if bytes(self._plain.getmask(sign)) == box]


def _drawable(text: str, face: Face) -> str:
    """Return the text without the ornaments that the font lacks.

    Raises:
        Undrawable: the font lacks letters, or nothing is left.
    """
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    lacking = face.lacks(text)
    letters = [sign for sign in lacking if not _is_ornament(sign)]
    kept = " ".join("".join(sign for sign in text if sign not in lacking).split())
    if letters or not kept:
        raise Undrawable(f"the font has no {' '.join(letters or lacking)}")
    return kept


def _is_ornament(sign: str) -> bool:
    # U+FE00 to U+FE0F only select a variant of the sign before them.
    return unicodedata.category(sign) in _ORNAMENTS or "\ufe00" <= sign <= "\ufe0f"


def _site_name(site: str, face: Face) -> str:
    try:
        return _drawable(site, face)
    except Undrawable:
        return ""


def _fit(title: str, face: Face, height: int) -> tuple[list[str], int]:
    """Return the lines in the largest size that fits, and that size."""
    for pixels in range(_LARGEST, _SMALLEST - 1, -_STEP):
        measure: Callable[[str], float] = face.sized(pixels).getlength
        most = max(1, min(LINES, int(height // (pixels * _LEADING))))
        lines = _wrapped(title, measure)
        if len(lines) <= most and all(measure(word) <= ROOM for word in title.split()):
            return lines, pixels
    if len(lines) > most:
        lines = [*lines[: most - 1], _cut(" ".join(lines[most - 1 :]), measure)]
    return lines, pixels


def _wrapped(title: str, measure: Callable[[str], float]) -> list[str]:
    """Return lines that fit. A word that is longer than a line is broken at its end."""
    lines: list[str] = []
    for word in title.split():
        if lines and measure(f"{lines[-1]} {word}") <= ROOM:
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for sign in word:
            if lines[-1] and measure(lines[-1] + sign) > ROOM:
                lines.append("")
            lines[-1] += sign
    return lines


def _cut(text: str, measure: Callable[[str], float]) -> str:
    """Return the text, cut with an ellipsis if it is too long."""
    if measure(text) <= ROOM:
        return text
    while text and measure(f"{text}…") > ROOM:
        words, space, _ = text.rpartition(" ")
        text = (words if space else text[:-1]).rstrip(" ,;:.–—-")
    return f"{text}…"
