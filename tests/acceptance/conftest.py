from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from tests.running.process_group import ProcessGroup
from tests.running.service import CopydeskService, ScriptedModel


@pytest.fixture(scope="session")
def group() -> Iterator[ProcessGroup]:
    with ProcessGroup() as running:
        yield running


@pytest.fixture(scope="session")
def model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


@pytest.fixture(scope="session")
def service(group: ProcessGroup, model: ScriptedModel) -> CopydeskService:
    return CopydeskService(group, model.url)


@dataclass
class Customer:
    """An account with a key, and calls with it."""

    service: CopydeskService
    account_id: str
    api_key: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}"}

    def generate(self, **body: Any) -> requests.Response:
        return self.post_generate(json=body)

    def post_generate(self, **options: Any) -> requests.Response:
        headers = {**self.headers, **options.pop("headers", {})}
        return requests.post(
            f"{self.service.url}/v1/generate", headers=headers, timeout=120, **options
        )

    def usage(self) -> Any:
        answer = requests.get(f"{self.service.url}/v1/usage", headers=self.headers, timeout=30)
        assert answer.status_code == 200
        return answer.json()


def new_customer(service: CopydeskService) -> Customer:
    account = service.cli("account", "create", "Customer", "--plan", "growth")["accountId"]
    key = service.cli("key", "create", account)["apiKey"]
    return Customer(service, account, key)


@pytest.fixture(scope="session")
def customer(service: CopydeskService) -> Customer:
    """One customer for all tests that read what a call of theirs changed, not what there is."""
    return new_customer(service)
