"""The moderation call of an OpenAI-compatible endpoint."""

from collections.abc import Sequence

from pydantic import BaseModel, ValidationError

from app.adapters.openai_client import FAILURES, Connection
from app.adapters.openai_errors import NoCompletion
from app.core.errors import ModelUnavailable
from app.deadline import Deadline

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


def flagged(
    connection: Connection, name: str, texts: Sequence[str], deadline: Deadline
) -> tuple[str, ...]:
    """Ask a model of an OpenAI-compatible endpoint, as a ``Moderator``.

    Args:
        name: the moderation model's name, as the endpoint knows it.
    """
    if not texts:
        return ()
    try:
        answer = connection.call(
            name,
            lambda client: client.moderations.with_raw_response.create(
                model=name, input=list(texts)
            ),
            deadline,
        )
        results = _Answer.model_validate_json(answer.content).results
        # A missing result means that the text was not checked.
        if len(results) != len(texts) or any(
            result.flagged is None and not result.categories for result in results
        ):
            raise NoCompletion(_NO_VERDICT)
    except FAILURES as error:
        is_unknown = getattr(error, "status_code", None) in _NO_SUCH_CALL
        if is_unknown or isinstance(error, ValidationError):
            error = NoCompletion(_NO_VERDICT, getattr(error, "body", None))
        found = connection.explain(error, name)
        if not isinstance(found, ModelUnavailable):
            # Nothing has been written yet, so a late verdict is not a time-out of the post.
            found = ModelUnavailable(operator=found.operator)
        raise found from None
    return tuple(sorted({name for result in results for name in result.names()}))
