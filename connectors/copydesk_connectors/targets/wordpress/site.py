"""One WordPress site: draft first, then publish by id."""

from collections.abc import Sequence
from typing import Any, Self

from copydesk_connectors.errors import (
    ConnectorError,
    DraftGone,
    Misconfigured,
    Refused,
    Unavailable,
)
from copydesk_connectors.internal_links import Page, closest, words
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding, Level
from copydesk_connectors.targets.wordpress import copies
from copydesk_connectors.targets.wordpress.copies import RemotePost
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest
from copydesk_connectors.targets.wordpress.terms import Terms
from copydesk_connectors.toml_table import Table, is_loopback

_STATUSES = ("publish", "draft")
# WordPress finds what has every word that it is given: so one is given at a time.
_SEARCHES = 3


class WordPressSite:
    """Posts on a WordPress site.

    Nothing on a WordPress server is a unique key, so a post is known again by a marker in its
    content and by its slug; of several copies the lowest id is the one, and the drafts among the
    others are removed. With ``status`` "draft" the owner publishes by hand.
    """

    def __init__(
        self, name: str, rest: Rest, *, status: str, category: str, tags: Sequence[str] | None
    ) -> None:
        self._name = name
        self._rest = rest
        self._status = status
        self._category = category
        self._tags = tags
        self._terms = {kind: Terms(rest, kind) for kind in ("categories", "tags")}

    @classmethod
    def from_table(cls, name: str, table: Table) -> Self:
        """Read the target's settings."""
        url = table.url("url")
        allow_http = table.flag("allow_http", default=False)
        if url.startswith("http://") and not is_loopback(url) and not allow_http:
            table.fail(
                "url",
                "must begin with https://, because the password travels with every request; "
                "set allow_http = true if this network is yours alone",
            )
        return cls(
            name,
            Rest(url, table.text("username"), table.secret("password", literal=False)),
            status=table.choice("status", _STATUSES, "publish"),
            category=table.text("category") if table.has("category") else "",
            tags=table.texts("tags") if table.has("tags") else None,
        )

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when the user may put posts there."""
        self._may()

    def check(self) -> Sequence[Finding]:
        """Whether the site answers, the user may do what is configured, and the names exist."""
        try:
            user = self._may()
        except Misconfigured as error:
            return [Finding(Level.PROBLEM, self._name, str(error.args[0]), error.fix)]
        except Unavailable as error:
            fix = "see whether the site is up and answers this machine, then check again"
            return [Finding(Level.PROBLEM, self._name, str(error), fix)]
        roles = ", ".join(user.get("roles") or ["no role"])
        done = "publish posts" if self._status == "publish" else "leave drafts"
        return [Finding(Level.OK, self._name, f"{user.get('name')} ({roles}) may {done}")]

    def find(self, post: Post) -> Copy | None:
        """The site's copy by slug, or by its marker where the slug was changed."""
        chosen = copies.choose(self._by_slug(post)) or copies.choose(self._by_marker(post))
        return None if chosen is None else chosen.as_copy()

    def related(self, text: str) -> Sequence[Page]:
        """Published posts that the site's own search finds, by the longest words of the text."""
        found = []
        for word in sorted(words(text), key=lambda word: (-len(word), word))[:_SEARCHES]:
            try:
                found += self._rest.get(
                    "posts", search=word, status="publish", per_page=20, _fields="title,link"
                )
            except Refusal as refusal:
                raise Misconfigured(
                    f"the site cannot be searched: {refusal}",
                    "let the REST API's posts route through",
                ) from refusal
        return closest(text, map(copies.as_page, found))

    def draft(self, post: Post) -> Copy:
        """Make a draft, with a look before every try but the first."""
        tries = 0
        while True:
            tries += 1
            try:
                return self._make_draft(post)
            except Unavailable as error:
                self._rest.wait(error, tries)
            if (found := self.find(post)) is not None:
                return found

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Publish the one copy that counts and remove our other drafts."""
        tries = 0
        while True:
            tries += 1
            try:
                return self._publish_chosen(post, remote_id)
            except Unavailable as error:
                self._rest.wait(error, tries)

    def _publish_chosen(self, post: Post, remote_id: str) -> Copy:
        found = self._by_slug(post, remote_id)
        if not any(str(remote.id) == remote_id for remote in found):
            found = copies.ours(post, [*found, *self._by_id(remote_id)], remote_id)
        found = found or self._by_marker(post)
        chosen = copies.choose(found)
        if chosen is None:
            raise DraftGone(f"post {remote_id} was deleted")
        if chosen.is_draft and self._status == "publish":
            chosen = self._show(chosen)
        notes = self._sweep(post, [remote for remote in found if remote.id != chosen.id])
        return chosen.as_copy(*notes)

    def _show(self, draft: RemotePost) -> RemotePost:
        try:
            return self._write(f"posts/{draft.id}", {"status": "publish"})
        except Refusal as refusal:
            if refusal.status == 404:
                raise DraftGone(f"post {draft.id} was deleted") from refusal
            raise self._refused(refusal) from refusal

    def _make_draft(self, post: Post) -> Copy:
        body: dict[str, Any] = {
            "status": "draft",
            "title": post.title,
            "slug": post.slug,
            "content": copies.marked(post),
            "excerpt": post.description,
        }
        notes = []
        try:
            if self._category:
                body["categories"] = [self._terms["categories"].find_or_make(self._category)]
            tags = post.keywords if self._tags is None else self._tags
            body["tags"], missing = self._terms["tags"].find_or_make_all(tags)
            if missing:
                notes.append(f"the user may not make tags, left out: {', '.join(missing)}")
            remote = self._write("posts", body)
        except Refusal as refusal:
            raise self._refused(refusal) from refusal
        return remote.as_copy(*notes)

    def _refused(self, refusal: Refusal) -> ConnectorError:
        """The error for a refusal: the post's fault only where the user may write posts at all."""
        self._may()
        if refusal.status == 404:
            return Misconfigured(str(refusal), "let the REST API's posts route through")
        return Refused(f"WordPress refused the post: {refusal}")

    def _write(self, path: str, body: dict[str, Any]) -> RemotePost:
        return RemotePost.from_json(self._rest.post(path, body | {"_fields": copies.FIELDS}))

    def _by_slug(self, post: Post, known_id: str = "") -> list[RemotePost]:
        return copies.ours(post, self._list(slug=copies.slugs(post)), known_id)

    def _by_marker(self, post: Post) -> list[RemotePost]:
        return copies.ours(post, self._list(search=copies.search_term(post)))

    def _by_id(self, remote_id: str) -> list[RemotePost]:
        try:
            answer = self._rest.get(f"posts/{remote_id}", context="edit", _fields=copies.FIELDS)
        except Refusal as refusal:
            if refusal.status == 404:
                return []
            raise self._refused(refusal) from refusal
        return [RemotePost.from_json(answer)]

    def _list(self, **query: str) -> list[RemotePost]:
        try:
            answer = self._rest.get(
                "posts",
                status="any,trash",
                context="edit",
                per_page=100,
                orderby="id",
                order="asc",
                _fields=copies.FIELDS,
                **query,
            )
        except Refusal as refusal:
            self._may()
            raise Misconfigured(
                f"the site does not list its posts: {refusal}",
                "let the REST API's posts route through",
            ) from refusal
        return [RemotePost.from_json(entry) for entry in answer]

    def _sweep(self, post: Post, others: Sequence[RemotePost]) -> list[str]:
        notes = []
        for stray in others:
            if stray.is_draft and copies.unedited(post, stray):
                try:
                    self._rest.delete(f"posts/{stray.id}", force="true")
                except Refusal:
                    notes.append(f"draft {stray.id} is a second copy: remove it by hand")
            elif stray.state is not CopyState.WITHDRAWN:
                notes.append(f"post {stray.id} is a second copy of it: decide which to keep")
        return notes

    def _may(self) -> dict[str, Any]:
        """The user, who may do what is configured.

        Raises:
            Misconfigured: not so, or the category neither exists nor can be made.
        """
        try:
            user: dict[str, Any] = self._rest.get(
                "users/me", context="edit", _fields="id,name,roles,capabilities"
            )
        except Refusal as refusal:
            raise Misconfigured(
                f"the site does not say who the user is: {refusal}",
                "url must be the address of a WordPress site (5.6 or newer) whose REST API is "
                "not blocked by a plugin, firewall or host",
            ) from refusal
        may = user.get("capabilities") or {}
        if not may.get("publish_posts" if self._status == "publish" else "edit_posts"):
            raise Misconfigured(
                f"the role of {user.get('name')} may not put posts up with status {self._status}",
                "give the user the role Author or Editor"
                + (', or set status = "draft"' if may.get("edit_posts") else ""),
            )
        if self._category and not may.get("manage_categories"):
            self._need_category()
        return user

    def _need_category(self) -> None:
        if self._terms["categories"].find(self._category) is None:
            raise Misconfigured(
                f'there is no category "{self._category}" and the user may not make one',
                "make it in WordPress, correct category, or give the user the role Editor",
            )
