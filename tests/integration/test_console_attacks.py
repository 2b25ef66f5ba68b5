"""Attacks on the console, each tried through HTTP on the whole application, on both databases."""

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from threading import Event
from typing import Any
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient
from sqlalchemy import JSON, String, Text, select, update
from werkzeug.test import encode_multipart

from app import create_app
from app.core.feed.review import Policy
from app.extensions import Base
from app.services import accounts, audit, operators, passwords, review_links
from app.settings import Settings
from app.store import database, models
from app.store.rows import new_id
from tests.support.asgi_calls import call, front_of
from tests.support.consoles import PASSWORD, ConsoleOperator, add_given_up, add_held, add_job
from tests.support.integration import SQLITE, Feed
from tests.support.startup import wait_until

EVIL = "https://evil.example"
COOKIE = "copydesk_session"


@pytest.fixture
def visitor(client: FlaskClient) -> FlaskClient:
    """A browser that nobody has signed in with. The fixture ``client`` keeps the context of its
    last request, which another browser's request must not see."""
    return client.application.test_client()


def another(client: FlaskClient) -> FlaskClient:
    """Another browser."""
    return client.application.test_client()


@pytest.fixture
def ids(ada: ConsoleOperator, feed: Feed) -> dict[str, str]:
    """Something on each page: an object of each kind, by the name that paths have for its id."""
    now = ada.context.clock.now()
    key = accounts.create_key(ada.context, feed.account_id)
    rule_id = feed.rules["Coffee"]
    told = {"review_note": "A remark.", "published_url": "https://blog.example/"}
    item_id = add_held(feed.token_id, rule_id, now, **told)
    accounts.update_token(feed.token_id, policy=Policy("hold", email="jo@blog.example"))
    finding = {"check": "plagiarism", "section": "post", "reason": "It repeats a source."}
    error = {"code": "CONTENT_QUALITY_FAILED", "message": "No.", "details": {"findings": [finding]}}
    asked = {
        "keywords": ["tea", "milk"],
        "topic": "Tea",
        "targetAudience": "all",
        "brandVoice": "calm",
        "industry": "tea",
    }
    result = {"post": {"title": "Tea"}, "rendered": {"markdown": "Tea.", "html": "<p>Tea.</p>"}}
    of_job = {"request": {**asked, "targetUrl": "https://example.com/", "tone": "bold"}}
    job_id = add_job(feed.account_id, at=now, result=result, **of_job)
    add_job(feed.account_id, at=now, request=asked, status="failed", error=error)
    delivery_id = add_given_up(job_id, now, last_answer="HTTP 503")
    claim = {"claim": "100 g", "kind": "figure", "url": "https://example.com/", "sentence": "Yes."}
    source = {"url": "https://example.com/", "title": "A page"}
    score = {"total": 80, "parts": {"mechanics": 90}, "findings": [finding]}
    with database.writing() as session:
        rule = session.get_one(models.Rule, rule_id)
        rule.request, rule.last_error, rule.failures = asked, error, 2
        rule.offers = [{"name": "Kettle", "url": "https://example.com/"}]
        session.get_one(models.Rule, feed.rules["Tea"]).saturated_since = now
        for number, run_error in enumerate((error, None)):
            state = {"status": "failed" if run_error else "queued", "error": run_error}
            run = {"id": new_id("run"), "rule_id": rule_id, "not_before": now, **state}
            slot = now.replace(microsecond=number)
            session.add(models.Run(**run, slot=slot, finished_at=now if run_error else None))
        for post_id in (item_id, job_id):
            known = {"id": new_id("evd"), "account_id": feed.account_id, "created_at": now}
            found = {"sources": [source], "coverage": [claim], "score": score}
            session.add(models.Evidence(post_id=post_id, **known, **found))
        work = {"work_id": job_id, "inputs": {}}
        session.add(models.Journal(**work, created_at=now))
        session.flush()
        session.add(models.JournalCall(work_id=job_id, stage="1 draft 1", answer={}))
        period = {"account_id": feed.account_id, "period_start": now.date().replace(day=1)}
        spent = {"words": 19_000, "posts": 20, "requests": 20, "reserved_words": 0}
        session.add(models.UsageMonth(**period, **spent))
    audit.record(ada.context, "Ada", "pause_feed", feed.token_id)
    # As in `run`, where the settings can be changed.
    ada.client.application.extensions["copydesk"].change = lambda _: None
    return {
        "account_id": feed.account_id,
        "feed_id": feed.token_id,
        "rule_id": rule_id,
        "item_id": item_id,
        "group": "model",
        "step": "feed",
        "job_id": job_id,
        "key_id": key.id,
        "delivery_id": delivery_id,
    }


def paths(client: FlaskClient, method: str, ids: dict[str, str]) -> Iterator[str]:
    """The path of each page, or of each form, of the console."""
    for route in client.application.url_map.iter_rules():
        # There is no welcome once there is an operator.
        is_asset = "filename" in route.arguments or route.endpoint == "console.welcome"
        is_asset |= route.endpoint == "console.nowhere"
        if (
            route.endpoint.startswith("console.")
            and not is_asset
            and method in (route.methods or ())
        ):
            yield re.sub(r"<(\w+)>", lambda found: ids[found[1]], route.rule)


def rows() -> dict[str, list[Any]]:
    """The rows of each table, as text."""
    tables = Base.metadata.tables
    with database.reading() as session:
        return {
            name: sorted(map(repr, session.execute(select(table))))
            for name, table in tables.items()
        }


@SQLITE
def test_a_form_on_another_site_reaches_nothing(ada: ConsoleOperator, feed: Feed) -> None:
    """CSRF: not with the right secret, and neither signing in nor signing out"""
    sign_in = {"name": "Ada", "password": PASSWORD}
    before = rows()
    for origin in (
        EVIL, "null", "http://localhost.evil.example", "http://localhost:81", "http://a@localhost",
        "http://[", "http://\u2100/",
    ):  # fmt: skip
        headers = {"Origin": origin}
        for path in (f"/console/feeds/{feed.token_id}/pause", "/sign-out", "/sign-in"):
            data = {"csrf": ada.csrf, **sign_in}
            answer = ada.client.post(path, data=data, headers=headers)
            assert answer.status_code == 403, (origin, path)
            assert "Set-Cookie" not in answer.headers
    assert rows() == before


@SQLITE
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_stranger_cannot_have_thousands_of_fields_read(visitor: FlaskClient, kind: str) -> None:
    for number, told in ((150, False), (250, True)):
        fields = {f"field{each}": "" for each in range(number)}
        answer = visitor.post("/sign-in", data=fields, content_type=kind)
        assert ("at most 200 fields" in answer.text) == told
        assert answer.status_code == (400 if told else 403)


@SQLITE
def test_the_secret_of_a_form_is_of_one_session_and_in_the_form(
    ada: ConsoleOperator, feed: Feed
) -> None:
    """CSRF: a secret of another session, and one that is not in the body of a form, do not count"""
    bo = ConsoleOperator(another(ada.client), "Bo")
    again = ConsoleOperator(another(ada.client), "Cy")
    path = f"/console/feeds/{feed.token_id}/pause"
    before = rows()
    for sent in (
        {"data": {"csrf": bo.csrf}},
        {"data": {"csrf": again.csrf}},
        {"query_string": {"csrf": ada.csrf}},
        {"headers": {"X-CSRF-Token": ada.csrf, "Cookie": f"csrf={ada.csrf}"}},
        {"json": {"csrf": ada.csrf}},
        {"data": f"csrf={ada.csrf}", "content_type": "text/plain"},
    ):
        assert ada.client.post(path, **sent).status_code == 403, sent
    assert rows() == before


@SQLITE
def test_reading_a_page_changes_nothing(ada: ConsoleOperator, ids: dict[str, str]) -> None:
    """CSRF: no change hides behind a link"""
    before = rows()
    for path in paths(ada.client, "GET", ids):
        assert ada.client.get(path).status_code in {200, 303}, path
    assert rows() == before


@SQLITE
def test_a_session_that_somebody_else_knows_is_never_signed_in(
    visitor: FlaskClient,
) -> None:
    """session fixation: a planted cookie is worth nothing, and a session of the attacker ends"""
    mallory = ConsoleOperator(visitor, "Mallory", "read")
    known = mallory.client.get_cookie(COOKIE)
    assert known
    operators.create_operator(mallory.context, "Ada", PASSWORD)
    for planted in ("chosen", known.value):
        victim = another(visitor)
        victim.set_cookie(COOKIE, planted)
        answer = victim.post("/sign-in", data={"name": "Ada", "password": PASSWORD})
        assert answer.status_code == 303
        assert "Ada" in victim.get("/").text
        attacker = another(visitor)
        attacker.set_cookie(COOKIE, planted)
        assert attacker.get("/").status_code == 303
    cookie = victim.get_cookie(COOKIE)
    assert cookie
    assert another(visitor).get(f"/?{COOKIE}={cookie.value}").status_code == 303


# Not text of strangers, or not free to choose.
FIXED = re.compile(
    r"(?!request_id)(?:.*_)?id|status|hash|name_key|role|password_hash|\w*secret|owner|stage"
    r"|review|review_then|review_email"
)
# What a model, a source, a receiver, a site, a customer or an operator can fill.
FILLED = {
    "accounts.name", "plans.name", "tokens.name", "tokens.hint", "api_keys.hint",
    "rules.name", "rules.request", "rules.offers", "rule_runs.error",
    "feed_items.title", "feed_items.post", "feed_items.markdown", "feed_items.review_note",
    "feed_items.published_url", "jobs.request", "jobs.error", "jobs.result", "jobs.request_id",
    "webhook_deliveries.event", "webhook_deliveries.last_answer", "evidence.sources",
    "evidence.coverage", "evidence.score", "audit_entries.action", "audit_entries.subject",
    "audit_entries.operator", "operators.name",
}  # fmt: skip
HOSTILE_HTML = (
    "<p>Good.</p><form action='/console/feeds/x/delete'><input name=csrf><button>Go</button></form>"
    "<base href='//evil.example'><meta http-equiv=refresh content='0;url=//evil.example'>"
    "<svg onload=x><style>*{display:none}</style><iframe src=//evil.example></iframe>"
    "<link rel=stylesheet href=//evil.example><img src=//evil.example onerror=x>"
    "<a href='java\tscript:x' onclick=x>a</a><a href='data:text/html,x'>b</a>"
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x&gt;'>"
    "<p class=notice id=main style='position:fixed'>Sign in again</p><object data=x></object>"
)
OUR_SCRIPTS = [("src", f"/console/static/{name}.js") for name in ("console", "editor")]
# In a post; elsewhere they belong to the page.
NOT_IN_POSTS = {"form", "input", "button", "img", "svg", "math", "meta", "link", "textarea"}


class Page(HTMLParser):
    """The numbers of the hostile texts that a page shows; fails where one is more than text."""

    def __init__(self, path: str, page: str) -> None:
        super().__init__()
        self.path, self.shown, self.in_post = path, set[int](), False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        where = f"{self.path}: <{tag} {attrs}>"
        is_ours = attrs[1:] == [("defer", None)] and attrs[0] in OUR_SCRIPTS
        assert is_ours or not re.match("xss|script|style|iframe|object|embed|base", tag), where
        assert not (self.in_post and tag in NOT_IN_POSTS), where
        self.in_post |= tag == "article"
        for name, value in attrs:
            assert not re.match("on|style|srcdoc", name), where
            outside = {"class", "id", "formaction"}
            assert not (self.in_post and tag != "article" and name in outside), where
            if name in {"href", "src", "action", "formaction"}:
                assert re.match(r"/(?!/)|[?#]|https?://|otpauth://totp/|\Z", value or ""), where
            self.handle_data(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.in_post &= tag != "article"

    def handle_data(self, data: str) -> None:
        self.shown |= {int(number) for number in re.findall(r"xss(\d+)", data)}


def hostile(number: int, size: int | None) -> str:
    """A text that ends an attribute or an element, and begins one; as long as its column allows."""
    text = f"\"'><xss{number} on=1>"
    return text if size is not None and size < 60 else f"</textarea></title>{text}\"' onx=1 "


def planted(value: Any, text: str) -> Any:
    """The same value with another text wherever there is one, the names of members included."""
    if isinstance(value, str):
        return text
    if isinstance(value, list):
        return [planted(each, text) for each in value]
    if isinstance(value, dict):
        # Of the sections of a post.
        filled = {
            name: each if name == "type" else planted(each, text) for name, each in value.items()
        }
        if "parts" in filled:
            filled["parts"] = {text: 1}
        return filled
    return value


def plant_everywhere() -> dict[int, str]:
    """Fill each text column of each row with a hostile text; return the columns by its number."""
    columns: dict[int, str] = {}
    with database.writing() as session:
        for table in Base.metadata.tables.values():
            stored = session.execute(select(table)).mappings().all()
            for column in table.columns:
                kind = column.type
                if FIXED.fullmatch(column.name) or not isinstance(kind, String | Text | JSON):
                    continue
                number = len(columns)
                columns[number] = f"{table.name}.{column.name}"
                text = hostile(number, getattr(kind, "length", None))
                text = HOSTILE_HTML if column.name == "html" else text
                for row in stored:
                    same = [key == row[key.name] for key in table.primary_key.columns]
                    value = planted(row[column.name], text)
                    if column.name == "result" and value:
                        value["rendered"]["html"] = HOSTILE_HTML
                    session.execute(update(table).where(*same).values({column.name: value}))
    return columns


def test_text_of_strangers_stays_text_on_every_page(
    ada: ConsoleOperator, ids: dict[str, str]
) -> None:
    """stored XSS through every field that a model, source, receiver, site or customer can fill"""
    columns = plant_everywhere()
    shown: set[str] = set()
    pages = [*paths(ada.client, "GET", ids), f"/console/playground?account={ids['account_id']}"]
    with database.reading() as session:
        others = [*session.scalars(select(models.Job.id)), *session.scalars(select(models.Rule.id))]
    pages += [f"/console/{'jobs' if one[:3] == 'job' else 'rules'}/{one}" for one in others]
    link = f"/review/{review_links.link(ada.context, ids['feed_id'])}"
    pages += [link, f"{link}/{ids['item_id']}", f"{link}/{ids['item_id']}/edit"]
    for path in pages:
        answer = ada.client.get(path)
        # The request of the rule is hostile as well: nothing can be edited by it.
        refused = {400} if path.endswith(f"{ids['item_id']}/edit") else set()
        assert answer.status_code in {200, 303, *refused}, (path, answer.text)
        found = Page(path, answer.text)
        shown |= {columns[number] for number in found.shown}
    assert shown >= FILLED


@SQLITE
def test_what_a_form_or_an_address_sends_stays_text(
    ada: ConsoleOperator, ids: dict[str, str]
) -> None:
    """reflected: in the fields of a form, in an error, and in the query of a list"""
    sent = hostile(1, None)
    names = ("name", "plan", "keywords", "every", "topic", "tone", "url", "account", "begin")
    for path in paths(ada.client, "POST", ids):
        if path not in {"/sign-in", "/sign-out"} and "delete" not in path:
            fields = dict.fromkeys(names, sent) | {"once": sent, "maxWords": sent}
            Page(path, ada.send(path, **fields).text)
    query = dict.fromkeys(("account", "job", "begin", "end", "before", "replayed", "status"), sent)
    for path in paths(ada.client, "GET", ids):
        Page(path, ada.client.get(path, query_string=query).text)
    signed_out = another(ada.client)
    Page("/sign-in", signed_out.get("/sign-in", query_string={"next": sent}).text)


ELSEWHERE = (
    f"{EVIL}/", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example",
    "/\t/evil.example", "/\n/evil.example", " //evil.example", "javascript:alert(1)",
    "https:evil.example", "/\r\nSet-Cookie: a=b", "/console\r\n\r\n<script>", "\1//evil.example",
)  # fmt: skip


@SQLITE
def test_no_address_leads_to_another_site(ada: ConsoleOperator) -> None:
    """open redirect: behind the sign-in, behind a form, and behind “Back”"""
    operators.create_operator(ada.context, "Bo", PASSWORD)
    for number, target in enumerate(ELSEWHERE):
        answer = ada.send("/console/rules/pause", back=target)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/"), target
        data = {"name": ("Ada", "Bo")[number % 2], "password": PASSWORD}
        answer = another(ada.client).post("/sign-in", data=data, query_string={"next": target})
        assert (answer.status_code, answer.headers["Location"]) == (303, "/"), target
        assert len(answer.headers.getlist("Set-Cookie")) == 1
    lookalikes = (f"{EVIL}/http://localhost/", "http://localhost.evil.example/", "//evil.example")
    for headers in ({"Referer": referrer} for referrer in lookalikes):
        assert "evil.example" not in ada.client.get("/console/feeds/x", headers=headers).text


@SQLITE
def test_no_other_site_shows_the_console_in_a_frame(
    ada: ConsoleOperator, ids: dict[str, str]
) -> None:
    """clickjacking: pages, errors, redirects, the sign-in page, secrets and downloads"""
    signed_out = another(ada.client)
    answers = [ada.client.get(path) for path in paths(ada.client, "GET", ids)]
    account = f"/console/accounts/{ids['account_id']}"
    answers += [
        ada.client.get("/console/feeds/x"),
        ada.client.post(f"/console/feeds/{ids['feed_id']}/pause"),
        ada.send("/console/accounts/new", name=""),
        ada.send(f"{account}/keys"),
        signed_out.get("/"),
        signed_out.get("/sign-in"),
        signed_out.post("/sign-in", data={"name": "Ada", "password": "wrong"}),
    ]
    assert {answer.status_code for answer in answers} == {200, 303, 400, 403, 404}
    for answer in answers:
        policy = answer.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy, answer.request.path
        assert "default-src 'none'" in policy
        assert re.findall("[^;]*script[^;]*", policy) == [" script-src 'self'"]
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Cache-Control"] == "no-store"


def guess(client: FlaskClient, name: str, password: str = "a guess", **more: Any) -> int:
    return client.post("/sign-in", data={"name": name, "password": password}, **more).status_code


@SQLITE
def test_guesses_at_one_name_are_limited_and_keep_no_operator_out(visitor: FlaskClient) -> None:
    """strangers cannot lock operators out: brute force, however the name is written"""
    ConsoleOperator(visitor)
    names = ["Ada", "ada", " ADA "]
    for network in range(3):
        stranger = {"REMOTE_ADDR": f"198.51.100.{network}"}
        answers = [guess(visitor, names[number % 3], environ_base=stranger) for number in range(12)]
        assert answers == [403] * 10 + [429] * 2
        assert guess(visitor, "Ada", PASSWORD, environ_base=stranger) == 429
    refused = [each.action for each in audit.audit_log("", 100)].count("sign_in_refused")
    assert refused == 3 * 10  # those beyond the limit would fill the audit log
    assert guess(visitor, "Ada", PASSWORD) == 303


@SQLITE
def test_one_password_is_verified_at_a_time_and_few_wait(
    visitor: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """strangers cannot … keep the processors busy"""
    may_end, running, most = Event(), [0], [0]

    class Slow:
        def verify(self, *_: object) -> bool:
            running[0] += 1
            most[0] = max(most[0], running[0])
            may_end.wait(10)
            running[0] -= 1
            return False

    monkeypatch.setattr(passwords, "_hasher", Slow())
    app = visitor.application

    def guesses(number: int) -> int:
        address = {"REMOTE_ADDR": f"198.51.100.{number}"}
        return guess(app.test_client(), f"name {number}", environ_base=address)

    with ThreadPoolExecutor(12) as threads:
        answers = [threads.submit(guesses, number) for number in range(12)]
        wait_until(lambda: sum(each.done() for each in answers) == 8, 10, "few wait")
        may_end.set()
    assert sorted(each.result() for each in answers) == [403] * 4 + [429] * 8
    assert most == [1]


@SQLITE
def test_guesses_of_one_network_are_limited_at_all_names(visitor: FlaskClient) -> None:
    """brute force: one password tried at many names; a header does not make another client"""
    ConsoleOperator(visitor)
    known = {"REMOTE_ADDR": "2001:db8::1"}
    answers = [
        guess(
            visitor,
            f"name {number}",
            environ_base={"REMOTE_ADDR": f"2001:db8::{number:x}"},
            headers={"X-Forwarded-For": f"198.51.100.{number}", "X-Real-IP": "198.51.100.1"},
        )
        for number in range(21)
    ]
    assert answers == [403] * 20 + [429]
    for _ in range(10):
        assert guess(visitor, "Ada", PASSWORD, environ_base=known) == 429
    assert guess(visitor, "Ada", PASSWORD, environ_base={"REMOTE_ADDR": "2001:db8:0:1::1"}) == 303


@SQLITE
@pytest.mark.parametrize("comes", [True, False])
@pytest.mark.parametrize("how", ["whole", "in parts", "in chunks"])
def test_a_form_that_comes_late_is_read_and_one_that_does_not_is_no_guess(
    visitor: FlaskClient, monkeypatch: pytest.MonkeyPatch, comes: bool, how: str
) -> None:
    """a form that comes late is read, that of the editor as well, which is sent in parts, and what
    a proxy sends in chunks"""
    operators.create_operator(visitor.application.extensions["copydesk"].context, "Ada", PASSWORD)
    front = front_of(visitor.application, per_account=1)
    if not comes:
        monkeypatch.setattr("app.api.front._BODY_SECONDS", 0.3)
    fields = {"name": "Ada", "password": PASSWORD}
    form, content_type = urlencode(fields).encode(), "application/x-www-form-urlencoded"
    if how == "in parts":
        boundary, form = encode_multipart(fields)
        content_type = f"multipart/form-data; boundary={boundary}"
    sent = {"method": "POST", "content_type": content_type}
    if how == "in chunks":
        sent["transfer_encoding"] = "chunked"

    async def late() -> tuple[int, str]:
        arrives = asyncio.Event()
        answer = asyncio.ensure_future(call(front, "/sign-in", form, late=arrives, **sent))
        while comes and not front._late_forms:
            await asyncio.sleep(0.01)
        if comes:
            arrives.set()
        return await answer

    for _ in range(12):
        status, page = asyncio.run(late())
        if comes:
            assert status == 303
            return
        assert (status, "did not arrive completely" in page) == (400, True)
    assert guess(visitor, "Ada", PASSWORD) == 303


@SQLITE
def test_behind_a_proxy_each_client_has_its_own_guesses(feed: Feed) -> None:
    """brute force: what a client adds to the header of its proxy does not count"""
    app = create_app(Settings(database_url=feed.url, trusted_proxies=1))
    proxied = app.test_client()
    operators.create_operator(app.extensions["copydesk"].context, "Ada", PASSWORD)
    forged = [
        guess(proxied, f"name {n}", headers={"X-Forwarded-For": f"198.51.100.{n}, 203.0.113.9"})
        for n in range(21)
    ]
    assert forged == [403] * 20 + [429]
    other = {"X-Forwarded-For": "203.0.113.10"}
    assert guess(proxied, "Ada", PASSWORD, headers=other) == 303


@SQLITE
def test_guesses_are_limited_without_redis(feed: Feed) -> None:
    """brute force: an attacker who can stop Redis gains nothing"""
    app = create_app(Settings(database_url=feed.url, redis_url="redis://127.0.0.1:1/0"))
    operators.create_operator(app.extensions["copydesk"].context, "Ada", PASSWORD)
    answers = [guess(app.test_client(), "Ada") for _ in range(11)]
    assert answers == [403] * 10 + [429]


def test_no_address_is_an_error_of_the_service(ada: ConsoleOperator, ids: dict[str, str]) -> None:
    """Bad input gets one clear error, never a 500."""
    names = ("account", "job", "begin", "end", "before", "replayed", "status", "feed", "rule")
    for text in (b"\0", b"\xed\xa0\x80", b"9" * 400, b"0001-01-01T00:00", b"9999-12-31"):
        # Only paths with an id have a low line.
        for path in (each for each in paths(ada.client, "GET", ids) if "_" not in each):
            query = dict.fromkeys(names, text)
            assert ada.client.get(path, query_string=query).status_code < 500, (path, text)
    for wrong in ("%00", "x"):
        for path in paths(ada.client, "GET", dict.fromkeys(ids, wrong)):
            answer = ada.client.get(path)
            assert answer.status_code < 500, path
            assert wrong not in path.split("/") or answer.status_code in {303, 404}, path
            assert answer.status_code != 404 or re.search("There (is|are) no", answer.text), path
