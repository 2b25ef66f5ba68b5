"""What the commands print: the findings of ``check``, the ledger, the outcome of a pass."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from copydesk_connectors.cli.config import Config
from copydesk_connectors.engine.feed import FeedClient, FeedSettings
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.ledger_file import need_writable
from copydesk_connectors.engine.records import Backlog, Delivery, Entry
from copydesk_connectors.engine.report import Outcome, moment_text
from copydesk_connectors.engine.states import NOT_PUT, DeliveryState, Held
from copydesk_connectors.target.base import CopyState, Finding, Level
from copydesk_connectors.target.errors import LedgerError, Misconfigured, Unavailable

_LEVELS = {Level.OK: "ok     ", Level.WARNING: "WARNING", Level.PROBLEM: "PROBLEM"}
_COLUMNS = ("RECEIVED", "ITEM", "TITLE", "STATE", "TARGET", "THERE", "URL OR REASON")
_TITLE_LENGTH = 40
_SHOWN = 2_000


def findings(config: Config) -> list[Finding]:
    """Return every finding, those of the configuration first. Changes nothing."""
    found = [Finding(Level.WARNING, "configuration", warning) for warning in config.warnings]
    found += [*map(_feed, config.feeds), _ledger(config)]
    for target in config.targets:
        try:
            found += target.check()
        except Exception as error:  # noqa: BLE001 - one target's bug must not hide the others
            problem = f"internal error ({type(error).__name__})"
            found.append(Finding(Level.PROBLEM, target.name, problem, "report it to its makers"))
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


def _feed(settings: FeedSettings) -> Finding:
    try:
        FeedClient(settings).ready()
    except (Misconfigured, Unavailable) as error:
        fix = "check the address, and whether this machine can reach its host"
        return Finding.of_error(settings.name, error, fix)
    return Finding(Level.OK, settings.name, "answers and knows the token; nothing was claimed")


def _ledger(config: Config) -> Finding:
    path, fix = config.ledger, "if it is the wrong file, correct [ledger] path"
    if not path.exists():
        if os.access(path.parent, os.W_OK | os.X_OK):
            return Finding(Level.OK, "ledger", f"{path} will be created")
        problem = f"the folder {path.parent} does not exist, or this user may not write in it"
        return Finding(
            Level.PROBLEM, "ledger", problem, "make it, allow it, or correct [ledger] path"
        )
    try:
        with Ledger.read(path) as ledger:
            waiting, backlogs = len(ledger.unfinished()), ledger.backlogs()
        need_writable(path)
    except LedgerError as error:
        return Finding.of_error("ledger", error, fix)
    known = {target.name for target in config.targets}
    if left := [backlog for backlog in backlogs if backlog.target not in known]:
        problem = f"{'; '.join(backlog_lines(left))}; the configuration has no such target"
        fix = "add it under that name, or drop its posts: copydesk-connect forget ITEM"
        return Finding(Level.WARNING, "ledger", problem, fix)
    return Finding(Level.OK, "ledger", f"{path}, {waiting} items unfinished")


@dataclass(frozen=True)
class Shown:
    """A delivery as its owner reads it.

    ``state`` is draft, pending, scheduled, live, withdrawn, parked, held, or how far the connector
    is. ``about`` is the URL, the time or the reason.
    """

    state: str
    about: str
    url: str
    slot: datetime | None


def shown(delivery: Delivery) -> Shown:
    """Return a delivery as the ledger has it."""
    d = delivery
    if d.held == Held.REFUSED:
        return Shown("held", d.reason, "", d.slot)
    if d.state is DeliveryState.RECEIVED and d.slot is not None:
        about = d.reason or f"{moment_text(d.slot)}, by the connector"
        return Shown(CopyState.SCHEDULED.value, about, "", d.slot)
    if d.state is not DeliveryState.PUBLISHED:
        return Shown(d.state.label, d.reason or d.url, "", None)
    state = d.shown or ("live" if d.url else "published")
    if state == CopyState.SCHEDULED and d.slot is not None:
        hint = "; has passed: look at the site" if d.slot <= datetime.now(UTC) else ""
        return Shown(state, f"{moment_text(d.slot)}{hint}", "", d.slot)
    return Shown(state, d.url or d.reason, d.url, None)


def entry_as_json(entry: Entry) -> dict[str, Any]:
    """Return the item and its deliveries, with the title instead of the whole post."""
    row = {key: value for key, value in asdict(entry).items() if key not in {"id", "raw"}}
    for fields, delivery in zip(row["deliveries"], entry.deliveries, strict=True):
        now = shown(delivery)
        del fields["shown"], fields["slot"]
        slot = now.slot.isoformat().replace("+00:00", "Z") if now.slot else None
        fields |= {"state": now.state, "url": now.url or delivery.url, "scheduled_for": slot}
    return {"item_id": entry.id, "title": _title(entry), **row}


def ledger_table(entries: Sequence[Entry]) -> str:
    """Return the items as a table, one line a delivery."""
    rows = [_COLUMNS]
    for entry in entries:
        received = entry.received_at[:16].replace("T", " ")
        item = (received, entry.id, _shortened(_title(entry)), entry.state.value)
        lines = []
        for delivery in entry.deliveries:
            now = shown(delivery)
            lines.append((delivery.target, now.state, now.about))
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


def summary(outcome: Outcome) -> list[str]:
    """Return the outcome of a pass, as lines."""
    lines = [f"{outcome.confirmed - outcome.hidden} published and confirmed"]
    if outcome.drafts:
        drafts = "a draft" if outcome.drafts == 1 else "drafts"
        lines.append(f"{outcome.drafts} left as {drafts}")
    if outcome.pending:
        lines.append(f"{outcome.pending} left for review")
    if times := outcome.scheduled:
        first = "the first for" if len(times) > 1 else "for"
        lines.append(f"{len(times)} scheduled, {first} {moment_text(times[0])}")
    if outcome.late:
        lines.append(f"{outcome.late} published later on targets that lacked them")
    lines += [f"not done: {problem}" for problem in outcome.problems]
    if outcome.unfinished:
        wait = f", in {outcome.retry_after:.0f} s or later" if outcome.retry_after else ""
        lines.append(f"nothing is lost: the next pass continues from here{wait}")
    return lines


def backlog_lines(backlogs: Sequence[Backlog]) -> list[str]:
    """Return a sentence for each target that lacks posts."""
    lines = []
    for backlog in backlogs:
        posts = "1 post waits" if backlog.posts == 1 else f"{backlog.posts} posts wait"
        since = backlog.since[:16].replace("T", " ")
        lines.append(f"{posts} for {backlog.target}, the oldest since {since}")
    return lines


def _title(entry: Entry) -> str:
    post = entry.raw.get("post")
    title = post.get("title") if isinstance(post, Mapping) else ""
    # An invalid item may have anything there, and the table is for a terminal.
    return " ".join(title[:_SHOWN].split()) if isinstance(title, str) else ""


def _shortened(title: str) -> str:
    return title if len(title) <= _TITLE_LENGTH else f"{title[: _TITLE_LENGTH - 1]}…"
