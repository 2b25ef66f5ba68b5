"""Pictures in the site's media library, each once.

A picture is known again by the slug of its page in the library, which is made of its content: so
it is found by the next process as well, and after a crash in the middle.
"""

import hashlib
import threading
from dataclasses import dataclass, field
from pathlib import PurePath

from copydesk_connectors.errors import Misconfigured
from copydesk_connectors.post import Post
from copydesk_connectors.targets.owner_image import Picture
from copydesk_connectors.targets.site_calls import tried
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest


@dataclass
class Media:
    """The pictures of one site, looked up or sent once until ``forget``."""

    rest: Rest
    _ids: dict[str, int] = field(default_factory=dict)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def id_of(self, picture: Picture, alt: str) -> int:
        """The id of the picture with that text for who cannot see it, sent where it is missing.

        Raises:
            Unavailable
            Misconfigured: the site does not take such a picture.
        """
        slug = slug_of(picture, alt)
        with self._one_at_a_time:  # several posts may have one picture
            if slug not in self._ids:
                self._ids[slug] = self._find_or_send(picture, alt, slug)
            return self._ids[slug]

    def forget(self) -> None:
        """Look up anew, for owners change such things."""
        self._ids.clear()

    def _find_or_send(self, picture: Picture, alt: str, slug: str) -> int:
        if picture.media_type == "image/svg+xml":
            raise Misconfigured(
                f"WordPress takes no SVG, and {picture.name} is one",
                "let image name a JPEG, PNG or WebP",
            )
        try:
            return tried(lambda: self._find(slug) or self._send(picture, alt, slug))
        except Refusal as refusal:
            raise Misconfigured(
                f"the site does not take the picture {picture.name}: {refusal}",
                "replace it by a smaller one, or one of another format",
            ) from refusal

    def _find(self, slug: str) -> int | None:
        found = self.rest.get("media", slug=slug, _fields="id")
        return min((int(entry["id"]) for entry in found), default=None)

    def _send(self, picture: Picture, alt: str, slug: str) -> int:
        answer = self.rest.upload(
            "media",
            picture.name,
            picture.content,
            picture.media_type,
            {"title": alt, "alt_text": alt, "slug": slug},
        )
        return int(answer["id"])


def alt_text(picture: Picture, post: Post) -> str:
    """What a picture shows, as far as we know: the post's title where it is the post's own, else
    its file's name, for other posts may have it too."""
    stem = PurePath(picture.name).stem
    return (
        post.title
        if stem == post.slug
        else " ".join(stem.replace("_", " ").replace("-", " ").split())
    )


def slug_of(picture: Picture, alt: str) -> str:
    """By what a picture is found in the library again."""
    key = hashlib.sha256(f"{picture.digest} {picture.name} {alt}".encode()).hexdigest()
    return f"copydesk-{key[:24]}"
