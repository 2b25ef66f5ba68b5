"""Ask the sites in which state they have the posts of the ledger. Changes nothing."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from copydesk_connectors.engine.records import Delivery, Entry
from copydesk_connectors.engine.states import NOT_DRAFTED, NOT_PUT
from copydesk_connectors.target.base import Copy, Target
from copydesk_connectors.target.errors import ConnectorError
from copydesk_connectors.target.post import Post

# Seconds that one target may take. A request under way still ends by its own time-out.
_LONGEST_S = 60.0


@dataclass
class SiteStates:
    """The answers of the sites.

    ``copies`` has the copy of each item and target that was asked for, None if the site has none.
    ``problems`` has one sentence for each target that did not answer for all of its posts.
    """

    copies: dict[tuple[str, str], Copy | None] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def ask(targets: Sequence[Target], entries: Sequence[Entry]) -> SiteStates:
    """Return what the sites have of these items, all targets at the same time."""
    found = SiteStates()
    if targets:
        with ThreadPoolExecutor(len(targets), thread_name_prefix="ask") as pool:
            answers = list(pool.map(lambda target: _ask_one(target, entries), targets))
        for copies, problem in answers:
            found.copies |= copies
            found.problems += [problem] if problem else []
    return found


def _ask_one(
    target: Target, entries: Sequence[Entry]
) -> tuple[dict[tuple[str, str], Copy | None], str]:
    copies: dict[tuple[str, str], Copy | None] = {}
    until = time.monotonic() + _LONGEST_S
    try:
        for entry, delivery in _asked_for(target.name, entries):
            if not copies:
                target.ready()
            if time.monotonic() > until:
                return copies, f"{target.name} took too long; it was asked for {len(copies)} posts"
            post = Post.from_item(entry.raw)
            copies[entry.id, target.name] = target.look(post, delivery.remote_id)
    except ConnectorError as error:
        return copies, f"{target.name} could not be asked: {error}"
    except Exception as error:  # noqa: BLE001 - a mistake in one target stops only that one
        return copies, f"{target.name} could not be asked: internal error ({type(error).__name__})"
    return copies, ""


def _asked_for(target: str, entries: Sequence[Entry]) -> list[tuple[Entry, Delivery]]:
    """Return the deliveries that may have a copy on the site."""
    never = NOT_DRAFTED | NOT_PUT
    return [
        (entry, delivery)
        for entry in entries
        for delivery in entry.deliveries
        if delivery.target == target and (delivery.remote_id or delivery.state not in never)
    ]
