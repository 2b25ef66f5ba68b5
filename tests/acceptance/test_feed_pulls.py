"""The feed's four endpoints, clause by clause, over real HTTP; half of it by the SDK's Feed."""

import pytest

from copydesk import FeedItem, NotFoundError, PublishError, Reject
from tests.conformance.interface import clause
from tests.support.feeds import RunningFeed
from tests.support.response_schemas import STRING, TIME, error_of, matches, obj


@clause(
    "200, content available: {available: true, item: {id, post, rendered {markdown, html},"
    " generatedAt, deliveryCount}}."
)
@clause("ruleId, ruleName | string | Only in the items list response.")
@clause("| id | string | Item identifier. |", under="Content token feed")
@clause("| generatedAt | string | ISO 8601 UTC timestamp. |")
@clause("| rendered | object | markdown and html strings.")
def test_latest_with_content(feed: RunningFeed) -> None:
    (item,) = feed.add_items(feed.add_rule())
    shape = obj(
        id={"const": item},
        post={"type": "object"},
        rendered=obj(markdown=STRING, html=STRING),
        generatedAt=TIME,
        deliveryCount={"const": 1},
    )
    matches(feed.latest(), obj(available={"const": True}, item=shape))


@clause("200, nothing new (normal, not an error): {available: false}. Means nothing is reserved")
@clause("pull with nothing new is 200 with available false;")
def test_latest_without_content(feed: RunningFeed) -> None:
    rule = feed.add_rule()
    for query in ("", "?next=true", "?next=false"):
        answer = feed.call("GET", f"latest{query}")
        assert (answer.status_code, answer.json()) == (200, {"available": False})
    (item,) = feed.add_items(rule)
    with feed.sdk() as sdk:
        assert sdk.latest() is not None
        sdk.confirm(item)
        assert sdk.latest() is None
        assert sdk.items() == []


@clause(
    "200 response: {count: integer, limit: integer (100), items: Item[]}. Returns every"
    " pending article on the token across all rules,"
)
@clause("Each item has id, ruleId, ruleName, post, rendered, generatedAt, deliveryCount.")
@clause("Under it, one or more keyword rules,")
@clause("Order of items: not shown.")
def test_items_of_all_rules(feed: RunningFeed) -> None:
    coffee, tea = feed.add_rule("Coffee"), feed.add_rule("Tea")
    made = [*feed.add_items(coffee), *feed.add_items(tea, 2), *feed.add_items(coffee)]
    body = feed.items()
    assert set(body) == {"count", "limit", "items"}
    assert (body["count"], body["limit"]) == (4, 100)
    for item in body["items"]:
        assert set(item) == {
            "id", "ruleId", "ruleName", "post", "rendered", "generatedAt", "deliveryCount",
        }  # fmt: skip
    # Of one state, the oldest comes first.
    assert [item["id"] for item in body["items"]] == made
    names = [(item["ruleId"], item["ruleName"]) for item in body["items"]]
    assert names == [(coffee, "Coffee"), (tea, "Tea"), (tea, "Tea"), (coffee, "Coffee")]


@clause("items endpoint returns at most 100 items per call;")
@clause("up to 100.")
def test_items_returns_100_at_most(feed: RunningFeed) -> None:
    made = [*feed.add_items(feed.add_rule("Coffee"), 70), *feed.add_items(feed.add_rule("Tea"), 70)]
    body = feed.items()
    assert body["count"] == 100
    assert [item["id"] for item in body["items"]] == made[:100]
    assert feed.states() == [("reserved", 1)] * 100 + [("pending", 0)] * 40


@clause(
    "Each returned item is reserved and must be confirmed or rejected individually; a"
    " further call resends unresolved ones plus new ones;"
)
def test_items_are_settled_one_by_one(feed: RunningFeed) -> None:
    rule = feed.add_rule()
    one, two, three = feed.add_items(rule, 3)
    with feed.sdk() as sdk:
        assert [item.id for item in sdk.items()] == [one, two, three]
        assert feed.states() == [("reserved", 1)] * 3
        sdk.confirm(two)
        assert feed.states() == [("reserved", 1), ("used", 1), ("reserved", 1)]
        sdk.reject(three)
        (new,) = feed.add_items(rule)
        assert [(i.id, i.delivery_count) for i in sdk.items()] == [(one, 2), (new, 1)]


@pytest.mark.parametrize("by", ["name", "other case", "id"])
@clause("Query: rule (optional; rule name, case-insensitive, or rule id)")
@clause("to restrict to one rule.")
@clause("has ruleId (string), ruleName (string, matched case-insensitively in queries")
def test_items_of_one_rule(feed: RunningFeed, by: str) -> None:
    coffee, tea = feed.add_rule("Coffee"), feed.add_rule("Grüner Tee")
    feed.add_items(coffee)
    wanted = feed.add_items(tea, 2)
    rule = {"name": "Grüner Tee", "other case": "GRÜNER tee", "id": tea}[by]
    with feed.sdk() as sdk:
        pulled = sdk.items(rule=rule)
    assert [item.id for item in pulled] == wanted
    assert {(item.rule_id, item.rule_name) for item in pulled} == {(tea, "Grüner Tee")}
    # The other rule's item was left alone.
    assert feed.states() == [("pending", 0), ("reserved", 1), ("reserved", 1)]


@clause("to restrict to one rule.")
def test_items_of_a_rule_that_is_not_there(feed: RunningFeed) -> None:
    """An empty list would hide a spelling mistake for good."""
    feed.add_items(feed.add_rule("Coffee"))
    with feed.sdk() as sdk, pytest.raises(NotFoundError) as unknown:
        sdk.items(rule="Cofee")
    assert unknown.value.code == "NOT_FOUND"
    assert feed.states() == [("pending", 0)]


@clause("The consumer pulls an item, publishes it, then confirms or rejects it.")
def test_a_consumer_works_a_feed_off(feed: RunningFeed) -> None:
    published, rejected, failing, last = feed.add_items(feed.add_rule(), 4)
    site: list[str] = []

    def publish(item: FeedItem) -> None:
        if item.id == rejected:
            raise Reject("not for this site")
        if item.id == failing:
            raise OSError("the site is down")
        site.append(item.id)

    with feed.sdk() as sdk:
        for _ in range(3):
            with pytest.raises(PublishError, match="the site is down"):
                sdk.consume(publish, find=lambda item: item.id in site)
        (done,) = sdk.consume(publish, find=lambda item: item.id in site)
        assert done.status == "published"
    assert site == [published, last]
    assert feed.states() == [("used", 1), ("rejected", 1), ("abandoned", 3), ("used", 1)]


def everything(feed: RunningFeed, item: str) -> list[tuple[str, str]]:
    pulls = ["latest", "latest?next=true", "items", "items?rule=Coffee"]
    settles = [f"items/{item}/{verb}" for verb in ("confirm", "reject")]
    return [("GET", path) for path in pulls] + [("POST", path) for path in settles]


@clause("Unknown token: error body with code NOT_FOUND and a message.")
@clause("| NOT_FOUND | Unknown content token (message states so). |")
def test_an_unknown_token(feed: RunningFeed) -> None:
    (item,) = feed.add_items(feed.add_rule())
    unknown = RunningFeed(feed.service, feed.account_id, feed.token_id, feed.token[:-1])
    for method, path in everything(feed, item):
        answer = unknown.call(method, path)
        error = error_of(answer, 404, "NOT_FOUND")
        assert error == {"code": "NOT_FOUND", "message": "Unknown content token."}
    with unknown.sdk() as sdk, pytest.raises(NotFoundError):
        sdk.latest()
    assert feed.states() == [("pending", 0)]


@clause("| pending | pull (latest or items) | item claimed | reserved | deliveryCount is 1 |")
@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_what_must_be_safe_claims_nothing(feed: RunningFeed, method: str) -> None:
    """HEAD and OPTIONS never claim, and say nothing of an item."""
    feed.add_items(feed.add_rule(), 2)
    feed.latest()
    for path in ("latest", "latest?next=true", "items", "items?rule=Coffee"):
        answer = feed.call(method, path)
        assert (answer.status_code, answer.content) == (200, b"")
    assert feed.states() == [("reserved", 1), ("pending", 0)]


@clause("deliveryCount increments")
def test_no_cache_keeps_an_answer(feed: RunningFeed) -> None:
    """Pulls answer Cache-Control: no-store, errors too."""
    (item,) = feed.add_items(feed.add_rule())
    calls = [*everything(feed, item), ("HEAD", "latest"), ("GET", "latest?next=maybe")]
    answers = [feed.call(method, path) for method, path in calls]
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}
