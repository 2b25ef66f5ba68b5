"""What ``check`` reports, over the whole configuration."""

from collections.abc import Callable, Sequence

from copydesk_connectors.config import Config
from copydesk_connectors.errors import LedgerError, Misconfigured, Unavailable
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.publisher import Finding, Level

_LEVELS = {Level.OK: "ok     ", Level.WARNING: "WARNING", Level.PROBLEM: "PROBLEM"}


def findings(config: Config, tell: Callable[[str], None] = lambda _: None) -> list[Finding]:
    """Every finding, the configuration's own first. Changes and claims nothing.

    ``tell`` is called with the name of what is looked at next.
    """
    tell("the feed")
    found = [Finding(Level.WARNING, "configuration", warning) for warning in config.warnings]
    found += [_feed(config), _ledger(config)]
    for target in config.targets:
        tell(target.name)
        found += target.check()
    return found


def as_lines(found: Sequence[Finding]) -> list[str]:
    """The findings as people read them."""
    lines = []
    for finding in found:
        lines.append(f"{_LEVELS[finding.level]} {finding.subject}: {finding.message}")
        if finding.fix:
            lines.append(f"        to fix it: {finding.fix}")
    return lines


def has_problem(found: Sequence[Finding]) -> bool:
    """Whether something has to be mended before posts can go out."""
    return any(finding.level is Level.PROBLEM for finding in found)


def _feed(config: Config) -> Finding:
    try:
        FeedClient(config.feed).ready()
    except Misconfigured as error:
        return Finding(Level.PROBLEM, "feed", str(error.args[0]), error.fix)
    except Unavailable as error:
        fix = "see whether the address is right and its host can be reached from here"
        return Finding(Level.PROBLEM, "feed", str(error), fix)
    return Finding(Level.OK, "feed", "answers and knows the token; nothing was claimed")


def _ledger(config: Config) -> Finding:
    if not config.ledger.exists():
        if config.ledger.parent.is_dir():
            return Finding(Level.OK, "ledger", f"{config.ledger} will be made")
        return Finding(
            Level.PROBLEM,
            "ledger",
            f"the folder {config.ledger.parent} does not exist",
            f"make it (mkdir -p {config.ledger.parent}) or correct [ledger] path",
        )
    try:
        with Ledger.read(config.ledger) as ledger:
            waiting = len(ledger.unfinished())
    except LedgerError as error:
        return Finding(Level.PROBLEM, "ledger", str(error), "correct [ledger] path")
    return Finding(Level.OK, "ledger", f"{config.ledger}, {waiting} items unfinished")
