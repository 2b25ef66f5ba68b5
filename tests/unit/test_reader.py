"""A reader's answer: mark, notes, and proofs that stand in a source."""

from datetime import UTC, datetime

import pytest

from app.sources.source import Source
from app.writing.edits import UnreadableAnswer
from app.writing.reader import parse_reading, statements

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def source(text: str) -> Source:
    return Source("https://a.example/1", "a.example", "Page", text, "en", None, NOW)


PAGES = (source("Steep it for 12 hours.\n\nThe jar — of glass — stays closed."), source("Else."))
ASKED = [(1, "It steeps for 12 hours."), (2, "The jar is closed."), (3, "Experts agree.")]


def test_a_statement_is_proved_by_words_that_stand_in_a_source() -> None:
    reading = parse_reading(
        "1 | 1 | “Steep it for 12 hours.”\n2 | 1 | the jar … stays closed\n"
        "3 | NONE | no page names experts\n\n- Vague end.\n\nMARK: 7,5\n", ASKED, PAGES,
    )  # fmt: skip
    assert reading.mark == 7.5
    assert reading.notes == ("Vague end.",)
    assert [(p.statement, p.source.text[:5]) for p in reading.proofs] == [
        (ASKED[0][1], "Steep"), (ASKED[1][1], "Steep"),
    ]  # fmt: skip
    assert reading.unsupported == {"Experts agree.": "no page names experts"}


def test_words_that_stand_in_no_source_prove_nothing() -> None:
    """DESIGN: a quotation that is not in the source does not count."""
    reading = parse_reading("1 | 1 | Steep it for 14 hours.\nMARK: 8", ASKED, PAGES)
    assert list(reading.unsupported) == ["It steeps for 12 hours."]
    assert not reading.proofs


def test_a_wrong_number_of_a_page_does_not_lose_a_proof() -> None:
    reading = parse_reading("1 | 2 | Steep it for 12 hours.\nMARK: 8", ASKED, PAGES)
    assert reading.proofs[0].source is PAGES[0]


def test_a_line_that_was_copied_badly_does_not_outweigh_a_good_one() -> None:
    answer = "1 | 1 | Steep for long.\n1 | 1 | Steep it for 12 hours.\nMARK: 8"
    assert not parse_reading(answer, ASKED, PAGES).unsupported


def test_an_answer_without_a_mark_is_unreadable() -> None:
    with pytest.raises(UnreadableAnswer):
        parse_reading("It is a fine post.", (), ())


def test_statements_are_sentences_items_and_rows_without_markdown() -> None:
    found = statements(
        "# A title\n\n> A description.\n\nOne **bold** sentence. Two.\n\n## Heading\n\n"
        "1. An item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "en",
    )  # fmt: skip
    assert found == (
        "A title", "A description.", "One bold sentence.", "Two.", "An item", "a | b", "1 | 2",
    )  # fmt: skip
