"""What the commands share: options, a check, a pass, and errors as one sentence without secrets."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from copydesk_connectors.cli import config as configuration
from copydesk_connectors.cli import reports
from copydesk_connectors.cli.config import Config
from copydesk_connectors.engine import log
from copydesk_connectors.engine.courier import Courier, Outcome
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.poller import Stop
from copydesk_connectors.target.base import Finding
from copydesk_connectors.target.errors import ConnectorError

config_option = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("copydesk.toml"),
    show_default=True,
    help="The configuration file.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@contextmanager
def loaded(file: Path) -> Iterator[Config]:
    """Load the configuration, set up logging, and report every error as one sentence."""
    with errors_as_sentences():
        config = configuration.load(file)
        log.configure(config.redact)
        with errors_as_sentences(config.redact):
            yield config


def checked(file: Path, *, as_json: bool = False) -> list[Finding]:
    """Print and return what ``check`` finds."""
    with loaded(file) as config:
        found = reports.findings(config)
        lines = [json.dumps([asdict(finding) for finding in found], indent=2)]
        for line in lines if as_json else reports.finding_lines(found):
            click.echo(config.redact(line))
    return found


@contextmanager
def passes(file: Path) -> Iterator[tuple[Config, Stop, Callable[..., Outcome]]]:
    """Yield the configuration, the request to stop and ``Courier.once``."""
    with loaded(file) as config:
        for warning in config.warnings:
            log.logger.warning("%s", warning)
        stop = Stop()
        stop.listen()
        feeds = [FeedClient(feed) for feed in config.feeds]
        with Ledger.open(config.ledger) as ledger:
            courier = Courier(feeds, ledger, config.targets, stop, config.parallel, config.routing)
            yield config, stop, courier.once


@contextmanager
def errors_as_sentences(redact: Callable[[str], str] = str) -> Iterator[None]:
    """Report an error that leaves the block as one sentence, and exit."""
    try:
        yield
    except ConnectorError as error:
        raise click.ClickException(redact(str(error))) from None
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception:  # noqa: BLE001 - a bare traceback would show secrets
        log.logger.exception("internal error; please report it")
        sys.exit(1)
