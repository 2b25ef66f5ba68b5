"""The first page, and what the desk stopped."""

from flask import render_template

from app.console import browser
from app.console.site import blueprint, for_operators
from app.services import attention


@blueprint.get("/")
@for_operators
def home() -> str:
    held = browser.services()
    ports = held.readiness.report(held.context)
    found = attention.home(held.context)
    return render_template(
        "console/home.html",
        home=found,
        ports=ports,
        reasons=held.readiness.reasons(),
        chart=[(each.day.day, each.posts) for each in found.days],
    )


@blueprint.get("/console/stopped")
@for_operators
def stopped() -> str:
    found = attention.stopped(browser.services().context)
    return render_template("console/stopped.html", stopped=found, days=attention.DAYS)
