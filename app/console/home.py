"""The first page, and the settings."""

from typing import Any

from flask import render_template, url_for

from app.console import browser
from app.console.site import blueprint
from app.services import overview, state
from app.services.needs import CHECKS, Need

# The page that an entry of a check leads to, if it is not that of its rule, feed or account.
_PAGES = {
    "scheduleLate": "feeds",
    "backupOld": "settings",
    "nearSpendCap": "account_list",
    "failedWebhooks": "failed_webhooks",
}
_LISTS = {"job": "posts", "run": "feeds", "webhook": "posts"}


@blueprint.get("/")
def home() -> str:
    held = browser.services()
    ports, reasons = held.health()
    found = state.read(held.context)
    return render_template(
        "console/home.html",
        home=found,
        checks=CHECKS,
        page_of=_page_of,
        ports=ports,
        reasons=reasons,
        chart=[(day.day, posts) for day, posts in found.days],
        most_counted=overview.MOST_COUNTED,
    )


def _page_of(check: str, need: Need) -> str:
    """Return the page of what is wrong, or of its cause."""
    if need.kind:
        named: dict[str, Any] = {f"{need.kind}_id": need.id}
        return url_for(f"console.{need.kind}", **named)
    if check == "stalledWork":
        return url_for(f"console.{_LISTS[need.row.kind]}")
    if check == "receiversOff":
        return url_for("console.failed_webhooks", account=need.id)
    return url_for(f"console.{_PAGES[check]}")
