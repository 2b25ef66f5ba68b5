"""What one endpoint takes, learned from what it refuses.

A call is the model and two messages. Only what an operator has set comes on top, so only that can
be refused, or the role of the first message.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import openai

from app.adapters.openai_errors import NoCompletion, is_about_roles, is_flag, words_of
from app.writing.completion import Prompt

# A number on its own, as opposed to one in a version or in a name of a model.
_NUMBER = re.compile(r"(?<![\w.-])\d{1,3}(?:,\d{3})+(?![\w-])|(?<![\w.-])\d{1,9}(?![\w-]|[.,]\d)")
# A smaller number is not a limit of answers in which a post fits.
_LEAST_TOKENS = 1_000


@dataclass(frozen=True)
class Dialect:
    """How calls are written.

    Args:
        length: the name of the limit of tokens, or None if there must be none.
        most: the highest such limit that the endpoint allows, if it said one.
        one_message: both texts are in one message of the user.
    """

    length: str | None = "max_tokens"
    most: int | None = None
    temperature: bool = True
    one_message: bool = False

    def messages(self, prompt: Prompt) -> list[dict[str, str]]:
        """Return the messages of a call."""
        if self.one_message or not prompt.system:
            text = "\n\n".join(filter(None, (prompt.system, prompt.user)))
            return [{"role": "user", "content": text}]
        return [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ]

    def options(self, temperature: float | None, max_tokens: int | None) -> dict[str, Any]:
        """Return the members that a call has besides the model and the messages."""
        sent: dict[str, Any] = {}
        if temperature is not None and self.temperature:
            sent["temperature"] = temperature
        if max_tokens is not None and self.length is not None:
            sent[self.length] = min(max_tokens, self.most or max_tokens)
        return sent

    def after(self, error: Exception, sent: Mapping[str, Any]) -> "Dialect | None":
        """Return the dialect in which a call with these options may succeed after this error; None
        if there is none."""
        if isinstance(error, NoCompletion):
            # The model's thoughts need more room than an operator has allowed.
            return replace(self, length=None) if error.is_cut and self.length in sent else None
        is_refused = isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError)
        if is_flag(error) or not (is_refused or is_about_roles(error)):
            return None
        words = words_of(error)
        most = sent.get(self.length or "")
        if most is not None:
            numbers = {int(number.replace(",", "")) for number in _NUMBER.findall(words)}
            if "max_tokens" in words or str(self.length) in words or most in numbers:
                return self._shorter(most, numbers)
        if "temperature" in sent and "temperature" in words:
            return replace(self, temperature=False)
        return None if self.one_message else replace(self, one_message=True)

    def _shorter(self, refused: int, numbers: set[int]) -> "Dialect":
        allowed = [number for number in numbers if _LEAST_TOKENS <= number < refused]
        if allowed and self.most is None:
            return replace(self, most=max(allowed))
        if self.length == "max_tokens" and refused not in numbers:
            return replace(self, length="max_completion_tokens")
        return replace(self, length=None)
