"""The types of target by name: the built-in ones and those of other packages.

Another package adds a type by an entry point of the group ``copydesk_connectors.targets``. Its name
is the value of ``type`` in the configuration, and it points to the target's class.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, NoReturn

from pydantic import BeforeValidator, ValidationInfo

from copydesk_connectors.target.base import Copy, Finding, Level, Target
from copydesk_connectors.target.errors import ConnectorError, Misconfigured
from copydesk_connectors.target.post import Post
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
    status = getattr(settings, "status", "publish")
    if schedule is not None and status != "publish":
        table.fail("schedule", f'needs status = "publish", which is the default, not "{status}"')
    try:
        opened = target.open(name, settings)
    except SettingError as error:
        table.fail(error.key, str(error))
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
    return _Guard(target, packages)


class _Guard(Target):
    """Keeps a mistake in another package's target from stopping the targets beside it.

    Only the type of an unexpected error is shown: its text may hold a secret.
    """

    def __init__(self, target: Target, package: str) -> None:
        super().__init__(target.name)
        self._inner = target
        self._package = package
        self.at_once = max(1, target.at_once) if isinstance(target.at_once, int) else 1
        self.reconciles = target.reconciles is True
        self.schedules = target.schedules is True
        self.calendar = target.calendar

    def ready(self) -> None:
        self._call("ready")

    def check(self) -> Sequence[Finding]:
        try:
            return list(self._call("check"))
        except TypeError as error:
            return [Finding(Level.PROBLEM, self.name, str(error), "report it to its makers")]
        except ConnectorError as error:
            return [Finding.of_error(self.name, error, "report it to its makers")]

    def find(self, post: Post) -> Copy | None:
        return self._copy("find", post)

    def draft(self, post: Post) -> Copy:
        return self._copy("draft", post) or self._fail("draft gave nothing")

    def publish(self, post: Post, remote_id: str) -> Copy:
        return self._copy("publish", post, remote_id) or self._fail("publish gave nothing")

    def look(self, post: Post, remote_id: str) -> Copy | None:
        return self._copy("look", post, remote_id)

    def update(self, post: Post, remote_id: str) -> Copy:
        return self._copy("update", post, remote_id) or self._fail("update gave nothing")

    def unpublish(self, post: Post, remote_id: str) -> Copy:
        return self._copy("unpublish", post, remote_id) or self._fail("unpublish gave nothing")

    def related(self, text: str) -> Any:
        return self._call("related", text)

    def _copy(self, method: str, *arguments: object) -> Copy | None:
        copy = self._call(method, *arguments)
        if copy is not None and not isinstance(copy, Copy):
            self._fail(f"{method} gave {type(copy).__name__} instead of a Copy")
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


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def _short(error: Exception) -> str:
    # These name a module or a missing method. Any other text may contain a secret.
    helps = isinstance(error, ImportError) or "abstract class" in str(error)
    return str(error) if helps else type(error).__name__
