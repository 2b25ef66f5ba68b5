"""Plans: what an account may use."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.errors import ValidationFailed

if TYPE_CHECKING:
    from app.core.schemas.request import GenerateRequest


@dataclass(frozen=True)
class Plan:
    """Limits of a plan: words per calendar month (UTC) and request, requests per minute and day."""

    id: str
    name: str
    monthly_words: int
    max_words_per_request: int
    requests_per_minute: int
    requests_per_day: int
    priority_processing: bool
    team_seats: int


def check_plan(request: "GenerateRequest", plan: Plan) -> None:
    """Refuse a request that its plan does not allow.

    Raises:
        ValidationFailed: details have field, maxAllowed and received.
    """
    # Imported here: it takes 0.15 s, and most commands read no requests.
    from app.core.schemas.request import MIN_DISTANCE_WORDS

    limits, cap = request.constraints, plan.max_words_per_request
    for name, value, most in (
        ("maxWords", limits.max_words, cap),
        ("minWords", limits.min_words, cap - MIN_DISTANCE_WORDS),
    ):
        if value is not None and value > most:
            raise ValidationFailed(
                f"constraints.{name} must be at most {most} on the plan {plan.name};"
                f" it is {value}.",
                {"field": f"constraints.{name}", "maxAllowed": most, "received": value},
            )
