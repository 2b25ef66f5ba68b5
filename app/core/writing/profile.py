"""Profiles: how a class of model endpoints is asked for a post."""

from dataclasses import dataclass, replace
from enum import StrEnum

# A sentence of a source has up to 300 characters.
_NOTE_TOKENS = 80


class Strategy(StrEnum):
    """How much of a post one call writes: all of it, one section, one block of a section; or only
    headings and questions for the notes of a section, for a small model, which invents what it is
    not given (without sources, it writes one section)."""

    WHOLE = "whole"
    SECTIONS = "sections"
    PIECES = "pieces"
    NOTES = "notes"


@dataclass(frozen=True)
class Limits:
    """What an endpoint says of its model; None if it does not.

    Args:
        context_tokens: the most tokens that prompt and answer have together.
        answer_tokens: the most tokens that an answer has.
    """

    context_tokens: int | None = None
    answer_tokens: int | None = None


@dataclass(frozen=True)
class Profile:
    """How to ask an endpoint.

    Args:
        strategy: how much one call writes.
        temperature: of every call that writes; 0 to 2.
        answer_tokens: the most tokens that an answer may have.
        context_tokens: the most tokens that prompt and answer have together; None if unknown.
        rewrites: the most parts that one revision rewrites; a small model takes too long for more.
        capable: whether it keeps to a list of claims, rewrites better than it loses, and knows what
            it is certain of. A small model's list loses the figures of its notes, sentences that it
            is to improve are better removed, and it must not write what its notes lack.
        notes: how many of the longest sentences of the sources a prompt for a whole post has room
            for; most are a third as long.
        least_sense: the least probability that a paragraph makes sense, as the model hears it; None
            to leave that to an editor.
        unaided: languages in which it can write a post without sources; None for all.
    """

    strategy: Strategy = Strategy.WHOLE
    temperature: float = 0.7
    answer_tokens: int = 8_000
    context_tokens: int | None = None
    rewrites: int = 100
    capable: bool = True
    notes: int = 100
    least_sense: float | None = None
    unaided: tuple[str, ...] | None = None

    def within(self, limits: Limits) -> "Profile":
        """Return the profile within these limits: half of the context is for the answer, a quarter
        for notes."""
        answer = [self.answer_tokens]
        context = [each for each in (self.context_tokens, limits.context_tokens) if each]
        if limits.answer_tokens:
            answer.append(limits.answer_tokens)
        if context:
            answer.append(min(context) // 2)
        tokens = min(context, default=None)
        notes = self.notes if tokens is None else min(self.notes, tokens // 4 // _NOTE_TOKENS)
        return replace(self, answer_tokens=min(answer), context_tokens=tokens, notes=notes)


# Measured on Qwen2.5-Coder-1.5B-Instruct: at 0.7 it invents figures, at 0.2 it keeps to its notes.
# Without notes it writes German that no German would, and repeats itself until its time is up.
SMALL = Profile(
    Strategy.NOTES, 0.2, answer_tokens=1_200, context_tokens=4_096, rewrites=2,
    capable=False, notes=8, least_sense=0.875, unaided=("en",),
)  # fmt: skip
LARGE = Profile()
