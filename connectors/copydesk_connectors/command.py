"""What the commands share: their options, and errors as sentences without secrets."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from copydesk_connectors import config as configuration
from copydesk_connectors import log
from copydesk_connectors.config import Config
from copydesk_connectors.errors import ConnectorError
from copydesk_connectors.log import Redactor

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


@contextmanager
def loaded(file: Path, *, json_logs: bool = False) -> Iterator[tuple[Config, Redactor]]:
    """The configuration, with logging set up and every error made a sentence without secrets."""
    with errors_as_sentences():
        config = configuration.load(file)
        redact = Redactor(config.secrets)
        log.configure(redact, as_json=json_logs)
        with errors_as_sentences(redact):
            yield config, redact


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
