"""Accounts: their plans, usage, keys and feeds."""

from typing import Any

from flask import Response, g, render_template, url_for

from app.console import browser, forms, site
from app.console.site import Answer, blueprint
from app.core.credentials import account_of, is_sandbox
from app.services import accounts, cost_reports, overview, removal

# The rules that cost most.
_RULES_SHOWN = 5


@blueprint.get("/console/accounts")
def account_list() -> str:
    rows = overview.accounts(browser.context(), site.before(), text=site.searched())
    return site.listed("console/accounts.html", rows, lambda row: row[0].id)


@blueprint.route("/console/accounts/new", methods=site.FORM)
def create_account() -> Answer:
    def create() -> Answer:
        name, plan = g.form.get("name", ""), g.form.get("plan", "")
        made = accounts.create_account(browser.context(), name, plan)
        return site.to("account", account_id=made)

    return site.form_page("console/account_new.html", create, plans=accounts.list_plans())


@blueprint.get("/console/accounts/<account_id>")
def account(account_id: str) -> str:
    return render_template("console/account.html", values={}, **_shown(account_id))


def _shown(account_id: str) -> dict[str, Any]:
    """Return what the page of an account shows."""
    context = browser.context()
    found = overview.account(context, account_id)
    return {
        "account": found,
        "chart": [(f"{begin:%b}", used) for begin, used in found.months],
        "plans": accounts.list_plans(),
        "keys": overview.keys(context, account_id),
        "feeds": overview.feeds(context, account_id),
        "page": overview.PAGE,
        "costs": cost_reports.report(context, _RULES_SHOWN, account_id),
    }


@blueprint.post("/console/accounts/<account_id>/plan")
def change_plan(account_id: str) -> Response:
    accounts.update_account(account_id, g.form.get("plan", ""))
    return site.to("account", account_id=account_id)


@blueprint.post("/console/accounts/<account_id>/spend-cap")
def cap_account(account_id: str) -> Answer:
    def cap() -> Answer:
        accounts.update_account(account_id, spend_cap=forms.spend_cap(g.form))
        return site.to("account", account_id=account_id)

    return site.form_page("console/account.html", cap, **_shown(account_id))


@blueprint.route("/console/accounts/<account_id>/delete", methods=site.FORM)
def delete_account(account_id: str) -> Answer:
    row = overview.account(browser.context(), account_id).row

    def delete() -> Answer:
        removal.delete_account(account_id)
        return site.to("account_list")

    back = url_for("console.account", account_id=account_id)
    return site.deletion_page("account", row.name, back, delete)


@blueprint.post("/console/accounts/<account_id>/keys")
def create_key(account_id: str) -> str:
    sandbox = bool(g.form.get("sandbox"))
    return _key_page(accounts.create_key(browser.context(), account_id, sandbox=sandbox))


def _key_page(made: accounts.NewSecret) -> str:
    """Return the page that shows a key, once."""
    return render_template(
        "console/key_new.html",
        made=made,
        sandbox=is_sandbox(made.account_id),
        account_id=account_of(made.account_id),
        address=browser.address(),
    )


@blueprint.get("/console/accounts/<account_id>/keys")
def keys(account_id: str) -> Response:
    """A page with a secret is not shown twice."""
    return site.to("account", account_id=account_id)


@blueprint.post("/console/keys/<key_id>/rotate")
def rotate_key(key_id: str) -> str:
    return _key_page(accounts.rotate_key(browser.context(), key_id))


@blueprint.post("/console/keys/revoke")
@site.unlogged
def revoke_keys() -> Answer:
    context, back = browser.context(), site.back()
    return site.act_on_chosen(
        "revoke_key", lambda key_id: accounts.revoke_key(context, key_id), lambda _: back
    )


@blueprint.route("/console/accounts/<account_id>/feeds/new", methods=site.FORM)
def create_feed(account_id: str) -> Answer:
    context = browser.context()
    row = overview.account(context, account_id).row

    def create() -> Answer:
        name, metered = g.form.get("name", ""), bool(g.form.get("metered"))
        policy = forms.review_policy(g.form)
        made = accounts.create_token(context, account_id, name, metered=metered, policy=policy)
        return feed_url_page(made, is_new=True)

    return site.form_page("console/feed_new.html", create, account=row)


def feed_url_page(made: accounts.NewSecret, *, is_new: bool, is_kept: bool = False) -> str:
    """Return the page that shows a feed URL, once."""
    feed, _ = overview.feed(made.id)
    given = {"feed": feed, "url": site.feed_url(made.secret), "is_new": is_new, "is_kept": is_kept}
    return render_template("console/feed_url.html", **given)
