"""A prompt and its completion: the texts that go to a model and come back."""

from dataclasses import dataclass

PURPOSES = ("draft", "edit", "read", "cut", "polish")
"""What calls are for, in the order of the pipeline."""


@dataclass(frozen=True)
class Prompt:
    """One call to a model.

    ``purpose`` is for people and metrics (one of ``PURPOSES``), ``number`` counts the calls of
    that purpose for one post, and ``expected_tokens`` is about the length of the answer, to
    estimate its cost. None of them is sent.
    """

    system: str
    user: str
    purpose: str = "draft"
    number: int = 1
    expected_tokens: int = 1000


@dataclass(frozen=True)
class Completion:
    """A model's answer, without its thoughts.

    ``refusal`` is the model's own words if the endpoint marks the answer as a refusal (its refusal
    field, or a finish reason of content_filter), else None. Token counts are the endpoint's own, 0
    if it reports none.
    """

    text: str
    refusal: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
