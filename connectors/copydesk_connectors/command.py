"""What the commands share: their options, and errors as sentences without secrets."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from copydesk_connectors import config as configuration
from copydesk_connectors import log
from copydesk_connectors.config import Config
from copydesk_connectors.errors import ConnectorError
from copydesk_connectors.findings import findings
from copydesk_connectors.log import Redactor
from copydesk_connectors.progress import StatusLine, busy, status_line
from copydesk_connectors.publisher import Finding

config_option = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("copydesk.toml"),
    show_default=True,
    help="The configuration file.",
)
json_logs_option = click.option(
    "--json-logs", is_flag=True, help="Write progress as JSON, one object a line."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@dataclass(frozen=True)
class Session:
    """What a command works with: the configuration, what strikes its secrets out, and the line of
    the terminal that shows progress."""

    config: Config
    redact: Redactor
    line: StatusLine | None


@contextmanager
def loaded(file: Path, *, json_logs: bool = False) -> Iterator[Session]:
    """The configuration, with logging set up and every error made a sentence without secrets."""
    with errors_as_sentences():
        config = configuration.load(file)
        redact, line = Redactor(config.secrets), status_line(as_json=json_logs)
        log.configure(redact, as_json=json_logs, line=line)
        with errors_as_sentences(redact):
            yield Session(config, redact, line)


def look(session: Session) -> list[Finding]:
    """What ``check`` finds; says what it waits for."""
    looked_at = ["the configuration"]
    with busy(lambda: f"looking at {looked_at[-1]}", session.line):
        return findings(session.config, looked_at.append)


@contextmanager
def errors_as_sentences(redact: Callable[[str], str] = str) -> Iterator[None]:
    """End the process with one sentence where an error leaves the block."""
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
