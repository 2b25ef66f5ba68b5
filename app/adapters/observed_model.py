"""A model whose calls are counted and traced."""

import time
from collections.abc import Sequence

from app.core.errors import outcome
from app.deadline import Deadline
from app.ports import EndpointState, Metrics, Model, Tracer
from app.writing.completion import Completion, Prompt


class ObservedModel(Model):
    """Counts and traces the calls to a model: their tokens, never their texts."""

    def __init__(self, metrics: Metrics, tracer: Tracer, model: Model) -> None:
        self._model = model
        self._metrics, self._tracer = metrics, tracer
        self.name = model.name

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        ended, tokens = "ANSWERED", (0, 0)
        asked = {"gen_ai.request.model": self.name, "copydesk.purpose": prompt.purpose}
        began = time.monotonic()
        try:
            with self._tracer.span("model call", attributes=asked) as span:
                answer = self._model.complete(prompt, deadline)
                tokens = (answer.prompt_tokens, answer.completion_tokens)
                span.set(
                    {
                        "gen_ai.usage.input_tokens": tokens[0],
                        "gen_ai.usage.output_tokens": tokens[1],
                    }
                )
            if answer.refusal is not None:
                ended = "REFUSED"
            return answer
        except Exception as error:
            ended = outcome(error)
            raise
        finally:
            seconds = time.monotonic() - began
            self._metrics.model_call(self.name, prompt.purpose, ended, seconds, tokens)

    def ping(self) -> None:
        self._model.ping()

    def context_tokens(self) -> int | None:
        return self._model.context_tokens()

    def states(self) -> Sequence[EndpointState]:
        return self._model.states()

    def __repr__(self) -> str:
        return repr(self._model)
