"""Whether a rule still has something new to write: a post for each angle of each of its keywords.

It is read from the items of the rule before a model is called. What a rule stores
(``saturated_since``) only says which rules the scheduler asks about before it queues a run.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from sqlalchemy.orm import Session

from app.core.errors import ValidationFailed
from app.core.feed.rule import LONGEST_REST, MAX_REPEATS, Saturation, model_repeats, nothing_left
from app.core.schemas.request import GenerateRequest, parse_stored_request
from app.rules.words import fold
from app.sources.current_events import is_current_event
from app.store import feed as feed_store
from app.store import models
from app.store import rules as rule_store
from app.writing.angles import ANGLES, Angle, next_angles

_Key = tuple[str, str, str]  # a rule, the words of a keyword, an angle
Pair = tuple[str, Angle]  # the primary keyword and the angle of a post


@dataclass(frozen=True)
class Outlook:
    """The posts that a rule can still write (``left``, in that order), and those that it has
    written, each with the id of an item (``answered``).

    A rule on current events writes about other events each time: the number of its posts is
    ``unlimited``, and it takes what is ``left`` in turn.
    """

    rule_id: str
    request: GenerateRequest
    left: tuple[Pair, ...]
    answered: Mapping[Pair, str]
    unlimited: bool

    @property
    def exhausted(self) -> bool:
        return not self.left

    def next_post(self, count: int) -> tuple[GenerateRequest, tuple[Angle, ...]]:
        """Return the request of the next post, and up to ``count`` angles: its own, then those to
        try if the post repeats another one."""
        primary = self.left[0][0]
        keywords = (primary, *(each for each in self.request.keywords if each != primary))
        angles = tuple(angle for keyword, angle in self.left if keyword == primary)
        return self.request.model_copy(update={"keywords": keywords}), angles[:count]

    def exhaustion(self, since: datetime | None = None) -> Saturation:
        """Return the saturation of the rule once it has written what is left."""
        return nothing_left(self.rule_id, since)


def look(session: Session, rule: models.Rule) -> Outlook:
    """Return what a rule can still write.

    Raises:
        ValidationFailed: the stored request is no longer valid.
    """
    request, posts = parse_stored_request(rule.request), _posts(rule)
    answered: Mapping[Pair, str] = {}
    if posts is None:
        angles = next_angles(rule.id, feed_store.earlier_angles(session, rule.id), len(ANGLES))
        left = [(request.keywords[0], angle) for angle in angles]
    else:
        written = _written(session, [rule.id])
        left = [pair for key, pair in posts.items() if key not in written]
        answered = {pair: written[key] for key, pair in posts.items() if key in written}
    # Drafts that repeat other posts use nothing up: behind them, the next posts get their turn.
    turn = (rule.repeats + MAX_REPEATS * rule.rests) % max(1, len(left))
    return Outlook(rule.id, request, (*left[turn:], *left[:turn]), answered, posts is None)


def posts_left(session: Session, rules: Collection[models.Rule]) -> Mapping[str, int | None]:
    """Return how many posts each rule can still write, in one query: None if their number is not
    limited, or if its request is no longer valid (then its next run fails and says so)."""
    written = _written(session, [rule.id for rule in rules])
    posts = {rule.id: _posts(rule) for rule in rules}
    return {
        rule_id: None if each is None else len(each.keys() - written.keys())
        for rule_id, each in posts.items()
    }


def rest(session: Session, rule: models.Rule, now: datetime) -> Saturation | None:
    """Return why a rule rests whose model repeated an earlier item; None if it does not."""
    if rule.saturated_until is None or rule not in _resting(session, [rule], now):
        return None
    return model_repeats(rule.id, rule.repeated_item, rule.saturated_since, rule.saturated_until)


def awake(session: Session, rule_ids: Collection[str], now: datetime) -> list[str]:
    """Return which of these rules, stored as saturated, have something to write again."""
    rules = rule_store.rules_by_id(session, rule_ids)
    left, resting = posts_left(session, rules), _resting(session, rules, now)
    return [rule.id for rule in rules if left[rule.id] != 0 and rule not in resting]


def _resting(session: Session, rules: Sequence[models.Rule], now: datetime) -> list[models.Rule]:
    """Return which rules rest: until their time is up, or the item that was repeated is deleted."""
    # A longer rest was stored by a clock that was wrong.
    longest = now + LONGEST_REST
    resting = [
        rule for rule in rules if rule.saturated_until and now < rule.saturated_until <= longest
    ]
    repeated = {rule.repeated_item for rule in resting if rule.repeated_item}
    deleted = repeated - feed_store.titles(session, repeated).keys()
    return [rule for rule in resting if rule.repeated_item not in deleted]


def _written(session: Session, rule_ids: Collection[str]) -> Mapping[_Key, str]:
    rows = feed_store.written_pairs(session, rule_ids)
    return {(row.rule_id, fold(row.keyword), row.angle): row.item_id for row in rows}


def _posts(rule: models.Rule) -> Mapping[_Key, Pair] | None:
    """Return every post of a rule; None if it is on current events or its request is not valid. Of
    two keywords with the same words, one counts."""
    try:
        request = parse_stored_request(rule.request)
    except ValidationFailed:
        return None
    subjects = [*request.keywords, request.topic or ""]
    if rule.current_event or is_current_event(subjects, request.language):
        return None
    pairs = product(request.keywords, next_angles(rule.id, (), len(ANGLES)))
    return {(rule.id, fold(keyword), angle.key): (keyword, angle) for keyword, angle in pairs}
