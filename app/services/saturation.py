"""Whether a rule still has something new to write.

It is computed from the intents that the items of its feed answer, before a model is called: a rule
has one post for each editorial angle of each keyword, less those that an item answers already. What
a rule stores (``saturated_since``) only says which rules the scheduler asks about before it queues
a run.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from app.core.errors import ValidationFailed
from app.core.feed.rule import Saturation, model_repeats, nothing_left
from app.core.planning import intent
from app.core.planning.angles import ANGLES, Angle, next_angles
from app.core.planning.intent import Idea, Keys, ideas, with_primary_keyword
from app.core.schemas.request import GenerateRequest, parse_stored_request
from app.core.sources.current_events import is_current_event
from app.services.near_duplicates import Likeness, NearDuplicate
from app.store import feed as feed_store
from app.store import intents as store
from app.store import models
from app.store import rules as rule_store


@dataclass(frozen=True)
class Outlook:
    """The posts that a rule can still write, and those that an item of its feed answers already.

    A rule on current events writes about other events each time: the number of its posts is
    ``unlimited``, and ``angles`` are taken in turn.
    """

    rule_id: str
    request: GenerateRequest
    angles: tuple[Angle, ...]
    left: tuple[Idea, ...] = ()
    answered: tuple[tuple[Idea, str], ...] = ()
    unlimited: bool = False

    @property
    def exhausted(self) -> bool:
        return not self.unlimited and not self.left

    def next_post(self, angles: int) -> tuple[GenerateRequest, tuple[Angle, ...]]:
        """Return the request of the next post, and its angle followed by those to try if the post
        repeats another one."""
        if self.unlimited:
            return self.request, self.angles[:angles]
        keyword = self.left[0].keyword
        of_keyword = (idea.angle for idea in self.left if idea.keyword == keyword)
        return with_primary_keyword(self.request, keyword), tuple(of_keyword)[:angles]

    def exhaustion(self, since: datetime | None = None) -> Saturation:
        """Return the saturation of the rule once it has written what is left."""
        return nothing_left(self.rule_id, len(set(self.request.keywords)), since)


def look(session: Session, rule: models.Rule) -> Outlook:
    """Return what a rule can still write. The cost depends on the number of its keywords alone.

    Raises:
        ValidationFailed: the stored request is no longer valid.
    """
    request = parse_stored_request(rule.request)
    used = feed_store.earlier_angles(feed_store.newest_items(session, rule.id, len(ANGLES)))
    angles = next_angles(rule.id, used, len(ANGLES))
    if _is_on_current_events(rule, request):
        return Outlook(rule.id, request, angles, unlimited=True)
    possible = _possible(rule, request, angles)
    answered = store.answered(session, possible.keys())
    return Outlook(
        rule.id,
        request,
        angles,
        tuple(idea for key, idea in possible.items() if key not in answered),
        tuple((idea, answered[key]) for key, idea in possible.items() if key in answered),
    )


def repeated_keywords(rule: models.Rule) -> Sequence[tuple[str, str]]:
    """Return each keyword for which a rule writes nothing, behind the earlier one of its intent."""
    request = parse_stored_request(rule.request)
    return () if _is_on_current_events(rule, request) else intent.repeated_keywords(request)


def _possible(
    rule: models.Rule, request: GenerateRequest, angles: Sequence[Angle]
) -> dict[int, Idea]:
    keys = Keys(rule.token_id, request.language)
    return {keys.of(idea.intent): idea for idea in ideas(request, angles)}


def _is_on_current_events(rule: models.Rule, request: GenerateRequest) -> bool:
    """Return whether each post of the rule is about what has just happened."""
    subjects = [*request.keywords, request.topic or ""]
    return rule.current_event or is_current_event(subjects, request.language)


def posts_left(session: Session, rules: Collection[models.Rule]) -> Mapping[str, int | None]:
    """Return how many posts each rule can still write: None if their number is not limited, or if
    its request is no longer valid."""
    keys = {rule.id: _intents(rule) for rule in rules}
    answered = store.answered(session, {key for each in keys.values() for key in each or ()})
    return {
        rule_id: None if each is None else len(each - answered.keys())
        for rule_id, each in keys.items()
    }


def saturation(
    session: Session, rule: models.Rule, now: datetime, left: int | None
) -> Saturation | None:
    """Return why a rule has nothing new to write at this moment; None if it has.

    Args:
        left: how many posts it can still write, as ``posts_left`` says.
    """
    if left == 0:
        return nothing_left(rule.id, len(set(rule.request["keywords"])), rule.saturated_since)
    return rest(session, rule, now)


def rest(session: Session, rule: models.Rule, now: datetime) -> Saturation | None:
    """Return why a rule rests whose model repeated an earlier item; None if it does not."""
    until = rule.saturated_until
    if until is None or until <= now or not _repeated_items_left(session, [rule]):
        return None
    return model_repeats(rule.id, rule.repeated_item, rule.saturated_since, until)


def awake(session: Session, rule_ids: Collection[str], now: datetime) -> list[str]:
    """Return which of these rules, stored as saturated, have something to write again.

    A rule that rests because its model repeated an item rests until its time is up or that item is
    deleted. Any other one needs an angle of a keyword that no item of its feed answers.
    """
    rules = rule_store.rules_by_id(session, rule_ids)
    resting = [rule for rule in rules if rule.saturated_until and now < rule.saturated_until]
    rested = {rule.id for rule in resting} - _repeated_items_left(session, resting)
    left = {rule.id: _intents(rule) for rule in rules if rule not in resting}
    answered = store.answered(session, {key for keys in left.values() for key in keys or ()})
    new = {rule for rule, keys in left.items() if keys is None or keys - answered.keys()}
    return sorted(new | rested)


def _intents(rule: models.Rule) -> Set[int] | None:
    """Return every intent that a rule could write about; None if their number is not limited, or if
    its request is no longer valid: then its next run fails and says so."""
    try:
        request = parse_stored_request(rule.request)
    except ValidationFailed:
        return None
    if _is_on_current_events(rule, request):
        return None
    return _possible(rule, request, ANGLES).keys()


def _repeated_items_left(session: Session, rules: Iterable[models.Rule]) -> set[str]:
    """Return which of the rules rest because of an item that still exists, or of none."""
    items = {rule.id: rule.repeated_item for rule in rules}
    exist = store.titles(session, {item for item in items.values() if item})
    return {rule for rule, item in items.items() if item is None or item in exist}


def require_new_intents(session: Session, intents: Collection[int]) -> None:
    """Check that no earlier item answers one of these intents.

    Raises:
        NearDuplicate: one does.
    """
    found = store.answered(session, intents)
    if found:
        raise NearDuplicate(Likeness(min(found.values()), None))
