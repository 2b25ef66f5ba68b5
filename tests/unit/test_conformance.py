"""The acceptance tests, the interface and docs/proofs/conformance.md say the same."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conformance.interface import Interface, NotQuotable, Quote
from tests.conformance.mutants import ROOT, Mutant, mutants
from tests.conformance.page import ALONE, PAGE, remainders, rows
from tests.conformance.quotes import ACCEPTANCE, proofs
from tests.conformance.single import SINGLE
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


def test_a_clause_of_a_longer_one_is_found_in_it_alone() -> None:
    interface = Interface("# Feed\n\nIt is fresh, short and relevant. It is short.\n")
    sentence = "It is fresh, short and relevant."
    short = interface.quote("short", of=sentence)
    assert interface.text[short.start - 2 : short.end] == ", short"
    assert interface.sentence_of(short) == sentence
    with pytest.raises(NotQuotable, match="more than once"):
        interface.quote("short")
    with pytest.raises(NotQuotable, match="nowhere in “It is fresh"):
        interface.quote("fres", of=sentence)
    quotes = [short, interface.quote("It is fresh,"), interface.quote("It is short.")]
    assert [left.text for left in interface.unquoted(quotes)] == ["relevant."]
    assert interface.unquoted([*quotes, interface.quote("relevant.")]) == [], "“and” says nothing"


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("freshness/relevance", True),
        ("fresh, short", True),
        ("fresh and short", True),
        ("It is fresh. It is short.", True),
        ("fresh; short", True),
        ("It is fresh.", False),
        ("and short.", False),
        ("POST /v1/jobs", False),
        ("| post {title, text} |", False),
    ],
)
def test_a_list_and_joined_clauses_seem_several_claims(text: str, several: bool) -> None:
    assert Quote(text, "Feed", 0).seems_several is several


def test_what_nobody_quotes_is_what_is_left() -> None:
    interface = Interface(TEXT)
    assert [left.text for left in interface.unquoted([])] == [
        "Pull it.", "Confirm it", "reject it.", "id | Its name.", "post | Its text.",
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


def test_a_quotation_is_one_claim() -> None:
    quotes = {proof.quote for proof in proofs()}
    joined = {quote.text for quote in quotes if quote.seems_several}
    assert not joined - SINGLE, "quote each claim separately, or list it in single.py"
    assert not SINGLE - joined, "single.py lists what no test quotes, or what is one claim anyway"
    for one, other in pairwise(sorted(quotes, key=lambda quote: (quote.start, quote.end))):
        assert one.end <= other.start, f"claims overlap: {one.text!r}, {other.text!r}"


def test_what_no_test_quotes_has_a_reason() -> None:
    left = [remainder.text for remainder in remainders()]
    assert not [text for text in left if text not in REASONS], "a sentence without test or reason"
    assert not [text for text in REASONS if text not in left], "a reason for what is proved"


def acceptance_tests() -> set[str]:
    return {
        f"{path.name}::{node.name}"
        for path in ACCEPTANCE.glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }


def test_every_mutant_can_be_applied_and_breaks_a_claim_of_its_test() -> None:
    table, tests = mutants(), acceptance_tests()
    assert len(table) >= 30
    assert len({mutant.name for mutant in table}) == len(table)
    quoted = proofs()
    for mutant in table:
        assert mutant.mutated(ROOT) != (ROOT / mutant.file).read_text(encoding="utf-8")
        assert mutant.test in tests, mutant.name
        proved = [proof.quote.text for proof in quoted if proof.test == mutant.test]
        assert any(mutant.claim in text for text in proved), (mutant.name, proved)


def test_a_mutant_whose_text_is_not_there_once_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one = 1\none = 1\ntwo = 2\n")
    for text, times in (("one", 2), ("three", 0)):
        mutant = Mutant("m", "a.py", text, "x", "claim", "test")
        with pytest.raises(ValueError, match=f"has '{text}' {times} times"):
            mutant.mutated(tmp_path)
    assert Mutant("m", "a.py", "two = 2", "two = 3", "", "").mutated(tmp_path).endswith("two = 3\n")
