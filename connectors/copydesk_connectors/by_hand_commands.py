"""The commands ``retry`` and ``forget``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from copydesk_connectors import by_hand, config
from copydesk_connectors.command import config_option, errors_as_sentences
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.states import NOT_PUT

_dry_run = click.option("--dry-run", is_flag=True, help="Say what would be done; change nothing.")


@click.command()
@click.argument("item", required=False)
@config_option
@_dry_run
def retry(item: str | None, file: Path, *, dry_run: bool) -> None:
    """Take up again what a target refused, or what was set aside: ITEM, or all of it."""
    with _ledger(file, dry_run=dry_run) as ledger:
        entries = by_hand.to_retry(ledger, item)
        for entry in entries:
            names = ", ".join(d.target for d in entry.deliveries if d.state in NOT_PUT)
            verb = "would be" if dry_run else "is"
            click.echo(f"{entry.id} {verb} tried again on {names}; {by_hand.feeds_view(entry)}")
        if not entries:
            click.echo("nothing was refused or set aside")
        elif not dry_run:
            by_hand.retry(ledger, entries)
            click.echo("the next `copydesk-connect once` or `run` does it")


@click.command()
@click.argument("item")
@config_option
@_dry_run
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(item: str, file: Path, *, dry_run: bool, yes: bool) -> None:
    """End ITEM in the ledger, so that it is no longer tried; no site is changed."""
    with _ledger(file, dry_run=dry_run) as ledger:
        entry = by_hand.chosen(ledger, item)
        for line in by_hand.places(entry):
            click.echo(line)
        by_hand.need_unended(entry)
        if dry_run:
            click.echo(f"{item} would be forgotten; nothing of it on a site would change")
            return
        if not yes and not click.confirm(
            f"Forget {item}? What is on a site stays there, what is not does not get there, and "
            "the feed is told nothing",
            err=True,
        ):
            raise click.ClickException(f"{item} was kept")
        by_hand.forget(ledger, entry)
        click.echo(f"{item} is forgotten; `copydesk-connect retry {item}` takes it up again")


@contextmanager
def _ledger(file: Path, *, dry_run: bool) -> Iterator[Ledger]:
    """The ledger that the file names; where it is to be changed, this process is its one writer."""
    with errors_as_sentences():
        path = config.ledger_path(file)
        # Never made here: it is looked at first, which says that there is none.
        with Ledger.read(path) as ledger:
            if dry_run:
                yield ledger
                return
        with Ledger.open(path) as ledger:
            yield ledger
