"""The post meta that the site takes by its REST API.

WordPress drops other meta without a word, and refuses a post, after storing it, where the user may
not write a field: so it is asked first what it knows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from copydesk_connectors.post import Post
from copydesk_connectors.targets.wordpress.content import JSON_LD_META, json_ld_text, seo_meta
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest
from copydesk_connectors.targets.wordpress.settings import Settings

# What WordPress answers about meta that the user may not write; the post is there by then.
_REFUSED = frozenset({"rest_cannot_update", "rest_cannot_delete", "rest_meta_database_error"})


@dataclass
class Meta:
    """The fields of one site, asked for once until ``forget``."""

    rest: Rest
    settings: Settings

    def of(self, post: Post) -> dict[str, str]:
        """What the site takes of a post's SEO fields and its JSON-LD, as it is configured."""
        wanted = seo_meta(post) if self.settings.seo == "auto" else {}
        if self.settings.json_ld:
            wanted[JSON_LD_META] = json_ld_text(post)
        return {key: value for key, value in wanted.items() if key in self.keys} if wanted else {}

    def forget(self) -> None:
        """Look up anew, for owners change such things."""
        vars(self).pop("keys", None)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The names of all the meta that posts have by REST.

        Raises:
            Unavailable, Misconfigured
        """
        try:
            schema: Any = self.rest.options("posts")
            for name in ("schema", "properties", "meta", "properties"):
                schema = schema[name]
            return frozenset(map(str, schema))
        except (Refusal, KeyError, TypeError):
            return frozenset()


def lost(sent: Mapping[str, str], kept: Mapping[str, Any]) -> list[str]:
    """The fields that are empty although they were sent."""
    return sorted(key for key in sent if not kept.get(key))


def is_about_meta(refusal: Refusal) -> bool:
    """Whether a post was refused for its meta alone."""
    return refusal.code in _REFUSED
