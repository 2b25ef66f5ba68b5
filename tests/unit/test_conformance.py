"""The acceptance tests, the interface and docs/conformance.md say the same."""

import pytest

from tests.conformance.interface import Interface, NotQuotable
from tests.conformance.page import ALONE, PAGE, remainders, rows
from tests.conformance.unquoted import REASONS

TEXT = """# Feed

Pull it. Confirm it; or reject it.

## Item

| Field | Note |
|---|---|
| id | Its name. |
| post | Its text. |

Pull it. It ends:
1. Rule: confirm.
"""


def test_a_clause_is_found_word_for_word() -> None:
    assert Interface(TEXT).quote("Confirm it; or reject it.").section == "Feed"
    assert Interface(TEXT).quote("| id | Its name. |").section == "Item"
    with pytest.raises(NotQuotable, match="does not say: Confirm it or"):
        Interface(TEXT).quote("Confirm it or reject it.")


def test_a_clause_that_stands_twice_needs_its_heading() -> None:
    with pytest.raises(NotQuotable, match="more than once, under “Feed”, “Item”"):
        Interface(TEXT).quote("Pull it.")
    assert Interface(TEXT).quote("Pull it.", "Item").start > TEXT.index("## Item")
    with pytest.raises(NotQuotable, match="does not say under “Feed”"):
        Interface(TEXT).quote("Its text.", "Feed")


def test_what_nobody_quotes_is_what_is_left() -> None:
    interface = Interface(TEXT)
    assert [left.text for left in interface.unquoted([])] == [
        "Pull it.", "Confirm it", "or reject it.", "id | Its name.", "post | Its text.",
        "Pull it.", "Rule: confirm.",
    ]  # fmt: skip
    quotes = [
        interface.quote("Pull it.", "Feed"),
        interface.quote("or reject it."),
        interface.quote("| post | Its text. |"),
        interface.quote("Rule: confirm."),
    ]
    assert [left.text for left in interface.unquoted(quotes)] == [
        "Confirm it", "id | Its name.", "Pull it.",
    ]  # fmt: skip


def listed() -> list[str]:
    """The page's rows that name a test."""
    return [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "::test_" in line]


def test_the_page_lists_every_clause_that_a_test_quotes() -> None:
    wanted, lines = rows(), listed()
    missing = [row for row in wanted if not any(line.startswith(row) for line in lines)]
    assert not missing, f"run `make conformance`; {PAGE.name} does not list {missing}"
    stale = [line for line in lines if not line.startswith(tuple(wanted))]
    assert not stale, f"run `make conformance`; no test quotes any more {stale}"


def test_every_test_on_the_page_has_passed() -> None:
    for line in listed():
        results = {result.strip() for result in line.split("|")[-3:-1]}
        assert "passed" in results, line
        assert results <= {"passed", ALONE}, line


def test_what_no_test_quotes_has_a_reason() -> None:
    left = [remainder.text for remainder in remainders()]
    assert not [text for text in left if text not in REASONS], "a sentence without test or reason"
    assert not [text for text in REASONS if text not in left], "a reason for what is proved"
