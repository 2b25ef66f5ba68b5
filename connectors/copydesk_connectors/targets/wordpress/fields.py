"""A post in the fields of WordPress, with the terms, picture and author that it names.

This is the part that REST and XML-RPC share.
"""

import html
import re
import threading
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.http_api import Refusal, retry
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets import pictures
from copydesk_connectors.targets.pictures import Picture
from copydesk_connectors.targets.wordpress.posts import content_of
from copydesk_connectors.targets.wordpress.settings import Settings

_PUBLISHED = frozenset({"publish", "scheduled"})
# Terms in one answer, and the most that are looked through for one name.
_PAGE = 100
_MOST_TERMS = 2_000
# Characters of a name in HTML.
_LONGEST_TERM = 200
# Without those that take four bytes, which a site may store as references.
_LETTERS = re.compile("[^\\W_\U00010000-\U0010ffff]+")
# What WordPress removes from names: tags, and octets as in addresses.
_NOT_STORED = re.compile("</?[a-z!][^<>]*>|%[0-9a-f]{2}", re.IGNORECASE)
_SPACES = re.compile("[\t\n\r ]+")


@dataclass(frozen=True)
class User:
    """The owner of the password.

    Attributes:
        may: WordPress's capabilities.
    """

    id: int
    name: str
    roles: Sequence[str]
    may: Mapping[str, Any]

    @property
    def described(self) -> str:
        """The name with the roles."""
        return f"{self.name} ({', '.join(self.roles) or 'no role'})"


class Fields(ABC):
    """The fields of one site's posts. What they name is looked up or made once until ``forget``.

    Methods that take ``notes`` add a sentence for everything that has to be left out.
    ``categories`` and ``tags`` are the names of the taxonomies.
    """

    categories: ClassVar[str]
    tags: ClassVar[str]

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._term_ids: dict[tuple[str, str], int] = {}
        self._picture_ids: dict[str, int] = {}
        self._author_id: int | None = None
        self._in_turn = threading.Lock()

    def forget(self) -> None:
        """Clear the cache: the owner may have changed the site."""
        self._term_ids.clear()
        self._picture_ids.clear()
        self._author_id = None

    def of(self, post: Post, notes: list[str]) -> dict[str, Any]:
        """Return the whole post in the fields of REST, without a status.

        Raises:
            Refusal: a category cannot be made.
        """
        fields: dict[str, Any] = dict(content_of(post, self._settings.format))
        with self._in_turn:  # several posts may have the same new tag or picture
            if categories := self.category_ids():
                fields["categories"] = categories
            fields["tags"] = self.tag_ids(post, notes)
            if (author_id := self.author_id()) is not None:
                fields["author"] = author_id
            if (picture_id := self.picture_id(post, notes)) is not None:
                fields["featured_media"] = picture_id
            if meta := self._meta(post, notes):
                fields["meta"] = meta
        return fields

    def _meta(self, post: Post, notes: list[str]) -> dict[str, str]:
        """Return what the post's page says to search engines, as the site takes it."""
        del post, notes
        return {}

    def need_rights(self) -> User:
        """Return the user if it may do what is configured.

        Raises:
            Misconfigured: a right, a category or the author is missing.
        """
        user = self._user()
        status = self._settings.status
        if not user.may.get("publish_posts" if status in _PUBLISHED else "edit_posts"):
            raise Misconfigured(
                f"{user.described} may not put posts up with status {status}",
                "give the user the role Author or Editor"
                + (', or set status = "pending" or "draft"' if user.may.get("edit_posts") else ""),
            )
        if self._settings.image and not user.may.get("upload_files"):
            raise Misconfigured(
                f"{user.described} may not upload pictures",
                "give the user the role Author or Editor, or leave image out",
            )
        if not user.may.get("manage_categories"):
            for name in self._settings.category:
                if self._find_term(self.categories, _as_stored(name)) is None:
                    raise Misconfigured(
                        f'there is no category "{name}" and the user may not make one',
                        "make it in WordPress, correct category, or give the user the role Editor",
                    )
        author_id = self.author_id()
        if author_id not in (None, user.id) and not user.may.get("edit_others_posts"):
            raise Misconfigured(
                f'{user.described} may not write posts in the name of "{self._settings.author}"',
                "give the user the role Editor, or leave author out",
            )
        return user

    def author_id(self) -> int | None:
        """Return the id of the configured author, or None for the user itself."""
        if self._settings.author and self._author_id is None:
            self._author_id = self._find_author(self._settings.author)
        return self._author_id

    def category_ids(self) -> list[int]:
        """Return the ids of the configured categories; Misconfigured if one cannot be made."""
        ids = []
        for name in self._settings.category:
            try:
                ids.append(self._term_id(self.categories, _storable(name)))
            except Refusal as refusal:
                self.need_rights()
                raise Misconfigured(
                    f'the site does not make the category "{name}": {refusal}',
                    "make it in WordPress, or correct category",
                ) from refusal
        return ids

    def tag_ids(self, post: Post, notes: list[str]) -> list[int]:
        """Return the ids of the post's tags, without those that the site does not make."""
        ids: list[int] = []
        missing: dict[str, list[str]] = {}
        for name in post.keywords if self._settings.tags is None else self._settings.tags:
            try:
                ids.append(self._term_id(self.tags, _storable(name)))
            except Refusal as refusal:
                forbidden = refusal.status in {401, 403}
                reason = "the user may not make tags" if forbidden else str(refusal)
                missing.setdefault(reason, []).append(name)
        notes += [f"{reason}, left out: {', '.join(names)}" for reason, names in missing.items()]
        return ids

    def picture_id(self, post: Post, notes: list[str]) -> int | None:
        """Return the id of the featured picture, or None for no picture.

        A post waits for a picture that its owner has to fix. It goes without a picture if the site
        is up but cannot store it.
        """
        if (picture := pictures.pick(self._settings, post)) is None:
            return None
        try:
            return self._find_or_send_picture(picture, post)
        except Unavailable as error:
            self.need_rights()  # raises if the site is down altogether
            notes.append(f"goes without its picture {picture.name}: {error}")
            return None

    def _term_id(self, taxonomy: str, name: str) -> int:
        found = self._find_term(taxonomy, name)
        if found is None:
            found = self._term_ids[taxonomy, name.casefold()] = self._make_term(taxonomy, name)
        return found

    def _find_term(self, taxonomy: str, name: str) -> int | None:
        """Return the id of the term with that name, in any case; None if there is none.

        Names are searched by their longest run of letters, because WordPress stores, escapes and
        compares other characters in several ways. Databases ignore accents: if no name is equal,
        one that differs only by them is the term.
        """
        key = (taxonomy, name.casefold())
        alike: int | None = None
        letters = max(_LETTERS.findall(name), key=len, default=name)
        for offset in range(0, _MOST_TERMS, _PAGE):
            if key in self._term_ids:
                break
            found = list(self._search_terms(taxonomy, letters, offset))
            for known, term_id in found:
                known_name = html.unescape(known)
                self._term_ids.setdefault((taxonomy, known_name.casefold()), term_id)
                if alike is None and _plain(known_name) == _plain(name):
                    alike = term_id
            if len(found) < _PAGE:
                break
        if alike is not None:
            self._term_ids.setdefault(key, alike)
        return self._term_ids.get(key)

    def _find_or_send_picture(self, picture: Picture, post: Post) -> int:
        key = self._picture_key(picture, post)
        if key not in self._picture_ids:
            try:
                self._picture_ids[key] = retry(
                    lambda: (
                        self._find_picture(key, picture, post)
                        or self._send_picture(key, picture, post)
                    )
                )
            except Refusal as refusal:
                raise Misconfigured(
                    f"the site does not take the picture {picture.name}: {refusal}",
                    "replace it by a smaller one, or by a JPEG, PNG or WebP",
                ) from refusal
        return self._picture_ids[key]

    @abstractmethod
    def _user(self) -> User:
        """Return our user."""

    @abstractmethod
    def _find_author(self, author: str) -> int:
        """Return the id of the author with that name, or raise Misconfigured."""

    @abstractmethod
    def _search_terms(self, taxonomy: str, letters: str, offset: int) -> Iterable[tuple[str, int]]:
        """Return the names, in HTML, and ids of up to 100 terms with these letters."""

    @abstractmethod
    def _make_term(self, taxonomy: str, name: str) -> int:
        """Return the id of a new term, or raise Refusal if the user may not make terms."""

    @abstractmethod
    def _picture_key(self, picture: Picture, post: Post) -> str:
        """Return what identifies a picture in the media library, the same in every process."""

    @abstractmethod
    def _find_picture(self, key: str, picture: Picture, post: Post) -> int | None:
        """Return the id of the picture with that key, if the media library has the whole of it."""

    @abstractmethod
    def _send_picture(self, key: str, picture: Picture, post: Post) -> int:
        """Upload a picture and return its id."""


def _as_stored(name: str) -> str:
    """Return the name that WordPress makes of a name, without its references."""
    return html.unescape(_SPACES.sub(" ", _NOT_STORED.sub("", name)).strip())


def _storable(name: str) -> str:
    """Return the same; Refusal for a name that is too long for a term."""
    stored = _as_stored(name)
    if len(html.escape(stored, quote=False)) > _LONGEST_TERM:
        raise Refusal(400, f"WordPress stores names of up to {_LONGEST_TERM} characters")
    return stored


def _plain(name: str) -> str:
    """Return a name as databases compare it: without accents and case."""
    apart = unicodedata.normalize("NFKD", name)
    return "".join(sign for sign in apart if not unicodedata.combining(sign)).casefold()
