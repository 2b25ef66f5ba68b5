"""The types of target by name: the built-in ones and those of other packages.

Another package adds a type by an entry point of the group ``copydesk_connectors.targets``. Its name
is the value of ``type`` in the configuration, and it points to the target's class.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from copydesk_connectors.target.base import Target
from copydesk_connectors.target.errors import ConnectorError
from copydesk_connectors.target.settings import SettingError, Settings, Table, Text, read, setting
from copydesk_connectors.targets.scheduled import ScheduleSettings

GROUP = "copydesk_connectors.targets"

Factory = Callable[[str, Table], Target]


def _schedule(raw: Any, info: ValidationInfo) -> ScheduleSettings:
    above: Table = info.context  # type: ignore[assignment]
    if not isinstance(raw, Mapping):
        raise ValueError("must be a table, written as [target.schedule]")
    table = Table(raw, f"{above.where} schedule", above.file)
    table.refuse_unknown(ScheduleSettings)
    return read(ScheduleSettings, table)


class TimeSettings(Settings):
    """When the posts of a target appear."""

    schedule: Annotated[ScheduleSettings, BeforeValidator(_schedule)] | None = setting(
        "A table `[target.schedule]` below the target: the days and times at which its posts "
        "appear. See [Calendar](#calendar).",
        None,
    )


class TargetSettings(TimeSettings):
    """The settings of every target."""

    type: Text = setting("The type of the target.")
    name: Text | None = setting(
        "The name of the target in the ledger and in messages; by default its type. Two "
        "targets of one type need names of their own.",
        default=None,
    )
    required: bool = setting(
        "The feed is told that a post is used once one target with `true` has it. `false`: this "
        "target alone is not enough.",
        default=True,
    )


class Registry(Mapping[str, Factory]):
    """The values of ``type``. Another package cannot replace a built-in type.

    ``ours`` names each class as ``module:Class``. A class is imported by the first target of its
    type, because importing all of them takes a third of a command's start.
    """

    def __init__(self, ours: Mapping[str, str]) -> None:
        self._ours = {kind: EntryPoint(kind, place, GROUP) for kind, place in ours.items()}

    @property
    def ours(self) -> tuple[str, ...]:
        """The types of this package."""
        return tuple(self._ours)

    def __getitem__(self, kind: str) -> Factory:
        if kind in self._ours:
            return lambda name, table: _made(self._ours[kind], name, table)
        offers = tuple(entry_points(group=GROUP, name=kind))
        if not offers:
            raise KeyError(kind)
        return lambda name, table: _open(offers, name, table)

    def __iter__(self) -> Iterator[str]:
        others = {entry.name for entry in entry_points(group=GROUP)}
        return iter([*self._ours, *sorted(others - self._ours.keys())])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def settings(self, kind: str) -> type[Settings]:
        """Return the settings of a type; those of a broken package are empty."""
        try:
            place = self._ours.get(kind) or next(iter(entry_points(group=GROUP, name=kind)))
            found: type[Settings] = place.load().Settings
            return found
        except Exception:  # noqa: BLE001 - another's code; opening the target says what is wrong
            return Settings


def _made(place: EntryPoint, name: str, table: Table) -> Target:
    target = place.load()
    if not (isinstance(target, type) and issubclass(target, Target)):
        raise ImportError(f"{place.value}, which is not a Target")
    table.refuse_unknown(TargetSettings, target.Settings)
    settings = read(target.Settings, table)
    schedule = read(TimeSettings, table).schedule
    status = getattr(settings, "status", "")
    if schedule is not None and status not in {"", "publish"}:
        table.fail("schedule", f'needs status = "publish", which is the default, not "{status}"')
    try:
        opened = target.open(name, settings)
    except SettingError as error:
        table.fail(error.key, str(error))
    opened.status = status
    if schedule is not None:
        opened.calendar = schedule.calendar(seed=name)
    return opened


def _open(offers: Sequence[EntryPoint], name: str, table: Table) -> Target:
    """Return a target of another package, or raise ConfigError if that or a setting is wrong."""
    kind = offers[0].name
    packages = " and ".join(sorted(_package(offer) for offer in offers))
    if len(offers) > 1:
        table.fail("type", f'"{kind}" is offered by {packages}; remove all but one of them')
    try:
        target = _made(offers[0], name, table)
    except ConnectorError:
        raise
    except Exception as error:  # noqa: BLE001 - another's code: anything can come out of it
        table.fail(
            "type",
            f'"{kind}" cannot be used: {packages} failed with {_short(error)}; '
            "update or remove that package",
        )
    if target.name != name:
        table.fail(
            "type",
            f'"{kind}" cannot be used: the target that {packages} made has another name than it '
            "was given; update or remove that package",
        )
    return target


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def _short(error: Exception) -> str:
    # These name a module or a missing method. Any other text may contain a secret.
    helps = isinstance(error, ImportError) or "abstract class" in str(error)
    return str(error) if helps else type(error).__name__
