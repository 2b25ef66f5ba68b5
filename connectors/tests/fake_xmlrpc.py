"""A WordPress in memory that speaks XML-RPC over loopback, as far as was measured on real ones.

It stands in for the real one where answers have to be broken on purpose; the contract suite runs
on both and so holds this one to the truth.
"""

import html
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any
from xmlrpc.client import DateTime, Fault, dumps, loads

from .loopback import served

MAY_PUBLISH = {"administrator", "editor", "author"}
MAY_MAKE_TERMS = {"administrator", "editor"}
METHODS = [
    "wp.getPosts",
    "wp.getPost",
    "wp.newPost",
    "wp.editPost",
    "wp.deletePost",
    "wp.getProfile",
    "wp.getAuthors",
    "wp.getTerms",
    "wp.newTerm",
    "wp.uploadFile",
    "wp.getMediaLibrary",
]
# The whole answer in place of the right one: status, headers, body.
Raw = tuple[int, dict[str, str], bytes]


@dataclass
class FakeXmlRpc:
    """The site. ``seen`` lists the methods in order; ``broken`` may answer in place of it, after
    the work where it is a callable's."""

    role: str = "author"
    password: str = "abcd efgh ijkl"
    posts: dict[int, dict[str, Any]] = field(default_factory=dict)
    terms: dict[str, dict[int, str]] = field(
        default_factory=lambda: {"category": {1: "Uncategorized"}, "post_tag": {}}
    )
    media: dict[int, dict[str, Any]] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    broken: Callable[[str], Raw | None] = field(default=lambda _method: None)
    broken_after: Callable[[str], Raw | None] = field(default=lambda _method: None)
    url: str = ""
    clock: Iterator[int] = field(default_factory=lambda: count(1))
    lock: threading.RLock = field(default_factory=threading.RLock)

    def insert(self, **fields: Any) -> dict[str, Any]:
        """Store a post as WordPress does."""
        with self.lock:
            number = max(self.posts, default=0) + 1
            post = {"id": number, "status": "draft", "title": "", "slug": "", "content": ""}
            post |= {"excerpt": "", "terms": {}, "date": "", **fields}
            self.posts[number] = post
            self._touch(post)
            return post

    def trash(self, number: int) -> None:
        """What wp_trash_post does."""
        post = self.posts[number]
        post["status"], post["slug"] = "trash", f"{post['slug']}__trashed"
        self._touch(post)

    def _touch(self, post: dict[str, Any]) -> None:
        if post["status"] == "publish":
            taken = {p["slug"] for p in self.posts.values() if p is not post}
            names = (f"{post['slug']}{'' if n == 1 else f'-{n}'}" for n in count(1))
            post["slug"] = next(name for name in names if name not in taken)
        # A second passes at every change.
        post["modified"] = f"20261101T{next(self.clock):06d}"
        hours, rest = divmod(int(post["modified"][9:]), 3600)
        post["modified"] = f"20261101T{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer at ``url`` until the block ends."""
        with served(_handler(self)) as self.url:
            yield

    def answer(self, body: bytes) -> Raw:
        """The answer to a call."""
        arguments, method = loads(body)
        assert method is not None
        self.seen.append(method)
        if (raw := self.broken(method)) is not None:
            return raw
        try:
            with self.lock:
                value = self._value(method, list(arguments))
            text = dumps((value,), methodresponse=True, allow_none=True)
        except Fault as fault:
            text = dumps(fault, methodresponse=True)
        answer = (200, {"Content-Type": "text/xml"}, f'<?xml version="1.0"?>{text[21:]}'.encode())
        return self.broken_after(method) or answer

    def _value(self, method: str, arguments: list[Any]) -> Any:
        if method == "mt.supportedMethods":
            return METHODS
        _blog, login, password, *given = arguments
        if (login, password) != ("jo", self.password):
            raise Fault(403, "Incorrect username or password.")
        name = method.removeprefix("wp.")
        called: Any = getattr(self, f"_{name}")(*given)
        return called

    def _getProfile(self) -> Any:  # noqa: N802
        return {"user_id": "2", "display_name": "Jo", "roles": [self.role]}

    def _getAuthors(self) -> Any:  # noqa: N802
        return [
            {"user_id": "2", "user_login": "jo", "display_name": "Jo"},
            {"user_id": "3", "user_login": "ann", "display_name": "Ann"},
        ]

    def _getPosts(self, query: dict[str, Any], fields: list[str]) -> Any:  # noqa: N802
        found = [post for post in self.posts.values() if post["status"] in self._wanted(query)]
        if "s" in query:
            wanted = query["s"].casefold()
            found = [p for p in found if wanted in f"{p['title']} {p['content']}".casefold()]
        key = "modified" if query.get("orderby") == "modified" else "date"
        found.sort(key=lambda post: (post[key], post["id"]), reverse=True)
        return [self._struct(post, fields) for post in found[: query.get("number", 10)]]

    def _wanted(self, query: dict[str, Any]) -> list[str]:
        default = "draft,publish,future,pending,private"
        statuses: list[str] = query.get("post_status", default).split(",")
        return statuses

    def _getPost(self, number: str, fields: list[str]) -> Any:  # noqa: N802
        return self._struct(self._post(number), fields)

    def _post(self, number: str) -> dict[str, Any]:
        if int(number) not in self.posts:
            raise Fault(404, "Invalid post ID.")
        return self.posts[int(number)]

    def _struct(self, post: dict[str, Any], fields: list[str]) -> dict[str, Any]:
        public = post["status"] in {"publish", "future"}
        thumbnail = post.get("thumbnail")
        whole = {
            "post_title": post["title"],
            # XML-RPC calls what is scheduled published.
            "post_status": "publish" if post["status"] == "future" else post["status"],
            "post_content": post["content"],
            "post_excerpt": post["excerpt"],
            "post_author": str(post.get("author", 2)),
            "post_name": post["slug"],
            "link": f"{self.url}/{post['slug']}/" if public else f"{self.url}/?p={post['id']}",
            "post_date_gmt": DateTime(post["date"] or "00000000T00:00:00Z"),
            "post_modified_gmt": DateTime(post["modified"]),
            "terms": [
                {"taxonomy": taxonomy, "term_id": str(number)}
                for taxonomy, ids in post["terms"].items()
                for number in ids
            ],
            "post_thumbnail": {"attachment_id": str(thumbnail)} if thumbnail else [],
        }
        return {"post_id": str(post["id"])} | {name: whole[name] for name in fields}

    def _newPost(self, struct: dict[str, Any]) -> Any:  # noqa: N802
        post = self.insert()
        try:
            self._write(post, struct)
        except Fault:
            del self.posts[post["id"]]
            raise
        return str(post["id"])

    def _editPost(self, number: str, struct: dict[str, Any]) -> Any:  # noqa: N802
        post = self._post(number)
        if post["modified"] > str(struct.pop("if_not_modified_since", "9")):
            raise Fault(409, "There is a revision of this post that is more recent.")
        self._write(post, struct)
        return True

    def _write(self, post: dict[str, Any], struct: dict[str, Any]) -> None:
        status = struct.get("post_status", post["status"])
        if status == "publish" and self.role not in MAY_PUBLISH:
            raise Fault(401, "Sorry, you are not allowed to publish posts in this post type.")
        if int(struct.get("post_author") or 2) != 2 and self.role not in MAY_MAKE_TERMS:
            raise Fault(401, "Sorry, you are not allowed to create posts as this user.")
        for taxonomy, ids in (struct.get("terms") or {}).items():
            if not set(ids) <= self.terms[taxonomy].keys():
                raise Fault(403, "Invalid term ID.")
        for ours, theirs in (("title", "title"), ("content", "content"), ("excerpt", "excerpt")):
            post[ours] = struct.get(f"post_{theirs}", post[ours])
        post["author"] = struct.get("post_author", post.get("author", 2))
        post["slug"] = struct.get("post_name", post["slug"])
        post["terms"] = struct.get("terms", post["terms"])
        post["thumbnail"] = struct.get("post_thumbnail", post.get("thumbnail"))
        now = datetime.now(UTC).strftime("%Y%m%dT%H:%M:%S")
        if status == "publish":
            post["date"] = str(struct.get("post_date_gmt") or post["date"] or now)
            status = "future" if post["date"] > now else "publish"
        post["status"] = status
        self._touch(post)

    def _deletePost(self, number: str) -> Any:  # noqa: N802
        if self._post(number)["status"] == "trash":
            del self.posts[int(number)]
        else:
            self.trash(int(number))
        return True

    def _getTerms(self, taxonomy: str, query: dict[str, Any]) -> Any:  # noqa: N802
        # WordPress escapes what it is given, and compares it with names as HTML.
        wanted = re.sub(r"(['\"\\\\])", r"\\\1", query["search"]).casefold()
        return [
            {"term_id": str(number), "name": html.escape(name), "taxonomy": taxonomy}
            for number, name in self.terms[taxonomy].items()
            if wanted in html.escape(name, quote=False).casefold()
        ]

    def _newTerm(self, struct: dict[str, Any]) -> Any:  # noqa: N802
        if self.role not in MAY_MAKE_TERMS:
            raise Fault(401, "Sorry, you are not allowed to create terms in this taxonomy.")
        terms = self.terms[struct["taxonomy"]]
        if struct["name"].casefold() in (name.casefold() for name in terms.values()):
            raise Fault(500, "A term with the name provided already exists with this parent.")
        terms[len(terms) + 1] = struct["name"]
        return str(len(terms))

    def _uploadFile(self, file: dict[str, Any]) -> Any:  # noqa: N802
        if file["type"] == "image/svg+xml":
            raise Fault(500, "Could not write file (Sorry, this file type is not permitted).")
        number = len(self.media) + 1
        self.media[number] = {"name": file["name"], "bits": file["bits"].data}
        return {"id": str(number)}

    def _getMediaLibrary(self, query: dict[str, Any]) -> Any:  # noqa: N802
        return [
            {"attachment_id": str(number), "title": file["name"], "metadata": {"width": 40}}
            | {"date_created_gmt": DateTime("20261101T00:00:00")}
            for number, file in self.media.items()
        ]


def _handler(fake: FakeXmlRpc) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """The host blocks REST."""
            self.send_response_only(403)
            for key, value in {"Content-Type": "text/html", "Content-Length": "0"}.items():
                self.send_header(key, value)
            self.end_headers()

        def do_POST(self) -> None:
            assert self.path == "/xmlrpc.php"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, headers, answer = fake.answer(body)
            self.send_response_only(status)
            for key, value in {"Content-Length": str(len(answer)), **headers}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(answer)
            self.close_connection = "Content-Length" in headers

        def log_message(self, *args: object) -> None:
            """Stay silent."""

    return Handler
