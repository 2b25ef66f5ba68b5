"""What all pages of the console share: the blueprint, who may see a page, and lists."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from secrets import token_hex
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, g, make_response, render_template, request, url_for
from sqlalchemy.exc import InterfaceError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.console import browser, forms, words
from app.core.billing.costs import dollars, money, plain_dollars
from app.core.errors import ServiceError
from app.core.schemas.times import span
from app.services import operators, overview, state
from app.services.operators import SignedIn

log = logging.getLogger(__name__)
blueprint = Blueprint(
    "console",
    __name__,
    template_folder="templates",
    static_folder="static",
    static_url_path="/console/static",
)
_FILTERS = (
    words.moment,
    words.short,
    words.count,
    words.capped,
    words.web,
    words.tone,
    words.place,
    words.commands,
    dollars,
    money,
    plain_dollars,
    span,
)
for _filter in _FILTERS:
    blueprint.add_app_template_filter(_filter)
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
    """Return a view that only a form of an operator who may write reaches; it is logged first.

    The log names the object in the path, or what the form names.
    """

    @wraps(view)
    def guarded(**arguments: Any) -> Response | str:
        who = signed_in()
        g.form = browser.form_of(who)
        subject = next(iter(arguments.values()), None) or _named(g.form)
        operators.require_write(who)
        operators.record(browser.services().context, who.name, view.__name__, str(subject))
        return view(**arguments)

    return for_operators(guarded)


def _named(sent: Mapping[str, str]) -> str:
    named = (sent.get(field, "").strip() for field in ("name", "account", "job"))
    return " ".join(filter(None, named))


def for_writers(view: View) -> View:
    """Return a view of a form that only operators who may write see."""

    @wraps(view)
    def guarded(**arguments: Any) -> Response | str:
        operators.require_write(signed_in())
        return view(**arguments)

    return for_operators(guarded)


def signed_in() -> SignedIn:
    """Return who is signed in; only for views with a guard."""
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
    return {
        "operator": browser.operator(),
        "now": browser.services().context.clock.now(),
        "once": token_hex(8),
    }


@blueprint.errorhandler(ServiceError)
def _error(error: ServiceError) -> Response:
    answer = make_response(render_template("console/error.html", error=error), status_of(error))
    if error.retry_after is not None:
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


def _database_error(error: SQLAlchemyError) -> Response:
    """The page instead of one that the database kept from being made."""
    fault = state.database_fault()
    if not fault and isinstance(error, ProgrammingError):
        raise error
    log.error("the database did not answer: %s", type(error).__name__, exc_info=error)
    # Who is signed in is in the database, too.
    g.operator = None
    told = ServiceError(fault or "The database did not answer. Try again shortly.")
    return make_response(render_template("console/error.html", error=told), 503)


# A table that is missing is an operational error on SQLite, a programming error on PostgreSQL.
for _kind in (OperationalError, InterfaceError, PoolTimeout, ProgrammingError):
    blueprint.register_error_handler(_kind, _database_error)


def status_of(error: ServiceError) -> int:
    """Return the HTTP status of a page that says what is wrong."""
    return _STATUS.get(error.code, 400)


def form_again(template: str, error: ServiceError, **members: Any) -> Response:
    """Return the page of a form with what was sent and what is wrong with it."""
    told = {"problem": forms.in_words(error), "values": g.form}
    return make_response(render_template(template, **told, **members), status_of(error))


def inside(target: str) -> str:
    """Return a path of this service; anything else becomes the first page."""
    # A browser reads a backslash as a slash, and leaves tabs and line breaks out.
    is_path = target.startswith("/") and not target.startswith("//")
    return target if is_path and "\\" not in target and target.isprintable() else "/"


def before() -> str:
    """Return the id that a page of a list continues behind; "" for the first page."""
    return request.args.get("before", "")[:64]


def listed(template: str, rows: Sequence[Any], key: Callable[[Any], str], **members: Any) -> str:
    """Return a page of a list, with a link to the next one if there may be more."""
    more = key(rows[-1]) if len(rows) == overview.PAGE else ""
    kept = {name: value for name, value in request.args.items() if name != "before" and value}
    pages = {
        "first": f"?{urlencode(kept)}" if kept else request.path,
        "older": f"?{urlencode({**kept, 'before': more})}" if more else "",
        "is_first": not before(),
    }
    return render_template(template, rows=rows, pages=pages, **members)


def to(page: str, **arguments: Any) -> Response:
    """Return a redirect to a page of the console, after a form."""
    return browser.see_other(url_for(f"console.{page}", **arguments))


def back_or(page: str, **arguments: Any) -> Response:
    """Return a redirect to the page that a form names as ``back``, or to another one."""
    target = g.form.get("back", "")
    return browser.see_other(inside(target)) if target else to(page, **arguments)
