"""Blocks that Markdown does not recognise are reported as what they were meant to be."""

import time

import pytest

from app.core.checks import Kind, Passage, check_file
from app.core.checks.broken_blocks import broken, check_broken_block

HEAD = "# Pots\n\nThe pot is made of steel and lasts for many years in most homes.\n\n"
TAIL = "\n\nMost people like it because it is light, and it costs little in the shops.\n"


def reasons(text: str, check: str, language: str = "en") -> list[str]:
    found = check_file(text, language).findings
    return [each.finding.reason for each in found if each.finding.check == check]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("| Pot | Price | |---|---| | Steel | 5 |", "A table"),
        ("| Pot | Price |\n| Steel | 5 |", "Rows of a table"),
        ("##Why steel lasts", "A heading"),
        ("\\## Why steel lasts", "A heading"),
        ("    ## Why steel lasts", "A heading is indented"),
        ("1. Fill the pot. 2. Heat it well. 3. Let it cool.", "Steps"),
        ("• the pot • the lid • the handle", "Items"),
        ("– the pot – the lid – the handle", "Items"),
        ("!(photo of the pot)", "A picture"),
        ("![a pot](url)", "A picture has no file"),
        ("1. - the pot\n2. the lid", "An item of a list begins with two signs"),
        ("4. 4. Fill the pot.", "An item of a list begins with two signs"),
        ("~~~\nfill the pot", "A code block begins"),
    ],
)
def test_a_block_that_shows_as_text_is_named(text: str, what: str) -> None:
    (reason, *_) = reasons(HEAD + text + TAIL, "broken_block")
    assert reason.startswith(what)


@pytest.mark.parametrize(
    "text",
    [
        "| Pot | Price |\n|---|---|\n| Steel | 5 |",
        "## Why steel lasts",
        "In 1. FC Union, the 2. Bundesliga and version 3. Nobody knows why.",
        "The pot – a steel one – is light.",
        "- the pot\n- the lid",
        "The range 1 | 2 is fine.",
        "#steel and #pots are tags.",
        "1. 2. Bundesliga",
        "![a pot](pots/steel.png)",
        "```\nfill the pot\n```",
        "    # a comment of a shell\n    fill pot",
    ],
)
def test_a_block_that_markdown_sees_is_none(text: str) -> None:
    assert not reasons(HEAD + text + TAIL, "broken_block")


def test_a_broken_table_is_reported_once() -> None:
    found = check_file(HEAD + "| Pot | Price |\n| Steel pots | 5 |" + TAIL, "en").findings
    assert [each.finding.check for each in found if each.line == 5] == ["broken_block"]


def test_a_fence_around_the_whole_text_is_a_leftover() -> None:
    assert not reasons("```markdown\n" + HEAD + TAIL, "broken_block")
    assert reasons(HEAD + TAIL + "\n```\n", "markup")


def test_a_post_has_no_broken_blocks_in_code() -> None:
    passage = Passage("sections[1]", Kind.CODE, "| a | b | |---|---|")
    assert not list(check_broken_block(passage, "en"))


def test_an_item_that_goes_on_behind_its_list_is_found() -> None:
    torn = "- Fill the pot\n- Turn round at\n\nlow water at the latest.\n\n- Go home"
    (reason,) = reasons(HEAD + torn + TAIL, "list_shape")
    assert "goes on behind its list" in reason
    whole = "- Fill the pot.\n- Turn round.\n\nThen go home, and come back.\n\n- Wash it."
    assert not reasons(HEAD + whole + TAIL, "list_shape")


def test_a_row_with_too_many_cells_is_found() -> None:
    table = "| Pot | Price |\n|---|---|\n| Steel | Steel | 5 |\n| Iron | 7 |"
    (reason,) = reasons(HEAD + table + TAIL, "table_shape")
    assert "has 3 of 2 cells" in reason


@pytest.mark.parametrize("heading", ["What the", "How to", "An example a", "Pots and"])
def test_a_heading_that_breaks_off_is_found(heading: str) -> None:
    assert reasons(f"{HEAD}## {heading}\n{TAIL}", "heading_end")


@pytest.mark.parametrize("heading", ["Vitamin A", "What to look for", "Where it comes from"])
def test_a_heading_that_ends_so_on_purpose_is_none(heading: str) -> None:
    assert not reasons(f"{HEAD}## {heading}\n{TAIL}", "heading_end")


def test_one_heading_without_its_sign_is_found() -> None:
    sections = "".join(f"## {name}{TAIL}\n" for name in ("Steel", "Iron", "Clay"))
    assert reasons(f"{HEAD}{sections}What it costs{TAIL}", "lost_heading")
    # Two are the way in which the author divides sections.
    two = f"{HEAD}{sections}What it costs{TAIL}\nWhere it is sold{TAIL}"
    assert not reasons(two, "lost_heading")
    caption = f"{HEAD}{sections}Figure 12.1 The pot{TAIL}"
    assert not reasons(caption, "lost_heading")


@pytest.mark.parametrize("text", ["1. A. " * 20_000, "• a " * 20_000, "| a " * 20_000])
def test_long_paragraphs_take_little_time(text: str) -> None:
    begin = time.process_time()
    broken(text)
    assert time.process_time() - begin < 1
