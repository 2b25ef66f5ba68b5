"""Signing in with codes of an authenticator app, on both databases."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from threading import Barrier, Thread
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.adapters.rate_limits import LimitsRateLimiter
from app.core.errors import RateLimited, ValidationFailed
from app.services import operators, totp
from app.services import sign_in as sessions
from app.services.context import Context
from app.services.passwords import fits
from app.services.sign_in import Credentials
from tests.support.commands import Commands
from tests.support.consoles import PASSWORD, ConsoleOperator
from tests.support.contexts import context_at
from tests.support.integration import SQLITE, Feed, ManualClock


class Phone:
    """An authenticator app with the secret of the operator Ada."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.context: Context = context_at(self.clock)
        operators.create_operator(self.context, "Ada", PASSWORD)
        self.renew()

    def renew(self) -> None:
        self.secret = totp.new_secret()
        operators.set_codes("Ada", self.secret)

    def code(self, later: int = 0) -> str:
        """The code of now, or of some half minutes later."""
        return totp.code_at(self.secret, int(self.clock.now().timestamp()) // 30 + later)

    def sign_in(self, code: str, password: str = PASSWORD) -> str | None:
        return sessions.sign_in(self.context, Credentials("Ada", password, code), "net")


@pytest.fixture
def phone(feed: Feed) -> Phone:
    return Phone()


def test_a_code_works_once_and_ends_those_before_it(phone: Phone) -> None:
    """A code that somebody has seen is of no use, even within its half minute; without one, a
    password is not enough."""
    assert phone.sign_in("") is None
    assert phone.sign_in(phone.code(), "a wrong password") is None
    assert phone.sign_in(phone.code())
    assert phone.sign_in(phone.code()) is None
    assert phone.sign_in(phone.code(-1)) is None
    assert phone.sign_in(phone.code(1))
    phone.clock.move(timedelta(seconds=30))
    assert phone.sign_in(phone.code()) is None
    phone.clock.move(timedelta(seconds=30))
    assert phone.sign_in(phone.code())


@pytest.mark.parametrize(
    "change",
    [
        lambda: operators.change_password("Bob", "another long password"),
        lambda: operators.set_codes("Bob", totp.new_secret()),
        lambda: operators.remove_operator("Bob"),
    ],
    ids=["password", "codes", "removed"],
)
def test_what_signs_an_operator_out_ends_a_sign_in_that_has_begun(
    phone: Phone, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]
) -> None:
    operators.create_operator(phone.context, "Bob", PASSWORD)

    def verify(known: str | None, password: str) -> bool:
        right = fits(known, password)
        change()
        return right

    monkeypatch.setattr(sessions, "fits", verify)
    assert sessions.sign_in(phone.context, Credentials("Bob", PASSWORD), "net") is None


def test_a_password_that_was_replaced_meanwhile_sets_up_no_codes(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise somebody who knew it could keep the operator out."""
    operators.set_codes("Ada", None)

    def verify(known: str | None, password: str) -> bool:
        right = fits(known, password)
        operators.change_password("Ada", "another long password")
        return right

    monkeypatch.setattr(sessions, "fits", verify)
    given = Credentials("Ada", PASSWORD, phone.code())
    with pytest.raises(ValidationFailed, match="is wrong"):
        sessions.require_codes(phone.context, given, phone.secret, "")


def test_of_several_who_send_one_code_at_once_one_signs_in(phone: Phone) -> None:
    code, together, sessions = phone.code(), Barrier(4), []

    def attempt() -> None:
        together.wait()
        sessions.append(phone.sign_in(code))

    threads = [Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(filter(None, sessions))) == 1


def test_codes_are_turned_off_by_password_and_a_fresh_code(phone: Phone) -> None:
    used = phone.code()
    assert phone.sign_in(used)
    for password, code in ((PASSWORD, used), ("a wrong password", phone.code(1)), (PASSWORD, "")):
        with pytest.raises(ValidationFailed, match="is wrong"):
            sessions.stop_codes(phone.context, Credentials("Ada", password, code))
    sessions.stop_codes(phone.context, Credentials("Ada", PASSWORD, phone.code(1)))
    assert phone.sign_in("")


def test_the_command_recovers_an_operator_who_lost_the_app(phone: Phone) -> None:
    session = phone.sign_in(phone.code())
    assert session
    operators.set_codes("ada", None)
    assert sessions.signed_in(phone.context, session) is None
    assert phone.sign_in("")


def codes_page(ada: ConsoleOperator) -> str:
    found = re.search(r'name="secret" value="([A-Z2-7]{32})"', ada.page("/console/codes"))
    assert found
    return found[1]


def code_of(ada: ConsoleOperator, secret: str, later: int = 0) -> str:
    return totp.code_at(secret, int(ada.context.clock.now().timestamp()) // 30 + later)


def sign_in(client: FlaskClient, **fields: str) -> int:
    fields = {"name": "Ada", "password": PASSWORD, **fields}
    return client.application.test_client().post("/sign-in", data=fields).status_code


def test_an_operator_sets_codes_up_in_the_console(client: FlaskClient) -> None:
    ada = ConsoleOperator(client.application.test_client())
    elsewhere = ada.client.application.test_client()
    assert elsewhere.post("/sign-in", data={"name": "Ada", "password": PASSWORD}).status_code == 303
    secret = codes_page(ada)
    wrong = ada.send("/console/codes", secret=secret, password="a guess", code=code_of(ada, secret))
    assert wrong.status_code == 400
    assert secret in wrong.text, "the app has it already"
    assert sign_in(client) == 303, "nothing has changed"
    code = code_of(ada, secret)
    page = ada.done("/console/codes", secret=secret, password=PASSWORD, code=code)
    assert "<strong>On.</strong>" in page
    assert secret not in page
    assert elsewhere.get("/").status_code == 302 or elsewhere.get("/").status_code == 303
    assert sign_in(client) == 403
    assert sign_in(client, code=code) == 403, "it was used to set codes up"
    assert sign_in(client, code=code_of(ada, secret, later=1)) == 303
    assert "change codes" in ada.page("/console/audit")


def test_a_secret_that_the_console_did_not_make_is_refused(client: FlaskClient) -> None:
    ada = ConsoleOperator(client.application.test_client(), role="read")
    for secret in ("", "A", "1" * 32, "A" * 4000):
        answer = ada.send("/console/codes", secret=secret, password=PASSWORD, code="000000")
        assert answer.status_code == 400
        assert "Start again" in answer.text


@SQLITE
def test_guesses_at_codes_are_limited_as_those_at_passwords(client: FlaskClient) -> None:
    ada = ConsoleOperator(client.application.test_client())
    secret = codes_page(ada)
    answers = [
        ada.send("/console/codes", secret=secret, password=PASSWORD, code="wrong").status_code
        for _ in range(10)
    ]
    assert answers == [400] * 10
    with pytest.raises(RateLimited):
        sessions.stop_codes(ada.context, Credentials("Ada", PASSWORD, "000000"))
    assert sign_in(client) == 303


@SQLITE
def test_who_knows_the_password_guesses_few_codes_from_anywhere(phone: Phone) -> None:
    phone.context = replace(phone.context, limiter=LimitsRateLimiter())
    for number in range(10):
        given = Credentials("Ada", PASSWORD, "wrong")
        assert sessions.sign_in(phone.context, given, f"net {number}") is None
    assert phone.sign_in(phone.code()) is None


@SQLITE
def test_the_command_prints_the_secret_once(feed: Feed, tmp_path: Any) -> None:
    operators.create_operator(context_at(ManualClock()), "Ada", PASSWORD)
    env = {"COPYDESK_DATABASE_URL": feed.url, "COPYDESK_DATA_DIR": str(tmp_path)}
    run = partial(Commands(**env), "operator")
    made = run("totp", "ada")
    assert totp.is_secret(made["secret"])
    assert made["secret"] in made["address"]
    assert [row["codes"] for row in run("list")] == [True]
    assert made["secret"] not in json.dumps(run("list"))
    assert run("totp", "Ada", "--remove")["codes"] is False
    assert [row["codes"] for row in run("list")] == [False]
