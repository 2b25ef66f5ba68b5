"""The names that are compared are bounded, whatever a body has."""

import json
import time

import pytest

from app.core.schemas.check import CheckRequest
from app.core.schemas.job import JobRequest
from app.core.schemas.request import GenerateRequest
from app.core.schemas.unknown_members import unknown_members


def test_each_body_says_where_the_member_is() -> None:
    job = {"generateRequest": {"keyword": ["tea"]}, "webhook": {"event": []}, "pages": 1}
    assert dict(unknown_members(JobRequest, job)) == {
        "pages": None,
        "generateRequest.keyword": "generateRequest.keywords",
        "webhook.event": "webhook.events",
    }
    generate = {"maxWrods": 500, "constraints": {"topics": "tea"}, "max": 1}
    assert dict(unknown_members(GenerateRequest, generate)) == {
        "maxWrods": "constraints.maxWords",
        "constraints.topics": "topic",
        "max": None,
    }
    assert list(unknown_members(CheckRequest, {"txt": "a"})) == [("txt", "text")]
    assert list(unknown_members(GenerateRequest, {"mood": None, "constraints": 3})) == []


@pytest.mark.parametrize(
    "body", [{"k" * 60_000: 1}, {f"keyword{n}": 1 for n in range(3_000)}], ids=["long", "many"]
)
def test_a_body_of_nothing_but_unknown_members_takes_no_time(body: dict[str, int]) -> None:
    assert len(json.dumps(body)) < 65_536
    began = time.process_time()
    assert len(list(unknown_members(GenerateRequest, body))) <= 20
    assert time.process_time() - began < 0.1
