"""Requests that no honest client sends, at the level of WSGI, on both databases. At the level of
sockets they are in tests/acceptance; bench/hostile_requests.py sends 100,000 of them."""

import os

from flask.testing import FlaskClient
from werkzeug.test import run_wsgi_app

from app.services import accounts
from tests.support.consoles import ConsoleOperator
from tests.support.hostile_requests import hostile_requests, routes
from tests.support.integration import Feed

EACH = int(os.environ.get("HOSTILE_REQUESTS", "500"))


def test_no_hostile_request_is_an_error_of_the_service(client: FlaskClient, feed: Feed) -> None:
    app = client.application
    ada = ConsoleOperator(app.test_client())
    cookie = ada.client.get_cookie("copydesk_session")
    assert cookie is not None
    accounts.update_plan("starter", {"requests_per_minute": 100_000, "requests_per_day": 100_000})
    test_key = accounts.create_key(ada.context, feed.account_id, sandbox=True).secret
    (item_id,) = feed.add_items("Coffee")
    known = {
        "keys": test_key,
        "cookie": f"copydesk_session={cookie.value}",
        "csrf": ada.csrf,
        "token": feed.token,
        "item_id": item_id,
        "account_id": feed.account_id,
        "feed_id": feed.token_id,
        "rule_id": feed.rules["Coffee"],
    }
    # There is no model here, so that the service is not ready.
    paths = [route for route in routes(app) if route[0] != "/readyz"]
    generated = hostile_requests(1, EACH, paths, known)
    faults = []
    for request in generated:
        _, status, _ = run_wsgi_app(app, request.environ(), buffered=True)
        if status >= "5":
            faults.append(f"{status}: {request}"[:1_000])
    assert not faults, "\n".join([f"{len(faults)} faults, such as", *faults[:20]])
