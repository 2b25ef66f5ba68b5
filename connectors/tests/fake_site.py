"""What the sites in memory share: requests that are noted, answers that are broken on purpose."""

import json
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import requests
import responses

from .loopback import served

URL = "https://blog.example"
Answer = tuple[int, Any]
# Sees a request; gives what to do in place of the answer, or None to let it be.
Fault = Callable[[str, str], "Broken | None"]


class Killed(BaseException):
    """Stands for the end of the process, which no handler sees."""


@dataclass(frozen=True)
class Broken:
    """An answer that goes wrong. ``carried_out`` tells whether the site did the work first."""

    carried_out: bool
    status: int = 0  # 0 raises the error, as if the connection were cut
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    error: type[BaseException] = requests.ConnectionError


@dataclass
class FakeSite(ABC):
    """A site at URL. ``seen`` lists (method, path) in order; ``fault`` may break any of them."""

    url: str = URL
    seen: list[tuple[str, str]] = field(default_factory=list)
    fault: Fault = field(default=lambda _method, _path: None)
    ids: Iterator[int] = field(default_factory=lambda: count(1))
    lock: threading.Lock = field(default_factory=threading.Lock)
    posts: dict[Any, dict[str, Any]] = field(default_factory=dict)

    @abstractmethod
    def public(self) -> list[dict[str, Any]]:
        """What readers see."""

    def writes(self) -> list[str]:
        """The requests that change something."""
        return [
            f"{method} {path}" for method, path in self.seen if method in {"POST", "DELETE", "PUT"}
        ]

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer requests to URL until the block ends; only loopback is reached besides."""
        with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
            mock.add_passthru("http://127.0.0.1")
            for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
                mock.add_callback(method, re.compile(re.escape(URL) + "/.*"), self._serve)
            yield

    def on_loopback(self) -> AbstractContextManager[str]:
        """Answer as a server as well, at the address that is yielded, until the block ends."""
        return served(_handler(self))

    def break_request(self, number: int, broken: Broken) -> None:
        """Break the nth request from now, counted from 1."""
        answers = iter([None] * (number - 1) + [broken])
        self.fault = lambda _method, _path: next(answers, None)

    @abstractmethod
    def route(self, path: str, query: Mapping[str, str]) -> str:
        """What ``seen`` calls an address."""

    @abstractmethod
    def answer(
        self, method: str, path: str, query: dict[str, str], request: requests.PreparedRequest
    ) -> Answer:
        """The status and the JSON that the site answers; a text is sent as a web page."""

    def headers(self) -> dict[str, str]:
        """What every answer carries."""
        return {}

    def _serve(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        assert request.url is not None
        parts = urlsplit(request.url)
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        method, path = str(request.method), self.route(unquote(parts.path), query)
        with self.lock:
            self.seen.append((method, path))
            broken = self.fault(method, path)
            if broken is None or broken.carried_out:
                status, answer = self.answer(method, path, query, request)
        if broken is not None:
            if broken.status == 0:
                raise broken.error(f"cut while calling {request.url}")
            return broken.status, {**self.headers(), **broken.headers}, broken.body
        if isinstance(answer, str):
            return status, {**self.headers(), "Content-Type": "text/html"}, answer
        body = "" if status == 204 else json.dumps(answer)
        return status, {**self.headers(), "Content-Type": "application/json"}, body


def _handler(site: FakeSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name: value for name, value in self.headers.items() if name != "Host"}
            asked = requests.Request(self.command, URL + self.path, headers, data=body or None)
            status, headers, text = site._serve(asked.prepare())
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = handle_any  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Stay silent: what happened is in the site's ``seen``."""

    return Handler


def unique_slug(slug: str, taken: set[str]) -> str:
    """The slug, with a number where others have it."""
    number, result = 1, slug
    while slug and result in taken:
        number += 1
        result = f"{slug}-{number}"
    return result


def uploaded_file(request: requests.PreparedRequest) -> tuple[str, dict[str, str]] | None:
    """The name of the picture in a multipart request and the fields beside it; None for none."""
    assert isinstance(request.body, bytes)
    file = re.search(rb'filename="([^"]+)"\r\nContent-Type: image/', request.body)
    fields = re.findall(rb'name="(\w+)"\r\n\r\n(.*?)\r\n--', request.body, re.DOTALL)
    return file and (file[1].decode(), {key.decode(): value.decode() for key, value in fields})
