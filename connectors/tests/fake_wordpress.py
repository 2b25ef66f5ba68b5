"""A WordPress in memory behind ``responses``, as far as was measured on real ones.

It stands in for the real one where answers have to be broken on purpose; the contract suite runs
on both and so holds this one to the truth.
"""

import html
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
import responses
from requests.auth import _basic_auth_str

URL = "https://blog.example"
ROLES = {
    "editor": {"edit_posts", "publish_posts", "delete_posts", "manage_categories"},
    "author": {"edit_posts", "publish_posts", "delete_posts"},
    "contributor": {"edit_posts", "delete_posts"},
    "subscriber": set[str](),
}
Answer = tuple[int, Any]
# Sees a request; gives what to do in place of the answer, or None to let it be.
Fault = Callable[[str, str], "Broken | None"]


@dataclass(frozen=True)
class Broken:
    """An answer that goes wrong. ``carried_out`` tells whether WordPress did the work first."""

    carried_out: bool
    status: int = 0  # 0 raises the error, as if the connection were cut
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    error: type[BaseException] = requests.ConnectionError


@dataclass
class FakeWordPress:
    """The site. ``seen`` lists (method, path) in order; ``fault`` may break any of them."""

    url: str = URL
    role: str = "author"
    password: str = "abcd efgh ijkl"
    permalinks: bool = True
    posts: dict[int, dict[str, Any]] = field(default_factory=dict)
    terms: dict[str, dict[int, str]] = field(
        default_factory=lambda: {"categories": {1: "Uncategorized"}, "tags": {}}
    )
    seen: list[tuple[str, str]] = field(default_factory=list)
    fault: Fault = field(default=lambda _method, _path: None)
    ids: Iterator[int] = field(default_factory=lambda: count(1))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def public(self) -> list[dict[str, Any]]:
        """What readers see, by id."""
        return [post for post in self.posts.values() if post["status"] == "publish"]

    def writes(self) -> list[str]:
        """The requests that change something."""
        return [f"{method} {path}" for method, path in self.seen if method != "GET"]

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer requests to URL until the block ends; only loopback is reached besides."""
        with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
            mock.add_passthru("http://127.0.0.1")
            for method in (responses.GET, responses.POST, responses.DELETE):
                mock.add_callback(method, re.compile(re.escape(URL) + "/.*"), self._serve)
            yield

    def break_request(self, number: int, broken: Broken) -> None:
        """Break the nth request from now, counted from 1."""
        answers = iter([None] * (number - 1) + [broken])
        self.fault = lambda _method, _path: next(answers, None)

    def insert(self, **fields: Any) -> dict[str, Any]:
        """Store a post the way wp_insert_post does, by REST's rule for slugs of drafts too."""
        post = {"status": "draft", "title": "", "content": "", "excerpt": "", "slug": ""} | fields
        post["id"] = next(self.ids)
        post["slug"] = self._unique(post["slug"], post["id"])
        self.posts[post["id"]] = post
        return post

    def trash(self, post_id: int) -> None:
        """What the owner does with one click."""
        self.posts[post_id]["status"] = "trash"
        self.posts[post_id]["slug"] += "__trashed"

    def _unique(self, slug: str, post_id: int) -> str:
        taken = {post["slug"] for post in self.posts.values() if post["id"] != post_id}
        number, result = 1, slug
        while slug and result in taken:
            number += 1
            result = f"{slug}-{number}"
        return result

    def _serve(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        assert request.url is not None
        parts = urlsplit(request.url)
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        route = query.get("rest_route") or parts.path.removeprefix("/wp-json")
        if parts.path.startswith("/wp-json") and not self.permalinks:
            return 404, {"Content-Type": "text/html"}, "<h1>Not found</h1>"
        method, path = str(request.method), route.removeprefix("/wp/v2/")
        body = json.loads(request.body) if request.body else {}
        with self.lock:
            self.seen.append((method, path))
            broken = self.fault(method, path)
            if broken is None or broken.carried_out:
                status, answer = self._answer(method, path, query, body, request)
        if broken is None:
            return status, {"Content-Type": "application/json"}, json.dumps(answer)
        if broken.status == 0:
            raise broken.error(f"cut while calling {request.url}")
        return broken.status, broken.headers, broken.body

    def _answer(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: dict[str, Any],
        request: requests.PreparedRequest,
    ) -> Answer:
        if request.headers.get("Authorization") != _basic_auth_str("jo", self.password):
            return 401, _error("rest_not_logged_in", "You are not currently logged in.", 401)
        kind, _, post_id = path.partition("/")
        if path == "users/me":
            caps = dict.fromkeys(ROLES[self.role], True)
            return 200, {"id": 2, "name": "Jo", "roles": [self.role], "capabilities": caps}
        if kind in self.terms:
            return self._term(method, kind, query, body)
        if kind == "posts" and not post_id:
            return self._list(query) if method == "GET" else self._create(body)
        if kind == "posts":
            return self._one(method, int(post_id), query, body)
        return 404, _error("rest_no_route", "No route was found.", 404)

    def _list(self, query: dict[str, str]) -> Answer:
        found = list(self.posts.values())
        if query.get("status") != "any,trash":
            found = [post for post in found if post["status"] == "publish"]
        if "slug" in query:
            found = [post for post in found if post["slug"] in query["slug"].split(",")]
        if "search" in query:
            wanted = query["search"].casefold()
            found = [p for p in found if wanted in f"{p['title']} {p['content']}".casefold()]
        return 200, [_shown(post) for post in found]

    def _create(self, body: dict[str, Any]) -> Answer:
        if "edit_posts" not in ROLES[self.role]:
            return 403, _error("rest_cannot_create", "Sorry, you are not allowed.", 403)
        body = {key: value for key, value in body.items() if key != "_fields"}
        return 201, _shown(self.insert(**body))

    def _one(
        self, method: str, post_id: int, query: dict[str, str], body: dict[str, Any]
    ) -> Answer:
        if post_id not in self.posts:
            return 404, _error("rest_post_invalid_id", "Invalid post ID.", 404)
        post = self.posts[post_id]
        if method == "DELETE":
            assert query.get("force") == "true", "anything else would leave it in the trash"
            del self.posts[post_id]
        elif method == "POST":
            if body.get("status") == "publish" and "publish_posts" not in ROLES[self.role]:
                return 403, _error("rest_cannot_publish", "Sorry, you are not allowed.", 403)
            post.update({key: value for key, value in body.items() if key != "_fields"})
            post["slug"] = self._unique(post["slug"].removesuffix("__trashed"), post_id)
        return 200, _shown(post)

    def _term(self, method: str, kind: str, query: dict[str, str], body: dict[str, Any]) -> Answer:
        terms = self.terms[kind]
        if method == "GET":
            wanted = query["search"].casefold()
            found = {key: name for key, name in terms.items() if wanted in name.casefold()}
            return 200, [{"id": key, "name": html.escape(name)} for key, name in found.items()]
        if kind == "categories" and "manage_categories" not in ROLES[self.role]:
            return 403, _error("rest_cannot_create", "Sorry, you are not allowed.", 403)
        for key, name in terms.items():
            if name.casefold() == body["name"].casefold():
                return 400, _error("term_exists", "A term exists.", 400, term_id=key)
        terms[len(terms) + 1] = body["name"]
        return 201, {"id": len(terms), "name": body["name"]}


def _shown(post: dict[str, Any]) -> dict[str, Any]:
    public = f"{URL}/{post['slug']}/" if post["status"] == "publish" else f"{URL}/?p={post['id']}"
    return {
        "id": post["id"],
        "status": post["status"],
        "slug": post["slug"],
        "link": public,
        "title": {"raw": post["title"], "rendered": post["title"]},
        "content": {"raw": post["content"]},
    }


def _error(code: str, message: str, status: int, **data: Any) -> dict[str, Any]:
    return {"code": code, "message": message, "data": {"status": status, **data}}
