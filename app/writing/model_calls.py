"""The calls to models for one post."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from app.core.errors import ProhibitedInput
from app.deadline import Deadline
from app.logs import in_context
from app.ports import Model
from app.writing.completion import Completion, Prompt
from app.writing.refusals import is_refusal

_DECLINED = "The model declined this request on its own safety grounds."


class ModelCalls:
    """Asks models until a deadline. ``completions`` are the answers so far."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self.completions: list[Completion] = []

    def ask(self, model: Model, prompt: Prompt) -> str:
        """Return the text of an answer.

        Raises:
            ProhibitedInput: the model declined.
            ModelUnavailable, GenerationTimeout, GenerationCancelled
        """
        completion = model.complete(prompt, self._deadline)
        self.completions.append(completion)
        if completion.refusal is not None or is_refusal(completion.text):
            raise ProhibitedInput(_DECLINED)
        return completion.text

    def ask_at_once(self, model: Model, prompts: Sequence[Prompt]) -> list[str]:
        """Return the answers to prompts that are sent beside each other.

        Raises:
            As ``ask``.
        """
        if len(prompts) == 1:
            return [self.ask(model, prompts[0])]
        with ThreadPoolExecutor(len(prompts), "draft") as pool:
            return list(pool.map(in_context(partial(self.ask, model)), prompts))
