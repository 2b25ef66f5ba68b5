"""What a pass would do, said without claiming or changing anything."""

from copydesk_connectors.config import Config
from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.ledger import Entry, Ledger
from copydesk_connectors.states import SETTLED, Delivery, Item


def preview(config: Config) -> tuple[list[str], bool]:
    """The pass as sentences, and whether it could do all of them."""
    lines: list[str] = []
    works = True
    usable = set()
    for target in config.targets:
        try:
            target.ready()
            usable.add(target.name)
        except (Unavailable, Misconfigured) as error:
            lines.append(f"target {target.name} cannot be used: {error}")
    waiting: list[Entry] = []
    if config.ledger.exists():
        with Ledger.read(config.ledger) as ledger:
            waiting = ledger.unfinished()
    for entry in waiting:
        lines += _steps(entry, [target.name for target in config.targets], usable)
    if len(usable) < len(config.targets):
        lines.append("the feed would be left alone until every target can be used")
        works = False
    try:
        FeedClient(config.feed).ready()
        lines.append("the feed answers; what it holds cannot be seen without claiming it")
        if works:
            names = ", ".join(target.name for target in config.targets)
            lines.append(f"each item would be pulled, published on {names} and confirmed")
    except (Unavailable, Misconfigured) as error:
        lines.append(f"the feed: {error}")
        works = False
    return lines, works


def _steps(entry: Entry, targets: list[str], usable: set[str]) -> list[str]:
    steps = []
    if entry.state is Item.OPEN:
        states = {delivery.target: delivery.state for delivery in entry.deliveries}
        for name in targets:
            state = states.get(name, Delivery.RECEIVED)
            if state not in SETTLED:
                verb = "would be published on" if name in usable else "would wait for"
                steps.append(f"{entry.id} ({state} so far) {verb} {name}")
    answer = "rejected" if entry.state is Item.REJECTING else "confirmed once it is published"
    return [*steps, f"{entry.id} would be {answer}"]
