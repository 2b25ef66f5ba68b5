"""What the commands print: the findings of ``check``, a preview of a pass, the ledger."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from copydesk_connectors.cli.config import Config
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Delivery, Entry, Ledger
from copydesk_connectors.engine.states import NOT_PUT, SETTLED, DeliveryState, Held, ItemState
from copydesk_connectors.engine.write_check import try_writing
from copydesk_connectors.target.base import Finding, Level
from copydesk_connectors.target.errors import LedgerError, Misconfigured, Unavailable

_LEVELS = {Level.OK: "ok     ", Level.WARNING: "WARNING", Level.PROBLEM: "PROBLEM"}
_COLUMNS = ("RECEIVED", "ITEM", "TITLE", "STATE", "TARGET", "THERE", "URL OR REASON")
_TITLE_LENGTH = 40
_SHOWN = 2_000


def findings(
    config: Config, tell: Callable[[str], None] = lambda _: None, *, write: bool = False
) -> list[Finding]:
    """Return every finding, those of the configuration first. Pulls nothing.

    Args:
        tell: is called with the name of each part before it is checked.
        write: also write a draft to each usable target and remove it. Else nothing is changed.
    """
    tell("the feed")
    found = [Finding(Level.WARNING, "configuration", warning) for warning in config.warnings]
    found += [_feed(config), _ledger(config)]
    for target in config.targets:
        tell(target.name)
        of_target = list(target.check())
        if write and not has_problem(of_target):
            of_target.append(try_writing(target))
        found += of_target
    return found


def finding_lines(found: Sequence[Finding]) -> list[str]:
    """Return the findings as lines of text."""
    lines = []
    for finding in found:
        lines.append(f"{_LEVELS[finding.level]} {finding.subject}: {finding.message}")
        if finding.fix:
            lines.append(f"        to fix it: {finding.fix}")
    return lines


def has_problem(found: Sequence[Finding]) -> bool:
    """Return whether a problem must be fixed before posts can be published."""
    return any(finding.level is Level.PROBLEM for finding in found)


def _feed(config: Config) -> Finding:
    try:
        FeedClient(config.feed).ready()
    except (Misconfigured, Unavailable) as error:
        fix = "check the address, and whether this machine can reach its host"
        return Finding.of_error("feed", error, fix)
    return Finding(Level.OK, "feed", "answers and knows the token; nothing was claimed")


def _ledger(config: Config) -> Finding:
    if not config.ledger.exists():
        if config.ledger.parent.is_dir():
            return Finding(Level.OK, "ledger", f"{config.ledger} will be created")
        return Finding(
            Level.PROBLEM,
            "ledger",
            f"the folder {config.ledger.parent} does not exist",
            f"create it (mkdir -p {config.ledger.parent}) or correct [ledger] path",
        )
    try:
        with Ledger.read(config.ledger) as ledger:
            waiting = len(ledger.unfinished())
    except LedgerError as error:
        return Finding.of_error("ledger", error, "correct [ledger] path")
    return Finding(Level.OK, "ledger", f"{config.ledger}, {waiting} items unfinished")


def preview(config: Config) -> tuple[list[str], bool]:
    """Return the pass as sentences, and whether all of it would succeed."""
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
        lines.append("no new posts would be taken from the feed until every target can be used")
        works = False
    try:
        FeedClient(config.feed).ready()
        lines.append("the feed answers; its items cannot be listed without claiming them")
        if works:
            names = ", ".join(target.name for target in config.targets)
            lines.append(f"each item would be pulled, published on {names} and confirmed")
    except (Unavailable, Misconfigured) as error:
        lines.append(f"the feed: {error}")
        works = False
    return lines, works


def _steps(entry: Entry, targets: list[str], usable: set[str]) -> list[str]:
    steps = []
    if entry.state is ItemState.OPEN:
        states = {delivery.target: delivery.state for delivery in entry.deliveries}
        for name in targets:
            state = states.get(name, DeliveryState.RECEIVED)
            if state not in SETTLED:
                verb = "would be published on" if name in usable else "would wait for"
                steps.append(f"{entry.id} ({state} so far) {verb} {name}")
    answer = "rejected" if entry.state is ItemState.REJECTING else "confirmed once it is published"
    return [*steps, f"{entry.id} would be {answer}"]


def entry_as_json(entry: Entry) -> dict[str, Any]:
    """Return the item and its deliveries, with the title instead of the whole post."""
    row = {key: value for key, value in asdict(entry).items() if key not in {"id", "raw"}}
    for shown, delivery in zip(row["deliveries"], entry.deliveries, strict=True):
        shown["state"] = delivery.state.label
    return {"item_id": entry.id, "title": _title(entry), **row}


def ledger_table(entries: Sequence[Entry]) -> str:
    """Return the items as a table, one line a delivery."""
    rows = [_COLUMNS]
    for entry in entries:
        received = entry.received_at[:16].replace("T", " ")
        item = (received, entry.id, _shortened(_title(entry)), entry.state.value)
        lines = [(d.target, _there(d), d.url or d.reason) for d in entry.deliveries]
        if entry.reason or not lines:
            lines.append(("", "", entry.reason))
        rows += [(*item, *lines[0]), *(("", "", "", "", *line) for line in lines[1:])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    if any(delivery.state in NOT_PUT for entry in entries for delivery in entry.deliveries):
        table.append("to retry a refused or parked item: copydesk-connect retry ITEM")
    return "\n".join(table)


def _there(delivery: Delivery) -> str:
    return "held" if delivery.held == Held.REFUSED else delivery.state.label


def _title(entry: Entry) -> str:
    post = entry.raw.get("post")
    title = post.get("title") if isinstance(post, Mapping) else ""
    # An invalid item may have anything there, and the table is for a terminal.
    return " ".join(title[:_SHOWN].split()) if isinstance(title, str) else ""


def _shortened(title: str) -> str:
    return title if len(title) <= _TITLE_LENGTH else f"{title[: _TITLE_LENGTH - 1]}…"
