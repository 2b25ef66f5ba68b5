"""The picture of a post: a file of the owner's."""

import hashlib
import mimetypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, model_validator

from copydesk_connectors.target.base import Finding, Level
from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import (
    FilePath,
    SettingError,
    Settings,
    Text,
    setting,
    without_slash,
)
from copydesk_connectors.targets.folder import create_whole, os_errors, sync_folder

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg"})
_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8")  # JPEG, PNG, GIF


@dataclass(frozen=True)
class Picture:
    """A picture to send or copy. ``name`` is a file name with its suffix."""

    name: str
    content: bytes

    @property
    def digest(self) -> str:
        """The SHA-256 of the content in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def media_type(self) -> str:
        """The media type by the file name, such as "image/png"."""
        guessed, _ = mimetypes.guess_type(self.name, strict=False)
        return guessed or "application/octet-stream"


class ImageSettings(Settings):
    """Which picture posts get."""

    image: FilePath | None = setting(
        "A picture, or a folder of pictures: a post gets the one named like its slug, else one "
        "of the others. Hidden files and files that are no pictures are left out.",
        default=None,
    )

    @model_validator(mode="after")
    def _can_be_used(self) -> Self:
        path = self.image
        if path and path.suffix.lower() not in SUFFIXES and not path.is_dir():
            kinds = ", ".join(sorted(SUFFIXES))
            problem = f"must be a picture or a folder of pictures ({kinds}); {path} is neither"
            raise SettingError("image", problem)
        return self


@dataclass(frozen=True)
class PictureFolder:
    """The folder ``path`` in which a static site keeps pictures; its pages find them at ``url``."""

    settings: ImageSettings
    path: Path
    url: str

    def put(self, post: Post) -> str:
        """Copy the post's picture into the folder and return its name, or "" for no picture.

        The name depends on the content, so posts that share a picture share the file.
        """
        picture = pick(self.settings, post)
        if picture is None:
            return ""
        file = self.path / (picture.digest[:16] + Path(picture.name).suffix.lower())
        with os_errors(self.path):
            if not file.exists():
                self.path.mkdir(parents=True, exist_ok=True)
                with suppress(FileExistsError):  # another instance was quicker
                    create_whole(file, picture.content)
                sync_folder(self.path)
        return file.name


@dataclass(frozen=True)
class Usual:
    """Where a generator keeps pictures: ``path`` beside the folder ``beside``, at ``url``."""

    beside: str
    path: str
    url: str


class PictureSettings(ImageSettings):
    """Which picture posts get, and where the site keeps its pictures."""

    image_folder: FilePath | None = setting(
        "The folder in which the site keeps pictures. `hugo`, `jekyll` and `astro` have "
        "`static/images`, `assets/images` and `public/images`.",
        default=None,
    )
    image_folder_url: Annotated[Text, AfterValidator(without_slash)] | None = setting(
        "The address of `image_folder` on the site, such as `/images`. The same presets know it.",
        default=None,
    )

    def picture_folder(self, posts: Path, usual: Usual | None) -> PictureFolder | None:
        """Return the folder for the pictures, or None for no pictures.

        Args:
            posts: the folder of the posts.
            usual: where the site's generator keeps pictures, if that is known.
        """
        if self.image is None:
            if self.image_folder:
                raise SettingError("image_folder", "needs image = a picture or a folder")
            return None
        folder, url = self.image_folder, self.image_folder_url
        if usual is not None:
            folder = folder or _usual_folder(posts.absolute(), usual)
            url = usual.url if url is None else url
        if folder is None:
            raise SettingError(
                "image_folder", "is missing: the folder in which the site keeps pictures"
            )
        if url is None:
            raise SettingError(
                "image_folder_url", 'is missing: that folder\'s address on the site, as "/images"'
            )
        return PictureFolder(self, folder, url)


def _usual_folder(posts: Path, usual: Usual) -> Path | None:
    for folder in (posts, *posts.parents):
        if folder.name == usual.beside:
            return folder.parent / usual.path
    return None


def pick(settings: ImageSettings, post: Post) -> Picture | None:
    """Return the picture for a post, the same one each time; None for no picture.

    From a folder this is the file named like the post's slug, else one chosen by the post's id.

    Raises:
        Misconfigured: there is no picture, or it cannot be read.
    """
    if settings.image is None:
        return None
    with _readable(settings.image):
        found, _ = _listed(settings.image)
        number = int.from_bytes(hashlib.sha256(post.id.encode()).digest()[:8])
        file = next((file for file in found if file.stem == post.slug), found[number % len(found)])
        return Picture(file.name, file.read_bytes())


def check(settings: ImageSettings, subject: str) -> list[Finding]:
    """Return what is wrong with the owner's pictures, for ``check``."""
    if settings.image is None:
        return []
    try:
        with _readable(settings.image):
            _, others = _listed(settings.image)
    except Misconfigured as error:
        return [Finding.of_error(subject, error)]
    if not others:
        return []
    names = ", ".join(file.name for file in others[:5]) + (" …" if len(others) > 5 else "")
    said = f"{names} in {settings.image} cannot be used: not a picture, or empty"
    return [Finding(Level.WARNING, subject, said, "replace or remove it")]


def _listed(path: Path) -> tuple[list[Path], list[Path]]:
    """Return the pictures at a path, and the other files that have the name of one, sorted."""
    files = [path]
    if path.is_dir():  # systems leave files of their own in it
        named = (file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
        files = sorted(file for file in named if not file.name.startswith("."))
    found = [file for file in files if file.is_file() and _is_picture(file)]
    if not found:
        problem = f"there is no picture at {path}"
        raise Misconfigured(problem, "put one there, or correct image")
    return found, [file for file in files if file not in found]


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Misconfigured(
            f"the picture {error.filename or path} cannot be read: {error.strerror}",
            "let the connector read it, or correct image",
        ) from None


def _is_picture(file: Path) -> bool:
    if file.suffix.lower() == ".svg":
        return b"<svg" in file.read_bytes()
    with file.open("rb") as content:
        head = content.read(12)
    return head.startswith(_SIGNATURES) or head[4:8] == b"ftyp" or head[8:] == b"WEBP"
