"""The first page, and the settings."""

from typing import Any

from flask import Response, render_template, url_for

from app.console import setup, site
from app.console.site import blueprint
from app.container import services
from app.core.errors import NotFound
from app.services import failures, state
from app.services.needs import CHECKS, Need, Room
from app.store.overview import MOST_COUNTED

# The page that an entry of a check leads to, if it is not that of its rule, feed or account.
_PAGES = {
    "diskFull": "settings",
    "noSources": "settings",
    "scheduleLate": "feeds",
    "backupOld": "settings",
    "nearSpendCap": "settings",
    "failedWebhooks": "failed_webhooks",
}
_LISTS = {"job": "posts", "run": "feeds", "webhook": "posts"}
_BUTTONS = {
    "heldPosts": "Review",
    "unreadFeeds": "Connect a site",
    "saturatedRules": "Add keywords",
    "accountsNearLimit": "Change the plan",
    "nearSpendCap": "Change the cap",
    "abandonedPosts": "Show",
    "failedWebhooks": "Send again",
    "failingReceivers": "Show",
}


@blueprint.get("/")
def home() -> str:
    service = services()
    ports, reasons = service.health()
    found = state.read(service.context)
    rooms: dict[Room, list[tuple[str, Need]]] = {room: [] for room in Room}
    for check in CHECKS:
        rooms[check.room] += [(check.name, need) for need in found.needs[check.name]]
    problem = reasons.get("model", "")
    return render_template(
        "console/home.html",
        home=found,
        waits=rooms[Room.WAITS],
        failed=rooms[Room.FAILED],
        broken=rooms[Room.SERVICE],
        failed_jobs=[
            (reason, failures.explain(reason.last.error or {}, problem))
            for reason in found.failed_jobs
        ],
        page_of=_page_of,
        buttons=_BUTTONS,
        ports=ports,
        reasons=reasons,
        steps=setup.steps() if found.steps else {},
        done=setup.done(found.steps, service.settings) if found.steps else set(),
        chart=[(day.day, posts) for day, posts in found.days],
        most_counted=MOST_COUNTED,
    )


@blueprint.get("/console/")
def front() -> Response:
    """The address that people try when they have forgotten the right one."""
    return site.to("home")


@blueprint.get("/console/<path:nowhere>")
def nowhere(nowhere: str) -> str:
    raise NotFound("There is no such page.")


def _page_of(check: str, need: Need) -> str:
    """Return the page where something is put right, or shown."""
    if check == "heldPosts":
        return url_for("console.posts", feed=need.id, state="held")
    if check == "saturatedRules" or (check == "failingRules" and need.in_form):
        return url_for("console.update_rule", rule_id=need.id)
    if check == "abandonedPosts":
        return url_for("console.posts", feed=need.id, state="stopped")
    if need.kind:
        named: dict[str, Any] = {f"{need.kind}_id": need.id}
        return url_for(f"console.{need.kind}", **named)
    if check == "stalledWork":
        return url_for(f"console.{_LISTS[need.row.kind]}")
    if check == "failingReceivers" and need.row.off_since:
        return url_for("console.failed_webhooks", account=need.id)
    if check == "failingReceivers":
        return url_for("console.account", account_id=need.id)
    return url_for(f"console.{_PAGES[check]}")
