"""Routes on a real WordPress: three rules of a feed, each with its category and author."""

from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from tests.support.sites.live_sites import one_pass
from tests.support.sites.wordpress_site import WordPressSite

pytestmark = pytest.mark.sites

ROUTES = """
[[route]]
rule = "Gardening"
target = "blog"
category = "Garden"
author = "author"

[[route]]
rule = "Tea"
target = "blog"
categories = ["Drinks", "Tea"]
status = "draft"

[[route]]
target = "blog"
category = "Rest"
tags = []
"""


def test_three_rules_to_three_categories_and_authors(
    wordpress: WordPressSite, feeds: FeedServer, tmp_path: Path
) -> None:
    """three rules to three categories and authors on WordPress"""
    feed = feeds.new()
    for rule in ("Gardening", "Tea", "Espresso"):
        feed.add(make_item(f"itm_{rule}", slug=rule.lower()), rule=rule)
    password = tmp_path / "password"
    password.write_text(wordpress.app_password("editor"))
    password.chmod(0o600)
    login = wordpress.users["editor"].login
    file = tmp_path / "copydesk.toml"
    file.write_text(
        f'[feed]\nurl = "{feed.url}"\n[[target]]\ntype = "wordpress"\nname = "blog"\n'
        f'url = "{wordpress.url}"\nusername = "{login}"\npassword_file = "password"\n{ROUTES}'
    )
    file.chmod(0o600)
    outcome = one_pass(file)
    assert (outcome.confirmed, outcome.problems) == (3, [])
    assert {
        post.slug: (post.status, post.author, post.categories, bool(post.tags))
        for post in wordpress.posts()
    } == {
        "gardening": ("publish", "author", ("Garden",), True),
        "tea": ("draft", "editor", ("Drinks", "Tea"), True),
        "espresso": ("publish", "editor", ("Rest",), False),
    }
    assert set(feed.states().values()) == {"used"}
