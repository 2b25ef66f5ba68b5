"""Reading one TOML table: typed, with errors that say where and what would be right."""

import difflib
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import requests

from copydesk_connectors.errors import ConfigError
from copydesk_connectors.secret import Secret

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Table:
    """One table of the configuration file.

    Every key that is asked for counts as known; ``close`` refuses the rest. ``warnings`` and
    ``secrets`` collect what was met on the way.
    """

    def __init__(self, data: Mapping[str, Any], where: str, file: Path) -> None:
        self.where = where
        self.warnings: list[str] = []
        self.secrets: list[Secret] = []
        self._data = data
        self._file = file
        self._known: set[str] = set()

    def fail(self, key: str, problem: str) -> NoReturn:
        """Refuse the value of ``key``."""
        raise ConfigError(f"{self._file}: {self.where} {key}: {problem}")

    def has(self, key: str) -> bool:
        """Whether the key was written."""
        self._known.add(key)
        return key in self._data

    def text(self, key: str, default: str | None = None) -> str:
        """A text that is not empty; required where there is no default."""
        if not self.has(key):
            if default is None:
                self.fail(key, 'is missing; write it as a text in quotes, such as "…"')
            return default
        value = self._data[key]
        if not isinstance(value, str) or not value.strip():
            self.fail(key, f"must be a text in quotes that is not empty, not {_shown(value)}")
        return value.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty where it was not written."""
        value = self._data[key] if self.has(key) else []
        if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
            self.fail(key, f'must be a list of texts, such as ["a", "b"], not {_shown(value)}')
        return tuple(v.strip() for v in value)

    def choice(self, key: str, allowed: Sequence[str], default: str | None = None) -> str:
        """One of a few words."""
        value = self.text(key, default)
        if value not in allowed:
            self.fail(
                key, f"must be {_either(allowed)}, not {_shown(value)}{_meant(value, allowed)}"
            )
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """true or false."""
        value = self._data[key] if self.has(key) else default
        if not isinstance(value, bool):
            self.fail(key, f"must be true or false without quotes, not {_shown(value)}")
        return value

    def number(self, key: str, *, default: float, least: float) -> float:
        """A number that is at least ``least``."""
        value = self._data[key] if self.has(key) else default
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= least:
            self.fail(key, f"must be a number of {least:g} or more, not {_shown(value)}")
        return float(value)

    def path(self, key: str, default: str | None = None) -> Path:
        """A path; a relative one is relative to the configuration file."""
        return self._file.absolute().parent / Path(self.text(key, default)).expanduser()

    def url(self, key: str, default: str | None = None) -> str:
        """An http or https address without credentials in it; "" where that is the default."""
        value = self.text(key, default) if default != "" or self.has(key) else ""
        if value:
            self._check_url(key, value)
        return value

    def _check_url(self, key: str, value: str) -> None:
        # The value is not shown: it may carry a password.
        try:
            parts = urlsplit(value)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
            credentials = parts.username is not None or parts.password is not None
            _ = parts.port
        except ValueError:
            usable = credentials = False
        if not usable:
            self.fail(key, "must be a full address that begins with https:// (or http://)")
        if not has_possible_host(value):
            self.fail(key, "names a host that cannot exist; see whether it is misspelt")
        if credentials:
            self.fail(key, "must not carry a user name or password; give these under their keys")

    def secret(self, key: str, *, literal: bool) -> Secret:
        """A secret by ``<key>_env``, ``<key>_file`` or, where ``literal`` allows, ``<key>``."""
        offered = [key, f"{key}_env", f"{key}_file"][not literal :]
        if not literal and key in self._data:
            self.fail(key, f"is not kept in this file; use {_either(offered)} in its place")
        given = [name for name in offered if self.has(name)]
        if len(given) != 1:
            problem = "give only one of" if given else "is missing; give one of"
            self.fail(key, f"{problem} {_either(offered)}")
        secret = Secret(self._secret_value(key, given[0]))
        self.secrets.append(secret)
        return secret

    def _secret_value(self, key: str, name: str) -> str:
        if name == key:
            value = self._data[name]
            if not isinstance(value, str) or not value.strip():
                self.fail(name, "must be a text in quotes that is not empty")
            self._warn_if_open(self._file, f"holds a secret ({self.where} {key})")
            return value.strip()
        if name.endswith("_env"):
            variable = self.text(name)
            # Values are not shown below: people put the secret itself where its place belongs.
            if not variable.isidentifier():
                self.fail(name, "must be the name of an environment variable, not its value")
            value = os.environ.get(variable, "").strip()
            if not value:
                self.fail(name, f"the environment variable {variable} is not set")
            return value
        path = self.path(name)
        try:
            value = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            self.fail(name, f"the file that it names cannot be read: {reason}")
        if not value:
            self.fail(name, "the file that it names is empty")
        self._warn_if_open(path, "holds a secret")
        return value

    def _warn_if_open(self, path: Path, what: str) -> None:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            self.warnings.append(f"{path} {what} and others may read it: run chmod 600 {path}")

    def close(self) -> None:
        """Refuse keys that nothing asked for."""
        for key in self._data:
            if key not in self._known:
                known = sorted(self._known)
                self.fail(
                    key, f"is not a setting here{_meant(key, known)}; known: {', '.join(known)}"
                )


def is_loopback(url: str) -> bool:
    """Whether the address stays on this machine."""
    return urlsplit(url).hostname in LOOPBACK


def has_possible_host(url: str) -> bool:
    """Whether there can be a host of the name in an http address: else no request can be made.

    ``requests`` refuses characters that no name has; empty labels and those of more than 63
    characters (RFC 1035, section 2.3.4) it meets as it connects, with an error of urllib3.
    """
    try:
        prepared = requests.Request("GET", url).prepare()
        (urlsplit(str(prepared.url)).hostname or "").encode("idna")
    except (requests.RequestException, ValueError):
        return False
    return True


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))


def _meant(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f'; did you mean "{close[0]}"?' if close else ""
