"""A WordPress in memory behind ``responses``, as far as was measured on real ones.

It stands in for the real one where answers have to be broken on purpose; the contract suite runs
on both and so holds this one to the truth.
"""

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import requests
from requests.auth import _basic_auth_str

from .fake_site import URL, Answer, FakeSite, unique_slug, uploaded_file

_WRITES = {"edit_posts", "delete_posts"}
_PUBLISHES = {*_WRITES, "publish_posts", "upload_files"}
ROLES = {
    "editor": {*_PUBLISHES, "manage_categories", "edit_others_posts"},
    "author": _PUBLISHES,
    "contributor": _WRITES,
    "subscriber": set[str](),
}
PEOPLE = {2: "jo", 3: "ann-lee"}


@dataclass
class FakeWordPress(FakeSite):
    """The site.

    ``meta_keys`` is the post meta that it takes by REST, ``forbidden_meta`` whether it refuses
    that from our user, ``namespaces`` the APIs of its plugins.
    """

    role: str = "author"
    password: str = "abcd efgh ijkl"
    meta_keys: set[str] = field(default_factory=set)
    forbidden_meta: bool = False
    namespaces: list[str] = field(default_factory=lambda: ["wp/v2"])
    media: list[dict[str, str]] = field(default_factory=list)
    terms: dict[str, dict[int, str]] = field(
        default_factory=lambda: {"categories": {1: "Uncategorized"}, "tags": {}}
    )

    def public(self) -> list[dict[str, Any]]:
        """What readers see, by id."""
        return [post for post in self.posts.values() if post["status"] == "publish"]

    def insert(self, **fields: Any) -> dict[str, Any]:
        """Store a post the way wp_insert_post does, by REST's rule for slugs of drafts too."""
        post = {"status": "draft", "title": "", "content": "", "excerpt": "", "slug": ""} | fields
        post["id"] = next(self.ids)
        post["slug"] = self._unique(post["slug"], post["id"])
        post["meta"] = {k: v for k, v in post.get("meta", {}).items() if k in self.meta_keys}
        self.posts[post["id"]] = post
        return post

    def trash(self, post_id: int) -> None:
        """What the owner does with one click."""
        self.posts[post_id]["status"] = "trash"
        self.posts[post_id]["slug"] += "__trashed"

    def _unique(self, slug: str, post_id: int) -> str:
        taken = {post["slug"] for post in self.posts.values() if post["id"] != post_id}
        return unique_slug(slug, taken)

    def route(self, path: str, query: Mapping[str, str]) -> str:
        route = query.get("rest_route") or path.removeprefix("/wp-json")
        return route.removeprefix("/wp/v2/")

    def answer(
        self, method: str, path: str, query: dict[str, str], request: requests.PreparedRequest
    ) -> Answer:
        if request.headers.get("Authorization") != _basic_auth_str("jo", self.password):
            return 401, _error("rest_not_logged_in", "You are not currently logged in.", 401)
        if (method, path) == ("POST", "media"):
            return self._upload(request)
        body = json.loads(request.body) if request.body else {}
        kind, _, post_id = path.partition("/")
        match kind:
            case "":
                return 200, {"name": "Jo &amp; Ann", "namespaces": self.namespaces}
            case "users":
                return self._users(post_id, query)
            case "media":
                found = [n for n, one in enumerate(self.media, 1) if one["slug"] == query["slug"]]
                return 200, [{"id": number, "media_details": {"width": 40}} for number in found]
            case "posts" if method == "OPTIONS":
                meta = {"properties": {key: {} for key in self.meta_keys}}
                return 200, {"schema": {"properties": {"meta": meta}}}
            case "posts" if not post_id:
                return self._list(query) if method == "GET" else self._create(body)
            case "posts":
                return self._one(method, int(post_id), query, body)
            case "categories" | "tags":
                return self._term(method, kind, query, body)
        return 404, _error("rest_no_route", "No route was found.", 404)

    def _users(self, path: str, query: dict[str, str]) -> Answer:
        if path == "me":
            caps = dict.fromkeys(ROLES[self.role], True)
            return 200, {"id": 2, "name": "Jo", "roles": [self.role], "capabilities": caps}
        if query.get("context") == "edit":
            return 403, _error("rest_forbidden_context", "Sorry, you are not allowed.", 403)
        assert query["who"] == "authors", "others are those with published posts alone"
        wanted = query.get("search", query.get("include", ""))
        people = {key: slug for key, slug in PEOPLE.items() if wanted in (str(key), slug)}
        return 200, [{"id": key, "slug": slug} for key, slug in people.items()]

    def _upload(self, request: requests.PreparedRequest) -> Answer:
        file = uploaded_file(request)
        if file is None:
            return 400, _error("rest_upload_no_data", "No data supplied.", 400)
        self.media.append({"name": file[0], **file[1]})
        return 201, {"id": len(self.media)}

    def _list(self, query: dict[str, str]) -> Answer:
        found = list(self.posts.values())
        if query.get("status") != "any,trash":
            found = [post for post in found if post["status"] == "publish"]
        if "slug" in query:
            found = [post for post in found if post["slug"] in query["slug"].split(",")]
        if "search" in query:
            wanted = query["search"].casefold()
            found = [p for p in found if wanted in f"{p['title']} {p['content']}".casefold()]
        return 200, [self._shown(post, query["_fields"]) for post in found]

    def _create(self, body: dict[str, Any]) -> Answer:
        if "edit_posts" not in ROLES[self.role]:
            return 403, _error("rest_cannot_create", "Sorry, you are not allowed.", 403)
        fields = body.pop("_fields")
        post = self.insert(**body)
        if self.forbidden_meta and post["meta"]:
            post["meta"] = {}  # the post is stored by then
            return 403, _error("rest_cannot_update", "Sorry, you are not allowed to edit it.", 403)
        return 201, self._shown(post, fields)

    def _one(
        self, method: str, post_id: int, query: dict[str, str], body: dict[str, Any]
    ) -> Answer:
        if post_id not in self.posts:
            return 404, _error("rest_post_invalid_id", "Invalid post ID.", 404)
        post = self.posts[post_id]
        if method == "DELETE":
            if query.get("force") == "true":
                del self.posts[post_id]
            elif post["status"] == "trash":
                return 410, _error("rest_already_trashed", "It has already been deleted.", 410)
            else:
                self.trash(post_id)
        elif method == "POST":
            if (
                body.get("status") in {"publish", "future"}
                and "publish_posts" not in ROLES[self.role]
            ):
                return 403, _error("rest_cannot_publish", "Sorry, you are not allowed.", 403)
            query = {"_fields": body.pop("_fields")}
            post.update(body)
            post["slug"] = self._unique(post["slug"].removesuffix("__trashed"), post_id)
        return 200, self._shown(post, query.get("_fields", "id"))

    def _term(self, method: str, kind: str, query: dict[str, str], body: dict[str, Any]) -> Answer:
        terms = self.terms[kind]
        if method == "GET":
            wanted = query["search"].casefold()
            stored = {key: html.escape(name, quote=False) for key, name in terms.items()}
            found = [key for key, name in stored.items() if wanted in name.casefold()]
            return 200, [{"id": key, "name": stored[key]} for key in found]
        if kind == "categories" and "manage_categories" not in ROLES[self.role]:
            return 403, _error("rest_cannot_create", "Sorry, you are not allowed.", 403)
        for key, name in terms.items():
            if name.casefold() == body["name"].casefold():
                return 400, _error("term_exists", "A term exists.", 400, term_id=key)
        terms[len(terms) + 1] = body["name"]
        return 201, {"id": len(terms), "name": body["name"]}

    def _shown(self, post: dict[str, Any], fields: str) -> dict[str, Any]:
        public = post["status"] == "publish"
        whole = {
            "id": post["id"],
            "status": post["status"],
            "slug": post["slug"],
            "date_gmt": post.get("date_gmt", "2026-05-02T10:00:00"),
            "link": f"{URL}/{post['slug']}/" if public else f"{URL}/?p={post['id']}",
            "title": {"raw": post["title"], "rendered": post["title"]},
            "content": {"raw": post["content"]},
            "excerpt": {"raw": post["excerpt"]},
            "author": post.get("author", 2),
            "categories": post.get("categories", []),
            "tags": post.get("tags", []),
            "featured_media": post.get("featured_media", 0),
            "meta": post["meta"] or [],
        }
        asked = {field.partition(".")[0] for field in fields.split(",")}
        return {key: value for key, value in whole.items() if key in asked}


def _error(code: str, message: str, status: int, **data: Any) -> dict[str, Any]:
    return {"code": code, "message": message, "data": {"status": status, **data}}
