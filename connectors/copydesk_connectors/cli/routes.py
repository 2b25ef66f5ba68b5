"""The tables ``[[route]]`` of the configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copydesk_connectors.engine.routes import Route
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.settings import (
    Setting,
    Settings,
    Table,
    Text,
    Texts,
    declared,
    one_of,
    read,
    setting,
)
from copydesk_connectors.targets import TARGETS

PER_POST = (
    "author",
    "categories",
    "category",
    "image",
    "publish_after",
    "status",
    "tags",
)
"""The settings of a target, by their keys, that a route may set for its posts."""

# The author of plain HTML is that of the whole Atom feed.
_NOT_PER_POST = {"html": {"author"}}
# What the target says under these keys goes with its own value of the first: a route that sets the
# first drops them.
_GO_WITH = {"status": ("publish_after",)}


class RouteSettings(Settings):
    """Which posts go to which targets."""

    targets: Texts = setting(
        "The name of the target that gets the posts, or a list of names. A target that a route "
        "names gets only the posts of its routes; for each target, the first matching route "
        "decides.",
        keys=("target", "targets"),
    )
    feed: Text | None = setting("Only posts of the feed with this name.", default=None)
    rule: Text | None = setting("Only posts of this rule, by name or id.", default=None)
    keyword: Text | None = setting(
        "Only posts with a keyword like this, in capitals or not; `*` stands for any characters, "
        "`?` for one.",
        default=None,
    )


@dataclass(frozen=True)
class Configured:
    """A target as its ``[[target]]`` configures it, and that table."""

    target: Target
    kind: str
    table: Table
    required: bool


def per_post(kind: str) -> dict[str, tuple[str, Setting]]:
    """Return the keys that a route may use for a type of target, each with its setting."""
    keys = {
        key: (name, each) for name, each in declared(TARGETS.settings(kind)) for key in each.keys
    }
    usable = [key for key in PER_POST if key not in _NOT_PER_POST.get(kind, ())]
    return {key: keys[key] for key in usable if key in keys}


def read_routes(
    tables: Sequence[Table], feeds: Sequence[str], targets: Mapping[str, Configured]
) -> tuple[Route, ...]:
    """Return the routes, and give the targets the settings of their routes.

    Raises:
        ConfigError: a route names an unknown feed or target, or a setting is wrong.
    """
    routes = []
    variants: dict[str, dict[int, Target]] = {name: {} for name in targets}
    for number, table in enumerate(tables, start=1):
        route, changes = _read(table, number, feeds, targets)
        routes.append(route)
        for name in route.targets if changes else ():
            variants[name][number] = _variant(table, targets[name], changes)
    for name, configured in targets.items():
        configured.target.variants = variants[name]
    return tuple(routes)


def _read(
    table: Table, number: int, feeds: Sequence[str], targets: Mapping[str, Configured]
) -> tuple[Route, dict[str, Any]]:
    known = sorted([*(k for _, s in declared(RouteSettings) for k in s.keys), *PER_POST])
    for key in table.data:
        if key not in known:
            table.fail_unknown(key, known)
    found = read(RouteSettings, table)
    key = "target" if "target" in table.data else "targets"
    with table.errors_at(key):
        if not found.targets:
            raise ValueError("must name a target")
        for name in found.targets:
            one_of(name, list(targets))
    if found.feed is not None:
        with table.errors_at("feed"):
            one_of(found.feed, feeds)
    route = Route(
        number=number,
        targets=found.targets,
        feed=found.feed,
        rule=found.rule,
        keyword=found.keyword,
    )
    return route, {key: value for key, value in table.data.items() if key in PER_POST}


def _variant(route: Table, configured: Configured, changes: Mapping[str, Any]) -> Target:
    """Return the target with other settings for some posts."""
    name, kind, base = configured.target.name, configured.kind, configured.table
    table = Table({}, f"{route.where} ({name})", base.file)
    usable = per_post(kind)
    for key in changes:
        if key not in usable:
            table.fail(
                key,
                f"cannot differ between the posts of a {kind} target; "
                f"a route can set {', '.join(usable) or 'nothing there'}",
            )
    replaced = {
        other for key in changes for other, each in usable.items() if each[0] == usable[key][0]
    }
    replaced |= {other for key in changes for other in _GO_WITH.get(key, ())}
    kept = {key: value for key, value in base.data.items() if key not in replaced}
    table.data = {**kept, **changes}
    made = TARGETS[kind](name, table)
    base.warnings += table.warnings
    base.secrets += table.secrets
    return made
