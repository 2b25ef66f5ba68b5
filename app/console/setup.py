"""The first steps: the first operator, then one question a page. Each can be left out."""

from collections.abc import Callable, Mapping
from typing import Any

from flask import Response, g, render_template, request, url_for

from app.console import browser, settings, site
from app.console.jobs import waits
from app.console.site import Answer, blueprint
from app.container import services
from app.core.errors import Conflict, NotFound, ValidationFailed
from app.core.feed.review import HOLD, Policy
from app.services import (
    accounts,
    audit,
    failures,
    jobs,
    operators,
    overview,
    rule_lists,
    rules,
    state,
)
from app.services.sign_in import Credentials, sign_in
from app.settings import Settings
from app.store import models
from app.store.state import Steps

STEPS = {
    "model": "Model",
    "sources": "Sources",
    "address": "Address",
    "feed": "Site",
    "rule": "Rule",
    "post": "First post",
    "connect": "Connect",
}


def is_open() -> bool:
    """Return whether a visitor can create the first operator."""
    return services().setup_code is not None and not operators.list_operators()


@blueprint.route("/console/welcome", methods=site.FORM)
@site.for_anybody
def welcome() -> Answer:
    """The page that creates the first operator; there is none once anybody can sign in."""
    code = services().setup_code
    if code is None or operators.list_operators():
        raise NotFound("There is no such page.")

    def create() -> Response:
        sent, context = g.form, browser.context()
        name, password = sent.get("name", ""), sent.get("password", "")[:1000]
        if password != sent.get("again", "")[:1000]:
            raise ValidationFailed("The two passwords differ.", {"field": "password"})
        code.use(context, sent.get("code", ""), name, password)
        audit.record(context, name, "first_operator", browser.network())
        secret = sign_in(context, Credentials(name, password), browser.network())
        assert secret is not None  # noqa: S101 - it was created with this password
        return browser.sign_in_with(secret, url_for("console.first_steps"))

    if request.method == "POST":
        g.form = browser.form()
    return site.form_page("console/welcome.html", create)


@blueprint.get("/console/setup")
def first_steps() -> Response:
    """The first step that is not done."""
    answered = steps_done()
    left = [each for each in steps() if each not in answered]
    return site.to("setup", step=left[0] if left else "connect")


def steps() -> Mapping[str, str]:
    """Return the steps and their names; where settings cannot be changed, those without them."""
    is_whole = services().change is not None
    return {step: label for step, label in STEPS.items() if is_whole or step not in settings.GROUPS}


@blueprint.route("/console/setup/<step>", methods=site.FORM)
def setup(step: str) -> Answer:
    """A step. A form that works leads to the next one."""
    if step in settings.GROUPS and services().change is None:
        raise Conflict(settings.RUN_ONLY)
    every = steps()
    if step not in every:
        raise NotFound("There is no such step.")
    after = [*every, ""][list(every).index(step) + 1]
    then = url_for("console.setup", step=after) if after else url_for("console.home")
    shown: dict[str, Any] = {"steps": every, "step": step, "then": then, "done": steps_done()}
    if step in settings.GROUPS:
        return settings.group_page(step, "console/setup_settings.html", **shown)
    return _PAGES[step](shown)


def steps_done() -> set[str]:
    """Return the steps that are done now."""
    return done(state.first_steps(), settings.loaded())


def done(there: Steps, present: Settings) -> set[str]:
    """Return the steps that are done, by what is stored and by these settings; once there is a
    site, what was left out on the way to it counts as answered."""
    found = {
        "model": present.has_endpoint or services().settings.is_local,
        "sources": present.has_sources or there.feed,
        "address": present.public_url is not None or there.feed,
        "feed": there.feed,
        "rule": there.rule,
        "post": there.post,
        "connect": there.pulled,
    }
    return {step for step, is_done in found.items() if is_done}


def _feed_page(shown: dict[str, Any]) -> Answer:
    def create() -> Response:
        context, name = browser.context(), g.form.get("name", "")
        found = overview.accounts(context)
        # The largest plan: a site of one's own needs no limits.
        account = found[0][0].id if found else None
        if account is None:
            account = accounts.create_account(context, name, accounts.list_plans()[-1].id)
        policy = Policy(HOLD) if g.form.get("review") else Policy()
        accounts.create_token(context, account, name, policy=policy)
        return browser.see_other(shown["then"])

    return site.form_page("console/setup_feed.html", create, {"review": "1"}, **shown)


def _rule_page(_shown: dict[str, Any]) -> Answer:
    """The form that adds a rule to the site; it leads on to the first post."""
    feed = _newest_feed()
    return site.to("create_rule", feed_id=feed.id) if feed else site.to("setup", step="feed")


def _post_page(shown: dict[str, Any]) -> Answer:
    rule, run = _newest_run()

    def write() -> Response:
        if rule is None:
            raise Conflict("A rule writes the posts: answer that step first.")
        rules.run_soon(browser.context(), rule.id)
        return site.to("setup", step="post", follow=1)

    is_open = rule is not None and rule.run_id is not None
    is_written = is_open and run is not None and run.status == models.Run.TAKEN
    problem = browser.model_problem()
    return site.form_page(
        "console/setup_post.html",
        write,
        feed=_newest_feed(),
        rule=rule,
        run=run,
        is_open=is_open,
        reloads=is_open and "follow" in request.args,
        progress=jobs.progress(run.id) if run is not None and is_written else None,
        waits=waits(run, problem) if is_open and not is_written else "",
        failure=failures.explain(rule.last_error, problem) if rule and rule.last_error else None,
        model_problem=problem,
        **shown,
    )


def shows_posts_of(feed_id: str) -> bool:
    """Return whether the step of the first post shows those of a feed, and none is written yet."""
    newest = _newest_feed()
    return newest is not None and newest.id == feed_id and not state.first_steps().post


def _connect_page(shown: dict[str, Any]) -> Answer:
    feed = _newest_feed()

    def show() -> str:
        # A site that has the present one goes on with it.
        if feed is None or "connect" in shown["done"]:
            raise Conflict("There is no feed that waits for a site.")
        secret = accounts.rotate_token(browser.context(), feed.id).secret
        url = site.feed_url(secret)
        return render_template("console/setup_connect.html", feed=feed, url=url, **shown)

    return site.form_page("console/setup_connect.html", show, feed=feed, **shown)


def _newest_feed() -> models.Feed | None:
    found = overview.feeds(browser.context(), limit=1)
    return found[0][0] if found else None


def _newest_run() -> tuple[models.Rule | None, models.Run | None]:
    feed = _newest_feed()
    listed = rule_lists.list_rules(browser.context(), feed.id) if feed else ()
    if not listed:
        return None, None
    rule = listed[0].row
    return rule, next(iter(rule_lists.list_runs(rule.id, 1)), None)


_PAGES: dict[str, Callable[[dict[str, Any]], Answer]] = {
    "feed": _feed_page,
    "rule": _rule_page,
    "post": _post_page,
    "connect": _connect_page,
}
