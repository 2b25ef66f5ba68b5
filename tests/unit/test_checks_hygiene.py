"""What must not be in a text at all, where exactly it stands, and what only looks like it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.checks import Finding, Kind, Passage, Severity, check_passage

BEFORE, AFTER = "Fresh beans taste better, and ", " is part of this sentence."


def findings(text: str, kind: Kind = Kind.PROSE, language: str = "en") -> list[Finding]:
    return check_passage(Passage("sections[1]", kind, text), language)


def assert_trips(check: str, text: str, found: str) -> None:
    """One blocker of that check, and its span is exactly what was found."""
    (finding,) = (f for f in findings(text) if f.check == check)
    assert finding.severity is Severity.BLOCKER
    assert finding.section == "sections[1]"
    assert finding.span is not None
    assert text[slice(*finding.span)] == found
    assert finding.reason


@pytest.mark.parametrize(
    "placeholder",
    [
        "[insert product here]",
        "[Your Name]",
        "[Company Name]",
        "[PRODUCT NAME]",
        "[link to the guide]",
        "<insert link>",
        "{company}",
        "{{first_name}}",
        "${price}",
        "%CITY_NAME%",
        "TODO",
        "TBD",
        "FIXME",
        "XXX",
        "lorem ipsum",
        "Lorem Ipsum",
    ],
)
def test_a_placeholder_is_a_blocker(placeholder: str) -> None:
    assert_trips("placeholder", BEFORE + placeholder + AFTER, placeholder)


@pytest.mark.parametrize(
    "phrase",
    [
        "(your keyboard)",
        "(insert the filter first)",
        "your name on the jar",
        "a to-do list",
        "[sic]",
        "“[the] jar”",
        "50% of people",
        "a size XXL shirt",
        "insert a filter",
    ],
)
def test_what_only_looks_like_a_placeholder(phrase: str) -> None:
    assert "placeholder" not in {f.check for f in findings(BEFORE + phrase + AFTER)}


def test_todo_is_a_word_of_spanish() -> None:
    text = "Todo el mundo toma café por la mañana, y todo sale bien."
    assert findings(text, language="es") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("As an AI language model, I cannot taste it at all.", "As an AI language model,"),
        ("That is hard to say as an AI.", "as an AI."),
        ("As an AI trained on recipes, I like it cold.", "As an AI trained on recipes, I"),
        ("This is, as a large language model puts it, good.", "as a large language model"),
        ("I'm an AI and have never had a cup of it.", "I'm an AI"),
        ("I am a virtual assistant who likes a cup of it.", "I am a virtual assistant"),
        ("Sure! Here it comes, cold and strong and sweet.", "Sure! Here"),
        ("Certainly, I will write about coffee for you.", "Certainly, I"),
        ("Well then.\nOf course! Let me pour you a cup now.", "Of course! Let me"),
        ("Here is a short paragraph about the cold brew.", "Here is a short paragraph"),
        ("Here’s the revised version: coffee is cold now.", "Here’s the revised version"),
        ("It keeps for a week. I hope this helps you all.", "I hope this helps"),
        ("It is cold. Let me know if you want more of it.", "Let me know if you"),
        ("As requested, the coffee is cold and very sweet.", "As requested"),
        ("The phrase “cold brew” is used by many people.", "The phrase “"),
        ("The aim of this paragraph is to explain coffee.", "this paragraph"),
        ("It was not in my training data, so who knows it.", "my training data"),
    ],
)
def test_talk_of_an_assistant_is_a_blocker(text: str, found: str) -> None:
    assert_trips("assistant_talk", text, found)


@pytest.mark.parametrize(
    "text",
    [
        "An AI model learns from examples. Teams use an AI model to sort their mail.",
        "Treat the model as an AI tool for editors, and check what it writes.",
        "As an AI company, the firm sells software to hospitals.",
        "A language model predicts the next word, and a large language model does it well.",
        "I am aware that assistants help. I am an aimless reader of recipes.",
        "Of course, the water matters as well. Sure, it takes a night.",
        "Here is the reason: the grounds give up their oils slowly.",
        "It helps to know your water. Hope is not a method.",
    ],
)
def test_what_only_sounds_like_an_assistant(text: str) -> None:
    assert [f for f in findings(text) if f.blocks] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Cold brew is a drink of its own.", "# "),
        ("Cold brew is good.\n## Why it is good\nIt is cold.", "## "),
        ("- Cold brew is a drink of its own.", "- "),
        ("* Cold brew is a drink of its own.", "* "),
        ("1. Cold brew is a drink of its own.", "1. "),
        ("Take these steps.\n12) Pour it over the ice and wait.", "12) "),
        ("> Cold brew is a drink of its own.", "> "),
        ("| Cold | brew is a drink of its own.", "|"),
        ("Cold brew is **very** good on a hot day.", "**"),
        ("Cold brew is __very__ good on a hot day.", "__"),
        ("Type `brew` into the box on that page.", "`"),
        ("Cold brew is good.\n---\nIt keeps for days.", "---"),
        ("Cold brew is good.\n* * *\nIt keeps for days.", "* "),
        ("```\nCold brew is a drink of its own.", "```"),
    ],
)
def test_markdown_in_prose_is_a_blocker(text: str, found: str) -> None:
    assert_trips("markup", text, found)


def test_an_item_may_have_a_number_in_its_name() -> None:
    item = Passage("sections[1].blocks[0].items[0]", Kind.ITEM, "5. Showerhead. Screw it on.")
    assert [each for each in check_passage(item, "en") if each.check == "markup"] == []
    starred = Passage(item.section, Kind.ITEM, "5. A **showerhead.")
    assert [each.check for each in check_passage(starred, "en") if each.blocks] == ["markup"]


@pytest.mark.parametrize(
    "text",
    [
        "Six jars are 5 * 3 minus nine, as 2 * 3 shows.",
        "2024. That was the year when it all began.",
        "2024 was the year when it all began.",
        "The #1 reason is time, and #2 is water.",
        "A ratio of 1:8 - or 1 - 8 - is strong enough.",
        "– Dashes may open a line of dialogue in prose.",
        "Name the file cold_brew and the other old_brew.",
        "It rose to 10. After that it fell for a while.",
        "3.5 litres fill the jar to its very brim.",
    ],
)
def test_what_only_looks_like_markdown(text: str) -> None:
    assert [f for f in findings(text) if f.blocks] == []


@pytest.mark.parametrize(
    "character",
    ["\x00", "\x07", "\x0b", "\x1b", "\x7f", "\x85", "\u200b", "\u2028", "\ufeff", "\ufffd",
     "\ue000", "\uf8ff", "\uffff", "\U000f0000"],
)  # fmt: skip
def test_a_character_that_no_page_can_show_is_a_blocker(character: str) -> None:
    assert_trips("control_character", BEFORE + character + AFTER, character)


def test_ordinary_characters_of_any_script_are_none() -> None:
    for text in (
        "Ein Café kostet 3,50 €.",
        "😀 👩‍👩‍👧 ☕️ are all fine.",
        "می‌خواهم یک قهوه بنوشم.",
        "一杯のコーヒー。",
    ):
        assert "control_character" not in {f.check for f in findings(text)}


@pytest.mark.parametrize(
    ("kind", "severity"),
    [(Kind.PROSE, Severity.WARNING), (Kind.DESCRIPTION, Severity.BLOCKER)],
)
def test_a_text_that_speaks_of_itself(kind: Kind, severity: Severity) -> None:
    text = "It is easy. In this blog post you learn to brew."
    (finding,) = findings(text, kind)
    assert (finding.check, finding.severity) == ("self_reference", severity)
    assert finding.span is not None
    assert text[slice(*finding.span)] == "In this blog post"
    assert findings("In this country they post a guide to every door.", kind) == []


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_of_passage_is_searched(kind: Kind) -> None:
    checks = {f.check for f in findings("See **https://example.com** <b> TODO \x00.", kind)}
    assert {"link", "html", "placeholder", "control_character", "markup"} <= checks


@given(st.text(max_size=80), st.sampled_from(list(Kind)), st.sampled_from(["en", "th", "ja", "xx"]))
def test_any_text_can_be_inspected(text: str, kind: Kind, language: str) -> None:
    for finding in check_passage(Passage("x", kind, text, text[:9]), language):
        assert finding.span is None or 0 <= finding.span[0] < finding.span[1] <= len(text)


def test_hostile_lengths_take_no_more_than_a_moment() -> None:
    began = time.perf_counter()
    for bit in ("a-", "a.", "a@", "[", "<a ", "&a", "\n", "!?[a]", "aaa.b-", "as an ai ", "{{"):
        findings((bit * 10_000)[:10_000])
    assert time.perf_counter() - began < 10
