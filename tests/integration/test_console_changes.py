"""What an operator changes and finds in the console, through HTTP."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select
from ulid import ULID

from app.core.feed.item import Status
from app.services import accounts, audit, overview
from app.store import database, models
from app.store.overview import WorkFilter
from app.store.rows import new_id
from app.writing.completion import Completion
from tests.support.consoles import ConsoleOperator, add_given_up, add_job
from tests.support.integration import SQLITE, Feed

# What a page says does not depend on the database; test_query_plans.py reads the lists on both.
pytestmark = SQLITE
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
URL = re.compile(r"<code>(http[^<]+/v1/content-tokens/(ct_\w+)/latest)</code>")
KEY = re.compile(r"<code>(cd_(?:live|test)_\w+)</code>")


def log() -> list[tuple[str, str]]:
    """What was changed since an operator signed in."""
    with database.reading() as session:
        entries = session.scalars(select(models.AuditEntry).order_by(models.AuditEntry.id))
        return [(each.action, each.subject) for each in entries if each.action != "sign_in"]


def usage(client: FlaskClient, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return client.get("/v1/usage", headers=headers).status_code


def pull(client: FlaskClient, token: str) -> int:
    return client.get(f"/v1/content-tokens/{token}/latest").status_code


def console_forms(client: FlaskClient) -> Iterator[str]:
    """The path of each form, with ids that do not exist."""
    # There is no welcome once there is an operator.
    open_to_all = {"console.begin_session", "console.sign_out", "console.welcome"}
    for route in client.application.url_map.iter_rules():
        is_form = route.endpoint.startswith("console.") and "POST" in (route.methods or ())
        if is_form and route.endpoint not in open_to_all:
            yield re.sub("<[^>]+>", "x", route.rule)


def test_every_form_needs_the_role_and_the_secret_of_the_session(ada: ConsoleOperator) -> None:
    """“Every change an operator makes is in the audit log and needs role write”; CSRF"""
    paths = list(console_forms(ada.client))
    assert len(paths) > 15
    for path in paths:
        assert ada.client.post(path).status_code == 403, path
        assert ada.client.post(path, data={"csrf": "0" * 64}).status_code == 403, path
    assert log() == []
    bo = ConsoleOperator(ada.client, "Bo", "read")
    for path in paths:
        # Its own codes are each operator's business.
        own = path == "/console/codes"
        assert bo.send(path, name="x").status_code == (400 if own else 403), path
    for path in (
        "/console/settings/costs",
        "/console/setup/feed",
        "/console/accounts/new",
        "/console/playground",
        "/console/feeds/x/rotate",
        "/console/rules/x/edit",
        "/console/rules/x/delete",
        "/console/feeds/x/delete",
        "/console/accounts/x/delete",
        "/console/items/x/edit",
    ):
        assert bo.client.get(path).status_code == 403, path
    assert log() == [("change_codes", "Bo")]
    page = bo.page("/")
    assert "Write a post" not in page


def test_every_form_is_logged(ada: ConsoleOperator) -> None:
    for path in console_forms(ada.client):
        before = len(log())
        assert ada.send(path, chosen="x").status_code in {303, 400, 404}, path
        assert len(log()) == before + (not path.endswith("/preview")), path


def test_an_account_with_a_key_that_is_shown_once(ada: ConsoleOperator) -> None:
    """create an account; keys (… create a key, shown once; replace; revoke)"""
    page = ada.done("/console/accounts/new", name="Roast & Grind", plan="growth")
    assert "<h1>Roast &amp; Grind</h1>" in page
    assert "Growth" in page
    found = re.search(r"acc_\w+", page)
    assert found
    path = f"/console/accounts/{found[0]}"
    shown = ada.send(f"{path}/keys")
    assert shown.headers["Cache-Control"] == "no-store"
    key = KEY.search(shown.text)
    assert key
    assert usage(ada.client, key[1]) == 200
    assert ada.client.get(f"{path}/keys").headers["Location"] == path
    page = ada.page(path)
    assert key[1] not in page
    assert key[1][-4:] in page
    ((old, *_),) = overview.keys(ada.context, found[0])
    assert f"/console/keys/{old.id}/rotate" in page
    new = KEY.search(ada.send(f"/console/keys/{old.id}/rotate").text)
    assert new
    assert (usage(ada.client, key[1]), usage(ada.client, new[1])) == (403, 200)
    assert new[1] not in ada.page(path)
    assert ada.send(f"/console/keys/{old.id}/rotate").status_code == 409
    (row,) = (row for row, *_ in overview.keys(ada.context, found[0]) if row.id != old.id)
    page = ada.done("/console/keys/revoke", chosen=row.id, back=path)
    assert "revoked" in page
    assert usage(ada.client, new[1]) == 403
    assert log() == [
        ("create_account", "Roast & Grind"),
        ("create_key", found[0]),
        *[("rotate_key", old.id)] * 2,
        ("revoke_key", row.id),
    ]


def test_usage_is_shown_against_the_limits(ada: ConsoleOperator, feed: Feed) -> None:
    """usage of the month against limits as bars"""
    period = ada.context.clock.now().date().replace(day=1)
    spent = {"words": 17_000, "posts": 20, "requests": 20, "reserved_words": 900}
    with database.writing() as session:
        month = {"account_id": feed.account_id, "period_start": period}
        session.add(models.UsageMonth(**month, **spent))
    page = ada.page(f"/console/accounts/{feed.account_id}")
    assert "17,000 of 20,000 words, 900 held" in page
    assert '<rect class="over" width="85.0"' in page
    home = ada.page("/")
    assert "17,000 of 20,000 words" in home
    assert "Change the plan" in home
    assert "Scale" in ada.done(f"/console/accounts/{feed.account_id}/plan", plan="scale")
    assert "17,000 of 20,000 words" not in ada.page("/")


def test_a_feed_url_is_shown_once_and_can_be_replaced(ada: ConsoleOperator, feed: Feed) -> None:
    """rotate a feed's secret (old URL stops working at once; say so before); the page after a
    rotation says what is true"""
    path = f"/console/accounts/{feed.account_id}/feeds/new"
    made = URL.search(ada.send(path, name="Shop", metered="1").text)
    assert made
    assert pull(ada.client, made[2]) == 200
    with database.reading() as session:
        row = session.scalars(select(models.Feed).where(models.Feed.name == "Shop")).one()
    assert row.metered
    feed_path = f"/console/feeds/{row.id}"
    assert made[2] not in ada.page(feed_path)
    assert "copydesk-connect init" in ada.page(feed_path)
    assert "stops working <strong>at once</strong>" in ada.page(f"{feed_path}/rotate")
    assert pull(ada.client, made[2]) == 200
    page = ada.send(f"{feed_path}/rotate").text
    renewed = URL.search(page)
    assert renewed
    assert "The old URL no longer works." in page
    assert (pull(ada.client, made[2]), pull(ada.client, renewed[2])) == (404, 200)
    page = ada.send(f"{feed_path}/rotate", keep="1").text
    kept = URL.search(page)
    assert kept
    assert "The old URL works for one more day." in page
    assert (pull(ada.client, renewed[2]), pull(ada.client, kept[2])) == (200, 200)
    assert not any(made[2] in subject or renewed[2] in subject for _, subject in log())
    assert "Stop counting" in ada.page(feed_path)
    assert "Count them" in ada.done(f"{feed_path}/metered")


def rule_fields(page: str) -> dict[str, str]:
    """What the form of a rule would send."""
    inputs = re.findall(
        r'<input id="(\w+)" name="\w+" type="(\w+)" value="([^"]*)"( checked)?', page
    )
    fields = {name: unescape(value) for name, kind, value, on in inputs if kind != "checkbox" or on}
    text = re.search(r'<textarea id="keywords"[^>]*>([^<]*)</textarea>', page)
    assert text
    selects = re.findall(r'<select id="(\w+)"[^>]*>(.*?)</select>', page, re.DOTALL)
    chosen = [
        (name, found[1])
        for name, options in selects
        if (found := re.search(r'value="(\w+)" selected', options))
    ]
    return {**fields, "keywords": unescape(text[1]), **dict(chosen)}


def test_a_rule_is_edited(ada: ConsoleOperator, feed: Feed) -> None:
    """edit a rule (name, keywords, frequency, topic, tone, language, lengths, offers)"""
    path = f"/console/rules/{feed.rules['Coffee']}"
    page = ada.page(f"{path}/edit")
    assert rule_fields(page)["keywords"] == "Coffee"
    changed = {
        "name": "Filter",
        "keywords": "filter coffee\npaper filter",
        "every": "12h",
        "topic": "Filters & paper",
        "tone": "friendly",
        "language": "de",
        "maxWords": "700",
        "includeFAQs": "1",
        "keywordUsageStrategy": "exact",
    }
    page = ada.done(f"{path}/edit", **changed)
    for shown in ("<h1>Filter</h1>", "filter coffee, paper filter", "12h", "Filters &amp; paper"):
        assert shown in page
    assert changed.items() <= rule_fields(ada.page(f"{path}/edit")).items()
    stored = feed.rule("Coffee").request
    assert stored["constraints"]["maxWords"] == 700
    assert stored["constraints"]["includeFAQs"] is True
    ada.done(f"{path}/edit", name="Filter", keywords="filter coffee", every="12h")
    stored = feed.rule("Coffee").request
    assert stored["language"] == "en"
    assert "topic" not in stored
    assert "maxWords" not in stored["constraints"]
    assert stored["constraints"]["includeFAQs"] is False
    assert [action for action, _ in log()] == ["update_rule", "update_rule"]


def test_offers_are_added_and_removed(ada: ConsoleOperator, feed: Feed) -> None:
    path = f"/console/rules/{feed.rules['Coffee']}"
    page = ada.done(f"{path}/offers", name="Roast & Grind", url="https://shop.example/beans")
    assert "https://shop.example/beans" in page
    for name, url in (("Evil", "javascript:alert(1)"), ("ROAST & grind", "https://else.example/")):
        assert ada.send(f"{path}/offers", name=name, url=url).status_code == 400
    assert "https://shop.example/beans" not in ada.done(
        f"{path}/offers/remove", name="Roast & Grind"
    )
    assert ada.send(f"{path}/offers/remove", name="Roast & Grind").status_code == 404


def test_a_rule_runs_now(ada: ConsoleOperator, feed: Feed) -> None:
    """run now"""
    rule_id = feed.rules["Coffee"]
    with database.writing() as session:
        session.get_one(models.Rule, rule_id).failures = 3
    assert "Run now" in ada.page("/")
    back = f"/console/rules/{rule_id}"
    page = ada.done("/console/rules/run", chosen=rule_id, back=back)
    assert "a run waits for a worker" in page
    (run,) = feed.runs()
    assert (run.status, run.rule_id) == ("queued", rule_id)
    rule = feed.rule("Coffee")
    assert (rule.run_id, rule.failures) == (run.id, 0)
    # It waits for another attempt: it begins now, and there is no second run.
    with database.writing() as session:
        later = ada.context.clock.now() + timedelta(hours=1)
        session.get_one(models.Run, run.id).not_before = later
    ada.done("/console/rules/run", chosen=rule_id, back=back)
    (run,) = feed.runs()
    assert run.not_before <= ada.context.clock.now()
    with database.writing() as session:
        session.get_one(models.Run, run.id).status = "running"
    answer = ada.send("/console/rules/run", chosen=rule_id)
    assert answer.status_code == 409
    assert "being written" in answer.text
    ada.done("/console/rules/pause", chosen=feed.rules["Tea"])
    answer = ada.send("/console/rules/run", chosen=feed.rules["Tea"])
    assert answer.status_code == 409
    assert "Resume" in answer.text
    assert len(feed.runs()) == 1


def test_rules_that_were_ticked_are_paused_resumed_and_run(
    ada: ConsoleOperator, feed: Feed
) -> None:
    path = f"/console/feeds/{feed.token_id}"
    coffee, tea = feed.rules["Coffee"], feed.rules["Tea"]
    assert sorted(
        re.findall(r'form="chosen" name="chosen" value="(\w+)"', ada.page(path))
    ) == sorted([coffee, tea])
    assert ada.done("/console/rules/pause", chosen=[coffee, tea], back=path).count(">paused<") == 2
    ada.done("/console/rules/resume", chosen=[coffee], back=path)
    assert (feed.rule("Coffee").paused, feed.rule("Tea").paused) == (False, True)
    answer = ada.send("/console/rules/run", chosen=[tea, coffee], back=path)
    assert answer.status_code == 409
    assert "could not be done with 1 of" in answer.text
    assert f'href="/console/rules/{tea}"' in answer.text
    assert f'href="{path}"' in answer.text
    assert [run.rule_id for run in feed.runs()] == [coffee]
    assert ("resume_rule", coffee) in log()
    assert ada.send("/console/rules/run", back="https://evil.example").headers["Location"] == "/"


def test_a_rule_a_feed_and_an_account_are_deleted(ada: ConsoleOperator, feed: Feed) -> None:
    """feeds and rules: … delete; … deletion of an account"""
    feed.add_items("Coffee", 2)
    coffee = f"/console/rules/{feed.rules['Coffee']}"
    feed_path, account = f"/console/feeds/{feed.token_id}", f"/console/accounts/{feed.account_id}"
    for path, sentence in (
        (coffee, "has 2 posts that no site has published"),
        (feed_path, f"has {len(feed.rules)} rules. Delete them first."),
        (account, "has 1 feed. Delete it first."),
    ):
        assert "This cannot be undone." in ada.page(f"{path}/delete")
        answer = ada.send(f"{path}/delete")
        assert answer.status_code == 409
        assert sentence in answer.text
        assert ada.client.get(path).status_code == 200
    for rule_id in feed.rules.values():
        page = ada.done(f"/console/rules/{rule_id}/delete", discard="1")
    assert "This feed has no rules" in page
    ada.done(f"{feed_path}/delete")
    assert pull(ada.client, feed.token) == 404
    assert ada.client.get(feed_path).status_code == 404
    ada.done(f"{account}/delete")
    assert ada.client.get(account).status_code == 404
    actions = [action for action, _ in log()]
    rules = ["delete_rule"] * len(feed.rules)
    done = [*rules, "delete_feed", "delete_account"]
    assert actions == ["delete_rule", "delete_feed", "delete_account", *done]


def walk(ada: ConsoleOperator, **wanted: str) -> list[str]:
    """The posts of all pages of the list, in order."""
    found: list[str] = []
    path = f"/console/posts?{urlencode(wanted)}"
    for _ in range(10):
        page = ada.page(path)
        found += re.findall(r'<td><a href="/console/(?:items|jobs)/(\w+)"', page)
        older = re.search(r'href="(\?[^"]+)">Older', page)
        if older is None:
            return found
        path = "/console/posts" + unescape(older[1])
    raise AssertionError("the list does not end")


def test_accounts_and_feeds_are_found_by_name(ada: ConsoleOperator, feed: Feed) -> None:
    """“lists search and filter”"""
    accounts.create_account(ada.context, "100% Tea", "starter")
    for path, name, text in (
        ("/console/accounts", "100% Tea", "0%"),
        ("/console/feeds", "Front page", "FRONT"),
    ):
        assert f">{name}</a>" in ada.page(f"{path}?text={text}")
        missing = ada.page(f"{path}?text=_nothing")
        assert f">{name}</a>" not in missing
        assert "of the newest 10,000" in missing
        assert 'value="_nothing"' in missing
    # “feeds with equal names cannot be told apart in the console's filter”
    other = accounts.create_token(ada.context, feed.account_id, "Front page").id
    options = re.findall(r"<option value=\"tkn_.*?>(.*?)</option>", ada.page("/console/posts"))
    assert options == [f"Front page (Blog, {each})" for each in (other, feed.token_id)]


def test_posts_are_filtered_in_pages(ada: ConsoleOperator, feed: Feed) -> None:
    """“one menu for what is one thing (posts: held, waiting, published, stopped)”"""
    coffee, tea = feed.add_items("Coffee", 120), feed.add_items("Tea", 7)
    with database.writing() as session:
        for number, item_id in enumerate(coffee):
            used = Status.USED if number % 2 else Status.PENDING
            session.get_one(models.FeedItem, item_id).status = used.value
    newest_first = [row[0] for row in feed.rows()][::-1]
    assert walk(ada, feed=feed.token_id) == newest_first
    of_coffee = [item for item in newest_first if item in set(coffee)]
    assert walk(ada, rule=feed.rules["Coffee"]) == of_coffee
    pending = [row[0] for row in feed.rows() if row[2] == "pending"][::-1]
    assert walk(ada, state="waiting") == pending
    assert set(walk(ada, rule=feed.rules["Tea"], state="waiting")) == set(tea)
    assert walk(ada, state="stopped") == []
    assert "No posts match." in ada.page("/console/posts?state=stopped")
    assert set(walk(ada, state="nonsense")) == {*coffee, *tea}
    assert ada.client.get("/console/posts?feed=tkn_none").status_code == 404


def test_posts_of_rules_and_of_jobs_are_one_list(ada: ConsoleOperator, feed: Feed) -> None:
    """“Posts is one list of all posts”, with a search in titles"""
    items = feed.add_items("Coffee", 60)
    jobs = [add_job(feed.account_id, at=ada.context.clock.now()) for _ in range(60)]
    with database.writing() as session:
        # Every other item has the very millisecond of a job.
        for item_id, job_id in zip(items, jobs, strict=True):
            made = ULID.from_str(job_id.removeprefix("job_")).datetime
            more = timedelta(microseconds=400 if item_id in items[::2] else 2_000)
            session.get_one(models.FeedItem, item_id).generated_at = made + more
        session.get_one(models.FeedItem, items[7]).title = "100 % Oat <b>"
        session.get_one(models.Job, jobs[9]).request = {"keywords": ["oats", "milk"]}
    found = walk(ada)
    assert sorted(found) == sorted([*items, *jobs])
    assert [each for each in found if each in set(jobs)] == jobs[::-1]
    assert walk(ada, feed="jobs") == jobs[::-1]
    assert set(walk(ada, text="OAT")) == {items[7], jobs[9]}
    assert walk(ada, text="0 % oat") == [items[7]]
    assert walk(ada, text="100_") == []
    assert "No title of the newest 10,000 posts has this text." in ada.page("/console/posts?text=x")
    other = accounts.create_account(ada.context, "Other <b>", "starter")
    failed = {"status": "failed", "error": {"code": "INTERNAL_ERROR"}}
    theirs = add_job(other, at=ada.context.clock.now(), **failed)
    assert walk(ada, state="failed") == walk(ada, account=other) == [theirs]
    assert "Of the account “Other &lt;b&gt;”" in ada.page(f"/console/posts?account={other}")
    assert ada.client.get("/console/posts?account=acc_none").status_code == 404
    for path, post in (("items", items[3]), ("jobs", jobs[3])):
        answer = ada.client.get(f"/console/posts?text=+{post}")
        assert answer.headers["Location"] == f"/console/{path}/{post}"


def test_webhooks_that_match_are_sent_again(ada: ConsoleOperator, feed: Feed) -> None:
    """replay all failed ones that match a job/account/time range (bounded)"""
    now = ada.context.clock.now()
    other = accounts.create_account(ada.context, "Other", "starter")
    mine = add_job(feed.account_id, at=now), add_job(feed.account_id, at=now)
    strange = add_job(other, at=now)
    days = [now - timedelta(days=back) for back in (3, 2, 1)]
    sent = {job: [add_given_up(job, at) for at in days] for job in (*mine, strange)}

    def failed() -> set[str]:
        return {row.id for row, _ in overview.deliveries(WorkFilter("failed"))}

    assert "<strong>9 webhooks</strong>" in ada.page("/console/webhooks")
    assert "<strong>3 webhooks</strong>" in ada.page(f"/console/webhooks?account={other}")
    begin = f"{days[1] - timedelta(minutes=5):%Y-%m-%dT%H:%M}"
    end = f"{days[1] + timedelta(minutes=5):%Y-%m-%dT%H:%M}"
    fields = {"account": feed.account_id, "begin": begin, "end": end}
    page = ada.client.get("/console/webhooks", query_string=fields).text
    assert "<strong>2 webhooks</strong>" in page
    assert "2 webhooks are being sent again" in ada.done("/console/webhooks/replay", **fields)
    every = {each for deliveries in sent.values() for each in deliveries}
    assert every - failed() == {sent[mine[0]][1], sent[mine[1]][1]}
    ada.done("/console/webhooks/replay", job=mine[0])
    assert not failed() & set(sent[mine[0]])
    first = sent[mine[0]][0]
    page = ada.page(f"/console/jobs/{mine[0]}")
    assert f'<tr id="{first}">' in page
    assert f'replay of <a href="#{first}">the first delivery</a>' in page
    ada.done("/console/webhooks/replay")
    assert failed() == set()
    answer = ada.send("/console/webhooks/replay", begin="yesterday")
    assert answer.status_code == 400
    assert "is not a time" in answer.text
    assert "is not a time" in ada.page("/console/webhooks?begin=yesterday")


def test_the_playground_creates_a_job_that_is_billed(ada: ConsoleOperator, feed: Feed) -> None:
    """a form creates a job for a chosen account; it is billed to the account like any job"""
    written = {"keywords": "tea's “taste”\nmilk", "maxWords": "400", "includeFAQs": "1"}
    fields = {"account": feed.account_id, "once": "abc", **written}
    answer = ada.send("/console/playground", **fields)
    assert answer.status_code == 409
    assert "has no live API key" in answer.text
    accounts.create_key(ada.context, feed.account_id, sandbox=True)
    assert ada.send("/console/playground", **fields).status_code == 409
    key = accounts.create_key(ada.context, feed.account_id)
    path = f"/console/playground?account={feed.account_id}"
    assert "billed to" in ada.page(path)
    ada.done("/console/playground", **fields)
    page = ada.done("/console/playground", **fields)
    with database.reading() as session:
        (job,) = session.scalars(select(models.Job))
        assert job.account_id == feed.account_id
        assert session.get_one(models.UsageDay, (key.id, job.created_at.date())).used == 1
        month = session.get_one(models.UsageMonth, (feed.account_id, job.billing_period))
        assert month.reserved_words == 400
    assert '<meta http-equiv="refresh" content="5">' in page
    assert "http-equiv" not in ada.page(f"/console/jobs/{job.id}")
    assert ("create_job", feed.account_id) in log()
    ada.done("/console/playground", **{**fields, "once": "def"})
    assert len(overview.jobs(WorkFilter())) == 2
    assert ada.send("/console/playground", **{**fields, "maxWords": "9"}).status_code == 400


def test_a_job_shows_its_post_in_all_forms_and_the_same_call(
    ada: ConsoleOperator, feed: Feed
) -> None:
    """result in all forms, and the same call to copy"""
    now = ada.context.clock.now()
    request = {
        "keywords": ['it\'s "tea"', HOSTILE],
        "targetAudience": "beginners",
        "constraints": {"maxWords": 400, "includeFAQs": True, "keywordUsageStrategy": "exact"},
    }
    result = {
        "post": {"title": HOSTILE},
        "rendered": {"markdown": HOSTILE, "html": f"<p>Good.</p>{HOSTILE}"},
        "quality": {"revisionCount": 1},
    }
    job_id = add_job(feed.account_id, at=now, request=request, result=result)
    page = ada.page(f"/console/jobs/{job_id}")
    assert "<p>Good.</p>" in page
    assert not re.search("<script>|<img src=x|javascript:", page)
    shown = re.findall('tabindex="0"><code>(.*?)</code></pre>', page, re.DOTALL)
    markdown, as_json, curl = map(unescape, shown)
    assert markdown == HOSTILE
    assert json.loads(as_json) == {"title": HOSTILE}
    words = shlex.split(curl)
    assert words[:4] == ["curl", "-X", "POST", "http://localhost/v1/jobs"]
    assert json.loads(words[-1]) == {
        "generateRequest": request,
        "format": {"responseTypes": ["markdown", "html"]},
    }


def test_a_job_that_runs_says_how_far_it_is(ada: ConsoleOperator, feed: Feed) -> None:
    now = ada.context.clock.now()
    job_id = add_job(feed.account_id, at=now, status="processing")
    assert "A worker is at the post: preparing." in ada.page(f"/console/jobs/{job_id}")
    answer = vars(Completion("text", prompt_tokens=1_100, completion_tokens=100))
    with database.writing() as session:
        session.add(models.Journal(work_id=job_id, inputs={}, stage="1 edit 1", created_at=now))
        session.flush()
        session.add(models.JournalCall(work_id=job_id, stage="1 draft 1", answer=answer))
    page = ada.page(f"/console/jobs/{job_id}")
    assert "A worker is at the post: editing 1 of 2.</strong> 1,200 tokens so far." in page


def a_failed_run(rule_id: str, at: Any, error: dict[str, Any]) -> models.Run:
    ended = {"status": "failed", "attempts": 1, "error": error, "finished_at": at}
    return models.Run(id=new_id("run"), rule_id=rule_id, slot=at, not_before=at, **ended)


def test_a_post_shows_what_became_of_it(ada: ConsoleOperator, feed: Feed) -> None:
    """delivery history: pulled how often, when last, confirmed, rejected or abandoned"""
    first, second, third = feed.add_items("Coffee", 3)

    def delivery(item_id: str) -> str:
        page = ada.page(f"/console/items/{item_id}")
        found = re.search(r"<h2>Delivery</h2>(.+?)</dl>", page, re.DOTALL)
        assert found
        return " ".join(re.sub("<[^>]+>", " ", found[1]).split())

    def call(method: str, path: str) -> None:
        answer = ada.client.open(f"/v1/content-tokens/{feed.token}/{path}", method=method)
        assert answer.status_code == 200, answer.text

    assert "State waiting waits for the site to pull it Pulled 0 times" in delivery(first)
    for _ in range(2):
        call("GET", "latest")
    sent = r"State sent .* Pulled 2 times .*Last pulled \d+ \w{3} \d{4}, \d\d:\d\d UTC"
    assert re.search(sent, delivery(first))
    call("POST", f"items/{first}/confirm")
    assert re.search(r"State published .* Pulled 2 times .*Confirmed \d", delivery(first))
    call("GET", "latest")
    call("POST", f"items/{second}/reject")
    assert re.search(r"State stopped rejected by the site, .+ Rejected \d", delivery(second))
    for _ in range(4):
        call("GET", "latest")
    assert re.search(r"State stopped abandoned: .* Pulled 3 times .*Abandoned \d", delivery(third))
    assert "Offer it to the site again" in ada.page(f"/console/items/{third}")
    assert "/posts/requeue" not in ada.page(f"/console/items/{second}")
    stopped = ada.page("/console/posts?state=stopped")
    # The one that was rejected cannot be chosen.
    assert re.findall(r'name="chosen" value="(\w+)"', stopped) == [third]
    assert "/posts/requeue" in stopped
    ada.done("/console/posts/requeue", chosen=third, back="/console/posts?state=stopped")
    assert "State waiting waits for the site to pull it Pulled 0 times" in delivery(third)
    for _ in range(4):
        call("GET", "latest")
    ada.done("/console/posts/requeue", chosen=third)
    assert "State waiting waits for the site to pull it Pulled 0 times" in delivery(third)
    assert ada.send("/console/posts/requeue", chosen=second).status_code == 409


def test_the_page_of_a_rule_tells_what_holds_it_up_now_and_not_an_earlier_failure(
    ada: ConsoleOperator, feed: Feed
) -> None:
    earlier = {"code": "PROHIBITED_INPUT", "message": "No."}
    last = {"code": "GENERATION_TIMEOUT", "message": "Too late."}
    rule_id = feed.rules["Coffee"]
    with database.writing() as session:
        session.add(a_failed_run(rule_id, ada.context.clock.now(), earlier))
        session.get_one(models.Rule, rule_id).last_error = last
    shown = ada.page(f"/console/rules/{rule_id}").partition("<h2>")[0]
    assert "The model was too slow" in shown
    assert "declined" not in shown
    feed.add_items("Coffee", 100)
    shown = ada.page(f"/console/rules/{rule_id}").partition("<h2>")[0]
    assert "100 posts of it wait" in shown
    assert "too slow" not in shown


def test_what_the_desk_stopped_is_counted_by_check(ada: ConsoleOperator, feed: Feed) -> None:
    """failed generations by code and check, last 14 days"""
    assert "No posts match" in ada.page("/console/posts?state=failed")
    now = ada.context.clock.now()
    found = [
        {"check": "plagiarism", "section": "sections[0]", "reason": HOSTILE},
        {"check": "keyword_missing", "section": "post", "reason": "x"},
    ]
    refused = {"code": "CONTENT_QUALITY_FAILED", "message": HOSTILE, "details": {"findings": found}}
    waited = {"code": "SPEND_CAP", "message": "A cap is reached."}
    old = now - timedelta(days=15)
    with database.writing() as session:
        for back, error in enumerate((refused, refused, waited)):
            at = now - timedelta(hours=back)
            session.add(a_failed_run(feed.rules["Coffee"], at, error))
        session.add(a_failed_run(feed.rules["Tea"], old, {"code": "OLD", "message": ""}))
    late = {"code": "GENERATION_TIMEOUT", "message": "Too late."}
    job = add_job(feed.account_id, at=now, status="failed", error=late)
    page = ada.page("/console/posts?state=failed")
    rows = re.findall(r'<td>(\w+)</td><td data-label="Check">([^<]*)</td><td[^>]*>(\d+)', page)
    assert set(rows) == {
        ("CONTENT_QUALITY_FAILED", "plagiarism", "2"),
        ("CONTENT_QUALITY_FAILED", "keyword missing", "2"),
        ("GENERATION_TIMEOUT", "–", "1"),
    }
    assert f"/console/jobs/{job}" in page
    assert "<script>" not in page
    assert "<td>OLD" not in page
    assert "SPEND_CAP" not in page
    assert page.count("a run of the rule") == 3


def delete_accounts() -> None:
    with database.writing() as session:
        for table in (models.Rule, models.Feed, models.Account):
            session.execute(table.__table__.delete())


def test_a_new_operator_is_led_to_the_first_post(client: FlaskClient, feed: Feed) -> None:
    """First run: led from the model (ready or not, and what to do) to an account with a key, a test
    post, a feed and rule, and the plugin or connector"""
    delete_accounts()
    ada = ConsoleOperator(client)

    def done() -> list[str]:
        found = re.findall(r'<li class="done"><strong>([^<]+)', ada.page("/"))
        return list(found)

    page = ada.page("/")
    assert "copydesk-server model pull" in page
    assert "none set" in page
    assert '<p class="calm">Nothing.</p>' in page
    assert done() == []
    account = ada.done("/console/accounts/new", name="Shop", plan="starter")
    found = re.search(r"acc_\w+", account)
    assert found
    ada.send(f"/console/accounts/{found[0]}/keys")
    made = URL.search(ada.send(f"/console/accounts/{found[0]}/feeds/new", name="Blog").text)
    assert made
    assert done() == ["Site"]
    with database.reading() as session:
        row = session.scalars(select(models.Feed)).one()
    assert ada.client.get("/console/setup/rule").headers["Location"].endswith(f"{row.id}/rules/new")
    rule = ada.send(f"/console/feeds/{row.id}/rules/new", keywords="tea", every="1d")
    assert rule.headers["Location"] == "/console/setup/post?follow=1"
    ada.send(f"/console/accounts/{found[0]}/feeds/new", name="News")
    # The step shows the posts of the site that was named last.
    rule = ada.send(f"/console/feeds/{row.id}/rules/new", keywords="milk", every="1d")
    assert rule.headers["Location"].startswith("/console/rules/")
    ada.done("/console/playground", account=found[0], keywords="tea", once="a")
    for status in ("failed", "succeeded"):
        assert done() == ["Site", "Rule"]
        with database.writing() as session:
            session.scalars(select(models.Job)).one().status = status
    assert done() == ["Site", "Rule", "First post"]
    with database.writing() as session:
        session.get_one(models.Account, found[0]).created_at -= timedelta(days=15)
    assert "First steps" not in ada.page("/")


def test_a_form_proposes_what_the_local_model_can_write_and_says_what_it_lacks(
    ada: ConsoleOperator, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“the form's default (600 to 1,200 words) is beyond the local model”; “sources are no step”"""
    held = ada.client.application.extensions["copydesk"]
    options = replace(held.context.options, is_local=True, research=None)
    monkeypatch.setattr(held, "context", replace(held.context, options=options))
    monkeypatch.setattr("app.console.browser.model_problem", lambda: "")
    for path in ("/console/playground", f"/console/feeds/{feed.token_id}/rules/new"):
        page = ada.page(f"{path}?account={feed.account_id}")
        assert "The local model writes only from sources. No sources are configured." in page
        assert 'value="150"' in page
        assert 'value="400"' in page


def test_an_address_that_is_none_is_a_page(ada: ConsoleOperator) -> None:
    answer = ada.client.get("/console/posts/")
    assert answer.status_code == 404
    assert "There is no such page." in answer.text
    assert ada.client.get("/console/").headers["Location"] == "/"


def test_an_operator_log_keeps_long_names_short(ada: ConsoleOperator) -> None:
    audit.record(ada.context, "Ada", "pause_feed", "x" * 500)
    assert log() == [("pause_feed", "x" * 100)]
