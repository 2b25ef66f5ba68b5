"""A Ghost in memory behind ``responses``, as far as was measured on a real one.

It stands in for the real one where answers have to be broken on purpose; the contract suite runs
on both and so holds this one to the truth.
"""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from itertools import count
from typing import Any

import requests

from .fake_site import URL, Answer, FakeSite, unique_slug, uploaded_file

KEY_ID = "0123456789abcdef01234567"
KEY = f"{KEY_ID}:{'5ec2e7' * 10}beef"
_API = "/ghost/api/admin/"


@dataclass
class FakeGhost(FakeSite):
    """The site. ``clock_s`` is by how many seconds its clock is ahead of this machine's."""

    key: str = KEY
    clock_s: float = 0.0
    version: str = "6.65"
    own_url: str = f"{URL}/"
    settings: dict[str, Any] = field(default_factory=lambda: {"outbound_link_tagging": False})
    people: dict[str, str] = field(default_factory=lambda: {"jo": "jo@blog.example"})
    files: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    """When each tag was made, by its name. A tag outlives its posts."""
    seconds: Iterator[int] = field(default_factory=lambda: count(1))

    def public(self) -> list[dict[str, Any]]:
        """What readers see, by age."""
        return [post for post in self.posts.values() if post["status"] == "published"]

    def insert(self, **fields: Any) -> dict[str, Any]:
        """Store a post the way Ghost does."""
        now = self._now()
        post = {
            "id": f"{next(self.ids):024x}",
            "status": "draft",
            "title": "",
            "slug": "",
            "tags": [],
            "created_at": now,
            "published_at": None,
            "authors": [{"slug": "jo"}],
            **fields,
            "updated_at": now,
        }
        # Whom Ghost does not know it replaces by the blog's owner.
        if not all(self._person(author) for author in post["authors"]):
            post["authors"] = [{"slug": "jo"}]
        if post["status"] == "published":
            post["published_at"] = now
        post["slug"] = unique_slug(post["slug"], {p["slug"] for p in self.posts.values()})
        if "html" not in post and "lexical" in post:
            post["html"] = json.loads(post["lexical"])["root"]["children"][0]["html"]
        for tag in post["tags"]:
            self.tags.setdefault(tag["name"], now)
        self.posts[post["id"]] = post
        return post

    def change(self, post_id: str, **fields: Any) -> None:
        """Change a post, as its owner does in the editor, and as a PUT does."""
        post = self.posts[post_id]
        post.update(fields)
        post["updated_at"] = self._now()
        if post["status"] == "published" and post["published_at"] is None:
            post["published_at"] = post["updated_at"]

    def _now(self) -> str:
        minutes, seconds = divmod(next(self.seconds), 60)
        return f"2026-05-02T10:{minutes:02}:{seconds:02}.000Z"

    def _person(self, author: dict[str, str]) -> bool:
        return author.get("slug") in self.people or author.get("email") in self.people.values()

    def route(self, path: str, query: Mapping[str, str]) -> str:
        return path.removeprefix(_API)

    def headers(self) -> dict[str, str]:
        return {"Date": formatdate(time.time() + self.clock_s, usegmt=True)}

    def answer(
        self, method: str, path: str, query: dict[str, str], request: requests.PreparedRequest
    ) -> Answer:
        kind, _, name = path.rstrip("/").partition("/")
        if kind == "site":
            site = {"title": "Jo's blog", "url": self.own_url, "version": self.version}
            return 200, {"site": {**site, "locale": "en"}}
        problem = self._token_problem(str(request.headers.get("Authorization")))
        if problem:
            return 401, _error(problem)
        if kind == "settings":
            return 200, {"settings": [{"key": k, "value": v} for k, v in self.settings.items()]}
        if kind == "users":
            by, _, who = name.partition("/")
            known = self._person({by: who})
            return (200, {"users": [{"id": "1"}]}) if known else (404, _error("User not found."))
        if path == "images/upload/":
            return self._upload(request)
        if kind != "posts":
            return 404, _error("Unknown Admin API resource.")
        if method == "GET" and name:
            post = self.posts.get(name)
            return (200, {"posts": [_shown(post)]}) if post else (404, _error("Post not found."))
        if method == "GET":
            return 200, {"posts": [_shown(post) for post in self._found(query)]}
        body = json.loads(request.body)["posts"][0] if request.body else {}
        return self._create(body, query) if method == "POST" else self._one(method, name, body)

    def _token_problem(self, header: str) -> str:
        """Ghost's own check: the key, the signature, the audience, the five minutes."""
        head, claims, signature = header.removeprefix("Ghost ").split(".")
        key_id, secret = self.key.split(":")
        if json.loads(_unbase64(head)) != {"alg": "HS256", "kid": key_id, "typ": "JWT"}:
            return "Unknown Admin API Key"
        signed = hmac.new(bytes.fromhex(secret), f"{head}.{claims}".encode(), hashlib.sha256)
        said = json.loads(_unbase64(claims))
        now_s = time.time() + self.clock_s
        if _unbase64(signature) != signed.digest() or said["aud"] != "/admin/":
            return "Invalid token: invalid signature"
        return "" if said["iat"] > now_s - 300 and said["exp"] > now_s else "Invalid token: expired"

    def _found(self, query: dict[str, str]) -> list[dict[str, Any]]:
        what = query.get("filter", "")
        if not what:
            return list(self.posts.values())[: int(query["limit"])]
        if what.startswith("status:published+"):
            words = re.findall(r"title:~'([^']*)'", what)
            return [p for p in self.public() if any(w in p["title"].casefold() for w in words)]
        if slug := re.fullmatch(r"slug:'([^']+)'", what):
            return [post for post in self.posts.values() if post["slug"] == slug[1]]
        match = re.fullmatch(r"tag:\[([^\]]+)\](?:,id:'(\w+)')?", what)
        assert match is not None, what
        slugs = set(match[1].split(","))
        return [
            post
            for post in self.posts.values()
            if post["id"] == match[2]
            or slugs & {tag["name"].replace("#", "hash-") for tag in post["tags"]}
        ]

    def _create(self, body: dict[str, Any], query: dict[str, str]) -> Answer:
        if not 0 < len(body["title"]) <= 255:
            return 422, _error("Value in [posts.title] exceeds maximum length of 255 characters.")
        assert ("html" in body) == (query.get("source") == "html")
        made = _shown(self.insert(**body))
        tags = [{**tag, "created_at": self.tags[tag["name"]]} for tag in made["tags"]]
        return 201, {"posts": [{**made, "tags": tags}]}

    def _one(self, method: str, post_id: str, body: dict[str, Any]) -> Answer:
        post = self.posts.get(post_id)
        if post is None:
            return 404, _error("Post not found.")
        if method == "DELETE":
            del self.posts[post_id]
            return 204, None
        if body.get("status", "") != post["status"]:
            if body.pop("updated_at") != post["updated_at"]:
                return 409, _error("Saving failed! Someone else is editing this post.")
            self.change(post_id, **body)
        return 200, {"posts": [_shown(post)]}

    def _upload(self, request: requests.PreparedRequest) -> Answer:
        file = uploaded_file(request)
        if file is None:
            return 415, _error("Please select a valid image.")
        self.files.append(file[0])
        return 201, {"images": [{"url": f"{URL}/content/images/{self.files[-1]}", "ref": None}]}


def _shown(post: dict[str, Any]) -> dict[str, Any]:
    public = post["status"] == "published"
    return {**post, "url": f"{URL}/{post['slug']}/" if public else f"{URL}/p/{post['id']}/"}


def _error(message: str) -> dict[str, Any]:
    return {"errors": [{"message": message, "context": None}]}


def _unbase64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
