"""The README's examples run as they stand."""

import hashlib
import hmac
import json
import re
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from copydesk import Copydesk, webhooks

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def _settings(service: Any, api_key: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("POSTS", str(tmp_path / "posts"))
    monkeypatch.setenv("COPYDESK_API_KEY", api_key)
    monkeypatch.setenv("COPYDESK_BASE_URL", service.url)
    monkeypatch.setenv("COPYDESK_FEED_URL", service.pull_url)


def _run(blocks: list[str], service: Any, names: dict[str, Any]) -> None:
    """Run each block with no more than these names, so that it can be copied alone."""
    item = service.waiting[0]
    for block in blocks:
        service.waiting[:] = [item]
        if "max_words=600" in block and "ValidationError" in block:
            service.refuse(400, "VALIDATION_ERROR", "minWords must not be above maxWords.")
        exec(compile(block, "README.md", "exec"), names if "server" in block else {**names})


def test_the_python_examples_run(
    service: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    blocks = [block for block in _blocks("python") if "serve_forever" not in block]
    assert len(blocks) == 12
    with Copydesk() as client:
        _run(blocks, service, {"client": client})
    printed = capsys.readouterr().out
    assert "Cold brew at home\n91 1\nCold brew needs time." in printed
    assert "930 words used, 19070 left" in printed
    assert "68 True\n1 warning Say so.\n" in printed
    assert "job_1 queued\nCold brew at home\n" in printed
    assert "Cold brew at home published \n" in printed
    page = next((tmp_path / "posts").glob("*.html"))
    assert page.read_text() == "<p>Cold brew needs time.</p>\n"
    assert "Cold brew at home 2026-03-01 12:30:00.250000+00:00" in printed
    assert "min_words must not be above max_words (HTTP 400 VALIDATION_ERROR)" in printed
    paths = [seen.path.rpartition("/")[2] for seen in service.seen]
    jobs = ["jobs", *["job_1"] * 3, "jobs"]
    pulls = ["latest", "confirm", "latest"] * 2
    begin = ["generate", "usage", "check", *["generate"] * 3]
    assert paths == [*begin, *jobs, *pulls, *["generate"] * 4]


def test_the_receiver_takes_what_the_service_signed_and_nothing_else(
    service: Any,
    samples: Any,
    root: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (receiver,) = (block for block in _blocks("python") if "serve_forever" in block)
    monkeypatch.setenv("PORT", "0")
    monkeypatch.setenv("COPYDESK_WEBHOOK_SECRET", root)
    names: dict[str, Any] = {}
    (secret,) = webhooks.signing_secrets(root, "job_1")
    thread = threading.Thread(target=_run, args=([receiver], service, names))
    thread.start()
    deadline = time.monotonic() + 20
    while "server" not in names:
        thread.join(0.01)
        assert thread.is_alive()
        assert time.monotonic() < deadline
    port = names["server"].server_port
    try:
        members = {name: samples["generation"][name] for name in ("post", "rendered", "quality")}
        body = json.dumps({"event": "job.succeeded", "jobId": "job_1", **members}).encode()
        now = int(time.time())
        assert _deliver(port, body, _signature(body, secret, now)) == 204
        assert _deliver(port, body, _signature(body, secret, now - 400)) == 400
        assert _deliver(port, body + b" ", _signature(body, secret, now)) == 400
        assert _deliver(port, body, "") == 400
        failed = json.dumps({"event": "job.failed", **samples["failed"]}).encode()
        assert _deliver(port, failed, _signature(failed, secret, now)) == 204
    finally:
        names["server"].shutdown()
        thread.join()
        names["server"].server_close()
    shown = capsys.readouterr()
    assert shown.out == (
        "job_1 Cold brew at home 20\njob_1 CONTENT_QUALITY_FAILED The post is too short.\n"
    )
    reasons = re.findall(r"refused, (\w+): ", shown.err)
    assert reasons == ["timestamp", "signature", "header"]
    assert secret not in shown.err
    assert root not in shown.err


def _signature(body: bytes, secret: str, at: int) -> str:
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def _deliver(port: int, body: bytes, signature: str) -> int:
    headers = {"x-svc-signature": signature}
    return httpx2.post(
        f"http://127.0.0.1:{port}/", content=body, headers=headers, timeout=20, trust_env=False
    ).status_code


@pytest.mark.parametrize(
    "line", [line for block in _blocks("console") for line in block.splitlines()]
)
def test_the_commands_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "publish.sh").write_text("#!/bin/sh\ncat > post.json\n")
    (tmp_path / "is_published.sh").write_text("#!/bin/sh\nexit 1\n")
    for script in tmp_path.glob("*.sh"):
        script.chmod(0o755)
    (tmp_path / "draft.md").write_text("Tea.\n")
    prompt, _, command = line.partition(" ")
    assert prompt == "$"
    if not command.startswith("copydesk "):  # what these lead to is this test's environment
        assert command.startswith(("pip install ", "export COPYDESK_"))
        return
    if command.startswith("copydesk mcp"):
        command = " ".join([*command.split()[:2], "--help"])
    arguments, _, target = command.partition(" > ")
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(arguments)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    if "--exec" in command:
        assert json.loads((tmp_path / "post.json").read_text())["id"] == "itm_1"
    if target:
        assert done.stdout.startswith("<p>")


def test_every_setting_of_the_readme_is_read() -> None:
    sources = "".join(
        path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].glob("copydesk/*.py")
    )
    for name in set(re.findall(r"COPYDESK_\w+", README)):
        assert name in sources
