"""A folder of plain HTML pages with lists of them and a feed: a site without any other program."""

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from urllib.parse import quote

from bs4 import BeautifulSoup

from copydesk_connectors.target import settings
from copydesk_connectors.target.base import Copy, CopyState, Finding, Level
from copydesk_connectors.target.internal_links import Page, closest
from copydesk_connectors.target.json_ld import blog_posting
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Settings, without_slash
from copydesk_connectors.targets.folder import (
    FolderTarget,
    os_errors,
    read_text,
    replace_whole,
)
from copydesk_connectors.targets.git import GitSettings
from copydesk_connectors.targets.listing import Listing, Posts, day, is_sealed, template
from copydesk_connectors.targets.pictures import Image, PictureFolder, image_choice, lacking_letters
from copydesk_connectors.targets.seen_files import Facts, cache_path

_IMAGES = "images"
_OUR_IMAGE = re.compile(r"[0-9a-f]{16}\.\w+\Z")
_HEAD_END = re.compile(r"</head\s*>|<body\b", re.IGNORECASE)
_FOREIGN = Facts("made or edited by hand")
_MOVE_AWAY = "move it away to have it generated again, or set another name in {}"


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
    json_ld: bool = settings.flag("`true` adds a schema.org BlogPosting to each page.")
    image: Image | None = image_choice()
    git: GitSettings = settings.group(GitSettings)
    cache: Path = cache_path()


class HtmlSite(FolderTarget):
    """One page for each post, ``slug.html``, an index of all, newest first, and a feed."""

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
        )
        self._json_ld = settings.json_ld
        self._image = image
        self._pictures = PictureFolder(image, path / _IMAGES, _IMAGES) if image else None
        super().__init__(name, path, settings.cache, settings.git.repository(path))

    def inspect(self) -> Sequence[Finding]:
        """Return whether the index and the feed are ours to write."""
        findings: list[Finding] = []
        for key, name in (("index", self._listing.index), ("feed", self._listing.feed)):
            path = self.path / name
            if path.exists() and not is_sealed(read_text(path)):
                fix = _MOVE_AWAY.format(key)
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
        )

    def _copy(self, post: Post, path: Path) -> Copy:
        return Copy(path.name, CopyState.PUBLIC, self._url(path))

    def _url(self, path: Path) -> str:
        if self._listing.base_url:
            return f"{self._listing.base_url}/{quote(path.name)}"
        return path.absolute().as_uri()

    def _render_post(self, post: Post, slug: str) -> str:
        site = self._listing
        url = self._url(self.path / f"{slug}.html") if site.base_url else ""
        name = self._pictures.put(post, site.title) if self._pictures else ""
        image = f"{_IMAGES}/{name}" if name else ""
        address = f"{site.base_url}/{image}" if image and site.base_url else ""
        data = blog_posting(
            post,
            url=url,
            language=site.language,
            author=site.author,
            publisher=site.title,
            image=address,
        )
        title = html.escape(post.title)
        script = f'<script type="application/ld+json">{data}</script>\n'
        return template("post.html").substitute(
            language=html.escape(site.language),
            title=title,
            description=_tag('<meta name="description" content="{}">', post.description),
            canonical=_tag('<link rel="canonical" href="{}">', url),
            og_image=_tag('<meta property="og:image" content="{}">', address),
            published=post.generated_at.isoformat(timespec="seconds"),
            date=day(post.generated_at.isoformat()),
            id=html.escape(post.id),
            json_ld=script if self._json_ld else "",
            style=template("style.css").template,
            feed=quote(site.feed),
            index=quote(site.index),
            site_title=html.escape(site.title),
            image=f'<img class="cover" src="{image}" alt="{title}">\n' if image else "",
            body=post.html,
        )

    def _write_lists(self) -> tuple[str, ...]:
        # Another instance may add a page while this one writes: write until nothing is missing.
        listing = self._listing
        while True:
            ours = self._ours()
            posts = sorted(ours, key=lambda entry: (entry[1].published, entry[0]))
            notes: list[str] = []
            changed = False
            for name, part, older in listing.pages(posts):
                if self._list_state(name) != listing.state(part, older):
                    text = listing.render_page(name, part, older)
                    changed |= self._replace(name, text, notes, "index")
            changed |= self._replace(listing.feed, self._render_feed(posts), notes, "feed")
            self._remove_pages_after(len(posts))
            if not changed:
                self._seen.save()
                return tuple(notes)

    def _remove_pages_after(self, posts: int) -> None:
        # There may have been more posts, and so more pages.
        for number in count(self._listing.old_pages(posts) + 1):
            page = self.path / self._listing.page_name(number)
            if not page.exists() or not is_sealed(read_text(page)):
                return
            page.unlink(missing_ok=True)

    def _lists(self) -> list[str]:
        # The newest pages come and go. Two more than exist now are enough to see them go.
        with os_errors(self.path):
            posts = sum(1 for _ in self._ours())
        last = self._listing.old_pages(posts) + 2
        pages = [self._listing.page_name(number) for number in range(1, last + 1)]
        return [self._listing.index, self._listing.feed, _IMAGES, *pages]

    def _is_ours(self, name: str) -> bool:
        folder, _, file = name.rpartition("/")
        if folder:
            return folder == _IMAGES and bool(_OUR_IMAGE.match(file))
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
                notes.append(f"{_foreign(name)}. {_MOVE_AWAY.format(key)}")
                return False
        replace_whole(path, text)
        return True


def _foreign(name: str) -> str:
    return f"{name} was made or edited by hand and is left as it is: new posts are not listed there"


def _tag(form: str, value: str) -> str:
    return f"{form.format(html.escape(value))}\n" if value else ""


def _read_list(text: str) -> Facts:
    state = re.search(r'data-state="([0-9a-f]{32})"', text)
    return Facts(state[1]) if state and is_sealed(text) else _FOREIGN


def _meta(head: BeautifulSoup, attribute: str, value: str) -> str:
    tag = head.find("meta", attrs={attribute: value})
    return str(tag.get("content") or "") if tag else ""
