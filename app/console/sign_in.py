"""Signing in and out, the operator's own codes, and the log of changes."""

from collections.abc import Mapping

from flask import Response, g, render_template, request, url_for

from app.console import browser, setup, site
from app.console.site import Answer, blueprint
from app.core.errors import ServiceError
from app.services import operators, overview, totp
from app.services import sign_in as sessions
from app.services.audit import audit_log
from app.services.sign_in import Credentials


@blueprint.get("/sign-in")
@site.for_anybody
def sign_in() -> Answer:
    """The form, or how the first operator is created."""
    return site.to("welcome") if setup.is_open() else _page("")


@blueprint.post("/sign-in")
@site.for_anybody
def begin_session() -> Response:
    sent = browser.form()
    given = Credentials(sent.get("name", "")[:200], *_typed(sent))
    secret = sessions.sign_in(browser.context(), given, browser.network())
    if secret is None:
        return Response(_page("The name, the password or the code is wrong."), 403)
    # Somebody else may have planted it.
    sessions.sign_out(request.cookies.get(browser.COOKIE, ""))
    return browser.sign_in_with(secret, site.inside(request.args.get("next", "")))


def _page(problem: str) -> str:
    return render_template(
        "console/sign_in.html", problem=problem, is_new=not operators.list_operators()
    )


@blueprint.post("/sign-out")
@site.for_readers
def sign_out() -> Response:
    sessions.sign_out(request.cookies.get(browser.COOKIE, ""))
    return browser.signed_out(url_for("console.sign_in"))


def _typed(sent: Mapping[str, str]) -> tuple[str, str]:
    """Return the password and the code of a form."""
    return sent.get("password", "")[:1000], sent.get("code", "")[:20]


@blueprint.get("/console/codes")
def codes() -> str:
    """Whether the operator signs in with codes, and a new secret if not."""
    return _codes_page("" if site.signed_in().has_codes else totp.new_secret())


def _codes_page(secret: str, problem: str = "") -> str:
    secret = secret if totp.is_secret(secret) else ""
    address = totp.address(secret, site.signed_in().name)
    return render_template("console/codes.html", secret=secret, address=address, problem=problem)


@blueprint.post("/console/codes")
@site.for_readers
def change_codes() -> Response | str:
    """Start or stop asking for codes. Each operator may, also one who may only read."""
    who, context, sent = site.signed_in(), browser.context(), g.form
    given = Credentials(who.name, *_typed(sent))
    secret = sent.get("secret", "")[:100]
    try:
        if who.has_codes:
            sessions.stop_codes(context, given)
        else:
            here = request.cookies.get(browser.COOKIE, "")
            sessions.require_codes(context, given, secret, here)
    except ServiceError as error:
        return Response(_codes_page(secret, error.message), site.status_of(error))
    return site.to("codes")


@blueprint.get("/console/audit")
def audit() -> str:
    entries = audit_log(site.before(), overview.PAGE)
    return site.listed("console/audit.html", entries, lambda entry: entry.id)
