"""Which targets a post goes to, with which settings, and which of them count for the feed."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from copydesk_connectors.engine.records import Delivery
from copydesk_connectors.engine.states import Verdict, verdict
from copydesk_connectors.target.post import NO_ROUTE, Post

_LONGEST_RULE = 500  # characters; the service's own names are shorter


@dataclass(frozen=True, kw_only=True)
class Route:
    """The posts that some targets get. ``number`` is its place in the configuration, from 1.

    A condition that is None matches every post.
    """

    number: int
    targets: tuple[str, ...]
    feed: str | None = None
    rule: str | None = None
    keyword: str | None = None

    def matches(self, feed: str, rules: Collection[str], keywords: Iterable[str]) -> bool:
        """Return whether a post of this feed, with these rule names and keywords, is meant."""
        if self.feed is not None and self.feed != feed:
            return False
        if self.rule is not None and self.rule.casefold() not in rules:
            return False
        if self.keyword is None:
            return True
        # Of the wildcards of file names, only * and ? are documented.
        wanted = re.sub(r"\[", "[[]", " ".join(self.keyword.casefold().split()))
        return any(fnmatchcase(keyword.casefold(), wanted) for keyword in keywords)


@dataclass(frozen=True, kw_only=True)
class Routing:
    """All routes, in the order of the configuration.

    For each target, the first matching route decides. A target that no route names gets every
    post. ``optional`` are the targets with ``required = false``.
    """

    routes: tuple[Route, ...] = ()
    optional: frozenset[str] = frozenset()

    def of(self, feed: str, raw: Mapping[str, Any], targets: Iterable[str]) -> dict[str, int]:
        """Return where an item goes: the targets, each with the number of its route.

        The number is NO_ROUTE for a target that gets every post, and for every target if the item
        cannot be read: the step that publishes it says why.
        """
        try:
            keywords = Post.from_item(raw).keywords
        except Exception:  # noqa: BLE001 - one item must not stop the others
            return dict.fromkeys(targets, NO_ROUTE)
        rules = {_rule(raw, "ruleName"), _rule(raw, "ruleId")}
        matching = [route for route in self.routes if route.matches(feed, rules, keywords)]
        chosen: dict[str, int] = {}
        for target in targets:
            if not any(target in route.targets for route in self.routes):
                chosen[target] = NO_ROUTE
            elif route := next((route for route in matching if target in route.targets), None):
                chosen[target] = route.number
        return chosen

    def reach(self, feed: str, targets: Iterable[str]) -> list[str]:
        """Return the targets that posts of a feed may go to."""
        return [
            target
            for target in targets
            if not any(target in route.targets for route in self.routes)
            or any(target in r.targets and r.feed in {None, feed} for r in self.routes)
        ]

    def required(self, targets: Collection[str]) -> list[str]:
        """Return those of the targets that count for the feed; all of them if all are optional."""
        return [name for name in targets if name not in self.optional] or list(targets)

    def needs_rules(self, feed: str) -> bool:
        """Return whether a route asks for the rule of this feed's posts."""
        return any(r.rule is not None and r.feed in {None, feed} for r in self.routes)

    def verdict(self, deliveries: Sequence[Delivery]) -> Verdict:
        """Return what to tell the feed about an item with these deliveries."""
        required = set(self.required([delivery.target for delivery in deliveries]))
        return verdict(
            [delivery.state for delivery in deliveries if delivery.target in required],
            [delivery.state for delivery in deliveries if delivery.target not in required],
        )


def _rule(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    return value[:_LONGEST_RULE].casefold() if isinstance(value, str) else ""
