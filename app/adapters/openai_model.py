"""A model at any OpenAI-compatible endpoint, called with the `openai` client."""

import json
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice

from app.adapters.bounded_calls import CallTimeout
from app.adapters.endpoint_health import EndpointHealth
from app.adapters.llama_cpp_cosines import cosines
from app.adapters.llama_cpp_likelihood import likelihood
from app.adapters.openai_client import (
    Connection,
    NoCompletion,
    SettingNames,
    endpoint_message,
    endpoint_of,
)
from app.adapters.openai_dialect import Dialect, refused_parameter
from app.core.errors import GenerationTimeout, ModelUnavailable
from app.core.writing.completion import Completion, Prompt
from app.core.writing.profile import Limits
from app.core.writing.refusals import is_refusal_reason
from app.deadline import Deadline
from app.ports import EndpointState, Model

_PING_SECONDS = 5.0
# What servers answer at a path, or to a method, that they do not have.
_NO_SUCH_PATH = frozenset({404, 405, 501})
_NO_ENTRY = frozenset({401, 403})
# What vLLM, SGLang, OpenRouter, Groq and Mistral call a limit in their lists of models.
_CONTEXT = ("max_model_len", "context_length", "context_window", "max_context_length")
_ANSWER = ("max_completion_tokens", "max_output_tokens")
# An endpoint whose list comes too late is not asked for it with every post.
_LIMITS_SECONDS = 60.0
# A smaller number is no limit of a model that writes.
_LEAST_TOKENS = 1_000
# More than any call can have.
_MOST_TOKENS = 100_000_000
# Pauses of 0.5, 1, 2, 4 and 8 seconds outlast a restart of the local model.
_RETRIES, _LLAMA_CPP_RETRIES = 2, 5
# An endpoint can refuse one parameter after the other, and the model may turn out to reason.
_MAX_LESSONS = 10
# The error codes of a prompt that was rejected as unsafe.
_FLAGS = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})
# A byte-order mark, a space and a joiner that no reader sees. Scripts and emoji need other ones.
_NO_WIDTH = dict.fromkeys(map(ord, "\ufeff\u200b\u2060"))
# Errors of the client; the last two come from JSON with huge numbers or deep nesting.
_FAILURES = (openai.OpenAIError, ValueError, RecursionError)

# Samplers that only llama.cpp knows. The second group penalizes repetition, which JSON is full of.
_LLAMA_CPP = {"min_p": 0.05, "top_k": 40}
_LLAMA_CPP_PROSE = {
    "top_p": 0.95,
    "repeat_penalty": 1.05,
    "repeat_last_n": 256,
    "dry_multiplier": 0.8,
    "dry_base": 1.75,
    "dry_allowed_length": 4,
}

# Asks llama.cpp what no other endpoint tells.
_Measure = Callable[[openai.OpenAI, str, Prompt], Completion]


class OpenAIModel(Model):
    """A model at an OpenAI-compatible endpoint.

    Args:
        base_url, api_key, timeout_seconds: as for ``Connection``.
        model: the model's name, as the endpoint knows it.
        concurrency: how many calls may run at once; others wait until their deadline. The health
            may allow fewer.
        llama_cpp: the endpoint takes llama.cpp's own sampling parameters. Its breaker never opens:
            it is a process of Copydesk, which starts again within seconds.
        health: of the endpoint, shared by all of its models; one of its own if None.
        names: of the endpoint's settings, for error messages.

    Raises:
        ValueError: as for ``Connection``.
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
        health: EndpointHealth | None = None,
        names: SettingNames | None = None,
    ) -> None:
        self.name = model
        self.concurrency = concurrency
        self._timeout_seconds = timeout_seconds
        self._llama_cpp = llama_cpp
        self._dialect = Dialect()
        self._lesson = Lock()
        names = names or SettingNames()
        self._limits: Limits | None = None
        self._limits_until = 0.0
        self._health = health or EndpointHealth(
            endpoint_of(base_url, names),
            concurrency,
            probe_seconds=timeout_seconds,
            opens=not llama_cpp,
        )
        self._connection = Connection(
            base_url,
            api_key,
            timeout_seconds=timeout_seconds,
            retries=_LLAMA_CPP_RETRIES if llama_cpp else _RETRIES,
            health=self._health,
            names=names,
        )

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r} at {self._connection.endpoint})"

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        measure = likelihood if prompt.continuation else cosines if prompt.compared else None
        if measure and not self._llama_cpp:
            return Completion("", model=self.name)
        places = self._health.places
        if not self._health.wait_for_place(deadline):
            raise GenerationTimeout(
                operator=f"The model is busy: none of the {places.limit} calls at once"
                " (COPYDESK_MODEL_CONCURRENCY) ended before the deadline."
            )
        paid: list[CompletionUsage] = []
        try:
            if measure:
                return self._measured(measure, prompt, deadline)
            for _ in range(_MAX_LESSONS):
                completion = self._try(prompt, self._dialect, deadline, paid)
                if completion is not None:
                    return completion
        finally:
            places.leave()
        raise self._connection.unavailable(None, "rejects every form of a call.")

    def ping(self) -> None:
        try:
            self._ping(lambda client: client.models.list())
        except openai.APIResponseValidationError:
            return  # it answers, but with a list of its own
        except openai.APIStatusError as error:
            if error.status_code not in _NO_SUCH_PATH:
                raise self._explained(error) from None
            self._ping_completions()
        except (AttributeError, TypeError, *_FAILURES) as error:
            # The client takes any answer with status 200 for a list.
            garbage = isinstance(error, AttributeError | TypeError)
            raise self._explained(None if garbage else error) from None

    def _ping_completions(self) -> None:
        """Return if the endpoint has the path of completions: not every one lists its models."""
        try:
            # Endpoints refuse a call without messages, at no cost.
            self._ping(
                lambda client: client.chat.completions.create(
                    model=self.name, messages=[], max_tokens=1
                )
            )
        except openai.APIStatusError as error:
            if error.status_code in _NO_SUCH_PATH or error.status_code in _NO_ENTRY:
                raise self._explained(error) from None
        except openai.APIConnectionError as error:
            raise self._explained(error) from None
        except _FAILURES:
            return  # it answers

    def _ping(self, send: Callable[[openai.OpenAI], object]) -> None:
        seconds = min(_PING_SECONDS, self._timeout_seconds)
        try:
            self._connection.ask(send, seconds)
        except (GenerationTimeout, CallTimeout):
            raise self._connection.unavailable(
                None, f"did not respond within {seconds:g} seconds."
            ) from None

    def limits(self) -> Limits:
        if self._limits is None and time.monotonic() < self._limits_until:
            return Limits()
        if self._limits is None:
            seconds = min(_PING_SECONDS, self._timeout_seconds)
            try:
                listed = self._connection.ask(lambda client: client.models.list(), seconds)
                own = next((each for each in listed.data if each.id == self.name), None)
            except (openai.NotFoundError, openai.APIResponseValidationError):
                own = None  # it has no list of models
            except (GenerationTimeout, CallTimeout):
                self._limits_until = time.monotonic() + _LIMITS_SECONDS
                return Limits()
            except (*_FAILURES, AttributeError, TypeError):
                return Limits()
            told = (own.model_extra if own else None) or {}
            self._limits = Limits(_limit(told, _CONTEXT), _limit(told, _ANSWER))
        return self._limits

    def states(self) -> Sequence[EndpointState]:
        return (self._health.state(),)

    def check(self) -> None:
        self._health.check()

    def _measured(self, measure: _Measure, prompt: Prompt, deadline: Deadline) -> Completion:
        try:
            return self._connection.call(
                lambda client: measure(client, self.name, prompt), deadline
            )
        except _FAILURES as error:
            raise self._explained(error) from None

    def _try(
        self, prompt: Prompt, dialect: Dialect, deadline: Deadline, paid: list[CompletionUsage]
    ) -> Completion | None:
        """Ask once; return None to repeat the call in the dialect that the answer taught us.

        ``paid`` collects what the endpoint counted, of answers that are thrown away as well.
        """
        arguments = dialect.arguments(prompt)
        try:
            # The typed method converts every parameter, including the whole schema, which doubles
            # the cost of the call.
            answer = self._connection.call(
                lambda client: _completion(
                    client.post(
                        "/chat/completions",
                        cast_to=ChatCompletion,
                        body={"model": self.name, **arguments, **self._extra(prompt)},
                    )
                ),
                deadline,
                lambda answer: prompt.schema is None or _is_readable(answer.choices[0]),
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if error.code in _FLAGS:
                refusal = endpoint_message(error) or "The prompt was flagged."
                return Completion("", refusal=refusal)
            parameter = refused_parameter(error.body, arguments)
            if parameter is None:
                raise self._explained(error) from None
            self._learn(dialect, dialect.without(parameter))
            return None
        except _FAILURES as error:
            raise self._explained(error) from None
        if isinstance(answer.usage, CompletionUsage):
            paid.append(answer.usage)
        completion = self._read(answer, prompt, dialect)
        if completion is None:
            return None
        return replace(
            completion,
            prompt_tokens=sum(_tokens(usage.prompt_tokens) for usage in paid),
            completion_tokens=sum(_tokens(usage.completion_tokens) for usage in paid),
        )

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
                # The endpoint accepts the schema but ignores it.
                self._learn(dialect, replace(dialect, explains=True))
        for stop in prompt.stop:  # in case the endpoint ignored them
            text = text.partition(stop)[0]
        return Completion(
            text=text,
            refusal=refusal,
            cut_off=cut_off,
            yes=_probability_of_yes(choice) if prompt.yes_or_no else None,
            model=self.name,
        )

    def _learn(self, before: Dialect, after: Dialect) -> None:
        """Switch to ``after``, unless another thread has changed the dialect meanwhile."""
        with self._lesson:
            if self._dialect is before:
                self._dialect = after

    def _extra(self, prompt: Prompt) -> dict[str, Any]:
        if not self._llama_cpp:
            return {}
        is_plain = prompt.schema is None and not prompt.yes_or_no
        return _LLAMA_CPP if not is_plain else _LLAMA_CPP | _LLAMA_CPP_PROSE

    def _explained(self, problem: object) -> ModelUnavailable | GenerationTimeout:
        if isinstance(problem, CallTimeout):
            return GenerationTimeout(
                operator=f"The model at {self._connection.endpoint} gave no answer within"
                f" {self._timeout_seconds:g} seconds (COPYDESK_MODEL_TIMEOUT_SECONDS)."
            )
        return self._connection.explain(problem, self.name)


def _completion(answer: object) -> ChatCompletion:
    """Return an answer that is a completion; the client returns whatever it got.

    Raises:
        NoCompletion: it is something else.
    """
    if not isinstance(answer, ChatCompletion) or not isinstance(answer.choices, list):
        raise NoCompletion(answer)
    choice = answer.choices[0] if answer.choices else None
    if (
        not isinstance(choice, Choice)
        or not isinstance(choice.message, ChatCompletionMessage)
        or not isinstance(choice.finish_reason, str | None)
        or not isinstance(choice.message.refusal, str | None)
    ):
        raise NoCompletion(answer)
    return answer


def _tokens(count: object) -> int:
    """Return a number of tokens that an endpoint reports; 0 for anything else."""
    return count if type(count) is int and 0 <= count <= _MOST_TOKENS else 0


def _is_readable(choice: Choice) -> bool:
    """Return False if an answer that should be JSON, and is whole, is not."""
    text = _object_in(_without_thoughts(_plain(choice.message.content))[0])
    if choice.finish_reason != "stop" or choice.message.refusal or not text:
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _plain(content: object) -> str:
    """Return the text of a message without characters of no width; some endpoints send it in parts,
    thoughts included."""
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "").translate(_NO_WIDTH)


def _without_thoughts(content: str) -> tuple[str, bool]:
    """Return the text after a leading think block, and whether there was one, closed or not."""
    _, end, rest = content.partition("</think>")
    if end:
        return rest.strip(), True
    if content.lstrip().startswith("<think>"):
        return "", True
    return content.strip(), False


def _probability_of_yes(choice: Choice) -> float | None:
    """Return the probability of Yes against No as the first token; None if neither is listed."""
    found = {"yes": 0.0, "no": 0.0}
    try:
        tokens = choice.logprobs.content if choice.logprobs else None
        for each in tokens[0].top_logprobs if tokens else []:
            word = each.token.strip().casefold()
            if word in found:
                found[word] += math.exp(each.logprob)
    except (AttributeError, LookupError, OverflowError, TypeError):
        return None  # the client does not check what it got
    both = sum(found.values())
    return found["yes"] / both if both else None


def _thinks_apart(answer: ChatCompletion) -> bool:
    """Return whether the endpoint reports reasoning outside of the text."""
    message = answer.choices[0].message
    if getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None):
        return True
    details = getattr(answer.usage, "completion_tokens_details", None)
    return bool(getattr(details, "reasoning_tokens", None))


def _object_in(text: str) -> str:
    """Return the JSON object in a text without the words around it; the text if there is none."""
    found = re.search(r"\{.*\}", text, re.DOTALL)
    return found.group() if found else text


def _limit(told: Mapping[str, Any], names: Sequence[str]) -> int | None:
    """Return the first of these members that is a number of tokens."""
    found = (told.get(name) for name in names)
    return next((each for each in found if type(each) is int and each >= _LEAST_TOKENS), None)
