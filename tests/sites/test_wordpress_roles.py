"""What each role may do on a real WordPress, by REST, read back from its tables."""

from pathlib import Path

import pytest

from copydesk_connectors.target.base import Level
from copydesk_connectors.target.errors import Misconfigured
from tests.support.sites.wordpress_site import WordPressSite
from tests.support.sites.wordpress_target import a_post, put, target

pytestmark = pytest.mark.sites

STATUSES = {"publish": "publish", "draft": "draft", "pending": "pending", "scheduled": "future"}
SCHEDULED = {"status": "scheduled", "publish_after": "9000d"}


@pytest.mark.parametrize("role", ["administrator", "editor", "author"])
def test_who_may_publish_may_leave_posts_in_every_status(
    wordpress: WordPressSite, tmp_path: Path, role: str
) -> None:
    """administrator, editor, author, contributor: the whole mapping read back from the target"""
    for status, stored_as in STATUSES.items():
        settings = SCHEDULED if status == "scheduled" else {"status": status}
        site = target(wordpress, tmp_path, role, seo="none", **settings)
        assert [finding.level for finding in site.check()] == [Level.OK]
        for _ in range(2):
            put(site, a_post(f"itm_{status}", slug=f"post-{status}"))
        stored = [post for post in wordpress.posts() if post.slug == f"post-{status}"]
        assert [(post.status, post.author) for post in stored] == [(stored_as, role)]
        assert stored[0].tags == ("descale espresso machine",)


@pytest.mark.parametrize(
    ("role", "may"), [("administrator", True), ("editor", True), ("author", False)]
)
def test_who_may_make_categories(
    wordpress: WordPressSite, tmp_path: Path, role: str, may: bool
) -> None:
    """categories by name (created where the role may)"""
    name = f"Made by {role} {wordpress.suite}"
    site = target(wordpress, tmp_path, role, category=name)
    if may:
        put(site, a_post())
        assert wordpress.posts()[0].categories == (name,)
    else:
        with pytest.raises(Misconfigured, match="and the user may not make one"):
            site.ready()


@pytest.mark.parametrize("status", ["draft", "pending"])
def test_a_contributor_leaves_drafts_and_posts_for_review(
    wordpress: WordPressSite, tmp_path: Path, status: str
) -> None:
    """A contributor may create only pending posts and drafts, but may create tags."""
    tags = ["Machines", "New"]
    site = target(wordpress, tmp_path, "contributor", status=status, tags=tags, seo="none")
    (finding,) = site.check()
    assert finding.level is Level.OK
    post = a_post()
    copy = put(site, post)
    assert copy.notes == ()
    (stored,) = wordpress.posts()
    assert (stored.status, stored.author, stored.tags) == (
        status,
        "contributor",
        ("Machines", "New"),
    )

    # WordPress takes the slug of a post for review from a contributor: the marker finds it.
    for _ in range(2):
        again = target(wordpress, tmp_path, "contributor", status=status, tags=tags)
        assert put(again, post).remote_id == copy.remote_id
    assert wordpress.posts() == [stored]
    # Its editor publishes it: it stays as it is then.
    wordpress.rest("POST", f"posts/{copy.remote_id}", "editor", json={"status": "publish"})
    assert put(target(wordpress, tmp_path, "contributor", status=status), post).url
    assert [post.status for post in wordpress.posts()] == ["publish"]


@pytest.mark.parametrize("settings", [{"status": "publish"}, SCHEDULED])
def test_a_contributor_gets_one_clear_sentence_for_publishing(
    wordpress: WordPressSite, tmp_path: Path, settings: dict[str, str]
) -> None:
    """a contributor gets one clear sentence for publish"""
    site = target(wordpress, tmp_path, "contributor", **settings)
    (finding,) = site.check()
    assert finding.level is Level.PROBLEM
    assert finding.message == (
        f"Contributor (contributor) may not put posts up with status {settings['status']}"
    )
    assert finding.fix == (
        'give the user the role Author or Editor, or set status = "pending" or "draft"'
    )
    with pytest.raises(Misconfigured):
        site.ready()
    assert wordpress.posts() == []


def test_a_contributor_may_not_upload_pictures(wordpress: WordPressSite, tmp_path: Path) -> None:
    """media: what is the owner's fault is found before anything is sent"""
    picture = tmp_path / "cup.png"
    picture.write_bytes(b"")
    site = target(wordpress, tmp_path, "contributor", status="draft", image=str(picture))
    (finding,) = site.check()
    assert finding.message == "Contributor (contributor) may not upload pictures"
    assert "leave image out" in finding.fix


def test_a_subscriber_may_do_nothing(wordpress: WordPressSite, tmp_path: Path) -> None:
    """credentials, role …: how to fix each finding"""
    (finding,) = target(wordpress, tmp_path, "subscriber", status="draft").check()
    assert finding.fix == "give the user the role Author or Editor"
