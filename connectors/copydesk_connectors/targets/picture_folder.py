"""The folder in which a static site keeps the pictures of its posts."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from copydesk_connectors.post import Post
from copydesk_connectors.targets import owner_image
from copydesk_connectors.targets.folder import create_whole, os_errors, sync_folder
from copydesk_connectors.targets.owner_image import Image
from copydesk_connectors.toml_table import Table


@dataclass(frozen=True)
class Usual:
    """Where a generator has pictures: ``path`` beside the folder named ``beside``, at ``url``."""

    beside: str
    path: str
    url: str


@dataclass(frozen=True)
class PictureFolder:
    """Pictures by the ``image`` setting, copied to ``path``; pages find them under ``url``."""

    image: Image
    path: Path
    url: str

    @classmethod
    def from_table(cls, table: Table, posts: Path, usual: Usual | None) -> Self | None:
        """Read ``image``, ``image_folder`` and ``image_folder_url``; None for no pictures.

        ``posts`` is the folder of the posts, ``usual`` what the site's generator does.

        Raises:
            ConfigError
        """
        image = owner_image.from_table(table)
        folder = table.path("image_folder") if table.has("image_folder") else None
        url = table.text("image_folder_url", usual.url if usual else "").rstrip("/")
        if image is None:
            if folder:
                table.fail("image_folder", 'needs image = "card", a picture or a folder of them')
            return None
        folder = folder or _usual_folder(posts.absolute(), usual)
        if folder is None:
            table.fail("image_folder", "is missing: the folder in which the site keeps pictures")
        if not url and not table.has("image_folder_url"):
            table.fail(
                "image_folder_url", 'is missing: that folder\'s address on the site, as "/images"'
            )
        return cls(image, folder, url)

    def put(self, post: Post, site: str = "") -> str:
        """Have the post's picture in the folder; its name there, "" for none.

        It is named by what is in it: posts that share a picture share the file.

        Raises:
            Unavailable, Misconfigured
        """
        picture = owner_image.pick(self.image, post, site)
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


def _usual_folder(posts: Path, usual: Usual | None) -> Path | None:
    if usual is None:
        return None
    return next(
        (
            folder.parent / usual.path
            for folder in (posts, *posts.parents)
            if folder.name == usual.beside
        ),
        None,
    )
