"""Profiles: how a class of model endpoints is asked for a post."""

from dataclasses import dataclass
from enum import StrEnum


class Strategy(StrEnum):
    """How much of a post one call writes: all of it, one section, or one block of a section."""

    WHOLE = "whole"
    SECTIONS = "sections"
    PIECES = "pieces"


@dataclass(frozen=True)
class Profile:
    """How to ask an endpoint.

    Args:
        strategy: how much one call writes.
        temperature: of every call that writes; 0 to 2.
        answer_tokens: the most tokens that an answer may have.
        context_tokens: the most tokens that prompt and answer have together; None if unknown.
        rewrites: the most parts that one revision rewrites; a small model takes too long for more.
        plans_claims: whether the plan lists the claims of the post. A small model's list loses the
            figures of its notes, so each part gets its own notes instead.
    """

    strategy: Strategy = Strategy.WHOLE
    temperature: float = 0.7
    answer_tokens: int = 8_000
    context_tokens: int | None = None
    rewrites: int = 100
    plans_claims: bool = True


# Measured on Qwen2.5-Coder-1.5B-Instruct: at 0.7 it invents figures, at 0.2 it keeps to its notes.
SMALL = Profile(
    Strategy.SECTIONS, 0.2, answer_tokens=1_200, context_tokens=4_096, rewrites=2,
    plans_claims=False,
)  # fmt: skip
LARGE = Profile()
