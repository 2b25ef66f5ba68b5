"""Posts in the blocks of WordPress's own editor, opened in it."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.target.post import Post
from tests.support.process_group import ProcessGroup
from tests.support.screenshot import FLAGS
from tests.support.sites.example_posts import CONTENTS, example_item
from tests.support.sites.wordpress_site import SCRIPTS, WordPressSite
from tests.support.sites.wordpress_target import a_post, put, target

pytestmark = pytest.mark.sites

EDITOR_SECONDS = 60.0


@pytest.fixture
def probed(wordpress: WordPressSite) -> Iterator[WordPressSite]:
    """The site with an editor that reports what it makes of a post."""
    wordpress.add_plugin(SCRIPTS / "editor-probe.php")
    yield wordpress
    wordpress.remove_plugin("editor-probe.php")


def opened_in_the_editor(site: WordPressSite, chromium: str, post_id: str) -> dict[str, Any]:
    """What the editor reports of a post that an administrator opens."""
    with ProcessGroup() as group:
        group.spawn(
            [
                chromium,
                *FLAGS,
                f"--user-data-dir={group.folder / 'profile'}",
                "--remote-debugging-port=0",  # keeps it open
                f"{site.url}/?copydesk_login={site.secret}&post={post_id}",
            ],
            log=group.folder / "chromium.log",
            env={"HOME": str(group.folder)},
        )
        deadline = time.monotonic() + EDITOR_SECONDS
        while time.monotonic() < deadline:
            for line in site.log().splitlines():
                _, found, report = line.partition("editor-probe ")
                if found and json.loads(report)["post"] == int(post_id):
                    return dict(json.loads(report))
            time.sleep(0.1)
    raise AssertionError(f"the editor did not open post {post_id}: {site.log()[-2000:]}")


def test_the_editor_opens_every_block_as_its_own(
    probed: WordPressSite, chromium: str, tmp_path: Path
) -> None:
    """format as HTML or as Gutenberg blocks"""
    post = a_post()
    copy = put(target(probed, tmp_path, format="blocks"), post)
    report = opened_in_the_editor(probed, chromium, copy.remote_id)
    assert report["invalid"] == []
    assert set(report["names"]) == {
        f"core/{name}"
        for name in (
            "paragraph", "heading", "quote", "list", "list-item", "table", "code", "separator"
        )
    }  # fmt: skip
    # What the editor would save is known again as the same post.
    assert f"<!-- copydesk:{post.key} -->" in report["saved"]


def test_the_editor_knows_the_blocks_of_each_kind_of_post(
    probed: WordPressSite, chromium: str, tmp_path: Path
) -> None:
    site = target(probed, tmp_path, format="blocks")
    for name in sorted(CONTENTS):
        copy = put(site, Post.from_item(example_item(name)))
        report = opened_in_the_editor(probed, chromium, copy.remote_id)
        assert report["invalid"] == []
        assert {"core/html", "core/freeform"}.isdisjoint(report["names"])
