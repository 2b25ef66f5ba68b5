from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import requests

from tests.acceptance.service import ScriptedModel, Service


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedModel]:
    scripted = ScriptedModel(tmp_path_factory.mktemp("model") / "model.log")
    yield scripted
    scripted.stop()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> Iterator[Service]:
    running = Service(tmp_path_factory.mktemp("service"), model.base_url)
    yield running
    running.stop()


@dataclass
class Customer:
    """An account with a key, and calls with it."""

    service: Service
    account_id: str
    api_key: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}"}

    def generate(self, **body: object) -> requests.Response:
        return self.post_generate(json=body)

    def post_generate(self, **options: object) -> requests.Response:
        headers = {**self.headers, **options.pop("headers", {})}  # type: ignore[dict-item]
        return requests.post(
            f"{self.service.base_url}/v1/generate", headers=headers, timeout=120, **options
        )

    def usage(self) -> dict[str, object]:
        answer = requests.get(f"{self.service.base_url}/v1/usage", headers=self.headers, timeout=30)
        assert answer.status_code == 200
        body: dict[str, object] = answer.json()
        return body


def new_customer(service: Service) -> Customer:
    account = service.command("account", "create", "Customer", "--plan", "growth")["accountId"]
    key = service.command("key", "create", account)["apiKey"]
    return Customer(service, account, key)


@pytest.fixture(scope="session")
def customer(service: Service) -> Customer:
    """One customer for all tests that read what a call of theirs changed, not what there is."""
    return new_customer(service)
