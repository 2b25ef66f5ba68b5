"""The command copydesk-connect."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from copydesk_connectors import __version__
from copydesk_connectors.cli import config as configuration
from copydesk_connectors.cli import reports
from copydesk_connectors.cli.init_command import init
from copydesk_connectors.cli.session import (
    Session,
    config_option,
    courier_of,
    errors_as_sentences,
    json_logs_option,
    json_option,
    loaded,
)
from copydesk_connectors.engine import item_actions
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.log import logger
from copydesk_connectors.engine.poller import Stop, poll

_dry_run_pass = click.option(
    "--dry-run", is_flag=True, help="Show what a pass would do; pull and change nothing."
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="copydesk-connect %(version)s")
def cli() -> None:
    """Publish the posts of a Copydesk feed to your sites, each exactly once.

    Progress goes to standard error, results to standard output.
    """


@cli.command()
@config_option
@json_option
def check(file: Path, *, as_json: bool) -> None:
    """Check the configuration, the feed and every target. Changes nothing."""
    with loaded(file) as session:
        found, redact = reports.findings(session.config), session.redact
        if as_json:
            click.echo(redact(json.dumps([asdict(finding) for finding in found], indent=2)))
        for line in () if as_json else reports.finding_lines(found):
            click.echo(redact(line))
    if reports.has_problem(found):
        sys.exit(1)


@cli.command()
@config_option
@_dry_run_pass
@json_logs_option
def once(file: Path, *, dry_run: bool, json_logs: bool) -> None:
    """Make one pass. Exit with 0 only if every target has every post, and the feeds know it."""
    with _passes(file, dry_run=dry_run, json_logs=json_logs) as (session, _, one_pass):
        outcome = one_pass()
        click.echo(session.redact("\n".join(reports.summary(outcome))))
    if outcome.problems:
        sys.exit(1)


@cli.command()
@config_option
@_dry_run_pass
@json_logs_option
def run(file: Path, *, dry_run: bool, json_logs: bool) -> None:
    """Make a pass every 15 minutes (poll_minutes), until SIGTERM."""
    with _passes(file, dry_run=dry_run, json_logs=json_logs) as (session, stop, one_pass):
        poll(one_pass, session.config.poll_minutes * 60, stop)


@cli.command()
@config_option
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Show the newest N items.",
)
@json_option
def status(file: Path, *, last: int, as_json: bool) -> None:
    """Show each item in the ledger, its state on each target, and how many posts wait there.

    The states are those that the connector saw last. Needs no secret.
    """
    with errors_as_sentences(), Ledger.read(configuration.ledger_path(file)) as ledger:
        entries = ledger.newest(last)
        if as_json:
            rows = [reports.entry_as_json(entry) for entry in entries]
            click.echo(json.dumps(rows, indent=2))
            return
        click.echo(reports.ledger_table(entries))
        for line in reports.backlog_lines(ledger.backlogs()):
            click.echo(line)


@cli.command()
def schema() -> None:
    """Print the JSON Schema of the configuration, for editors."""
    # Imported here: no other command waits for it.
    from copydesk_connectors.cli import reference

    click.echo(json.dumps(reference.schema(), indent=2))


@cli.command()
@click.argument("item", required=False)
@config_option
@_dry_run
def retry(item: str | None, file: Path, *, dry_run: bool) -> None:
    """Retry ITEM, or every item that a target refused or that is parked.

    With ITEM, also a post that you deleted on the site.
    """
    with _ledger(file, dry_run=dry_run) as ledger:
        entries = item_actions.to_retry(ledger, item)
        for entry in entries:
            names = ", ".join(item_actions.targets_to_retry(entry)) or "the targets of its route"
            verb = "would be" if dry_run else "will be"
            click.echo(f"{entry.id} {verb} retried on {names}; {item_actions.feeds_view(entry)}")
        if not entries:
            click.echo("nothing is refused or parked")
        elif not dry_run:
            item_actions.retry(ledger, entries)
            click.echo("the next `copydesk-connect once` or `run` publishes it")


@cli.command()
@click.argument("item")
@config_option
@_dry_run
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(item: str, file: Path, *, dry_run: bool, yes: bool) -> None:
    """Stop retrying ITEM. No site is changed."""
    with _ledger(file, dry_run=dry_run) as ledger:
        entry = item_actions.chosen(ledger, item)
        for line in item_actions.places(entry):
            click.echo(line)
        item_actions.need_unended(entry)
        if dry_run:
            click.echo(f"{item} would be forgotten; no site would change")
            return
        if not yes and not click.confirm(
            f"Forget {item}? No site changes, targets that lack the post will not get it, and the "
            "feed is not told",
            err=True,
        ):
            raise click.ClickException(f"{item} was kept")
        item_actions.forget(ledger, entry)
        click.echo(f"{item} is forgotten; to undo: copydesk-connect retry {item}")


cli.add_command(init)


def main() -> None:
    """Run the command line."""
    cli(prog_name="copydesk-connect")


@contextmanager
def _passes(
    file: Path, *, dry_run: bool, json_logs: bool
) -> Iterator[tuple[Session, Stop, Callable[[], Outcome]]]:
    """Yield the session, the request to stop and a function that makes one pass.

    With ``dry_run``, show what a pass would do, and exit.
    """
    with loaded(file, json_logs=json_logs) as session:
        config = session.config
        for warning in config.warnings:
            logger.warning("%s", warning)
        if dry_run:
            lines, would_work = reports.preview(config)
            for line in lines:
                click.echo(session.redact(line))
            sys.exit(0 if would_work else 1)
        stop = Stop()
        stop.listen()
        with Ledger.open(config.ledger) as ledger:
            yield session, stop, courier_of(config, ledger, stop).once


@contextmanager
def _ledger(file: Path, *, dry_run: bool) -> Iterator[Ledger]:
    """Open the ledger named in the file. Without ``dry_run`` this process is its only writer."""
    with errors_as_sentences():
        path = configuration.ledger_path(file)
        # Reading never creates the file: it fails if there is no ledger.
        with Ledger.read(path) as ledger:
            if dry_run:
                yield ledger
                return
        with Ledger.open(path) as ledger:
            yield ledger
