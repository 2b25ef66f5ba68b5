"""The configuration: one TOML file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from pydantic import ConfigDict

from copydesk_connectors.engine.feed import FeedSettings
from copydesk_connectors.engine.log import Redactor
from copydesk_connectors.engine.routes import Route, Routing
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import (
    FilePath,
    Settings,
    Table,
    is_readable_on_the_way,
    read,
    setting,
)
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.generators import Preset
from copydesk_connectors.targets.registry import common_settings

_TABLES = ("feed", "ledger", "route", "target")


class LedgerSettings(Settings):
    """Where the connector keeps its records."""

    path: FilePath = setting("The file with the connector's records.", "copydesk-ledger.sqlite3")
    model_config = ConfigDict(validate_default=True)


@dataclass(frozen=True)
class Config:
    """The configuration. ``warnings`` are sentences for its owner."""

    feeds: tuple[FeedSettings, ...]
    ledger: Path
    targets: tuple[Target, ...]
    routing: Routing
    warnings: tuple[str, ...]
    secrets: tuple[Secret, ...]

    @cached_property
    def redact(self) -> Redactor:
        """What strikes the secrets out of any text."""
        return Redactor(self.secrets)

    @property
    def poll_minutes(self) -> float:
        """How often the feeds are looked at, in minutes."""
        return min(feed.poll_minutes for feed in self.feeds)

    @property
    def parallel(self) -> int:
        """How many posts are published at a time on a target."""
        return min(feed.parallel for feed in self.feeds)


def load(file: Path) -> Config:
    """Read and check the whole file; contacts neither a feed nor a target.

    Raises:
        ConfigError: the file is missing or not TOML, or a setting is wrong.
    """
    return read_document(_document(file), file)


def read_document(
    data: Mapping[str, Any], file: Path, unwritten: Mapping[str, str] | None = None
) -> Config:
    """Check the content of a file, as ``load`` does.

    ``unwritten`` has the content of files of secrets that are not there yet, by name.
    """
    feed_tables = _feed_tables(data, file)
    tables = _tables(data, "target", file)
    for table in (*feed_tables, *tables):
        table.unwritten = unwritten or {}
    feeds = [_feed(table) for table in feed_tables]
    _refuse_same(feeds, feed_tables)
    ledger = _ledger(data, file)
    targets, optional = _targets(tables, file)
    names = [feed.name for feed in feeds]
    routes = tuple(_route(table, names, targets) for table in _tables(data, "route", file))
    routing = Routing(routes=routes, optional=optional)
    for name, table in zip(names, feed_tables, strict=True):
        if not routing.reach(name, targets):
            table.fail("name", f'no [[route]] sends the posts of the feed "{name}" to a target')
    tables += feed_tables
    return Config(
        feeds=tuple(feeds),
        ledger=ledger,
        targets=tuple(targets.values()),
        routing=routing,
        warnings=tuple(warning for table in tables for warning in table.warnings),
        secrets=tuple(secret for table in tables for secret in table.secrets),
    )


def ledger_path(file: Path) -> Path:
    """Return where the ledger is; needs no secret."""
    return _ledger(_document(file), file)


def _feed_tables(data: Mapping[str, Any], file: Path) -> list[Table]:
    value = data.get("feed", {})
    if isinstance(value, list) and value:
        return _tables(data, "feed", file)
    if not isinstance(value, Mapping):
        raise ConfigError(f"{file}: [feed]: must be a table, written as [feed] or [[feed]]")
    return [Table(value, "[feed]", file)]


def _feed(table: Table) -> FeedSettings:
    feed = read(FeedSettings, table)
    if is_readable_on_the_way(feed.url.reveal()):
        table.warnings.append(f"{table.where} url is http: its token travels in clear; use https")
    return feed


def _refuse_same(feeds: list[FeedSettings], tables: list[Table]) -> None:
    """Raise a ConfigError if two feeds share a name, or would pull the same posts."""
    for number, feed in enumerate(feeds):
        for other in feeds[:number]:
            if feed.name == other.name:
                problem = f'"{feed.name}" is already used; give each feed a different `name`'
                tables[number].fail("name", problem)
            rules = {feed.rule and feed.rule.casefold(), other.rule and other.rule.casefold()}
            if feed.address == other.address and (None in rules or len(rules) == 1):
                tables[number].fail(
                    "url",
                    f'is that of the feed "{other.name}" as well; give both a different `rule`',
                )


def _ledger(data: Mapping[str, Any], file: Path) -> Path:
    value = data.get("ledger", {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{file}: [ledger]: must be one table, written as [ledger]")
    return read(LedgerSettings, Table(value, "[ledger]", file)).path


def _targets(tables: list[Table], file: Path) -> tuple[dict[str, Target], frozenset[str]]:
    """Return the targets by name, and the names of those that are not required."""
    if not tables:
        raise ConfigError(
            f"{file}: [[target]] is missing. Add one with type = {' or '.join(sorted(TARGETS))}"
        )
    targets: dict[str, Target] = {}
    optional: set[str] = set()
    for table in tables:
        target = common_settings(table)
        name = target.name or target.type
        if target.type not in TARGETS:  # a list of all of them reads every installed package
            if target.type in get_args(Preset):
                table.fail("type", f'must be "markdown", with preset = "{target.type}"')
            table.need_one_of("type", target.type, sorted(TARGETS))
        table.where = f"{table.where} ({name})"
        if name in targets:
            table.fail("name", f'"{name}" is already used; give each target a different `name`')
        targets[name] = TARGETS[target.type](name, table)
        if not target.required:
            optional.add(name)
    return targets, frozenset(optional)


def _route(table: Table, feeds: list[str], targets: Mapping[str, Target]) -> Route:
    route = read(Route, table)
    for name in route.target:
        table.need_one_of("target", name, list(targets))
    if route.feed is not None:
        table.need_one_of("feed", route.feed, feeds)
    return route


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
        if key not in _TABLES:
            raise ConfigError(f"{file}: [{key}] is not a table here; known: {', '.join(_TABLES)}")
    return data


def _tables(data: Mapping[str, Any], key: str, file: Path) -> list[Table]:
    """Return the tables under [[key]], numbered from 1."""
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
        raise ConfigError(f"{file}: [[{key}]]: write each {key} as a table under [[{key}]]")
    return [Table(entry, f"[[{key}]] {number}", file) for number, entry in enumerate(value, 1)]
