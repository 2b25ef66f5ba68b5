"""One Ghost site: draft first, then publish by id."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlsplit

from copydesk_connectors.target.additions import with_notice
from copydesk_connectors.target.base import Finding, Level
from copydesk_connectors.target.draft_site import DraftSite
from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.http_api import TOO_LARGE, Refusal
from copydesk_connectors.target.internal_links import Page, closest, longest_words
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets import pictures
from copydesk_connectors.targets.ghost import posts
from copydesk_connectors.targets.ghost.api import AdminApi, skew_sentence
from copydesk_connectors.targets.ghost.posts import RemotePost, author_key, draft_fields
from copydesk_connectors.targets.ghost.settings import Settings as GhostSettings
from copydesk_connectors.targets.scheduled import due

# Ghost's answers to a post that it will never take: not valid, or too large.
_POSTS_OWN_FAULT = frozenset({400, 413, 422})
# The first version whose editor keeps posts as Lexical.
_OLDEST = 5
_SKEW_WORTH_SAYING_S = 60.0
_NO_API = (
    "url must be the address under which Ghost's admin is opened, without /ghost, and nothing in "
    "front of Ghost may block /ghost/api/admin/"
)


class GhostSite(DraftSite[RemotePost]):
    """Posts on a Ghost site, identified by an internal tag."""

    at_once = 8
    """Four at a time give about twice the rate of one; more add little."""
    schedules = True
    Settings = GhostSettings

    def __init__(self, name: str, settings: GhostSettings) -> None:
        super().__init__(name)
        self._settings = settings
        self._api = AdminApi(settings.url, settings.admin_key, settings.proxy)
        # What Ghost reads for its answers beyond that costs a tenth of the whole request.
        self._writing = {"include": "tags", "formats": "html"}
        if settings.format == "html":
            self._writing["source"] = "html"
        self._uploaded: dict[str, str] = {}

    def ready(self) -> None:
        """Return if the key is accepted and the author exists."""
        self._get("posts/", limit=1, fields="id")
        if self._settings.author:
            self._need_author(self._settings.author)

    def inspect(self) -> Sequence[Finding]:
        """Return what on the site would change or lose posts."""
        try:
            site = self._api.get("site/")["site"]
            entries = self._api.get("settings/")["settings"]
        except Refusal as refusal:
            fix = "let the integration read site/ and settings/ of the Admin API"
            raise Misconfigured(str(refusal), fix) from refusal
        version = str(site.get("version") or "")
        if not version.split(".")[0].isdigit() or int(version.split(".")[0]) < _OLDEST:
            fix = f"bring Ghost up to version {_OLDEST} or newer"
            problem = f"the site runs Ghost {version or '?'}"
            return [Finding(Level.PROBLEM, self.name, problem, fix)]
        chosen = {entry["key"]: entry["value"] for entry in entries}
        found = self._warnings(chosen, str(site.get("url") or ""))
        fine = f"Ghost {version}, {site.get('title')}: the key is accepted"
        found = [*pictures.check(self._settings, self.name), *found]
        return [*found, Finding(Level.OK, self.name, fine)]

    def copies(self, post: Post, known_id: str = "") -> Sequence[RemotePost]:
        """Return the copies by their internal tag, or by the id if the owner removed the tag."""
        if not known_id:
            return self._look(post, posts.marked(post))
        found = self._look(post, f"{posts.marked(post)},id:'{known_id}'")
        return found or self._by_id(post, known_id)

    def make(self, post: Post) -> RemotePost:
        """Create a draft, with its picture."""
        fields = self._fields(post)
        try:
            answer = self._api.post("posts/", {"posts": [fields]}, **self._writing)
        except Refusal as refusal:
            raise _refused(refusal) from refusal
        return self._compared(post, fields, answer["posts"][0])

    def show(self, post: Post, draft: RemotePost) -> RemotePost:
        """Publish or schedule the draft as it was seen, unless drafts are to stay."""
        if self._settings.status == "draft":
            return draft
        fields = {"status": "published"}
        moment = due(post, self._settings.publish_after)
        if moment is not None:
            fields |= {"status": "scheduled", "published_at": _ghost_time(moment)}
        return RemotePost.from_json(post, self._change(post, draft, fields))

    def complete(self, post: Post, draft: RemotePost) -> RemotePost:
        """Write everything but the slug and the status again."""
        fields = self._fields(post)
        del fields["slug"], fields["status"]
        return self._compared(post, fields, self._change(post, draft, fields))

    def _fields(self, post: Post) -> dict[str, Any]:
        site = self._site if self._settings.json_ld else {}
        picture_url = self._picture_url(post)
        return draft_fields(post, self._settings, picture_url=picture_url, site=site)

    def _compared(
        self, post: Post, fields: Mapping[str, Any], data: Mapping[str, Any]
    ) -> RemotePost:
        """Return a written post with what it lacks, and sentences about what the site changed."""
        copy = posts.compared_with(fields, data, RemotePost.from_json(post, data))
        html = with_notice(post, self._settings).html
        return replace(copy, notes=(*copy.notes, *posts.changes(html, post.title, data)))

    def _change(
        self, post: Post, stored: RemotePost, fields: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Change a post unless it was changed since it was seen, and return Ghost's answer."""
        body = {"posts": [{**fields, "updated_at": stored.updated_at}]}
        try:
            answer = self._api.put(f"posts/{stored.remote_id}/", body, **self._writing)
        except Refusal as refusal:
            if refusal.status == 409 or _is_missing(refusal):
                # The owner or another process changed it first: look again.
                changed = f"post {stored.remote_id} was changed meanwhile"
                raise Unavailable(changed, 0.0) from refusal
            raise _refused(refusal) from refusal
        stored_now: Mapping[str, Any] = answer["posts"][0]
        return stored_now

    def remove(self, draft: RemotePost) -> None:
        """Delete the draft. Ghost has no trash."""
        self._api.delete(f"posts/{draft.remote_id}/")

    def related(self, text: str) -> Sequence[Page]:
        """Return published posts whose titles contain one of the longest words of the text."""
        longest = longest_words(text)
        if not longest:
            return []
        titles = ",".join(f"title:~'{word}'" for word in longest)
        answer = self._get(
            "posts/",
            filter=f"status:published+({titles})",
            fields="id,uuid,slug,title,url",
            limit=50,
        )
        return closest(text, [Page(str(p["title"]), str(p["url"])) for p in answer["posts"]])

    def _warnings(self, chosen: Mapping[str, Any], own_url: str) -> list[Finding]:
        found: dict[str, str] = {}
        # Only somebody who is logged in can change it: an integration gets a refusal.
        if chosen.get("outbound_link_tagging"):
            problem = "Ghost adds ?ref= to every link to another site, offer links as well"
            found[problem] = "switch off Settings > Analytics > Outbound link tagging in Ghost"
        skew_s = self._api.skew_s
        if skew_s is not None and abs(skew_s) > _SKEW_WORTH_SAYING_S:
            problem = f"{skew_sentence(skew_s)}; from five minutes on Ghost refuses the key"
            found[problem] = "set this machine's clock (timedatectl set-ntp true), or the server's"
        if self._settings.url.startswith("https://") and urlsplit(own_url).scheme == "http":
            problem = f"Ghost believes that its address is {own_url}"
            found[f"{problem}: links to posts begin with http://"] = (
                "set url in Ghost's configuration to the address with https:// and restart it"
            )
        return [Finding(Level.WARNING, self.name, *warning) for warning in found.items()]

    def _picture_url(self, post: Post) -> str:
        """Return the address of the post's picture on the site, or "" for no picture.

        Each process sends each picture once; a crash in between leaves an unused file on the site.
        """
        picture = pictures.pick(self._settings, post)
        if picture is None:
            return ""
        if picture.digest not in self._uploaded:
            try:
                answer = self._api.upload(
                    "images/upload/", picture.name, picture.content, picture.media_type
                )
            except Refusal as refusal:
                raise Misconfigured(
                    f"the site does not take the picture {picture.name}: {refusal}",
                    "replace it by a smaller one, or one of another format",
                ) from refusal
            self._uploaded[picture.digest] = str(answer["images"][0]["url"])
        return self._uploaded[picture.digest]

    def _look(self, post: Post, what: str) -> list[RemotePost]:
        answer = self._get("posts/", filter=what, fields=posts.FIELDS, limit=100)
        # The first one stored has the slug. Ids are older than that, and times are full seconds.
        entries = sorted(
            answer["posts"],
            key=lambda entry: (entry["slug"] != post.slug, entry["created_at"], entry["id"]),
        )
        return [RemotePost.from_json(post, entry) for entry in entries]

    def _by_id(self, post: Post, remote_id: str) -> list[RemotePost]:
        try:
            answer = self._api.get(f"posts/{quote(remote_id, safe='')}/", fields=posts.FIELDS)
        except Refusal as refusal:
            if _is_missing(refusal):
                return []
            raise _blocked(refusal) from refusal
        return [RemotePost.from_json(post, answer["posts"][0])]

    def _need_author(self, author: str) -> None:
        # Ghost silently gives a post by an unknown author to the blog's owner.
        try:
            self._api.get(f"users/{author_key(author)}/{quote(author, safe='@')}/", fields="id")
        except Refusal as refusal:
            if refusal.status not in {404, 422}:
                raise _blocked(refusal) from refusal
            raise Misconfigured(
                f'the site has no author "{author}"',
                "set author to the slug or the e-mail address of somebody in Settings > Staff",
            ) from refusal

    @cached_property
    def _site(self) -> dict[str, Any]:
        site: dict[str, Any] = self._get("site/")["site"]
        return site

    def _get(self, path: str, **query: str | int) -> Any:
        try:
            return self._api.get(path, **query)
        except Refusal as refusal:
            raise _blocked(refusal) from refusal


def _is_missing(refusal: Refusal) -> bool:
    """Return whether Ghost itself, not a proxy, reports the post as missing."""
    return refusal.status == 404 and refusal.own


def _refused(refusal: Refusal) -> ConnectorError:
    if refusal.own and refusal.status in _POSTS_OWN_FAULT:
        return Refused(f"Ghost refused the post: {refusal}")
    return _blocked(refusal)


def _blocked(refusal: Refusal) -> Misconfigured:
    if refusal.status == 413 and not refusal.own:
        return Misconfigured(f"the web server takes no post of this size: {refusal}", TOO_LARGE)
    if refusal.status == 403 and refusal.own:
        return Misconfigured(
            f"the site lets the key do nothing: {refusal}",
            "see in Ghost whether the integration is still there and the plan's limits are kept",
        )
    return Misconfigured(f"Ghost's Admin API does not answer there: {refusal}", _NO_API)


def _ghost_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
