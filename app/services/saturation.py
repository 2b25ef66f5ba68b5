"""Whether a rule still has something new to write: a post for each angle of each of its keywords.

It is read from the items of the rule before a model is called. What a rule stores
(``saturated_since``) only says which rules the scheduler asks about before it queues a run.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.errors import ValidationFailed
from app.core.schemas.api_model import STORED
from app.core.schemas.bodies import parse
from app.core.schemas.request import GenerateRequest
from app.rules.words import fold
from app.sources.current_events import asks_for_news
from app.store import models
from app.store.models import FeedItem
from app.writing.angles import ANGLES, Angle, next_angles

# How many angles a run tries if its post repeats another one.
_TRIED = 3
_Key = tuple[str, str, str]  # a rule, the words of a keyword, an angle
Pair = tuple[str, Angle]  # the primary keyword and the angle of a post


@dataclass(frozen=True)
class Outlook:
    """The posts that a rule can still write: ``left``, in that order.

    A rule on current events writes about other events each time: the number of its posts is
    ``unlimited``, and it takes what is ``left`` in turn.
    """

    request: GenerateRequest
    left: tuple[Pair, ...]
    unlimited: bool

    def next_post(self) -> tuple[GenerateRequest, tuple[Angle, ...]]:
        """Return the request of the next post, and up to three angles: its own, then those to try
        if the post repeats another one."""
        primary = self.left[0][0]
        angles = tuple(angle for keyword, angle in self.left if keyword == primary)
        return self.request.about(primary), angles[:_TRIED]


def look(session: Session, rule: models.Rule) -> Outlook:
    """Return what a rule can still write.

    Raises:
        ValidationFailed: the stored request is no longer valid.
    """
    request, posts = parse(GenerateRequest, rule.request, STORED), _posts(rule)
    if posts is None:
        newest = select(FeedItem.angle).where(FeedItem.rule_id == rule.id)
        newest = newest.order_by(FeedItem.generated_at.desc()).limit(len(ANGLES))
        earlier = [angle for angle in session.scalars(newest) if angle is not None]
        angles = next_angles(rule.id, earlier, len(ANGLES))
        left = [(request.keywords[0], angle) for angle in angles]
    else:
        written = _written(session, [rule.id])
        left = [pair for key, pair in posts.items() if key not in written]
    # A run that fails uses nothing up: behind the angles that it tried, the next get their turn.
    turn = _TRIED * rule.failures % max(1, len(left))
    return Outlook(request, (*left[turn:], *left[:turn]), posts is None)


def posts_left(session: Session, rules: Collection[models.Rule]) -> Mapping[str, int | None]:
    """Return how many posts each rule can still write, in one query: None if their number is not
    limited, or if its request is no longer valid (then its next run fails and says so)."""
    written = _written(session, [rule.id for rule in rules])
    posts = {rule.id: _posts(rule) for rule in rules}
    return {
        rule_id: None if each is None else len(each.keys() - written)
        for rule_id, each in posts.items()
    }


def _written(session: Session, rule_ids: Collection[str]) -> set[_Key]:
    """Return the pairs that have an item. Items without a keyword or an angle are left out."""
    pair = (FeedItem.rule_id, FeedItem.keyword, FeedItem.angle)
    known = FeedItem.keyword.is_not(None) & FeedItem.angle.is_not(None)
    query = select(*pair).where(FeedItem.rule_id.in_(sorted(rule_ids)), known).group_by(*pair)
    rows = session.execute(query)
    return {(rule_id, fold(keyword or ""), angle or "") for rule_id, keyword, angle in rows}


def _posts(rule: models.Rule) -> Mapping[_Key, Pair] | None:
    """Return every post of a rule; None if it is on current events or its request is not valid. Of
    two keywords with the same words, one counts."""
    try:
        request = parse(GenerateRequest, rule.request, STORED)
    except ValidationFailed:
        return None
    if rule.current_event or asks_for_news(request):
        return None
    pairs = product(request.keywords, next_angles(rule.id, (), len(ANGLES)))
    return {(rule.id, fold(keyword), angle.key): (keyword, angle) for keyword, angle in pairs}
