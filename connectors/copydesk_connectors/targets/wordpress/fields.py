"""A post in the fields of the REST API, with the terms, picture and author that it names."""

from datetime import UTC, datetime
from typing import Any

from copydesk_connectors.errors import Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.targets import owner_image
from copydesk_connectors.targets.scheduled import due
from copydesk_connectors.targets.wordpress.content import content_of
from copydesk_connectors.targets.wordpress.media import Media, alt_text
from copydesk_connectors.targets.wordpress.meta import Meta
from copydesk_connectors.targets.wordpress.rest import Rest
from copydesk_connectors.targets.wordpress.rights import Rights
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.terms import Terms


class Fields:
    """The fields of one site's posts. What they name is looked up or made once until ``forget``."""

    def __init__(self, rest: Rest, settings: Settings) -> None:
        self._settings = settings
        self._categories = Terms(rest, "categories")
        self._tags = Terms(rest, "tags")
        self._media = Media(rest)
        self.rights = Rights(rest, settings, self._categories)
        self.meta = Meta(rest, settings)

    def forget(self) -> None:
        """Look up anew, for owners change such things."""
        for known in (self._categories, self._tags, self._media, self.rights, self.meta):
            known.forget()

    def of(self, post: Post, notes: list[str]) -> dict[str, Any]:
        """The whole post without a status; what has to be left out is said in ``notes``.

        Raises:
            Unavailable, Misconfigured
            Refusal: a category can be neither found nor made.
        """
        settings = self._settings
        content = content_of(post, settings.format)
        fields: dict[str, Any] = {
            "title": content.title,
            "slug": content.slug,
            "content": content.content,
            "excerpt": content.excerpt,
        }
        if settings.categories:
            fields["categories"] = [
                self._categories.find_or_make(name) for name in settings.categories
            ]
        tags = post.keywords if settings.tags is None else settings.tags
        fields["tags"], missing = self._tags.find_or_make_all(tags)
        if missing:
            notes.append(f"the user may not make tags, left out: {', '.join(missing)}")
        if (author_id := self.rights.author_id()) is not None:
            fields["author"] = author_id
        if (picture_id := self._picture_id(post, notes)) is not None:
            fields["featured_media"] = picture_id
        if meta := self.meta.of(post):
            fields["meta"] = meta
        return fields

    def shown(self, post: Post) -> dict[str, str]:
        """What makes of a draft what ``status`` says: nothing where it is to stay one."""
        if self._settings.status == "draft":
            return {}
        moment = due(post.generated_at, self._settings.publish_after, datetime.now(UTC))
        if moment is not None:
            return {"status": "future", "date_gmt": moment.strftime("%Y-%m-%dT%H:%M:%S")}
        return {"status": "pending" if self._settings.status == "pending" else "publish"}

    def _picture_id(self, post: Post, notes: list[str]) -> int | None:
        """The featured picture's id, None for none.

        A picture that its owner has to mend is waited for. One that the site does not take though
        it is up is not: a post without its picture is better than none.
        """
        if self._settings.image is None:
            return None
        picture = owner_image.pick(self._settings.image, post)
        if picture is None:
            return None
        try:
            return self._media.id_of(picture, alt_text(picture, post))
        except Unavailable as error:
            self.rights.enough()  # raises where the site is down altogether
            notes.append(f"goes without its picture {picture.name}: {error}")
            return None
