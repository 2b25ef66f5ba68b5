"""Items of any form: each is published or rejected, and none stops the others."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Courier, Outcome
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import FAULTS, ItemState
from copydesk_connectors.target.errors import BadItem
from copydesk_connectors.target.post import Post

from .extent import ALL
from .feed_server import FakeFeed
from .items import MARKDOWN, PAGES, Write, make_item
from .notebook import Notebook

SEED = 20261122
ITEMS = 1000 if ALL else 120
TARGETS = PAGES + MARKDOWN
# Paths into an item, to put something else there.
PLACES: tuple[tuple[str, ...], ...] = (
    ("post",),
    ("post", "title"),
    ("post", "slugSuggestion"),
    ("post", "meta"),
    ("post", "meta", "description"),
    ("post", "meta", "primaryKeyword"),
    ("post", "coverageNotes"),
    ("post", "coverageNotes", "keywordCoverage"),
    ("post", "sections"),
    ("rendered",),
    ("rendered", "html"),
    ("rendered", "markdown"),
    ("generatedAt",),
    ("deliveryCount",),
    ("id",),
)
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from([10**400, -(2**70), "\ud800", "\x00\x1b[2J", "9" * 5000, "\u202e", ""]),
)
ANYTHING = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)


def nested(depth: int) -> Any:
    value: Any = "deep"
    for _ in range(depth):
        value = [value]
    return value


# Each was found by hand, or is what somebody would try first.
BY_HAND: dict[str, tuple[tuple[str, ...], Any]] = {
    "keywordCoverage is a number": (("post", "coverageNotes", "keywordCoverage"), 5),
    "keywordCoverage is a text": (("post", "coverageNotes", "keywordCoverage"), "all"),
    "a time beyond the calendar": (("generatedAt",), "9999-12-31T23:59:59-23:59"),
    "a time before it": (("generatedAt",), "0001-01-01T00:00:00+23:59"),
    "a first day": (("generatedAt",), "0001-01-01T00:00:00Z"),
    "no such day": (("generatedAt",), "2026-13-45T00:00:00Z"),
    "half a character in the title": (("post", "title"), "T\ud800"),
    "half a character in the html": (("rendered", "html"), "<p>\udfff</p>"),
    "half a character in the id": (("id",), "itm_\ud800"),
    "an id of dots": (("id",), ".."),
    "an id with a line break": (("id",), "itm\n1"),
    "an id that is a number": (("id",), 7),
    "an id of a megabyte": (("id",), "i" * 1_000_000),
    "control characters": (("rendered", "html"), "<p>\x00\x01\x1b[2J\x7f</p>"),
    "a list for the html": (("rendered", "html"), ["<p>1</p>"]),
    "a title of a megabyte": (("post", "title"), "word " * 200_000),
    "a slug of a megabyte": (("post", "slugSuggestion"), "word-" * 200_000),
    "a description of a megabyte": (("post", "meta", "description"), "word " * 200_000),
    "an html of nine megabytes": (("rendered", "html"), "<p>word</p>" * 850_000),
    "a member of twenty megabytes": (("post", "sections"), "w" * 20_000_000),
    "infinity": (("deliveryCount",), float("inf")),
    "no number": (("deliveryCount",), float("nan")),
    "a number beyond 64 bits": (("deliveryCount",), 2**70),
    "a negative count": (("deliveryCount",), -1),
    "nested 300 times": (("post", "sections"), nested(300)),
    "nested 900 times": (("post", "sections"), nested(900)),
    "a hundred thousand keywords": (
        ("post", "coverageNotes", "keywordCoverage"),
        [{"keyword": f"k{number}"} for number in range(100_000)],
    ),
    "an unclosed heading": (("rendered", "html"), "<h1>" + "</h1 " * 100_000),
}


def changed(item: dict[str, Any], place: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The item with something else at one place."""
    first, *rest = place
    return item | {first: changed(item[first], tuple(rest), value) if rest else value}


def read(raw: Any) -> Post | str:
    """Return the post, or the reason why the item is invalid."""
    try:
        return Post.from_item(raw)
    except BadItem as error:
        return str(error)


@given(ANYTHING)
def test_whatever_an_item_is_it_is_a_post_or_a_bad_item(raw: Any) -> None:
    """`Post.from_item` answers with a post or BadItem"""
    with pytest.raises(BadItem):
        Post.from_item(raw)


@given(st.sampled_from(PLACES), ANYTHING)
def test_whatever_a_member_is_it_is_a_post_or_a_bad_item(place: tuple[str, ...], to: Any) -> None:
    """any JSON shape, any nesting, any type"""
    post = read(changed(make_item(), place, to))
    if isinstance(post, Post):
        assert post.id.isprintable()
        "".join((post.id, post.title, post.description, *post.keywords, post.html)).encode()
    else:
        assert len(post) < 200


@given(st.text(alphabet="0123456789-+:TZ. W", max_size=40) | st.datetimes().map(str))
def test_whatever_the_time_is(text: str) -> None:
    """times out of range"""
    try:
        post = Post.from_item(make_item(generated_at=text))
    except BadItem:
        return
    assert 1970 < post.generated_at.year < 2200


def a_bad_item(chance: random.Random, number: int) -> dict[str, Any]:
    """An item with something else at one to three places; its id mostly stays."""
    item = make_item(f"bad_{number}", slug=f"bad-{number}")
    for place in chance.sample(PLACES, chance.randint(1, 3)):
        if place == ("id",) and chance.random() < 0.9:
            continue
        _, value = chance.choice(list(BY_HAND.values()))
        if isinstance(value, str) and len(value) > 10_000 and chance.random() < 0.95:
            value = value[:50]
        try:
            item = changed(item, place, chance.choice([None, 5, "x", [], {}, value]))
        except (TypeError, KeyError):
            continue
    return item


def test_good_items_behind_bad_ones_are_published(
    write_config: Write, feed: FakeFeed, tmp_path: Path
) -> None:
    """1,000 random and hand-made items through the connector: good items behind bad ones are
    published, none is stuck"""
    chance = random.Random(SEED)
    by_hand = list(BY_HAND.values())
    good = []
    for number in range(ITEMS):
        if number < len(by_hand):
            whole = make_item(f"bad_{number}", slug=f"bad-{number}")
            feed.add(changed(whole, *by_hand[number]))
        elif number % 3:
            feed.add(a_bad_item(chance, number))
        else:
            good.append(f"itm_{number}")
            feed.add(make_item(good[-1], slug=f"post-{number}"))
    file = write_config(TARGETS)
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-m", "copydesk_connectors", "once", "--config", str(file)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=500,
        )
        assert "Traceback" not in done.stderr, done.stderr[-3000:]
        assert done.returncode in {0, 1}, done.stderr[-3000:]
    states = {str(item.content["id"])[:50]: item.state for item in feed.items}
    assert {item_id: states[item_id] for item_id in good} == dict.fromkeys(good, "used")
    stuck = [key for key, state in states.items() if state in {"pending", "reserved"}]
    assert stuck == []
    with Ledger.read(config.ledger_path(file)) as ledger:
        assert ledger.unfinished() == []
    for number in (item_id.removeprefix("itm_") for item_id in good):
        assert (tmp_path / "public" / f"post-{number}.md").exists()
        assert (tmp_path / "content" / f"post-{number}.md").exists()


def one_pass(file: Path, target: Notebook) -> Outcome:
    loaded = config.load(file)
    with Ledger.open(loaded.ledger) as ledger:
        return Courier([FeedClient(loaded.feeds[0])], ledger, [target], parallel=4).once()


def test_a_fault_of_ours_with_one_item_stops_no_other_and_ends(
    write_config: Write, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """when the failure is ours, parked/retried with a limit and reported, never wedging later
    passes"""
    real = Post.from_item

    def faulty(raw: Any) -> Post:
        if raw["id"] == "itm_1":
            raise KeyError("a bug in the connector")
        return real(raw)

    monkeypatch.setattr(Post, "from_item", faulty)
    for number in (1, 2, 3):
        feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
    file, notebook = write_config(TARGETS), Notebook()
    for _ in range(FAULTS):
        assert feed.states()["itm_1"] in {"pending", "reserved"}
        outcome = one_pass(file, notebook)
        assert feed.states() | {"itm_1": ""} == {"itm_1": "", "itm_2": "used", "itm_3": "used"}
        assert "itm_1" in outcome.problems[0]
    assert feed.states()["itm_1"] == "rejected"
    with Ledger.read(config.ledger_path(file)) as ledger:
        entry = ledger.entry("itm_1")
    assert entry.state is ItemState.REJECTED
    assert "internal error (KeyError)" in entry.reason
    assert one_pass(file, notebook).problems == []


def test_a_fault_of_ours_in_telling_the_feed_ends_as_well(
    write_config: Write, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """never wedging later passes"""

    def faulty(_: FeedClient, item_id: str) -> None:
        raise KeyError(item_id)

    feed.add(make_item("itm_1"))
    file, notebook = write_config(TARGETS), Notebook()
    with monkeypatch.context() as patched:
        patched.setattr(FeedClient, "confirm", faulty)
        for _ in range(FAULTS):
            one_pass(file, notebook)
    feed.add(make_item("itm_2", slug="second"))
    one_pass(file, notebook)
    assert feed.states()["itm_2"] == "used"
    assert sorted(notebook.posts) == ["itm_1", "itm_2"]


def test_a_ledger_with_content_that_cannot_be_read_goes_on(
    write_config: Write, feed: FakeFeed
) -> None:
    """One item that cannot be read must not hide the others."""
    file = write_config(TARGETS)
    with Ledger.open(config.ledger_path(file)) as ledger:
        ledger.receive("itm_1", make_item("itm_1"), 1)
        ledger._db.execute("UPDATE items SET content = ?", ("[" * 100_000,))
    feed.add(make_item("itm_1")).state = "reserved"
    feed.add(make_item("itm_2", slug="second"))
    one_pass(file, Notebook())
    assert feed.states() == {"itm_1": "rejected", "itm_2": "used"}


def test_what_a_site_needs_is_read_from_the_item() -> None:
    """Feed item: id, post, rendered {markdown, html}, generatedAt"""
    post = Post.from_item(make_item())
    assert post.id == "itm_1"
    assert post.title == "How to descale an espresso machine"
    assert post.slug == "descale-espresso-machine"
    assert post.description == "Descale it in an hour: what to buy & what to avoid."
    assert post.keywords == ("descale espresso machine", "citric acid")
    assert post.generated_at.isoformat() == "2026-05-01T10:00:00.250000+00:00"


def test_a_title_inside_the_body_is_taken_out() -> None:
    """Every site adds the title itself; no raw # is left either."""
    post = Post.from_item(make_item())
    assert post.html.startswith("<p>Scale &amp; hard water")
    assert post.markdown.startswith("Scale & hard water")
    assert "<h2>Rinse twice</h2>" in post.html
    assert "## Rinse twice" in post.markdown


def test_a_body_without_a_title_is_kept_whole() -> None:
    """Only a heading of the first level at the very start is the title."""
    rendered = {"html": "<h2>A</h2><h1>b</h1>", "markdown": "## A\n\n# b\n#tag"}
    post = Post.from_item(make_item(rendered=rendered))
    assert post.html == rendered["html"]
    assert post.markdown == rendered["markdown"]


@pytest.mark.parametrize(
    ("suggestion", "title", "slug"),
    [
        ("../../etc/passwd", "T", "etc-passwd"),
        ("/absolute\\path", "T", "absolute-path"),
        ("Größe & Maß", "T", "grosse-mass"),
        ("", "What is 9 x 9?", "what-is-9-x-9"),
        ("…", "…", "itm-1"),
        ("word " * 60, "T", "-".join(["word"] * 20)),
    ],
)
def test_a_slug_is_safe_in_a_path_and_in_an_address(suggestion: str, title: str, slug: str) -> None:
    """Feed content is data: a slug never leaves the target's folder"""
    assert Post.from_item(make_item(slug=suggestion, title=title)).slug == slug


def test_a_key_is_safe_in_a_comment_and_in_a_file_name() -> None:
    """Item identifiers are opaque."""
    assert Post.from_item(make_item("a/b-->c")).key == "a%2Fb--%3Ec"


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"post": None}, "post object"),
        ({"post": {"title": "  "}}, "title"),
        ({"rendered": {}}, "html"),
        ({"rendered": {"html": "<p>x</p>"}}, "markdown"),
        ({"generatedAt": "yesterday"}, "generatedAt: yesterday"),
    ],
)
def test_an_item_that_cannot_be_a_post_is_refused_by_name(
    changes: dict[str, Any], missing: str
) -> None:
    """Bad input gets one clear error"""
    with pytest.raises(BadItem, match=f"{missing}$"):
        Post.from_item(make_item(**changes))
