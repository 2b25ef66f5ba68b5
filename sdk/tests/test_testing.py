"""What a user's own tests get: the fake service in each form, the factories, the plug-in."""

import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from copydesk import (
    APIConnectionError,
    AsyncCopydesk,
    ConfigurationError,
    Copydesk,
    Feed,
    Generation,
    JobFailed,
    JobSucceeded,
    QuotaExceededError,
    RateLimitError,
    ServerError,
    WebhookVerificationError,
    webhooks,
)
from copydesk.testing import (
    FakeService,
    make_event,
    make_generation,
    make_item,
    make_job,
    make_post,
    make_usage,
    serve,
    sign_webhook,
)

SDK = Path(__file__).parents[1]
SECRET = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MTI="


def _run(*command: str, cwd: Path, **variables: str) -> str:
    path = os.pathsep.join([str(SDK), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, **variables}
    done = subprocess.run(
        [sys.executable, *command], cwd=cwd, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _pytest(folder: Path) -> str:
    # The plug-in may be installed as well; pytest loads one of the two only.
    command = ("-m", "pytest", "-p", "pytest_copydesk", "-q")
    return _run(*command, cwd=folder, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")


# --- the service


def test_a_client_of_the_users_own_reaches_the_fake() -> None:
    service = FakeService()
    with Copydesk(service.api_key, transport=service.transport) as client:
        post = client.generate(keywords=["tea"], include_faqs=True).post
    assert post.meta.primary_keyword == "tea"
    assert len(post.faqs) == 1
    (request,) = service.requests
    assert (request.method, request.path) == ("POST", "/v1/generate")
    assert request.body["constraints"] == {"includeFAQs": True}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_async_clients_reach_the_fake(backend: str) -> None:
    service = FakeService()
    service.add_item(make_post(title="Tea"))

    async def use() -> tuple[str, str]:
        async with service.async_client() as client, service.async_feed() as feed:
            assert isinstance(client, AsyncCopydesk)
            job = await client.jobs.create(keywords=["tea"])
            item = await feed.latest()
            assert item is not None
            return (await client.jobs.wait(job.job_id)).status, item.post.title

    assert anyio.run(use, backend=backend) == ("succeeded", "Tea")


def test_a_job_moves_one_state_at_each_look() -> None:
    service = FakeService()
    service.posts.append(make_post(title="Mine"))
    with service.client() as client:
        job = client.jobs.create(keywords=["tea"])
        looks = [client.jobs.get(job.job_id) for _ in range(3)]
    states = [job.status, *(look.status for look in looks)]
    assert states == ["queued", "processing", "succeeded", "succeeded"]
    assert looks[-1].generation().post.title == "Mine"


def test_the_next_requests_fail_on_demand() -> None:
    service = FakeService()
    service.fail_next("INTERNAL_ERROR", times=2)
    with service.client(max_retries=0) as client:
        for _ in range(2):
            with pytest.raises(ServerError):
                client.usage()
        assert client.usage().consumed.words == 0
    with pytest.raises(ValueError, match="code must be one of VALIDATION_ERROR"):
        service.fail_next("TEAPOT")


def test_a_lost_response_is_asked_for_again_and_billed_once() -> None:
    service = FakeService()
    service.disconnect_next(after_work=True)
    with service.client() as client:
        response = client.generate(keywords=["tea"]).response
        assert response is not None
        assert response.replayed
        assert client.usage().consumed.posts == 1
    service.disconnect_next()
    with service.client(max_retries=0) as client, pytest.raises(APIConnectionError):
        client.usage()


def test_limits_and_time_are_the_tests_own() -> None:
    times = [datetime(2026, 1, 31, 23, tzinfo=UTC)]
    service = FakeService(requests_per_minute=1, requests_per_day=2, clock=lambda: times[-1])
    with service.client(max_retries=0) as client:
        client.generate(keywords=["tea"])
        with pytest.raises(RateLimitError) as limited:
            client.generate(keywords=["tea"])
        assert limited.value.retry_after == 60
        times.append(times[-1] + timedelta(minutes=2))
        client.generate(keywords=["tea"])
        times.append(times[-1] + timedelta(minutes=2))
        with pytest.raises(QuotaExceededError):
            client.generate(keywords=["tea"])
        times.append(datetime(2026, 2, 1, tzinfo=UTC))
        assert client.usage().consumed.posts == 0, "a new month"


def test_a_server_serves_another_process(tmp_path: Path) -> None:
    service = FakeService()
    item_id = service.add_item(make_post(title="Tea"))
    with serve(service) as url:
        variables = {"COPYDESK_API_KEY": service.api_key, "COPYDESK_FEED_URL": service.feed_url}
        variables |= {"COPYDESK_BASE_URL": url, "NO_PROXY": "127.0.0.1"}
        said = _run("-m", "copydesk", "feed", "latest", "--json", cwd=tmp_path, **variables)
        assert '"title": "Tea"' in said
        service.disconnect_next()
        with Feed(service.feed_url, max_retries=0) as feed, pytest.raises(APIConnectionError):
            feed.latest()
    assert service.item_status(item_id) == "reserved"
    assert service.base_url == "http://copydesk.test"


# --- webhooks


def test_the_webhook_of_a_job_is_what_a_receiver_gets() -> None:
    service = FakeService()
    events: Any = ["job.succeeded", "job.failed"]
    hook: Any = {"webhook_url": "https://example.com/hook", "webhook_events": events}
    with service.client() as client:
        jobs = [
            client.jobs.create(keywords=[keyword], **hook)
            for keyword in ("tea", "test:PROHIBITED_INPUT")
        ]
    sent = service.finish_jobs()
    assert service.finish_jobs() == []
    kinds = [JobSucceeded, JobFailed]
    for job, webhook, kind in zip(jobs, sent, kinds, strict=True):
        assert job.webhook_signing_secret is not None
        event = webhooks.parse(webhook.body, webhook.headers, job.webhook_signing_secret)
        assert (type(event), event.job_id) == (kind, job.job_id)
        assert webhook.url == "https://example.com/hook"


@pytest.mark.parametrize("status", ["succeeded", "failed"])
def test_an_event_is_signed_without_a_service(status: str) -> None:
    webhook = sign_webhook(make_event(make_job(status)), SECRET)
    event = webhooks.parse(webhook.body, webhook.headers, SECRET)
    assert event.event == f"job.{status}"
    assert SECRET not in repr(webhook)
    with pytest.raises(WebhookVerificationError):
        webhooks.parse(webhook.body + b" ", webhook.headers, SECRET)


def test_one_variable_verifies_every_webhook_of_the_fake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """one environment variable serves all jobs"""
    service = FakeService()
    monkeypatch.setenv("COPYDESK_WEBHOOK_SECRET", service.webhook_secret)
    hook = {"webhook_url": "https://example.com/hook", "webhook_events": ["job.succeeded"]}
    with service.client() as client:
        jobs = [client.jobs.create(keywords=["tea"], **hook) for _ in range(2)]
    sent = [*service.finish_jobs(), sign_webhook(make_event(make_job("failed")))]
    events = [webhooks.unwrap(each.body, each.headers) for each in sent]
    assert [event.job_id for event in events[:2]] == [job.job_id for job in jobs]
    assert isinstance(events[2], JobFailed)


def test_a_malformed_secret_is_explained() -> None:
    with pytest.raises(ConfigurationError, match="must be whroot_ or whsec_ and 44 characters"):
        sign_webhook(make_event(make_job("failed")), "whroot_short")


def test_a_body_that_is_no_event_is_signed_too() -> None:
    signed = sign_webhook(b"[]")
    with pytest.raises(WebhookVerificationError, match="the body is no event"):
        webhooks.parse(signed.body, signed.headers, webhooks.SigningSecrets(SECRET))


def test_a_job_that_runs_has_no_event() -> None:
    with pytest.raises(ValueError, match="only a job that is done has an event"):
        make_event(make_job("processing"))


# --- factories


def test_factories_return_what_the_service_would() -> None:
    post = make_post(title="Tea", keywords=["tea", "pot"])
    assert (post.title, post.outline.h1, post.meta.primary_keyword) == ("Tea", "Tea", "tea")
    assert isinstance(make_generation(post), Generation)
    assert (make_generation(post).rendered.html or "").startswith("<p>")
    assert make_item(post, id="itm_7", delivery_count=2).delivery_count == 2
    assert make_job("succeeded", post).generation().post == post
    assert make_usage(consumed={"words": 5}).consumed.words == 5
    with pytest.raises(TypeError, match="a Post has no member 'titel'"):
        make_post(titel="Tea")


# --- the plug-in


def test_the_tests_of_the_readme_pass(tmp_path: Path) -> None:
    readme = (SDK / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```py\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    (tmp_path / "test_publish.py").write_text(example)
    assert "2 passed" in _pytest(tmp_path)


def test_the_fixtures_are_there_and_the_package_is_only_loaded_if_they_are_used(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_mine.py").write_text(
        "import sys\n"
        "def test_unused():\n    assert 'copydesk' not in sys.modules\n"
        "def test_used(copydesk_url, copydesk_service):\n"
        "    assert copydesk_service.base_url == copydesk_url\n"
    )
    assert "2 passed" in _pytest(tmp_path)
