"""What all pages of the console share: the blueprint, who may see a page, and lists."""

import logging
from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex
from typing import Any, TypeVar
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, g, render_template, request, url_for
from sqlalchemy.exc import InterfaceError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.console import browser, forms, words
from app.core.billing.costs import dollars, money, plain_dollars
from app.core.errors import Forbidden, ServiceError
from app.core.schemas.times import counted, span
from app.services import audit, failures, overview, state
from app.services.post_list import STATE_OF
from app.services.sign_in import SignedIn
from app.services.sources import NO_PROVIDER

V = TypeVar("V", bound=Callable[..., Any])

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
    words.capped,
    words.web,
    words.tone,
    words.place,
    words.grouped,
    words.post_html,
    forms.label,
    failures.explain,
    dollars,
    money,
    plain_dollars,
    span,
)
for _filter in _FILTERS:
    blueprint.add_app_template_filter(_filter)
blueprint.add_app_template_filter(counted, "count")
blueprint.add_app_template_filter(STATE_OF.__getitem__, "post_state")
blueprint.after_request(browser.protect)
_STATUS = {"FORBIDDEN": 403, "NOT_FOUND": 404, "CONFLICT": 409, "RATE_LIMITED": 429}

BY_LINK = "(review link)"
"""The name in the log of who has a link to the review of a feed."""
Answer = Response | str
FORM = ("GET", "POST")
"""The methods of a page with a form that is sent to the same address."""


class Mark(set[Callable[..., Any]]):
    """The views that differ from others in something: it decorates them, below their routes."""

    def __call__(self, view: V) -> V:
        self.add(view)
        return view

    def is_here(self) -> bool:
        """Return whether the view that answers the request has it."""
        return current_app.view_functions[str(request.endpoint)] in self


for_anybody = Mark([blueprint.send_static_file])
"""All other views are for operators who are signed in."""
for_readers = Mark()
"""Forms that each operator may send. All others need the role “write”."""
unlogged = Mark()
"""What is sent to these changes nothing, or is logged row by row."""


@blueprint.before_request
def _guard() -> Response | None:
    """Send visitors to the sign-in page. Let only operators who may write see and send forms, and
    log what they send first: the object in the path, or what the form names."""
    assert request.url_rule is not None  # noqa: S101 - a page of the blueprint was found
    if for_anybody.is_here():
        return None
    who = browser.operator()
    if who is None:
        return browser.see_other(url_for("console.sign_in", next=_here()))
    is_sent = request.method == "POST"
    if is_sent:
        g.form = browser.form_with(who.csrf)
    is_form = "POST" in (request.url_rule.methods or ())
    if is_form and not for_readers.is_here() and not who.may_write:
        raise Forbidden("Your role is “read”: you can look at everything, but change nothing.")
    if is_sent:
        record_view(who.name if for_readers.is_here() else _subject())
    return None


def record(action: str, subject: str) -> None:
    """Log what an operator does, or an owner with a link."""
    who = browser.operator() if request.blueprint == blueprint.name else None
    audit.record(browser.context(), who.name if who else BY_LINK, action, subject)


def record_view(subject: str) -> None:
    """Log what is sent to the view of the request, unless it changes nothing."""
    if not unlogged.is_here():
        record(str(request.endpoint).partition(".")[2], subject)


def _subject() -> str:
    ids: Mapping[str, str] = request.view_args or {}
    named = (g.form.get(field, "").strip() for field in ("name", "account", "job"))
    return next(iter(ids.values()), None) or " ".join(filter(None, named))


def signed_in() -> SignedIn:
    """Return who is signed in; not for the pages that anybody sees."""
    found = browser.operator()
    assert found is not None  # noqa: S101 - the guard has looked
    return found


def _here() -> str:
    return request.full_path.rstrip("?") if request.method == "GET" else ""


@blueprint.app_context_processor
def _shared() -> dict[str, Any]:
    """What every page of the console may use."""
    if request.blueprint == "review":
        shared: dict[str, Any] = {"operator": None, "csrf": g.get("csrf", ""), "may_write": True}
    elif request.blueprint == blueprint.name:
        who = browser.operator()
        may_write = bool(who and who.may_write)
        shared = {"operator": who, "csrf": who.csrf if who else "", "may_write": may_write}
    else:
        return {}
    return {
        **shared,
        "now": browser.context().clock.now(),
        "once": token_hex(8),
        "folded": forms.FOLDED,
    }


@blueprint.errorhandler(ServiceError)
def error_page(error: ServiceError) -> Response:
    """The page that says what did not work."""
    answer = Response(render_template("console/error.html", error=error), status_of(error))
    if error.retry_after is not None:
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


def database_error_page(error: SQLAlchemyError) -> Response:
    """The page instead of one that the database kept from being made."""
    fault = state.database_fault()
    if not fault and isinstance(error, ProgrammingError):
        raise error
    log.error("the database did not answer: %s", type(error).__name__, exc_info=error)
    # Who is signed in is in the database, too.
    g.operator = None
    told = ServiceError(fault or "The database did not answer. Try again shortly.")
    return Response(render_template("console/error.html", error=told), 503)


# A table that is missing is an operational error on SQLite, a programming error on PostgreSQL.
DATABASE_ERRORS = (OperationalError, InterfaceError, PoolTimeout, ProgrammingError)
for _kind in DATABASE_ERRORS:
    blueprint.register_error_handler(_kind, database_error_page)


def status_of(error: ServiceError) -> int:
    """Return the HTTP status of a page that says what is wrong."""
    return _STATUS.get(error.code, 400)


def form_page(
    template: str,
    send: Callable[[], Answer],
    values: Mapping[str, Any] | None = None,
    **members: Any,
) -> Answer:
    """Return the page of a form. If it was sent, return the answer of ``send``, or the page again
    with each fault."""
    if request.method != "POST":
        return render_template(template, values=values or {}, **members)
    try:
        return send()
    except ServiceError as error:
        found = forms.faults(error)
        told = {"problem": "" if found else error.operator, "faults": found, "values": g.form}
        return Response(render_template(template, **members, **told), status_of(error))


def request_page(
    template: str, send: Callable[[], Answer], values: Mapping[str, Any], **members: Any
) -> Answer:
    """Return the page of a form with a request for posts: it proposes what the model can meet, and
    says what is wrong with the model."""
    options = browser.context().options
    lengths = forms.LOCAL_LENGTHS if options.is_local and "keywords" not in values else {}
    problem = browser.model_problem()
    if not problem and options.is_local and options.research is None:
        problem = f"The local model writes only from sources. {NO_PROVIDER}"
    return form_page(template, send, {**lengths, **values}, model_problem=problem, **members)


def feed_url(secret: str) -> str:
    """Return the address at which a site pulls a feed."""
    return f"{browser.address()}/v1/content-tokens/{secret}/latest"


def deletion_page(kind: str, name: str, back: str, delete: Callable[[], Answer]) -> Answer:
    """Return the page that asks whether to delete something; ``back`` is its own page."""
    return form_page("console/deletion.html", delete, kind=kind, name=name, back=back)


def inside(target: str) -> str:
    """Return a path of this service; anything else becomes the first page."""
    # A browser reads a backslash as a slash, and leaves tabs and line breaks out.
    is_path = target.startswith("/") and not target.startswith("//")
    return target if is_path and "\\" not in target and target.isprintable() else "/"


def searched() -> str:
    """Return the text that a list is searched for; "" for the whole list."""
    return request.args.get("text", "").strip()[:100]


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


def act_on_chosen(
    action: str, act: Callable[[str], object], page_of: Callable[[str], str], to: str = ""
) -> Answer:
    """Do something with the row of a page, or with each row of a list that was ticked, then return
    there, or to ``to``; a page says with which rows it could not be done, and why.

    Args:
        action: its name in the log.
        act: raises ServiceError if it cannot be done.
        page_of: returns the page of a row.
    """
    failures, chosen, after = [], g.form.getlist("chosen")[: overview.PAGE], to or back()
    for row_id in chosen:
        record(action, row_id)
        try:
            act(row_id)
        except ServiceError as error:
            if len(chosen) == 1:
                raise
            failures.append((row_id, page_of(row_id), error.message))
    if not failures:
        return browser.see_other(after)
    return Response(render_template("console/not_all.html", failures=failures, back=after), 409)


def to(page: str, **arguments: Any) -> Response:
    """Return a redirect to a page of the console, after a form."""
    return browser.see_other(url_for(f"console.{page}", **arguments))


def back() -> str:
    """Return the page that a form names as ``back``."""
    return inside(g.form.get("back", ""))
