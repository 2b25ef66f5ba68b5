"""WordPress and Ghost: answers that are cut, late, broken or none, at every request of a post."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.suite import put
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.post import Post

from .fake_site import Broken, FakeSite, Killed
from .feed_server import FakeFeed
from .items import OnePass, make_item


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
