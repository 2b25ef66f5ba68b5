"""status and doctor."""

import json
import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import click

from app import logs
from app.commands.opening import database_faults, open_database
from app.commands.output import Failed, Row, as_json, fail, show
from app.container import build, find_local_model, folders
from app.core.billing.costs import money, plain_dollars
from app.core.errors import OperatorError, ServiceError
from app.core.schemas.times import counted, span, wire_time
from app.ports import Clock, QueueUnavailable
from app.probes import ask_model, source_checks
from app.services import cost_reports, state
from app.services.context import Context
from app.services.cost_reports import Report
from app.services.needs import Need, full_disks
from app.services.sources import NO_PROVIDER
from app.services.state import State
from app.settings import Settings
from app.settings.service_address import opened, recorded
from app.store import database
from app.store.database import reading
from app.store.overview import MOST_COUNTED
from app.store.state import newest_time

_HEAD_SECONDS = 5
_MOST_BYTES = 10_000
_PORTS = ("database", "queue", "model")
_CLOCK_SECONDS = 60
_OTHERS = 0o077
# What of the state of the installation is a fault of it, and what is said if nothing is.
_FAULTS = {
    "queue": ("stalledWork", "No work waits for long."),
    "schedule": ("scheduleLate", "No rule is late."),
    "backup": ("backupOld", "The newest backup is not old."),
}


@click.command()
@as_json
def status(as_json: bool) -> None:
    """Show health, waiting work, and what needs you, as the console's first page does.

    The running service says how it is. If none answers, the settings of this terminal are judged.
    """
    settings = Settings.load()
    open_database(settings)
    services = build(settings)
    # What would be logged is printed below.
    logging.getLogger("app").addHandler(logging.NullHandler())
    addresses, told = _service(settings)
    if told is not None:
        ports = {name: str(told[name]) for name in _PORTS} | {"service": "ok"}
        reasons = dict(told.get("reasons", {}))
    else:
        ports, reasons = services.health(patient=True)
        if find_local_model(settings):
            ports["model"] = "ok"  # it starts with the service
            reasons.pop("model", None)
        # On a database server, other machines may be the service.
        if addresses or settings.sqlalchemy_url.startswith("sqlite"):
            ports["service"] = "unreachable"
            who = f"At {' and '.join(addresses)}" if addresses else "On this data folder"
            reasons["service"] = (
                f"{who}, no service answers. Start `copydesk-server run`, or set"
                " COPYDESK_PUBLIC_URL to the address of the service. Until then, the settings of"
                " this terminal are judged."
            )
    found = state.read(services.context)
    if as_json:
        show({"ports": ports, "reasons": reasons, **_members(found)}, as_json)
    else:
        click.echo("\n".join(_in_lines(ports, reasons, found)))


def _service(settings: Settings) -> tuple[list[str], Mapping[str, Any] | None]:
    """Return the addresses at which the service can be, and what it says of itself, None if none
    answers."""
    url, key = recorded(settings)
    keys = {url: key} if url else {}
    if settings.public_url:
        keys.setdefault(settings.public_url, "")
    for address, secret in keys.items():
        try:
            with opened(address, "/readyz", _HEAD_SECONDS, secret) as answer:
                text = answer.read(_MOST_BYTES)
        except HTTPError as error:  # it is not ready, and says so
            text = error.read(_MOST_BYTES)
        except (OSError, HTTPException):
            continue
        with suppress(ValueError):
            told = json.loads(text)
            if isinstance(told, dict) and set(_PORTS) <= told.keys():
                return list(keys), told
    return list(keys), None


def _members(found: State) -> Row:
    stalled = [need.row for need in found.needs["stalledWork"]]
    return {
        "waiting": [
            {
                "work": each.kind,
                "count": each.count,
                "oldestSeconds": each.seconds,
                "tooLong": each in stalled,
                "workersBusy": each.held > 0,
            }
            for each in found.backlogs
        ],
        "needs": [
            {"check": check, "kind": need.kind, "id": need.id, "message": str(need)}
            for check, needs in found.needs.items()
            for need in needs
        ],
        "costs": _costs(found.costs),
        "stoppedPosts": found.stopped,
        "postsPerDay": [{"day": day.isoformat(), "posts": posts} for day, posts in found.days],
    }


def _costs(report: Report) -> Row:
    total = report.total
    return {
        "month": f"{report.period:%Y-%m}",
        "calls": total.figures.calls,
        "tokens": total.figures.tokens,
        "dollars": plain_dollars(total.figures.micros),
        "unpricedCalls": total.figures.unpriced,
    }


def _in_lines(ports: dict[str, str], reasons: dict[str, str], found: State) -> Iterator[str]:
    for name, answer in ports.items():
        yield f"{name:<10}{answer}"
        if name in reasons:
            yield f"{'':<10}{reasons[name]}"
    for waits in found.backlogs:
        age = f", the oldest for {span(waits.seconds)}" if waits.seconds else ""
        number = counted(waits.count, waits.kind, MOST_COUNTED)
        yield f"{'waiting':<10}{number}{age}{', some in progress' if waits.held else ''}"
    yield f"{'posts':<10}{sum(posts for _, posts in found.days):,} in 14 days"
    yield f"{'costs':<10}this month {money(found.costs.total.figures)}"
    yield ""
    if not found.number:
        yield "Nothing else needs you." if reasons else "Nothing needs you."
        return
    yield "Needs you:"
    yield from (f"  {need}" for needs in found.needs.values() for need in needs)


@click.command()
@as_json
def doctor(as_json: bool) -> None:
    """Check the installation: settings, database, queue, model, sources, clock, disk, files.

    Each line is ok, or says what to do. Exits 1 if something is wrong. Prints no secrets.
    """
    found: list[dict[str, Any]] = []

    def look(check: str, examine: Callable[..., str], *given: Any) -> bool:
        """Report what a check finds; return whether it is well."""
        ok = True
        try:
            said = examine(*given)
        except (Failed, OperatorError, ServiceError) as error:
            ok, said = False, error.operator if isinstance(error, ServiceError) else str(error)
        # The first check is that of the settings, which have the secrets.
        secrets = Settings.load().secrets if found else ()
        said = logs.redactor(secrets)(" ".join(said.split()))
        begins = said[0].upper() if said.partition(" ")[0].isalpha() else said[0]
        message = f"{begins}{said[1:]}" + ("" if said[-1] in ".?" else ".")
        found.append({"check": check, "ok": ok, "message": message})
        if not as_json:
            color, result = ("green", "ok") if ok else ("red", "WRONG")
            click.echo(f"{click.style(f'{result:<5}', fg=color)} {check:<13}{message}")
        return ok

    if look("settings", _settings):
        _examine(look, Settings.load())
    is_well = all(each["ok"] for each in found)
    if as_json:
        show({"ok": is_well, "checks": found}, as_json)
    if not is_well:
        sys.exit(1)


def _examine(look: Callable[..., bool], settings: Settings) -> None:
    if look("database", _database, settings):
        context = build(settings, writes=False).context
        if settings.redis_url is not None:
            look("redis", _redis, context)
        needs = state.read(context).needs
        for check, (name, ok) in _FAULTS.items():
            if check != "backup" or settings.backup_dir is not None:
                look(check, _none_of, needs[name], ok)
        look("clock", _clock)
        if settings.has_endpoint or find_local_model(settings):
            look("prices", _prices, settings, context)
    look("model", _model, settings)
    for name, ask in source_checks(settings):
        look(name, ask)
    look("disk", _none_of, list(full_disks(folders(settings))), "No disk is nearly full.")
    look("files", _files, settings)


def _settings() -> str:
    Settings.load()
    return "All settings are valid."


def _none_of(needs: Sequence[Need], ok: str) -> str:
    if needs:
        fail(" ".join(map(str, needs)))
    return ok


def _database(settings: Settings) -> str:
    open_database(settings)
    with database_faults(settings):
        database.check()
    return "It can be read and written, and its tables are those of this version."


def _redis(context: Context) -> str:
    try:
        context.queue.ping()
    except QueueUnavailable as error:
        fail(str(error))
    return "Redis answers."


def _clock() -> str:
    with reading() as session:
        newest = newest_time(session)
    now = Clock().now()
    if newest is not None and (newest - now).total_seconds() > _CLOCK_SECONDS:
        fail(
            f"The clock says {wire_time(now)}, but something was stored at {wire_time(newest)}."
            " Synchronize it with a time server (NTP)."
        )
    return f"It is {wire_time(now)}."


def _prices(settings: Settings, context: Context) -> str:
    missing = settings.unpriced_models
    if not missing:
        return "Each model in use has a price."
    quoted = " and ".join(f"“{name}”" for name in missing)
    if cost_reports.has_caps(context):
        fail(
            f"There is a spend cap, but calls of {quoted} count nothing towards it:"
            " set the price in COPYDESK_MODEL_PRICES."
        )
    models = f"the model{'s' if len(missing) > 1 else ''} {quoted}"
    return f"Costs in money are unknown: COPYDESK_MODEL_PRICES has no price for {models}."


def _model(settings: Settings) -> str:
    if find_local_model(settings) and not settings.has_sources:
        fail(f"The local model writes only from sources, and there are none. {NO_PROVIDER}")
    return ask_model(settings)


def _files(settings: Settings) -> str:
    """Check the files that contain secrets: settings, and the database with webhook secrets."""
    data = settings.data_dir
    named = [data / f"copydesk.db{suffix}" for suffix in ("", "-wal", "-shm")]
    named += [data / "copydesk.toml", Path(".env"), Path("docker/.env")]
    for path in named:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if mode & _OTHERS:
            fail(f"Other users of this machine can read {path}. Run `chmod 600 {path}`.")
    return "Only you can read the files with secrets."
