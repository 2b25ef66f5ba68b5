"""The files that ``init`` writes: the configuration, and beside it a file for each secret.

They are written under temporary names, read as the connector reads them, and only then moved into
place, the configuration last.
"""

import json
import os
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from copydesk_connectors.cli import config
from copydesk_connectors.target.errors import ConfigError

Value = str | bool | list[str]
_HEAD = "# Made by `copydesk-connect init`. `copydesk-connect check` says what is wrong with it.\n"


@dataclass
class Plan:
    """The files to write. ``secrets`` has the values of secrets by their file names."""

    file: Path
    feed: dict[str, Value] = field(default_factory=dict)
    targets: list[dict[str, Value]] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)

    def add_secret(self, table: dict[str, Value], key: str, name: str, value: str) -> None:
        """Store a secret in its own file, and the name of the file in a table."""
        table[f"{key}_file"] = name
        self.secrets[name] = value

    @classmethod
    def of(cls, file: Path) -> Self | None:
        """Return the plan of a file as ``init`` wrote it; None if it was edited or is another's."""
        try:
            text = file.read_text(encoding="utf-8")
            data = tomllib.loads(text) if text.startswith(_HEAD) else {}
            plan = cls(file, data.get("feed", {}), data.get("target", []))
            return plan if data and plan.text() == text else None
        except (OSError, ValueError):
            return None

    def problem(self) -> ConfigError | None:
        """Return the first thing that is wrong, if anything is; see ``try_out``."""
        try:
            self.try_out()
        except ConfigError as error:
            return error
        return None

    def paths(self) -> list[Path]:
        """Return the files to write."""
        return [self.file, *(self.file.parent / name for name in self.secrets)]

    def text(self, prefix: str = "") -> str:
        """Return the configuration, with ``prefix`` before the names of secret files."""
        tables = [("[feed]", self.feed), *(("[[target]]", target) for target in self.targets)]
        return _HEAD + "".join(f"\n{head}\n{self._lines(t, prefix)}" for head, t in tables)

    def _lines(self, table: Mapping[str, Value], prefix: str) -> str:
        return "".join(
            f"{key} = {_toml(prefix + value if value in self.secrets else value)}\n"
            if isinstance(value, str)
            else f"{key} = {_toml(value)}\n"
            for key, value in table.items()
        )

    def try_out(self) -> None:
        """Read the files as the connector will, without keeping them.

        Raises:
            ConfigError: a value is wrong, or the files cannot be written there.
        """
        with self._staged():
            pass

    def write(self) -> None:
        """Write all files.

        Raises:
            ConfigError: as ``try_out``; then nothing was changed.
        """
        with self._staged() as prefix:
            for name in self.secrets:
                (self.file.parent / f"{prefix}{name}").replace(self.file.parent / name)
            (self.file.parent / f"{prefix}final").replace(self.file)

    @contextmanager
    def _staged(self) -> Iterator[str]:
        folder, prefix = self.file.parent, f".copydesk-init-{secrets.token_hex(4)}-"
        trial = folder / f"{prefix}trial"
        texts = {trial.name: self.text(prefix), f"{prefix}final": self.text()}
        texts |= {f"{prefix}{name}": f"{value}\n" for name, value in self.secrets.items()}
        try:
            for name, text in texts.items():
                _write_private(folder / name, text)
            config.load(trial)
            yield prefix
        except OSError as error:
            raise ConfigError(f"{folder}: cannot be written to: {error.strerror}") from None
        except ConfigError as error:
            told = str(error).replace(str(trial), str(self.file)).replace(prefix, "")
            raise ConfigError(told, error.key) from None
        finally:
            for name in texts:
                (folder / name).unlink(missing_ok=True)


def _write_private(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


def _toml(value: Value) -> str:
    # JSON texts, lists and booleans are valid TOML, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
