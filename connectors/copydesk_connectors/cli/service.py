"""The command ``service``: lets the system start the connector and keep it running.

Each kind of service is a template in the folder ``services``.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import click

from copydesk_connectors.cli import config as configuration
from copydesk_connectors.cli.session import config_option, errors_as_sentences
from copydesk_connectors.target.errors import ConfigError

_TEMPLATES = Path(__file__).with_name("services")
_LONGEST_S = 60.0


@dataclass(frozen=True)
class Service:
    """A service to write. ``run`` is the command that stays, ``once`` one that makes one pass."""

    name: str
    folder: Path
    run: Sequence[str]
    once: Sequence[str]


@dataclass(frozen=True)
class Kind:
    """One kind of service.

    Attributes:
        template: the file in ``services``.
        place: returns where the service's file belongs; None for one that is only shown.
        values: returns what stands in the template, in the form that it needs.
        start: returns the commands that start it from a file.
        stop: returns the commands that end it.
        encoding: that of the file.
    """

    template: str
    place: Callable[[Service], Path] | None
    values: Callable[[Service], Mapping[str, str]]
    start: Callable[[Service, Path], list[list[str]]]
    stop: Callable[[Service, Path], list[list[str]]]
    encoding: str = "utf-8"

    def text(self, service: Service) -> str:
        """Return the service's file."""
        form = (_TEMPLATES / self.template).read_text(encoding="utf-8")
        return form.format(name=service.name, **self.values(service))


def _systemd_place(service: Service) -> Path:
    base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return base / "systemd" / "user" / f"{service.name}.service"


def _systemd_word(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def _systemd(service: Service) -> Mapping[str, str]:
    command = " ".join(map(_systemd_word, service.run))
    # Unlike a command, a path is taken as it stands, but for %.
    return {"command": command, "folder": str(service.folder).replace("%", "%%")}


def _launchd_place(service: Service) -> Path:
    return Path.home() / "Library" / "LaunchAgents" / f"{service.name}.plist"


def _launchd(service: Service) -> Mapping[str, str]:
    words = "".join(f"<string>{escape(word)}</string>" for word in service.run)
    log = service.folder / f"{service.name}.log"
    return {"command": words, "folder": escape(str(service.folder)), "log": escape(str(log))}


def _windows_place(service: Service) -> Path:
    return service.folder / f"{service.name}.task.xml"


def _windows(service: Service) -> Mapping[str, str]:
    program, *arguments = service.once
    return {
        "program": escape(program),
        "arguments": escape(subprocess.list2cmdline(arguments)),
        "folder": escape(str(service.folder)),
    }


def _cron(service: Service) -> Mapping[str, str]:
    # cron takes a % for the end of the line.
    words = {"command": shlex.join(service.once), "folder": shlex.quote(str(service.folder))}
    return {key: word.replace("%", "\\%") for key, word in words.items()}


KINDS: Mapping[str, Kind] = {
    "systemd": Kind(
        "systemd.service",
        _systemd_place,
        _systemd,
        start=lambda service, _: [
            ["systemctl", "--user", "daemon-reload"],
            ["systemctl", "--user", "enable", "--now", f"{service.name}.service"],
        ],
        stop=lambda service, _: [
            ["systemctl", "--user", "disable", "--now", f"{service.name}.service"]
        ],
    ),
    "launchd": Kind(
        "launchd.plist",
        _launchd_place,
        _launchd,
        start=lambda _, file: [["launchctl", "load", "-w", str(file)]],
        stop=lambda _, file: [["launchctl", "unload", "-w", str(file)]],
    ),
    "windows": Kind(
        "windows.xml",
        _windows_place,
        _windows,
        start=lambda service, file: [
            ["schtasks", "/Create", "/F", "/TN", service.name, "/XML", str(file)]
        ],
        stop=lambda service, _: [["schtasks", "/Delete", "/F", "/TN", service.name]],
        encoding="utf-16",
    ),
    "cron": Kind("crontab", None, _cron, start=lambda *_: [], stop=lambda *_: []),
}

_kind_option = click.option(
    "--kind", type=click.Choice(list(KINDS)), help="The kind of service. Default: the system's own."
)
_name_option = click.option(
    "--name",
    default="copydesk-connect",
    show_default=True,
    metavar="NAME",
    help="The name of the service; each configuration needs its own.",
)
_dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show what would be done; change nothing."
)


@click.group()
def service() -> None:
    """Run the connector as a service of systemd, launchd, Windows Task Scheduler or cron."""


@service.command()
@config_option
@_kind_option
@_name_option
@click.option("--replace", is_flag=True, help="Replace a service of this name.")
@_dry_run_option
def install(file: Path, *, kind: str | None, name: str, replace: bool, dry_run: bool) -> None:
    """Install and start a service for the configuration."""
    with errors_as_sentences():
        configuration.load(file)
        _need_no_environment(file)
        made, chosen = _service(file, name), KINDS[kind or _own_kind()]
        text = chosen.text(made)
        if chosen.place is None:
            click.echo("add this line with `crontab -e`:", err=True)
            click.echo(text, nl=False)
            return
        place = chosen.place(made)
        commands = chosen.start(made, place)
        if dry_run:
            click.echo(text, nl=False)
            _show([f"would write: {place}", *(f"would run: {shlex.join(c)}" for c in commands)])
            return
        _write(place, text, chosen.encoding, replace=replace)
        click.echo(f"written: {place}", err=True)
        _run_all(commands)
        click.echo(f"{name} is installed; to remove it: copydesk-connect service remove", err=True)


@service.command()
@config_option
@_kind_option
@_name_option
@_dry_run_option
def remove(file: Path, *, kind: str | None, name: str, dry_run: bool) -> None:
    """Stop and remove a service. The configuration and the ledger stay."""
    with errors_as_sentences():
        made, chosen = _service(file, name), KINDS[kind or _own_kind()]
        if chosen.place is None:
            click.echo("remove its line with `crontab -e`", err=True)
            return
        place = chosen.place(made)
        commands = chosen.stop(made, place)
        if dry_run:
            _show([*(f"would run: {shlex.join(c)}" for c in commands), f"would remove: {place}"])
            return
        if not place.exists():
            raise ConfigError(f"{place} does not exist: no such service is installed")
        _run_all(commands)
        place.unlink()
        click.echo(f"removed: {place}", err=True)


def _own_kind() -> str:
    if sys.platform == "darwin":
        return "launchd"
    if sys.platform == "win32":
        return "windows"
    # Where a user has no manager, as in containers, cron remains.
    return "systemd" if os.environ.get("XDG_RUNTIME_DIR") and shutil.which("systemctl") else "cron"


def _service(file: Path, name: str) -> Service:
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise ConfigError(f'--name "{name}": use letters, digits, hyphens and underscores')
    config = file.absolute()
    if any(not character.isprintable() for character in f"{config}{sys.executable}"):
        raise ConfigError(f"{config!r}: a service cannot use a path with such characters")
    begin = [sys.executable, "-m", "copydesk_connectors"]
    end = ["--config", str(config)]
    return Service(name, config.parent, [*begin, "run", *end], [*begin, "once", *end])


def _need_no_environment(file: Path) -> None:
    """Refuse a configuration that a service cannot read: it has no shell's variables."""
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    tables = [data["feed"], data.get("notify", {}), *data["target"]]
    tables = [one for each in tables for one in (each if isinstance(each, list) else [each])]
    keys = sorted({key for table in tables for key in table if key.endswith("_env")})
    if keys:
        files = " and ".join(f"{key.removesuffix('_env')}_file" for key in keys)
        raise ConfigError(
            f"{file}: {', '.join(keys)}: a service does not have the variables of your shell; "
            f"put the secret in a file that only you can read, and use {files}"
        )


def _write(place: Path, text: str, encoding: str, *, replace: bool) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("w" if replace else "x", encoding=encoding) as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(
            f"{place} exists already; use --replace to replace it, or give another --name"
        ) from None
    except OSError as error:
        raise ConfigError(f"{place} cannot be written: {error.strerror}") from None


def _run_all(commands: Sequence[Sequence[str]]) -> None:
    for command in commands:
        shown = shlex.join(command)
        try:
            done = subprocess.run(  # noqa: S603 - the system's own program, found as a shell does
                command, capture_output=True, text=True, timeout=_LONGEST_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigError(f"`{shown}` failed: {type(error).__name__}") from None
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise ConfigError(f"`{shown}` failed: {said[-1][:300] if said else done.returncode}")


def _show(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(line, err=True)
