"""status and health."""

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from app.commands.output import as_json, fail, opened_database, settings_or_exit, show
from app.commands.service_address import public_url
from app.core.billing.costs import money, plain_dollars
from app.core.schemas.times import span

if TYPE_CHECKING:
    from app.services.cost_reports import Report
    from app.services.state import State
    from app.settings import Settings

_HEAD_SECONDS = 5


@click.command()
@as_json
def status(as_json: bool) -> None:
    """Show health, waiting work, and what needs you, as the console's first page does.

    With SQLite or COPYDESK_PUBLIC_URL, also whether the service answers.
    """
    settings = settings_or_exit()
    with opened_database(settings):
        from app.container import build
        from app.services import state

        held = build(settings)
        # What would be logged is printed below.
        logging.getLogger("app").addHandler(logging.NullHandler())
        ports, reasons = held.health(patient=True)
        if has_local_model(settings):
            ports["model"] = "ok"  # it starts with the service
            reasons.pop("model", None)
        if settings.public_url or settings.sqlalchemy_url.startswith("sqlite"):
            ports["service"], why = _service(public_url(settings))
            reasons |= {"service": why} if why else {}
        found = state.read(held.context)
    if as_json:
        show({"ports": ports, "reasons": reasons, **_members(found)}, as_json)
    else:
        click.echo("\n".join(_in_lines(ports, reasons, found)))


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


def has_local_model(settings: "Settings") -> bool:
    """Return whether the service writes with a local model, which is on this machine."""
    from app.adapters import weights

    if settings.has_endpoint or settings.local_model_url is not None:
        return False
    return weights.find(settings.model_cache.expanduser()) is not None


def _members(found: "State") -> dict[str, Any]:
    stalled = [need.row for need in found.needs["stalledWork"]]
    named = [(check, need) for check, needs in found.needs.items() for need in needs]
    return {
        "waiting": [
            {
                "work": each.name,
                "count": each.count,
                "oldestSeconds": each.seconds,
                "tooLong": each in stalled,
                "workersBusy": each.held > 0,
            }
            for each in found.backlogs
        ],
        "needs": [
            {"check": check, "kind": need.kind, "id": need.id, "message": str(need)}
            for check, need in named
        ],
        "costs": _costs(found.costs),
        "stoppedPosts": found.stopped,
        "postsPerDay": [{"day": day.isoformat(), "posts": posts} for day, posts in found.days],
    }


def _costs(report: "Report") -> dict[str, Any]:
    total = report.total
    return {
        "month": f"{report.period:%Y-%m}",
        "calls": total.figures.calls,
        "tokens": total.figures.tokens,
        "dollars": plain_dollars(total.figures.micros),
        "unpricedCalls": total.figures.unpriced,
    }


def _in_lines(ports: dict[str, str], reasons: dict[str, str], found: "State") -> Iterator[str]:
    from app.services.needs import work

    for name, state in ports.items():
        yield f"{name:<10}{state}"
        if name in reasons:
            yield f"{'':<10}{reasons[name]}"
    for waits in found.backlogs:
        age = f", the oldest for {span(waits.seconds)}" if waits.seconds else ""
        yield f"{'waiting':<10}{work(waits)}{age}{', some in progress' if waits.held else ''}"
    yield f"{'posts':<10}{sum(posts for _, posts in found.days):,} in 14 days"
    yield f"{'costs':<10}{money(found.costs.total.figures)} this month"
    yield ""
    if not found.number:
        yield "Nothing else needs you." if reasons else "Nothing needs you."
        return
    yield "Needs you:"
    yield from (f"  {need}" for needs in found.needs.values() for need in needs)


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
