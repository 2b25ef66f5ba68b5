"""The presets' front matter and pictures; tests/sites of the repository builds real sites of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import frontmatter
import pytest

from copydesk_connectors.target.base import CopyState, Level, Target
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.markdown import MarkdownFolder

from .items import make_item

PRESETS = ("plain", "hugo", "jekyll", "eleventy", "astro")
POST = Post.from_item(make_item())


@pytest.fixture
def target(tmp_path: Path) -> Callable[..., MarkdownFolder]:
    """Opens the target on the folder ``_posts`` with these settings."""

    def opened(**settings: Any) -> MarkdownFolder:
        table = Table({"path": "_posts", **settings}, "[[target]] 1", tmp_path / "copydesk.toml")
        made = TARGETS["markdown"]("site", table)
        assert isinstance(made, MarkdownFolder)
        return made

    return opened


def written(tmp_path: Path) -> frontmatter.Post:
    """The one file there."""
    (file,) = (tmp_path / "_posts").glob("*.md")
    return frontmatter.load(str(file))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_common_settings_reach_every_front_matter(
    target: Callable[..., MarkdownFolder], tmp_path: Path, preset: str
) -> None:
    """tags = [..] in place of the keywords, category, author, layout, image"""
    (tmp_path / "i.png").write_bytes(b"\x89PNG")
    picture = {"image": "i.png", "image_folder": "img", "image_folder_url": "/i"}
    made = target(
        preset=preset, tags=["a"], category="News", author="Jo", layout="x.njk", **picture
    )
    made.publish(POST, "")
    page = written(tmp_path)
    assert (page["tags"], page["categories"], page["author"]) == (["a"], ["News"], "Jo")
    shown = page.metadata.get("image") or page.metadata.get("heroImage") or page.get("images")
    (address,) = shown if preset == "hugo" else [shown]
    assert address.startswith("/i/")
    assert page["layout"] == "x.njk"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_draft_is_told_from_a_page(target: Callable[..., MarkdownFolder], preset: str) -> None:
    """left as a draft, until its owner says otherwise"""
    made = target(preset=preset, status="draft", base_url="https://blog.example")
    copy = made.publish(POST, "")
    assert (copy.state, copy.url) == (CopyState.DRAFT, "")
    assert target(preset=preset).find(POST) == copy
    assert made.publish(POST, "") == copy


def test_addresses(target: Callable[..., MarkdownFolder], tmp_path: Path) -> None:
    """the page's address as the generator makes it, or as permalink says"""
    base = {"base_url": "https://blog.example/"}
    copy = target(preset="jekyll", category=["Home Care", "x"], **base).publish(POST, "")
    slug = "descale-espresso-machine"
    assert copy.remote_id == f"2026-05-01-{slug}.md"
    assert copy.url == f"https://blog.example/home%20care/x/2026/05/01/{slug}.html"
    found = target(preset="jekyll", permalink="/{year}/{slug}", **base).find(POST)
    assert found is not None
    assert found.url == f"https://blog.example/2026/{slug}"
    file = tmp_path / "_posts" / copy.remote_id
    file.write_text(file.read_text().replace("2026-05-01 ", "2027-06-02 "))
    found = target(preset="jekyll", **base).find(POST)
    assert found is not None
    assert "/2027/06/02/" in found.url


@pytest.mark.parametrize(
    ("preset", "own", "site", "generated", "day"),
    [
        ("jekyll", {}, "timezone: America/New_York", "2026-11-20T02:30:00Z", "2026-11-19"),
        ("jekyll", {}, "title: Blog", "2026-11-20T02:30:00Z", "2026-11-20"),
        ("jekyll", {}, "timezone: [no", "2026-11-20T02:30:00Z", "2026-11-20"),
        (
            "jekyll",
            {"timezone": "Asia/Tokyo"},
            "timezone: UTC",
            "2026-12-31T15:00:00Z",
            "2027-01-01",
        ),
        ("hugo", {"timezone": "Asia/Tokyo"}, "", "2026-10-31T20:00:00Z", "2026-11-01"),
        ("plain", {}, "timezone: Asia/Tokyo", "2026-10-31T20:00:00Z", "2026-10-31"),
    ],
)
def test_addresses_have_the_day_of_the_sites_time_zone(
    target: Callable[..., MarkdownFolder],
    tmp_path: Path,
    preset: str,
    own: dict[str, str],
    site: str,
    generated: str,
    day: str,
) -> None:
    """timezone: decides the day of a post in its address"""
    (tmp_path / "_config.yml").write_text(site)
    settings = {"base_url": "https://blog.example", "permalink": "{year}-{month}-{day}"} | own
    made = target(preset=preset, file_name="date-slug", **settings)
    post = Post.from_item(make_item(generated_at=generated))
    copy = made.publish(post, "")
    assert copy.url == f"https://blog.example/{day}"
    assert copy.remote_id.startswith(f"{day}-")
    assert str(written(tmp_path)["date"]).startswith(day)
    assert made.find(post) == copy
    (linked,) = made.related("a clean espresso machine")
    assert linked.url == copy.url


@pytest.mark.parametrize("title", ["1e3", "12E+03", "0o17", "1,000", ".5e1", "1_0e3", ":draft"])
def test_no_reader_takes_a_title_for_a_number_or_a_symbol(
    target: Callable[..., MarkdownFolder], tmp_path: Path, title: str
) -> None:
    """YAML 1.2, Go's and Ruby's readers know numbers that YAML 1.1 does not."""
    target(preset="hugo").publish(replace(POST, title=title), "")
    (file,) = (tmp_path / "_posts").glob("*.md")
    assert f"title: '{title}'\n" in file.read_text()
    assert written(tmp_path)["title"] == title


def test_its_own_posts_are_found_for_internal_links(target: Callable[..., MarkdownFolder]) -> None:
    """resolved at publish time to the site's own related posts"""
    made = target(preset="hugo", base_url="https://blog.example/posts")
    made.publish(POST, "")
    (page,) = made.related("a clean espresso machine")
    assert page.title == POST.title
    assert page.url == "https://blog.example/posts/descale-espresso-machine/"
    assert made.related("gardens") == []
    assert target(preset="hugo").related("espresso") == ()


def test_check_knows_the_generators_ways(target: Callable[..., MarkdownFolder]) -> None:
    """what the target would do, and how to fix each finding"""
    assert [f.level for f in target(preset="jekyll").check()] == [Level.OK]
    (_, folder) = target(preset="jekyll", path="posts").check()
    assert (folder.level, folder.fix) == (Level.WARNING, "let path end in _posts")
    (_, drafts) = target(preset="astro", status="draft").check()
    assert "!data.draft" in drafts.fix


CODE = """\
Type `{{ a|b }}` or {{ a }} into `a$$b`:

1. Say `{% x %}`.

```sh
echo {{ a }} | cat

: {% b %} {{< c >}} <d>
```

| A | `b\\|c` |
| --- | --- |
| {% d %} | e |

It is plain `code` | text."""


@pytest.mark.parametrize("preset", ["eleventy", "astro"])
def test_code_is_kept_where_no_template_reads_it(
    target: Callable[..., MarkdownFolder], tmp_path: Path, preset: str
) -> None:
    target(preset=preset).publish(replace(POST, markdown=CODE), "")
    text = written(tmp_path).content
    assert text == CODE.replace("or {{ a", "or &#123;{ a").replace("| {% d", "| &#123;% d")


def test_shortcodes_in_code_are_written_for_hugo(
    target: Callable[..., MarkdownFolder], tmp_path: Path
) -> None:
    target(preset="hugo").publish(replace(POST, markdown=CODE), "")
    text = written(tmp_path).content
    assert "`{{ a|b }}` or &#123;{ a }}" in text
    assert "\n: {% b %} {{</* c */>}} <d>\n```" in text


def test_code_that_jekyll_would_read_is_written_as_html(
    target: Callable[..., MarkdownFolder], tmp_path: Path
) -> None:
    target(preset="jekyll").publish(replace(POST, markdown=CODE), "")
    text = written(tmp_path).content
    assert "{%" not in text
    assert "{{" not in text
    assert "<code>&#123;&#123; a&#124;b }}</code>" in text
    assert "<code>a&#36;&#36;b</code>" in text
    assert (
        "<pre><code>echo &#123;&#123; a }} &#124; cat\n&#10;"
        ": &#123;% b %} &#123;&#123;&lt; c &gt;}} &lt;d&gt;\n</code></pre>"
    ) in text
    assert "| A | <code>b&#124;c</code> |\n| --- | --- |" in text
    assert "It is plain `code` &#124; text." in text


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
