"""A model with a second one that answers while the first does not."""

import logging
from collections.abc import Sequence

from app.core.errors import (
    GenerationCancelled,
    GenerationTimeout,
    ModelResting,
    ModelUnavailable,
)
from app.deadline import Deadline
from app.ports import EndpointState, Model
from app.writing.completion import Completion, Prompt

log = logging.getLogger(__name__)


class FallbackModel(Model):
    """The first model, and the second for each call that the first does not answer."""

    def __init__(self, first: Model, second: Model) -> None:
        self.name = first.name
        self.models = first, second

    def __repr__(self) -> str:
        return f"FallbackModel({self.models[0]!r}, {self.models[1]!r})"

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        first, second = self.models
        try:
            return first.complete(prompt, deadline)
        except GenerationCancelled:
            raise
        except (ModelUnavailable, GenerationTimeout) as error:
            deadline.left()  # raises if the time of the post is up
            problem = error
        if not isinstance(problem, ModelResting):
            log.warning("the fall-back is asked: %s", problem.operator)
        try:
            completion = second.complete(prompt, deadline)
        except GenerationCancelled:
            raise
        except ModelUnavailable as error:
            raise _both(problem, error) from None
        log.info("the fall-back (%r) answered the call (%s)", second, prompt.purpose)
        return completion

    def ping(self) -> None:
        first, second = self.models
        try:
            first.check()
            first.ping()
        except ModelUnavailable:
            second.check()
            second.ping()

    def context_tokens(self) -> int | None:
        # Either may get the next prompt.
        return min(filter(None, (each.context_tokens() for each in self.models)), default=None)

    def states(self) -> Sequence[EndpointState]:
        return [state for model in self.models for state in model.states()]


def _both(
    first: ModelUnavailable | GenerationTimeout, second: ModelUnavailable
) -> ModelUnavailable:
    """Return the error if neither answers; the work waits for the one that is called first."""
    operator = f"{first.operator} The fall-back: {second.operator}"
    waits = [each.retry_after for each in (first, second) if each.retry_after is not None]
    rests = isinstance(first, ModelResting) or isinstance(second, ModelResting)
    kind = ModelResting if rests else ModelUnavailable
    return kind(operator=operator, retry_after=min(waits, default=None))
