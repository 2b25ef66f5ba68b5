"""Titles and descriptions that say what a post has."""

from collections.abc import Sequence

import pytest

from app.core.checks import DESCRIPTION_CHARS
from app.core.planning.brief import Brief, make_brief
from app.core.schemas.request import parse_generate_request
from app.core.verification import Extract
from app.core.writing.composition import Composer
from app.core.writing.search_result import Part, SearchResult

STEPS = Part("How to remove a tick", steps=6)
TABLE = Part("Watching for Lyme disease afterwards", is_table=True)
PARTS = (STEPS, TABLE, Part("What not to do yourself"), Part("How to prevent a tick bite"))
ANSWER = "Remove a tick as soon as you find it, before the tick bite gets red."


def brief_of(keyword: str, topic: str | None = None, language: str = "en") -> Brief:
    body = {"keywords": [keyword], "language": language}
    request = parse_generate_request(body | ({"topic": topic} if topic else {}))
    return make_brief(request, max_words=600, sourced=True)


def result_of(brief: Brief, *notes: str) -> SearchResult:
    names = Composer([Extract(0, text) for text in notes], brief, 400).names
    return SearchResult(brief, names)


def described(
    brief: Brief, *introduction: str, parts: Sequence[Part] = PARTS, answers: int = 0
) -> list[str]:
    return result_of(brief, *introduction).descriptions("Ticks", introduction, parts, answers)


def test_a_description_says_what_the_post_has_in_its_order_with_the_number_of_steps() -> None:
    brief = brief_of("tick bite", "removing a tick and watching for Lyme disease")
    best = described(brief, f"{ANSWER[:-1]}, {'and that is long ' * 5}indeed.")[0]
    assert best == (
        "How to remove a tick in 6 steps, watching for Lyme disease afterwards, what not to do"
        " yourself and how to prevent a tick bite."
    )


def test_a_short_answer_comes_first() -> None:
    best = described(brief_of("tick bite", "removing a tick"), ANSWER)[0]
    assert best.startswith(f"{ANSWER} At a glance: ")


def test_every_description_has_the_right_length_and_names_the_keyword() -> None:
    brief = brief_of("tick bite", "removing a tick")
    least, most = DESCRIPTION_CHARS
    found = described(brief, ANSWER, "It takes a minute.", answers=4)
    assert found
    assert all(least <= len(line) <= most and "bite" in line.lower() for line in found)


def test_answers_are_told_if_there_are_some() -> None:
    brief = brief_of("tick bite", "removing a tick")
    assert any("answers to 4 questions" in line for line in described(brief, ANSWER, answers=4))
    assert not any("answers" in line for line in described(brief, ANSWER, answers=2))


@pytest.mark.parametrize(
    "heading",
    ["What if the tick stays?", "If you have no tweezers", "Check your skin", "", "Ready to go"],
)
def test_a_heading_that_cannot_stand_in_a_sentence_is_not_told(heading: str) -> None:
    found = described(brief_of("tick bite"), ANSWER, parts=[*PARTS, Part(heading)])
    told = heading.lower()
    assert not any(told in line.lower() for line in found if told)


def test_headings_begin_with_a_small_letter_in_a_german_sentence_unless_they_are_nouns() -> None:
    brief = brief_of("Zeckenbiss", "Zecken entfernen", "de")
    parts = [
        Part("Wie man eine Zecke entfernt", steps=5), Part("Symptome nach dem Zeckenbiss"),
        Part("Was in den ersten Wochen nach dem Zeckenbiss gilt"),
    ]  # fmt: skip
    best = described(brief, "Eine Zecke muss schnell weg.", parts=parts)[0]
    assert best == (
        "Wie man eine Zecke entfernt in 5 Schritten, Symptome nach dem Zeckenbiss und was in den"
        " ersten Wochen nach dem Zeckenbiss gilt."
    )


def test_without_headings_a_description_is_sentences_of_the_introduction() -> None:
    second = "Grip it with fine tweezers close to the skin, and pull slowly upwards."
    found = described(brief_of("tick bite"), ANSWER, second, parts=())
    assert found == [f"{ANSWER} {second}"]


def test_a_language_without_rules_gets_what_it_can() -> None:
    brief = brief_of("fästing", "ta bort en fästing", "sv")
    result = result_of(brief)
    parts = [Part("Så tar du bort en fästing"), Part("Borrelia")]
    titles = result.titles(parts, [], "ta bort en fästing")
    assert titles[0] == "Ta bort en fästing"
    assert result.descriptions(titles[0], ["Kort."], parts, 0) == []


def test_a_title_is_the_topic_as_far_as_the_post_has_it_without_a_last_word_that_says_little() -> (
    None
):
    topic = "removing a tick and watching for Lyme disease afterwards"
    titles = result_of(brief_of("tick bite", topic)).titles(PARTS, ["Ticks"], topic)
    assert titles[0] == "Tick bite: removing a tick and watching for Lyme disease"


def test_a_section_that_says_more_of_the_topic_than_its_beginning_is_the_title() -> None:
    topic = "what a tenant can do when the landlord keeps the deposit"
    parts = [Part("What to do when the landlord keeps the deposit", steps=7)]
    result = result_of(brief_of("tenancy deposit", topic))
    titles = result.titles(parts, [], "The landlord keeps the deposit.")
    assert titles[0] == "Tenancy deposit: what to do when the landlord keeps the deposit"


def test_a_title_that_begins_with_the_keyword_is_better_than_one_that_says_a_little_more() -> None:
    topic = "moving a small company from passwords to passkeys"
    parts = [Part("How to move from passwords to passkeys", steps=9)]
    titles = result_of(brief_of("passkeys", topic)).titles(parts, [], topic)
    assert titles[0] == "Passkeys: moving a small company from passwords"


@pytest.mark.parametrize(
    ("keyword", "topic", "language"),
    [
        ("passkeys", "passwords and passkeys", "en"),
        ("dogs", "telling apart small cats and dogs", "en"),
        ("sourdough", "baking bread without sourdough", "en"),
        ("Elterngeld", "zwei Monate Pause ohne Elterngeld", "de"),
    ],
)
def test_a_topic_does_not_lose_the_keyword_at_its_end_if_it_would_say_something_else(
    keyword: str, topic: str, language: str
) -> None:
    titles = result_of(brief_of(keyword, topic, language)).titles([], [], topic)
    assert titles[0] == f"{topic[0].upper()}{topic[1:]}"


def test_a_description_is_the_answer_if_that_has_the_right_length() -> None:
    answer = f"{ANSWER[:-1]}, and watch the skin around it for three whole months."
    assert described(brief_of("tick bite", "removing a tick"), answer)[0] == answer


def test_an_answer_that_does_not_name_the_keyword_stands_behind_it() -> None:
    answer = (
        "Start with email, because anyone who controls a mailbox can reset the passwords of most"
        " other accounts of a company."
    )
    best = described(brief_of("passkeys"), answer, parts=())[0]
    assert best == f"Passkeys: s{answer[1:]}"


def test_without_a_topic_the_title_is_that_of_a_page_or_of_sections() -> None:
    result = result_of(brief_of("tick bite"))
    assert result.titles(PARTS, ["Ticks in the garden"], "")[0] == "Tick bite: ticks in the garden"
    assert result.titles(PARTS, [], "")[0] == "Tick bite: how to remove a tick"


def test_a_description_that_is_a_little_short_is_better_than_one_without_the_keyword() -> None:
    parts = [Part("Connecting appliances"), Part("The safe ways to connect")]
    long = f"A generator keeps the furnace going when the power is out, {'and so on, ' * 12}always."
    assert described(brief_of("generator safety"), long, parts=parts)[0] == (
        "Generator safety: connecting appliances and the safe ways to connect."
    )
