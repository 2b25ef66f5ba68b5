"""Signing in and out, and the log of changes."""

from flask import Response, make_response, render_template, request, url_for

from app.console import browser, site
from app.console.site import blueprint, for_operators
from app.services import operators, overview


@blueprint.get("/sign-in")
def sign_in() -> Response | str:
    """The form, or who has to be created first."""
    return _page("")


@blueprint.post("/sign-in")
def begin_session() -> Response | str:
    sent = browser.form()
    name, password = sent.get("name", "")[:200], sent.get("password", "")[:1000]
    context = browser.services().context
    secret = operators.sign_in(context, name, password, browser.network())
    if secret is None:
        return make_response(_page("Name or password is wrong."), 403)
    # Somebody else may have planted it.
    operators.sign_out(request.cookies.get(browser.COOKIE, ""))
    return browser.sign_in_with(secret, site.inside(request.args.get("next", "")))


def _page(problem: str) -> str:
    return render_template("console/sign_in.html", problem=problem, is_new=not operators.is_any())


@blueprint.post("/sign-out")
@for_operators
def sign_out() -> Response:
    browser.form_of(site.signed_in())
    operators.sign_out(request.cookies.get(browser.COOKIE, ""))
    return browser.signed_out(url_for("console.sign_in"))


@blueprint.get("/console/audit")
@for_operators
def audit() -> str:
    entries = operators.audit_log(site.before(), overview.PAGE)
    return site.listed("console/audit.html", entries, lambda entry: entry.id)
