"""Which targets a post goes to, and which of them count for the feed."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Annotated, Any

from pydantic import Field

from copydesk_connectors.engine.records import Delivery
from copydesk_connectors.engine.states import Verdict, verdict
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Names, Settings, Text, setting

_LONGEST_RULE = 500  # characters; the service's own names are shorter


class Route(Settings):
    """The posts that some targets get. A condition that is None matches every post."""

    target: Annotated[Names, Field(min_length=1)] = setting(
        "The name of the target that gets the posts, or a list of names."
    )
    feed: Text | None = setting("Only posts of the feed with this name.", default=None)
    rule: Text | None = setting("Only posts of this rule, by name or id.", default=None)
    keyword: Text | None = setting(
        "Only posts with a keyword like this, in capitals or not; `*` stands for any characters, "
        "`?` for one.",
        default=None,
    )

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

    The first route that matches a post decides. A target that no route names gets every post.
    ``optional`` are the targets with ``required = false``.
    """

    routes: tuple[Route, ...] = ()
    optional: frozenset[str] = frozenset()

    def of(self, feed: str, raw: Mapping[str, Any], targets: Iterable[str]) -> list[str]:
        """Return the targets that an item goes to.

        That is every target if the item cannot be read: the step that publishes it says why.
        """
        try:
            keywords = Post.from_item(raw).keywords
        except Exception:  # noqa: BLE001 - one item must not stop the others
            return list(targets)
        rules = {_rule(raw, "ruleName"), _rule(raw, "ruleId")}
        matching = (route for route in self.routes if route.matches(feed, rules, keywords))
        chosen = next((route.target for route in matching), ())
        return [name for name in targets if name in chosen or not self._names(name)]

    def reach(self, feed: str, targets: Iterable[str]) -> list[str]:
        """Return the targets that posts of a feed may go to."""
        return [
            target
            for target in targets
            if not self._names(target)
            or any(target in r.target and r.feed in {None, feed} for r in self.routes)
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

    def _names(self, target: str) -> bool:
        return any(target in route.target for route in self.routes)


def _rule(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    return value[:_LONGEST_RULE].casefold() if isinstance(value, str) else ""
