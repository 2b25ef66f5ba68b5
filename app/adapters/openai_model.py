"""A model at any OpenAI-compatible endpoint, called with the `openai` client."""

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import httpx2
import openai

from app.adapters.openai_answer import read_answer
from app.adapters.openai_client import FAILURES, Connection
from app.adapters.openai_errors import (
    REFUSED,
    CallTimeout,
    NoCompletion,
    is_about_roles,
    is_flag,
    sentence_of,
)
from app.core.errors import GenerationTimeout, ModelUnavailable, outcome
from app.deadline import Deadline
from app.metrics import count_model_call
from app.ports import EndpointState, Model
from app.writing.completion import Completion, Prompt

_PING_SECONDS = 5.0
# What servers answer at a path, or to a method, that they do not have.
_NO_SUCH_PATH = frozenset({404, 405, 501})
_NO_ENTRY = frozenset({401, 403})
# What vLLM, SGLang, OpenRouter, Groq and Mistral call the context in their lists of models.
_CONTEXT = ("max_model_len", "context_length", "context_window", "max_context_length")
# A smaller number is no context of a model that writes; a larger one is no number of tokens.
_LEAST_TOKENS, _MOST_TOKENS = 1_000, 100_000_000
# An endpoint whose list comes too late, or fails, is not asked for it with every post.
_LIST_SECONDS = 60.0


class OpenAIModel(Model):
    """A model at an OpenAI-compatible endpoint. A call has the model and the messages, and nothing
    else unless an operator sets it.

    Args:
        connection: to the endpoint.
        name: the model's name, as the endpoint knows it.
        extra_body: further members of a call, such as ``{"enable_thinking": False}``.
    """

    def __init__(
        self, connection: Connection, name: str, extra_body: Mapping[str, Any] | None = None
    ) -> None:
        self.name = name
        self._connection = connection
        self._extra = dict(extra_body or {})
        self._ping_seconds = min(_PING_SECONDS, connection.timeout_seconds)
        self._in_one = False  # both texts in one message
        self._context: int | None = None
        self._context_until = 0.0

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r} at {self._connection.origin})"

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        ended, tokens = "ANSWERED", (0, 0)
        began = time.monotonic()
        try:
            answer = self._completed(prompt, deadline)
            tokens = (answer.prompt_tokens, answer.completion_tokens)
            if answer.refusal is not None:
                ended = "REFUSED"
            return answer
        except Exception as error:
            ended = outcome(error)
            tokens = getattr(error, "paid", tokens)
            raise
        finally:
            seconds = time.monotonic() - began
            count_model_call(self.name, prompt.purpose, ended, seconds, tokens)

    def _completed(self, prompt: Prompt, deadline: Deadline) -> Completion:
        paid: list[tuple[int, int]] = []
        with self._connection.health.place(deadline):
            try:
                completion = self._answered(prompt, deadline, paid)
            except FAILURES as error:
                if not is_flag(error):
                    explained = self._explained(error)
                    if isinstance(explained, ModelUnavailable):
                        explained.paid = _sum(paid)
                    raise explained from None
                completion = Completion("", sentence_of(error) or "The prompt was flagged.")
        asked, answered = _sum(paid)
        return replace(completion, prompt_tokens=asked, completion_tokens=answered)

    def _answered(
        self, prompt: Prompt, deadline: Deadline, paid: list[tuple[int, int]]
    ) -> Completion:
        """Return the answer to a call, with both texts in one message if the endpoint refuses two.

        That is remembered until a call is refused again, so that nothing that was learned can make
        an endpoint unusable.
        """
        refused: Exception | None = None
        if not self._in_one:
            try:
                return self._sent(prompt, deadline, paid)
            except FAILURES as error:
                if is_flag(error) or not (isinstance(error, REFUSED) or is_about_roles(error)):
                    raise
                refused = error
        try:
            completion = self._sent(prompt, deadline, paid, in_one=True)
        except openai.APIStatusError as error:
            self._in_one = False
            if refused is not None and type(error) is type(refused):
                raise refused from None
            raise
        self._in_one = True
        return completion

    def _sent(
        self,
        prompt: Prompt,
        deadline: Deadline,
        paid: list[tuple[int, int]],
        *,
        in_one: bool = False,
    ) -> Completion:
        texts = {"system": prompt.system, "user": prompt.user}
        if in_one or not prompt.system:
            texts = {"user": "\n\n".join(filter(None, texts.values()))}
        messages = [{"role": role, "content": text} for role, text in texts.items()]

        def send(client: openai.OpenAI) -> Completion:
            return read_answer(self._posted(client, {"messages": messages, **self._extra}), paid)

        return self._connection.call(self.name, send, deadline)

    def _posted(self, client: openai.OpenAI, members: Mapping[str, Any]) -> bytes:
        """Return the body of the answer to a call. The client's own method for it compares each
        call with the types of all members that a call can have: a third of its processor time."""
        body = {"model": self.name, **members}
        return client.post("/chat/completions", body=body, cast_to=httpx2.Response).content

    def ping(self) -> None:
        try:
            try:
                self._listed()
            except openai.APIStatusError as error:
                if error.status_code not in _NO_SUCH_PATH:
                    raise
                self._ping_completions()
        except FAILURES as error:
            raise self._explained(error) from None

    def _ping_completions(self) -> None:
        """Return if the endpoint has the path of completions: not every one lists its models."""
        try:
            # Endpoints refuse a call without messages, at no cost.
            self._quickly(lambda client: self._posted(client, {"messages": []}))
        except openai.APIStatusError as error:
            if error.status_code in _NO_SUCH_PATH | _NO_ENTRY:
                raise

    def _listed(self) -> Sequence[object]:
        """Return the entries of the endpoint's list of models; none if it has a form of its own."""
        answer = self._quickly(lambda client: client.models.with_raw_response.list())
        found = json.loads(answer.content)
        if isinstance(found, list):
            return found
        if not isinstance(found, Mapping) or "error" in found:
            raise NoCompletion(body=found if isinstance(found, Mapping) else None)
        entries = found.get("data")
        return entries if isinstance(entries, list) else ()

    def _quickly(self, send: Callable[[openai.OpenAI], Any]) -> Any:
        try:
            return self._connection.ask(send, Deadline(self._ping_seconds))
        except (GenerationTimeout, CallTimeout):
            why = (
                f"did not respond within {self._ping_seconds:g} seconds. Check that it is running"
                " and not overloaded."
            )
            raise NoCompletion(why) from None

    def _explained(self, error: Exception) -> Exception:
        return self._connection.explain(error, self.name)

    def context_tokens(self) -> int | None:
        if time.monotonic() >= self._context_until:
            self._context_until = time.monotonic() + _LIST_SECONDS
            with suppress(*FAILURES):
                self._context = _context_of(self._listed(), self.name)
                self._context_until = math.inf
        return self._context

    def state(self) -> EndpointState:
        return self._connection.health.state()


def _sum(paid: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(asked for asked, _ in paid), sum(answered for _, answered in paid)


def _context_of(listed: Sequence[object], name: str) -> int | None:
    """Return the context that a list of models has for this one, in tokens."""
    own = (each for each in listed if isinstance(each, Mapping) and each.get("id") == name)
    numbers = (each.get(member) for each in own for member in _CONTEXT)
    known = (each for each in numbers if type(each) is int)
    return next((each for each in known if _LEAST_TOKENS <= each <= _MOST_TOKENS), None)
