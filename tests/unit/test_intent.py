"""Which question a post answers: of two wordings, is it the same?"""

import time

import pytest

from app.core.languages import get_language, known_tags
from app.core.planning.angles import ANGLES, BY_KEY
from app.core.planning.intent import (
    Intent,
    Keys,
    _tables,
    ideas,
    read_intent,
    with_primary_keyword,
)
from app.core.schemas.post import CoverageNotes, Meta, Outline, SEOPost
from app.core.schemas.request import parse_generate_request
from tests.unit.intent_pairs import ASIDE, FRESH, TUNED, Pair

COSTS, MISTAKES = BY_KEY["costs"], BY_KEY["common-mistakes"]


def intent(subject: str, language: str) -> Intent:
    text, _, angle = subject.partition(" @ ")
    found = read_intent(text, language)
    return found.from_angle(BY_KEY[angle]) if angle else found


def says_same(pair: Pair) -> bool:
    return intent(pair.one, pair.language) == intent(pair.other, pair.language)


def wrong(pairs: list[Pair], same: bool) -> list[Pair]:
    return [pair for pair in pairs if pair.same is same and says_same(pair) is not same]


def test_the_halves_are_as_large_as_they_should_be() -> None:
    """“at least 40 pairs (20 same, 20 different; half put aside before the rule is written)”"""
    for half in (TUNED, ASIDE, FRESH):
        assert [pair.same for pair in half].count(True) == 20
        assert [pair.same for pair in half].count(False) == 20
    assert not {(pair.one, pair.other) for pair in TUNED} & {(p.one, p.other) for p in ASIDE}


def test_no_two_different_questions_are_taken_for_one() -> None:
    """“restrained”: an intent that is lost by mistake is a post that is never written."""
    assert wrong(TUNED, same=False) == []
    assert wrong(ASIDE, same=False) == []
    assert wrong(FRESH, same=False) == []


def test_most_wordings_of_one_question_are_recognised() -> None:
    assert len(wrong(TUNED, same=True)) == 0
    assert len(wrong(ASIDE, same=True)) <= 2
    assert len(wrong(FRESH, same=True)) <= 4


@pytest.mark.parametrize(
    ("text", "subject", "sides"),
    [
        ("best coffee grinder", "coffee grinder", {"best"}),
        ("Top 10 coffee grinders", "coffee grinder", {"best"}),
        ("12 Questions You Should Ask Your Roofer", "roofer", {"questions-to-ask"}),
        ("What It Costs to Insulate a Loft", "insul loft", {"costs"}),
        # Words that say nothing in one place say something in another.
        ("human rights", "human right", set()),
        ("the common cold", "cold common", set()),
        ("tank top", "tank top", set()),
        ("101 Dalmatians", "dalmatian", {"first-steps"}),
        ("iPhone 15", "15 iphon", set()),
        ("Best laptops 2025", "2025 laptop", {"best"}),
        ("Coffee without sugar", "coffe sugar without", set()),
        # No subject at all: then each word counts.
        ("How to", "how to", set()),
        ("", "", set()),
        ("50 %", "50", set()),
    ],
)
def test_what_is_read_from_a_text(text: str, subject: str, sides: set[str]) -> None:
    found = read_intent(text, "en")
    assert found.sides == sides
    expected = {word[:5] for word in subject.split()}
    assert {word[:5] for word in found.subject} == expected


@pytest.mark.parametrize("angle", ANGLES, ids=lambda angle: angle.key)
def test_a_keyword_with_the_name_of_an_angle_is_that_angle_of_the_keyword(angle) -> None:  # type: ignore[no-untyped-def]
    expected = read_intent("cold brew", "en").from_angle(angle)
    assert read_intent(f"Cold brew: {angle.name}", "en") == expected


def test_all_angles_of_a_keyword_are_different_questions() -> None:
    """“different angles of one keyword (how to / cost / mistakes / comparison) are different”"""
    one = read_intent("cold brew", "en")
    assert len({one.from_angle(angle) for angle in ANGLES} | {one}) == len(ANGLES) + 1


def test_a_keyword_that_names_an_angle_is_not_written_about_twice_from_it() -> None:
    request = parse_generate_request({"keywords": ["cold brew", "cold brew mistakes"]})
    possible = ideas(request, [MISTAKES, COSTS])
    assert [(idea.keyword, idea.angle.key) for idea in possible] == [
        ("cold brew", "common-mistakes"), ("cold brew", "costs"), ("cold brew mistakes", "costs"),
    ]  # fmt: skip


def test_each_keyword_has_all_angles_and_two_of_one_question_have_them_once() -> None:
    keywords = ["best mug", "top mugs", "cocoa"]
    possible = ideas(parse_generate_request({"keywords": keywords}), ANGLES)
    assert len(possible) == 2 * len(ANGLES)
    assert [idea.angle for idea in possible] == [*ANGLES, *ANGLES]
    assert {idea.keyword for idea in possible} == {"best mug", "cocoa"}


def test_another_topic_is_another_question() -> None:
    plain = parse_generate_request({"keywords": ["cocoa"]})
    framed = parse_generate_request({"keywords": ["cocoa"], "topic": "In a camp kitchen"})
    assert ideas(plain, [COSTS])[0].intent != ideas(framed, [COSTS])[0].intent


def test_the_primary_keyword_comes_first_and_none_is_lost() -> None:
    request = parse_generate_request({"keywords": ["a", "b", "c"]})
    assert with_primary_keyword(request, "c").keywords == ("c", "a", "b")
    assert with_primary_keyword(request, "a") == request


def post(title: str, *headings: str) -> SEOPost:
    return SEOPost(
        title=title, slug_suggestion="s", meta=Meta(description="", primary_keyword=""),
        outline=Outline(h1=title, h2=headings), sections=(), faqs=(), conclusion="",
        coverage_notes=CoverageNotes(keyword_coverage=()),
    )  # fmt: skip


def test_a_post_is_known_by_a_title_that_names_a_side_and_by_three_headings() -> None:
    keys = Keys("tkn_1", "en")
    assert keys.of_post(post("Cold brew at home")) == set()
    costs = keys.of_post(post("What cold brew costs"))
    assert costs == {keys.of(read_intent("cold brew", "en").from_angle(COSTS))}
    assert keys.of_post(post("Cold brew", "The jar", "The water")) == set()
    three = keys.of_post(post("Cold brew", "The jar", "The water", "Straining"))
    assert len(three) == 1
    assert three == keys.of_post(post("Coffee", "Water", "How to strain", "A jar"))
    assert three != keys.of_post(post("Coffee", "Water", "How to strain", "A jug"))


def test_keys_of_feeds_and_languages_differ_and_fit_a_signed_number() -> None:
    found = read_intent("cold brew", "en")
    keys = {Keys(scope, language).of(found) for scope in "ab" for language in ("en", "de", "en-GB")}
    assert len(keys) == 4
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_a_key_never_changes() -> None:
    """Keys are stored: another version must find them again."""
    found = read_intent("best cold brew makers", "en").from_angle(COSTS)
    assert str(found) == "brew cold maker/best costs"
    assert Keys("tkn_1", "en").of(found) == -1136649849113838306


def test_every_language_but_one_has_phrases_for_each_angle() -> None:
    tables = _tables()
    assert set(known_tags()) - set(tables) == {"sv"}
    for tag, table in tables.items():
        assert get_language(tag) is not None
        assert {angle.key for angle in ANGLES} <= set(table.sides)
        assert set(table.sides) == set(tables["en"].sides)
        for phrase in (*table.neutral, *(text for group in table.sides.values() for text in group)):
            assert phrase == phrase.strip().lower()


def test_in_a_language_without_phrases_every_word_counts() -> None:
    assert read_intent("kaffe utan socker", "sv") != read_intent("kaffe med socker", "sv")
    assert read_intent("Kaffe", "sv") == read_intent("kaffe", "sv")
    assert read_intent("冷萃 咖啡", "zh") == read_intent("咖啡 冷萃", "zh")


def test_a_long_text_takes_no_longer_than_a_title() -> None:
    for text in ("how " * 20_000, "mistakes ... " * 20_000, "common " * 20_000, "a" * 100_000):
        read_intent("warm", "en")
        begin = time.perf_counter()
        read_intent(text, "en")
        assert time.perf_counter() - begin < 0.5
