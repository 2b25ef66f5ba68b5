"""Accounts: their plans, usage, keys and feeds."""

from typing import Any

from flask import Response, g, render_template, url_for

from app.console import browser, forms, site, words
from app.console.site import blueprint, for_changes, for_operators, for_writers
from app.core.credentials import account_of, is_sandbox
from app.core.errors import ServiceError
from app.services import accounts, archive, cost_reports, overview, removal

# The rules that cost most.
_RULES_SHOWN = 5


@blueprint.get("/console/accounts")
@for_operators
def account_list() -> str:
    rows = overview.accounts(browser.services().context, site.before())
    return site.listed("console/accounts.html", rows, lambda row: row[0].id)


@blueprint.get("/console/accounts/new")
@for_writers
def new_account() -> str:
    return render_template("console/account_new.html", values={}, plans=accounts.list_plans())


@blueprint.post("/console/accounts/new")
@for_changes
def create_account() -> Response:
    name, plan = g.form.get("name", ""), g.form.get("plan", "")
    try:
        made = accounts.create_account(browser.services().context, name, plan)
    except ServiceError as error:
        return site.form_again("console/account_new.html", error, plans=accounts.list_plans())
    return site.to("account", account_id=made)


@blueprint.get("/console/accounts/<account_id>")
@for_operators
def account(account_id: str) -> str:
    found = overview.account(browser.services().context, account_id)
    return render_template(
        "console/account.html",
        account=found,
        chart=[(words.month(begin), used) for begin, used in found.months],
        plans=accounts.list_plans(),
        page=overview.PAGE,
        costs=cost_reports.report(browser.services().context, _RULES_SHOWN, account_id),
    )


@blueprint.post("/console/accounts/<account_id>/plan")
@for_changes
def change_plan(account_id: str) -> Response:
    accounts.change_plan(account_id, g.form.get("plan", ""))
    return site.to("account", account_id=account_id)


@blueprint.post("/console/accounts/<account_id>/spend-cap")
@for_changes
def cap_account(account_id: str) -> Response:
    accounts.set_spend_cap(account_id, forms.spend_cap(g.form))
    return site.to("account", account_id=account_id)


@blueprint.post("/console/accounts/<account_id>/export")
@for_changes
def export_account(account_id: str) -> Response:
    """The archive of an account, as a download."""
    pieces = archive.export_account(browser.services().context, account_id)
    answer = Response(pieces, content_type="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="{account_id}.json"'
    return answer


@blueprint.get("/console/accounts/<account_id>/delete")
@for_writers
def confirm_account_deletion(account_id: str) -> str:
    return render_template("console/deletion.html", **_account_to_delete(account_id))


@blueprint.post("/console/accounts/<account_id>/delete")
@for_changes
def delete_account(account_id: str) -> Response:
    members = _account_to_delete(account_id)
    try:
        removal.delete_account(account_id)
    except ServiceError as error:
        return site.form_again("console/deletion.html", error, **members)
    return site.to("account_list")


def _account_to_delete(account_id: str) -> dict[str, Any]:
    row = overview.account(browser.services().context, account_id).row
    back = url_for("console.account", account_id=account_id)
    return {"kind": "account", "name": row.name, "back": back}


@blueprint.post("/console/accounts/<account_id>/keys")
@for_changes
def create_key(account_id: str) -> str:
    sandbox = bool(g.form.get("sandbox"))
    made = accounts.create_key(browser.services().context, account_id, sandbox=sandbox)
    return render_template(
        "console/key_new.html",
        made=made,
        sandbox=sandbox,
        account_id=account_id,
        address=browser.address(),
    )


@blueprint.get("/console/accounts/<account_id>/keys")
@for_operators
def keys(account_id: str) -> Response:
    """A page with a secret is not shown twice."""
    return site.to("account", account_id=account_id)


@blueprint.post("/console/keys/<key_id>/rotate")
@for_changes
def rotate_key(key_id: str) -> str:
    made = accounts.rotate_key(browser.services().context, key_id)
    owner = accounts.owner_of_key(made.id)
    return render_template(
        "console/key_new.html",
        made=made,
        sandbox=is_sandbox(owner),
        account_id=account_of(owner),
        address=browser.address(),
    )


@blueprint.post("/console/keys/<key_id>/revoke")
@for_changes
def revoke_key(key_id: str) -> Response:
    accounts.revoke_key(browser.services().context, key_id)
    return site.back_or("account_list")


@blueprint.get("/console/accounts/<account_id>/feeds/new")
@for_writers
def new_feed(account_id: str) -> str:
    found = overview.account(browser.services().context, account_id)
    return render_template("console/feed_new.html", values={}, account=found.row)


@blueprint.post("/console/accounts/<account_id>/feeds/new")
@for_changes
def create_feed(account_id: str) -> Response | str:
    context, metered = browser.services().context, bool(g.form.get("metered"))
    try:
        made = accounts.create_token(context, account_id, g.form.get("name", ""), metered=metered)
    except ServiceError as error:
        row = overview.account(context, account_id).row
        return site.form_again("console/feed_new.html", error, account=row)
    return feed_url_page(made, is_new=True)


def feed_url_page(made: accounts.NewSecret, *, is_new: bool, is_kept: bool = False) -> str:
    """Return the page that shows a feed URL, once."""
    feed, _ = overview.feed(made.id)
    url = f"{browser.address()}/v1/content-tokens/{made.secret}/latest"
    given = {"feed": feed, "url": url, "is_new": is_new, "is_kept": is_kept}
    return render_template("console/feed_url.html", **given)
