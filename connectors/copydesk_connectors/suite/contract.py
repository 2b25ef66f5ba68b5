"""The tests that every target must pass."""
# ruff: noqa: S101

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.suite.fault_proxy import FOR_GOOD, Cut, Fault, FaultProxy, Replace, Rule
from copydesk_connectors.suite.site import Site, put, put_until_done
from copydesk_connectors.target import http_api, http_client
from copydesk_connectors.target.base import Copy, CopyState, Level
from copydesk_connectors.target.errors import DraftGone, Misconfigured, Unavailable
from copydesk_connectors.target.post import Post

BODY_HTML = (
    "<p>Scale &amp; hard water are a pair.</p>\n"
    '<p>Ask <a href="https://acme.example/?a=1&amp;b=2" rel="sponsored noopener" '
    'target="_blank">Acme</a> for citric acid.</p>\n'
    "<h2>Rinse twice</h2>\n<ul><li>Once warm.</li><li>Once cold.</li></ul>\n"
    "<p>That is all — enjoy.</p>"
)
BODY_MARKDOWN = (
    "Scale & hard water are a pair.\n\n"
    "Ask [Acme](https://acme.example/?a=1&b=2) for citric acid.\n\n"
    "## Rinse twice\n\n- Once warm.\n- Once cold.\n\n---\n\nThat is all — enjoy."
)


def _page(status: int, *, worked: bool = False, **headers: str) -> Replace:
    """A web page in place of the answer, as from a firewall, a proxy or a host."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    page = b"<!doctype html><title>Not the site</title>"
    return Replace(status, page, {"Content-Type": "text/html", **named}, forward=worked)


FAULTS: Mapping[str, Fault] = {
    "400": _page(400),
    "403": _page(403),
    "429": _page(429, Retry_After="3600"),
    "500": _page(500),
    "500 after the work": _page(500, worked=True),
    "a web page": _page(200),
    "a time-out": Cut.SILENCE,
    "a cut answer": Cut.MID_RESPONSE,
    "a lost answer": Cut.BEFORE_RESPONSE,
}
"""What a target must survive at each of its requests."""
_OWNERS = {"400", "403", "a web page"}
"""The faults that the owner may have to end. All others end without anybody's help."""
_MOST_REQUESTS = 60
_TIMEOUT_S = 0.4


class TargetContract:
    """What every target must do. Derive a test class from it that has a fixture ``site``."""

    @pytest.fixture
    def post(self) -> Post:
        """One post."""
        return Post(
            id="itm_1",
            title="How to descale an espresso machine",
            slug="descale-espresso-machine",
            description="Descale it in an hour: what to buy & what to avoid.",
            keywords=("descale espresso machine",),
            html=BODY_HTML,
            markdown=BODY_MARKDOWN,
            generated_at=datetime(2026, 5, 1, 10, tzinfo=UTC),
        )

    def test_a_post_is_put_up_once_however_often_the_steps_are_taken(
        self, site: Site, post: Post
    ) -> None:
        """running again changes nothing"""
        first = put(site.target(), post)
        assert first.state is CopyState.PUBLIC
        assert list(site.readers_see().values()) == [post.title]
        assert first.url
        before = site.everything()
        for again in (
            put(site.target(), post),
            site.target().publish(post, first.remote_id),
            site.target().find(post),
        ):
            assert again == replace(first, notes=())
        assert site.everything() == before

    def test_readers_get_the_text_and_the_offer_link_as_they_were_given(
        self, site: Site, post: Post
    ) -> None:
        """offer links exact; rel="sponsored noopener" target="_blank" is on the offer link"""
        name = put(site.target(), post).remote_id
        markup = site.markup(name)
        assert "That is all — enjoy." in markup
        if site.serves_html:
            link = BeautifulSoup(markup, "html.parser").find("a", string="Acme")
            assert link is not None
            assert link.attrs == {
                "href": "https://acme.example/?a=1&b=2",
                "rel": ["sponsored", "noopener"],
                "target": "_blank",
            }
        else:
            assert "[Acme](https://acme.example/?a=1&b=2)" in markup

    def test_a_title_is_text_whatever_is_in_it(self, site: Site, post: Post) -> None:
        """The page as readers see it is right"""
        title = "Salt & <b>lime</b>: \"3 > 2\", it's 'so'"
        name = put(site.target(), replace(post, title=title)).remote_id
        assert site.readers_see()[name] == title

    def test_a_draft_that_was_not_written_down_does_not_become_a_second_post(
        self, site: Site, post: Post
    ) -> None:
        """a SIGKILL between any two I/O calls leaves a state from which the next start goes on"""
        site.target().draft(post)
        forgotten = site.target().draft(post)
        assert site.readers_see() == {}
        if site.has_drafts:
            seen = site.target().find(post)
            assert seen is not None
            assert (seen.state, seen.url) == (CopyState.DRAFT, "")
        final = site.target().publish(post, forgotten.remote_id)
        assert final.state is CopyState.PUBLIC
        assert list(site.readers_see()) == [final.remote_id]
        found = site.target().find(post)
        assert found is not None
        assert (found.remote_id, found.state) == (final.remote_id, CopyState.PUBLIC)

    @pytest.mark.parametrize("trashed", [False, True])
    def test_a_draft_gives_way_to_a_copy_that_is_there(
        self, site: Site, post: Post, trashed: bool
    ) -> None:
        """reconciles: sees in ``publish``, before it shows anything, every copy that ``find`` would
        have found, and chooses among them"""
        target = site.target()
        if not target.reconciles:
            pytest.skip("it is asked first")
        if trashed and not site.has_trash:
            pytest.skip("it has no trash")
        name = put(target, post).remote_id
        if trashed:
            site.owner_trashes(name)
        else:
            site.owner_edits(name, "enjoy", "and mind the steam")
        before = site.everything()
        draft = site.target().draft(post)
        copy = site.target().publish(post, draft.remote_id)
        state = CopyState.WITHDRAWN if trashed else CopyState.PUBLIC
        assert (copy.remote_id, copy.state) == (name, state)
        assert site.everything() == before

    def test_a_draft_that_its_owner_deleted_stays_deleted(self, site: Site, post: Post) -> None:
        """the post then stays away"""
        if not site.has_drafts:
            pytest.skip("a folder has no drafts")
        site.owner_writes("another-post", "My own words")
        draft = site.target().draft(post)
        site.owner_deletes(draft.remote_id)
        before = site.everything()
        with pytest.raises(DraftGone):
            site.target().publish(post, draft.remote_id)
        assert site.target().find(post) is None
        assert site.everything() == before
        assert put(site.target(), post).state is CopyState.PUBLIC

    def test_the_draft_of_another_post_is_not_swept(self, site: Site, post: Post) -> None:
        """The connector's stray drafts are removed: of this post, never of another. The item's id
        is the key, also where it is the beginning of another; both posts have one slug."""
        other = replace(post, id=f"{post.id}2", title="Another post")
        waiting = site.target().draft(other)
        for _ in range(2):
            site.target().draft(post)
        mine = put(site.target(), post)
        shown = site.target().publish(other, waiting.remote_id)
        assert site.readers_see() == {mine.remote_id: post.title, shown.remote_id: other.title}
        assert site.copies() == 2
        if site.has_drafts:
            assert shown.remote_id == waiting.remote_id
        for one, there in ((post, mine), (other, shown)):
            assert put(site.target(), one).remote_id == there.remote_id
        assert site.copies() == 2

    def test_the_owners_post_of_the_same_slug_is_not_touched(self, site: Site, post: Post) -> None:
        """found again by id even when the slug is taken by another post: then slug-2"""
        put(site.target(), replace(post, id="itm_0", slug="something-else"))
        site.owner_writes(post.slug, "My own words")
        before = site.readers_see()
        name = put(site.target(), post).remote_id
        assert site.readers_see() == before | {name: post.title}
        found = site.target().find(post)
        assert found is not None
        assert found.remote_id == name
        assert f"{post.slug}-2" in found.url

    def test_an_edited_post_is_never_overwritten(self, site: Site, post: Post) -> None:
        """never overwrite a post its owner edited"""
        name = put(site.target(), post).remote_id
        site.owner_edits(name, "enjoy", "and mind the steam")
        before = site.everything()
        assert put(site.target(), post).remote_id == name
        assert site.everything() == before
        assert "mind the steam" in site.markup(name)

    def test_a_trashed_post_stays_in_the_trash(self, site: Site, post: Post) -> None:
        """an owner who trashed the post does not get it back"""
        if not site.has_trash:
            pytest.skip("a folder has no trash")
        copy = put(site.target(), post)
        site.owner_trashes(copy.remote_id)
        before = site.everything()
        found = site.target().find(post)
        assert found is not None
        assert found.state is CopyState.WITHDRAWN
        assert site.target().publish(post, copy.remote_id).state is CopyState.WITHDRAWN
        assert site.everything() == before
        assert site.readers_see() == {}

    def test_looking_changes_nothing(self, site: Site, post: Post) -> None:
        """Changes nothing on the site."""
        before = site.everything()
        target = site.target()
        target.ready()
        findings = target.check()
        assert Level.PROBLEM not in {finding.level for finding in findings}
        assert target.find(post) is None
        assert site.everything() == before

    def test_a_site_that_cannot_be_used_says_so_before_anything_is_tried(
        self, site: Site, post: Post
    ) -> None:
        """A target that is down is noticed before pulling"""
        put(site.target(), post)
        site.goes_down()
        with pytest.raises((Misconfigured, Unavailable)):
            site.target().ready()
        findings = site.target().check()
        assert [finding.level for finding in findings] == [Level.PROBLEM]
        assert findings[0].fix

    @pytest.mark.parametrize("times", [1, FOR_GOOD], ids=["once", "until fixed"])
    @pytest.mark.parametrize("fault", FAULTS)
    def test_a_fault_at_any_request_loses_and_doubles_nothing(
        self, site: Site, post: Post, fault: str, times: int
    ) -> None:
        """Each may be called again after a crash at any point. Refused: only if the site's own
        software refused this post."""
        if not site.address:
            pytest.skip("the site has no address")
        for number in range(1, _MOST_REQUESTS):
            one = replace(post, id=f"itm_{number}", slug=f"post-{number}", title=f"Post {number}")
            before = site.readers_see()
            shown, wrong = "", ""
            with _in_front_of(site) as proxy:
                proxy.add(Rule(FAULTS[fault], nth=number, times=times))
                try:
                    shown = put(site.target(), one).remote_id
                except Unavailable:
                    pass
                except Misconfigured as error:
                    wrong = str(error)
                proxy.settle()
                assert not wrong or fault in _OWNERS, f"{fault} ends on its own, but: {wrong}"
                assert not shown or shown in site.readers_see(), "readers do not see the post"
                struck = any(request.fault for request in proxy.requests)
                proxy.mend()
            copy = put_until_done(site.target(), one)
            assert copy.state is CopyState.PUBLIC
            assert site.readers_see() == before | {copy.remote_id: one.title}
            assert site.copies() == number, "a second copy is left behind"
            if not struck:
                break
        assert number > 1, "the target does not use the site's address"

    def test_two_instances_at_once_make_one_post(self, site: Site, post: Post) -> None:
        """two instances with two ledgers still do not double a post"""
        for number in range(5):
            one = replace(post, id=f"itm_{number}", slug=f"post-{number}")
            copies = at_once([partial(put_until_done, site.target(), one) for _ in range(2)])
            assert len({copy.remote_id for copy in copies}) == 1
            assert len(site.readers_see()) == number + 1

    def test_as_many_posts_at_once_as_it_says(self, site: Site, post: Post) -> None:
        """at_once: called from up to ``at_once`` threads, each for another post"""
        target = site.target()
        if target.at_once == 1:
            pytest.skip("the target takes one post at a time")
        assert target.at_once > 1
        # Twice: also a second pass of the same process, and posts of one slug.
        for number in range(2):
            posts = [
                replace(post, id=f"itm_{number}_{n}", title=f"Post {number} {n}")
                for n in range(target.at_once)
            ]
            drafting = threading.Lock()  # "draft is called by one thread at a time even so"
            before = site.readers_see()
            copies = at_once([partial(put_until_done, target, one, drafting) for one in posts])
            titles = {copy.remote_id: one.title for copy, one in zip(copies, posts, strict=True)}
            assert len(titles) == len(posts), "each is another post"
            assert site.readers_see() == before | titles
        assert site.copies() == 2 * target.at_once, "no draft is left behind"


@contextmanager
def _in_front_of(site: Site) -> Iterator[FaultProxy]:
    """A proxy at the site's address; the targets of this package wait for nothing."""
    there = site.address
    with FaultProxy(there) as proxy, pytest.MonkeyPatch.context() as patch:
        patch.setattr(http_api, "sleep", lambda _: None)
        patch.setattr(http_client, "TIMEOUT_S", (http_client.TIMEOUT_S[0], _TIMEOUT_S))
        patch.setattr(site, "address", proxy.url)
        yield proxy


def at_once(tasks: Sequence[Callable[[], Copy]]) -> list[Copy]:
    """Start all tasks at the same moment and return their results; raise the first error."""
    start = threading.Barrier(len(tasks))

    def run(task: Callable[[], Copy]) -> Copy:
        start.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))
