"""The command copydesk-connect."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import click

from copydesk_connectors import config as configuration
from copydesk_connectors import log, preview, status_table
from copydesk_connectors.by_hand_commands import forget, retry
from copydesk_connectors.command import (
    Session,
    config_option,
    errors_as_sentences,
    json_logs_option,
    json_option,
    loaded,
    look,
)
from copydesk_connectors.companion_command import companion
from copydesk_connectors.config import Config
from copydesk_connectors.courier import Courier, Outcome
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.findings import as_lines, has_problem
from copydesk_connectors.init_command import init
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.poller import Stop, poll
from copydesk_connectors.progress import busy

_dry_run = click.option(
    "--dry-run", is_flag=True, help="Say what a pass would do; claim and change nothing."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="copydesk-connectors")
def cli() -> None:
    """Put the posts of a Copydesk feed on your sites, each exactly once.

    Progress goes to standard error, results to standard output.
    """


@cli.command()
@config_option
@json_option
def check(file: Path, *, as_json: bool) -> None:
    """Look at the configuration, the feed and every target; change and claim nothing."""
    with loaded(file) as session:
        found, redact = look(session), session.redact
        if as_json:
            click.echo(redact(json.dumps([asdict(finding) for finding in found], indent=2)))
        for line in () if as_json else as_lines(found):
            click.echo(redact(line))
    if has_problem(found):
        sys.exit(1)


@cli.command()
@config_option
@_dry_run
@json_logs_option
def once(file: Path, *, dry_run: bool, json_logs: bool) -> None:
    """Make one pass; end with 0 when all that was pulled is published and confirmed."""
    with loaded(file, json_logs=json_logs) as session:
        _warn(session.config)
        if dry_run:
            _say_what_would_be_done(session)
        stop = Stop()
        stop.listen()
        with _courier(session.config, stop) as courier, busy(courier.progress, session.line):
            outcome = courier.once()
        click.echo(session.redact(_summary(outcome)))
    if outcome.problems:
        sys.exit(1)


@cli.command()
@config_option
@_dry_run
@json_logs_option
def run(file: Path, *, dry_run: bool, json_logs: bool) -> None:
    """Make a pass every 15 minutes (poll_minutes) until SIGTERM, which ends between two steps."""
    with loaded(file, json_logs=json_logs) as session:
        _warn(session.config)
        if dry_run:
            _say_what_would_be_done(session)
        stop = Stop()
        stop.listen()
        with _courier(session.config, stop) as courier:

            def one_pass() -> Outcome:
                with busy(courier.progress, session.line):
                    return courier.once()

            poll(one_pass, session.config.feed.poll_minutes * 60, stop)


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
    """Show what the ledger knows: each item, and how far it got on each target."""
    with errors_as_sentences():
        with Ledger.read(configuration.ledger_path(file)) as ledger:
            entries = ledger.newest(last)
        if as_json:
            click.echo(json.dumps([status_table.as_json(entry) for entry in entries], indent=2))
        else:
            click.echo(status_table.as_table(entries))


for _command in (init, retry, forget, companion):
    cli.add_command(_command)


def main() -> None:
    """The entry point."""
    cli(prog_name="copydesk-connect")


@contextmanager
def _courier(config: Config, stop: Stop) -> Iterator[Courier]:
    with Ledger.open(config.ledger) as ledger:
        feed = FeedClient(config.feed)
        yield Courier(feed, ledger, config.targets, stop, config.feed.parallel)


def _say_what_would_be_done(session: Session) -> NoReturn:
    with busy(lambda: "looking at the feed and the targets", session.line):
        lines, would_work = preview.preview(session.config)
    for line in lines:
        click.echo(session.redact(line))
    sys.exit(0 if would_work else 1)


def _warn(config: Config) -> None:
    for warning in config.warnings:
        log.logger.warning("%s", warning)


def _summary(outcome: Outcome) -> str:
    lines = [f"{outcome.confirmed} published and confirmed"]
    lines += [f"not done: {problem}" for problem in outcome.problems]
    if outcome.unfinished:
        wait = f", in {outcome.retry_after:.0f} s or later" if outcome.retry_after else ""
        lines.append(f"nothing is lost: the next pass carries on from here{wait}")
    return "\n".join(lines)
