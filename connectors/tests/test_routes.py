"""Routes: which posts go to which targets; and several feeds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine import item_actions
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.routes import Route, Routing
from copydesk_connectors.engine.states import ItemState
from copydesk_connectors.target.errors import ConfigError

from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed, FeedServer
from .items import MARKDOWN, PAGES, OnePass, Write, entry, make_item
from .test_cli import connect


def route(**settings: Any) -> str:
    """A [[route]] table."""
    lines = [f'{key} = "{value}"' for key, value in settings.items()]
    return "\n".join(["[[route]]", *lines, ""])


def keyworded(item_id: str, keyword: str) -> dict[str, Any]:
    """An item about a keyword."""
    item = make_item(item_id, slug=item_id.replace("_", "-"))
    item["post"]["meta"]["primaryKeyword"] = keyword
    item["post"]["coverageNotes"] = {}
    return item


def names(folder: Path, form: str) -> list[str]:
    return sorted(path.stem for path in folder.glob(form))


def test_three_rules_to_three_categories_and_authors(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
) -> None:
    """Posts of one site that differ in a setting go to targets of their own; one of them that is
    misconfigured stops its own posts only"""
    fake_wordpress.role = "editor"
    for rule in ("Gardening", "Tea", "Espresso"):
        feed.add(make_item(f"itm_{rule}", slug=rule.lower()), rule=rule)

    def blog(name: str, *lines: str) -> str:
        return wordpress_target(*lines).replace('name = "blog"', f'name = "{name}"')

    file = write_config(
        blog("garden", 'category = "Garden"', 'author = "nobody"')
        + blog("drinks", 'category = "Drinks"', 'status = "draft"')
        + blog("rest", 'category = "Rest"')
        + route(rule="gardening", target="garden")
        + route(rule="TEA", target="drinks")
        + route(target="rest")
    )
    outcome = one_pass(file)
    assert outcome.confirmed == 2
    assert outcome.problems[0].startswith('target garden: the site shows no user "nobody"')
    assert feed.states()["itm_Gardening"] == "reserved"
    file.write_text(file.read_text().replace("nobody", "ann-lee"))
    assert one_pass(file).confirmed == 1
    terms = fake_wordpress.terms["categories"]
    found = {
        post["slug"]: (post["status"], [terms[n] for n in post["categories"]], post.get("author"))
        for post in fake_wordpress.posts.values()
    }
    assert found == {
        "gardening": ("publish", ["Garden"], 3),
        "tea": ("draft", ["Drinks"], None),
        "espresso": ("publish", ["Rest"], None),
    }


def test_a_keyword_with_wildcards_chooses_the_target(
    write_config: Write, one_pass: OnePass, feed: FakeFeed, tmp_path: Path
) -> None:
    """`keyword` (wildcards, case-insensitive)"""
    feed.add(keyworded("itm_1", "Raised BED soil"))
    feed.add(keyworded("itm_2", "bedding [cheap]"))
    feed.add(keyworded("itm_3", "tomatoes"))
    routes = route(keyword="raised bed*", target="x").replace('"x"', '["pages", "markdown"]')
    routes += route(keyword="*[CHEAP]", target="pages") + route(keyword="?omatoes", target="pages")
    outcome = one_pass(write_config(PAGES + MARKDOWN + routes))
    assert (outcome.confirmed, outcome.problems) == (3, [])
    assert names(tmp_path / "content", "*.md") == ["itm-1"]
    assert names(tmp_path / "public", "itm-*.md") == ["itm-1", "itm-2", "itm-3"]


def test_the_first_matching_route_decides() -> None:
    """The first route that matches a post decides."""
    routing = Routing(
        routes=(
            Route(target=["a"], feed="one", keyword="tea*"),
            Route(target=["a", "b"], rule="Drinks"),
            Route(target=["b"], keyword="tea"),
        )
    )
    tea = keyworded("itm_1", "Tea")

    def of(feed: str, raw: dict[str, Any]) -> str:
        return "".join(routing.of(feed, raw, ["a", "b", "c"]))

    assert of("one", tea | {"ruleName": "drinks"}) == "ac"
    assert of("two", tea | {"ruleId": "DRINKS"}) == "abc"
    assert of("two", tea) == "bc"
    assert of("two", keyworded("itm_2", "soil")) == "c"
    assert of("two", tea | {"rendered": None}) == "abc"


def test_an_item_that_no_route_sends_anywhere_is_parked_and_can_be_retried(
    write_config: Write, one_pass: OnePass, feed: FakeFeed, tmp_path: Path
) -> None:
    """an item that no route sends anywhere is said in one sentence and is parked"""
    feed.add(keyworded("itm_1", "tea"))
    feed.add(keyworded("itm_2", "beds"))
    file = write_config(PAGES + route(keyword="bed*", target="pages"))
    outcome = one_pass(file)
    assert outcome.confirmed == 1
    assert outcome.problems == [
        "itm_1 was rejected: no route sends it to a target; it is parked in the ledger"
    ]
    assert feed.states() == {"itm_1": "rejected", "itm_2": "used"}
    assert one_pass(file).problems == []
    file.write_text(file.read_text() + route(keyword="tea", target="pages"))
    with Ledger.open(config.ledger_path(file)) as ledger:
        assert [e.id for e in item_actions.to_retry(ledger, None)] == ["itm_1"]
        item_actions.retry(ledger, item_actions.to_retry(ledger, "itm_1"))
    assert one_pass(file).problems == []
    assert names(tmp_path / "public", "itm-*.md") == ["itm-1", "itm-2"]
    assert connect("status", "--config", file).returncode == 0


def test_posts_for_a_target_that_is_down_do_not_hold_up_those_for_another(
    write_config: Write, one_pass: OnePass, feed: FakeFeed, tmp_path: Path
) -> None:
    """one broken target stops no other: others are pulled beside a post that cannot be delivered"""
    feed.add(keyworded("itm_1", "tea"))
    feed.add(keyworded("itm_2", "beds"))
    (tmp_path / "content").write_text("in the way")
    routes = route(keyword="tea", target="markdown") + route(keyword="beds", target="pages")
    file = write_config(PAGES + MARKDOWN + routes)
    outcome = one_pass(file)
    assert (outcome.confirmed, outcome.unfinished) == (1, True)
    for _ in range(4):
        one_pass(file)
    assert feed.states() == {"itm_1": "reserved", "itm_2": "used"}
    assert feed.items[0].sends == 2
    (tmp_path / "content").unlink()
    assert one_pass(file).confirmed == 1
    assert names(tmp_path / "content", "*.md") == ["itm-1"]


@pytest.fixture
def two_feeds(
    feeds: FeedServer, tmp_path: Path
) -> Callable[[str], tuple[Path, FakeFeed, FakeFeed]]:
    """Writes a configuration with the feeds ``garden`` and ``kitchen``."""

    def write(rest: str) -> tuple[Path, FakeFeed, FakeFeed]:
        garden, kitchen = feeds.new(), feeds.new()
        file = tmp_path / "copydesk.toml"
        tables = [
            f'[[feed]]\nname = "garden"\nurl = "{garden.url}"\nparallel = 2\n',
            f'[[feed]]\nname = "kitchen"\nurl = "{kitchen.url}"\npoll_minutes = 5\n',
        ]
        file.write_text("".join(tables) + rest)
        file.chmod(0o600)
        return file, garden, kitchen

    return write


def test_two_feeds_go_where_their_routes_say(
    two_feeds: Callable[[str], tuple[Path, FakeFeed, FakeFeed]], one_pass: OnePass, tmp_path: Path
) -> None:
    """`[[feed]]` each with a name; `[[route]]` with `feed`"""
    file, garden, kitchen = two_feeds(
        PAGES
        + MARKDOWN
        + route(feed="garden", target="x").replace('"x"', '["pages", "markdown"]')
        + route(target="markdown")
    )
    for number in (1, 2):
        garden.add(keyworded(f"itm_g{number}", "beds"))
        kitchen.add(keyworded(f"itm_k{number}", "tea"))
    loaded = config.load(file)
    assert (loaded.poll_minutes, loaded.parallel) == (5, 2)
    outcome = one_pass(file)
    assert (outcome.confirmed, outcome.problems) == (4, [])
    assert set(garden.states().values()) | set(kitchen.states().values()) == {"used"}
    assert names(tmp_path / "public", "itm-*.md") == ["itm-g1", "itm-g2"]
    assert names(tmp_path / "content", "*.md") == ["itm-g1", "itm-g2", "itm-k1", "itm-k2"]
    assert entry(file, "itm_k1").feed == "kitchen"


@pytest.mark.parametrize("fault", ["HEAD", "GET", "POST"])
def test_one_broken_feed_stops_no_other(
    two_feeds: Callable[[str], tuple[Path, FakeFeed, FakeFeed]], one_pass: OnePass, fault: str
) -> None:
    """One broken feed stops no other."""
    file, garden, kitchen = two_feeds(PAGES)
    for number in range(3):
        garden.add(keyworded(f"itm_g{number}", "beds"))
        kitchen.add(keyworded(f"itm_k{number}", "tea"))
    garden.failing.add(fault)
    outcome = one_pass(file)
    assert outcome.confirmed == 3
    assert any("garden" in problem or "itm_g" in problem for problem in outcome.problems)
    assert set(kitchen.states().values()) == {"used"}
    garden.failing.clear()
    assert one_pass(file).confirmed == 3


def test_a_feed_may_be_renamed_or_removed(
    two_feeds: Callable[[str], tuple[Path, FakeFeed, FakeFeed]], one_pass: OnePass
) -> None:
    """nothing that was accepted is lost"""
    file, garden, _ = two_feeds(PAGES)
    garden.add(keyworded("itm_1", "beds"))
    garden.failing.add("POST")
    one_pass(file)
    garden.failing.clear()
    both = file.read_text()
    file.write_text(both.replace("garden", "other"))
    outcome = one_pass(file)
    assert outcome.confirmed == 1
    assert outcome.problems == [
        "the feed garden is not in the configuration and cannot be told what became of its posts: "
        "add it again under this name"
    ]
    assert (garden.states(), garden.items[0].sends) == ({"itm_1": "used"}, 2)
    assert entry(file, "itm_1").state is ItemState.CONFIRMED
    assert one_pass(file).problems == []


def test_an_item_that_two_feeds_deliver_stays_with_the_first(
    two_feeds: Callable[[str], tuple[Path, FakeFeed, FakeFeed]], one_pass: OnePass, tmp_path: Path
) -> None:
    """nothing doubled, and no feed answers for another"""
    file, garden, kitchen = two_feeds(PAGES)
    garden.add(keyworded("itm_1", "beds"))
    kitchen.add(keyworded("itm_1", "tea"))
    outcome = one_pass(file)
    assert outcome.problems == [
        "itm_1 came from the feed garden; it is left alone at the feed kitchen, which delivers it "
        "as well"
    ]
    assert (garden.states(), kitchen.states()) == ({"itm_1": "used"}, {"itm_1": "reserved"})


FEED = (
    '[[feed]]\nurl = "https://feed.example/v1/content-tokens/tok_{0}secretsecret"\nname = "{0}"\n'
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PAGES + route(target="paegs"), r'1 target: must be pages, not "paegs"; did you mean'),
        (PAGES + route(feed="b", target="pages"), r'\[\[route\]\] 1 feed: must be a, not "b"'),
        (PAGES + route(rule="Tea"), r"\[\[route\]\] 1 target: is missing; set target"),
        (PAGES + route(target="pages", path="x"), r"\[\[route\]\] 1 path: is not a setting here"),
        (PAGES + route(target="pages", rul="x"), r"rul: is not a setting here; did you"),
        (PAGES + "[route]\ntarget = 'pages'\n", r"\[\[route\]\]: write each route as a table"),
        (PAGES + FEED.format("a"), r'\[\[feed\]\] 2 name: "a" is already used; give each feed a'),
        (
            PAGES + FEED.format("a").replace('name = "a"', 'name = "b"'),
            r'\[\[feed\]\] 2 url: is that of the feed "a" as well; give both a different `rule`',
        ),
        (
            PAGES + FEED.format("b") + route(feed="a", target="pages"),
            r'\[\[feed\]\] 2 name: no \[\[route\]\] sends the posts of the feed "b" to a target',
        ),
        (PAGES + "required = 1\n", r"\[\[target\]\] 1 required: must be true or false"),
    ],
)
def test_an_error_names_the_route_the_key_and_what_would_be_right(
    tmp_path: Path, text: str, message: str
) -> None:
    """errors naming `route 2: category …`; nothing of the feed's secret"""
    file = tmp_path / "copydesk.toml"
    file.write_text(FEED.format("a") + text)
    file.chmod(0o600)
    with pytest.raises(ConfigError, match=message) as caught:
        config.load(file)
    assert "secretsecret" not in str(caught.value)


def test_one_url_may_be_two_feeds_by_rule(tmp_path: Path) -> None:
    """Posts of one rule are then independent of those of another."""
    file = tmp_path / "copydesk.toml"
    second = FEED.format("a").replace('name = "a"', 'name = "b"\nrule = "Tea"')
    file.write_text(FEED.format("a") + 'rule = "Beds"\n' + second + PAGES)
    assert [feed.rule for feed in config.load(file).feeds] == ["Beds", "Tea"]
