"""The command ``copydesk``: its entry point, error messages and exit codes."""

import argparse
import io
import itertools
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from copydesk import _commands, _feed_commands, _mcp_commands, _webhook_commands, errors
from copydesk._address import redact_tokens
from copydesk._commands import as_typed, with_options
from copydesk._output import advice, say
from copydesk._version import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit codes: 0 success, 1 failure, 2 usage error."""
    arguments = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Do not lose a post because the terminal cannot show one of its characters.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int | None = arguments.run(arguments)
        sys.stdout.flush()  # here, so that a reader who has gone is noticed here
    except errors.ConfigurationError as error:
        say(f"copydesk: {as_typed(error, arguments)}", sys.stderr)
        return 2
    except errors.CopydeskError as error:
        say(f"copydesk: {with_options(str(error))}; {advice(error)}", sys.stderr)
        return 1
    except BrokenPipeError:
        # Python flushes once more at exit, and would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        say("copydesk: stopped", sys.stderr)
        return 130
    return code or 0


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        # argparse tells of a required option that is missing before one that is misspelt.
        words = itertools.takewhile(lambda word: word != "--", args or ())
        for option in (word.partition("=")[0] for word in words if word.startswith("--")):
            if self._subparsers is None and option not in self._option_string_actions:
                close = get_close_matches(option, self._option_string_actions, n=1)
                hint = f" (did you mean {close[0]}?)" if close else ""
                self.error(f"there is no option {option}{hint}")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        # argparse quotes what it does not understand, and that may be a feed URL.
        super().error(f"{redact_tokens(message)}; see `{self.prog} --help`")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="copydesk",
        description="Write blog posts with Copydesk.",
        epilog="The API key is read from COPYDESK_API_KEY, the feed URL from COPYDESK_FEED_URL, "
        "the secret of webhooks from COPYDESK_WEBHOOK_SECRET. Exit codes: 0 success, 1 failure "
        "(reason on stderr), 2 usage error.",
    )
    parser.add_argument("--version", action="version", version=f"copydesk {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for module in (_commands, _feed_commands, _webhook_commands, _mcp_commands):
        module.add_commands(commands)
    return parser
