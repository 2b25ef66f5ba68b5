"""The pages of the console."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, g, make_response, render_template, request, url_for

from app.console import browser
from app.console.words import ago, count, moment, post_html, web
from app.core.errors import ServiceError
from app.core.feed.rule import format_every, parse_every
from app.services import accounts, evidence, operators, overview, rules, webhooks
from app.services.operators import SignedIn

blueprint = Blueprint(
    "console",
    __name__,
    template_folder="templates",
    static_folder="static",
    static_url_path="/console",
)
blueprint.add_app_template_filter(moment)
blueprint.add_app_template_filter(ago)
blueprint.add_app_template_filter(count)
blueprint.add_app_template_filter(web)
blueprint.after_request(browser.protect)
_STATUS = {"FORBIDDEN": 403, "NOT_FOUND": 404, "CONFLICT": 409, "RATE_LIMITED": 429}

View = Callable[..., Response | str]


def for_operators(view: View) -> View:
    """Return a view that a browser without a session leaves for the sign-in page."""

    @wraps(view)
    def guarded(**arguments: Any) -> Response | str:
        if browser.operator() is None:
            return browser.see_other(url_for("console.sign_in", next=_here()))
        return view(**arguments)

    return guarded


def for_changes(view: View) -> View:
    """Return a view that only a form of an operator who may write reaches; it is logged first."""

    @wraps(view)
    def guarded(**arguments: Any) -> Response | str:
        who = _who()
        g.form = browser.form_of(who)
        subject = next(iter(arguments.values()), "")
        operators.record_change(browser.services().context, who, view.__name__, str(subject))
        return view(**arguments)

    return for_operators(guarded)


def _who() -> SignedIn:
    found = browser.operator()
    assert found is not None  # noqa: S101 - a guard has looked
    return found


def _here() -> str:
    return request.full_path.rstrip("?") if request.method == "GET" else ""


@blueprint.app_context_processor
def _shared() -> dict[str, Any]:
    """What every page of the console may use."""
    if request.blueprint != "console":
        return {}
    return {"operator": browser.operator(), "now": browser.services().context.clock.now()}


@blueprint.errorhandler(ServiceError)
def _error(error: ServiceError) -> Response:
    status = _STATUS.get(error.code, 400)
    answer = make_response(render_template("console/error.html", error=error), status)
    if error.retry_after is not None:
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


@blueprint.get("/sign-in")
def sign_in() -> Response | str:
    """The form, or who has to be created first."""
    return _sign_in_page("")


@blueprint.post("/sign-in")
def begin_session() -> Response | str:
    sent = browser.form()
    name, password = sent.get("name", "")[:200], sent.get("password", "")[:1000]
    context = browser.services().context
    secret = operators.sign_in(context, name, password, browser.network())
    if secret is None:
        return make_response(_sign_in_page("Name or password is wrong."), 403)
    return browser.sign_in_with(secret, _safe(request.args.get("next", "")))


def _sign_in_page(problem: str) -> str:
    return render_template("console/sign_in.html", problem=problem, is_new=not operators.is_any())


def _safe(target: str) -> str:
    """Return a path of this service; anything else becomes the first page."""
    parts = urlsplit(target)
    inside = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if inside and not parts.netloc and "\\" not in target else "/"


@blueprint.post("/sign-out")
@for_operators
def sign_out() -> Response:
    browser.form_of(_who())
    operators.sign_out(request.cookies.get(browser.COOKIE, ""))
    return browser.signed_out(url_for("console.sign_in"))


@blueprint.get("/")
@for_operators
def home() -> str:
    held = browser.services()
    ports = held.readiness.report(held.context)
    return render_template("console/home.html", home=overview.home(held.context), ports=ports)


@blueprint.get("/feeds")
@for_operators
def feeds() -> str:
    return _list("console/feeds.html", overview.feeds(_before()), lambda row: row[0].id)


@blueprint.get("/feeds/<feed_id>")
@for_operators
def feed(feed_id: str) -> str:
    row, account = overview.feed(feed_id)
    listed = rules.list_rules(browser.services().context, feed_id)
    return render_template("console/feed.html", feed=row, account=account, rules=listed)


@blueprint.post("/feeds/<feed_id>/pause")
@for_changes
def pause_feed(feed_id: str) -> Response:
    accounts.pause_token(feed_id, paused=True)
    return _to("feed", feed_id=feed_id)


@blueprint.post("/feeds/<feed_id>/resume")
@for_changes
def resume_feed(feed_id: str) -> Response:
    accounts.pause_token(feed_id, paused=False)
    return _to("feed", feed_id=feed_id)


@blueprint.post("/feeds/<feed_id>/rules")
@for_changes
def create_rule(feed_id: str) -> Response:
    keywords = [line.strip() for line in g.form.get("keywords", "").splitlines() if line.strip()]
    name = g.form.get("name", "").strip() or next(iter(keywords), "New rule")[:100]
    new = rules.NewRule(name, {"keywords": keywords}, parse_every(g.form.get("every", "")))
    return _to("rule", rule_id=rules.create_rule(browser.services().context, feed_id, new))


@blueprint.get("/rules/<rule_id>")
@for_operators
def rule(rule_id: str) -> str:
    planned = rules.plan_rule(browser.services().context, rule_id, 5)
    return render_template(
        "console/rule.html",
        rule=planned.rule,
        plan=planned,
        runs=rules.list_runs(rule_id, 20),
        items=overview.items_of_rule(rule_id),
        every=format_every(timedelta(seconds=planned.rule.row.every_seconds)),
    )


@blueprint.post("/rules/<rule_id>/pause")
@for_changes
def pause_rule(rule_id: str) -> Response:
    rules.pause_rule(browser.services().context, rule_id, paused=True)
    return _to("rule", rule_id=rule_id)


@blueprint.post("/rules/<rule_id>/resume")
@for_changes
def resume_rule(rule_id: str) -> Response:
    rules.pause_rule(browser.services().context, rule_id, paused=False)
    return _to("rule", rule_id=rule_id)


@blueprint.get("/items")
@for_operators
def items() -> str:
    return _list("console/items.html", overview.items(_before()), lambda row: row.id)


@blueprint.get("/items/<item_id>")
@for_operators
def item(item_id: str) -> str:
    return render_template(
        "console/item.html",
        item=(found := overview.item(item_id)),
        html=post_html(found.row.html),
        evidence=evidence.find(item_id),
    )


@blueprint.get("/jobs")
@for_operators
def jobs() -> str:
    return _list("console/jobs.html", overview.jobs(_before()), lambda row: row[0].id)


@blueprint.get("/jobs/<job_id>")
@for_operators
def job(job_id: str) -> str:
    found = overview.job(job_id)
    sent = webhooks.list_deliveries(job_id=job_id)
    rendered = ((found.result or {}).get("rendered") or {}).get("html", "")
    return render_template(
        "console/job.html",
        job=found,
        deliveries=sent,
        html=post_html(rendered),
        evidence=evidence.find(job_id),
    )


@blueprint.post("/webhooks/<delivery_id>/replay")
@for_changes
def replay_webhook(delivery_id: str) -> Response:
    webhooks.replay(browser.services().context, delivery_id)
    return browser.see_other(_safe(g.form.get("back", "")))


@blueprint.get("/webhooks")
@for_operators
def failed_webhooks() -> str:
    failed = webhooks.list_deliveries(status="failed", limit=overview.PAGE)
    return render_template("console/webhooks.html", deliveries=failed)


@blueprint.get("/accounts")
@for_operators
def account_list() -> str:
    page = overview.accounts(browser.services().context, _before())
    return _list("console/accounts.html", page, lambda row: row[0].id)


@blueprint.get("/audit")
@for_operators
def audit() -> str:
    return _list(
        "console/audit.html", operators.audit_log(_before(), overview.PAGE), lambda e: e.id
    )


def _before() -> str:
    return request.args.get("before", "")[:64]


def _list(template: str, rows: Any, key: Callable[[Any], str]) -> str:
    """Return a page of a list, with a link to the next one if there may be more."""
    more = key(rows[-1]) if len(rows) == overview.PAGE else ""
    return render_template(template, rows=rows, more=more, is_first=not _before())


def _to(page: str, **arguments: Any) -> Response:
    return browser.see_other(url_for(f"console.{page}", **arguments))
