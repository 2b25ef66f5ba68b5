"""The companion on a site with ten thousand posts: what a request reads does not grow with them."""

import hashlib
from collections.abc import Iterator

import pytest

from tests.support.sites.companion import Companion, body
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_site import WordPressSite

pytestmark = pytest.mark.sites

POSTS = 10_000
AT_ONCE = 500
# Rows that MariaDB gave out one by one, by an index or not; see SHOW STATUS.
READ = "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Handler_read_%'"


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def companion(request: pytest.FixtureRequest) -> Iterator[Companion]:
    with start_or_skip(lambda: WordPressSite(request.param)) as site:
        there = Companion(site)
        there.install()
        yield there


def rows_read(companion: Companion, item: str, status: int) -> int:
    """How many rows a request for an item makes the database read."""
    database = companion.site._database

    def count() -> int:
        return sum(int(line.split("\t")[1]) for line in database.execute(READ))

    before = count()
    itself = count() - before
    before = count()
    assert companion.put(item).status_code == status
    return count() - before - itself


def marker(number: int) -> str:
    return f"<!-- copydesk:old_{number} -->"


def add_posts(companion: Companion, first: int, marked: bool) -> None:
    """Posts as the connector left them without the companion, or the owner's own."""
    for start in range(first, first + POSTS // 2, AT_ONCE):
        rows = ", ".join(
            f"(1, NOW(), UTC_TIMESTAMP(), NOW(), UTC_TIMESTAMP(), 'T {n}', 'renamed-{n}',"
            f" 'publish', CONCAT(REPEAT('word ', 500), '{marker(n) if marked else ''}'),"
            " '', '', '', '')"
            for n in range(start, start + AT_ONCE)
        )
        companion.site._database.execute(
            "INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_modified,"
            " post_modified_gmt, post_title, post_name, post_status, post_content, post_excerpt,"
            f" to_ping, pinged, post_content_filtered) VALUES {rows}",
            "wordpress",
        )


def test_what_is_read_for_a_post_does_not_grow_with_the_site(companion: Companion) -> None:
    """the look-up of the marker does not scan all posts: it uses an index"""
    for number in range(120):  # as many as are looked at again and again
        companion.put(f"first_{number}")
    few = max(rows_read(companion, f"small_{n}", 201) for n in range(3))
    add_posts(companion, 0, marked=True)
    add_posts(companion, POSTS, marked=False)
    # What came by another way is read once, and found from then on, whatever its slug is now.
    assert rows_read(companion, "old_7", 200) > POSTS
    claim = hashlib.sha256(b"old_4999").hexdigest()
    query = f"SELECT option_value FROM wp_options WHERE option_name = 'copydesk_item_{claim}'"
    assert companion.site._database.execute(query, "wordpress")
    found = rows_read(companion, "old_9", 200)
    many = max(rows_read(companion, f"large_{n}", 201) for n in range(3))
    assert found < few + 200
    assert many < few + 200, f"{few} rows with few posts"
    assert len(companion.site.posts("publish")) == POSTS + 126


def test_a_post_of_another_way_is_found_wherever_it_went(companion: Companion) -> None:
    """posts made by the one way are found by the other"""
    made = companion.site.rest(
        "POST", "posts", "author", json=body("plain_1") | {"slug": "mine-now", "tags": []}
    )
    answer = companion.put("plain_1")
    assert (answer.status_code, answer.json()["id"]) == (200, made["id"])
