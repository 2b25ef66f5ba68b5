"""What commands share: printing results, asking, and ending with a message."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Literal, NoReturn

import click

from app.core.errors import ValidationFailed

Row = dict[str, Any]
"""An object as a command prints it."""
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")


class Failed(click.ClickException):
    """Ends the command with a message on stderr."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click's is of the class

    def show(self, file: Any = None) -> None:
        click.echo(f"copydesk-server: {self.message}", err=True)


def fail(message: str, *, code: Literal[1, 2] = 1) -> NoReturn:
    """End the command with a message on stderr."""
    raise Failed(message, code)


@contextmanager
def refused_values() -> Iterator[None]:
    """End the command with a usage error if the block refuses a value, and name the option that has
    it, not the member of a request."""
    params = click.get_current_context().command.params
    options = {each.name: each.opts[0] for each in params if isinstance(each, click.Option)}
    # A member in one word is recognized only where errors name it: at their beginning.
    member = re.compile(
        rf"(?:^|\b(?=\w*[A-Z]))(?:constraints\.)?({'|'.join(map(str, options))})\b(?:\[\d+\])?"
    )
    try:
        yield
    except ValidationFailed as error:
        fail(member.sub(lambda found: options[found[1]], error.operator), code=2)


def show(
    result: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    as_json: bool,
    nothing: str = "",
    columns: Sequence[str] = (),
) -> None:
    """Print an object as ``name  value`` lines, or a list of objects as a table.

    A table fits the terminal, or 80 columns if there is none: long texts are wrapped, ids and times
    are not.

    Args:
        as_json: Print JSON instead.
        nothing: What to print if the list is empty.
        columns: The members that a table shows; all by default.
    """
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    elif isinstance(result, Mapping):
        width = max(len(key) for key in result)
        for key, value in result.items():
            click.echo(f"{key:<{width}}  {_cell(value)}")
    elif result:
        _print_table(result, columns or list(result[0]))
    elif nothing:
        click.echo(nothing)


_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z")
# Members that are useless in parts.
_WHOLE = ("Id", "At", "Key", "Secret", "slot")


def _cell(value: Any) -> str:
    """Return a value as text in one line."""
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    elif isinstance(value, bool):
        value = "yes" if value else "no"
    return "" if value is None else " ".join(str(value).split())


def _print_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    # Imported here, because few commands print a table.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for name in columns:
        table.add_column(name, no_wrap=name.endswith(_WHOLE), overflow="fold")
    for row in rows:
        texts = (_TIME.sub(r"\1 \2", _cell(row[name])) for name in columns)
        table.add_row(*map(Text, texts))
    Console().print(table)


def is_terminal() -> bool:
    """Return whether a person can answer."""
    return sys.stdin.isatty()


def confirmed(question: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for commands that cannot be undone. On a terminal, they ask first, unless
    --yes is given. ``question`` may name arguments of the command in braces."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*args: Any, yes: bool, **kwargs: Any) -> Any:
            if not yes and is_terminal():
                # As it was typed, not the id.
                typed = click.get_current_context().params
                click.confirm(question.format_map(typed), abort=True, err=True)
            return function(*args, **kwargs)

        return click.option("--yes", is_flag=True, help="Do not ask on a terminal.")(run)

    return decorate
