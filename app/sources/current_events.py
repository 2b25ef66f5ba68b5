"""Recognize requests about current events, whose posts must have fresh sources.

Only clear cases count ("bitcoin news", "breaking news Cologne"). Refusing a post for lack of
sources that it did not need is worse than asking its owner to set `verified`.
"""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from app.core.schemas.request import GenerateRequest
from app.rules.languages import primary_subtag
from app.rules.words import fold


def asks_for_news(request: GenerateRequest) -> bool:
    """Return whether the keywords or the topic of a request ask for current events."""
    return is_current_event([*request.keywords, request.topic or ""], request.language)


def is_current_event(texts: Iterable[str], language: str) -> bool:
    """Return whether one of the texts asks for current events.

    English phrases count in every post, those of other languages in posts of that language.
    """
    spoken = _spoken()
    wordings = [spoken[each] for each in {"en", primary_subtag(language)} if each in spoken]
    folded = [fold(text) for text in texts]
    return any(_asks(text, wording) for text in folded for wording in wordings)


def _asks(text: str, wording: Mapping[str, frozenset[str]]) -> bool:
    if any(f" {phrase} " in f" {text} " for phrase in wording["phrases"]):
        return True
    before, _, last = text.rpartition(" ")
    is_ending = before != "" and last in wording["endings"]
    return is_ending and before.rpartition(" ")[2] not in wording["not_after"]


@cache
def _spoken() -> Mapping[str, Mapping[str, frozenset[str]]]:
    data = tomllib.loads(files(__package__).joinpath("current_events.toml").read_text("utf-8"))
    return {
        language: {kind: frozenset(map(fold, listed)) for kind, listed in wording.items()}
        for language, wording in data.items()
    }
