"""Nobody who fills the service keeps the others from their short calls.

Each test fills it in one way and looks, while it is full, whether health, usage and a feed answer.
"""

import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
import requests

from tests.support.consoles import PASSWORD
from tests.support.customers import SHORT, Customer, new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, ScriptedModel, one_process
from tests.support.startup import wait_until

PLACES, PER_ACCOUNT = 3, 2
# Three calls of a post take longer than another waits for its place.
SLOW_SECONDS = 5.0
# A model that hangs is given up after these, and its list of models after 5.
HUNG_SECONDS, SHORT_SECONDS = 10.0, 4.0


@pytest.fixture(scope="module")
def own_model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


@pytest.fixture(scope="module")
def small(own_model: ScriptedModel) -> Iterator[CopydeskService]:
    """A service with few places."""
    settings = {
        "COPYDESK_GENERATE_PLACES": str(PLACES),
        "COPYDESK_CALLS_PER_ACCOUNT": str(PER_ACCOUNT),
        "COPYDESK_MODEL_CONCURRENCY": "8",
        "COPYDESK_MODEL_TIMEOUT_SECONDS": str(HUNG_SECONDS),
    }
    with ProcessGroup() as group:
        yield one_process(group, own_model.url, **settings)


@pytest.fixture
def others(small: CopydeskService) -> "Others":
    return Others(small)


class Others:
    """Somebody else, who wants short answers."""

    def __init__(self, service: CopydeskService) -> None:
        self._customer = new_customer(service)
        self._service = service
        token = service.cli("feed", "create", self._customer.account_id, "A blog")
        self._feed = urlsplit(token["pullUrl"]).path

    def are_answered(self) -> bool:
        urls = [f"{self._service.url}{path}" for path in ("/healthz", self._feed)]
        answers = [requests.get(url, timeout=10) for url in urls]
        answers.append(self._customer.call("GET", "/v1/usage"))
        return all(answer.ok for answer in answers)


def begin(service: CopydeskService, head: str) -> socket.socket:
    address = urlsplit(service.url)
    connection = socket.create_connection((str(address.hostname), address.port), timeout=30)
    connection.sendall(head.replace("\n", "\r\n").encode())
    return connection


def status_of(connection: socket.socket) -> int:
    """What the server answers at last; 0 if it closes the connection without a word."""
    heard = connection.recv(4096)
    return int(heard.split(b" ")[1]) if heard else 0


def slow_body(customer: Customer) -> socket.socket:
    """The head of a call, of whose body one byte has come."""
    return begin(
        customer.service,
        "POST /v1/generate HTTP/1.1\nHost: x\nContent-Type: application/json\n"
        f"Authorization: Bearer {customer.api_key}\nContent-Length: 60000\n\n{{",
    )


def test_a_body_that_does_not_come_is_given_up(small: CopydeskService, others: Others) -> None:
    with ExitStack() as stack:
        open_ones = [
            stack.enter_context(slow_body(customer))
            for customer in [new_customer(small) for _ in range(12)]
            for _ in range(PER_ACCOUNT)
        ]
        assert others.are_answered()
        assert {status_of(connection) for connection in open_ones} == {408}
        assert {connection.recv(1) for connection in open_ones} == {b""}, "they are closed"


def test_slow_bodies_count_as_calls_in_flight(small: CopydeskService, others: Others) -> None:
    customer = new_customer(small)
    with ExitStack() as stack:
        bodies = [stack.enter_context(slow_body(customer)) for _ in range(PER_ACCOUNT + 1)]
        assert sorted(map(status_of, bodies)) == [408] * PER_ACCOUNT + [429]
    assert others.are_answered()


def test_without_a_key_no_body_is_waited_for(small: CopydeskService) -> None:
    head = "POST /v1/generate HTTP/1.1\nHost: x\nContent-Type: application/json\n"
    with begin(small, f"{head}Content-Length: 60000\n\n{{") as connection:
        assert status_of(connection) == 401


def test_half_sent_heads_keep_nobody_out(small: CopydeskService, others: Others) -> None:
    """As many as a web server usually accepts at once, and some more."""
    with ExitStack() as stack:
        for _ in range(1100):
            stack.enter_context(begin(small, "GET /healthz HTTP/1.1\nHost: x\n"))
        assert others.are_answered()


def test_connections_that_send_nothing_or_read_nothing_end(small: CopydeskService) -> None:
    """HTTP/1 only, connections that send nothing or read nothing end"""
    greeting = "PRI * HTTP/2.0\n\nSM\n\n"
    with ExitStack() as stack:
        starts = ("", greeting, greeting[:10])
        silent = [stack.enter_context(begin(small, start)) for start in starts]
        # More responses than the buffers of both sides can hold.
        pages = "GET /v1/docs HTTP/1.1\nHost: x\n\n" * 60
        unread = [stack.enter_context(begin(small, pages)) for _ in range(10)]
        assert [connection.recv(1) for connection in silent] == [b""] * len(silent)
        wait_until(lambda: all(map(is_closed, unread)), 60, "those that read nothing are closed")


def is_closed(connection: socket.socket) -> bool:
    """Whether the server has reset it, which is found out without sending or reading."""
    try:
        connection.getpeername()
    except OSError:
        return True
    return False


def test_short_calls_are_answered_while_every_place_is_taken(
    small: CopydeskService, own_model: ScriptedModel, others: Others
) -> None:
    customers = [new_customer(small) for _ in range(PLACES + 2)]
    with own_model.behaving("slow", delay=SLOW_SECONDS), ThreadPoolExecutor() as threads:
        began = own_model.calls()
        answers = [threads.submit(customer.generate, **SHORT) for customer in customers]
        wait_until(lambda: own_model.calls() >= began + PLACES, 60, "every place is taken")
        assert others.are_answered()
        crowded = [answer.result() for answer in answers]
    statuses = sorted(answer.status_code for answer in crowded)
    assert statuses == [200] * PLACES + [503] * 2
    for answer in crowded:
        if answer.status_code == 503:
            assert answer.json()["error"]["code"] == "SERVICE_UNAVAILABLE"
            assert int(answer.headers["Retry-After"]) >= 1


def test_nothing_but_writing_waits_for_a_model_that_hangs(
    own_model: ScriptedModel, small: CopydeskService, others: Others
) -> None:
    """Every place is taken by a call that waits for the model; the model's list hangs as well."""
    small.cli("operator", "create", "ada", typed=PASSWORD)
    operator = requests.Session()
    operator.post(f"{small.url}/sign-in", data={"name": "ada", "password": PASSWORD}, timeout=10)
    customers = [new_customer(small) for _ in range(PLACES)]

    def is_ready() -> bool:
        return requests.get(f"{small.url}/readyz", timeout=SHORT_SECONDS).ok

    with own_model.behaving("drip_head"), ThreadPoolExecutor() as threads:
        began = own_model.calls()
        answers = [threads.submit(customer.generate, **SHORT) for customer in customers]
        wait_until(lambda: own_model.calls() >= began + PLACES, 60, "every place is taken")
        for _ in range(2):
            assert others.are_answered()
            is_ready()
            home = operator.get(f"{small.url}/", timeout=SHORT_SECONDS)
            assert "ada" in home.text
        assert not any(answer.done() for answer in answers)
        wait_until(lambda: not is_ready(), 60, "the model is known not to answer")
    assert {answer.result().status_code for answer in answers} <= {503, 504}


def test_an_account_has_so_many_calls_in_flight_those_that_wait_for_a_key_included(
    small: CopydeskService, own_model: ScriptedModel, others: Others
) -> None:
    customer = new_customer(small)

    def ask(threads: ThreadPoolExecutor) -> Future[requests.Response]:
        headers = {"Idempotency-Key": "one"}
        return threads.submit(customer.call, "POST", "/v1/generate", json=SHORT, headers=headers)

    with own_model.behaving("slow", delay=0.5), ThreadPoolExecutor() as threads:
        answers = [ask(threads) for _ in range(PER_ACCOUNT + 3)]
        assert others.are_answered()
        ended = [answer.result() for answer in answers]
    assert sorted(answer.status_code for answer in ended) == [200] * PER_ACCOUNT + [429] * 3
    assert len({answer.content for answer in ended if answer.ok}) == 1
    for answer in ended:
        if answer.status_code == 429:
            details = answer.json()["error"]["details"]
            assert (details["limitType"], details["limit"]) == ("callsInFlight", PER_ACCOUNT)
            assert int(answer.headers["Retry-After"]) >= 1
    assert customer.generate(**SHORT).status_code == 200, "what ended is in flight no more"


def test_a_caller_that_hangs_up_waits_no_longer(
    small: CopydeskService, own_model: ScriptedModel
) -> None:
    customer = new_customer(small)
    for _ in range(PER_ACCOUNT):
        slow_body(customer).close()
    wait_until(lambda: customer.generate(**SHORT).ok, 8, "their calls are forgotten")
