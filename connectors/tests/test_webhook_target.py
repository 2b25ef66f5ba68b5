"""The webhook target, against the receiver of the README and answers of every kind."""

import base64
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import responses

from copydesk.webhooks import signed_headers, verify
from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.target.base import CopyState, Level
from copydesk_connectors.target.errors import Misconfigured, Refused, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.webhook import Webhook, message_id

from .feed_server import FakeFeed
from .items import make_item

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
VECTOR = "v1,lEkmUQcJGiD7qamfBmC+D4Ge1hkFNvN4/hmIy8qIPzs="
URL = "https://hooks.example/T0KEN/posts"
README = Path(__file__).parents[1] / "README.md"


def open_target(tmp_path: Path, url: str = URL, **settings: Any) -> Webhook:
    """The target with its secret in a file."""
    secret = tmp_path / "secret"
    secret.write_text(settings.pop("secret", SECRET))
    secret.chmod(0o600)
    data = {"url": url, "secret_file": str(secret), **settings}
    table = Table(data, "[[target]] 1", tmp_path / "copydesk.toml")
    target = TARGETS["webhook"]("hook", table)
    assert isinstance(target, Webhook)
    return target


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[str]:
    """The README's receiver, as a process; its address."""
    code = next(
        block
        for block in re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
        if block.startswith("# receiver.py")
    )
    folder = tmp_path / "receiver"
    folder.mkdir()
    (folder / "receiver.py").write_text(code)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "receiver.py", str(port)],
        cwd=folder,
        env={**os.environ, "SECRET": SECRET},
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}/posts"
    try:
        _wait_for(url, process)
        yield url
    finally:
        process.kill()
        process.wait()


def _wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            requests.head(url, timeout=5)
        except requests.ConnectionError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the receiver did not start")


def test_the_receiver_of_the_readme_keeps_each_post_once(
    receiver: str,
    tmp_path: Path,
    feed: FakeFeed,
    write_config: Callable[..., Path],
    one_pass: Callable[[Path], Outcome],
) -> None:
    """A documented receiver example in the README that passes the tests"""
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "secret").chmod(0o600)
    feed.add(make_item())
    target = f'[[target]]\ntype = "webhook"\nurl = "{receiver}"\nsecret_file = "secret"\n'
    file = write_config(target)
    assert config.load(file).targets[0].check()[0].level is Level.OK
    assert one_pass(file).problems == []
    assert feed.states() == {"itm_1": "used"}
    first = open_target(tmp_path, receiver).publish(Post.from_item(make_item()), "")
    assert first.url == "https://blog.example/descale-espresso-machine"
    with sqlite3.connect(tmp_path / "receiver" / "posts.sqlite3") as db:
        rows = db.execute("SELECT id, post FROM posts").fetchall()
    db.close()
    assert [row[0] for row in rows] == ["itm_1"]
    other = "whsec_" + base64.b64encode(bytes(32)).decode()
    with pytest.raises(Misconfigured, match="answered 401"):
        open_target(tmp_path, receiver, secret=other).publish(Post.from_item(make_item()), "")


@responses.activate
def test_what_is_sent_is_signed_in_both_ways(tmp_path: Path) -> None:
    """signed as the service signs its webhooks: x-svc-signature t,v1 with a whole secret, and the
    Standard Webhooks headers; id stable as the idempotency key"""
    responses.post(URL, json={"id": 17, "url": "https://blog.example/x"})
    target = open_target(tmp_path, tags=["a"], category="News", author="Jo", json_ld=True)
    copies = [target.publish(Post.from_item(make_item()), "") for _ in range(2)]
    assert (copies[0].remote_id, copies[0].url) == ("17", "https://blog.example/x")
    assert copies[0].state is CopyState.PUBLIC
    first, second = (call.request for call in responses.calls)  # type: ignore[union-attr]
    body = first.body
    assert isinstance(body, bytes)
    verify(body, first.headers["x-svc-signature"], SECRET)
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == "itm_1"
    assert first.headers["Idempotency-Key"] == "itm_1"
    for part in (b'"tags": ["a"]', b'"categories": ["News"]', b'"author": "Jo"', b"BlogPosting"):
        assert part in body


def test_the_standard_signature_is_that_of_the_standard() -> None:
    """The vector was computed by the standardwebhooks package 1.0"""
    headers = signed_headers(SECRET, "itm_1", 1_700_000_000, b'{"a": 1}')
    assert headers["webhook-signature"] == VECTOR
    assert headers["webhook-timestamp"] == "1700000000"


@pytest.mark.parametrize(
    ("status", "headers", "error"),
    [
        (400, {}, Refused),
        (400, {"Content-Type": "text/html; charset=utf-8"}, Misconfigured),
        (410, {}, Refused),
        (422, {}, Refused),
        (401, {}, Misconfigured),
        (404, {}, Misconfigured),
        (302, {"Location": "https://evil.example/"}, Misconfigured),
        (429, {"Retry-After": "120"}, Unavailable),
        (503, {"Retry-After": "120"}, Unavailable),
        (500, {}, Unavailable),
    ],
)
@responses.activate
def test_answers_are_sorted(
    tmp_path: Path, status: int, headers: dict[str, str], error: type[Exception]
) -> None:
    """410/4xx = refused, 429/5xx = Unavailable with Retry-After"""
    responses.post(URL, status=status, headers=headers)
    with pytest.raises(error) as caught:
        open_target(tmp_path).publish(Post.from_item(make_item()), "")
    if isinstance(caught.value, Unavailable):
        assert caught.value.retry_after == (120 if headers else None)
    assert "T0KEN" not in str(caught.value)
    assert len(responses.calls) == 1


@pytest.mark.parametrize("body", ["", "thanks", "[]", '{"id": null}', "\xff"])
@responses.activate
def test_an_answer_without_words_is_published_too(tmp_path: Path, body: str) -> None:
    """2xx with optional {"id","url"} in the answer = published, 409 = already there"""
    responses.post(URL, status=204, body=body)
    responses.post(URL, status=409, body=body)
    target = open_target(tmp_path)
    for _ in range(2):
        copy = target.publish(Post.from_item(make_item()), "")
        assert (copy.remote_id, copy.url, copy.state) == ("itm_1", "", CopyState.PUBLIC)


@responses.activate
def test_a_receiver_that_is_down_is_noticed_before_anything_is_sent(tmp_path: Path) -> None:
    """A target that is down is noticed before pulling"""
    target = open_target(tmp_path)
    with pytest.raises(Unavailable) as caught:
        target.ready()
    assert "T0KEN" not in str(caught.value)
    responses.head(URL, status=502)
    (finding,) = target.check()
    assert (finding.level, bool(finding.fix)) == (Level.PROBLEM, True)


def test_every_id_has_a_form_that_can_be_signed() -> None:
    """id stable as the idempotency key"""
    for item_id in ("itm.1", "ä" * 300, "x" * 65):
        post = Post.from_item(make_item(item_id))
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,255}", message_id(post))
        assert message_id(post) == message_id(Post.from_item(make_item(item_id)))
