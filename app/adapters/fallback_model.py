"""A model with a second one that answers while the first does not."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.errors import (
    GenerationCancelled,
    GenerationTimeout,
    ModelResting,
    ModelUnavailable,
)
from app.core.writing.completion import Completion, Prompt
from app.core.writing.profile import Limits, Profile
from app.deadline import Deadline
from app.ports import EndpointState, Model

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Choice:
    """A model, and whether it is of the large class (``Profile.capable``)."""

    model: Model
    is_large: bool


class FallbackModel(Model):
    """The first model, and the second for each call that the first does not answer.

    Within a post, a call goes to the other model only if both are of one class: a small model
    cannot follow the prompts of a large one, and its own prompts would waste the large one.
    """

    def __init__(self, first: Choice, second: Choice) -> None:
        self.name = first.model.name
        self.concurrency = first.model.concurrency
        self._first, self._second = first, second

    def __repr__(self) -> str:
        return f"FallbackModel({self._first.model!r}, {self._second.model!r})"

    @property
    def models(self) -> tuple[Model, Model]:
        """The first model and the second."""
        return self._first.model, self._second.model

    @property
    def is_large(self) -> bool:
        """Whether the model that a new post begins with is of the large class."""
        return self._begins_with.is_large

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        try:
            return self._first.model.complete(prompt, deadline)
        except GenerationCancelled:
            raise
        except (ModelUnavailable, GenerationTimeout) as error:
            deadline.left()  # raises if the time of the post is up
            problem = error
        if not isinstance(problem, ModelResting):
            log.warning("the fall-back is asked: %s", problem.operator)
        try:
            completion = self._second.model.complete(prompt, deadline)
        except GenerationCancelled:
            raise
        except ModelUnavailable as error:
            raise _both(problem, error) from None
        log.info("the fall-back (%r) answered the call (%s)", self._second.model, prompt.purpose)
        return completion

    def ping(self) -> None:
        try:
            self._first.model.check()
            self._first.model.ping()
        except ModelUnavailable:
            self._second.model.check()
            self._second.model.ping()

    def limits(self) -> Limits:
        return self._begins_with.model.limits()

    def states(self) -> Sequence[EndpointState]:
        return (*self._first.model.states(), *self._second.model.states())

    def check(self) -> None:
        try:
            self._first.model.check()
        except ModelResting as first:
            try:
                self._second.model.check()
            except ModelResting as second:
                raise _both(first, second) from None

    def for_post(self, profile: Profile) -> Model:
        if self._first.is_large is self._second.is_large:
            return self
        if self._first.is_large is profile.capable:
            return self._first.model
        log.info("the fall-back (%r) writes the whole post", self._second.model)
        return self._second.model

    @property
    def _begins_with(self) -> Choice:
        try:
            self._first.model.check()
        except ModelResting:
            return self._second
        return self._first


def _both(
    first: ModelUnavailable | GenerationTimeout, second: ModelUnavailable
) -> ModelUnavailable:
    """Return the error if neither answers; the work waits for the one that is called first."""
    operator = f"{first.operator} The fall-back: {second.operator}"
    waits = [each.retry_after for each in (first, second) if each.retry_after is not None]
    kind = ModelUnavailable
    if isinstance(first, ModelResting) or isinstance(second, ModelResting):
        kind = ModelResting
    return kind(operator=operator, retry_after=min(waits, default=None))
