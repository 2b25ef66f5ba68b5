"""The settings file as Copydesk writes it: what `init` and the console change."""

import fcntl
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from app.core.errors import OperatorError
from app.settings import Settings
from app.settings.shown import summary, template


def with_file(values: Mapping[str, object], where: str = "") -> Settings:
    """Return the settings with these values in the file, even those that are overridden.

    Raises:
        SettingsError: A value is invalid, as at the start.
    """
    return Settings.from_env(None, values, where, file_first=True)


def change_file(
    changes: Mapping[str, str], use: Callable[[Settings], None] = lambda _: None
) -> None:
    """Write values into the settings file of this process, readable only by its owner; "" removes
    one. Everything else in the file stays as it is. Concurrent changes wait for one another.

    Args:
        use: Gets the settings with the changes. If it raises an error, nothing is written. If the
            file cannot be replaced, it gets the earlier ones again.

    Raises:
        SettingsError: A value is invalid, as at the start. Nothing was written.
        OperatorError: The file cannot be changed. Nothing was written.
    """
    path = Settings.file()
    with _saying(f"{path} cannot be written"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(path.parent):
            text, settings = _changed(path, changes)
            _replace(path, text, partial(use, settings), lambda: use(Settings.load()))


@contextmanager
def _saying(problem: str) -> Iterator[None]:
    """Say what could not be done in the block, and why."""
    try:
        yield
    except OSError as error:
        raise OperatorError(f"{problem}: {error.strerror}.") from None


def _changed(path: Path, changes: Mapping[str, str]) -> tuple[str, Settings]:
    """Return the text of the file with the changes, and what a process reads in it."""
    before = Settings.read(path)
    with_file(before, f"{path}: ")
    with_file({**before, **changes})
    text = path.read_text("utf-8") if path.exists() else template()
    for name, value in changes.items():
        # JSON texts are valid TOML, except for one character.
        line = f"{name} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")
        if value or name in before:
            text = _edited(text, name, line if value else f"#{line}")
    expected = {
        name: value for name, value in {**before, **changes}.items() if changes.get(name) != ""
    }
    if _parsed(text) != expected:
        raise OperatorError(
            f"{path} has a form that Copydesk cannot change. Change it in an editor."
        )
    return text, Settings.from_env(None, expected)


def _replace(
    path: Path, text: str, just_before: Callable[[], None], undo: Callable[[], None]
) -> None:
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(handle)
        with _saying("The service cannot take new settings"):
            just_before()
        try:
            new.replace(path)
        except OSError:  # such as a file that is mounted alone
            undo()
            raise
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder in the block."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _edited(text: str, name: str, line: str) -> str:
    """Return the text of a file with another line for a setting."""
    for begin in ("[ \t]*", "#[ \t]*"):
        edited, number = re.subn(
            rf"^{begin}{name}[ \t]*=.*$", lambda _: line, text, count=1, flags=re.MULTILINE
        )
        if number:
            return edited
    return f"{text.rstrip()}\n\n# {summary(name)}\n{line}\n"


def _parsed(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
