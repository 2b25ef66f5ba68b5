"""What is wrong with the model, in one sentence wherever an operator looks."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import pytest

from app import create_app
from app.container import pick_models
from app.services import accounts, jobs
from app.services.context import Context
from app.services.readiness import fault_elsewhere
from app.settings import Settings
from app.store import database, models
from app.store.rows import new_id
from tests.support.consoles import ConsoleOperator
from tests.support.integration import Feed
from tests.support.odd_endpoint import OddEndpoint, Reply, refused, said, serving

KEY = refused(401, "Incorrect API key provided: sk-…")
CREDIT = refused(429, "You exceeded your current quota.", code="insufficient_quota")
UNKNOWN = refused(404, "The model `m` does not exist.", code="model_not_found")


@dataclass(frozen=True)
class Cause:
    """What calls and the list of models get, and the sentence."""

    sentence: str
    call: Reply | None
    listed: Reply | None = None


CAUSES = {
    "a wrong key": Cause("does not accept the API key. Check OPENAI_API_KEY.", KEY, KEY),
    "an unknown model": Cause("does not know the model 'm', or the path.", UNKNOWN),
    "no credit": Cause("says that the account's credit is used up. Check its billing.", CREDIT),
    "not running": Cause("cannot be reached", None),
}


def words(page: str) -> str:
    return html.unescape(" ".join(re.sub("<[^>]+>", " ", page).split()))


@pytest.fixture
def endpoint() -> Iterator[OddEndpoint]:
    with serving(KEY) as found:
        yield found


@pytest.mark.parametrize("is_apart", [False, True], ids=["run", "worker"])
@pytest.mark.parametrize("cause", CAUSES.values(), ids=CAUSES.keys())
def test_the_same_sentence_is_on_home_in_the_form_and_on_the_page_of_a_job(
    feed: Feed, endpoint: OddEndpoint, cause: Cause, is_apart: bool
) -> None:
    """“Cause of a model's failure from the first minute, everywhere the same sentence”"""
    url = "http://127.0.0.1:9/v1"
    if cause.call is not None:
        reply, url = cause.call, endpoint.base_url
        endpoint.behave = lambda _: reply
    if cause.listed is not None:
        endpoint.listed = cause.listed
    settings = {"openai_base_url": url, "openai_api_key": "sk-none", "model": "m"}
    app = create_app(Settings(database_url=feed.url, **settings))
    ada = ConsoleOperator(app.test_client())
    accounts.create_key(ada.context, feed.account_id)
    form = f"/console/playground?account={feed.account_id}"
    page = order(ada, feed, "a")
    job_id = page.split("/")[3].partition("?")[0]
    # With separate workers, it is another process that calls the model.
    assert jobs.run_next(worker_of(ada) if is_apart else ada.context, job_id)
    shown = words(ada.page(page))
    assert re.search(
        r"The post waits for the model\. A worker tries it again in \d+ seconds?\.", shown
    )
    for path in ("/", form, page):
        app.extensions["copydesk"].health(patient=True)
        assert cause.sentence in words(ada.page(path)), path
    assert "ok The last call failed" not in words(ada.page("/"))
    told = "The language model did not answer. Try again later."
    with database.writing() as session:
        job = session.get_one(models.Job, job_id)
        job.status, job.error = "failed", {"code": "SERVICE_UNAVAILABLE", "message": told}
    for path in ("/", page):
        shown = words(ada.page(path))
        assert cause.sentence in shown
        assert "did not answer" not in shown.replace(told, "", path == page)
    again = ada.page(f"/console/playground?again={job_id}")
    assert re.search(r"<textarea[^>]*>tea</textarea>", again)


def test_who_can_change_the_settings_is_led_to_them(endpoint: OddEndpoint, feed: Feed) -> None:
    """“messages name OPENAI_BASE_URL to people who are in the browser”"""
    endpoint.listed = KEY
    given = {"openai_base_url": endpoint.base_url, "openai_api_key": "sk-none", "model": "m"}
    app = create_app(Settings(database_url=feed.url, **given))
    ada, held = ConsoleOperator(app.test_client()), app.extensions["copydesk"]
    held.health(patient=True)
    assert "Check OPENAI_API_KEY." in ada.page("/")
    held.change = lambda _: None
    # A run that failed for this reason is in the list of posts.
    error = {"code": "SERVICE_UNAVAILABLE", "message": "Check OPENAI_API_KEY."}
    now = ada.context.clock.now()
    failed = {"status": "failed", "error": {**error, "isForOperator": True}, "finished_at": now}
    with database.writing() as session:
        run = {"id": new_id("run"), "rule_id": feed.rules["Tea"], "slot": now, "not_before": now}
        session.add(models.Run(**run, **failed))
    link = '<a href="/console/settings/model#openai_api_key">“API key”</a>'
    for path in ("/", "/console/posts"):
        assert f"Check {link}." in ada.page(path)


def worker_of(ada: ConsoleOperator) -> Context:
    """Return what another process works with."""
    writer, editor = pick_models(ada.client.application.extensions["copydesk"].settings)
    options = replace(ada.context.options, editor=editor)
    return replace(ada.context, model=writer, options=options)


def test_what_another_process_met_is_told_until_a_call_succeeds(
    feed: Feed, endpoint: OddEndpoint
) -> None:
    """“from the first minute in every deployment”, and no longer than it is true."""
    given = {"openai_base_url": endpoint.base_url, "openai_api_key": "sk-none", "model": "m"}
    app = create_app(Settings(database_url=feed.url, **given))
    ada = ConsoleOperator(app.test_client())
    accounts.create_key(ada.context, feed.account_id)
    for reply, sentence in ((UNKNOWN, "does not know the model 'm'"), (said("# Tea"), "")):
        endpoint.behave = partial(lambda told, _: told, reply)
        order(ada, feed, sentence)
        assert jobs.run_next(worker_of(ada))
        _, reasons = app.extensions["copydesk"].health(patient=True)
        assert sentence in reasons.get("model", "")
        # An operator who has repaired something sees that nothing was called since.
        when = f"The last call failed, at {ada.context.clock.now().day} "
        assert reasons.get("model", when).startswith(when)
        assert bool(reasons) == bool(sentence)
        # With other settings, nothing is known yet.
        assert fault_elsewhere(replace(ada.context, model_hash="0")) == ""


def order(ada: ConsoleOperator, feed: Feed, once: str) -> str:
    """Write a post by the form; return the path of its job."""
    fields = {"account": feed.account_id, "keywords": "tea", "once": once}
    location: str = ada.send("/console/playground", **fields).headers["Location"]
    return location
