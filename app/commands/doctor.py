"""doctor."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.health import has_local_model
from app.commands.output import (
    Failed,
    as_json,
    bind_existing,
    database_fault,
    database_faults,
    services,
    show,
)
from app.core.schemas.times import span, wire_time
from app.writing.completion import Prompt

if TYPE_CHECKING:
    from app.container import Services
    from app.ports import SourceProvider
    from app.services.needs import Need
    from app.services.state import State
    from app.settings import Settings

_FREE_BYTES = 500_000_000
_CLOCK_SECONDS = 60
_HEAD_SECONDS = 5
_OTHERS = 0o077
# How long the answer to a few words may take.
_MODEL_SECONDS = 60.0
_ASKED = Prompt("You answer in one word.", "Is this a question? Answer yes or no.", purpose="check")


class _Red(Exception):
    """What is wrong, as one sentence of what to do."""


class _Note(str):
    """What is not wrong, but worth knowing."""

    __slots__ = ()


@dataclass(frozen=True)
class _Finding:
    check: str
    ok: bool
    message: str
    note: bool = False

    def __str__(self) -> str:
        state, color = ("note", "yellow") if self.note else ("ok", "green")
        if not self.ok:
            state, color = "WRONG", "red"
        return f"{click.style(f'{state:<5}', fg=color)} {self.check:<13}{self.message}"


@click.command()
@as_json
def doctor(as_json: bool) -> None:
    """Check the installation: settings, database, queue, model, sources, clock, disk, files.

    Each line is ok, a note, or says what to do. Exits 1 if something is wrong. Prints no secrets.
    """
    found = []
    for finding in _examine():
        found.append(finding)
        if not as_json:
            click.echo(finding)
    is_well = all(finding.ok for finding in found)
    if as_json:
        show({"ok": is_well, "checks": [vars(finding) for finding in found]}, as_json)
    if not is_well:
        sys.exit(1)


def _examine() -> Iterator[_Finding]:
    from app.settings import Settings, SettingsError

    try:
        settings = Settings.load()
    except SettingsError as error:
        said = str(error)
        yield _Finding("settings", False, said if said.endswith("?") else f"{said}.")
        return
    yield _Finding("settings", True, "All settings are valid.")

    def look(check: str, examine: Callable[[], str]) -> _Finding:
        try:
            ok, message = True, examine()
        except _Red as red:
            ok, message = False, str(red)
        note = isinstance(message, _Note)
        for secret in filter(None, settings.secrets):
            message = message.replace(secret, "…")
        return _Finding(check, ok, " ".join(message.split()), note)

    database = look("database", lambda: _database(settings))
    yield database
    if database.ok:
        from app.services import state

        held = services()
        if settings.redis_url is not None:
            yield look("redis", lambda: _redis(held))
        found = state.read(held.context)
        yield look("queue", lambda: _queue(found))
        yield look("schedule", lambda: _none_of(found.needs["scheduleLate"], "No rule is late."))
        yield look("clock", lambda: _clock(settings))
        if settings.has_endpoint or has_local_model(settings):
            yield look("prices", lambda: _prices(held))
    yield look("model", lambda: _model(settings))
    for name, provider in _sources(settings):
        yield look(name, partial(_searched, provider))
    if settings.backup_dir is not None:
        yield look("backup", partial(_backup, settings.backup_dir))
    yield look("disk", lambda: _disk(settings))
    yield look("files", lambda: _files(settings))


def _database(settings: "Settings") -> str:
    from sqlalchemy.exc import SQLAlchemyError

    from app.store.database import check

    try:
        bind_existing(settings)
        with database_faults(settings):
            check()
    except (Failed, SQLAlchemyError) as error:
        said = str(error) if isinstance(error, Failed) else database_fault(settings, error)
        raise _Red(f"{said[0].upper()}{said[1:]}") from None
    return "It can be read and written, and its tables are those of this version."


def _redis(held: "Services") -> str:
    from app.ports import QueueUnavailable

    try:
        held.context.queue.ping()
    except QueueUnavailable as error:
        raise _Red(f"{error} Check COPYDESK_REDIS_URL, and start Redis.") from None
    return "Redis answers."


def _none_of(needs: "Iterable[Need]", ok: str) -> str:
    """Return that all is well, unless something needs an operator."""
    if said := " ".join(map(str, needs)):
        raise _Red(said)
    return ok


def _queue(found: "State") -> str:
    number = sum(each.count for each in found.backlogs)
    waits = "job, run or webhook waits" if number == 1 else "jobs, runs and webhooks wait"
    ok = f"{number:,} {waits}, none for long." if number else "Nothing waits."
    return _none_of(found.needs["stalledWork"], ok)


def _clock(settings: "Settings") -> str:
    from app.adapters.system_clock import SystemClock
    from app.store.database import reading
    from app.store.state import clock, newest_time

    with reading() as session:
        of_database, newest = clock(session), newest_time(session)
    now = SystemClock().now()
    others = {"database": of_database, "model endpoint": _endpoint_time(settings)}
    for name, other in others.items():
        if isinstance(other, datetime) and abs((other - now).total_seconds()) > _CLOCK_SECONDS:
            raise _Red(
                f"The clocks of this machine and of the {name} differ by"
                f" {span(int(abs((other - now).total_seconds())))}. Synchronize them with a time"
                " server (NTP)."
            )
    if newest is not None and (newest - now).total_seconds() > _CLOCK_SECONDS:
        raise _Red(
            f"The clock says {wire_time(now)}, but something was stored at {wire_time(newest)}."
            " Synchronize it with a time server (NTP)."
        )
    return f"It is {wire_time(now)}."


def _endpoint_time(settings: "Settings") -> datetime | None:
    """Return the time of the model endpoint, from the head of an answer; None if it is unknown."""
    from email.utils import parsedate_to_datetime

    import httpx2

    if not settings.has_endpoint:
        return None
    address = settings.openai_base_url or "https://api.openai.com/v1"
    try:
        said = httpx2.head(address, timeout=_HEAD_SECONDS).headers["Date"]
        time = parsedate_to_datetime(said)
    except (httpx2.HTTPError, KeyError, ValueError):
        return None  # the check of the model says why
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _prices(held: "Services") -> str:
    from app.services import cost_reports

    missing = held.settings.unpriced_models
    if not missing:
        return "Each model in use has a price."
    quoted = " and ".join(f"“{name}”" for name in missing)
    if cost_reports.has_caps(held.context):
        raise _Red(
            f"There is a spend cap, but calls of {quoted} count nothing towards it:"
            " set the price in COPYDESK_MODEL_PRICES."
        )
    models = f"the model{'s' if len(missing) > 1 else ''} {quoted}"
    return _Note(f"Costs in money are unknown: COPYDESK_MODEL_PRICES has no price for {models}.")


def _model(settings: "Settings") -> str:
    from app.adapters.fallback_model import FallbackModel
    from app.container import NO_MODEL, pick_model
    from app.core.errors import ServiceError
    from app.deadline import Deadline

    if has_local_model(settings):
        return "It is the local model, which starts with the service."
    if not settings.has_endpoint and settings.local_model_url is None:
        raise _Red(NO_MODEL)
    quick = min(settings.model_timeout_seconds, _MODEL_SECONDS)
    model = pick_model(settings.model_copy(update={"model_timeout_seconds": quick}))
    models = model.models if isinstance(model, FallbackModel) else (model,)
    wrong = []
    for each in models:
        try:
            each.ping()
            # An endpoint that lists its models may still refuse a call, or answer without a text.
            each.complete(_ASKED, Deadline(2 * quick))
        except ServiceError as error:
            wrong.append(error.operator)
            if each is models[0] and settings.openai_base_url is None:
                wrong.insert(0, "OPENAI_BASE_URL is not set, so the OpenAI API is used.")
    if wrong:
        raise _Red(" ".join(wrong))
    second = "; so does the fall-back" if len(models) > 1 else ""
    return f"The endpoint answers{second}; {model.name} writes."


def _sources(settings: "Settings") -> "Iterator[tuple[str, SourceProvider]]":
    """Yield each feed of the operator's list as a provider of its own, and each other provider."""
    if not settings.has_sources:
        return
    from app.adapters.pages import HttpPageReader
    from app.container import pick_providers

    reader = HttpPageReader(settings.sources_allow_private)
    for number, url in enumerate(settings.source_feeds, 1):
        alone = settings.model_copy(update={"source_feeds": (url,)})
        yield f"source {number}", pick_providers(alone, reader)[0]
    others = settings.model_copy(update={"source_feeds": ()})
    yield from ((provider.name, provider) for provider in pick_providers(others, reader))


def _searched(provider: "SourceProvider") -> str:
    from app.ports import SourcesUnavailable

    try:
        provider.search("news", "en", 1)
    except SourcesUnavailable as error:
        raise _Red(f"{error} Check its setting.") from None
    return "It answers."


def _backup(folder: Path) -> str:
    from app.services.needs import backup_needs
    from app.store.backup import age_of_newest

    needs = list(backup_needs(folder))
    return _none_of(needs, "" if needs else f"It is {span(int(age_of_newest(folder)))} old.")


def _disk(settings: "Settings") -> str:
    from shutil import disk_usage
    from tempfile import gettempdir

    free = {}
    for folder in (settings.data_dir, settings.model_cache.expanduser(), Path(gettempdir())):
        there = next(
            each
            for each in (folder.absolute(), *folder.absolute().parents)
            if os.path.exists(each)  # noqa: PTH110 - false, and no error, where others may not look
        )
        free[there] = disk_usage(there).free
    fullest = min(free, key=lambda each: free[each])
    megabytes = free[fullest] // 1_000_000
    if free[fullest] < _FREE_BYTES:
        raise _Red(f"The disk of {fullest} has {megabytes:,} MB left. Free at least 500 MB.")
    return f"At least {megabytes:,} MB are free."


def _files(settings: "Settings") -> str:
    """Check the files that contain secrets: settings, and the database with webhook secrets."""
    data = settings.data_dir
    named = [data / f"copydesk.db{suffix}" for suffix in ("", "-wal", "-shm")]
    named += [data / "copydesk.toml", data / "service.json", Path(".env"), Path("docker/.env")]
    for path in named:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if mode & _OTHERS:
            raise _Red(f"Other users of this machine can read {path}. Run `chmod 600 {path}`.")
    return "Only you can read the files with secrets."
