"""The types of target by name: the built-in ones and those of other packages.

Another package adds a type by an entry point of the group ``copydesk_connectors.targets``. Its name
is the value of ``type`` in the configuration, and it points to the target's class.
"""

from collections.abc import Callable, Iterator, Mapping
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
    return read(ScheduleSettings, Table(raw, f"{above.where} schedule", above.file))


class TargetSettings(Settings):
    """The settings of every target."""

    schedule: Annotated[ScheduleSettings, BeforeValidator(_schedule)] | None = setting(
        "A table `[target.schedule]` below the target: the days and times at which its posts "
        "appear. See [Calendar](#calendar).",
        None,
    )
    type: Text = setting("Required. The type of the target.", default="")
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


def common_settings(table: Table) -> TargetSettings:
    """Return the settings that every target has."""
    common = {k: value for k, value in table.data.items() if k in TargetSettings.model_fields}
    return read(TargetSettings, Table(common, table.where, table.file))


class Registry(Mapping[str, Factory]):
    """The values of ``type``. Another package cannot replace a built-in type.

    ``ours`` names each class as ``module:Class``. A class is imported by the first target of its
    type, because importing all of them takes a third of a command's start.
    """

    def __init__(self, ours: Mapping[str, str]) -> None:
        self.ours = {kind: EntryPoint(kind, place, GROUP) for kind, place in ours.items()}

    def __getitem__(self, kind: str) -> Factory:
        if kind in self.ours:
            return lambda name, table: _made(self.ours[kind], name, table)
        offers = self._offers(kind)
        if not offers:
            raise KeyError(kind)
        return lambda name, table: _open(offers, name, table)

    def __iter__(self) -> Iterator[str]:
        return iter({**self.ours, **{entry.name: entry for entry in entry_points(group=GROUP)}})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def settings(self, kind: str) -> type[Settings]:
        """Return the settings of a type; those of a broken package are empty."""
        try:
            found: type[Settings] = self._offers(kind)[0].load().Settings
            return found
        except Exception:  # noqa: BLE001 - another's code; opening the target says what is wrong
            return Settings

    def _offers(self, kind: str) -> tuple[EntryPoint, ...]:
        if kind in self.ours:
            return (self.ours[kind],)
        return tuple(entry_points(group=GROUP, name=kind))


def _open(offers: tuple[EntryPoint, ...], name: str, table: Table) -> Target:
    """Return a target, or raise ConfigError if its package or a setting is wrong."""
    kind = offers[0].name
    packages = " and ".join(sorted(_package(offer) for offer in offers))
    if len(offers) > 1:
        table.fail("type", f'"{kind}" is offered by {packages}; remove all but one of them')
    try:
        return _made(offers[0], name, table)
    except ConnectorError:
        raise
    except Exception as error:  # noqa: BLE001 - another's code: anything can come out of it
        table.fail(
            "type",
            f'"{kind}" cannot be used: {packages} failed with {_short(error)}; '
            "update or remove that package",
        )


def _made(place: EntryPoint, name: str, table: Table) -> Target:
    target = place.load()
    if not (isinstance(target, type) and issubclass(target, Target)):
        raise ImportError(f"{place.value}, which is not a Target")
    settings = read(target.Settings, table, also=TargetSettings.model_fields)
    schedule = common_settings(table).schedule
    status = getattr(settings, "status", "")
    if schedule is not None and status not in {"", "publish"}:
        table.fail("schedule", f'needs status = "publish", which is the default, not "{status}"')
    try:
        opened = target.open(name, settings)
    except SettingError as error:
        table.fail(error.key, str(error))
    if opened.name != name:
        raise ImportError("a target that has another name than it was given")
    opened.status = status
    if schedule is not None:
        opened.calendar = schedule.calendar(seed=name)
    return opened


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def _short(error: Exception) -> str:
    # These name a module or a missing method. Any other text may contain a secret.
    helps = isinstance(error, ImportError) or "abstract class" in str(error)
    return str(error) if helps else type(error).__name__
