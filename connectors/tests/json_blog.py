"""A blog in memory with a JSON API on loopback: the one of the README's example of a target."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = tuple[int, dict[str, Any]]


class JsonBlog:
    """Posts by their number. It asks each request for a token."""

    def __init__(self) -> None:
        self.token = "t0ken-1"
        self.url = ""
        self.posts: dict[str, dict[str, Any]] = {}
        self.lock = threading.RLock()
        self._numbers = count(1)

    def insert(self, **fields: Any) -> dict[str, Any]:
        """Store a new post; a slug that others have gets a number."""
        with self.lock:
            taken = {post["slug"] for post in self.posts.values()}
            slugs = (f"{fields['slug']}-{n}" if n > 1 else fields["slug"] for n in count(1))
            slug = next(slug for slug in slugs if slug not in taken)
            number = next(self._numbers)
            post = {"key": "", "state": "draft", "edited": False, **fields, "id": number}
            self.posts[str(number)] = post | {"slug": slug, "url": ""}
            return self._with_url(str(number))

    def edit(self, number: str, **fields: Any) -> None:
        """Change a post as its owner."""
        self.posts[number] |= fields | {"edited": True}

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        """The answer to a request with the right token."""
        _, kind, number, action = [*path.split("/"), "", "", ""][:4]
        with self.lock:
            if path == "/me":
                return 200, {"name": "Jo"}
            if path == "/posts" and method == "GET":
                asked = (query.get("key"), query.get("or_id"))
                found = [
                    post
                    for name, post in self.posts.items()
                    if post["key"] == asked[0] or name == asked[1]
                ]
                return 200, {"posts": found}
            if path == "/posts":
                return 201, self.insert(**body)
            if kind != "posts" or number not in self.posts:
                return 404, {"error": "There is no such post."}
            if method == "DELETE":
                return 200, self.posts.pop(number)
            if action != "publish" or self.posts[number]["state"] != "draft":
                return 409, {"error": "It is not a draft."}
            self.posts[number]["state"] = "live"
            return 200, self._with_url(number)

    def _with_url(self, number: str) -> dict[str, Any]:
        post = self.posts[number]
        post["url"] = f"{self.url}/{post['slug']}" if post["state"] == "live" else ""
        return post


@contextmanager
def json_blog() -> Iterator[JsonBlog]:
    """A blog on a free port of this machine, without posts."""
    blog = JsonBlog()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            if self.headers.get("Authorization") != f"Bearer {blog.token}":
                status, said = 401, {"error": "The token is unknown."}
            else:
                status, said = blog.answer(
                    self.command, parts.path, query, json.loads(body or b"null")
                )
            text = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_DELETE = handle_any  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    blog.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield blog
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
