"""A folder of plain HTML pages with lists of them and a feed: a site without any other program."""

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bs4 import BeautifulSoup
from markupsafe import Markup

from copydesk_connectors.target import settings
from copydesk_connectors.target.base import Copy, CopyState, Finding, Level
from copydesk_connectors.target.errors import Misconfigured
from copydesk_connectors.target.internal_links import Page, closest
from copydesk_connectors.target.json_ld import blog_posting
from copydesk_connectors.target.notice import notice, with_notice
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import SettingError, Settings, without_slash
from copydesk_connectors.targets.folder import (
    FolderTarget,
    os_errors,
    read_text,
    replace_whole,
)
from copydesk_connectors.targets.git import GitSettings
from copydesk_connectors.targets.listing import (
    TAGS,
    Listing,
    ListPage,
    Posts,
    is_sealed,
    sealed_state,
    tag_slugs,
)
from copydesk_connectors.targets.page_templates import Templates
from copydesk_connectors.targets.page_words import words
from copydesk_connectors.targets.pictures import Image, PictureFolder, image_choice, lacking_letters
from copydesk_connectors.targets.seen_files import Facts, cache_path

_IMAGES = "images"
_OUR_IMAGE = re.compile(r"[0-9a-f]{16}\.\w+\Z")
_HEAD_END = re.compile(r"</head\s*>|<body\b", re.IGNORECASE)
_FOREIGN = Facts("made or edited by hand")
# A post has a few keywords; a page of each is written for each post.
_MOST_TAGS = 10


def _file_name(suffix: str) -> Callable[[str], str]:
    def checked(name: str) -> str:
        if not re.fullmatch(rf"[A-Za-z0-9_-][A-Za-z0-9._-]*\{suffix}", name):
            raise ValueError(f'must be a file name that ends in {suffix}, such as "posts{suffix}"')
        return name

    return checked


@dataclass(frozen=True, kw_only=True)
class HtmlSettings(Settings):
    """The settings of a folder of HTML pages."""

    path: Path = settings.path(
        "The folder for the pages.", ask="Folder for the pages", suggestion="public"
    )
    title: str = settings.text("The title of the site.", default="Blog", ask="Title of the site")
    language: str = settings.text("The language of the pages.", default="en")
    author: str = settings.text("The author of the posts in the feed.", default="")
    base_url: str = settings.url(
        "The address of the folder on the web, for canonical links and full links in the feed.",
        default="",
        ask="Address of that folder on the web, if you know it",
        convert=without_slash,
    )
    index: str = settings.text(
        "The page that lists the newest posts: 50 to 99 posts; older posts follow on pages of 50.",
        default="index.html",
        convert=_file_name(".html"),
    )
    feed: str = settings.text("The Atom feed.", default="feed.xml", convert=_file_name(".xml"))
    sitemap: str = settings.text(
        "The sitemap for search engines, written if `base_url` is set.",
        default="sitemap.xml",
        convert=_file_name(".xml"),
    )
    templates: Path | None = settings.path(
        "A folder with templates of your own. See [Plain HTML pages](#plain-html-pages).",
        default=None,
    )
    tags: tuple[str, ...] | None = settings.tags()
    notice: str = notice()
    json_ld: bool = settings.flag("`true` adds a schema.org BlogPosting to each page.")
    image: Image | None = image_choice()
    git: GitSettings = settings.group(GitSettings)
    cache: Path = cache_path()

    def __post_init__(self) -> None:
        """Check the names of the lists and the folder of the templates."""
        super().__post_init__()
        if self.feed == self.sitemap:
            raise SettingError("sitemap", f'must not be "{self.feed}", the name of the feed')
        if self.templates and not self.templates.is_dir():
            raise SettingError(
                "templates",
                f"must be a folder, and {self.templates} is not; `copydesk-connect templates` "
                "creates one",
            )


class HtmlSite(FolderTarget):
    """One page for each post, ``slug.html``, lists of all posts and of each tag, and a feed."""

    Settings = HtmlSettings
    suffix = ".html"

    def __init__(self, name: str, settings: HtmlSettings) -> None:
        path, image = settings.path, settings.image
        self._listing = Listing(
            title=settings.title,
            language=settings.language,
            author=settings.author,
            base_url=settings.base_url,
            index=settings.index,
            feed=settings.feed,
            sitemap=settings.sitemap,
        )
        self._templates = Templates(settings.templates)
        self._tags = settings.tags
        self._notice = settings.notice
        self._json_ld = settings.json_ld
        self._image = image
        self._pictures = PictureFolder(image, path / _IMAGES, _IMAGES) if image else None
        # The lists by name as this process last saw or wrote them: their design and content.
        self._shown: dict[str, tuple[str, tuple[Any, ...]]] = {}
        super().__init__(name, path, settings.cache, settings.git.repository(path))

    def ready(self) -> None:
        """Return if files can be written, and the templates make pages."""
        super().ready()
        self._try_templates()

    def inspect(self) -> Sequence[Finding]:
        """Return whether the templates make pages, and the lists are ours to write."""
        findings: list[Finding] = []
        try:
            self._try_templates()
        except Misconfigured as error:
            findings.append(Finding.of_error(self.name, error))
        listing = self._listing
        lists = {"index": listing.index, "feed": listing.feed}
        if listing.base_url:
            lists["sitemap"] = listing.sitemap
        for key, name in lists.items():
            path = self.path / name
            if path.exists() and not is_sealed(read_text(path)):
                fix = _move_away(key)
                findings.append(Finding(Level.WARNING, self.name, _foreign(name), fix))
        return [*findings, *lacking_letters(self.name, self._image, self._listing.language)]

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Write the page unless it exists, and add it to the lists."""
        path = self._place(post, lambda slug: self._render_post(post, slug))
        with os_errors(self.path):
            notes = self._write_lists()
        if self._git:
            self._git.keep(post, path, self._lists(), self._is_ours)
        return replace(self._copy(post, path), notes=notes)

    def related(self, text: str) -> Sequence[Page]:
        """Return the published posts whose titles fit the text."""
        with os_errors(self.path):
            ours = [Page(facts.title, quote(name)) for name, facts in self._ours()]
        return closest(text, ours)

    def _is_reserved(self, name: str) -> bool:
        return self._listing.is_reserved(name)

    def _read(self, text: str) -> Facts | None:
        """Return what a page says, or None for a page of somebody else."""
        if "copydesk-id" not in text:
            return None
        end = _HEAD_END.search(text)
        head = BeautifulSoup(text[: end.start()] if end else text, "html.parser")
        post_id = _meta(head, "name", "copydesk-id")
        if not post_id:
            return None
        title = head.title.get_text() if head.title else ""
        return Facts(
            post_id,
            title=" ".join(title.split()),
            description=_meta(head, "name", "description"),
            published=_meta(head, "property", "article:published_time"),
            thumbnail=_meta(head, "name", "copydesk-thumbnail"),
            tags=tuple(_metas(head, "property", "article:tag")[:_MOST_TAGS]),
        )

    def _copy(self, post: Post, path: Path) -> Copy:
        return Copy(path.name, CopyState.PUBLIC, self._url(path))

    def _url(self, path: Path) -> str:
        if self._listing.base_url:
            return f"{self._listing.base_url}/{quote(path.name)}"
        return path.absolute().as_uri()

    def _rendered_again(self, post: Post, path: Path) -> str:
        return self._render_post(post, path.stem)

    def _render_post(self, post: Post, slug: str) -> str:
        site = self._listing
        url = site.url(f"{slug}.html") if site.base_url else ""
        cover = thumbnail = image = ""
        if self._pictures:
            picture = self._pictures.put(post, site.title)
            small = self._pictures.put_thumbnail(post, site.title)
            image = f"{_IMAGES}/{picture}" if picture else ""
            thumbnail = f"{_IMAGES}/{small}" if small else ""
            # A title card below the headline would be a second one.
            cover = "" if self._pictures.image.path is None else image
        return self._render(with_notice(post, self._notice), url, image, cover, thumbnail)

    def _render(self, post: Post, url: str, image: str, cover: str, thumbnail: str) -> str:
        """Return a page; raise Misconfigured if a template is wrong or leaves out the post's id."""
        site = self._listing
        address = site.url(image) if image and site.base_url else ""
        names = post.keywords if self._tags is None else self._tags
        tags = tag_slugs(names[:_MOST_TAGS])
        data = blog_posting(
            post,
            url=url,
            language=site.language,
            author=site.author,
            publisher=site.title,
            image=address,
        )
        published = post.generated_at.isoformat(timespec="seconds")
        said = words(site.language)
        values = {
            "site": site.site(),
            "words": said,
            "page": {
                "title": post.title,
                "description": post.description,
                "url": url,
                "image": address,
                "root": "",
            },
            "post": {
                "id": post.id,
                "title": post.title,
                "description": post.description,
                "published": published,
                "date": said.day(published),
                "html": Markup(_scrollable(post.html)),  # noqa: S704 - the service's own, sanitised
                "tags": [
                    {"name": tag, "href": quote(f"{TAGS}/{slug}.html")}
                    for slug, tag in tags.items()
                ],
                "cover": cover,
                "thumbnail": thumbnail,
                "json_ld": Markup(data) if self._json_ld else "",  # noqa: S704 - has no <
            },
        }
        text = self._templates.render("post.html", values)
        facts = self._read(text)
        if facts is None or facts.id != post.id:
            raise Misconfigured(
                "the template post.html leaves out the head, by which posts are recognized",
                'put {% include "copydesk/head.html" %} into <head>',
            )
        return text

    def _try_templates(self) -> None:
        """Render a page of each kind. Raises Misconfigured if a template is wrong."""
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        post = Post("itm", "Title", "slug", "About", ("tag",), "<p>Text</p>", "Text", moment)
        text = self._render(post, "", "", "", "")
        facts = self._read(text) or Facts("itm")
        page = ListPage("tag", (("slug.html", facts),), "newest.html", "older.html")
        self._listing.render_page(f"{TAGS}/tag.html", page, self._templates)

    def _write_lists(self) -> tuple[str, ...]:
        # Another instance may add a page while this one writes: write until nothing is missing.
        listing = self._listing
        while True:
            posts = sorted(self._ours(), key=lambda entry: (entry[1].published, entry[0]))
            design = self._templates.digest()
            notes: list[str] = []
            changed = False
            names: set[str] = set()
            before = set(self._shown) or self._lists_on_disk()
            for file in listing.files(posts, self._templates):
                names.add(file.name)
                # Most lists show what they showed after the post before: look at no file for them.
                if self._shown.get(file.name) == (design, file.content):
                    continue
                state = listing.state(file.content, design)
                if self._list_state(file.name) != state:
                    if not self._replace(file.name, file.render(state), notes, file.key):
                        continue
                    changed = True
                    self._list_state(file.name)  # for the cache: the next process reads less
                self._shown[file.name] = (design, file.content)
            changed |= self._replace(listing.feed, self._render_feed(posts), notes, "feed")
            changed |= self._remove_lists(names, before)
            if not changed:
                self._seen.save()
                return tuple(notes)

    def _remove_lists(self, current: Set[str], before: Set[str]) -> bool:
        """Remove lists of posts that are gone; return whether there were any."""
        gone = [name for name in before - current if self._is_ours(name)]
        for name in gone:
            (self.path / name).unlink(missing_ok=True)
            self._shown.pop(name, None)
        return bool(gone)

    def _lists_on_disk(self) -> Set[str]:
        tags = self.path / TAGS
        names = [path.name for path in self.path.iterdir()]
        names += [f"{TAGS}/{path.name}" for path in (tags.iterdir() if tags.is_dir() else ())]
        return {name for name in names if self._listing.may_be_left(name)}

    def _lists(self) -> list[str]:
        names = [name for name in self._shown if "/" not in name]
        return [*names, *self._listing.next_names(names), self._listing.feed, _IMAGES, TAGS]

    def _is_ours(self, name: str) -> bool:
        folder, _, file = name.rpartition("/")
        if folder == _IMAGES:
            return bool(_OUR_IMAGE.match(file))
        path = self.path / name
        return not path.exists() or is_sealed(read_text(path))

    def _list_state(self, name: str) -> str:
        path = self.path / name
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            facts = self._seen.facts(f"/{name}", stamp, lambda: _read_list(read_text(path)))
        except FileNotFoundError:
            return ""
        return facts.id if facts else ""

    def _render_feed(self, posts: Posts) -> str:
        feed = self.path / self._listing.feed
        return self._listing.render_feed(posts, read_text(feed) if feed.exists() else "")

    def _replace(self, name: str, text: str, notes: list[str], key: str) -> bool:
        """Write a list unless it is current or somebody else's; return whether it was written."""
        path = self.path / name
        if path.exists():
            current = read_text(path)
            if current == text:
                return False
            if not is_sealed(current):
                notes.append(f"{_foreign(name)}. {_move_away(key)}")
                return False
        path.parent.mkdir(exist_ok=True)
        replace_whole(path, text)
        return True


def _foreign(name: str) -> str:
    return f"{name} was made or edited by hand and is left as it is: new posts are not listed there"


def _scrollable(text: str) -> str:
    """Return the HTML with wide parts in elements that the keyboard can scroll."""
    text = text.replace("<table>", '<div class="scroll" tabindex="0"><table>')
    return text.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')


def _move_away(key: str) -> str:
    other = f", or set another name in {key}" if key else ""
    return f"move it away to have it generated again{other}"


def _read_list(text: str) -> Facts:
    state = sealed_state(text)
    return Facts(state) if state and is_sealed(text) else _FOREIGN


def _meta(head: BeautifulSoup, attribute: str, value: str) -> str:
    return next(iter(_metas(head, attribute, value)), "")


def _metas(head: BeautifulSoup, attribute: str, value: str) -> list[str]:
    tags = head.find_all("meta", attrs={attribute: value})
    return [str(tag.get("content") or "") for tag in tags]
