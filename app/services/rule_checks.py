"""What a rule must be, checked as it is made and as it is changed.

Each check raises ValidationFailed, whose details name the field.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import ValidationFailed
from app.core.offers import Offer, check_offers
from app.core.request import GenerateRequest, parse
from app.core.rule import MAX_EVERY, MIN_EVERY
from app.services.authoring import needs_sources
from app.services.generate import check_plan
from app.services.sources import NO_PROVIDER
from app.store import accounts as account_store


def check_request(
    session: Session,
    request: GenerateRequest,
    account_id: str,
    *,
    current_event: bool,
    has_sources: bool,
) -> None:
    """Refuse now what every run of the rule would fail for."""
    plan = account_store.plan_of_account(session, account_id)
    assert plan is not None  # noqa: S101 - a foreign key
    check_plan(request, plan)
    if not has_sources and (field := needs_sources(request, current_event=current_event)):
        raise ValidationFailed(
            f"{field}: a rule on current events or with factualityMode verified needs sources to"
            f" check against. {NO_PROVIDER}",
            {"field": field},
        )


def read_offers(entries: Sequence[dict[str, Any]]) -> list[Offer]:
    """The offers of a rule: http(s) only, no two of one name or address."""
    offers = [parse(Offer, entry) for entry in entries]
    check_offers(offers)
    return offers


def check_every(every: timedelta) -> None:
    """Frequency from 15 minutes to 30 days."""
    if not MIN_EVERY <= every <= MAX_EVERY:
        raise ValidationFailed("every must be between 15m and 30d.", {"field": "every"})


def rule_name(name: str) -> str:
    """The name without blanks around it."""
    name = name.strip()
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise ValidationFailed("name must have 1 to 100 printable characters.", {"field": "name"})
    return name
