"""A Micropub server in memory that follows the W3C's recommendation to the letter.

What the recommendation forbids a client, such as a property that is not an array, is answered with
its error and noted in ``violations``.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class MicropubServer:
    """Posts by their address. ``drafts`` and ``sources`` are what a smaller server lacks."""

    def __init__(self) -> None:
        self.token = "t0ken-1"
        self.url = ""
        self.posts: dict[str, dict[str, Any]] = {}
        self.violations: list[str] = []
        self.requests: list[str] = []
        """The status with which something else answers every POST."""
        self.drafts = self.sources = self.uids = True
        self.lock = threading.Lock()

    def create(self, properties: dict[str, Any]) -> str:
        """A new post; its address."""
        with self.lock:
            slug = properties.get("mp-slug", ["post"])[0]
            number = 1
            while (url := f"{self.url}/{slug}{'' if number == 1 else f'-{number}'}") in self.posts:
                number += 1
            kept = {k: v for k, v in properties.items() if not k.startswith("mp-")}
            if not self.drafts:
                kept.pop("post-status", None)
            if not self.uids:
                kept["uid"] = [url]
            self.posts[url] = kept
            return url

    def public(self) -> dict[str, dict[str, Any]]:
        """What readers see."""
        return {u: p for u, p in self.posts.items() if p.get("post-status") != ["draft"]}


@contextmanager
def micropub_server() -> Iterator[MicropubServer]:
    """A server on a free port of this machine."""
    site = MicropubServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            address = f"{site.url}{parts.path}"
            if parts.path == "/micropub":
                self._query({key: values[0] for key, values in parse_qs(parts.query).items()})
            elif parts.path == "/":
                self._answer(200, b'<a href="/x">x</a><link rel="me micropub" href="micropub">')
            else:
                self._answer(200 if address in site.public() else 404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not self._allowed():
                return
            data = json.loads(body)
            site.requests.append(data.get("action", "create"))
            if "action" in data:
                self._change(data)
                return
            problem = _problem(data)
            if problem:
                site.violations.append(problem)
                self._error(400, "invalid_request")
                return
            self._answer(201, location=site.create(data["properties"]))

        def _query(self, asked: dict[str, str]) -> None:
            if not self._allowed():
                return
            if asked.get("q") == "config":
                self._answer(200, b"{}")
            elif asked.get("q") == "source" and site.sources and asked.get("url") in site.posts:
                found = {"type": ["h-entry"], "properties": site.posts[asked["url"]]}
                self._answer(200, json.dumps(found).encode())
            else:
                self._error(400, "invalid_request")

        def _change(self, data: dict[str, Any]) -> None:
            replace = data.get("replace", {})
            if data["action"] == "update" and (
                not isinstance(replace, dict)
                or not all(isinstance(v, list) for v in replace.values())
            ):
                site.violations.append("replace: each value must be an array (section 3.4)")
            with site.lock:
                post = site.posts.get(data.get("url", ""))
                if post is None:
                    self._error(400, "invalid_request")
                    return
                if data["action"] == "delete":
                    del site.posts[data["url"]]
                elif site.drafts:
                    post.update(replace)
            self._answer(204)

        def _allowed(self) -> bool:
            given = self.headers.get("Authorization")
            if given == f"Bearer {site.token}":
                return True
            self._error(
                401 if given is None else 403, "unauthorized" if given is None else "forbidden"
            )
            return False

        def _error(self, status: int, name: str) -> None:
            self._answer(status, json.dumps({"error": name}).encode())

        def _answer(self, status: int, body: bytes = b"", *, location: str = "") -> None:
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _problem(data: dict[str, Any]) -> str:
    """Which rule of section 3.3.2 a JSON create breaks."""
    properties = data.get("properties")
    if data.get("type") != ["h-entry"] or not isinstance(properties, dict):
        return "type must be an array with one h- type, properties an object"
    if set(data) != {"type", "properties"}:
        return "a create holds a type and properties"
    for name, values in properties.items():
        if not isinstance(values, list) or not values:
            return f"{name} must be an array that is not empty"
    content = properties.get("content", [""])[0]
    if not isinstance(content, str) and set(content) != {"html"}:
        return "content is a text or an object with html"
    return ""
