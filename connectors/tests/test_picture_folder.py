"""Pictures of posts on static sites: where each generator keeps them."""

from dataclasses import replace
from pathlib import Path

import frontmatter
import pytest

from copydesk_connectors.target.base import Level, Target
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .items import make_item

POST = Post.from_item(make_item())
PICTURE = b"\x89PNG a picture"


def opened(tmp_path: Path, **settings: object) -> Target:
    (tmp_path / "beans.png").write_bytes(PICTURE)
    table = Table({"image": "beans.png", **settings}, "[[target]] 1", tmp_path / "copydesk.toml")
    return TARGETS["markdown"]("site", table)


@pytest.mark.parametrize(
    ("preset", "path", "key", "folder", "url"),
    [
        ("hugo", "content/posts", "images", "static/images", "/images"),
        ("jekyll", "_posts", "image", "assets/images", "/assets/images"),
        ("astro", "src/content/blog", "heroImage", "public/images", "/images"),
    ],
)
def test_a_picture_lies_where_the_generator_copies_it_from(
    tmp_path: Path, preset: str, path: str, key: str, folder: str, url: str
) -> None:
    """markdown presets (where the generator keeps images)"""
    (tmp_path / path).mkdir(parents=True)
    target = opened(tmp_path, path=path, preset=preset)
    for _ in range(2):
        target.publish(POST, "")
    (page,) = (tmp_path / path).glob("*.md")
    (picture,) = (tmp_path / folder).iterdir()
    assert picture.read_bytes() == PICTURE
    written = frontmatter.load(page)[key]
    assert written in (f"{url}/{picture.name}", [f"{url}/{picture.name}"])


def test_the_owner_may_keep_pictures_elsewhere(tmp_path: Path) -> None:
    """image = … a path to a folder or file of the owner's"""
    folder = {"image_folder": "site/pics", "image_folder_url": "https://cdn.example/p/"}
    opened(tmp_path, path="posts", **folder).publish(POST, "")
    (page,) = (tmp_path / "posts").glob("*.md")
    (picture,) = (tmp_path / "site" / "pics").iterdir()
    assert frontmatter.load(page)["image"] == f"https://cdn.example/p/{picture.name}"


def test_only_the_owners_pictures_count(tmp_path: Path) -> None:
    """Hidden files and files that are no pictures are left out."""
    folder = tmp_path / "pics"
    folder.mkdir()
    (folder / "photo.png").write_bytes(PICTURE)
    (folder / "._photo.png").write_bytes(PICTURE)
    (folder / "empty.jpg").touch()
    (folder / "login.webp").write_text("<!doctype html><title>Log in</title>")
    (folder / "albums.gif").mkdir()
    (folder / "gone.svg").symlink_to(folder / "nowhere.svg")
    kept = {"image_folder": "images", "image_folder_url": "/images"}
    site = opened(tmp_path, path="public", image="pics", **kept)
    for number in range(9):
        site.publish(replace(POST, id=f"itm_{number}", slug=f"post-{number}"), "")
    (shown,) = (tmp_path / "images").iterdir()
    assert shown.read_bytes() == PICTURE
    warning = next(found for found in site.check() if found.level is Level.WARNING)
    assert warning.message.startswith("albums.gif, empty.jpg, gone.svg, login.webp in ")
    (folder / "photo.png").unlink()
    problem = next(found for found in site.check() if found.level is Level.PROBLEM)
    assert problem.message == f"there is no picture at {folder}"
