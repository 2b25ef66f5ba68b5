"""The editor: findings with quotations that stand in the text."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.checks import (
    CHECKS,
    CONTRADICTS_EARLIER_POST,
    COPIED_FROM_SOURCE,
    Finding,
    Kind,
    Passage,
    check_misspelling,
    passages,
    post_words,
)
from app.core.writing.draft import assemble
from app.core.writing.editor import (
    DOUBTFUL,
    EDITOR_CHECKS,
    MAX_FINDINGS,
    Fault,
    Manuscript,
    is_doubt,
    is_editorial,
)
from app.core.writing.parsing import load
from app.core.writing.plan import Plan
from app.core.writing.prompts import most_words
from tests.support.scripted_calls import BRIEF, DRAFT, PLAN, finding

_LINES = re.compile(r"^(\d+)\. (?:\(\w+\) )?(.*)$", re.MULTILINE)
POST = list(passages(assemble(DRAFT, BRIEF)))
MANUSCRIPT = Manuscript(POST, "en")
PROMPT = MANUSCRIPT.prompt(BRIEF, PLAN, "Notes: none.", seed=3)
BLOCKING = {
    "contradiction", "false", "harmful", "off_topic", "nonsense", "disjointed", "instruction_leak",
    "unanswered_question", "heading_not_kept", "wrong_region", "wrong_language", "invented",
}  # fmt: skip
WARNING = {
    "overstated", "missing", "awkward", "filler", "repeated_idea", "cliche", "weak_opening",
    "weak_ending",
}  # fmt: skip


def found(*entries: dict[str, Any], manuscript: Manuscript = MANUSCRIPT) -> list[Finding]:
    assert PROMPT.schema is not None
    return manuscript.findings(load(json.dumps({"findings": entries}), PROMPT.schema))


def quoted(finding: Finding) -> str:
    (passage,) = [each for each in POST if each.section == finding.section]
    assert finding.span is not None
    return passage.text[slice(*finding.span)]


def test_a_finding_stands_where_its_quotation_does() -> None:
    (one,) = found(finding("leaves mud in the glass", "false"))
    assert quoted(one) == "leaves mud in the glass"
    assert one.reason == "“leaves mud in the glass”: It is wrong. Write what is right."
    assert (one.section, one.check) == ("sections[1].blocks[0]", "editor_false")


def test_a_malformed_finding_costs_no_other() -> None:
    good = finding("leaves mud in the glass", "false")
    assert found(good | {"kind": "boring"}, good) == found(good)


@pytest.mark.parametrize(
    "quotation", ["mud in the cup", "", "…", "”", " ", "x" * 5_000, "the glass. A burr grinder"]
)
def test_a_finding_whose_quotation_is_not_in_the_text_is_dropped(quotation: str) -> None:
    assert found(finding(quotation, "false", 1)) == []


@pytest.mark.parametrize(
    "quotation", ["“It stays mild”", '"It stays mild"', "**It stays mild**", " It  stays mild "]
)
def test_marks_around_a_quotation_are_no_part_of_it(quotation: str) -> None:
    (one,) = found(finding(quotation, "false"))
    assert quoted(one) == "It stays mild"


def test_a_quotation_may_have_other_spaces_and_apostrophes_than_the_text() -> None:
    text = "It’s at 5\xa0°C that the “slow” jar rests."
    manuscript = Manuscript([Passage("sections[0]", Kind.PROSE, text)], "en")
    (one,) = found(finding('It\'s at 5 °C that the "slow" jar', "false"), manuscript=manuscript)
    assert one.span == (0, text.index(" rests"))


def test_a_quotation_is_looked_for_in_its_sentence_first() -> None:
    passage = Passage("sections[0]", Kind.PROSE, "The jar rests. Wash it. The jar rests.")
    manuscript = Manuscript([passage], "en")
    for number, begin in ((1, 0), (3, 24), (2, 0), (99, 0), (-1, 0), (10**40, 0)):
        (one,) = found(finding("The jar", "filler", number), manuscript=manuscript)
        assert one.span == (begin, begin + 7), number


def test_a_single_word_counts_only_in_the_sentence_that_is_named() -> None:
    lines = PROMPT.user.splitlines()
    number = next(int(line.partition(".")[0]) for line in lines if "Fine powder" in line)
    assert len(found(finding("powder", "false", number))) == 1
    assert found(finding("powder", "false", 1)) == []


def test_kinds_block_or_warn() -> None:
    assert {fault.value for fault in Fault} == BLOCKING | WARNING
    for kind in BLOCKING | WARNING:
        (one,) = found(finding("leaves mud", kind))
        assert one.blocks is (kind in BLOCKING)
        assert one.fixable
        assert is_editorial(one)
        assert not one.removable


def test_a_finding_that_deletes_most_of_a_sentence_is_removable() -> None:
    (whole,) = found(finding("Fine powder clouds the jar and leaves", "false", action="delete"))
    (words,) = found(finding("mud in the glass", "filler", action="delete"))
    assert whole.removable
    assert not words.removable


def test_a_deletion_that_asks_for_more_is_left_to_the_writer() -> None:
    entry = finding("Fine powder clouds the jar and leaves", "false", action="delete")
    entry["fix"] = "Delete it and let the next sentence name the powder."
    (one,) = found(entry)
    assert not one.removable


def test_what_to_insert_or_to_move_names_its_place() -> None:
    numbered = dict(_LINES.findall(PROMPT.user))
    target = next(int(n) for n, line in numbered.items() if line.startswith("Strain the drink"))
    (inserted,) = found(finding("Fine powder", "missing", action="insert_after"))
    assert inserted.reason.startswith("Insert after “Fine powder”: It is wrong.")
    (moved,) = found(finding("Fine powder", "awkward", action="move_after", target=target))
    assert moved.reason.startswith("Move “Fine powder” to after “Strain the drink through")
    assert moved.related == ("sections[3].blocks[1].items[2]", 0)
    for nowhere in (0, -1, 10**30):
        (one,) = found(finding("Fine powder", "awkward", action="move_after", target=nowhere))
        assert one.related is None


def test_what_to_insert_behind_a_heading_belongs_to_its_section() -> None:
    heading = PLAN.sections[0].heading
    (inserted,) = found(finding(heading, "missing", action="insert_after"))
    assert (inserted.section, inserted.span) == ("sections[1]", None)
    (changed,) = found(finding(heading, "heading_not_kept"))
    assert changed.section == "sections[1].heading"


def test_an_answer_that_was_recorded_without_actions_is_read_by_its_kinds() -> None:
    entry = finding("leaves mud in the glass", "filler")
    del entry["action"], entry["target"]
    (one,) = MANUSCRIPT.findings({"findings": [entry]})
    assert one.removable


def test_more_findings_than_the_most_are_cut_and_not_refused() -> None:
    assert len(found(*[finding("leaves mud", "false")] * (MAX_FINDINGS + 5))) == MAX_FINDINGS


def test_an_answer_with_the_most_findings_fits_into_its_tokens() -> None:
    sentence = "A sealed bottle stays fresh for about a week. "
    longest = finding(sentence, "unanswered_question", 100) | {
        "problem": sentence * 2, "fix": sentence * 2,
    }  # fmt: skip
    # Four characters a token.
    assert len(json.dumps({"findings": [longest] * MAX_FINDINGS})) / 4 < PROMPT.max_tokens


def test_the_editor_reads_every_sentence_once_with_its_number() -> None:
    lines = [line for line in PROMPT.user.splitlines() if line[:1].isdigit()]
    assert [int(line.partition(".")[0]) for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0] == f"1. (title) {PLAN.title}"
    assert any("(question) Can I heat the concentrate?" in line for line in lines)
    for passage in POST:
        assert passage.text.split(". ")[0].rstrip(".") in PROMPT.user


def test_the_editor_sees_items_and_rows_as_such_and_what_the_desk_doubts() -> None:
    table = Passage("sections[1].blocks[1].rows[0][1]", Kind.CELL, "5 euros", about="Price, Jar")
    item = Passage("sections[1].blocks[0].items[0]", Kind.ITEM, "Wash it.")
    doubt = check_misspelling.found(item.section, "“Wash” is misspelled.")
    user = Manuscript([item, table], "en").prompt(BRIEF, PLAN, "", [doubt], seed=1).user
    assert "1. (item) Wash it." in user
    assert "2. (row)  | 5 euros" in user
    assert f"- line 1: {doubt.reason}" in user.partition("doubts this")[2]


_TABLE = [
    Passage(f"sections[0].blocks[1].{row}[{at}]", Kind.CELL, text)
    for row, cells in (
        ("header", ("Jar", "Price", "Keeps")),
        ("rows[0]", ("Small", "5 euros", "One day. Chill it.")),
        ("rows[1]", ("Large", "", "One day. Chill it.")),
    )
    for at, text in enumerate(cells)
    if text
]


def test_the_editor_reads_a_table_row_by_row() -> None:
    below = Passage("sections[0].blocks[2]", Kind.PROSE, "Take the large one.")
    user = Manuscript([*_TABLE, below], "en").prompt(BRIEF, PLAN, "", seed=1).user
    assert (
        "1. (row) Jar | Price | Keeps\n2. (row) Small | 5 euros | One day. Chill it.\n"
        "3. (row) Large |  | One day. Chill it.\n\n4. Take the large one.\n"
    ) in user


@pytest.mark.parametrize(
    ("quotation", "number", "section", "span"),
    [
        ("One day", 3, "rows[1][2]", (0, 7)),
        ("Chill it.", 0, "rows[0][2]", (9, 18)),
        ("Small | 5 euros", 2, "rows[0][0]", (0, 5)),
        ("| 5 euros | One day |", 0, "rows[0][1]", (0, 7)),
        ("Large |  | One day. Chill it.", 3, "rows[1][0]", (0, 5)),
        ("(row) Small | 5 euros", 2, "rows[0][0]", (0, 5)),
        ("3. (row) Large |  | One day. Chill it.", 2, "rows[1][0]", (0, 5)),
    ],
)
def test_a_quotation_from_a_row_stands_at_its_first_cell(
    quotation: str, number: int, section: str, span: tuple[int, int]
) -> None:
    (one,) = found(finding(quotation, "false", number), manuscript=Manuscript(_TABLE, "en"))
    assert (one.section, one.span) == (f"sections[0].blocks[1].{section}", span)


@pytest.mark.parametrize("quotation", ["Small | 6 euros", "5 euros | Small", "Chill it. | Large"])
def test_a_quotation_that_no_row_has_is_dropped(quotation: str) -> None:
    manuscript = Manuscript(_TABLE, "en")
    assert found(finding(quotation, "false", 2), manuscript=manuscript) == []


def test_a_doubt_of_a_cell_names_the_line_of_its_row() -> None:
    doubt = check_misspelling.found(_TABLE[4].section, "“euros” is misspelled.")
    user = Manuscript(_TABLE, "en").prompt(BRIEF, PLAN, "", [doubt], seed=1).user
    assert f"- line 2: {doubt.reason}" in user


def test_a_doubt_is_not_cut_off_within_a_word() -> None:
    doubt = check_misspelling.found("title", "“Wash” is wrong. " + "seventeen " * 60)
    user = MANUSCRIPT.prompt(BRIEF, PLAN, "", [doubt], seed=1).user
    (line,) = (line for line in user.splitlines() if "is wrong." in line)
    assert line.endswith("seventeen …")


def test_doubts_are_of_checks_that_exist_and_only_warnings() -> None:
    assert set(CHECKS) >= DOUBTFUL
    assert is_doubt(check_misspelling.found("title", "“a” is misspelled."))
    for certain in (CHECKS["title_length"], COPIED_FROM_SOURCE, CONTRADICTS_EARLIER_POST):
        assert not is_doubt(certain.found("title", "It is so."))


def test_the_editor_is_told_how_many_words_the_post_has_and_may_have() -> None:
    """Of a file, it is told nothing: a file may have any length."""
    count = post_words(assemble(DRAFT, BRIEF))
    told = f"It has {count} words and may have {most_words(BRIEF)}:"
    assert told in PROMPT.user
    of_file = MANUSCRIPT.prompt(BRIEF, Plan("A file", "", ()), "", seed=3)
    assert "may have" not in of_file.user


def test_the_editor_sees_request_purpose_claims_and_notes() -> None:
    for said in ('"cold brew"', PLAN.purpose, *PLAN.claims, "burr grinder", "Notes: none."):
        assert said in PROMPT.user
    assert all(f"- {fault.value}: " in PROMPT.system for fault in EDITOR_CHECKS)
    assert PROMPT.schema_name == "findings"
    # A claim from memory is no proof of itself.
    noted = MANUSCRIPT.prompt(replace(BRIEF, sourced=True), PLAN, "Notes: none.", seed=3)
    for prompt, is_told in ((PROMPT, True), (noted, False)):
        assert ("its plan is from memory" in prompt.system) is is_told


@given(st.text(max_size=100), st.integers(-3, 40), st.sampled_from(Fault))
def test_every_finding_has_a_span_of_its_passage(quotation: str, number: int, kind: Fault) -> None:
    for one in MANUSCRIPT.findings({"findings": [finding(quotation, kind, number)]}):
        assert quoted(one)


def test_the_label_of_an_item_stands_on_the_line_of_its_text() -> None:
    items = [
        Passage("sections[1].blocks[0].items[0]", Kind.ITEM, "A price rise. It lifts the rate."),
        Passage(
            "sections[1].blocks[0].items[1]", Kind.ITEM, "Read the label of the jar first. Go."
        ),
    ]
    shown = Manuscript(items, "en").prompt(BRIEF, PLAN, "", seed=1).user
    assert "1. (item) A price rise. It lifts the rate.\n2. (item) Read the label" in shown
    assert "3. (item) Go." in shown
