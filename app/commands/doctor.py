"""doctor."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands.health import has_local_model
from app.commands.output import (
    Failed,
    as_json,
    bind_existing,
    database_faults,
    fail,
    services,
    settings_or_exit,
    show,
)
from app.core.schemas.times import span, wire_time
from app.writing.completion import Prompt

if TYPE_CHECKING:
    from app.container import Services
    from app.ports import SourceProvider
    from app.services.needs import Need
    from app.settings import Settings

_FREE_BYTES = 500_000_000
_CLOCK_SECONDS = 60
_OTHERS = 0o077
# How long the answer to a few words may take.
_MODEL_SECONDS = 60.0
_ASKED = Prompt("You answer in one word.", "Is this a question? Answer yes or no.", purpose="check")
# What of the state of the installation is a fault of it, and what is said if nothing is.
_NEEDS = {
    "queue": ("stalledWork", "No work waits for long."),
    "schedule": ("scheduleLate", "No rule is late."),
    "backup": ("backupOld", "The newest backup is not old."),
}


@click.command()
@as_json
def doctor(as_json: bool) -> None:
    """Check the installation: settings, database, queue, model, sources, clock, disk, files.

    Each line is ok, or says what to do. Exits 1 if something is wrong. Prints no secrets.
    """
    found = []
    for finding in _examine():
        found.append(finding)
        if not as_json:
            color, state = ("green", "ok") if finding["ok"] else ("red", "WRONG")
            styled = click.style(f"{state:<5}", fg=color)
            click.echo(f"{styled} {finding['check']:<13}{finding['message']}")
    is_well = all(finding["ok"] for finding in found)
    if as_json:
        show({"ok": is_well, "checks": found}, as_json)
    if not is_well:
        sys.exit(1)


def _examine() -> Iterator[dict[str, Any]]:
    secrets: tuple[str, ...] = ()

    def look(check: str, examine: Callable[[], str]) -> dict[str, Any]:
        try:
            ok, said = True, examine()
        except Failed as failed:
            ok, said = False, f"{failed.message[0].upper()}{failed.message[1:]}"
        for secret in filter(None, secrets):
            said = said.replace(secret, "…")
        said = " ".join(said.split())
        return {"check": check, "ok": ok, "message": said if said[-1] in ".?" else f"{said}."}

    valid = look("settings", _settings)
    yield valid
    if not valid["ok"]:
        return
    settings = settings_or_exit()
    secrets = settings.secrets
    database = look("database", lambda: _database(settings))
    yield database
    if database["ok"]:
        from app.services import state

        held = services()
        if settings.redis_url is not None:
            yield look("redis", lambda: _redis(held))
        needs = state.read(held.context).needs
        for check, (name, ok) in _NEEDS.items():
            if check != "backup" or settings.backup_dir is not None:
                yield look(check, partial(_none_of, needs[name], ok))
        yield look("clock", _clock)
        if settings.has_endpoint or has_local_model(settings):
            yield look("prices", lambda: _prices(held))
    yield look("model", lambda: _model(settings))
    for name, provider in _sources(settings):
        yield look(name, partial(_searched, provider))
    yield look("disk", lambda: _disk(settings))
    yield look("files", lambda: _files(settings))


def _settings() -> str:
    settings_or_exit()
    return "All settings are valid."


def _none_of(needs: "Sequence[Need]", ok: str) -> str:
    if needs:
        fail(" ".join(map(str, needs)))
    return ok


def _database(settings: "Settings") -> str:
    from app.store.database import check

    bind_existing(settings)
    with database_faults(settings):
        check()
    return "It can be read and written, and its tables are those of this version."


def _redis(held: "Services") -> str:
    from app.ports import QueueUnavailable

    try:
        held.context.queue.ping()
    except QueueUnavailable as error:
        fail(f"{error} Check COPYDESK_REDIS_URL, and start Redis.")
    return "Redis answers."


def _clock() -> str:
    from app.adapters.system_clock import SystemClock
    from app.store.database import reading
    from app.store.state import clock, newest_time

    with reading() as session:
        of_database, newest = clock(session), newest_time(session)
    now = SystemClock().now()
    # SQLite has no clock of its own.
    differs = 0 if isinstance(of_database, str) else abs((of_database - now).total_seconds())
    if differs > _CLOCK_SECONDS:
        fail(
            f"The clocks of this machine and of the database differ by {span(int(differs))}."
            " Synchronize them with a time server (NTP)."
        )
    if newest is not None and (newest - now).total_seconds() > _CLOCK_SECONDS:
        fail(
            f"The clock says {wire_time(now)}, but something was stored at {wire_time(newest)}."
            " Synchronize it with a time server (NTP)."
        )
    return f"It is {wire_time(now)}."


def _prices(held: "Services") -> str:
    from app.services import cost_reports

    missing = held.settings.unpriced_models
    if not missing:
        return "Each model in use has a price."
    quoted = " and ".join(f"“{name}”" for name in missing)
    if cost_reports.has_caps(held.context):
        fail(
            f"There is a spend cap, but calls of {quoted} count nothing towards it:"
            " set the price in COPYDESK_MODEL_PRICES."
        )
    models = f"the model{'s' if len(missing) > 1 else ''} {quoted}"
    return f"Costs in money are unknown: COPYDESK_MODEL_PRICES has no price for {models}."


def _model(settings: "Settings") -> str:
    from app.adapters.fallback_model import FallbackModel
    from app.container import NO_MODEL, pick_models
    from app.core.errors import ServiceError
    from app.deadline import Deadline

    if has_local_model(settings):
        return "It is the local model, which starts with the service."
    if not settings.has_endpoint and settings.local_model_url is None:
        fail(NO_MODEL)
    quick = min(settings.model_timeout_seconds, _MODEL_SECONDS)
    model, _ = pick_models(settings.model_copy(update={"model_timeout_seconds": quick}))
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
        fail(" ".join(wrong))
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
        fail(f"{error} Check its setting.")
    return "It answers."


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
        fail(f"The disk of {fullest} has {megabytes:,} MB left. Free at least 500 MB.")
    return f"At least {megabytes:,} MB are free."


def _files(settings: "Settings") -> str:
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
