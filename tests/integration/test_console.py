"""The console through HTTP, as a browser uses it."""

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core.errors import Conflict, NotFound, ValidationFailed
from app.services import operators
from app.store import database
from app.store.models import AuditEntry
from tests.support.commands import Commands
from tests.support.consoles import PASSWORD, ConsoleOperator
from tests.support.integration import SQLITE, Feed

# What a page says does not depend on the database; test_query_plans.py reads the lists on both.
pytestmark = SQLITE


def sign_in(client: FlaskClient, name: str = "Ada", password: str = PASSWORD, **more: Any) -> Any:
    return client.post("/sign-in", data={"name": name, "password": password}, **more)


def test_nobody_sees_a_page_or_sends_a_form_without_signing_in(client: FlaskClient) -> None:
    open_to_all = {f"console.{page}" for page in ("static", "welcome", "sign_in", "begin_session")}
    routes = [
        route
        for route in client.application.url_map.iter_rules()
        if route.endpoint.startswith("console.") and route.endpoint not in open_to_all
    ]
    assert len(routes) > 40
    for route in routes:
        for method in {"GET", "POST"} & (route.methods or set()):
            answer = client.open(re.sub("<[^>]+>", "x", route.rule), method=method)
            assert answer.status_code == 303, route
            assert answer.headers["Location"].startswith("/sign-in?next="), route
    assert "There is no operator yet" in client.get("/sign-in").text


def test_nobody_calls_an_endpoint_without_a_key(client: FlaskClient) -> None:
    rules = client.application.url_map.iter_rules()
    routes = [route for route in rules if route.endpoint.startswith("v1.views.")]
    assert len(routes) > 4
    for route in routes:
        for method in (route.methods or set()) - {"OPTIONS"}:
            answer = client.open(re.sub("<[^>]+>", "x", route.rule), method=method)
            assert answer.status_code == 401, route


def test_the_cookie_is_kept_from_scripts_and_other_sites(
    client: FlaskClient, ada: ConsoleOperator
) -> None:
    cookie = sign_in(client).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    over_tls = sign_in(client, base_url="https://copydesk.example")
    assert "Secure" in over_tls.headers["Set-Cookie"]


def test_a_wrong_password_does_not_say_which_part_is_wrong(
    client: FlaskClient, ada: ConsoleOperator
) -> None:
    ada.send("/sign-out")
    wrong = [sign_in(client, "Ada", "a wrong password"), sign_in(client, "Eve", PASSWORD)]
    assert [answer.status_code for answer in wrong] == [403, 403]
    assert wrong[0].text == wrong[1].text
    assert client.get("/").status_code == 303


def test_sign_ins_and_commands_are_in_the_audit_log(
    client: FlaskClient, feed: Feed, caplog: pytest.LogCaptureFixture
) -> None:
    """sign-ins, refused ones and commands are in the audit log and the log"""
    caplog.set_level("INFO", "app.services.sign_in")
    ada = ConsoleOperator(client.application.test_client())
    assert ada.send("/sign-out").status_code == 303
    for name in ("ada", "a password, typed as a name"):
        client.application.test_client().post("/sign-in", data={"name": name, "password": "wrong"})
    commands = Commands(COPYDESK_DATABASE_URL=feed.url)
    commands.run("key", "create", feed.account_id)
    commands.run("key", "list")
    commands.run("rule", "run", "rul_x", code=1)
    database.bind(feed.url)
    with database.reading() as session:
        entries = [(one.operator, one.action, one.subject) for one in session.query(AuditEntry)]
    assert entries == [
        ("Ada", "sign_in", "127.0.0.1"),
        ("Ada", "sign_out", "Ada"),
        ("Ada", "sign_in_refused", "127.0.0.1"),
        ("(command line)", "key create", feed.account_id),
        ("(command line)", "rule run", "rul_x"),
    ]
    lines = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert ("INFO", "Ada signed in from 127.0.0.1") in lines
    assert ("WARNING", "a sign-in of Ada from 127.0.0.1 was refused") in lines
    assert sum("(unknown, hash " in line for _, line in lines) == 1
    assert "a password" not in caplog.text


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"minWords": "900", "maxWords": "500"}, {
            "minWords": "Must be at least 50 below “Words, at most”, which is 500."
        }),
        ({"name": "Coffee"}, {"name": "This feed already has a rule named “Coffee”."}),
        (
            {
                "keywords": "tea\n" + "x" * 5000,
                "minWords": "many",
                "maxWords": "9000",
                "every": "soon",
                "name": "x" * 101,
                "targetUrl": "shop",
                "language": "no tag",
            },
            {
                "keywords": "Line 2 must be at most 100 characters",
                "minWords": "Must be a whole number.",
                "maxWords": "Must be at most 1500 on the plan Starter; it is 9000.",
                "every": "Must be a number and m, h or d",
                "name": "Must be at most 100 characters",
                "targetUrl": "Must be a complete http or https URL",
                "language": "Must be a BCP 47 language code",
            },
        ),
    ],
)  # fmt: skip
def test_all_faults_of_a_form_are_beside_their_fields_and_in_one_list(
    ada: ConsoleOperator, feed: Feed, changes: dict[str, str], faults: dict[str, str]
) -> None:
    """“all faults at once beside their fields (aria-describedby, aria-invalid, the first one
    focused), keywords and length first and the rest folded in <details> that is open when it holds
    a fault”"""
    sent = {"keywords": "oat milk", "every": "1d", "name": "Evening", **changes}
    answer = ada.send(f"/console/feeds/{feed.token_id}/rules/new", **sent)
    assert answer.status_code in {400, 409}
    assert re.findall(r'<li><a href="#(\w+)">', answer.text) == list(faults)
    assert re.findall(r'aria-describedby="(\w+)-fault"', answer.text) == list(faults)
    assert answer.text.count('aria-invalid="true"') == len(faults)
    focused = re.findall(r'id="(\w+)"[^>]* autofocus', answer.text)
    assert focused == list(faults)[:1]
    for name, sentence in faults.items():
        assert f'<p class="fault" id="{name}-fault">{sentence}' in answer.text, name
    assert ("<details open>" in answer.text) == ("language" in faults)


def test_a_session_ends(ada: ConsoleOperator) -> None:
    client = ada.client
    cookie = client.get_cookie("copydesk_session")
    assert cookie
    ada.send("/sign-out")
    client.set_cookie("copydesk_session", cookie.value)
    assert client.get("/").status_code == 303
    sign_in(client)
    operators.change_password("ada", "another long password")
    assert client.get("/").status_code == 303
    sign_in(client, password="another long password")
    assert client.get("/").status_code == 200
    operators.remove_operator("ADA")
    assert client.get("/").status_code == 303


def test_operators_have_one_name_each(ada: ConsoleOperator) -> None:
    with pytest.raises(Conflict, match="aDa"):
        operators.create_operator(ada.context, " aDa ", PASSWORD)
    with pytest.raises(ValidationFailed, match="12 to 200 characters"):
        operators.create_operator(ada.context, "Bo", "short")
    with pytest.raises(NotFound, match="Cy"):
        operators.remove_operator("Cy")
    assert [row.name for row in operators.list_operators()] == ["Ada"]


def test_a_database_that_cannot_be_used_is_said_on_each_page(ada: ConsoleOperator) -> None:
    """an old schema, which may have no sessions yet: the page names the cause, with no click"""
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0024'"))
        session.execute(text("DROP TABLE operator_sessions"))
    for path in ("/", "/console/posts"):
        answer = ada.client.get(path)
        assert answer.status_code == 503
        assert "run <code>copydesk-server migrate</code>" in answer.text
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
