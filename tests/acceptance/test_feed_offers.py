"""The links of a generated feed item, sentence by sentence, over real HTTP."""

import json
import re
from collections import Counter
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from markdown_it import MarkdownIt

from copydesk import FeedItem
from tests.conformance.interface import clause
from tests.support.feeds import RunningFeed, new_feed
from tests.support.service import ITEM_SECONDS, CopydeskService
from tests.support.startup import wait_until

# A post has to use its keywords, so that an offer of that name is mentioned; it knows nothing of
# the other two.
MENTIONED = {"name": "cold brew ratio", "url": "https://ratio.example/shop?a=1&b=2"}
ABSENT = {"name": "Acme Kettle Club", "url": "https://kettles.example/"}
ALSO_ABSENT = {"name": "Grind & Co", "url": "https://grind.example/beans#fresh"}
OFFERS = [MENTIONED, ABSENT, ALSO_ABSENT]
REQUEST = {"keywords": ["cold brew ratio"], "constraints": {"maxWords": 450, "includeFAQs": True}}


@pytest.fixture(scope="module")
def feed(service: CopydeskService) -> RunningFeed:
    """A feed whose one rule has generated its item."""
    feed = new_feed(service)
    rule = feed.add_due_rule(request=REQUEST, offers=OFFERS)
    feed.latest()
    wait_until(lambda: feed.runs(rule) == ["succeeded"], ITEM_SECONDS, "the rule's item")
    return feed


@pytest.fixture
def pulled(feed: RunningFeed) -> FeedItem:
    """The item, pending until this test pulled it, as the SDK has it."""
    feed.put_back()
    with feed.sdk() as sdk:
        item = sdk.latest()
    assert item is not None
    return item


@pytest.fixture
def item(pulled: FeedItem) -> Any:
    """The same as it came over the wire."""
    return pulled.raw


def html_links(html: str) -> list[Tag]:
    return list(BeautifulSoup(html, "html.parser").find_all("a"))


def markdown_links(markdown: str) -> list[tuple[str, str]]:
    """Each link's text and target, as CommonMark has them."""
    return [
        (str(link.get_text()), str(link["href"]))
        for link in html_links(MarkdownIt().render(markdown))
    ]


@clause("every generated item mentions each configured offer by name;")
@clause("Feed rules may carry offers/brands with a link each (see Resources).")
@clause("and an optional list of offers/brands each with a link.")
def test_every_offer_is_mentioned(item: Any) -> None:
    html = BeautifulSoup(item["rendered"]["html"], "html.parser").get_text()
    for offer in OFFERS:
        assert offer["name"].casefold() in html.casefold()
        plain = item["rendered"]["markdown"].replace("\\", "").replace("&amp;", "&")
        assert offer["name"].casefold() in plain.casefold()


@clause("the first mention is hyperlinked to its configured URL;")
def test_the_first_mention_is_the_link(pulled: FeedItem) -> None:
    soup = BeautifulSoup(pulled.rendered.html or "", "html.parser")
    (link,) = [link for link in soup.find_all("a") if link["href"] == MENTIONED["url"]]
    assert link.get_text().casefold() == MENTIONED["name"]
    text = soup.get_text()
    first = text.casefold().index(MENTIONED["name"])
    link.string = "\0"
    assert soup.get_text().index("\0") == first
    # It is mentioned more than once, and not in the list of those that are not.
    assert text.casefold().count(MENTIONED["name"]) > 1
    assert link.find_parent("li") is None


@clause("an offer not mentioned naturally is added to a short Featured offers list at the end,")
def test_offers_that_are_not_mentioned_are_listed_at_the_end(item: Any) -> None:
    soup = BeautifulSoup(item["rendered"]["html"], "html.parser")
    heading = soup.find_all(re.compile("^h[1-6]$"))[-1]
    assert heading.get_text() == "Featured offers"
    (offers,) = heading.find_next_siblings()
    assert offers.name == "ul"
    listed = [entry.get_text() for entry in offers.find_all("li")]
    assert listed == [ABSENT["name"], ALSO_ABSENT["name"]]
    lines = [line for line in item["rendered"]["markdown"].splitlines() if line.strip()]
    assert [line.lstrip("# ") for line in lines[-3:-2]] == ["Featured offers"]
    assert markdown_links("\n".join(lines[-2:])) == [
        (offer["name"], offer["url"]) for offer in (ABSENT, ALSO_ABSENT)
    ]


@clause("so each configured link appears exactly once.")
@clause("Only configured URLs can appear;")
def test_each_configured_url_is_linked_once_and_no_other(pulled: FeedItem) -> None:
    wanted = Counter(offer["url"] for offer in OFFERS)
    rendered = pulled.rendered
    assert Counter(str(link["href"]) for link in html_links(rendered.html or "")) == wanted
    assert Counter(url for _, url in markdown_links(rendered.markdown or "")) == wanted
    # Nor does another address stand there as text.
    for text in (rendered.html or "", rendered.markdown or ""):
        assert len(re.findall(r"https?:|www\.", text)) == len(OFFERS)


@clause(
    "Links appear only in rendered.html and rendered.markdown; the structured post stays link-free."
)
def test_the_structured_post_is_link_free(item: Any) -> None:
    post = json.dumps(item["post"], ensure_ascii=False)
    assert not re.search(r"https?:|www\.|<a\b|\]\(", post)
    assert ABSENT["name"] not in post
    assert "Featured offers" not in post


@clause("In rendered.html links carry rel=sponsored noopener and open in a new tab.")
def test_links_are_sponsored_and_open_in_a_new_tab(pulled: FeedItem) -> None:
    links = html_links(pulled.rendered.html or "")
    assert len(links) == len(OFFERS)
    for link in links:
        assert set(link["rel"]) == {"sponsored", "noopener"}
        assert link["target"] == "_blank"
        assert set(link.attrs) == {"href", "rel", "target"}


@clause("Markdown cannot express rel.")
def test_markdown_holds_plain_links_alone(item: Any) -> None:
    markdown = item["rendered"]["markdown"]
    assert len(markdown_links(markdown)) == len(OFFERS)
    assert not re.search(r"rel=|sponsored|_blank|<a\b", markdown)


@clause(
    "| post | object | Always has title, slugSuggestion, sections, conclusion at least."
    " Whether it carries every SEOPost field: not shown."
)
def test_a_generated_post_has_every_field(item: Any) -> None:
    assert set(item["post"]) == {
        "title", "slugSuggestion", "meta", "outline", "sections", "faqs", "conclusion",
        "coverageNotes",
    }  # fmt: skip
    assert item["post"]["meta"]["primaryKeyword"] == "cold brew ratio"
    assert [note["covered"] for note in item["post"]["coverageNotes"]["keywordCoverage"]] == [True]
    assert item["post"]["sections"]
    assert len(item["post"]["faqs"]) >= 1


@clause("same item resent;")
def test_a_resent_item_is_the_same_to_the_byte(feed: RunningFeed) -> None:
    """ "same item resent" """
    feed.put_back()
    first, second = (feed.latest()["item"] for _ in range(2))
    listed = feed.items()["items"][0]
    for item in (first, second, listed):
        del item["deliveryCount"]
    assert first == second
    assert first == {name: listed[name] for name in first}
