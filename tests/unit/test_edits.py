"""Exact edits: read from an answer, applied where they stand once."""

import pytest

from app.writing.edits import (
    Edit,
    UnreadableAnswer,
    apply,
    find_once,
    is_cut,
    parse_edits,
    without,
)

DOCUMENT = "# Title\n\nOne “plain” sentence. Another one.\n\n- first\n- second\n"


def test_an_answer_has_a_base_edits_with_reasons_and_what_blocks() -> None:
    answer = parse_edits(
        "BASE: B\n\nWHY: too vague\n<<<<<<< FIND\nAnother one.\n=======\nA second one.\n"
        ">>>>>>> END\n\nBLOCKING: the topic is missing\nBLOCKING: none\n",
        chooses=True,
    )
    assert answer.base == "B"
    assert answer.edits == (Edit("Another one.", "A second one."),)
    assert answer.blocking == ("the topic is missing",)


@pytest.mark.parametrize(
    "answer",
    [
        "**BASE:** A\n",
        "I take B’s table.\n\nBASE: A (better)\n\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
        "```\nBASE: a\n<<<<<<<\nx\n=======\n>>>>>>>\n```",
    ],
)
def test_other_marks_and_talk_around_an_answer_are_read(answer: str) -> None:
    assert parse_edits(answer, chooses=True).base == "A"


def test_an_answer_without_a_base_or_with_an_open_edit_is_unreadable() -> None:
    with pytest.raises(UnreadableAnswer):
        parse_edits("The first is better.", chooses=True)
    assert parse_edits("BASE: B\n").base == "A", "there was nothing to choose"
    with pytest.raises(UnreadableAnswer):
        parse_edits("<<<<<<< FIND\nx\n=======\ny\n")


def test_an_edit_applies_if_its_passage_stands_once_and_is_dropped_otherwise() -> None:
    """DESIGN: An edit applies if its passage stands in the post exactly once."""
    twice = Edit("one", "two")
    edited, dropped = apply("one and one and three\n", [twice, Edit("three", "four")])
    assert edited == "one and one and four\n"
    assert dropped == [twice]


@pytest.mark.parametrize(
    "passage",
    ['One "plain" sentence.', "One  “plain”\nsentence.", "One „plain“ sentence."],
)
def test_spaces_and_quotation_marks_are_folded(passage: str) -> None:
    edited, dropped = apply(DOCUMENT, [Edit(passage, "Changed.")])
    assert "\n\nChanged. Another one." in edited
    assert not dropped


def test_a_blank_line_that_only_the_replacement_has_begins_a_paragraph() -> None:
    answer = "<<<<<<< FIND\n{}b.\n=======\n\n- c\n>>>>>>> END\n"
    for blank, edited in (("", "a. \n\n- c d.\n"), ("\n", "a. - c d.\n")):
        assert apply("a. b. d.", parse_edits(answer.format(blank)).edits)[0] == edited


def test_a_passage_that_is_not_there_or_empty_is_found_nowhere() -> None:
    assert find_once(DOCUMENT, "absent") is None
    assert find_once(DOCUMENT, " \n") is None


def test_an_item_goes_with_its_mark_and_a_sentence_with_its_emphasis() -> None:
    assert without(DOCUMENT, "second").rstrip() == DOCUMENT.replace("- second\n", "").rstrip()
    assert without("A fact. **It is so.** More.\n", "It is so.") == "A fact. More.\n"


def test_a_cut_takes_words_out_and_adds_none() -> None:
    assert is_cut(Edit("one two three", "one three"))
    assert is_cut(Edit("one two three", ""))
    assert not is_cut(Edit("one two three", "one four"))
    assert not is_cut(Edit("one two", "one two"))
