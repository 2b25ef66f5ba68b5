"""The service in its two worlds; every test that takes ``service`` or ``customer`` runs in both."""

from collections.abc import Iterator

import pytest

from tests.conformance.interface import NotQuotable, interface
from tests.extent import LONG
from tests.running.customers import Customer, new_customer
from tests.running.newsroom import Newsroom
from tests.running.process_group import ProcessGroup
from tests.running.receiver import Receiver
from tests.running.service import CopydeskService, ScriptedModel
from tests.running.starting import wait_until
from tests.running.worlds import WORLDS


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "clause(text, under): what of docs/interface.md it proves")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hand each test's clauses to its report; one that the interface does not have is an error."""
    for item in items:
        for mark in item.iter_markers("clause"):
            try:
                quote = interface().quote(*mark.args, **mark.kwargs)
            except NotQuotable as error:
                raise pytest.UsageError(f"{item.nodeid}: {error}") from None
            item.user_properties.append(("clause", (quote.start, quote.text)))


@pytest.fixture(scope="session")
def group() -> Iterator[ProcessGroup]:
    with ProcessGroup() as running:
        yield running


@pytest.fixture(scope="session")
def model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


@pytest.fixture(scope="session")
def newsroom() -> Iterator[Newsroom]:
    with Newsroom() as running:
        yield running


@pytest.fixture(
    scope="session",
    params=[
        # Outside CI the sentences are proved on one process alone; what PostgreSQL and Redis do
        # differently is also in tests/contract and tests/integration.
        pytest.param(start, id=name, marks=[LONG] if name == "many-processes" else [])
        for name, start in WORLDS.items()
    ],
)
def service(
    request: pytest.FixtureRequest, model: ScriptedModel, newsroom: Newsroom
) -> Iterator[CopydeskService]:
    with ProcessGroup() as running:
        yield request.param(running, model.url, **newsroom.settings)


@pytest.fixture
def customer(service: CopydeskService) -> Customer:
    """A new customer on the plan Growth."""
    return new_customer(service)


@pytest.fixture
def idle(service: CopydeskService) -> None:
    """Nothing is being written: for tests that count calls to the model."""
    wait_until(service.is_idle, 60, "what earlier tests ordered is done")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running
