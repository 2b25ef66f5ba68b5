"""Copied sentences that are easier to read and say the same."""

import pytest

from app.core.writing.style import easier, varied

LONG = "The glass cools quickly once you take the pan off, so fewer spills burn on"


def test_a_long_sentence_that_is_two_is_split() -> None:
    text = f"{LONG}; it still stays hot under the pan for a while."
    assert easier(text, "en") == f"{LONG}. It still stays hot under the pan for a while."


def test_an_order_behind_a_semicolon_is_a_sentence_of_its_own_in_a_step_too() -> None:
    text = f"3. {LONG}; wait until the pan is cold before you clean it."
    assert easier(text, "en") == f"3. {LONG}. Wait until the pan is cold before you clean it."


@pytest.mark.parametrize(
    "text",
    [
        # Short enough.
        "The glass cools quickly; it still stays hot for a while.",
        # The second half has no verb of its own.
        f"{LONG}; with cream and a little butter in the pan, less so.",
        f"{LONG}; it stays hot; it burns.",
        f"{LONG}; it stays hot for two reasons: the pan and the glass.",
        f"| {LONG}; it still stays hot under the pan. |",
        f"## {LONG}; it still stays hot under the pan",
    ],
)
def test_any_other_sentence_stays_whole(text: str) -> None:
    assert easier(text, "en") == text


def test_one_of_three_sentences_that_begin_alike_begins_with_its_order() -> None:
    text = (
        "If the reading is high, wait a minute and measure again. If it stays that high, call your"
        " doctor the same day. If you have pain in the chest, call an ambulance."
    )
    assert easier(text, "en") == (
        "If the reading is high, wait a minute and measure again. Call your doctor the same day if"
        " it stays that high. If you have pain in the chest, call an ambulance."
    )


def test_two_sentences_that_begin_alike_stay_as_they_are() -> None:
    text = "If the reading is high, wait a minute. If it stays that high, call your doctor."
    assert easier(text, "en") == text


@pytest.mark.parametrize(
    "sentence",
    [
        # In front of its noun, the pronoun would point at nothing.
        "If the tick is stuck, pull it out with tweezers.",
        "If the skin gets red, a doctor looks at the bite.",
        "If the skin gets red, itches or hurts, ask a doctor.",
        "If the skin gets red, ask a doctor: some bites need medicine.",
    ],
)
def test_no_sentence_is_turned_that_may_say_something_else(sentence: str) -> None:
    text = " ".join([sentence] * 3)
    assert easier(text, "en") == text


@pytest.mark.parametrize("language", ["de", "sv", "ja"])
def test_a_language_without_rules_for_it_keeps_its_sentences(language: str) -> None:
    text = "Wenn es hoch bleibt, rufen Sie an. " * 3
    assert easier(text.strip(), language) == text.strip()


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (
            ["How long it lasts", "How to store it", "How to use it"],
            ["How long it lasts", "Store it", "How to use it"],
        ),
        (
            ["How long it lasts", "How much it costs", "How to use it", "How to store it"],
            ["How long it lasts", "How much it costs", "Use it", "How to store it"],
        ),
        (["How long it lasts", "How much it costs", "How it works"], None),
        (["How long it lasts", "How to use it", "How it works", "Use it"], None),
        (["How long it lasts", "What it costs", "How to use it"], None),
    ],
)
def test_of_three_headings_that_begin_alike_one_is_an_order(
    headings: list[str], expected: list[str] | None
) -> None:
    assert varied(headings, "en") == (expected or headings)
    assert varied(headings, "de") == headings
