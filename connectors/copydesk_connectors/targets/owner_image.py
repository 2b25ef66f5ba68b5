"""The picture of a post: a file of the owner's, or a card drawn from its title."""

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from copydesk_connectors.errors import Misconfigured
from copydesk_connectors.log import logger
from copydesk_connectors.post import Post
from copydesk_connectors.targets import title_card
from copydesk_connectors.toml_table import Table

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg"})


@dataclass(frozen=True)
class Image:
    """What ``image`` says: ``path`` is a picture or a folder of them, None for drawn cards.

    ``font`` is the file that cards are drawn with, None for ours.
    """

    path: Path | None
    font: Path | None = None


@dataclass(frozen=True)
class Picture:
    """A picture as it is sent or copied. ``name`` is a file name with its suffix."""

    name: str
    content: bytes

    @property
    def digest(self) -> str:
        """What tells pictures apart: hexadecimal, the same for the same content."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def media_type(self) -> str:
        """Such as "image/png"."""
        guessed, _ = mimetypes.guess_type(self.name, strict=False)
        return guessed or "application/octet-stream"


def from_table(table: Table) -> Image | None:
    """What ``image`` and ``card_font`` say, None for "none".

    Raises:
        ConfigError: no such file or folder, or cards cannot be drawn here.
    """
    kind = table.text("image", "none")
    font = table.path("card_font") if table.has("card_font") else None
    if font and kind != "card":
        table.fail("card_font", 'goes together with image = "card"')
    if kind == "none":
        return None
    if kind == "card":
        try:
            title_card.Face(font)
        except Misconfigured as error:
            table.fail("card_font" if font else "image", str(error))
        return Image(None, font)
    path = table.path("image")
    if path.suffix.lower() not in SUFFIXES and not path.is_dir():
        table.fail(
            "image",
            'must be "none", a picture or a folder of pictures '
            f'({", ".join(sorted(SUFFIXES))}), or "card"; {path} is neither',
        )
    return Image(path)


def pick(image: Image, post: Post, site: str = "") -> Picture | None:
    """The picture for a post; the same one each time. All targets have it from here.

    Of a folder it is the file of the post's slug, else one that stays the same for the post. A card
    is drawn, with the ``site``'s name where that is known. None where the font lacks letters of the
    title: the post goes up without a picture, and the log says so.

    Raises:
        Misconfigured: there is no file, it cannot be read, or cards cannot be drawn here.
    """
    if image.path is None:
        return _card(image, post, site)
    try:
        file = _file(image.path, post)
        return Picture(file.name, file.read_bytes())
    except OSError as error:
        raise Misconfigured(
            f"the picture {error.filename or image.path} cannot be read: {error.strerror}",
            "let the connector read it, or correct image",
        ) from None


def _card(image: Image, post: Post, site: str) -> Picture | None:
    try:
        return Picture(f"{post.slug}.png", title_card.draw(post, site=site, font=image.font))
    except title_card.Undrawable as lacking:
        message = f"has no title card, for {lacking}: let card_font name a font file that has them"
        logger.warning("%s", message, extra={"item": post.id})
        return None


def _file(path: Path, post: Post) -> Path:
    if not path.is_dir():
        found = [path] if path.is_file() else []
    else:
        found = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
    if not found:
        raise Misconfigured(f"there is no picture at {path}", "put one there, or correct image")
    number = int.from_bytes(hashlib.sha256(post.id.encode()).digest()[:8])
    return next((file for file in found if file.stem == post.slug), found[number % len(found)])
