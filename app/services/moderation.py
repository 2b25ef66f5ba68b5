"""Moderation: what an endpoint says of a request before anything is written."""

import re

from app.core.errors import ProhibitedInput
from app.core.schemas.request import GenerateRequest
from app.deadline import Deadline
from app.ports import Moderator

# Endpoints use names such as "violence/graphic" and "Hate and discrimination". A longer or odder
# text could be anything.
_CATEGORY = re.compile(r"[A-Za-z][A-Za-z0-9 _/&-]{0,63}")
_UNNAMED = "unnamed"


def moderate(
    moderator: Moderator | None,
    request: GenerateRequest,
    deadline: Deadline,
    remark: str | None = None,
) -> None:
    """Check the texts of a request and a reviewer's remark, if there is a moderator.

    Raises:
        ProhibitedInput: they were flagged; ``details.categories`` has the endpoint's names of the
            categories, and the texts are not repeated.
        ModelUnavailable: the moderator did not answer; an unchecked request is not written.
        GenerationTimeout, GenerationCancelled: the deadline.
    """
    if moderator is None:
        return
    # Keywords are checked together: each alone says less than all of them.
    texts = (
        ", ".join(request.keywords),
        request.topic,
        request.target_audience,
        request.brand_voice,
        request.industry,
        request.region,
        remark,
    )
    flagged = moderator([text for text in texts if text], deadline)
    if flagged:
        named = [name if _CATEGORY.fullmatch(name) else _UNNAMED for name in flagged]
        told = list(dict.fromkeys(named))
        message = f"The moderation flagged this request: {', '.join(told)}."
        raise ProhibitedInput(message, {"categories": told})
