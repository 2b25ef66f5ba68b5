"""A prompt and its completion: the data that go to a model and come back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Prompt:
    """One call to a model.

    ``schema`` asks for structured output (strict JSON schema, inside the subset that OpenAI's
    strict mode and llama.cpp both take); without it the answer is plain text.
    ``max_tokens`` is a ceiling on the answer, in the model's tokens.
    ``yes_or_no`` asks for the probability of Yes as the answer; nothing is written.
    ``continuation`` asks for the probability of this text behind ``user``, of its first
    ``max_tokens`` tokens; nothing is written.
    ``compared`` asks how alike these texts are, of at most 500 bytes each; nothing is written.
    ``purpose`` is for people (plan, draft, editor, rewrite) and is not sent.
    """

    system: str
    user: str
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    stop: tuple[str, ...] = ()
    max_tokens: int = 600
    temperature: float = 0.7
    seed: int = 0
    yes_or_no: bool = False
    continuation: str = ""
    compared: tuple[str, ...] = ()
    purpose: str = "draft"


@dataclass(frozen=True)
class Completion:
    """A model's answer.

    ``refusal`` is the model's own words if the endpoint marks the answer as a refusal (its refusal
    field, or a finish reason of content_filter), else None.
    ``cut_off`` is true if the answer ended at ``max_tokens``.
    ``yes`` is the probability of Yes against No, for a prompt that asks for it; None if the
    endpoint does not tell.
    ``likelihood`` is the natural logarithm of the probability of the continuation that a prompt
    asks about; None if the endpoint does not tell.
    ``cosines`` tells how alike each compared text of a prompt is to each of them, as the cosine of
    their embeddings; None if the endpoint does not tell.
    Token counts are the endpoint's own, 0 if it reports none.
    ``model`` is the name of the model that answered, for operators; "" if it is the one that was
    asked.
    """

    text: str
    refusal: str | None = None
    cut_off: bool = False
    yes: float | None = None
    likelihood: float | None = None
    cosines: Sequence[Sequence[float]] | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
