"""The command copydesk-connect."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from copydesk_connectors import __version__
from copydesk_connectors.cli import config as configuration
from copydesk_connectors.cli import reports
from copydesk_connectors.cli.init_command import init
from copydesk_connectors.cli.session import (
    checked,
    config_option,
    errors_as_sentences,
    json_option,
    passes,
)
from copydesk_connectors.engine import item_actions
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.poller import poll


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
    if reports.has_problem(checked(file, as_json=as_json)):
        sys.exit(1)


@cli.command()
@config_option
def once(file: Path) -> None:
    """Make one pass. Exit with 0 only if every target has every post, and the feeds know it."""
    with passes(file) as (config, _, one_pass):
        outcome = one_pass()
        click.echo(config.redact("\n".join(reports.summary(outcome))))
    if outcome.problems:
        sys.exit(1)


@cli.command()
@config_option
def run(file: Path) -> None:
    """Make a pass every 15 minutes (poll_minutes), until SIGTERM."""
    with passes(file) as (config, stop, one_pass):
        poll(one_pass, config.poll_minutes * 60, stop)


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
    """Show the newest items, their states, and how many posts wait.

    The states of an item on each target are those that the connector saw last. Needs no secret.
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
@click.argument("item", required=False)
@config_option
def retry(item: str | None, file: Path) -> None:
    """Retry ITEM, or every item that a target refused or that is parked.

    With ITEM, also a post that you deleted on the site.
    """
    with _ledger(file) as ledger:
        entries = item_actions.to_retry(ledger, item)
        for entry in entries:
            names = ", ".join(item_actions.targets_to_retry(entry)) or "the targets of its route"
            click.echo(f"{entry.id} will be retried on {names}; {item_actions.feeds_view(entry)}")
        if not entries:
            click.echo("nothing is refused or parked")
        else:
            item_actions.retry(ledger, entries)
            click.echo("the next `copydesk-connect once` or `run` publishes it")


@cli.command()
@click.argument("item")
@config_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(item: str, file: Path, *, yes: bool) -> None:
    """Stop retrying ITEM. No site is changed."""
    with _ledger(file) as ledger:
        entry = item_actions.chosen(ledger, item)
        item_actions.need_unended(entry)
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
def _ledger(file: Path) -> Iterator[Ledger]:
    """Open the ledger named in the file, as its only writer."""
    with errors_as_sentences():
        path = configuration.ledger_path(file)
        Ledger.read(path).close()  # opening it to write would create it
        with Ledger.open(path) as ledger:
            yield ledger
