"""Reading what a model wrote: its words alone, or a clear reason why they cannot be read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.checks import Kind, Passage, check_passage
from app.core.writing.answer import whole_sentences
from app.core.writing.parsing import MALFORMED, UnreadableAnswer, load, tidy, tidy_all


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("Plain words stay.", "Plain words stay."),
        ("  Plain\n words\t stay. \n", "Plain words stay."),
        ("```\nFenced words.\n```", "Fenced words."),
        ("```markdown\nFenced words.\n```", "Fenced words."),
        ("``` Text\nFenced words.\n```", "Fenced words."),
        ("## A heading\n\nThen the words.", "Then the words."),
        ("# A heading\nThen the words.", "Then the words."),
        ("#1 is no heading.", "#1 is no heading."),
        ("It is **very** good.", "It is very good."),
        ("It is __very__ good.", "It is very good."),
        ("It is *very* good, *truly so*.", "It is very good, truly so."),
        ("Take 5 * 3 * 2 of them.", "Take 5 * 3 * 2 of them."),
        ("Name it cold_brew_jar.", "Name it cold_brew_jar."),
        ('"All of it quoted."', "All of it quoted."),
        ("“All of it quoted.”", "All of it quoted."),
        ("'All of it quoted.'", "All of it quoted."),
        ('"One" and "two"', '"One" and "two"'),
        ("“One” and “two”", "“One” and “two”"),
        ("'It's quoted twice.'", "'It's quoted twice.'"),
        ('"', '"'),
        ("", ""),
    ],
)
def test_what_a_model_wraps_around_its_words_is_taken_off(answer: str, words: str) -> None:
    assert tidy(answer) == words


@given(st.text(st.characters(), max_size=40))
def test_tidy_words_are_on_one_line_and_can_be_stored(answer: str) -> None:
    words = tidy(answer)
    assert words == " ".join(words.split())
    words.encode()


def test_half_a_character_is_left_for_the_checks_to_refuse() -> None:
    answer = load('{"text": "Half a \\ud83d character is in here."}', SCHEMA)
    passage = Passage("x", Kind.PROSE, answer["text"])
    assert [f.check for f in check_passage(passage, "en")] == ["control_character"]


def test_every_string_of_an_answer_is_tidied() -> None:
    assert tidy_all({"a": ["**b**", {"c": ' "d" '}], "e": 5, "f": None}) == {
        "a": ["b", {"c": "d"}],
        "e": 5,
        "f": None,
    }


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "answer",
    [
        '{"text": "Words."}',
        ' \n{"text": "Words."}\n ',
        '```json\n{"text": "Words."}\n```',
        '```JSON\n{"text": "Words."}\n```',
        '```\n{"text": "Words."}```',
        '``` json \n{"text": "Words."}\n ```',
        '{"text": "**Words.**"}',
    ],
)
def test_json_is_loaded_also_out_of_a_fence(answer: str) -> None:
    assert load(answer, SCHEMA) == {"text": "Words."}


LISTED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "claims": {"type": "array", "items": {"type": "string"}},
        "parts": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "form": {"type": "string", "enum": ["prose", "by_hand"]},
                    "words": {"type": "integer"},
                },
                "required": ["form", "words"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["title", "claims", "parts"],
    "additionalProperties": False,
}
ONE = {"title": "Words", "claims": [], "parts": [{"form": "by_hand", "words": 12}]}


@pytest.mark.parametrize(
    "changes",
    [
        {"confidence": 0.9, "remarks": ["as asked"]},
        {"claims": None},
        {"parts": [{"form": "by_hand", "words": "12"}]},
        {"parts": [{"form": "by_hand", "words": " 12 ", "why": "short"}]},
        {"parts": [{"form": "By hand", "words": 12}]},
        {"parts": [{"form": "BY-HAND", "words": 12.0}]},
    ],
)
def test_what_an_endpoint_writes_beside_the_schema_costs_no_second_answer(
    changes: dict[str, Any],
) -> None:
    assert load(json.dumps(ONE | changes), LISTED) == ONE
    boxed = {"plan": {"answer": ONE | changes}}
    assert load(json.dumps(boxed), LISTED) == ONE


def test_an_empty_list_or_a_zero_may_be_left_out_but_nothing_else() -> None:
    assert load('{"title": "Words", "parts": [{"form": "prose"}]}', LISTED) == {
        "title": "Words",
        "claims": [],
        "parts": [{"form": "prose", "words": 0}],
    }
    for short in ('{"title": "Words"}', '{"parts": [{"form": "prose"}]}', '{"claims": []}'):
        with pytest.raises(UnreadableAnswer, match="required"):
            load(short, LISTED)


@pytest.mark.parametrize(
    "part",
    [
        {"form": "poem", "words": 12},
        {"form": "prose", "words": "twelve"},
        {"form": "prose", "words": "-1"},
        {"form": "prose", "words": 12.5},
        {"form": "prose", "words": True},
        {"words": 12},
        "prose",
    ],
)
def test_what_is_not_plain_is_not_guessed(part: Any) -> None:
    with pytest.raises(UnreadableAnswer):
        load(json.dumps(ONE | {"parts": [part]}), LISTED)


FINDINGS = LISTED["properties"]["parts"] | {"minItems": 0}
FOUND = LISTED | {"properties": LISTED["properties"] | {"parts": FINDINGS}}


@pytest.mark.parametrize("bad", [{"form": "poem", "words": 1}, {"words": 1}, "prose", None, [[]]])
def test_of_a_list_that_may_be_empty_the_well_formed_entries_stay(bad: Any) -> None:
    (good,) = ONE["parts"]
    answer = load(json.dumps(ONE | {"parts": [bad, good, bad]}), FOUND)
    assert answer.pop(MALFORMED) == [bad, bad]
    assert answer == ONE
    for parts, schema in (([bad], FOUND), ([bad, good], LISTED)):
        with pytest.raises(UnreadableAnswer):
            load(json.dumps(ONE | {"parts": parts}), schema)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "not JSON"),
        ("Words.", "not JSON"),
        ('{"text": "Wor', "not JSON"),
        ('{"text": "Words."} and more', "not JSON"),
        ("[" * 100_000, "not JSON: nested too deeply"),
        ("9" * 10_000, "not JSON"),
        ("null", "$: None is not of type 'object'"),
        ('["Words."]', "$: ['Words.'] is not of type 'object'"),
        ("{}", "$: 'text' is a required property"),
        ('{"text": 5}', "$.text: 5 is not of type 'string'"),
        ('{"text": NaN}', "$.text: nan is not of type 'string'"),
        ('{"text": null}', "$: 'text' is a required property"),
        ('{"more": [{"text": "Words."}]}', "$: 'text' is a required property"),
        ('{"one": {"text": "Words."}, "two": 2}', "$: 'text' is a required property"),
    ],
)
def test_an_answer_of_another_shape_says_how(answer: str, reason: str) -> None:
    with pytest.raises(UnreadableAnswer) as unreadable:
        load(answer, SCHEMA)
    assert str(unreadable.value).startswith(reason)
    assert len(str(unreadable.value)) < 300


_any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["text", "more"]), inner),
    max_leaves=5,
)


@given(_any_json)
def test_any_json_is_loaded_or_unreadable_and_nothing_else(value: Any) -> None:
    try:
        answer = load(json.dumps(value), SCHEMA)
    except UnreadableAnswer:
        return
    assert set(answer) == {"text"}


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("One is whole. Two is wh", "One is whole."),
        ("One is whole. Two is whole. Three is", "One is whole. Two is whole."),
        ("Only one, and it is cut", "Only one, and it is cut"),
        ("", ""),
    ],
)
def test_the_last_sentence_of_a_cut_off_answer_is_dropped(text: str, whole: str) -> None:
    assert whole_sentences(text, "en") == whole


def test_no_part_of_an_answer_is_longer_than_any_post() -> None:
    assert len(tidy("[" * 99_999)) == len(load(json.dumps({"text": "[" * 99_999}), SCHEMA)["text"])
    assert len(tidy("[" * 99_999)) == 20_000
