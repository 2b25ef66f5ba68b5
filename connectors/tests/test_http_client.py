"""Calls: nothing of the environment reaches one, and each ends in time with a bounded answer."""

import ast
import base64
import gzip
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter

import copydesk_connectors
from copydesk_connectors.cli import config
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.log import Redactor
from copydesk_connectors.target import http_client
from copydesk_connectors.target.base import CopyState, Target
from copydesk_connectors.target.errors import ConfigError, ConnectorError, Unavailable
from copydesk_connectors.target.http_client import HttpClient
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.secret import Secret

from .fake_ghost import KEY
from .items import Write
from .planted import planted, seeing

PACKAGE = Path(copydesk_connectors.__file__).parent
PASSWORD = "abcd efgh ijkl"
BASIC = "Basic " + base64.b64encode(f"jo:{PASSWORD}".encode()).decode()
WEBHOOK = "whsec_" + base64.b64encode(bytes(range(32))).decode()
SECRETS = {"wordpress": PASSWORD, "xmlrpc": PASSWORD, "ghost": KEY}
WORDPRESS = 'type = "wordpress"\nusername = "jo"\npassword_file = "secret"\n'
LINES = {
    "wordpress": WORDPRESS,
    "xmlrpc": f'{WORDPRESS}protocol = "xmlrpc"\n',
    "ghost": 'type = "ghost"\nadmin_key_file = "secret"\n',
    "webhook": 'type = "webhook"\nsecret_file = "secret"\n',
}


def target(kind: str, write: Write, folder: Path, url: str, more: str = "") -> Target:
    (folder / "secret").write_text(SECRETS.get(kind, WEBHOOK))
    (folder / "secret").chmod(0o600)
    lines = LINES[kind].format(url=url)
    file = write(f'[[target]]\n{lines}url = "{url}"\nallow_http = true\n{more}')
    return config.load(file).targets[0]


def try_everything(publisher: Target, post: Post) -> None:
    """Every call that a target makes; what comes of it does not matter."""
    steps: list[Callable[[], Any]] = [
        publisher.ready,
        publisher.check,
        lambda: publisher.find(post),
        lambda: publisher.draft(post),
        lambda: publisher.publish(post, "1"),
        lambda: publisher.related("word"),
    ]
    for step in steps:
        with suppress(ConnectorError):
            step()


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("where", ["NETRC", "HOME"])
@pytest.mark.parametrize("kind", LINES)
def test_no_target_reads_a_netrc_or_a_proxy_that_was_not_configured(
    write_config: Write,
    tmp_path: Path,
    post: Post,
    monkeypatch: pytest.MonkeyPatch,
    waits: list[float],
    kind: str,
    where: str,
    scheme: str,
) -> None:
    """No connector or webhook call reads netrc or a proxy that was not configured"""
    with planted(monkeypatch, tmp_path / "home", where) as proxy, seeing(503) as site:
        url = site.url.replace("http", scheme, 1)
        try_everything(target(kind, write_config, tmp_path, url), post)
        assert proxy.opened == 0
        if scheme == "https":
            return  # the server speaks no TLS: it is the proxy that would have been asked
        assert len(site.requests) > 2
        sent = site.sent("Authorization")
    match kind:
        case "wordpress":
            assert sent == {BASIC}
        case "ghost":
            assert all(value and value.startswith("Ghost ey") for value in sent)
        case _:
            assert sent == {None}


@pytest.mark.parametrize("where", ["NETRC", "HOME"])
def test_no_call_of_the_feed_does(
    tmp_path: Path, write_config: Write, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """All /v1/content-tokens/... endpoints: No Authorization header."""
    with planted(monkeypatch, tmp_path / "home", where) as proxy, seeing(404) as server:
        monkeypatch.setenv("COPYDESK_PROXY", proxy.url)  # the SDK's, not the connector's
        file = write_config(
            '[[target]]\ntype = "markdown"\npath = "p"\n',
            url=f"{server.url}/v1/content-tokens/tok_secret/latest",
        )
        feed = FeedClient(config.load(file).feeds[0])
        for call in (
            feed.ready,
            feed.pull,
            lambda: feed.pull(several=True),
            lambda: feed.confirm("itm_1"),
            lambda: feed.reject("itm_1"),
        ):
            with pytest.raises(ConnectorError):
                call()
        assert proxy.opened == 0
        assert {method for method, _, _ in server.requests} == {"HEAD", "GET", "POST"}
        assert server.sent("Authorization") == {None}


def test_nothing_else_of_the_package_makes_http_calls() -> None:
    """ONE base, and all of them on it"""
    calls = {"request", "get", "head", "post", "put", "delete", "Session", "session", "adapters"}
    found = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in getattr(node, "names", ())]
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{name}" for name in names]
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names = [f"{node.value.id}.{node.attr}"]
            elif not isinstance(node, ast.Import):
                continue
            for name in names:
                head, _, tail = name.partition(".")
                if name in {"urllib.request", "http.client", "httpx"} or (
                    head == "requests" and tail.partition(".")[0] in calls
                ):
                    found.add(file.name)
    assert found == {"http_client.py"}


@pytest.mark.parametrize("kind", LINES)
def test_a_proxy_that_is_configured_is_used(
    write_config: Write,
    tmp_path: Path,
    post: Post,
    monkeypatch: pytest.MonkeyPatch,
    waits: list[float],
    kind: str,
) -> None:
    """an explicit setting proxy = "..." in the connector's config"""
    with planted(monkeypatch, tmp_path / "home", "NETRC") as door, seeing(503) as proxy:
        given = proxy.url.replace("//", "//me:proxy-password@")
        monkeypatch.setenv("PROXY", given)
        url = "http://blog.invalid"
        try_everything(target(kind, write_config, tmp_path, url, 'proxy_env = "PROXY"\n'), post)
        assert door.opened == 0
        assert len(proxy.requests) > 2
        assert all(path.startswith("http://blog.invalid/") for _, path, _ in proxy.requests)
        login = base64.b64encode(b"me:proxy-password").decode()
        assert proxy.sent("Proxy-Authorization") == {f"Basic {login}"}


def test_the_feed_has_a_proxy_of_its_own(write_config: Write) -> None:
    """the feed calls"""
    with seeing(404) as proxy:
        file = write_config(
            '[[target]]\ntype = "markdown"\npath = "p"\n',
            top=f'proxy = "{proxy.url}"\n',
            url="http://feed.invalid/v1/content-tokens/tok_secret/latest",
        )
        feed = FeedClient(config.load(file).feeds[0])
        for call in (feed.ready, feed.pull):
            with pytest.raises(ConnectorError):
                call()
        assert [method for method, _, _ in proxy.requests] == ["HEAD", "GET", "HEAD"]
        assert all(path.startswith("http://feed.invalid/v1/") for _, path, _ in proxy.requests)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('proxy = "socks5://proxy.example:1"', "proxy: must be a full address"),
        (
            'proxy = "http://me:hunter2@proxy.example:1"',
            "proxy: must not contain a user name or p",
        ),
        ('proxy = "http://proxy.example/path"', "proxy: must be the address of a proxy, such as"),
        ('proxy_env = "BAD"', "proxy_env: must be the address of a proxy, such as http://pro"),
        ('proxy_env = "NONE"', "the environment variable NONE is not set"),
        (
            'proxy = "http://h:1"\nproxy_env = "BAD"',
            "give only one of proxy_env, proxy_file or p",
        ),
        ('proxy_file = "f"\nproxy_env = "BAD"', "give only one of proxy_env, proxy_file or p"),
    ],
)
@pytest.mark.parametrize("of", ["feed", "target"])
def test_a_proxy_is_checked_and_its_password_is_not_shown(
    write_config: Write, monkeypatch: pytest.MonkeyPatch, lines: str, said: str, of: str
) -> None:
    """validated, never logged with its password"""
    monkeypatch.setenv("BAD", "socks5://me:hunter2@proxy.example:1")
    monkeypatch.setenv("S", WEBHOOK)
    hook = '[[target]]\ntype = "webhook"\nurl = "https://a.example"\nsecret_env = "S"\n'
    file = write_config(hook + (lines if of == "target" else ""), top=lines * (of == "feed"))
    with pytest.raises(ConfigError) as caught:
        config.load(file)
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_the_password_of_a_proxy_is_struck_out(
    write_config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """never logged with its password"""
    monkeypatch.setenv("P", "http://me:hun%20ter2@proxy.example:1")
    file = write_config('[[target]]\ntype = "markdown"\npath = "p"\n', top='proxy_env = "P"')
    loaded = config.load(file)
    shown = f"{loaded!r} hun%20ter2 hun ter2 http://me:hun%20ter2@proxy.example:1"
    assert "ter2" not in Redactor(loaded.secrets)(shown)


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_certificates_of_the_environment_are_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """keep CA configuration working"""
    for other in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, str(tmp_path / "ours.pem"))
    with pytest.raises(ConfigError, match=f"{name} names a file that is not there"):
        HttpClient("it")
    shutil.copy(requests.certs.where(), tmp_path / "ours.pem")
    trusted = []
    monkeypatch.setattr(
        HTTPAdapter, "cert_verify", lambda _self, _conn, _url, verify, _cert: trusted.append(verify)
    )
    with pytest.raises(Unavailable, match="Connection refused"):
        HttpClient("it").request("GET", "https://127.0.0.1:9/")
    assert trusted == [str(tmp_path / "ours.pem")]


def test_a_redirect_is_not_followed() -> None:
    """no redirects"""
    with seeing() as elsewhere, seeing(302, Location=elsewhere.url) as site:
        assert HttpClient("it").request("GET", site.url).status_code == 302
        assert elsewhere.requests == []
        (headers,) = (headers for _, _, headers in site.requests)
    assert headers["User-Agent"] == "copydesk-connect"


def test_a_secret_that_no_log_can_keep_is_refused(
    write_config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """redact from 6 characters up (but refuse shorter secrets)"""
    lines = 'type = "wordpress"\nurl = "https://a.example"\nusername = "jo"\npassword_env = "T"\n'
    monkeypatch.setenv("T", "w")
    with pytest.raises(ConfigError, match="password_env: must have at least 6 characters"):
        config.load(write_config(f"[[target]]\n{lines}"))
    monkeypatch.setenv("T", "a-b-c-")
    assert config.load(write_config(f"[[target]]\n{lines}")).targets
    assert Redactor([Secret("w"), Secret("a-b-c-")])("the new wall: a-b-c-") == "the new wall: ***"


@contextmanager
def dripping(head: bytes, drop: bytes) -> Iterator[str]:
    """A server that sends ``head`` and then ``drop`` again and again, slowly; its address."""
    ended = threading.Event()
    threads: list[threading.Thread] = []

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.sendall(head)
            while not ended.wait(0.005):
                connection.sendall(drop)

    def listen() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

    listener = socket.create_server(("127.0.0.1", 0))
    listening = threading.Thread(target=listen)
    listening.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in (listening, *threads):
            thread.join()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DRIPS = {
    "headers": (b"HTTP/1.1 200 OK\r\nX-Drip: ", b"x"),
    "more headers": (b"HTTP/1.1 200 OK\r\n", b"X-Drip: x\r\n"),
    "a body of a length": (HEAD + b"Content-Length: 9999999\r\n\r\n", b" "),
    "one large chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n989680\r\n", b" "),
    "many chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a body without a length": (HEAD + b"\r\n", b" "),
    "a body that is the last": (HEAD + b"Connection: close\r\nContent-Length: 9999\r\n\r\n", b" "),
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("drip", DRIPS)
def test_an_answer_that_drips_ends_in_time(monkeypatch: pytest.MonkeyPatch, drip: str) -> None:
    """a site that drips ends in time"""
    monkeypatch.setattr(http_client, "TOTAL_S", 0.3)
    with dripping(*DRIPS[drip]) as url:
        client = HttpClient("the site")
        for _ in range(2):  # the first leaves nothing behind that the next one uses
            with pytest.raises(Unavailable) as caught:
                client.request("GET", url)
            # The library itself refuses more than a hundred headers.
            assert "the site sent no complete response" in str(caught.value)
            assert url not in str(caught.value)


def test_a_tls_handshake_that_does_not_go_on_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """bounded in bytes and time"""
    monkeypatch.setattr(http_client, "TOTAL_S", 0.3)
    # The head of a record of 16 KB, which is the server's hello, byte by byte.
    with (
        dripping(b"\x16\x03\x03\x40\x00", b"\x02") as url,
        pytest.raises(Unavailable, match="the site sent no complete response within"),
    ):
        HttpClient("the site").request("GET", url.replace("http", "https", 1))


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_that_is_too_large_is_given_up(
    monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    """a site that sends 512 MB ends in time"""
    monkeypatch.setattr(http_client, "LARGEST_ANSWER", 100_000)
    body = b" " * 5_000_000
    headers = {"Content-Encoding": "gzip"} if packed else {}
    with seeing(200, gzip.compress(body) if packed else body, **headers) as site:
        client = HttpClient("the site")
        with pytest.raises(Unavailable, match="the site sent more than 100,000 bytes"):
            client.request("GET", site.url)
        answer = client.request("GET", site.url, most=1_000, whole=False)
    assert len(answer.content) == 1_000


def test_a_call_in_time_leaves_its_connection_for_the_next() -> None:
    """Connections are kept and used again."""
    asked: list[tuple[str, int]] = []

    def serve() -> None:
        connection, address = listener.accept()
        with connection:
            for _ in range(3):
                while not connection.recv(65536).endswith(b"\r\n\r\n"):
                    pass
                asked.append(address)
                connection.sendall(HEAD + b"Content-Length: 2\r\n\r\n{}")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        client = HttpClient("it")
        for _ in range(3):
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            assert client.request("GET", url).json() == {}
        thread.join()
    assert len(asked) == 3


def test_what_a_receiver_says_behind_its_status_does_not_matter(
    write_config: Write, tmp_path: Path, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2xx is published, whatever becomes of the body: else it would get the post again"""
    monkeypatch.setattr(http_client, "TOTAL_S", 0.3)
    with dripping(HEAD + b"Content-Length: 9999\r\n\r\n", b" ") as url:
        copy = target("webhook", write_config, tmp_path, url).publish(post, "")
    assert (copy.state, copy.url) == (CopyState.PUBLIC, "")
