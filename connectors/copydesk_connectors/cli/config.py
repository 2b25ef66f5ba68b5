"""The configuration: one TOML file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copydesk_connectors.engine.feed import FeedSettings
from copydesk_connectors.target import settings
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import (
    Settings,
    Table,
    is_readable_on_the_way,
    one_of,
    read,
)
from copydesk_connectors.targets import PACKAGES, TARGETS
from copydesk_connectors.targets.registry import TargetSettings


@dataclass(frozen=True, kw_only=True)
class LedgerSettings(Settings):
    """Where the connector keeps its records."""

    path: Path = settings.path(
        "The file with the connector's records.", default="copydesk-ledger.sqlite3"
    )


@dataclass(frozen=True)
class Config:
    """The configuration. ``warnings`` are sentences for its owner."""

    feed: FeedSettings
    ledger: Path
    targets: tuple[Target, ...]
    warnings: tuple[str, ...]
    secrets: tuple[Secret, ...]


def load(file: Path) -> Config:
    """Read and check the whole file; contacts neither the feed nor a target.

    Raises:
        ConfigError: the file is missing or not TOML, or a setting is wrong.
    """
    data = _document(file)
    feed_table = _table(data, "feed", file)
    feed_table.refuse_unknown(FeedSettings)
    feed = read(FeedSettings, feed_table)
    if is_readable_on_the_way(feed.url.reveal()):
        feed_table.warnings.append("[feed] url is http: its token travels in clear; use https")
    ledger = _ledger(data, file)
    tables = [feed_table]
    targets: dict[str, Target] = {}
    for number, entry in enumerate(_targets(data, file), start=1):
        table = Table(entry, f"[[target]] {number}", file)
        tables.append(table)
        target = read(TargetSettings, table)
        name = target.name or target.type
        if target.type not in TARGETS:  # only then look at every installed package
            _refuse_type(table, target.type)
        table.where = f"[[target]] {number} ({name})"
        if name in targets:
            table.fail("name", f'"{name}" is already used; give each target a different `name`')
        targets[name] = TARGETS[target.type](name, table)
    return Config(
        feed=feed,
        ledger=ledger,
        targets=tuple(targets.values()),
        warnings=tuple(warning for table in tables for warning in table.warnings),
        secrets=tuple(secret for table in tables for secret in table.secrets),
    )


def ledger_path(file: Path) -> Path:
    """Return where the ledger is; needs no secret."""
    return _ledger(_document(file), file)


def _ledger(data: Mapping[str, Any], file: Path) -> Path:
    table = _table(data, "ledger", file)
    table.refuse_unknown(LedgerSettings)
    return read(LedgerSettings, table).path


def _refuse_type(table: Table, kind: str) -> None:
    if kind in PACKAGES:
        table.fail("type", f'"{kind}" comes with another package: install {PACKAGES[kind]}')
    try:
        one_of(kind, sorted(TARGETS))
    except ValueError as error:
        table.fail("type", str(error))


def _document(file: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise ConfigError(
                f"Cannot read {file}: no such file. Create it with `copydesk-connect init`."
            ) from None
        raise ConfigError(f"Cannot read {file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: is not valid TOML: {error}") from None
    for key in data:
        if key not in {"feed", "ledger", "target"}:
            raise ConfigError(
                f"{file}: [{key}] is not a table here; known: [feed], [ledger], [[target]]"
            )
    return data


def _table(data: Mapping[str, Any], key: str, file: Path) -> Table:
    value = data.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{file}: [{key}]: must be one table, written as [{key}]")
    return Table(value, f"[{key}]", file)


def _targets(data: Mapping[str, Any], file: Path) -> list[Mapping[str, Any]]:
    value = data.get("target", [])
    if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
        raise ConfigError(f"{file}: [[target]]: write each target as a table under [[target]]")
    if not value:
        raise ConfigError(
            f"{file}: [[target]] is missing. Add one with type = {' or '.join(sorted(TARGETS))}"
        )
    return value
