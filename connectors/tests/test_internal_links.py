"""Places for internal links: resolved to the site's own related posts, or taken out cleanly."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.cli import config
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.target.base import Copy
from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.internal_links import Page, closest, fill, places
from copydesk_connectors.target.post import Post

from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import OnePass, TargetTable, Write, make_item
from .notebook import Notebook
from .passes import Passes

HEADINGS = ("Rinse {twice} &amp; dry", "Choosing citric acid", "About limestone")
HTML = "<p>Intro.</p>\n" + "".join(
    f"<h2>Part</h2>\n<p>Text.</p>\n<p>[[internal-link: {heading}]]</p>\n" for heading in HEADINGS
)
MARKDOWN = "Intro.\n\n" + "".join(
    f"## Part\n\nText.\n\n[[internal-link: {heading.replace('&amp;', '&')}]]\n\n"
    for heading in HEADINGS
)
RENDERED = {"html": HTML, "markdown": MARKDOWN}


@pytest.fixture
def post() -> Post:
    return Post.from_item(make_item(rendered=RENDERED))


def test_a_place_becomes_a_link_or_goes_without_a_trace(post: Post) -> None:
    assert places(post) == ("Rinse {twice} & dry", "Choosing citric acid", "About limestone")
    page = Page('Citric acid: "how" & [why] <b>', "https://blog.example/?p=1&q=2")
    filled = fill(post, (None, page))
    link = BeautifulSoup(filled.html, "html.parser").a
    assert link is not None
    assert (link.get_text(), link.attrs) == (page.title, {"href": page.url})
    assert "[[" not in filled.html + filled.markdown
    assert filled.html.count("<p>") == post.html.count("<p>") - 2
    assert '→ [Citric acid: "how" & \\[why\\] \\<b>](<https://blog.example/?p=1&q=2>)' in (
        filled.markdown
    )
    assert "\n\n\n" not in filled.markdown
    assert fill(filled, ()) == filled


def test_pages_are_close_by_the_words_of_their_titles() -> None:
    pages = [Page(title, title) for title in ("The acid test", "Citric acid at home", "Gardens")]
    found = closest("Choosing citric acid at the market", pages)
    assert [page.title for page in found] == ["Citric acid at home", "The acid test"]
    assert closest("Tea", pages) == []


def test_links_lead_to_the_sites_own_posts(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: TargetTable,
) -> None:
    """resolved at publish time to the site's own related posts by its search"""
    fake_wordpress.insert(status="publish", slug="acid", title="Citric acid &amp; you", content="")
    fake_wordpress.insert(status="draft", slug="lime", title="Limestone, a draft", content="")
    feed.add(make_item(rendered=RENDERED))
    file = write_config(wordpress_target())
    assert one_pass(file).confirmed == 1
    (made,) = [p for p in fake_wordpress.posts.values() if "copydesk:" in p["content"]]
    links = BeautifulSoup(made["content"], "html.parser").find_all("a")
    assert [(link.get_text(), link["href"]) for link in links] == [
        ("Citric acid & you", f"{fake_wordpress.url}/acid/")
    ]
    assert "internal-link" not in made["content"]
    with Ledger.read(config.ledger_path(file)) as ledger:
        (entry,) = ledger.newest(1)
    assert [page and page.title for page in entry.deliveries[0].links] == [
        None, "Citric acid & you", None,
    ]  # fmt: skip


class Restless(Notebook):
    """A site whose search finds another page each time."""

    def __init__(self) -> None:
        super().__init__()
        self.searches = 0
        self.given: list[str] = []

    def related(self, text: str) -> list[Page]:
        self.searches += 1
        return [Page(f"Page {self.searches}", f"https://blog.example/{self.searches}")]

    def draft(self, post: Post) -> Copy:
        self.given.append(post.html)
        return super().draft(post)

    def publish(self, post: Post, remote_id: str) -> Copy:
        self.given.append(post.html)
        return super().publish(post, remote_id)


def test_what_was_chosen_is_kept_after_a_failure(passes: Passes, feed: FakeFeed) -> None:
    """Otherwise a draft that was made would look as if its owner had edited it."""
    feed.add(make_item(rendered=RENDERED))
    site = Restless()
    site.faults = {"draft": [Unavailable("it is away")]}
    assert [passes.once(site).confirmed for _ in range(2)] == [0, 1]
    assert site.searches == 3
    assert len(site.given) == 3
    assert len(set(site.given)) == 1
    assert [f"https://blog.example/{n}" in site.given[0] for n in (1, 2, 3, 4)] == [
        True, True, True, False,
    ]  # fmt: skip


def test_a_folder_that_cannot_be_searched_gets_none(
    write_config: Write, one_pass: OnePass, feed: FakeFeed, tmp_path: Path
) -> None:
    """or taken out cleanly"""
    feed.add(make_item(rendered=RENDERED))
    assert one_pass(write_config('[[target]]\ntype = "markdown"\npath = "content"\n')).confirmed
    (file,) = (tmp_path / "content").glob("*.md")
    assert "internal-link" not in file.read_text()
    assert "## Part\n\nText.\n\n## Part" in file.read_text()
