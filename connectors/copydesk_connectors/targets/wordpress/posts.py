"""Posts as WordPress has them, for either protocol."""

import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from bs4 import BeautifulSoup

from copydesk_connectors.target.additions import blog_posting
from copydesk_connectors.target.base import CopyState
from copydesk_connectors.target.draft_site import SiteCopy
from copydesk_connectors.target.internal_links import Page
from copydesk_connectors.target.markup import lost, text_of
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.wordpress.blocks import as_blocks

# The meta field for a post's JSON-LD, which the plugin prints in the page's head.
JSON_LD_META = "_copydesk_json_ld"
# The beginning of the comment that identifies a post.
MARKER = "<!-- copydesk:"
_FOUR_BYTES = re.compile("[\U00010000-\U0010ffff]")
_TEXT_END = re.compile(r"</(?:p|li|h[1-6]|t[dh])\s*>", re.IGNORECASE)
# The fields of posts that the user may edit. Rendering the text would take WordPress longer than
# everything else.
FIELDS = "id,status,slug,link,date_gmt,title.raw,content.raw,excerpt.raw,author"
FIELDS += ",categories,tags,featured_media"
# The same as readers see it.
FIELDS_VIEWED = "id,status,slug,link,date_gmt,title,content"
# The fields that tell whether a post is there and shown.
FIELDS_SHORT = "id,status,link,date_gmt"
# The highest number that WordPress may have added to a slug because others had it.
_NUMBERED = 9
_TRASH_SUFFIX = "__trashed"
# Readers do not see the others, which are plugins' own, such as "in review".
_STATES = {
    "publish": CopyState.PUBLIC,
    "draft": CopyState.DRAFT,
    "auto-draft": CopyState.DRAFT,
    "pending": CopyState.PENDING,
    "future": CopyState.SCHEDULED,
    "private": CopyState.WITHDRAWN,
    "trash": CopyState.WITHDRAWN,
}
_TERMS = {"categories": "its categories", "tags": "its tags", "featured_media": "its picture"}
# How far the clocks of a site and the feed may differ.
_CLOCKS = timedelta(days=2)


@dataclass(frozen=True)
class RemotePost(SiteCopy):
    """A post as the site stores it, or as readers get it if our user may not edit it.

    Attributes:
        terms: the ids of its categories, tags and picture, by the names that REST has for them.
        meta: empty unless it was requested.
    """

    title: str = ""
    content: str = ""
    excerpt: str = ""
    author: int = 0
    terms: Mapping[str, frozenset[int]] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read one post of an answer."""
        title, content = data.get("title") or {}, data.get("content") or {}
        meta = data.get("meta")
        return cls.of(
            int(data["id"]),
            str(data["status"]),
            str(data.get("link") or ""),
            due=moment(str(data.get("date_gmt") or "")),
            title=str(title.get("raw") or title.get("rendered") or ""),
            content=str(content.get("raw") or content.get("rendered") or ""),
            excerpt=str((data.get("excerpt") or {}).get("raw") or ""),
            author=int(data.get("author") or 0),
            terms=terms_of(data),
            # PHP writes an object without members as a list.
            meta=meta if isinstance(meta, Mapping) else {},
        )

    @classmethod
    def of(
        cls, post_id: int, status: str, link: str = "", *, due: datetime | None = None, **more: Any
    ) -> Self:
        """Return a post of WordPress's own status. ``due`` is its date."""
        state = _STATES.get(status, CopyState.PENDING)
        if status == "private":
            more = {"notes": (f"post {post_id} is private: that is left as it is",), **more}
        return cls(
            str(post_id),
            state,
            link if status == "publish" else "",
            due=due if state is CopyState.SCHEDULED else None,
            **more,
        )


def terms_of(fields: Mapping[str, Any]) -> dict[str, frozenset[int]]:
    """Return the ids of categories, tags and picture in the fields of REST; empty for none."""
    given = {name: fields.get(name) or () for name in _TERMS}
    return {
        name: frozenset([ids] if isinstance(ids, int) else map(int, ids))
        for name, ids in given.items()
    }


def compared_with(fields: Mapping[str, Any], remote: RemotePost) -> RemotePost:
    """Return a stored post with what it ``lacks`` of the fields of REST that were sent."""
    missing = [
        _TERMS[name]
        for name, ids in terms_of(fields).items()
        if not ids <= remote.terms.get(name, frozenset())
    ]
    return replace(remote, lacks=tuple(missing))


def changes(fields: Mapping[str, Any], remote: RemotePost) -> list[str]:
    """Return a sentence about what the site changed of the fields of REST; none if it kept them."""
    gone = lost(fields["content"], remote.content)
    for name, stored in (("title", remote.title), ("excerpt", remote.excerpt)):
        if html.unescape(fields[name]).split() != html.unescape(stored).split():
            gone.append(f"the {name}")
    if fields.get("author", remote.author) != remote.author:
        gone.append("the author")
    return [f"the site changed or removed {', '.join(gone)}"] if gone else []


def moment(gmt: str) -> datetime | None:
    """Return a date of REST or XML-RPC, in GMT without an offset; None for a draft's "0000-…"."""
    try:
        return datetime.fromisoformat(gmt).replace(tzinfo=UTC)
    except ValueError:
        return None


def as_page(data: Mapping[str, Any]) -> Page:
    """Return a published post of an answer as readers know it."""
    return page(str((data.get("title") or {}).get("rendered") or ""), str(data.get("link") or ""))


def page(title: str, url: str) -> Page:
    """Return a page whose title is given as HTML."""
    return Page(" ".join(BeautifulSoup(title, "html.parser").get_text().split()), url)


def slugs(post: Post) -> list[str]:
    """Return every slug that WordPress may have given the post."""
    numbered = [post.slug, *(f"{post.slug}-{n}" for n in range(2, _NUMBERED + 1))]
    return [*numbered, *(f"{slug}{_TRASH_SUFFIX}" for slug in numbered)]


def search(post: Post) -> dict[str, str]:
    """Return a query for the marker, among posts that are not older than the item.

    WordPress compares dates before it searches texts, which takes 0.1 seconds for a thousand posts.
    Before 5.7 it ignores the date.
    """
    since = (post.generated_at - _CLOCKS).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"search": search_term(post), "modified_after": since}


def ours(post: Post, found: Iterable[RemotePost], known_id: str = "") -> list[RemotePost]:
    """Return the posts that carry our marker or the id we noted, each once, by id."""
    by_id = {
        remote.remote_id: remote
        for remote in found
        if marker(post) in remote.content or remote.remote_id == known_id
    }
    return [by_id[remote_id] for remote_id in sorted(by_id, key=int)]


def compared(post: Post, found: Iterable[RemotePost]) -> list[RemotePost]:
    """Return the same, with the drafts marked that still have the text that we sent."""
    return [
        replace(remote, untouched=remote.state is CopyState.DRAFT and unedited(post, remote))
        for remote in found
    ]


def unedited(post: Post, remote: RemotePost) -> bool:
    """Return whether the text is still the one that we sent; the site may change markup."""
    same_title = html.unescape(remote.title).split() == post.title.split()
    return same_title and text_of(remote.content) == text_of(post.html)


def in_three_bytes(fields: Any) -> Any:
    """Return fields in HTML with references for characters of four bytes, such as emoji.

    The tables of old sites hold three bytes a character. WordPress itself stores such references.
    """
    if isinstance(fields, str):
        return _FOUR_BYTES.sub(lambda sign: f"&#x{ord(sign[0]):x};", fields)
    if isinstance(fields, Mapping):
        return {name: in_three_bytes(value) for name, value in fields.items()}
    return fields


def content_of(post: Post, format: str) -> dict[str, str]:  # noqa: A002 - the setting's name
    """Return the title, slug, excerpt and content, with the marker.

    All but the slug are HTML, because WordPress shows them unchanged. ``format`` is "html" or
    "blocks".
    """
    body = _marked(post)
    return {
        "title": html.escape(post.title, quote=False),
        "slug": post.slug,
        "excerpt": html.escape(post.description, quote=False),
        "content": as_blocks(body) if format == "blocks" else body,
    }


def marker(post: Post) -> str:
    """Return the comment in the content that identifies the post."""
    return f"{MARKER}{post.key} -->"


def search_term(post: Post) -> str:
    """Return the marker without the characters that searches drop."""
    return f"copydesk:{post.key}"


def seo_meta(post: Post) -> dict[str, str]:
    """Return the fields of Yoast SEO and Rank Math by the names of their post meta."""
    keyword = next(iter(post.keywords), "")
    fields = {
        "_yoast_wpseo_title": post.title,
        "_yoast_wpseo_metadesc": post.description,
        "_yoast_wpseo_focuskw": keyword,
        "rank_math_title": post.title,
        "rank_math_description": post.description,
        "rank_math_focus_keyword": keyword,
    }
    return {key: text for key, text in fields.items() if text}


def json_ld_text(post: Post, site: str) -> str:
    """Return the post's JSON-LD for the meta field. ``site`` is the site's name, "" if unknown."""
    # JSON's own spelling: a script has no references.
    text = blog_posting(post, publisher=site)
    return _FOUR_BYTES.sub(lambda sign: json.dumps(sign[0])[1:-1], text)


def _marked(post: Post) -> str:
    """Return the body with the marker at the end of the last text, and without shortcodes.

    WordPress would wrap a marker between elements into a paragraph, which shows as a gap.
    """
    body = post.html.replace("[", "&#91;")
    ends = [match.start() for match in _TEXT_END.finditer(body)]
    end = ends[-1] if ends else len(body)
    return body[:end] + marker(post) + body[end:]
