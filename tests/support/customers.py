"""Customers of a running service: an account with a key, and calls with it."""

from dataclasses import dataclass, field
from typing import Any

import requests
from sqlalchemy import func, insert, select

from app.services import accounts
from app.store import models
from app.store.database import writing
from app.store.rows import new_id
from copydesk import Copydesk
from tests.support.service import CopydeskService
from tests.support.startup import wait_until

ANSWER_SECONDS = 120.0
JOB_SECONDS = 120.0
MARKDOWN = {"responseTypes": ["markdown"]}
# A request whose post is written quickly.
SHORT: dict[str, Any] = {"keywords": ["tea"], "constraints": {"maxWords": 200}}


@dataclass(frozen=True)
class Customer:
    """An account with an API key. The calls return the answer as it is, whatever its status."""

    service: CopydeskService
    account_id: str
    key_id: str
    api_key: str = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}"}

    def call(self, method: str, path: str, **options: Any) -> requests.Response:
        """One authenticated call; ``options`` are those of requests."""
        headers = {**self.headers, **options.pop("headers", {})}
        url = self.service.url + path
        return requests.request(method, url, headers=headers, timeout=ANSWER_SECONDS, **options)

    def generate(self, **body: Any) -> requests.Response:
        """POST /v1/generate with that body."""
        return self.call("POST", "/v1/generate", json=body)

    def create_job(self, **members: Any) -> requests.Response:
        """POST /v1/jobs with that body; ``format`` asks for Markdown where it is not given."""
        return self.call("POST", "/v1/jobs", json={"format": MARKDOWN, **members})

    def job(self, job_id: str) -> requests.Response:
        """GET /v1/jobs/{jobId}."""
        return self.call("GET", f"/v1/jobs/{job_id}")

    def finished_job(self, job_id: str, seconds: float = JOB_SECONDS) -> Any:
        """The body of GET /v1/jobs/{jobId} once the job has ended."""
        seen: dict[str, Any] = {}

        def ended() -> bool:
            seen.update(self.job(job_id).json())
            return seen["status"] in {"succeeded", "failed"}

        wait_until(ended, seconds, f"job {job_id} has ended")
        return seen

    def usage(self) -> Any:
        """The body of GET /v1/usage."""
        answer = self.call("GET", "/v1/usage")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def held(self) -> tuple[int, int]:
        """Words that are held for the account, and in how many reservations."""
        month = models.UsageMonth
        words = select(month.reserved_words).where(month.account_id == self.account_id)
        count = select(func.count()).where(models.Reservation.account_id == self.account_id)
        with self.service.engine.connect() as database:
            return database.scalar(words) or 0, database.scalar(count) or 0

    def sdk(self, **options: Any) -> Copydesk:
        """The SDK's client with this customer's key."""
        return Copydesk(self.api_key, self.service.url, **options)


def new_customer(service: CopydeskService, plan: str = "growth", /, **limits: int) -> Customer:
    """A new account on a plan, or on a plan of its own that is like it but for ``limits``.

    It is made in this process, as the commands take seconds on a busy machine; they have tests of
    their own.
    """
    with service.database() as context:
        if limits:
            with writing() as session:
                like = select(models.Plan.__table__).where(models.Plan.id == plan)
                plan = new_id("pln")
                changed = {**session.execute(like).mappings().one(), **limits, "id": plan}
                session.execute(insert(models.Plan).values(changed))
        account_id = accounts.create_account(context, "A customer", plan)
    return another_key(service, account_id)


def another_key(service: CopydeskService, account_id: str) -> Customer:
    """The account with a new key."""
    with service.database() as context:
        key = accounts.create_key(context, account_id)
    return Customer(service, account_id, key.id, key.secret)
