"""Plans: showing and changing what accounts may use."""

from collections.abc import Mapping, Sequence

from app.core.errors import NotFound, ValidationFailed
from app.core.plan import Plan
from app.core.request import MIN_WORDS
from app.store import accounts as store
from app.store.database import reading, writing

_LIMITS = ("monthly_words", "max_words_per_request", "requests_per_minute", "requests_per_day")
_HIGHEST = 1_000_000_000


def list_plans() -> Sequence[Plan]:
    """The smallest first."""
    with reading() as session:
        return store.plans(session)


def update_plan(plan_id: str, limits: Mapping[str, int]) -> Plan:
    """Change the limits that are given; requests that begin from now on are held to them.

    Raises:
        NotFound: no such plan.
        ValidationFailed: a limit that no request could keep.
    """
    for name, value in limits.items():
        least = MIN_WORDS if name.endswith(("words", "words_per_request")) else 1
        if name not in _LIMITS or not least <= value <= _HIGHEST:
            spelled = name.replace("_", "-")
            raise ValidationFailed(
                f"{spelled} must be between {least} and {_HIGHEST}; it is {value}.",
                {"field": name},
            )
    with writing() as session:
        if not store.update_plan(session, plan_id, limits):
            raise NotFound(f"There is no plan {plan_id}. `plan list` shows them.")
        plan = store.find_plan(session, plan_id)
    assert plan is not None  # noqa: S101 - it was just changed
    return plan
