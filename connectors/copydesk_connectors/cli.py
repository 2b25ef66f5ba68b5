"""The command copydesk-connect."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from copydesk_connectors import config as configuration
from copydesk_connectors import log, preview, status_table
from copydesk_connectors.config import Config
from copydesk_connectors.courier import Courier, Outcome
from copydesk_connectors.errors import ConnectorError
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.findings import findings
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.log import Redactor
from copydesk_connectors.poller import Stop, poll
from copydesk_connectors.publisher import Level

_LEVELS = {Level.OK: "ok     ", Level.WARNING: "WARNING", Level.PROBLEM: "PROBLEM"}

_config = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("copydesk.toml"),
    show_default=True,
    help="The configuration file.",
)
_json_logs = click.option(
    "--json-logs", is_flag=True, help="Write progress as JSON, one object a line."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="copydesk-connectors")
def cli() -> None:
    """Put the posts of a Copydesk feed on your sites, each exactly once.

    Progress goes to standard error, results to standard output.
    """


@cli.command()
@_config
@_json
def check(file: Path, *, as_json: bool) -> None:
    """Look at the configuration, the feed and every target; change and claim nothing."""
    with _loaded(file) as (config, redact):
        found = findings(config)
        if as_json:
            click.echo(redact(json.dumps([asdict(finding) for finding in found], indent=2)))
        for finding in () if as_json else found:
            click.echo(redact(f"{_LEVELS[finding.level]} {finding.subject}: {finding.message}"))
            if finding.fix:
                click.echo(redact(f"        to fix it: {finding.fix}"))
    if any(finding.level is Level.PROBLEM for finding in found):
        sys.exit(1)


@cli.command()
@_config
@click.option("--dry-run", is_flag=True, help="Say what would be done; claim and change nothing.")
@_json_logs
def once(file: Path, *, dry_run: bool, json_logs: bool) -> None:
    """Make one pass; end with 0 when all that was pulled is published and confirmed."""
    with _loaded(file, json_logs=json_logs) as (config, redact):
        _warn(config)
        if dry_run:
            lines, would_work = preview.preview(config)
            for line in lines:
                click.echo(redact(line))
            sys.exit(0 if would_work else 1)
        stop = Stop()
        stop.listen()
        with _courier(config, stop) as courier:
            outcome = courier.once()
        click.echo(redact(_summary(outcome)))
    if outcome.problems:
        sys.exit(1)


@cli.command()
@_config
@_json_logs
def run(file: Path, *, json_logs: bool) -> None:
    """Make a pass every 15 minutes (poll_minutes) until SIGTERM, which ends between two steps."""
    with _loaded(file, json_logs=json_logs) as (config, _):
        _warn(config)
        stop = Stop()
        stop.listen()
        with _courier(config, stop) as courier:
            poll(courier.once, config.feed.poll_minutes * 60, stop)


@cli.command()
@_config
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Show the newest N items.",
)
@_json
def status(file: Path, *, last: int, as_json: bool) -> None:
    """Show what the ledger knows: each item, and how far it got on each target."""
    with _errors_as_sentences():
        with Ledger.read(configuration.ledger_path(file)) as ledger:
            entries = ledger.newest(last)
        if as_json:
            click.echo(json.dumps([status_table.as_json(entry) for entry in entries], indent=2))
        else:
            click.echo(status_table.as_table(entries))


def main() -> None:
    """The entry point."""
    cli(prog_name="copydesk-connect")


@contextmanager
def _loaded(file: Path, *, json_logs: bool = False) -> Iterator[tuple[Config, Redactor]]:
    """The configuration, with logging set up and every error made a sentence without secrets."""
    with _errors_as_sentences():
        config = configuration.load(file)
        redact = Redactor(config.secrets)
        log.configure(redact, as_json=json_logs)
        with _errors_as_sentences(redact):
            yield config, redact


@contextmanager
def _errors_as_sentences(redact: Callable[[str], str] = str) -> Iterator[None]:
    try:
        yield
    except ConnectorError as error:
        raise click.ClickException(redact(str(error))) from None
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception:  # noqa: BLE001
        # A fault of this program. The log strikes the secrets out; a bare traceback would not.
        log.logger.exception("internal error; please report it")
        sys.exit(1)


@contextmanager
def _courier(config: Config, stop: Stop) -> Iterator[Courier]:
    with Ledger.open(config.ledger) as ledger:
        feed = FeedClient(config.feed)
        yield Courier(feed, ledger, config.targets, stop, config.feed.parallel)


def _warn(config: Config) -> None:
    for warning in config.warnings:
        log.logger.warning("%s", warning)


def _summary(outcome: Outcome) -> str:
    lines = [f"{outcome.confirmed} published and confirmed"]
    lines += [f"not done: {problem}" for problem in outcome.problems]
    return "\n".join(lines)
