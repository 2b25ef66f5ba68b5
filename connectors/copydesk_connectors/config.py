"""The configuration: one TOML file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copydesk import ConfigurationError, Feed
from copydesk_connectors.errors import ConfigError
from copydesk_connectors.publisher import Publisher
from copydesk_connectors.secret import Secret
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.toml_table import Table, has_possible_host, is_loopback

DEFAULT_LEDGER = "copydesk-ledger.sqlite3"
DEFAULT_POLL_MINUTES = 15.0
DEFAULT_PARALLEL = 4
_MOST_PARALLEL = 16


@dataclass(frozen=True)
class FeedSettings:
    """Where items come from, and how many are taken up at a time (``parallel``, 1 to 16).

    ``rule`` restricts the feed to one rule; None takes all.
    """

    url: Secret
    rule: str | None
    poll_minutes: float
    parallel: int


@dataclass(frozen=True)
class Config:
    """What the file says. ``warnings`` are sentences for its owner."""

    feed: FeedSettings
    ledger: Path
    targets: tuple[Publisher, ...]
    warnings: tuple[str, ...]
    secrets: tuple[Secret, ...]


def load(file: Path) -> Config:
    """Read and check the whole file; touches neither the feed nor a target.

    Raises:
        ConfigError: the file is missing, is no TOML, or something in it is not right.
    """
    data = _document(file)
    tables = [
        feed_table := Table(_table(data, "feed", file), "[feed]", file),
        ledger_table := Table(_table(data, "ledger", file), "[ledger]", file),
    ]
    feed = _feed(feed_table)
    ledger = ledger_table.path("path", DEFAULT_LEDGER)
    targets: list[Publisher] = []
    for number, entry in enumerate(_targets(data, file), start=1):
        table = Table(entry, f"[[target]] {number}", file)
        tables.append(table)
        kind = table.text("type")
        if kind not in TARGETS:  # only then is every installed package looked at
            table.choice("type", sorted(TARGETS))
        name = table.text("name", kind)
        table.where = f"[[target]] {number} ({name})"
        if any(name == other.name for other in targets):
            table.fail("name", f'"{name}" is taken by another target; give each a name of its own')
        targets.append(TARGETS[kind](name, table))
    for table in tables:
        table.close()
    return Config(
        feed=feed,
        ledger=ledger,
        targets=tuple(targets),
        warnings=tuple(warning for table in tables for warning in table.warnings),
        secrets=tuple(secret for table in tables for secret in table.secrets),
    )


def ledger_path(file: Path) -> Path:
    """Where the ledger is, without needing any secret."""
    return Table(_table(_document(file), "ledger", file), "[ledger]", file).path(
        "path", DEFAULT_LEDGER
    )


def _feed(table: Table) -> FeedSettings:
    url = table.secret("url", literal=True)
    try:
        Feed(url.reveal()).close()
    except ConfigurationError as error:
        table.fail("url", str(error))
    if not has_possible_host(url.reveal()):
        table.fail("url", "names a host that cannot exist; see whether it is misspelt")
    if url.reveal().startswith("http://") and not is_loopback(url.reveal()):
        table.warnings.append("[feed] url is http: its token travels in clear; use https")
    return FeedSettings(
        url=url,
        rule=table.text("rule") if table.has("rule") else None,
        poll_minutes=table.number("poll_minutes", default=DEFAULT_POLL_MINUTES, least=1),
        parallel=_parallel(table),
    )


def _parallel(table: Table) -> int:
    wanted = table.number("parallel", default=DEFAULT_PARALLEL, least=1)
    if not wanted.is_integer() or wanted > _MOST_PARALLEL:
        table.fail("parallel", f"must be a whole number from 1 to {_MOST_PARALLEL}, not {wanted:g}")
    return int(wanted)


def _document(file: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: is not valid TOML: {error}") from None
    for key in data:
        if key not in {"feed", "ledger", "target"}:
            raise ConfigError(
                f"{file}: [{key}] is not a table here; known: [feed], [ledger], [[target]]"
            )
    return data


def _table(data: Mapping[str, Any], key: str, file: Path) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{file}: [{key}]: must be one table, written as [{key}]")
    return value


def _targets(data: Mapping[str, Any], file: Path) -> list[Mapping[str, Any]]:
    value = data.get("target", [])
    if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
        raise ConfigError(f"{file}: [[target]]: write each target as a table under [[target]]")
    if not value:
        raise ConfigError(
            f"{file}: [[target]]: there is none; add one with type = {' or '.join(sorted(TARGETS))}"
        )
    return value
