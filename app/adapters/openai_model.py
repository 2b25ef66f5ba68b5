"""The one path to any model: the `openai` client, at whatever OpenAI-compatible endpoint."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from json import JSONDecodeError
from threading import BoundedSemaphore, Lock
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletion

from app.adapters.openai_client import connect
from app.adapters.openai_dialect import Dialect, refused_parameter
from app.adapters.openai_errors import explain, flagged
from app.core.completion import Completion, Prompt
from app.core.errors import GenerationTimeout, ModelUnavailable
from app.core.refusals import is_refusal_reason
from app.ports import Model

_PING_SECONDS = 5.0
# The client's pauses of 0.5, 1, 2, 4 and 8 seconds outlast a restart of the local model.
_RETRIES, _LLAMA_CPP_RETRIES = 2, 5
# What can be refused one after the other, and a model that turns out to think.
_MAX_LESSONS = 10

# Samplers that only llama.cpp knows. The second group punishes repetition, of which JSON is full.
_LLAMA_CPP = {"min_p": 0.05, "top_k": 40}
_LLAMA_CPP_PROSE = {
    "top_p": 0.95,
    "repeat_penalty": 1.05,
    "repeat_last_n": 256,
    "dry_multiplier": 0.8,
    "dry_base": 1.75,
    "dry_allowed_length": 4,
}


class OpenAIModel(Model):
    """A model at an OpenAI-compatible endpoint.

    Args:
        base_url: the endpoint with its /v1; OpenAI's own where it is None.
        api_key: any text where the endpoint wants none.
        timeout_seconds: how long one answer may take; an answer that is late is not asked for
            again. Waiting for a free place among ``concurrency`` calls has the same limit.
        llama_cpp: the endpoint takes llama.cpp's own sampling parameters.

    Raises:
        ValueError: the address is none or holds a password, or no header can carry the API key.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str,
        model: str,
        *,
        timeout_seconds: float,
        concurrency: int,
        llama_cpp: bool = False,
    ) -> None:
        self._model = model
        self._concurrency = concurrency
        self._timeout_seconds = timeout_seconds
        self._llama_cpp = llama_cpp
        self._dialect = Dialect()
        self._lesson = Lock()
        self._places = BoundedSemaphore(concurrency)
        self._connection = connect(
            base_url,
            api_key,
            timeout_seconds=timeout_seconds,
            retries=_LLAMA_CPP_RETRIES if llama_cpp else _RETRIES,
        )

    def __repr__(self) -> str:
        return f"OpenAIModel({self._model!r} at {self._connection.endpoint})"

    @property
    def name(self) -> str:
        return self._model

    @property
    def concurrency(self) -> int:
        return self._concurrency

    def complete(self, prompt: Prompt) -> Completion:
        with self._place():
            for _ in range(_MAX_LESSONS):
                dialect = self._dialect
                completion = self._try(prompt, dialect)
                if completion is not None:
                    return completion
        raise ModelUnavailable(
            f"The model endpoint {self._connection.endpoint} refuses every form of a call."
        )

    def ping(self) -> None:
        try:
            self._connection.client.with_options(timeout=_PING_SECONDS, max_retries=0).models.list()
        except (openai.NotFoundError, openai.APIResponseValidationError):
            return  # it answers, although it has no list of models
        except openai.APIStatusError as error:
            if error.status_code == httpx2.codes.METHOD_NOT_ALLOWED:
                return
            raise self._explained(error) from None
        except openai.APITimeoutError:
            raise ModelUnavailable(
                f"The model endpoint {self._connection.endpoint} gave no sign of life within"
                f" {_PING_SECONDS:g} seconds."
            ) from None
        except (openai.OpenAIError, JSONDecodeError) as error:
            raise self._explained(error) from None

    def _try(self, prompt: Prompt, dialect: Dialect) -> Completion | None:
        """Ask once; None when the answer taught something and the call is to be made again."""
        arguments = dialect.arguments(prompt)
        try:
            # The typed method converts every parameter, down to the schema's, which costs as much
            # again as the rest of the call.
            answer = self._connection.client.post(
                "/chat/completions",
                cast_to=ChatCompletion,
                body={"model": self._model, **arguments, **self._extra(prompt)},
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if refusal := flagged(error):
                return Completion("", refusal=refusal)
            parameter = refused_parameter(error.body, arguments)
            if parameter is None:
                raise self._explained(error) from None
            self._learn(dialect, dialect.without(parameter))
            return None
        except (openai.OpenAIError, JSONDecodeError) as error:
            raise self._explained(error) from None
        if not isinstance(answer, ChatCompletion) or not answer.choices:
            raise self._explained(answer)
        return self._read(answer, prompt, dialect)

    def _read(self, answer: ChatCompletion, prompt: Prompt, dialect: Dialect) -> Completion | None:
        choice = answer.choices[0]
        text, thought = _without_thoughts(_plain(choice.message.content))
        thought = thought or _thinks_apart(answer)
        cut_off = choice.finish_reason == "length"
        if thought and not dialect.thinks and (cut_off or not text):
            self._learn(dialect, replace(dialect, thinks=True))
            return None
        refusal = choice.message.refusal or None
        if refusal is None and is_refusal_reason(choice.finish_reason):
            refusal = text or "The endpoint's content filter held the answer back."
        if prompt.schema is not None:
            text = _object_in(text)
            if dialect.format == "json_schema" and text and not text.startswith("{"):
                # It takes the schema and does not keep to it: say it in words as well.
                self._learn(dialect, replace(dialect, explains=True))
        for stop in prompt.stop:  # where the endpoint took none
            text = text.partition(stop)[0]
        usage = answer.usage
        return Completion(
            text=text,
            refusal=refusal,
            cut_off=cut_off,
            prompt_tokens=usage.prompt_tokens or 0 if usage else 0,
            completion_tokens=usage.completion_tokens or 0 if usage else 0,
        )

    def _learn(self, before: Dialect, after: Dialect) -> None:
        """Go on with ``after``, unless another thread learned something in the meantime."""
        with self._lesson:
            if self._dialect is before:
                self._dialect = after

    def _extra(self, prompt: Prompt) -> dict[str, Any]:
        if not self._llama_cpp:
            return {}
        return _LLAMA_CPP if prompt.schema is not None else _LLAMA_CPP | _LLAMA_CPP_PROSE

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Wait for a place among the calls that are worth making at once."""
        if not self._places.acquire(timeout=self._timeout_seconds):
            raise GenerationTimeout(
                f"The model is busy: no call could begin within {self._timeout_seconds:g} seconds."
            )
        try:
            yield
        finally:
            self._places.release()

    def _explained(self, problem: object) -> ModelUnavailable | GenerationTimeout:
        return explain(
            problem,
            endpoint=self._connection.endpoint,
            model=self._model,
            timeout_seconds=self._timeout_seconds,
            api_key=self._connection.api_key,
        )


def _plain(content: object) -> str:
    """The text of a message; some endpoints send it in parts, thoughts among them."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def _without_thoughts(content: str) -> tuple[str, bool]:
    """The text after a leading think block, and whether there was one, finished or not."""
    _, end, rest = content.partition("</think>")
    if end:
        return rest.strip(), True
    if content.lstrip().startswith("<think>"):
        return "", True
    return content.strip(), False


def _thinks_apart(answer: ChatCompletion) -> bool:
    """Whether the endpoint says that the model thought, outside of the text."""
    message = answer.choices[0].message
    if getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None):
        return True
    details = answer.usage.completion_tokens_details if answer.usage else None
    return bool(details and details.reasoning_tokens)


def _object_in(text: str) -> str:
    """A JSON object without the words around it; the text itself where there is none."""
    found = re.search(r"\{.*\}", text, re.DOTALL)
    return found.group() if found else text
