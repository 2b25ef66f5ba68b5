"""A folder of plain HTML pages with lists of them and a feed: a site without any other program."""

import html
import re
from collections.abc import Sequence
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Self
from urllib.parse import quote

from slugify import slugify

from copydesk_connectors.internal_links import Page, closest
from copydesk_connectors.json_ld import blog_posting
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding, Level
from copydesk_connectors.targets import owner_image
from copydesk_connectors.targets.card_letters import lacking_letters
from copydesk_connectors.targets.folder import (
    Folder,
    os_errors,
    read_text,
    replace_whole,
)
from copydesk_connectors.targets.git import Git
from copydesk_connectors.targets.html_page import read_page
from copydesk_connectors.targets.listing import Listed, Listing, day, is_sealed
from copydesk_connectors.targets.owner_image import Image
from copydesk_connectors.targets.picture_folder import PictureFolder
from copydesk_connectors.targets.seen_files import Facts
from copydesk_connectors.targets.templates import template
from copydesk_connectors.toml_table import Table

_IMAGES = "images"
_OUR_IMAGE = re.compile(r"[0-9a-f]{16}\.\w+\Z")
_FOREIGN = Facts("made or edited by hand")
_MOVE_AWAY = "move it away to have it made anew, or give it another name under {}"


class HtmlSite:
    """One page a post, ``slug.html``, an index of all of them, newest first, and a feed."""

    def __init__(
        self,
        name: str,
        path: Path,
        listing: Listing,
        *,
        json_ld: bool,
        image: Image | None,
        git: Git | None,
        cache: Path | None,
    ) -> None:
        self._name = name
        self._listing = listing
        self._json_ld = json_ld
        self._image = image
        self._pictures = PictureFolder(image, path / _IMAGES, _IMAGES) if image else None
        self._git = git
        self._folder = Folder(
            path, ".html", read_page, reserved=listing.is_reserved, deep=False, cache=cache
        )

    @classmethod
    def from_table(cls, name: str, table: Table) -> Self:
        """Read the target's settings."""
        listing = Listing(
            title=table.text("title", "Blog"),
            language=table.text("language", "en"),
            author=table.text("author", ""),
            base_url=table.url("base_url", "").rstrip("/"),
            index=_file_name(table, "index", "index.html"),
            feed=_file_name(table, "feed", "feed.xml"),
        )
        path = table.path("path")
        return cls(
            name,
            path,
            listing,
            json_ld=table.flag("json_ld", default=False),
            image=owner_image.from_table(table),
            git=Git.from_table(path, table),
            cache=table.path("cache", f".copydesk-{slugify(name) or 'site'}.cache"),
        )

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when files can be written."""
        self._folder.ready()
        if self._git:
            self._git.ready()

    def check(self) -> Sequence[Finding]:
        """Whether files can be written, and whether the index and the feed are ours to write."""
        findings = [self._folder.check(self._name)]
        if self._git:
            findings.append(self._git.check(self._name))
        for key, name in (("index", self._listing.index), ("feed", self._listing.feed)):
            path = self._folder.path / name
            if path.exists() and not is_sealed(read_text(path)):
                fix = _MOVE_AWAY.format(key)
                findings.append(Finding(Level.WARNING, self._name, _foreign(name), fix))
        language = self._listing.language
        return [*findings, *lacking_letters(self._name, self._image, language)]

    def find(self, post: Post) -> Copy | None:
        """The post's page, under whatever name."""
        path = self._folder.find(post)
        return None if path is None else self._copy(path)

    def draft(self, post: Post) -> Copy:
        """Nothing to do: a page has no draft, it appears whole when it is published."""
        return Copy("", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Put the page into the folder unless it is there, and on the lists."""
        path = self._folder.place(
            post, lambda slug: slug, lambda slug: self._render_post(post, slug)
        )
        with os_errors(self._folder.path):
            notes = self._write_lists()
        if self._git:
            self._git.keep(post, path, self._lists(), self._is_ours)
        return self._copy(path, notes)

    def related(self, text: str) -> Sequence[Page]:
        """Posts of ours about what the text is about, by their titles."""
        with os_errors(self._folder.path):
            ours = [Page(facts.title, quote(name)) for name, facts in self._folder.ours()]
        return closest(text, ours)

    def _copy(self, path: Path, notes: tuple[str, ...] = ()) -> Copy:
        return Copy(path.name, CopyState.PUBLIC, self._url(path), notes)

    def _url(self, path: Path) -> str:
        if self._listing.base_url:
            return f"{self._listing.base_url}/{quote(path.name)}"
        return path.absolute().as_uri()

    def _render_post(self, post: Post, slug: str) -> str:
        site = self._listing
        url = self._url(self._folder.path / f"{slug}.html") if site.base_url else ""
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
        return template("post.html").substitute(
            language=html.escape(site.language),
            title=title,
            description=_tag('<meta name="description" content="{}">', post.description),
            canonical=_tag('<link rel="canonical" href="{}">', url),
            og_image=_tag('<meta property="og:image" content="{}">', address),
            published=post.generated_at.isoformat(timespec="seconds"),
            date=day(post.generated_at.isoformat()),
            id=html.escape(post.id),
            json_ld=f'<script type="application/ld+json">{data}</script>\n'
            if self._json_ld
            else "",
            style=template("style.css").template,
            feed=quote(site.feed),
            index=quote(site.index),
            site_title=html.escape(site.title),
            image=f'<img class="cover" src="{image}" alt="{title}">\n' if image else "",
            body=post.html,
        )

    def _write_lists(self) -> tuple[str, ...]:
        # Another instance may add a page while this one writes: write until nothing is missing.
        while True:
            ours = [(facts.published, name, facts) for name, facts in self._folder.ours()]
            posts = [Listed(name, facts) for _, name, facts in sorted(ours, key=itemgetter(0, 1))]
            notes: list[str] = []
            changed = False
            for name, part, older in self._listing.pages(posts):
                is_index = name == self._listing.index
                state = self._listing.state(part, older)
                if self._list_state(name) == state:
                    continue
                text = self._listing.render_page(part, older, state, is_index=is_index)
                changed |= self._replace(name, text, notes, "index")
            changed |= self._replace(self._listing.feed, self._render_feed(posts), notes, "feed")
            self._remove_pages_after(len(posts))
            if not changed:
                self._folder.remember()
                return tuple(notes)

    def _remove_pages_after(self, posts: int) -> None:
        # There were more posts once.
        for number in count(self._listing.old_pages(posts) + 1):
            page = self._folder.path / self._listing.page_name(number)
            if not page.exists() or not is_sealed(read_text(page)):
                return
            page.unlink(missing_ok=True)

    def _lists(self) -> list[str]:
        # Page 1 never goes, and the newest ones come and go: two above it are enough to see them.
        with os_errors(self._folder.path):
            posts = sum(1 for _ in self._folder.ours())
        last = self._listing.old_pages(posts) + 2
        pages = [self._listing.page_name(number) for number in range(1, last + 1)]
        return [self._listing.index, self._listing.feed, _IMAGES, *pages]

    def _is_ours(self, name: str) -> bool:
        folder, _, file = name.rpartition("/")
        if folder:
            return folder == _IMAGES and bool(_OUR_IMAGE.match(file))
        path = self._folder.path / name
        return not path.exists() or is_sealed(read_text(path))

    def _list_state(self, name: str) -> str:
        path = self._folder.path / name
        facts = self._folder.facts_of(path, _read_list)
        return facts.id if facts else ""

    def _render_feed(self, posts: Sequence[Listed]) -> str:
        feed = self._folder.path / self._listing.feed
        current = read_text(feed) if feed.exists() else ""
        return self._listing.render_feed(posts, self._listing.feed_id(current))

    def _replace(self, name: str, text: str, notes: list[str], key: str) -> bool:
        """Write a list unless it is as it should be, or somebody else's; whether it was written."""
        path = self._folder.path / name
        if path.exists():
            current = read_text(path)
            if current == text:
                return False
            if not is_sealed(current):
                notes.append(f"{_foreign(name)}. {_MOVE_AWAY.format(key)}")
                return False
        replace_whole(path, text)
        return True


def _file_name(table: Table, key: str, default: str) -> str:
    suffix = Path(default).suffix
    value = table.text(key, default)
    if not re.fullmatch(rf"[A-Za-z0-9_-][A-Za-z0-9._-]*\{suffix}", value):
        table.fail(key, f'must be a file name that ends in {suffix}, such as "posts{suffix}"')
    return value


def _foreign(name: str) -> str:
    return f"{name} was made or edited by hand and is left as it is: new posts are not listed there"


def _tag(form: str, value: str) -> str:
    return f"{form.format(html.escape(value))}\n" if value else ""


def _read_list(text: str) -> Facts:
    state = re.search(r'data-state="([0-9a-f]{32})"', text)
    return Facts(state[1]) if state and is_sealed(text) else _FOREIGN
