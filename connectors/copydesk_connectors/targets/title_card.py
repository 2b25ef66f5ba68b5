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
from collections.abc import Callable, Sequence
from itertools import pairwise
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
# In pixels. Networks crop pictures of other shapes.
SIZE = (1200, 630)
LINES = 5
# Empty margins as shares of the picture, so that crops from 4:3 to 2:1 cut no letter.
MARGIN_X, MARGIN_Y = 0.15, 0.10
# Of the height: the largest and the smallest title, from line to line, and the site's name.
_LARGEST, _SMALLEST, _STEP = 0.15, 0.07, 0.01
_LEADING = 1.18
_SITE = 0.05
_ORNAMENTS = frozenset({"So", "Sk", "Cf", "Co", "Cs"})


class Undrawable(Exception):
    """The font lacks letters of the title; the message names them."""


def draw(
    post: Post, size: tuple[int, int] = SIZE, *, site: str = "", font: Path | None = None
) -> bytes:
    """Return a PNG of ``size`` pixels with the post's title and the site's name, if known.

    The same arguments give the same bytes. ``font`` is a TrueType or OpenType file to use
    instead of the built-in font.

    Raises:
        Misconfigured: Pillow is missing, or the font cannot be used.
        Undrawable: the font lacks letters of the title; readers would see empty boxes.
    """
    face = Face(font)
    from PIL import Image, ImageDraw

    width, height = size
    left, top = round(width * MARGIN_X), round(height * MARGIN_Y)
    room = width - 2 * left
    title, name = _drawable(post.title, face), _site_name(site, face)
    low = height - top - round(height * _SITE * 2 if name else 0)
    bar = round(height * 0.012)
    lines, pixels = _fit(title, face, room, low - top - 4 * bar, height)
    background, accent = COLOURS[hashlib.sha256(post.id.encode()).digest()[0] % len(COLOURS)]

    picture = Image.new("RGB", size, background)
    canvas = ImageDraw.Draw(picture)
    rightward = _reads_rightward(title)
    edge, side = (left, "l") if rightward else (width - left, "r")
    leading = round(pixels * _LEADING)
    y = top + (low - top - 4 * bar - leading * len(lines)) // 2
    start = left if rightward else width - left - 8 * bar
    canvas.rectangle((start, y, start + 8 * bar, y + bar), accent)
    y += 4 * bar
    for line in lines:
        # From the top of the tallest letters, so that umlauts do not move a line.
        canvas.text((edge, y), line, TITLE_COLOUR, face.sized(pixels), anchor=f"{side}a")
        y += leading
    if name:
        small = face.sized(round(height * _SITE))
        name = _cut(name, small.getlength, room)
        canvas.text((edge, height - top), name, accent, small, anchor=f"{side}d")
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


def _reads_rightward(text: str) -> bool:
    kinds = (unicodedata.bidirectional(sign) for sign in text)
    return next((kind for kind in kinds if kind in {"L", "R", "AL"}), "L") == "L"


def _fit(title: str, face: Face, width: int, height: int, picture: int) -> tuple[list[str], int]:
    """Return the lines in the largest size that fits, and that size in pixels."""
    pieces = _pieces(title)
    smallest = round(picture * _SMALLEST)
    pixels = round(picture * _LARGEST)
    while True:
        measure: Callable[[str], float] = face.sized(pixels).getlength
        most = max(1, min(LINES, int(height // (pixels * _LEADING))))
        lines = _wrapped(pieces, measure, width)
        whole = all(measure(piece.rstrip()) <= width for piece in pieces)
        if whole and len(lines) <= most:
            return _balanced(pieces, lines, measure, width), pixels
        if pixels <= smallest:
            break
        pixels = max(smallest, pixels - round(picture * _STEP))
    if len(lines) > most:
        rest = " ".join(lines[most - 1 :])
        lines = [*lines[: most - 1], _cut(rest, measure, width)]
    return lines, pixels


def _pieces(title: str) -> list[str]:
    """Return the parts that a line may end with: words, and Chinese and Japanese signs."""
    pieces = [""]
    for before, sign in pairwise(f" {title}"):
        wide = any(unicodedata.east_asian_width(one) in "WF" for one in (before, sign))
        # A line does not begin with a comma or a closing bracket.
        closes = unicodedata.category(sign) in {"Po", "Pe", "Pf", "Zs"}
        if before == " " or (wide and not closes):
            pieces.append("")
        pieces[-1] += sign
    return [piece for piece in pieces if piece]


def _wrapped(pieces: Sequence[str], measure: Callable[[str], float], width: int) -> list[str]:
    """Return lines that fit. A word that is longer than a line is broken at its end."""
    lines = [""]
    for piece in pieces:
        if measure((lines[-1] + piece).rstrip()) <= width:
            lines[-1] += piece
            continue
        if lines[-1]:
            lines.append("")
        for sign in piece:
            if lines[-1] and measure((lines[-1] + sign).rstrip()) > width:
                lines.append("")
            lines[-1] += sign
    return [line.rstrip() for line in lines]


def _balanced(
    pieces: Sequence[str], lines: list[str], measure: Callable[[str], float], width: int
) -> list[str]:
    """Return the same number of lines, as even in length as possible."""
    widest = max(measure(piece.rstrip()) for piece in pieces)
    for narrower in range(width, int(widest), -max(1, width // 60)):
        tried = _wrapped(pieces, measure, narrower)
        if len(tried) > len(lines):
            break
        lines = tried
    return lines


def _cut(text: str, measure: Callable[[str], float], width: int) -> str:
    """Return the text, cut with an ellipsis if it is too long."""
    if measure(text) <= width:
        return text
    while text and measure(f"{text}…") > width:
        words, space, _ = text.rpartition(" ")
        text = (words if space else text[:-1]).rstrip(" ,;:.–—-")
    return f"{text}…"
