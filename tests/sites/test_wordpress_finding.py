"""A post is found again on real WordPress whatever its owner made of it."""

from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.target.base import CopyState
from tests.support.sites.wordpress_site import WordPressSite
from tests.support.sites.wordpress_target import a_post, put, target

pytestmark = pytest.mark.sites


@pytest.mark.parametrize(
    "changes",
    [
        {"slug": "mine"},
        {"slug": "mine", "password": "open sesame"},
        {"slug": "mine", "status": "private"},
        {"slug": "mine", "date": "2020-01-01T10:00:00"},
        {"slug": "mine", "author": 1},
    ],
    ids=["renamed", "behind a password", "private", "backdated", "of another author"],
)
def test_what_its_owner_changed_is_found(
    wordpress: WordPressSite, tmp_path: Path, changes: dict[str, Any]
) -> None:
    """two instances with two ledgers still do not double a post, because the target is asked before
    anything is shown: by the marker, also of what readers do not see and of what another wrote"""
    post = a_post()
    made = put(target(wordpress, tmp_path), post)
    put(target(wordpress, tmp_path), a_post("itm_12", slug="another"))
    wordpress.rest("POST", f"posts/{made.remote_id}", json=changes)
    before = wordpress.posts()
    found = target(wordpress, tmp_path).find(post)
    assert found is not None
    hidden = changes.get("status") == "private"
    state = CopyState.WITHDRAWN if hidden else CopyState.PUBLIC
    assert (found.remote_id, found.state) == (made.remote_id, state)
    assert target(wordpress, tmp_path).find(a_post("itm_123")) is None
    draft = target(wordpress, tmp_path).draft(post)
    shown = target(wordpress, tmp_path).publish(post, draft.remote_id)
    assert (shown.remote_id, bool(shown.notes)) == (made.remote_id, hidden), "a draft gives way"
    assert wordpress.posts() == before
