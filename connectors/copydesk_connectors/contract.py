"""What every target must do: a pytest suite that anybody's target can be held to.

Say what readers and the owner see of your site in a class derived from ``Site``, give a fresh one
in a fixture named ``site``, and import the tests::

    from copydesk_connectors.contract import *

    @pytest.fixture
    def site(tmp_path): ...

Needs pytest, which the package itself does not bring. For readable failures add
``pytest.register_assert_rewrite("copydesk_connectors.contract")`` to your conftest.py, and the
same for ``contract_at_once`` beside it.
"""
# ruff: noqa: S101

from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.contract_at_once import (
    test_as_many_posts_at_once_as_it_says,
    test_put_again_gives_the_same_post,
    test_two_instances_at_once_make_one_post,
)
from copydesk_connectors.contract_site import Site, put
from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import CopyState, Level, Reconciling

__all__ = [
    "Site",
    "post",
    "test_a_draft_gives_way_to_a_copy_that_is_there",
    "test_a_draft_that_was_not_written_down_does_not_become_a_second_post",
    "test_a_post_is_put_up_once_however_often_the_steps_are_taken",
    "test_a_site_that_cannot_be_used_says_so_before_anything_is_tried",
    "test_a_title_is_text_whatever_is_in_it",
    "test_a_trashed_post_stays_in_the_trash",
    "test_an_edited_post_is_never_overwritten",
    "test_as_many_posts_at_once_as_it_says",
    "test_looking_changes_nothing",
    "test_put_again_gives_the_same_post",
    "test_readers_get_the_text_and_the_offer_link_as_they_were_given",
    "test_strays_are_swept",
    "test_the_owners_post_of_the_same_slug_is_not_touched",
    "test_two_instances_at_once_make_one_post",
    "test_two_posts_of_one_slug_are_two_posts",
]


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


@pytest.fixture
def post() -> Post:
    """One post."""
    return Post.from_item(
        {
            "id": "itm_1",
            "post": {
                "title": "How to descale an espresso machine",
                "slugSuggestion": "descale-espresso-machine",
                "meta": {
                    "description": "Descale it in an hour: what to buy & what to avoid.",
                    "primaryKeyword": "descale espresso machine",
                },
            },
            "rendered": {"html": BODY_HTML, "markdown": BODY_MARKDOWN},
            "generatedAt": "2026-05-01T10:00:00.250Z",
        }
    )


def test_a_post_is_put_up_once_however_often_the_steps_are_taken(site: Site, post: Post) -> None:
    """running again changes nothing"""
    first = put(site.publisher(), post)
    assert first.state is CopyState.PUBLIC
    assert list(site.readers_see().values()) == [post.title]
    before = site.everything()
    assert put(site.publisher(), post) == replace(first, notes=())
    assert site.publisher().publish(post, first.remote_id) == replace(first, notes=())
    assert site.everything() == before


def test_readers_get_the_text_and_the_offer_link_as_they_were_given(site: Site, post: Post) -> None:
    """offer links exact; rel="sponsored noopener" target="_blank" is on the offer link"""
    name = put(site.publisher(), post).remote_id
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


def test_a_title_is_text_whatever_is_in_it(site: Site, post: Post) -> None:
    """The page as readers see it is right"""
    title = "Salt & <b>lime</b>: \"3 > 2\", it's 'so'"
    name = put(site.publisher(), replace(post, title=title)).remote_id
    assert site.readers_see()[name] == title


def test_a_draft_that_was_not_written_down_does_not_become_a_second_post(
    site: Site, post: Post
) -> None:
    """a SIGKILL between any two I/O calls leaves a state from which the next start carries on"""
    site.publisher().draft(post)
    forgotten = site.publisher().draft(post)
    assert site.readers_see() == {}
    final = site.publisher().publish(post, forgotten.remote_id)
    assert final.state is CopyState.PUBLIC
    assert list(site.readers_see()) == [final.remote_id]
    found = site.publisher().find(post)
    assert found is not None
    assert (found.remote_id, found.state) == (final.remote_id, CopyState.PUBLIC)


@pytest.mark.parametrize("trashed", [False, True])
def test_a_draft_gives_way_to_a_copy_that_is_there(site: Site, post: Post, trashed: bool) -> None:
    """Reconciling: sees in ``publish``, before it shows anything, every copy that ``find`` would
    have found, and chooses among them"""
    publisher = site.publisher()
    if not isinstance(publisher, Reconciling) or not publisher.reconciles:
        pytest.skip("it is asked first")
    if trashed and not site.has_trash:
        pytest.skip("it has no trash")
    name = put(publisher, post).remote_id
    if trashed:
        site.owner_trashes(name)
    else:
        site.owner_edits(name, "enjoy", "and mind the steam")
    before = site.everything()
    draft = site.publisher().draft(post)
    copy = site.publisher().publish(post, draft.remote_id)
    state = CopyState.WITHDRAWN if trashed else CopyState.PUBLIC
    assert (copy.remote_id, copy.state) == (name, state)
    assert site.everything() == before


def test_strays_are_swept(site: Site, post: Post) -> None:
    """adopt the lowest id; stray drafts of ours are swept"""
    for _ in range(3):
        site.publisher().draft(post)
    put(site.publisher(), post)
    assert site.copies() == 1


def test_the_owners_post_of_the_same_slug_is_not_touched(site: Site, post: Post) -> None:
    """found again by id even when the slug is taken by another post: then slug-2"""
    put(site.publisher(), replace(post, id="itm_0", slug="something-else"))
    site.owner_writes(post.slug, "My own words")
    before = site.readers_see()
    name = put(site.publisher(), post).remote_id
    assert site.readers_see() == before | {name: post.title}
    found = site.publisher().find(post)
    assert found is not None
    assert found.remote_id == name
    assert f"{post.slug}-2" in found.url


def test_two_posts_of_one_slug_are_two_posts(site: Site, post: Post) -> None:
    """the item's id is the key, also where it is the beginning of another"""
    other = replace(post, id="itm_12", title="Another post")
    names = [put(site.publisher(), one).remote_id for one in (other, post, other, post)]
    assert names[:2] == names[2:]
    assert site.readers_see() == {names[0]: other.title, names[1]: post.title}


def test_an_edited_post_is_never_overwritten(site: Site, post: Post) -> None:
    """never overwrite a post its owner edited"""
    name = put(site.publisher(), post).remote_id
    site.owner_edits(name, "enjoy", "and mind the steam")
    before = site.everything()
    assert put(site.publisher(), post).remote_id == name
    assert site.everything() == before
    assert "mind the steam" in site.markup(name)


def test_a_trashed_post_stays_in_the_trash(site: Site, post: Post) -> None:
    """an owner who trashed the post does not get it back"""
    if not site.has_trash:
        pytest.skip("a folder has no trash")
    copy = put(site.publisher(), post)
    site.owner_trashes(copy.remote_id)
    before = site.everything()
    found = site.publisher().find(post)
    assert found is not None
    assert found.state is CopyState.WITHDRAWN
    assert site.publisher().publish(post, copy.remote_id).state is CopyState.WITHDRAWN
    assert site.everything() == before
    assert site.readers_see() == {}


def test_looking_changes_nothing(site: Site, post: Post) -> None:
    """Changes nothing on the site."""
    before = site.everything()
    publisher = site.publisher()
    publisher.ready()
    findings = publisher.check()
    assert [finding.level for finding in findings] == [Level.OK]
    assert publisher.find(post) is None
    assert site.everything() == before


def test_a_site_that_cannot_be_used_says_so_before_anything_is_tried(
    site: Site, post: Post
) -> None:
    """A target that is down is noticed before pulling"""
    put(site.publisher(), post)
    site.goes_down()
    with pytest.raises((Misconfigured, Unavailable)):
        site.publisher().ready()
    findings = site.publisher().check()
    assert [finding.level for finding in findings] == [Level.PROBLEM]
    assert findings[0].fix
