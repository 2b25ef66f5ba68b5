"""The service that the programs of examples/ call."""

import pytest

from tests.support.customers import Customer, new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, ScriptedModel


@pytest.fixture(scope="session")
def model(group: ProcessGroup) -> ScriptedModel:
    """The model that the service writes with."""
    return ScriptedModel(group)


@pytest.fixture(scope="session")
def service(group: ProcessGroup, model: ScriptedModel) -> CopydeskService:
    """The service, in one process."""
    return CopydeskService(group, model.url, "examples")


@pytest.fixture
def customer(service: CopydeskService) -> Customer:
    """An account of the test's own."""
    return new_customer(service)
