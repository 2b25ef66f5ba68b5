"""What every target says about a post: the owner's notice, and who answers for the text."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.suite import put
from copydesk_connectors.target.base import CopyState
from copydesk_connectors.target.notice import NoticeSettings, with_notice
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .fake_ghost import FakeGhost
from .fake_wordpress import FakeWordPress
from .items import Write

NOTICE = "Written with <AI> & checked by *us*."
LINE = f'notice = "{NOTICE}"'
SHOWN = "<p><small>Written with &lt;AI&gt; &amp; checked by *us*.</small></p>"


def test_a_notice_is_the_last_paragraph_and_there_once(post: Post) -> None:
    """an optional visible notice"""
    settings = NoticeSettings(notice=NOTICE)
    noted = with_notice(post, settings)
    assert noted.html == f"{post.html}\n{SHOWN}"
    assert noted.markdown.endswith("\n\n*Written with \\<AI\\> \\& checked by \\*us\\*.*")
    assert with_notice(noted, settings) == noted
    assert with_notice(post, NoticeSettings()) == post


@pytest.mark.parametrize(
    ("offer", "said"),
    [
        ('<p><a href="/a" rel="noopener sponsored">A</a></p>', True),
        ('<p>An <a href="/a" rel="noopener">a</a> with rel="sponsored" in its text.</p>', False),
    ],
)
def test_readers_are_told_that_offers_are_paid_where_there_are_some(
    post: Post, offer: str, said: bool
) -> None:
    """a line that offers are paid, by setting, in the site's language"""
    settings = NoticeSettings(notice=NOTICE, offer_notice="Wir erhalten eine Provision.")
    noted = with_notice(replace(post, html=offer), settings)
    paid = "\n<p><small>Wir erhalten eine Provision.</small></p>" if said else ""
    assert noted.html == f"{offer}{paid}\n{SHOWN}"
    assert with_notice(noted, settings) == noted


def test_ghost_has_it(
    fake_ghost: FakeGhost, ghost_target: Callable[..., str], write_config: Write, post: Post
) -> None:
    """on all targets"""
    (target,) = config.load(write_config(ghost_target(LINE, 'format = "html"'))).targets
    put(target, post)
    assert [stored["html"].count(SHOWN) for stored in fake_ghost.public()] == [1]


def test_wordpress_has_it_and_knows_its_own_draft_again(
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    write_config: Write,
    post: Post,
) -> None:
    """on all targets; a draft with the notice counts as unedited"""
    table = wordpress_target(LINE, 'format = "html"', "json_ld = true")
    (target,) = config.load(write_config(table)).targets
    draft = target.draft(post)
    fake_wordpress.insert(**{**fake_wordpress.posts[int(draft.remote_id)], "slug": "again"})
    assert put(target, post).state is CopyState.PUBLIC
    (shown,) = fake_wordpress.public()
    assert shown["content"].count("<small>Written with") == 1
    drafts = [p for p in fake_wordpress.posts.values() if p["status"] == "draft"]
    assert drafts == [], "the other one was ours and unedited, so it went"


def test_static_sites_have_it(tmp_path: Path, post: Post) -> None:
    """on all targets"""
    settings = {"path": "site", "notice": NOTICE}
    TARGETS["markdown"]("site", Table(settings, "t", tmp_path / "c.toml")).publish(post, "")
    (file,) = (tmp_path / "site").glob(f"{post.slug}.*")
    assert file.read_text().endswith("*Written with \\<AI\\> \\& checked by \\*us\\*.*\n")


def test_json_ld_on_wordpress_has_the_sites_name(
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    write_config: Write,
    post: Post,
) -> None:
    """Organization as author unless set"""
    fake_wordpress.meta_keys = {"_copydesk_json_ld"}
    (target,) = config.load(write_config(wordpress_target("json_ld = true"))).targets
    put(target, post)
    data = json.loads(fake_wordpress.posts[1]["meta"]["_copydesk_json_ld"])
    assert data["author"] == {"@type": "Organization", "name": "Jo & Ann"}
