"""What a post is written from: its assignment, and what else its prompts depend on.

The inputs are stored with the journal of a post, so that a later attempt writes from the same
sources without another search.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.core.schemas.request import GenerateRequest
from app.sources.source import Source
from app.writing.angles import Angle
from app.writing.brief import EarlierPost, Rewrite


@dataclass(frozen=True)
class Assignment:
    """A request and what its post must differ from.

    Args:
        max_words: of the whole post.
        angles: one for each attempt; None means the request as it is.
        earlier: posts of its feed, which it must neither repeat nor contradict, newest first.
        current_event: the post needs fresh sources, whatever the request says.
        rewrite: the rejected post that it replaces, if a reviewer asked for that.
    """

    request: GenerateRequest
    max_words: int
    angles: tuple[Angle | None, ...]
    earlier: tuple[EarlierPost, ...] = ()
    current_event: bool = False
    rewrite: Rewrite | None = None

    def asks_as(self, other: "Assignment") -> bool:
        """Return whether both ask for the same post. Angles and earlier posts may differ: other
        posts may have appeared between two attempts."""
        return replace(self, angles=other.angles, earlier=other.earlier) == other


@dataclass(frozen=True)
class Inputs:
    """Everything that the prompts of a post depend on, except the model's answers.

    Args:
        seed: orders the drafts.
        is_local: a small model writes.
        edited: an editor reads the drafts.
        drafts: how many are written.
        source_tokens: how many tokens of sources a prompt has at most.
        today: the day on which the sources were found; prompts name it.
        sources: the most relevant first.
    """

    assignment: Assignment
    seed: int
    is_local: bool
    edited: bool
    drafts: int
    source_tokens: int
    today: date
    sources: tuple[Source, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the inputs as a JSON object."""
        stored: dict[str, Any] = _adapter().dump_python(self, mode="json", by_alias=True)
        return stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Inputs | None":
        """Return stored inputs; None if another version of Copydesk stored them in another form."""
        try:
            return _adapter().validate_json(json.dumps(stored))
        except ValidationError:
            return None


# Made when it is needed: commands import this module, and few of them read a journal.
@cache
def _adapter() -> TypeAdapter[Inputs]:
    return TypeAdapter(Inputs)
