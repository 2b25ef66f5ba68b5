"""The acceptance tests, the interface and docs/proofs/conformance.md say the same."""

import ast
from itertools import pairwise

from tests.conformance.mutants import ROOT, mutants
from tests.conformance.page import ALONE, PAGE, remainders, rows
from tests.conformance.quotes import ACCEPTANCE, proofs
from tests.conformance.unquoted import REASONS


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


def test_no_two_quotations_overlap() -> None:
    quotes = {proof.quote for proof in proofs()}
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
