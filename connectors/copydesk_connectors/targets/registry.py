"""The kinds of target by name: ours, and those that other packages offer.

Another package offers a kind by an entry point of the group ``copydesk_connectors.targets``. Its
name is what the owner writes under ``type``; it points to a callable that takes the target's name
and its Table and gives a Publisher.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NoReturn

from copydesk_connectors.errors import ConnectorError, Misconfigured
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, Finding, Level, Publisher
from copydesk_connectors.toml_table import Table

GROUP = "copydesk_connectors.targets"
_METHODS = ("ready", "check", "find", "draft", "publish")

Factory = Callable[[str, Table], Publisher]


class Registry(Mapping[str, Factory]):
    """What can be written under ``type``. A kind of ours is never replaced by another package."""

    def __init__(self, ours: Mapping[str, Factory]) -> None:
        self._ours = ours

    def __getitem__(self, kind: str) -> Factory:
        if kind in self._ours:
            return self._ours[kind]
        offers = tuple(entry_points(group=GROUP, name=kind))
        if not offers:
            raise KeyError(kind)
        return lambda name, table: _open(offers, name, table)

    def __iter__(self) -> Iterator[str]:
        others = {entry.name for entry in entry_points(group=GROUP)}
        return iter([*self._ours, *sorted(others - self._ours.keys())])

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _open(offers: Sequence[EntryPoint], name: str, table: Table) -> Publisher:
    """Make a target of another package.

    Raises:
        ConfigError: a setting is wrong, or the package is; the message names it.
    """
    kind = offers[0].name
    packages = " and ".join(sorted(_package(offer) for offer in offers))
    if len(offers) > 1:
        table.fail("type", f'"{kind}" is offered by {packages}; remove all but one of them')
    try:
        publisher = offers[0].load()(name, table)
    except ConnectorError:
        raise
    except Exception as error:  # noqa: BLE001 - another's code: anything can come out of it
        table.fail(
            "type",
            f'"{kind}" cannot be used: {packages} failed with {_short(error)}; '
            "update or remove that package",
        )
    missing = [method for method in _METHODS if not callable(getattr(publisher, method, None))]
    if missing or getattr(publisher, "name", None) != name:
        what = f"no {' and no '.join(missing)}" if missing else "another name than it was given"
        table.fail(
            "type",
            f'"{kind}" cannot be used: what {packages} made has {what}; '
            "update or remove that package",
        )
    more = [guard for ability, guard in _MORE.items() if hasattr(publisher, ability)]
    kept: type[_Guard] = type("_Guarded", (*more, _Guard), {}) if more else _Guard
    return kept(publisher, packages)


class _Guard:
    """Keeps a mistake in another's target from stopping the targets beside it.

    Of an error that is none of ours only the kind is shown: its text may hold a secret.
    """

    def __init__(self, publisher: Any, package: str) -> None:
        self._inner = publisher
        self._package = package
        self._name = str(publisher.name)

    @property
    def name(self) -> str:
        return self._name

    def ready(self) -> None:
        self._call("ready")

    def check(self) -> Sequence[Finding]:
        try:
            return list(self._call("check"))
        except (ConnectorError, TypeError) as error:
            fix = error.fix if isinstance(error, Misconfigured) else "report it to its makers"
            return [Finding(Level.PROBLEM, self._name, str(error.args[0]), fix)]

    def find(self, post: Post) -> Copy | None:
        return self._copy("find", post)

    def draft(self, post: Post) -> Copy:
        return self._copy("draft", post) or self._fail("draft gave nothing")

    def publish(self, post: Post, remote_id: str) -> Copy:
        return self._copy("publish", post, remote_id) or self._fail("publish gave nothing")

    def _copy(self, method: str, *arguments: object) -> Copy | None:
        copy = self._call(method, *arguments)
        if copy is not None and not isinstance(copy, Copy):
            self._fail(f"{method} gave {type(copy).__name__} in place of a Copy")
        return copy

    def _call(self, method: str, *arguments: object) -> Any:
        try:
            return getattr(self._inner, method)(*arguments)
        except ConnectorError:
            raise
        except Exception as error:  # noqa: BLE001 - see the class
            self._fail(f"{method} failed with {type(error).__name__}")

    def _fail(self, problem: str) -> NoReturn:
        # Without the cause: its text could reach a log.
        raise Misconfigured(
            f"{self._package} has a mistake: its {problem}", "update it, or report it to its makers"
        ) from None


class _SearchableGuard(_Guard):
    """The same for a target that finds its own pages."""

    def related(self, text: str) -> Any:
        return self._call("related", text)


class _KeyedGuard(_Guard):
    """The same for a target that keeps ids unique by itself."""

    def put(self, post: Post) -> Copy | None:
        return self._copy("put", post)


class _ConcurrentGuard(_Guard):
    """The same for a target that takes several posts at a time."""

    @property
    def at_once(self) -> int:
        wanted = self._inner.at_once
        return wanted if isinstance(wanted, int) and wanted > 0 else 1


class _ReconcilingGuard(_Guard):
    """The same for a target that chooses among all copies before it shows one."""

    @property
    def reconciles(self) -> bool:
        return self._inner.reconciles is True


_MORE: Mapping[str, type[_Guard]] = {
    "related": _SearchableGuard,
    "put": _KeyedGuard,
    "at_once": _ConcurrentGuard,
    "reconciles": _ReconcilingGuard,
}


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def _short(error: Exception) -> str:
    # An import error names a module, which helps; any other text may be a secret's.
    return str(error) if isinstance(error, ImportError) else type(error).__name__
