"""The contract's tests of what is called again and at once; see ``contract``."""
# ruff: noqa: S101

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from copydesk_connectors.contract_site import Site, put_until_done
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Concurrent, CopyState, Keyed


def test_two_instances_at_once_make_one_post(site: Site, post: Post) -> None:
    """two instances with two ledgers still do not double a post"""
    for number in range(5):
        one = replace(post, id=f"itm_{number}", slug=f"post-{number}")
        start = threading.Barrier(2)
        names: list[str] = []

        def put(one: Post = one, start: threading.Barrier = start, into: list[str] = names) -> None:
            publisher = site.publisher()
            start.wait()
            into.append(put_until_done(publisher, one).remote_id)

        threads = [threading.Thread(target=put) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(names) == 2, "both instances finish"
        assert len(set(names)) == 1
        assert len(site.readers_see()) == number + 1


def test_put_again_gives_the_same_post(site: Site, post: Post) -> None:
    """Keyed: Find or make the post and show it … May be called again after a crash at any point
    and by two processes at once."""
    first_publisher = site.publisher()
    if not isinstance(first_publisher, Keyed):
        pytest.skip("the target does not keep ids unique by itself")
    first = first_publisher.put(post)
    if first is None:
        pytest.skip("the site cannot do so today")
    assert first.state is CopyState.PUBLIC
    before = site.everything()
    for publisher in (first_publisher, site.publisher()):
        assert isinstance(publisher, Keyed)
        assert publisher.put(post) == replace(first, notes=())
    assert site.everything() == before
    assert list(site.readers_see()) == [first.remote_id]
    other = replace(post, id=f"{post.id}2", title="Another post")
    another = first_publisher.put(other)
    assert another is not None
    assert site.readers_see() == {first.remote_id: post.title, another.remote_id: other.title}


def test_as_many_posts_at_once_as_it_says(site: Site, post: Post) -> None:
    """Concurrent: called from up to ``at_once`` threads, each for another post"""
    publisher = site.publisher()
    if not isinstance(publisher, Concurrent) or publisher.at_once == 1:
        pytest.skip("the target takes one post at a time")
    assert publisher.at_once > 1
    # Twice: also a second pass of the same process, and posts of one slug.
    for number in range(2):
        posts = [
            replace(post, id=f"itm_{number}_{n}", title=f"Post {number} {n}")
            for n in range(publisher.at_once)
        ]
        drafting = threading.Lock()  # "draft is called by one thread at a time even so"
        names: dict[str, str] = {}

        def carry(one: Post, lock: threading.Lock = drafting, into: dict[str, str] = names) -> None:
            into[put_until_done(publisher, one, lock).remote_id] = one.title

        before = site.readers_see()
        _at_once([lambda one=one, carry=carry: carry(one) for one in posts])  # type: ignore[misc]
        assert sorted(names.values()) == [one.title for one in posts], "each is another post"
        assert site.readers_see() == before | names
    assert site.copies() == 2 * publisher.at_once, "no draft is left behind"


def _at_once(tasks: Sequence[Callable[[], None]]) -> None:
    """Run all of them, begun at the same moment, to their ends."""
    start = threading.Barrier(len(tasks))
    errors: list[BaseException] = []

    def run(task: Callable[[], None]) -> None:
        start.wait()
        try:
            task()
        except BaseException as error:  # noqa: BLE001 - it is raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
