"""Jobs: what is sent for one, how it is waited for, and what comes of it."""

import time
from typing import Any

import pytest

from copydesk import (
    APIConnectionError,
    APIError,
    AuthenticationError,
    ConfigurationError,
    Copydesk,
    Job,
    JobPendingError,
    NotFoundError,
    Progress,
)


@pytest.fixture
def client(service: Any, api_key: str) -> Copydesk:
    return Copydesk(api_key, service.url)


def test_a_job_is_asked_for_like_a_generation(service: Any, client: Copydesk, secret: str) -> None:
    """ "generateRequest … Same shape as the generate body." """
    job = client.jobs.create(
        keywords=["cold brew"],
        response_types=("json", "html"),
        webhook_url="https://example.com/hook",
        webhook_events=["job.succeeded", "job.failed"],
        idempotency_key="order-7",
    )
    (seen,) = service.seen
    assert (seen.method, seen.path) == ("POST", "/v1/jobs")
    assert seen.body == {
        "generateRequest": {"keywords": ["cold brew"]},
        "format": {"responseTypes": ["json", "html"]},
        "webhook": {
            "url": "https://example.com/hook",
            "events": ["job.succeeded", "job.failed"],
        },
        "idempotencyKey": "order-7",
    }
    assert job.webhook_signing_secret == secret
    assert secret not in repr(job)


@pytest.mark.parametrize(
    "webhook", [{"webhook_url": "https://example.com"}, {"webhook_events": ["job.failed"]}]
)
def test_half_a_webhook_is_refused(service: Any, client: Copydesk, webhook: Any) -> None:
    """ "Required together with webhook.events." """
    with pytest.raises(ConfigurationError, match="webhook_url and webhook_events go together"):
        client.jobs.create(keywords=["cold brew"], **webhook)
    assert service.seen == []


def test_progress_says_what_a_worker_is_doing(service: Any, client: Copydesk, samples: Any) -> None:
    """Issue: on_progress with the stages of the new pipeline … from the job"""
    progress = {"stage": "editing", "number": 1, "of": 2, "tokens": 812, "new": True}
    working = {**samples["queued"], "status": "processing", "progress": progress}
    service.job = [working, samples["succeeded"]]
    seen: list[Progress] = []
    client.jobs.wait("job_1", on_progress=seen.append)
    assert [each.stage for each in seen] == ["editing 1 of 2", ""]


@pytest.mark.parametrize("error", [None, {}, {"code": "NEWER_THAN_THIS"}, "no"])
def test_a_failed_job_always_raises(samples: Any, error: Any) -> None:
    job = Job.from_wire({**samples["failed"], "error": error})
    with pytest.raises(APIError, match="the job failed"):
        job.generation()


def test_a_job_that_is_not_done_has_no_post_yet(client: Copydesk) -> None:
    job = client.jobs.create(keywords=["cold brew"])
    with pytest.raises(JobPendingError, match="job_1 is queued and has no post yet: wait for it"):
        job.generation()


@pytest.mark.parametrize(
    "answer", [{}, {"jobId": "job_1"}, {"jobId": 7, "status": "queued"}, {"status": "queued"}]
)
def test_what_is_no_job_is_no_answer(service: Any, client: Copydesk, answer: Any) -> None:
    service.reply(200, answer)
    with pytest.raises(APIError, match=r"not in the documented form: it has no (jobId|status)"):
        client.jobs.get("job_1")


def test_a_success_without_its_post_is_none(service: Any, client: Copydesk, samples: Any) -> None:
    service.reply(200, {**samples["queued"], "status": "succeeded"})
    with pytest.raises(APIError, match="not in the documented form: it has no result"):
        client.jobs.get("job_1")


def test_an_id_stays_in_its_segment(service: Any, client: Copydesk) -> None:
    with pytest.raises(NotFoundError):
        client.jobs.get("../usage?x=1#")
    assert service.seen[0].path == "/v1/jobs/..%2Fusage%3Fx%3D1%23"
    for job_id in ("", ".", "..", "\ud800"):
        with pytest.raises(ConfigurationError, match="job_id must be an id that the service gave"):
            client.jobs.get(job_id)


def test_a_status_that_is_newer_than_this_package_is_waited_through(
    service: Any, client: Copydesk, samples: Any
) -> None:
    service.job = [{**samples["queued"], "status": "resting"}, samples["succeeded"]]
    assert client.jobs.wait("job_1").done
    assert len(service.seen) == 2


def test_the_deadline_names_the_job_and_says_how_to_go_on(
    service: Any, client: Copydesk, samples: Any
) -> None:
    service.job = [{**samples["queued"], "status": "processing"}]
    start = time.monotonic()
    with pytest.raises(JobPendingError) as caught:
        client.jobs.wait("job_1", timeout=0.3)
    assert 0.3 <= time.monotonic() - start < 5
    assert str(caught.value) == (
        "job job_1 is processing after 0.3 s of waiting and goes on: wait for it again"
    )
    assert caught.value.job.status == "processing"
    assert len(service.seen) >= 3


def test_a_deadline_ends_in_a_last_look(service: Any, client: Copydesk, samples: Any) -> None:
    service.job = [samples["queued"], samples["succeeded"]]
    start = time.monotonic()
    assert client.jobs.wait("job_1", timeout=0.2, poll=30).done
    assert time.monotonic() - start < 15


def test_a_service_that_is_away_for_a_while_is_borne(service: Any, client: Copydesk) -> None:
    service.replies.extend([(200, service.job.pop(0), {})])
    service.replies.extend(["cut", (503, {}, {}), "half", (502, b"<html>", {})])
    service.refuse(429, "RATE_LIMITED", Retry_After="0")
    assert client.jobs.wait("job_1").done
    assert len(service.seen) == 8


def test_the_trouble_that_a_wait_ended_in_is_told(
    service: Any, client: Copydesk, samples: Any
) -> None:
    service.reply(200, samples["queued"])
    service.replies.extend([(503, {"error": {"message": "Down.", "code": "X"}}, {})] * 500)
    with pytest.raises(JobPendingError, match=r"; the last look failed: Down \(HTTP 503 X\)$"):
        client.jobs.wait("job_1", timeout=0.2)


@pytest.mark.parametrize(("retries", "looks"), [(0, 1), (2, 3)])
def test_a_service_that_never_answered_is_retried_as_in_every_call(
    service: Any, api_key: str, retries: int, looks: int
) -> None:
    service.replies.extend(["cut"] * 9)
    with pytest.raises(APIConnectionError):
        Copydesk(api_key, service.url, max_retries=retries).jobs.wait("job_1")
    assert len(service.seen) == looks


def test_a_final_answer_ends_the_wait(service: Any, client: Copydesk, samples: Any) -> None:
    service.reply(200, samples["queued"])
    service.refuse(401, "UNAUTHORIZED", "The key was revoked.")
    with pytest.raises(AuthenticationError):
        client.jobs.wait("job_1")
    assert len(service.seen) == 2


def test_patience_that_is_asked_for_is_had(service: Any, client: Copydesk, samples: Any) -> None:
    service.job = [samples["succeeded"]]
    service.reply(200, samples["queued"])
    service.refuse(429, "RATE_LIMITED", Retry_After="1")
    start = time.monotonic()
    client.jobs.wait("job_1")
    assert time.monotonic() - start >= 1


def test_looks_become_rarer_unless_a_pause_is_given(
    service: Any, client: Copydesk, samples: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("copydesk._transport.sleep", pauses.append)
    monkeypatch.setattr("copydesk.jobs.FIRST_PAUSE_S", 1.0)
    service.job = [samples["queued"]] * 12 + [samples["succeeded"]]
    client.jobs.wait("job_1")
    bounds = [min(1.5**number, 10) for number in range(12)]
    assert all(0.75 * top <= pause <= top for pause, top in zip(pauses, bounds, strict=True))
    assert len(set(pauses)) == 12
    pauses.clear()
    service.job = [samples["queued"]] * 3 + [samples["succeeded"]]
    client.jobs.wait("job_1", poll=7)
    assert pauses == [7, 7, 7]


@pytest.mark.parametrize("options", [{"timeout": 0}, {"timeout": -1}, {"poll": 0}])
def test_an_impossible_wait_is_refused(service: Any, client: Copydesk, options: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"{next(iter(options))} must be more than 0"):
        client.jobs.wait("job_1", **options)
    assert service.seen == []
