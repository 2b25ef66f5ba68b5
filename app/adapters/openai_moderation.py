"""The moderation call of an OpenAI-compatible endpoint."""

from collections.abc import Sequence

from pydantic import BaseModel, ValidationError

from app.adapters.openai_client import FAILURES, Connection
from app.adapters.openai_errors import NoCompletion
from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.ports import Moderator

SECONDS = 20.0
"""Classification is fast: an answer that takes longer will not come."""
_NO_SUCH_CALL = frozenset({404, 405})
_NO_VERDICT = (
    "gave no verdict on each text. Correct COPYDESK_MODERATION_MODEL, or unset it if the endpoint"
    " has no moderation call."
)
# For an endpoint that flags a text and names no category.
_UNNAMED = "unnamed"


class _Result(BaseModel):
    """The verdict on one text. Mistral has no ``flagged``; other endpoints have no categories."""

    flagged: bool | None = None
    categories: dict[str, bool | None] | None = None

    def names(self) -> list[str]:
        """Return the categories that the text violates."""
        if self.flagged is False:
            return []
        named = [name for name, applies in (self.categories or {}).items() if applies]
        return named or ([_UNNAMED] if self.flagged else [])


class _Answer(BaseModel):
    results: list[_Result]


class OpenAIModerator(Moderator):
    """A moderator at an OpenAI-compatible endpoint.

    Args:
        connection: to the endpoint.
        name: the moderation model's name, as the endpoint knows it.
    """

    def __init__(self, connection: Connection, name: str) -> None:
        self.name, self._connection = name, connection

    def __repr__(self) -> str:
        return f"OpenAIModerator({self.name!r} at {self._connection.origin})"

    def flagged(self, texts: Sequence[str], deadline: Deadline) -> tuple[str, ...]:
        if not texts:
            return ()
        try:
            answer = self._connection.call(
                self.name,
                lambda client: client.moderations.with_raw_response.create(
                    model=self.name, input=list(texts)
                ),
                deadline,
            )
            results = _Answer.model_validate_json(answer.content).results
        except FAILURES as error:
            is_unknown = getattr(error, "status_code", None) in _NO_SUCH_CALL
            if is_unknown or isinstance(error, ValidationError):
                error = NoCompletion(_NO_VERDICT, getattr(error, "body", None))
            raise self._explained(error) from None
        # A missing result means that the text was not checked.
        if len(results) != len(texts) or any(
            result.flagged is None and not result.categories for result in results
        ):
            raise self._explained(NoCompletion(_NO_VERDICT))
        return tuple(sorted({name for result in results for name in result.names()}))

    def _explained(self, error: Exception) -> ModelUnavailable:
        found = self._connection.explain(error, self.name)
        # Nothing has been written yet, so a late verdict is not a time-out of the post.
        if isinstance(found, ModelUnavailable):
            return found
        return ModelUnavailable(operator=found.operator)
