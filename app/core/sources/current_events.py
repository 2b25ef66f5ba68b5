"""Recognize requests about current events, whose posts must have fresh sources.

Only clear cases count ("bitcoin news", "election yesterday"). Refusing a post for lack of sources
that it did not need is worse than asking its owner to set `verified`.
"""

from collections.abc import Iterable

from app.core.languages import with_english
from app.core.text import fold


def is_current_event(texts: Iterable[str], language: str) -> bool:
    """Return whether one of the texts (keywords, the topic) asks for current events.

    English phrases count in every post, those of other languages in posts of that language.
    """
    folded = [fold(text) for text in texts]
    events = (spoken.current_events for spoken in with_english(language))
    return any(each.pattern.search(text) for each in events if each for text in folded)
