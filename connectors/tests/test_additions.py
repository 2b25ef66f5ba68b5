"""What every target adds to a post: the owner's notice, JSON-LD, and links to its other posts."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from copydesk_connectors.cli import config
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.suite import put
from copydesk_connectors.target.additions import NoticeSettings, blog_posting, with_notice
from copydesk_connectors.target.base import Copy, CopyState
from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.internal_links import Page, closest, fill, places
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .fake_ghost import FakeGhost
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import OnePass, TargetTable, Write, make_item
from .notebook import Notebook
from .passes import Passes

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


def test_it_says_what_the_post_is(post: Post) -> None:
    data = json.loads(
        blog_posting(post, url="https://blog.example/tea/", author="Jo", publisher="Tea & Co")
    )
    assert data["@context"] == "https://schema.org"
    assert data["@type"] == "BlogPosting"
    assert (data["headline"], data["description"]) == (post.title, post.description)
    assert data["mainEntityOfPage"] == {"@type": "WebPage", "@id": "https://blog.example/tea/"}
    assert data["author"] == {"@type": "Person", "name": "Jo"}
    assert data["publisher"] == {"@type": "Organization", "name": "Tea & Co"}
    assert data["digitalSourceType"] == "https://schema.org/TrainedAlgorithmicMediaDigitalSource"
    assert data["datePublished"] == post.generated_at.isoformat(timespec="seconds")


def test_what_is_not_known_is_left_out(post: Post) -> None:
    site = {"@type": "Organization", "name": "Garden"}
    assert json.loads(blog_posting(post, publisher="Garden"))["author"] == site
    data = json.loads(blog_posting(post))
    assert not {"image", "author", "publisher", "mainEntityOfPage", "inLanguage"} & data.keys()


def test_no_title_ends_the_element(post: Post) -> None:
    title = 'About </script><script>alert("x")</script> & <!-- tea'
    text = blog_posting(replace(post, title=title))
    element = f'<script type="application/ld+json">{text}</script>'
    found = BeautifulSoup(element, "html.parser").find_all("script")
    assert len(found) == 1
    assert json.loads(str(found[0].string))["headline"] == title


HEADINGS = ("Rinse {twice} &amp; dry", "Choosing citric acid", "About limestone")
HTML = "<p>Intro.</p>\n" + "".join(
    f"<h2>Part</h2>\n<p>Text.</p>\n<p>[[internal-link: {heading}]]</p>\n" for heading in HEADINGS
)
MARKDOWN = "Intro.\n\n" + "".join(
    f"## Part\n\nText.\n\n[[internal-link: {heading.replace('&amp;', '&')}]]\n\n"
    for heading in HEADINGS
)
RENDERED = {"html": HTML, "markdown": MARKDOWN}


def test_a_place_becomes_a_link_or_goes_without_a_trace() -> None:
    post = Post.from_item(make_item(rendered=RENDERED))
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
