"""The registry lists every check once, and everything that names checks reads it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from random import Random

import pytest

from app.api.openapi.document import document
from app.core import checks
from app.core.checks import CHECKS, DESK_CHECKS, check_file, check_passage, check_post
from app.core.checks.check import Check, DeskCheck, FilePart, Scope, Severity
from app.core.checks.desk import (
    DOCUMENT_CHECKS,
    LAYOUT_CHECKS,
    PASSAGE_CHECKS,
    POST_CHECKS,
    SECTION_CHECKS,
    TEXT_CHECKS,
    by_name,
)
from app.core.checks.passage import Kind, Passage
from bench.desk_checks import with_table
from bench.desk_mutations import KINDS
from bench.desk_posts import good_posts

ROOT = Path(__file__).parents[2]


def defined() -> Iterator[Check]:
    """The checks of every module of the room."""
    for module in iter_modules(checks.__path__, "app.core.checks."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Check):
                yield value


def names_in_findings() -> Iterator[str]:
    """Every check that a call of blocker() in the product names."""
    for path in sorted((ROOT / "app").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "blocker"
            ):
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    yield str(name.value)
                elif isinstance(name, ast.Name):
                    yield str(constants[name.id])


def test_every_check_that_is_defined_is_registered() -> None:
    found = {check.name for check in defined()}
    assert len(found) > 30
    assert found == CHECKS.keys()


def test_every_finding_names_a_registered_check() -> None:
    found = set(names_in_findings())
    assert found
    assert found <= CHECKS.keys()


def test_a_name_cannot_be_registered_twice() -> None:
    first = next(iter(CHECKS.values()))
    with pytest.raises(ValueError, match=f"{first.name} is registered twice"):
        by_name([first, first])


@pytest.mark.parametrize(
    ("scope", "listed"),
    [
        (Scope.PASSAGE, PASSAGE_CHECKS),
        (Scope.SECTION, SECTION_CHECKS),
        (Scope.DOCUMENT, DOCUMENT_CHECKS),
        (Scope.DOCUMENT, TEXT_CHECKS),
        (Scope.LAYOUT, LAYOUT_CHECKS),
        (Scope.POST, POST_CHECKS),
    ],
)
def test_a_check_is_listed_by_its_scope(
    scope: Scope, listed: tuple[DeskCheck[object, object], ...]
) -> None:
    assert {check.scope for check in listed} == {scope}
    assert all(check.function.__name__ == f"check_{check.name}" for check in listed)


def test_what_a_reviser_may_cut_points_at_a_text_and_what_it_may_fix_can_be_a_warning() -> None:
    for check in CHECKS.values():
        if check.fixable:
            assert Severity.WARNING in {check.severity, check.sometimes}
    removable = {name for name, check in CHECKS.items() if check.removable}
    assert {"link", "markup", "unsupported_claim", "repeated_sentence"} <= removable
    assert not {"too_short", "keyword_missing", "title_length", "sections"} & removable


def test_findings_have_a_severity_and_end_with_the_remedy_that_their_check_states() -> None:
    post, brief = next(iter(good_posts()))
    seen = set()
    for mutate in KINDS.values():
        if defect := mutate(post, brief, Random(0)):
            for finding in check_post(defect.post, brief).findings:
                check = CHECKS[finding.check]
                assert finding.severity in {check.severity, check.sometimes}
                assert finding.reason.endswith(check.remedy_for(finding.keyword))
                seen.add(finding.check)
    assert len(seen) > 20


def test_a_check_works_in_the_languages_whose_file_has_its_section() -> None:
    def skipped(language: str) -> set[str]:
        return {check.name for check in DESK_CHECKS if not check.knows(language)}

    of_consistency = {
        "contradictory_figures", "contradictory_sentences", "wrong_sum", "wrong_conversion",
        "impossible_date", "impossible_range", "mixed_address",
    }  # fmt: skip
    english = {
        "wrong_article", "comma_splice", "question_mark", "ordinal", "grammar",
        "wrong_word",
    }  # fmt: skip
    grammar = {
        "misspelling", "doubled_word", "confused_words", "disagreement", "missing_capital",
        "senseless", "usage",
    }  # fmt: skip
    promised = {
        "count", "promise", "unanswered", "reference", "step_order", "alike", "section_order",
        "careless_advice",
    }  # fmt: skip
    manner = {
        "hard_sell",
        "clickbait",
        "insult",
        "prejudice",
        "officialese",
        "hedging",
        "one_sided",
    }
    placed = {"misplaced", "restated_heading"}
    # Word order and the words of praise and of repetition are known for English only.
    english |= {"redundancy", "word_salad", "says_little", "shuffled"}
    assert skipped("fi") == english | grammar | promised | manner | placed | of_consistency | {
        "sentence_length", "passive_voice", "transition_words", "same_openings", "flesch",
        "self_reference", "cliche", "filler", "vague_source", "profanity", "mixed_script",
        "off_subject",
    }  # fmt: skip
    assert skipped("sv") == english | grammar | promised | manner | placed | of_consistency | {
        "passive_voice",
        "flesch",
    }
    assert skipped("pt-BR") == english | manner | placed
    assert skipped("fr") == english | placed
    assert skipped("es") == (english | placed) - {"question_mark"}
    assert skipped("de") == english - {"question_mark"}
    assert skipped("en-GB") == set()


def test_a_check_that_does_not_know_the_language_is_not_made() -> None:
    text = "In this article we look at jars."
    passage = Passage("sections[0]", Kind.PROSE, text)
    assert [finding.check for finding in check_passage(passage, "en")] == ["self_reference"]
    assert check_passage(passage, "fi") == []


def test_check_file_skips_what_does_not_apply_to_files() -> None:
    skipped = set(check_file("A jar.", "en").skipped)
    assert skipped == {check.name for check in DESK_CHECKS if check.in_files is None}
    assert {"link", "too_short", "keyword_slug"} <= skipped
    assert CHECKS["placeholder"].in_files is FilePart.TEXT


def test_the_page_on_quality_has_the_present_table() -> None:
    page = (ROOT / "docs/proofs/quality.md").read_text("utf-8")
    assert page == with_table(page), "run make checks-table"
    assert all(f"| `{name}` |" in page for name in CHECKS)


def test_the_api_document_names_every_check() -> None:
    details = document()["components"]["schemas"]["Error"]["properties"]["details"]
    finding = details["properties"]["findings"]["items"]["properties"]
    assert finding["check"]["enum"] == list(CHECKS)


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("from app.cli import main; main(['--help'], standalone_mode=False)", "app.core.checks"),
        ("import app.core.checks", "markdown_it"),
        ("import app.core.checks", "py3langid"),
    ],
)
def test_nothing_is_loaded_that_is_not_needed_at_start(code: str, unwanted: str) -> None:
    code = f"{code}\nimport sys; sys.exit({unwanted!r} in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
