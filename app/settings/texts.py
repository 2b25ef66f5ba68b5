"""Settings as texts: of variables, of the files that they name, and of `copydesk.toml`."""

import os
import stat
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from app.core.errors import OperatorError

_OWN = "COPYDESK_"
# The SDK and the connectors read these. They are ignored here instead of rejected as unknown.
_OTHERS = frozenset(
    f"{_OWN}{name}" for name in ("API_KEY", "BASE_URL", "FEED_URL", "PROXY", "WEBHOOK_SECRET")
)
# NAME_FILE names a file that contains the value of the secret setting NAME.
_FILE = "_FILE"
_MAX_BYTES = 64 * 1024


class SettingsError(OperatorError):
    """A setting is invalid. The message names it and says what is allowed.

    Args:
        name: that of the setting, "" if several do not go together.
    """

    exit_code = 2

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class _Missing(SettingsError):
    """A file does not exist."""


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return name.upper() if name.startswith("openai_") else _OWN + name.upper()


def of_variables(
    env: Mapping[str, str], names: Iterable[str], secret: Iterable[str]
) -> dict[str, str]:
    """Return the texts of an environment by the names of their settings, without empty ones.

    Args:
        names: all settings.
        secret: the variables that a file can stand for.

    Raises:
        SettingsError: The name of a COPYDESK_ variable is unknown, or the file of a secret cannot
            be used.
    """
    name_of = {variable(name): name for name in names}
    file_of = {f"{key}{_FILE}": key for key in secret}
    found = {}
    for key, text in sorted(env.items()):
        if key in name_of and text:
            found[name_of[key]] = text
        elif key in file_of and text:
            if env.get(file_of[key]):
                raise SettingsError(f"{key}: {file_of[key]} is set as well; set only one of them")
            found[name_of[file_of[key]]] = _secret_in(Path(text), key)
        elif key.startswith(_OWN) and key not in {*name_of, *file_of, *_OTHERS}:
            raise SettingsError(f"{key} {_unknown(key, (*name_of, *file_of))}")
    return found


def of_file(values: Mapping[str, object], names: Iterable[str]) -> dict[str, str]:
    """Return the values of a settings file as their variables have them, without empty ones.

    Raises:
        SettingsError: A name is not among ``names``, which the file can have.
    """
    for name in values:
        if name == "data_dir":
            raise SettingsError("data_dir cannot be set in this file; set COPYDESK_DATA_DIR")
        if name not in names:
            likely = name.lower().removeprefix(_OWN.lower())
            raise SettingsError(f"{name} {_unknown(likely, names)}")
    return {name: text for name, value in values.items() if (text := as_text(value))}


def as_text(value: object) -> str:
    """Return a value as its variable has it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def of_toml(file: Path, secret: Iterable[str]) -> dict[str, object]:
    """Return the values of a settings file by their names; none if there is no file.

    Args:
        secret: the variables of the secret settings.

    Raises:
        SettingsError: It cannot be read, is not TOML, or everybody can read the secrets in it.
    """
    try:
        text, is_public = _read(file)
        values = tomllib.loads(text)
    except _Missing:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is not TOML: {error}") from None
    if is_public and not set(map(variable, values)).isdisjoint(secret):
        raise SettingsError(_too_open(file))
    return values


def _secret_in(file: Path, key: str) -> str:
    """Return the text of the file that a variable names, without white space around it."""
    try:
        text, is_public = _read(file)
    except SettingsError as error:
        raise SettingsError(f"{key}: {error}") from None
    if is_public:
        raise SettingsError(f"{key}: {_too_open(file)}")
    if not (text := text.strip()):
        raise SettingsError(f"{key}: {file} must contain the value")
    return text


def _read(file: Path) -> tuple[str, bool]:
    """Return the text of a file, and whether every user of the machine can read it."""
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            content = opened.read(_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise _Missing(f"{file} does not exist") from None
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from None
    if len(content) > _MAX_BYTES:
        raise SettingsError(f"{file} must have at most 64 KiB")
    try:
        return content.decode(), bool(mode & stat.S_IROTH)
    except UnicodeDecodeError:
        raise SettingsError(f"{file} is not text in UTF-8") from None


def _too_open(file: Path) -> str:
    return f"every user of this machine can read {file}; run `chmod o= {file}`"


def _unknown(name: str, known: Iterable[str]) -> str:
    # The beginning that they share would make any two names alike.
    plain = {each.lower().removeprefix("copydesk_"): each for each in known}
    close = get_close_matches(name.lower().removeprefix("copydesk_"), plain, n=1, cutoff=0.75)
    return "is not a setting of Copydesk" + (f"; did you mean {plain[close[0]]}?" if close else "")
