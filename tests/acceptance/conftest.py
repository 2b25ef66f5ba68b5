"""The service in its two deployments. Tests that take ``service`` or ``customer`` run in both, but
for those of ``_ONE_PROCESS``."""

from collections.abc import Iterator

import pytest

from tests.conformance.interface import NotQuotable, interface
from tests.support.customers import Customer, new_customer
from tests.support.deployments import DEPLOYMENTS
from tests.support.long_tests import LONG
from tests.support.news_sites import NewsSites
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import wait_until
from tests.support.webhook_receiver import Receiver

# What a request may hold and what an answer says: several processes run the same code for it, and
# the other files prove what they do together.
_ONE_PROCESS = {
    "test_authentication.py", "test_bodies.py", "test_check.py", "test_debug.py", "test_errors.py",
    "test_feed_offers.py", "test_generate_answer.py", "test_generate_effects.py",
    "test_generate_request.py", "test_hostile_requests.py", "test_paths.py", "test_settled.py",
}  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    words = "clause(*texts, under, of): what of docs/specification.md it proves"
    config.addinivalue_line("markers", words)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hand each test's clauses to its report; one that the interface does not have is an error."""
    items[:] = [
        item
        for item in items
        if item.path.name not in _ONE_PROCESS or "[many-processes" not in item.name
    ]
    for item in items:
        for mark in item.iter_markers("clause"):
            for text in mark.args:
                try:
                    quote = interface().quote(text, **mark.kwargs)
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
def news_sites() -> Iterator[NewsSites]:
    with NewsSites() as running:
        yield running


@pytest.fixture(
    scope="session",
    params=[
        # Outside CI the sentences are proved on one process alone; what PostgreSQL and Redis do
        # differently is also in tests/contract and tests/integration.
        pytest.param(start, id=name, marks=[LONG] if name == "many-processes" else [])
        for name, start in DEPLOYMENTS.items()
    ],
)
def service(
    request: pytest.FixtureRequest, model: ScriptedModel, news_sites: NewsSites
) -> Iterator[CopydeskService]:
    with ProcessGroup() as running:
        yield request.param(running, model.url, **news_sites.settings)


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
