"""What a user's own tests get: factories and signed webhooks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from copydesk import ConfigurationError, JobFailed, JobSucceeded, WebhookVerificationError, webhooks
from copydesk.testing import (
    WEBHOOK_SECRET,
    make_event,
    make_generation,
    make_item,
    make_job,
    make_post,
    sign_webhook,
)

SDK = Path(__file__).parents[1]


@pytest.mark.parametrize(("status", "kind"), [("succeeded", JobSucceeded), ("failed", JobFailed)])
def test_an_event_is_signed_without_a_service(
    status: str, kind: type, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make_event(make_job(status))
    monkeypatch.setenv("COPYDESK_WEBHOOK_SECRET", WEBHOOK_SECRET)
    signed = sign_webhook(event)
    assert isinstance(webhooks.unwrap(signed.body, signed.headers), kind)
    signed = sign_webhook(event, secret)
    assert isinstance(webhooks.parse(signed.body, signed.headers, secret), kind)
    assert secret not in repr(signed)
    with pytest.raises(WebhookVerificationError):
        webhooks.parse(signed.body + b" ", signed.headers, secret)


def test_a_malformed_secret_and_a_job_that_runs_are_explained() -> None:
    with pytest.raises(ConfigurationError, match="must be whroot_ or whsec_ and 44 characters"):
        sign_webhook(make_event(make_job("failed")), "whroot_short")
    with pytest.raises(ValueError, match="only a job that is done has an event"):
        make_event(make_job("processing"))


def test_a_factory_replaces_the_members_that_it_is_given() -> None:
    post = make_post(title="Tea", keywords=["tea", "pot"])
    assert (post.title, post.outline.h1, post.meta.primary_keyword) == ("Tea", "Tea", "tea")
    assert (make_generation(post).rendered.html or "").startswith("<p>")
    assert make_item(post, id="itm_7", delivery_count=2).delivery_count == 2
    assert make_job("succeeded", post).generation().post == post
    with pytest.raises(TypeError, match="a Post has no member 'titel'"):
        make_post(titel="Tea")


def test_the_tests_of_the_readme_pass(tmp_path: Path) -> None:
    readme = (SDK / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```py\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    (tmp_path / "test_publish.py").write_text(example)
    path = os.pathsep.join([str(SDK), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "3 passed" in done.stdout, done.stdout + done.stderr
