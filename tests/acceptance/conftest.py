"""The service in its two deployments: tests that take ``service`` or ``customer`` run in one
process, and the files of ``_MANY_PROCESSES`` in several, too."""

from collections.abc import Iterator

import pytest

from tests.conformance.interface import NotQuotable, interface
from tests.support.customers import Customer, new_customer
from tests.support.feeds import RunningFeed, new_feed
from tests.support.news_sites import NewsSites
from tests.support.process_group import ProcessGroup
from tests.support.service import DEPLOYMENTS, CopydeskService, ScriptedModel
from tests.support.startup import wait_until
from tests.support.webhook_receiver import Receiver

# What web, workers and scheduler do together. For the rest several processes run the same code as
# one, and tests/integration runs it on PostgreSQL.
_MANY_PROCESSES = {
    "test_feed_rules.py", "test_idempotency.py", "test_jobs.py", "test_kills.py", "test_limits.py",
    "test_usage.py", "test_webhook_retries.py", "test_webhooks.py",
}  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    words = "clause(*texts, under): what of docs/specification.md it proves"
    config.addinivalue_line("markers", words)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hand each test's clauses to its report; one that the interface does not have is an error."""
    items[:] = [
        item
        for item in items
        if item.path.name in _MANY_PROCESSES or "[many-processes" not in item.name
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
def model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


@pytest.fixture(scope="session")
def news_sites() -> Iterator[NewsSites]:
    with NewsSites() as running:
        yield running


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(start, id=name, marks=[pytest.mark.long] if name == "many-processes" else [])
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
def feed(service: CopydeskService) -> RunningFeed:
    """A new feed, of a new customer."""
    return new_feed(service)


@pytest.fixture
def idle(service: CopydeskService) -> None:
    """Nothing is being written: for tests that count calls to the model."""
    wait_until(service.is_idle, 60, "what earlier tests ordered is done")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running
