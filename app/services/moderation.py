"""What the endpoint's own policy prohibits is refused before anything is written."""

from app.core.errors import ProhibitedInput
from app.core.request import GenerateRequest
from app.ports import Moderator


def moderate(moderator: Moderator | None, request: GenerateRequest) -> None:
    """Have the texts of a request looked at; without a moderator nothing is.

    Raises:
        ProhibitedInput: they were flagged; ``details.categories`` has the endpoint's names for
            what, and the texts themselves are not repeated.
        ModelUnavailable: the moderator gave no answer; what was not looked at is not written.
    """
    if moderator is None:
        return
    # Keywords are looked at together: split up, each of them says less than they all do.
    texts = (
        ", ".join(request.keywords),
        request.topic,
        request.target_audience,
        request.brand_voice,
        request.industry,
        request.region,
    )
    categories = moderator.flagged([text for text in texts if text])
    if categories:
        raise ProhibitedInput(
            f"The moderation flagged this request: {', '.join(categories)}.",
            {"categories": list(categories)},
        )
