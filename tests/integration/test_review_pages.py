"""The pages of the review, for operators and for an owner with a link, through HTTP."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import timedelta
from html import unescape
from io import BytesIO
from itertools import islice
from threading import Event, Semaphore
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core.feed.review import Policy
from app.services import accounts, overview, review, review_links, rules
from app.services import feed as feeds
from app.store import database, models
from tests.support.consoles import ConsoleOperator, add_held
from tests.support.integration import BEGIN, SQLITE, Feed

# What a page says does not depend on the database; test_review.py has both.
pytestmark = SQLITE
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'></textarea><b>&amp;"
OFFER = {"name": "burr grinder", "url": "https://shop.example/grinder"}


class Owner(ConsoleOperator):
    """Somebody with a link to the review of a feed, and nothing else."""

    def __init__(self, client: FlaskClient, feed: Feed) -> None:
        self.client = client
        self.link = f"/review/{review_links.link(self.context, feed.token_id)}"
        found = re.search(r'name="csrf" value="([0-9a-f]{64})"', self.page(self.link))
        self.csrf = found[1] if found else ""


def hold(feed: Feed, count: int = 1, **columns: Any) -> list[str]:
    """Held items, each older than the one before it."""
    rule = feed.rules["Coffee"]
    return [
        add_held(feed.token_id, rule, BEGIN - timedelta(hours=number), **columns)
        for number in range(count)
    ]


def states(items: list[str]) -> list[str]:
    return [overview.item(item)[0].status for item in items]


def fields(page: str) -> dict[str, str]:
    """The fields of the editor."""
    texts = re.findall(r'<textarea[^>]* name="(\w+)"[^>]*>\r?\n?(.*?)</textarea>', page, re.DOTALL)
    inputs = re.findall(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', page)
    return {name: unescape(value) for name, value in (*texts, *inputs)}


def log() -> list[tuple[str, str, str]]:
    with database.reading() as session:
        rows = session.query(models.AuditEntry).order_by(models.AuditEntry.id)
        return [(row.operator, row.action, row.subject) for row in rows if "sign" not in row.action]


def test_a_held_post_is_read_as_on_the_site_and_approved(ada: ConsoleOperator, feed: Feed) -> None:
    """“operators … read it as on the site, … approve”"""
    newer, item, older = hold(feed, 3)
    page = ada.page(f"/console/items/{item}")
    assert "<h1>Cold brew at home: one jar, one night</h1>" in page
    assert "cold-brew-at-home-one-jar-one-night" in page
    assert "What the rules find" in page
    assert f'rel="prev" href="/console/items/{newer}"' in page
    assert f'rel="next" href="/console/items/{older}"' in page
    assert feeds.pull_latest(feed.context, feed.token, next_item=False) is None
    page = ada.done(f"/console/items/{item}/approve")
    assert "Approved." in page
    assert f'action="/console/items/{older}/approve"' in page
    pulled = feeds.pull_latest(feed.context, feed.token, next_item=False)
    assert pulled is not None
    assert pulled.id == item
    feeds.confirm(feed.context, feed.token, item)
    with database.writing() as session:
        session.get_one(models.FeedItem, item).published_url = "https://blog.example/cold-brew"
    page = ada.page(f"/console/items/{item}")
    assert 'Published at</dt><dd><a href="https://blog.example/cold-brew"' in page
    assert "/approve" not in page
    assert log() == [("Ada", "approve_item", item)]


def test_an_approved_post_without_a_site_leads_to_the_last_step(
    ada: ConsoleOperator, feed: Feed
) -> None:
    (item,) = hold(feed)
    page = ada.done(f"/console/items/{item}/approve")
    assert "No site is connected yet." in page
    assert 'href="/console/setup/connect"' in page
    assert feeds.pull_latest(feed.context, feed.token, next_item=False)
    assert "No site is connected yet." not in ada.page("/console/posts?state=held&done=approved")


def test_findings_of_one_kind_are_one_entry_with_a_number(ada: ConsoleOperator, feed: Feed) -> None:
    (item,) = hold(feed)
    found = [
        {"check": "keyword_density", "section": f"sections[{n}]", "reason": HOSTILE}
        for n in range(17)
    ]
    with database.writing() as session:
        known = {"post_id": item, "account_id": feed.account_id, "created_at": BEGIN}
        score = {"total": 61, "mark": None, "findings": found}
        session.add(models.Evidence(id="evd_1", **known, sources=[], coverage=[], score=score))
    page = ada.page(f"/console/items/{item}")
    assert '<summary>keyword density <span class="badge">17</span></summary>' in page
    assert page.count("&lt;img src=x") == 1
    assert "<img src=x" not in page


def test_the_chosen_posts_are_approved_and_the_others_are_named(
    ada: ConsoleOperator, feed: Feed
) -> None:
    """“bulk approve”; “what could not be approved is said”"""
    items = hold(feed, 4)
    page = ada.page("/console/posts?state=held")
    assert re.findall(r'type="checkbox" form="chosen" name="chosen" value="(\w+)"', page) == items
    page = ada.done("/console/posts/approve", chosen=items[:2])
    assert states(items) == ["pending", "pending", "held", "held"]
    assert "Approved." in page
    review.reject(ada.context, items[2])
    assert "Approved." not in ada.done("/console/posts/approve")
    answer = ada.send("/console/posts/approve", chosen=items[2:])
    assert answer.status_code == 409
    assert "could not be done with 1 of" in answer.text
    assert items[2] in answer.text
    assert items[3] not in answer.text
    assert states(items[2:]) == ["rejected", "pending"]
    each = [("Ada", "approve_item", item) for item in items]
    assert [entry for entry in log() if entry[1] == "approve_item"] == each


def test_the_editor_shows_what_it_would_make_and_stores_it_with_its_offers(
    ada: ConsoleOperator, feed: Feed
) -> None:
    """“edit title, description and text in a plain editor (Markdown, live preview; the rules run on
    it, offers are placed again)”"""
    (item,) = hold(feed)
    rules.add_offer(feed.rules["Coffee"], OFFER)
    path = f"/console/items/{item}"
    sent = fields(ada.page(f"{path}/edit"))
    assert sent["title"] == "Cold brew at home: one jar, one night"
    sent["title"] = "A title"
    sent["text"] += "\n**New** words about a jar."
    shown = ada.send(f"{path}/preview", **sent)
    assert shown.status_code == 200
    assert "<html" not in shown.text
    assert "<strong>New</strong> words" in shown.text or "New words" in shown.text
    assert 'href="https://shop.example/grinder"' in shown.text
    assert "What the rules find" in shown.text
    without_script = ada.send(f"{path}/edit", action="preview", **sent)
    assert fields(without_script.text)["text"].split() == sent["text"].split()
    assert overview.item(item)[0].title != "A title"
    assert "Saved. It is not approved yet." in ada.done(f"{path}/edit", action="save", **sent)
    assert overview.item(item)[0].title == "A title"
    again = fields(ada.page(f"{path}/edit"))
    assert again["version"] == "1"
    ada.done(f"{path}/edit", action="approve", **again)
    assert states([item]) == ["pending"]
    actions = [action for _, action, _ in log()]
    assert actions == ["edit_item", "edit_item", "edit_item", "approve_item"]


@pytest.mark.parametrize("name", ["title", "description", "text"])
def test_no_field_of_the_editor_brings_html_into_a_page(
    ada: ConsoleOperator, feed: Feed, name: str
) -> None:
    """“stored XSS tried on each field of the editor”"""
    (item,) = hold(feed)
    path = f"/console/items/{item}"
    sent = fields(ada.page(f"{path}/edit"))
    # With code around it, HTML is allowed in a text.
    typed = {"text": f"{sent['text']}\n\n## Code\n\n`{HOSTILE}` {HOSTILE[:4]}"}.get(name, HOSTILE)
    shown = [
        ada.send(f"{path}/preview", **{**sent, name: typed}),
        ada.send(f"{path}/edit", **{**sent, name: typed}),
        ada.client.get(path),
        ada.client.get(f"{path}/edit"),
        ada.client.get("/console/posts"),
    ]
    for answer in shown:
        assert answer.status_code in {200, 303, 400}
        assert not re.search(r"<img src=x|<script>|<b>", answer.text)
    review.approve(ada.context, [item])
    pulled = feeds.pull_latest(feed.context, feed.token, next_item=False)
    assert pulled is not None
    assert not re.search(r"<img|<script|<b>", pulled.html)


def feed_client(ada: ConsoleOperator) -> FlaskClient:
    return ada.client.application.test_client()


def test_an_owner_with_a_link_reviews_without_an_account(ada: ConsoleOperator, feed: Feed) -> None:
    """“by a signed link, an owner without an account” does the same, in the name of the link"""
    items = hold(feed, 5)
    owner = Owner(feed_client(ada), feed)
    page = owner.page(owner.link)
    assert re.findall(r'href="/review/[^"/]+/(itm_\w+)"', page) == items
    assert "<nav" not in page
    assert "/console/posts" not in page
    page = owner.done(f"{owner.link}/{items[0]}/approve")
    assert f'action="{owner.link}/{items[1]}/approve"' in page
    assert "/console/items" not in page
    sent = fields(owner.page(f"{owner.link}/{items[1]}/edit"))
    owner.done(f"{owner.link}/{items[1]}/edit", **{**sent, "title": "By the owner"})
    owner.done(f"{owner.link}/{items[1]}/reject", reason="Old news.")
    assert owner.send(f"{owner.link}/{items[2]}/rewrite", remark=" ").status_code == 400
    owner.done(f"{owner.link}/{items[2]}/rewrite", remark="Shorter.")
    owner.done(f"{owner.link}/approve", chosen=items[3:])
    assert states(items) == ["pending", "rejected", "rejected", "pending", "pending"]
    notes = [overview.item(item)[0].review_note for item in items[1:3]]
    assert notes == ["Old news.", "Shorter."]
    assert "No post waits for you." in owner.page(owner.link)
    assert {who for who, *_ in log()} == {"(review link)"}
    assert [action for _, action, _ in log()] == [
        "approve_item",
        "edit_item",
        "reject_item",
        *["rewrite_item"] * 2,
        "approve_item",
        "approve_item",
    ]


def test_a_link_opens_its_feed_only(ada: ConsoleOperator, feed: Feed) -> None:
    """“links expire and cannot be guessed”"""
    (mine,) = hold(feed)
    second = accounts.create_token(ada.context, feed.account_id, "Second").id
    new = rules.NewRule("Tea", {"keywords": ["tea"]}, timedelta(days=1))
    theirs = add_held(second, rules.create_rule(ada.context, second, new), BEGIN)
    owner = Owner(feed_client(ada), feed)
    assert theirs not in owner.page(owner.link)
    for path in ("", "/edit"):
        assert owner.client.get(f"{owner.link}/{theirs}{path}").status_code == 404
    for path in ("approve", "reject", "rewrite", "edit", "preview"):
        answer = owner.send(f"{owner.link}/{theirs}/{path}", remark="x", title="x", text="x")
        assert answer.status_code == 404, path
    owner.send(f"{owner.link}/approve", chosen=[theirs])
    assert states([mine, theirs]) == ["held", "held"]
    assert owner.client.get("/console/posts").status_code == 303


def test_a_wrong_or_ended_link_is_one_sentence(ada: ConsoleOperator, feed: Feed) -> None:
    (item,) = hold(feed)
    owner = Owner(feed_client(ada), feed)
    review_secret = owner.link.removeprefix("/review/")
    told = "This link is wrong or has expired. Ask for a new one."
    for link in ("/review/x", f"{owner.link}x", f"/review/{review_secret[:-1]}"):
        for path in (link, f"{link}/{item}", f"{link}/{item}/edit"):
            answer = owner.client.get(path)
            assert answer.status_code == 404
            assert told in answer.text
            assert answer.text.count("<a ") <= 2
    assert owner.send(f"/review/x/{item}/approve").status_code == 404
    for _ in range(feeds.MISSES_PER_MINUTE):
        answer = owner.client.get("/review/x")
    assert answer.status_code == 429
    assert states([item]) == ["held"]


def test_pages_behind_a_link_are_kept_from_other_sites_and_caches(
    ada: ConsoleOperator, feed: Feed
) -> None:
    """“noindex, no-referrer, no-store, the form tokens (CSRF) as the console has them”"""
    (item,) = hold(feed)
    owner = Owner(feed_client(ada), feed)
    for path in ("", f"/{item}", f"/{item}/edit"):
        answer = owner.client.get(owner.link + path)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
        assert "script-src 'self';" in answer.headers["Content-Security-Policy"]
        assert '<meta name="robots" content="noindex, nofollow">' in answer.text
    approve = f"{owner.link}/{item}/approve"
    for sent, origin in (
        ({}, "http://localhost"),
        ({"csrf": ada.csrf}, "http://localhost"),
        ({"csrf": owner.csrf}, "https://evil.example"),
    ):
        answer = owner.client.post(approve, data=sent, headers={"Origin": origin})
        assert answer.status_code == 403
    assert states([item]) == ["held"]
    # Browsers hide the origin of a page without a referrer.
    answer = owner.client.post(approve, data={"csrf": owner.csrf}, headers={"Origin": "null"})
    assert answer.status_code == 303
    answer = ada.client.post(
        "/console/posts/approve", data={"csrf": ada.csrf}, headers={"Origin": "null"}
    )
    assert answer.status_code == 403


def test_texts_are_read_one_after_the_other_and_few_wait(
    ada: ConsoleOperator, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one reviewer, three texts wait, however they are sent; others are still served."""
    (item,) = hold(feed)
    owner, read = Owner(ada.client.application.test_client(), feed), review.check_post
    begun, may_end, at_once, most = Event(), Event(), Semaphore(1), 3

    def slowly(*given: Any) -> Any:
        assert at_once.acquire(blocking=False), "two are read at once"
        begun.set()
        assert may_end.wait(30)
        at_once.release()
        return read(*given)

    def ask(way: int) -> int:
        fields = {"csrf": owner.csrf, "text": "A text.", "version": "1"}
        path, client = f"{owner.link}/{item}", ada.client.application.test_client()
        ways: list[Callable[[], Any]] = [
            lambda: client.post(f"{path}/preview", data=fields),
            lambda: client.post(f"{path}/edit", data={**fields, "action": "preview"}),
            lambda: client.get(path),
            lambda: client.get(f"{path}/edit"),
        ]
        status: int = ways[way % len(ways)]().status_code
        return status

    monkeypatch.setattr("app.services.review.check_post", slowly)
    with ThreadPoolExecutor(20) as threads:
        asked = [threads.submit(ask, way) for way in range(12)]
        assert begun.wait(30)
        refused = list(islice(as_completed(asked, timeout=30), len(asked) - most))
        assert {each.result() for each in refused} == {429}
        operators = threads.submit(ada.page, f"/console/items/{item}")
        may_end.set()
        assert "What the rules find" in operators.result()
        assert [each.result() for each in asked].count(200) == most


def test_a_few_reviewers_do_not_fill_the_line(
    ada: ConsoleOperator, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (item,) = hold(feed)
    links = []
    for name in ("One", "Two", "Three"):
        token = accounts.create_token(ada.context, feed.account_id, name).id
        held = add_held(token, feed.rules["Coffee"], BEGIN)
        links.append(f"/review/{review_links.link(ada.context, token)}/{held}")
    may_end, read = Event(), review.check_post

    def slowly(*given: Any) -> Any:
        assert may_end.wait(30)
        return read(*given)

    def ask(link: str) -> int:
        return ada.client.application.test_client().get(link).status_code

    monkeypatch.setattr("app.services.review.check_post", slowly)
    with ThreadPoolExecutor(20) as threads:
        asked = [threads.submit(ask, link) for link in links * 3]
        refused = islice(as_completed(asked, timeout=30), 4)
        assert {each.result() for each in refused} == {429}
        operators = threads.submit(ada.page, f"/console/items/{item}")
        may_end.set()
        assert "What the rules find" in operators.result()
        assert [each.result() for each in asked].count(200) >= len(links)


def test_a_form_that_is_too_long_is_told_so(ada: ConsoleOperator, feed: Feed) -> None:
    (item,) = hold(feed)
    long = {"csrf": ada.csrf, "text": (BytesIO(b"x" * 70_000), "")}
    answer = ada.client.post(f"/console/items/{item}/edit", data=long)
    assert answer.status_code == 400
    assert "The form is too long." in answer.text


def test_a_feed_asks_for_a_review(ada: ConsoleOperator, feed: Feed) -> None:
    """“Feed form: review none/hold, hours, then; e-mail; and ‘Copy the review link’”"""
    path = f"/console/feeds/{feed.token_id}"
    sent = {"review": "hold", "hours": "48", "then": "reject", "email": "jo@blog.example"}
    page = ada.done(f"{path}/review", **sent)
    assert "each post is held for at most 48 hours, then rejected" in page
    assert overview.feed(feed.token_id)[0].policy == Policy("hold", 48, "reject", "jo@blog.example")
    for wrong, problem in (
        ({"hours": "soon", "email": "jo"}, "whole number"),
        ({"hours": "0"}, "from 1 to"),
        ({"hours": "8761"}, "from 1 to"),
        ({"email": "jo"}, "an e-mail address"),
        ({"email": "a@b, c@d"}, "an e-mail address"),
        ({"email": "a@b\nBcc: c@d"}, "an e-mail address"),
        ({"then": ""}, "approve or reject if there are hours"),
        ({"review": "x"}, "none or hold"),
    ):
        answer = ada.send(f"{path}/review", **{**sent, **wrong})
        assert answer.status_code == 400
        assert all(f'id="{name}-fault"' in answer.text for name in wrong)
        assert problem in answer.text
    page = ada.send(f"{path}/review-link").text
    link = re.search(r"<code>http://localhost(/review/[^<]+)</code>", page)
    assert link
    assert feed_client(ada).get(link[1]).status_code == 200
    assert ada.client.get(f"{path}/review-link").status_code == 303
    new = f"/console/accounts/{feed.account_id}/feeds/new"
    assert ada.send(new, name="Shop", **sent).status_code == 200
    made = overview.feeds(ada.context, feed.account_id)[0][0]
    assert (made.name, made.review, made.review_hours) == ("Shop", "hold", 48)
    assert ada.send(new, name="Bad", **{**sent, "hours": "0"}).status_code == 400
    assert overview.feeds(ada.context, feed.account_id)[0][0].id == made.id
