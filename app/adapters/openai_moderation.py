"""The moderation call of an OpenAI-compatible endpoint."""

from collections.abc import Sequence

import openai
from pydantic import BaseModel, ValidationError

from app.adapters.openai_client import connect
from app.adapters.openai_errors import explain, quoted
from app.core.errors import GenerationTimeout, ModelUnavailable
from app.ports import Moderator

# It classifies and writes nothing: an answer that takes longer is none that comes.
_SECONDS = 20.0
_RETRIES = 2
_NO_SUCH_CALL = frozenset({404, 405})
# For an endpoint that flags a text and names no category.
_UNNAMED = "unnamed"


class _Result(BaseModel):
    """About one text. Some endpoints (Mistral's) have no ``flagged``, some no categories."""

    flagged: bool | None = None
    categories: dict[str, bool | None] | None = None

    def names(self) -> list[str]:
        """The categories that the text falls under."""
        if self.flagged is False:
            return []
        named = [name for name, applies in (self.categories or {}).items() if applies]
        return named or ([_UNNAMED] if self.flagged else [])


class _Answer(BaseModel):
    results: list[_Result]


class OpenAIModerator(Moderator):
    """A Moderator.

    Args:
        base_url: the endpoint with its /v1; OpenAI's own where it is None.
        api_key: any text where the endpoint wants none.
        model: the moderation model, as the endpoint knows it.
        timeout_seconds: how long one answer may take; an answer that is late is not asked for
            again.

    Raises:
        ValueError: the address is none or holds a password, or no header can carry the API key.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str,
        model: str,
        *,
        timeout_seconds: float = _SECONDS,
    ) -> None:
        self._model = model
        self._timeout_seconds = timeout_seconds
        self._connection = connect(
            base_url, api_key, timeout_seconds=timeout_seconds, retries=_RETRIES
        )

    def __repr__(self) -> str:
        return f"OpenAIModerator({self._model!r} at {self._connection.endpoint})"

    def flagged(self, texts: Sequence[str]) -> tuple[str, ...]:
        if not texts:
            return ()
        moderations = self._connection.client.moderations.with_raw_response
        try:
            answer = moderations.create(model=self._model, input=list(texts))
            results = _Answer.model_validate_json(answer.content).results
        except openai.OpenAIError as error:
            raise self._explained(error) from None
        except ValidationError:
            raise self._junk() from None
        # Whatever is missing was not looked at.
        if len(results) != len(texts) or any(
            result.flagged is None and not result.categories for result in results
        ):
            raise self._junk()
        return tuple(sorted({name for result in results for name in result.names()}))

    def _explained(self, error: openai.OpenAIError) -> ModelUnavailable:
        at = self._connection.endpoint
        if isinstance(error, openai.APIStatusError) and error.status_code in _NO_SUCH_CALL:
            return ModelUnavailable(
                f"The model endpoint {at} has no moderation call, or none by the model"
                f" {self._model!r}. Correct COPYDESK_MODERATION_MODEL or unset it."
                + quoted(error, self._connection.api_key)
            )
        problem = explain(
            error,
            endpoint=at,
            model=self._model,
            timeout_seconds=self._timeout_seconds,
            api_key=self._connection.api_key,
        )
        if isinstance(problem, GenerationTimeout):
            return ModelUnavailable(
                f"The moderation call of {at} gave no answer within {self._timeout_seconds:g}"
                " seconds."
            )
        return problem

    def _junk(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"The model endpoint {self._connection.endpoint} answered the moderation call with"
            " something that is no moderation of each text. Unset COPYDESK_MODERATION_MODEL if it"
            " has no such call."
        )
