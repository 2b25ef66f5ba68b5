"""The calls to models for one post."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from app.core.errors import ModelResting, ProhibitedInput
from app.deadline import Deadline
from app.logs import in_context
from app.ports import Model
from app.writing.completion import Completion, Prompt
from app.writing.refusals import is_refusal

_DECLINED = "The model declined this request on its own safety grounds."


class Calls:
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
            ask = in_context(self.ask)
            running = [pool.submit(ask, model, prompt) for prompt in prompts]
        rests = [error for each in running if isinstance(error := each.exception(), ModelResting)]
        if len(rests) == len(prompts):
            raise max(rests, key=lambda error: error.retry_after or 0)
        # An endpoint that rested gets one call alone. Once that is answered, it takes the others.
        answers = [None if each.exception() in rests else each.result() for each in running]
        return [
            self.ask(model, prompt) if answer is None else answer
            for answer, prompt in zip(answers, prompts, strict=True)
        ]
