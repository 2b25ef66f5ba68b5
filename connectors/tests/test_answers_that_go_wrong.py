"""WordPress and Ghost: answers that are cut, late, broken, none, or of something else."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.suite import put
from copydesk_connectors.target.base import Finding, Level, Target
from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.post import Post

from .fake_ghost import FakeGhost
from .fake_site import Broken, FakeSite, Killed
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import OnePass, Write, make_item


@dataclass(frozen=True)
class Blog:
    """A site in memory and the configuration that has it as its only target."""

    fake: FakeSite
    file: Path

    def target(self) -> Target:
        """The target, as a process that was just started has it."""
        return config.load(self.file).targets[0]


@pytest.fixture(params=["ghost", "wordpress"])
def blog(request: pytest.FixtureRequest, write_config: Callable[..., Path]) -> Blog:
    """Each site in turn, without posts."""
    table = request.getfixturevalue(f"{request.param}_target")
    return Blog(request.getfixturevalue(f"fake_{request.param}"), write_config(table()))


@pytest.mark.parametrize("status", [429, 503])
def test_a_site_that_asks_for_a_wait_gets_it(blog: Blog, waits: list[float], status: int) -> None:
    """Retry-After on 429/503"""
    post = Post.from_item(make_item())
    answers = iter([Broken(False, status, "", {"Retry-After": "7"})])
    blog.fake.fault = lambda method, path: (
        next(answers, None) if method == "POST" and path.startswith("posts") else None
    )
    put(blog.target(), post)
    assert waits == [7.0]
    assert len(blog.fake.public()) == 1

    blog.fake.fault = lambda *_: Broken(False, status, "", {"Retry-After": "3600"})
    with pytest.raises(Unavailable) as caught:
        blog.target().ready()
    assert caught.value.retry_after == 3600
    assert waits == [7.0]


@pytest.mark.parametrize(
    "said", ['{"code": "gone", "message": "", "data": {"status": 500}}', '"ok"', "[]", "{}"]
)
def test_json_that_is_no_answer_is_tried_again(blog: Blog, waits: list[float], said: str) -> None:
    """WordPress sends 200 with an error if something was printed before; caches send anything."""
    posts = (Post.from_item(make_item(f"itm_{n}", slug=f"post-{n}")) for n in count(1))
    for number in count(1):
        put(target := blog.target(), next(posts))
        waits.clear()
        blog.fake.seen.clear()
        blog.fake.break_request(number, Broken(True, 200, said))
        put(target, next(posts))
        blog.fake.fault = lambda *_: None
        assert len(blog.fake.posts) == len(blog.fake.public()) == 2 * number
        if number > len(blog.fake.seen):
            break
    assert number > 2


@pytest.mark.parametrize("carried_out", [False, True])
def test_the_process_may_die_at_any_request(
    blog: Blog, one_pass: OnePass, feed: FakeFeed, carried_out: bool
) -> None:
    """a SIGKILL between any two I/O calls: exactly one published post, the item confirmed"""
    for number in count(1):
        stored = feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
        blog.fake.seen.clear()
        blog.fake.break_request(number, Broken(carried_out, error=Killed))
        with suppress(Killed):
            one_pass(blog.file)
        blog.fake.fault = lambda *_: None
        one_pass(blog.file)
        assert (stored.state, stored.sends) == ("used", 1)
        assert len(blog.fake.posts) == len(blog.fake.public()) == number
        if number > len(blog.fake.seen):
            break
    assert number > 4


PAGE = "<!doctype html><h1>Blocked</h1>"


def says(status: int, code: str) -> Broken:
    body = {"code": code, "message": "No.", "data": {"status": status}}
    return Broken(False, status, json.dumps(body))


def check(file: Path) -> Finding:
    (found,) = config.load(file).targets[0].check()
    return found


@pytest.mark.parametrize(
    ("answer", "said", "fix"),
    [
        (Broken(False, 403, PAGE), "web page", 'protocol = "xmlrpc"'),
        (Broken(False, 404, PAGE), "web page", 'protocol = "xmlrpc"'),
        (Broken(False, 406, PAGE), "web page", 'protocol = "xmlrpc"'),
        (says(403, "rest_cannot_access"), "rest_cannot_access", "a security plugin blocks"),
        (says(401, "rest_cannot_access"), "rest_cannot_access", "a security plugin blocks"),
        (says(401, "incorrect_password"), "incorrect_password", "make an application password"),
        (
            Broken(False, 403, PAGE, {"cf-mitigated": "challenge", "Server": "cloudflare"}),
            "Cloudflare answered 403 instead of",
            "let this machine through",
        ),
        (
            Broken(False, 503, PAGE, {"Server": "cloudflare"}),
            "Cloudflare answered 503 instead of",
            "let this machine through",
        ),
    ],
)
@pytest.mark.parametrize("path", ["users/me", "posts"])
def test_what_blocks_a_wordpress_is_named_with_its_remedy(
    waits: list[float],
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    write_config: Write,
    answer: Broken,
    said: str,
    fix: str,
    path: str,
) -> None:
    """A site's 401/403 from a security plugin or CDN gets its own hint, XML-RPC named"""
    fake_wordpress.fault = lambda method, asked: answer if asked.startswith(path) else None
    found = check(write_config(wordpress_target()))
    assert found.level is Level.PROBLEM
    assert said in found.message
    assert fix in f"{found.message} {found.fix}"


@pytest.mark.parametrize("status", [401, 403, 406])
def test_what_blocks_a_ghost_is_not_taken_for_its_word(
    fake_ghost: FakeGhost, ghost_target: Callable[..., str], write_config: Write, status: int
) -> None:
    """only if the site's own software said it"""
    fake_ghost.fault = lambda *_: Broken(False, status, PAGE)
    found = check(write_config(ghost_target()))
    assert "a web page instead of an answer" in found.message
    assert "/ghost/api/admin/" in found.fix
