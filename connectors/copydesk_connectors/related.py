"""Choosing the pages that a post's internal links lead to."""

import logging
from collections.abc import Sequence

from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.internal_links import Links, Page, places
from copydesk_connectors.log import logger
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Publisher, Searchable


def choose_links(post: Post, target: Publisher) -> Links:
    """A page of the site for each place in a post, none of them twice."""
    chosen: list[Page | None] = []
    for text in places(post):
        pages = _related(post, target, text)
        chosen.append(next((page for page in pages if page not in chosen), None))
    return tuple(chosen)


def _related(post: Post, target: Publisher, text: str) -> Sequence[Page]:
    if not isinstance(target, Searchable):
        return ()
    try:
        return target.related(text)
    except (Unavailable, Misconfigured) as error:
        # A post without its internal links is better than no post.
        fields = {"item": post.id, "target": target.name, "reason": str(error)}
        logger.log(logging.WARNING, "goes without internal links", extra=fields)
        return ()
