"""The console as a signed-in operator uses it, and rows for it to show."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from ulid import ULID
from werkzeug.serving import WSGIRequestHandler, make_server

from app.core.feed.item import Status
from app.rendering.page import render
from app.services import operators
from app.services.context import Context
from app.store import database, models
from app.store.rows import new_id
from app.writing.post_markdown import parse_post
from tests.support.answers import BRIEF, POST
from tests.support.chromium import Browser
from tests.support.loopback import running

PASSWORD = "correct horse battery"
CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


class ConsoleOperator:
    """An operator of a service, signed in."""

    def __init__(self, client: FlaskClient, name: str = "Ada", role: str = "write") -> None:
        self.client = client
        operators.create_operator(self.context, name, PASSWORD, operators.Role(role))
        answer = client.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303
        found = CSRF.search(client.get("/").text)
        assert found
        self.csrf = found[1]

    @property
    def context(self) -> Context:
        found: Context = self.client.application.extensions["copydesk"].context
        return found

    def page(self, path: str) -> str:
        """The text of a page, which must be there."""
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def send(self, path: str, **fields: Any) -> Any:
        """Send a form with the secret of the session."""
        return self.client.post(path, data={"csrf": self.csrf, **fields})

    def done(self, path: str, **fields: Any) -> str:
        """Send a form that works; return the page that it leads to."""
        answer = self.send(path, **fields)
        assert answer.status_code == 303, answer.text
        return self.page(answer.headers["Location"])


def sign_in(browser: Browser, address: str) -> None:
    """By keyboard: the name has the focus."""
    browser.open(address)
    browser.until("document.activeElement.id === 'name'")
    browser.type("Ada")
    browser.press("Tab")
    browser.type(PASSWORD)
    browser.press_and_load("Enter")


class _Quiet(WSGIRequestHandler):
    def log(self, *_: object, **__: object) -> None:
        """A good run prints nothing."""


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Serve an application to a browser in the block, at the address that is yielded. Its database
    is left at the end."""
    # With threads: a browser opens connections that it may never use.
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    try:
        with running(server):
            yield f"http://127.0.0.1:{server.server_port}"
    finally:
        database.dispose()


def add_job(account_id: str, **columns: Any) -> str:
    """Add a job that was created ``at`` a time and succeeded, unless ``columns`` say otherwise."""
    now = columns.pop("at")
    job = models.Job(
        id=new_id("job"),
        account_id=account_id,
        not_before=now,
        request_id="req_1",
        response_types=["markdown", "html"],
        input_summary={},
        billing_period=now.date().replace(day=1),
        created_at=now,
        updated_at=now,
        **{"status": "succeeded", "request": {"keywords": ["tea"]}, **columns},
    )
    with database.writing() as session:
        session.add(job)
    return job.id


def add_given_up(job_id: str, at: datetime, **columns: Any) -> str:
    """Add a webhook of a job that was given up."""
    delivery_id = f"msg_{ULID.from_datetime(at)}"
    with database.writing() as session:
        delivery = models.WebhookDelivery(
            id=delivery_id,
            status="failed",
            not_before=at,
            attempts=14,
            job_id=job_id,
            account_id=session.get_one(models.Job, job_id).account_id,
            event="job.succeeded",
            body="{}",
            created_at=at,
            finished_at=at,
            failures=14,
            **columns,
        )
        session.add(delivery)
    return delivery_id


def add_held(feed_id: str, rule_id: str, at: datetime, **columns: Any) -> str:
    """Add a held item with a whole post, generated ``at`` a time."""
    post = parse_post(POST, BRIEF)
    rendered = render(post, ())
    item = models.FeedItem(
        id=f"itm_{ULID.from_datetime(at)}",
        token_id=feed_id,
        rule_id=rule_id,
        delivery_count=0,
        post=post.to_wire(),
        markdown=rendered.markdown,
        html=rendered.html,
        generated_at=at,
        updated_at=at,
        **{"status": Status.HELD.value, "title": post.title, **columns},
    )
    with database.writing() as session:
        session.add(item)
    return item.id
