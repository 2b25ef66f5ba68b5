"""The first page, what the desk stopped, and the settings."""

from flask import render_template, request

from app.console import browser
from app.console.site import blueprint, for_operators
from app.container import NO_MODEL, Services
from app.services import attention, overview
from app.services.readiness import OK


@blueprint.get("/")
@for_operators
def home() -> str:
    held = browser.services()
    ports = dict(held.readiness.report(held.context))
    found = attention.home(held.context)
    is_new = found.steps and not ports["model"].startswith(OK)
    download = held.local_model_download() if is_new else None
    reasons = held.readiness.reasons()
    if reasons.get("model") == NO_MODEL:
        ports["model"] = "none set"
    return render_template(
        "console/home.html",
        home=found,
        ports=ports,
        reasons=reasons,
        download=download,
        reloads=download is not None and "follow" in request.args,
        late=attention.NO_SCHEDULER if _is_late(held) else "",
        chart=[(each.day.day, each.posts) for each in found.days],
        most_counted=overview.MOST_COUNTED,
    )


def _is_late(held: Services) -> bool:
    return attention.is_schedule_late(held.context, held.settings.tick_seconds)


@blueprint.get("/console/stopped")
@for_operators
def stopped() -> str:
    found = attention.stopped(browser.services().context)
    most = attention.FAILURES_READ
    return render_template("console/stopped.html", stopped=found, days=attention.DAYS, most=most)


@blueprint.get("/console/settings")
@for_operators
def settings() -> str:
    settings = browser.services().settings
    return render_template("console/settings.html", rows=settings.shown())
