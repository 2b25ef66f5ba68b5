"""status, health and doctor."""

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands.output import (
    as_json,
    database_fault,
    fail,
    opened_database,
    services,
    settings_or_exit,
    show,
)
from app.commands.service_address import public_url
from app.core.billing.costs import plain_dollars
from app.core.schemas.times import wire_time
from app.writing.completion import Prompt

if TYPE_CHECKING:
    from app.container import Services
    from app.services.attention import Home
    from app.settings import Settings

_FREE_BYTES = 500_000_000
_CLOCK_SECONDS = 60
_HEAD_SECONDS = 5
_OTHERS = 0o077
# A backup is made every day, and takes its time.
_BACKUP_SECONDS = 25 * 3600
# How long the answer to a few words may take.
_MODEL_SECONDS = 60.0
_ASKED = Prompt("You answer in one word.", "Is this a question? Answer yes or no.", purpose="check")
_STARTS = "the local model, which starts with the service"


@click.command()
@as_json
def status(as_json: bool) -> None:
    """Show health, waiting work, and what needs you, as the console's first page does.

    With SQLite or COPYDESK_PUBLIC_URL, also whether the service answers.
    """
    settings = settings_or_exit()
    with opened_database(settings):
        from app.services import attention

        held = services()
        with _unlogged("app.services.readiness"):
            ports = dict(held.readiness.report(held.context, patient=True))
        reasons = dict(held.readiness.reasons())
        if _is_local(settings):
            ports["model"], reasons["model"] = _local_model(settings)
        if settings.public_url or settings.sqlalchemy_url.startswith("sqlite"):
            ports["service"], reasons["service"] = _service(public_url(settings))
        home = attention.home(held.context)
        is_late = attention.is_schedule_late(held.context, settings.tick_seconds)
    found = _as_json(ports, {name: why for name, why in reasons.items() if why}, home)
    found["scheduleLate"] = is_late
    if as_json:
        show(found, as_json)
    else:
        click.echo("\n".join(_in_lines(found)))


@contextmanager
def _unlogged(name: str) -> Iterator[None]:
    """Silence a logger: the command prints what it would log."""
    logger = logging.getLogger(name)
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = False


def _service(address: str) -> tuple[str, str]:
    """Return the state of the web server at an address, and what is wrong with it ("" if nothing).

    On a database server, other machines may be the service: its address must be set to be asked.
    """
    from http.client import HTTPException
    from urllib.request import ProxyHandler, build_opener

    try:
        # The setting allows http and https only.
        with build_opener(ProxyHandler({})).open(f"{address}/healthz", timeout=_HEAD_SECONDS):
            return "ok", ""
    except (OSError, HTTPException):
        return "unreachable", (
            f"{address} does not answer. Start `copydesk-server run`, or set COPYDESK_PUBLIC_URL"
            " to the address of the service."
        )


def _is_local(settings: "Settings") -> bool:
    return not settings.has_endpoint and settings.local_model_url is None


def _local_model(settings: "Settings") -> tuple[str, str]:
    """Return the state of the local model, and what is wrong with it ("" if nothing)."""
    from app.adapters import weights
    from app.container import NO_MODEL

    if weights.find(settings.model_cache.expanduser()) is None:
        return "none set", NO_MODEL
    return "ok", ""


def _as_json(ports: Mapping[str, str], reasons: Mapping[str, str], home: "Home") -> dict[str, Any]:
    return {
        "ports": ports,
        "reasons": reasons,
        "waiting": [
            {
                "work": each.name,
                "count": each.count,
                "oldestSeconds": each.seconds,
                "tooLong": each in home.stalled,
                "workersBusy": each.is_held,
            }
            for each in home.backlogs
        ],
        "failingRules": [
            {
                "ruleId": rule.id,
                "name": rule.name,
                "failures": rule.failures,
                "lastError": rule.last_error,
            }
            for rule in home.failing
        ],
        "saturatedRules": [
            {
                "ruleId": rule.id,
                "name": rule.name,
                "since": rule.saturated_since and wire_time(rule.saturated_since),
            }
            for rule in home.saturated
        ],
        "fullRules": [{"ruleId": rule.id, "name": rule.name} for rule in home.full],
        "unreadFeeds": [
            {
                "feedId": feed.feed_id,
                "name": feed.name,
                "posts": feed.count,
                "since": wire_time(feed.since),
            }
            for feed in home.unread
        ],
        "accountsNearLimit": [
            {
                "accountId": near.account_id,
                "name": near.name,
                "words": near.words,
                "monthlyWords": near.limit,
            }
            for near in home.near_limit
        ],
        "nearSpendCap": [
            {
                "kind": near.kind.value,
                "id": near.id or None,
                "name": near.name or None,
                "dollars": plain_dollars(near.micros),
                "capDollars": plain_dollars(near.cap),
                "reached": near.is_reached,
            }
            for near in home.near_caps
        ],
        "costs": _costs(home),
        "failedWebhooks": home.failed_webhooks,
        "retriedWebhooks": [
            {
                "jobId": sent.job_id,
                "failures": sent.failures,
                "lastAnswer": sent.last_answer,
                "againAt": wire_time(sent.again_at),
            }
            for sent in home.retried
        ],
        "receiversOff": [
            {
                "accountId": off.account_id,
                "site": off.site,
                "failingSince": wire_time(off.failing_since) if off.failing_since else None,
                "lastAnswer": off.last_answer,
            }
            for off in home.receivers_off
        ],
        "stoppedPosts": home.stopped,
        "postsPerDay": [{"day": each.day.isoformat(), "posts": each.posts} for each in home.days],
    }


def _costs(home: "Home") -> dict[str, Any]:
    total = home.costs.total
    return {
        "month": f"{home.costs.period:%Y-%m}",
        "calls": total.figures.calls,
        "tokens": total.figures.tokens,
        "dollars": plain_dollars(total.figures.micros),
        "unpricedCalls": total.figures.unpriced,
        "forecastDollars": None if total.forecast is None else plain_dollars(total.forecast),
    }


def _in_lines(found: Mapping[str, Any]) -> Iterator[str]:
    for name, state in found["ports"].items():
        yield f"{name:<10}{state}"
        if why := found["reasons"].get(name):
            yield f"{'':<10}{why}"
    for waits in found["waiting"]:
        age = f", the oldest for {_ago(waits['oldestSeconds'])}" if waits["oldestSeconds"] else ""
        held = ", some in progress" if waits["workersBusy"] else ""
        yield f"{'waiting':<10}{_number(waits['count'])} {waits['work']}{age}{held}"
    yield f"{'posts':<10}{sum(day['posts'] for day in found['postsPerDay']):,} in 14 days"
    costs = found["costs"]
    money = f"${costs['dollars']}"
    if number := costs["unpricedCalls"]:
        calls = f"{number:,} {'call' if number == 1 else 'calls'} of a model without a price"
        money = f"unknown: {calls}" if number == costs["calls"] else f"{money}, and {calls}"
    yield f"{'costs':<10}{money} this month"
    needs = list(_needs(found))
    yield ""
    if not needs:
        yield "Nothing else needs you." if found["reasons"] else "Nothing needs you."
        return
    yield "Needs you:"
    yield from (f"  {each}" for each in needs)


def _needs(found: Mapping[str, Any]) -> Iterator[str]:
    for waits in found["waiting"]:
        if waits["tooLong"]:
            why = "start more workers" if waits["workersBusy"] else "no worker takes them"
            yield f"{_number(waits['count'])} {waits['work']} wait for too long: {why}."
    if found["scheduleLate"]:
        yield "A rule has been due for too long: no scheduler runs."
    for rule in found["failingRules"]:
        times = "once" if rule["failures"] == 1 else f"{rule['failures']} times in a row"
        why = f" {rule['lastError']}" if rule["lastError"] else ""
        yield f"The rule “{rule['name']}” ({rule['ruleId']}) failed {times}.{why}"
    for rule in found["saturatedRules"]:
        yield f"The rule “{rule['name']}” ({rule['ruleId']}) has nothing new to write."
    for rule in found["fullRules"]:
        yield (f"The rule “{rule['name']}” ({rule['ruleId']}) waits until a site pulls its posts.")
    for feed in found["unreadFeeds"]:
        yield (
            f"Nobody pulls the feed “{feed['name']}” ({feed['feedId']}):"
            f" {feed['posts']} unread since {feed['since']}."
        )
    for near in found["accountsNearLimit"]:
        yield (
            f"The account “{near['name']}” ({near['accountId']}) has used {near['words']:,} of"
            f" {near['monthlyWords']:,} words."
        )
    for near in found["nearSpendCap"]:
        whose = f"The {near['kind']}"
        if near["id"]:
            whose += f" “{near['name']}” ({near['id']})"
        state = "and waits for the next month" if near["reached"] else "this month"
        yield f"{whose} has spent ${near['dollars']} of ${near['capDollars']}, {state}."
    for off in found["receiversOff"]:
        yield (
            f"{off['site']} gets no webhooks of account {off['accountId']}: it has failed since"
            f" {off['failingSince']}. Once it is repaired, replay one."
        )
    for sent in found["retriedWebhooks"]:
        said = f" {sent['lastAnswer']}." if sent["lastAnswer"] else ""
        yield f"A webhook of {sent['jobId']} failed {sent['failures']} times.{said}"
    if number := found["failedWebhooks"]:
        were = "1 webhook was" if number == 1 else f"{_number(number)} webhooks were"
        yield f"{were} given up. `copydesk-server webhook list --status failed` shows them."


def _number(counted: int) -> str:
    """Return a number that was counted up to 1,000."""
    from app.services.overview import MOST_COUNTED

    return f"{counted:,}{'+' if counted >= MOST_COUNTED else ''}"


def _ago(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"


@click.command()
def health() -> None:
    """Exit with 1 if the worker or scheduler that runs here makes no progress.

    It needs COPYDESK_HEARTBEAT_FILE, with the same value as the worker or scheduler. A web server
    answers /healthz instead.
    """
    from app.heartbeat import trouble

    file = settings_or_exit().heartbeat_file
    if file is None:
        fail("COPYDESK_HEARTBEAT_FILE is not set.", code=2)
    if found := trouble(file):
        fail(found)
    click.echo("ok")


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
            state, color = ("ok", "green") if finding.ok else ("WRONG", "red")
            if finding.note:
                state, color = "note", "yellow"
            click.echo(
                f"{click.style(f'{state:<5}', fg=color)} {finding.check:<12}{finding.message}"
            )
    is_well = all(finding.ok for finding in found)
    if as_json:
        checks = [vars(finding) for finding in found]
        show({"ok": is_well, "checks": checks}, as_json)
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
        held = services()
        if settings.redis_url is not None:
            yield look("redis", lambda: _redis(held))
        yield look("queue", lambda: _queue(held))
        yield look("schedule", lambda: _schedule(held))
        yield look("clock", lambda: _clock(held))
        if not _is_local(settings) or _local_model(settings)[0] == "ok":
            yield look("prices", lambda: _prices(settings, held))
    yield look("model", lambda: _model(settings))
    if settings.has_sources:
        for name, examine in _sources(settings):
            yield look(name, examine)
    if settings.backup_dir is not None:
        yield look("backup", partial(_backup, settings.backup_dir))
    yield look("disk", lambda: _disk(settings))
    yield look("files", lambda: _files(settings))


def _database(settings: "Settings") -> str:
    from sqlalchemy.exc import SQLAlchemyError

    from app.store.database import Schema, bind, check, file_is_there, schema
    from app.store.trouble import DatabaseTrouble

    # Checked first: binding a SQLite database creates its folder.
    if not file_is_there(settings.sqlalchemy_url):
        raise _Red(Schema.MISSING.value)
    try:
        bind(settings.sqlalchemy_url)
        found = schema()
        if found is not Schema.CURRENT:
            raise _Red(found.value)
        check()
    except DatabaseTrouble as trouble:
        raise _Red(str(trouble)) from None
    except (SQLAlchemyError, OSError) as error:
        fault = database_fault(settings, error)
        raise _Red(f"{fault[0].upper()}{fault[1:]}") from None
    return "It can be read and written, and its tables are those of this version."


def _redis(held: "Services") -> str:
    from app.ports import QueueUnavailable

    try:
        held.context.queue.ping()
    except QueueUnavailable as error:
        raise _Red(f"{error} Check COPYDESK_REDIS_URL, and start Redis.") from None
    return "Redis answers."


def _queue(held: "Services") -> str:
    from app.services import attention

    home = attention.home(held.context)
    backlogs = home.backlogs
    oldest = max(backlogs, key=lambda each: each.seconds)
    if home.stalled:
        raise _Red(
            f"{oldest.count:,} {oldest.name} wait, the oldest for {_ago(oldest.seconds)}. Start the"
            " service or more workers, and see `copydesk-server status`."
        )
    number = sum(each.count for each in backlogs)
    if not number:
        return "Nothing waits."
    waits = "job, run or webhook waits" if number == 1 else "jobs, runs and webhooks wait"
    return f"{number:,} {waits}, none for long."


def _schedule(held: "Services") -> str:
    from app.services import attention

    if attention.is_schedule_late(held.context, held.settings.tick_seconds):
        raise _Red(attention.NO_SCHEDULER)
    return "No rule is late."


def _clock(held: "Services") -> str:
    from app.adapters.system_clock import SystemClock
    from app.store.attention import clock, newest_time
    from app.store.database import reading

    with reading() as session:
        of_database, newest = clock(session), newest_time(session)
    others = {"database": of_database, "model endpoint": _endpoint_time(held.settings)}
    now = SystemClock().now()
    for name, other in others.items():
        if isinstance(other, datetime) and abs((other - now).total_seconds()) > _CLOCK_SECONDS:
            seconds = _ago(int(abs((other - now).total_seconds())))
            raise _Red(
                f"The clocks of this machine and of the {name} differ by {seconds}. Synchronize"
                " them with a time server (NTP)."
            )
    if newest is not None and (newest - now).total_seconds() > _CLOCK_SECONDS:
        raise _Red(
            f"The clock says {wire_time(now)}, but something was stored at {wire_time(newest)}."
            " Synchronize it with a time server (NTP)."
        )
    return f"It is {wire_time(now)}."


def _prices(settings: "Settings", held: "Services") -> str:
    from app.services import cost_reports

    missing = settings.unpriced_models
    if missing and cost_reports.has_caps(held.context):
        raise _Red(
            f"There is a spend cap, but calls of {_quoted(missing)} count nothing towards it:"
            " set the price in COPYDESK_MODEL_PRICES."
        )
    if missing:
        models = f"the model{'s' if len(missing) > 1 else ''} {_quoted(missing)}"
        return _Note(
            f"Costs in money are unknown: COPYDESK_MODEL_PRICES has no price for {models}."
        )
    return "Each model in use has a price."


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(f"“{name}”" for name in names)


def _endpoint_time(settings: "Settings") -> datetime | None:
    """Return the time of the model endpoint, from the head of an answer; None if it is unknown."""
    from email.utils import parsedate_to_datetime
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    if not settings.has_endpoint:
        return None
    address = settings.openai_base_url or "https://api.openai.com/v1"
    try:
        # The setting allows http and https only.
        with urlopen(Request(address, method="HEAD"), timeout=_HEAD_SECONDS) as answer:  # noqa: S310
            said = answer.headers["Date"]
    except HTTPError as error:  # it needs a key, which does not matter here
        said = error.headers["Date"]
    except (OSError, HTTPException):
        return None  # the check of the model says why
    try:
        time = parsedate_to_datetime(said)
    except (TypeError, ValueError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _model(settings: "Settings") -> str:
    from app.adapters.fallback_model import FallbackModel
    from app.core.errors import ServiceError
    from app.deadline import Deadline

    if _is_local(settings):
        state, why = _local_model(settings)
        if state != "ok":
            raise _Red(why)
        return f"It is {_STARTS}."
    from app.container import pick_model

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


def _sources(settings: "Settings") -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield a check for each provider of sources, and for each feed of the operator's list."""
    from app.adapters.pages import HttpPageReader
    from app.adapters.rss_sources import RssSources
    from app.adapters.web_search import BraveSources, SearxngSources, TavilySources
    from app.ports import SourceProvider, SourcesUnavailable

    def searched(provider: SourceProvider) -> Callable[[], str]:
        def search() -> str:
            try:
                provider.search("news", "en", 1)
            except SourcesUnavailable as error:
                raise _Red(f"{error} Check its setting.") from None
            return "It answers."

        return search

    reader = HttpPageReader(settings.sources_allow_private)
    for number, url in enumerate(settings.source_feeds, 1):
        yield f"source {number}", searched(RssSources([url.get_secret_value()], reader))
    if settings.searxng_url is not None:
        yield "SearXNG", searched(SearxngSources(settings.searxng_url))
    if settings.brave_api_key is not None:
        yield "Brave", searched(BraveSources(settings.brave_api_key.get_secret_value()))
    if settings.tavily_api_key is not None:
        yield "Tavily", searched(TavilySources(settings.tavily_api_key.get_secret_value()))


def _backup(folder: Path) -> str:
    from app.store.backup import age_of_newest

    age = age_of_newest(folder)
    if age == float("inf"):
        raise _Red(f"There is no backup in {folder}, or you may not look there.")
    if age > _BACKUP_SECONDS:
        raise _Red(f"The newest backup in {folder} is {_ago(int(age))} old. See why none followed.")
    return f"The newest backup is {_ago(int(age))} old."


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
