"""`copydesk-server check --editor`: a model edits and marks the file as well."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from app.core.errors import ModelUnavailable, ProhibitedInput
from app.deadline import Deadline
from app.rules.finding import Finding, Severity
from app.rules.markdown_file import FileFinding, Report, check_markdown
from app.services.file_editor import brief_of, review_file
from app.writing.completion import Completion
from tests.support.answers import MARK, Answers, edit
from tests.support.process_group import ProcessGroup
from tests.support.service import ScriptedModel

TEXT = """# Paint a fence

Brush the boards first. Cold water works best for this. Let them dry for a day.

Only boiling water works for this. Then begin at the top.

| tool | use |
|------|-----|
| brush | paint |
| knife | A dull knife cuts more safely than a sharp one. |
"""
TABLE = "A dull knife cuts more safely than a sharp one."


@pytest.fixture(scope="module")
def model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


def check(
    folder: Path, url: str | None, *arguments: str, text: str = TEXT
) -> subprocess.CompletedProcess[str]:
    (folder / "fence.md").write_text(text, encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    settings = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-secret", "COPYDESK_MODEL": "scripted"}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "check", "fence.md", "--editor", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env={
            **kept,
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "PYTHONUTF8": "1",
            "COPYDESK_DATA_DIR": str(folder),
            **({name: str(value) for name, value in settings.items()} if url else {}),
        },
    )


def review(model: Answers, report: Report | None = None) -> tuple[Report, Sequence[Completion]]:
    brief = brief_of(TEXT, "en", (), date(2026, 11, 28))
    return review_file(model, TEXT, brief, report or check_markdown(TEXT, "en"), Deadline(60))


def test_an_editor_finds_what_the_rules_do_not_and_says_what_it_cost(
    tmp_path: Path, model: ScriptedModel
) -> None:
    # The scripted editor takes this sentence out of a paragraph.
    asserted = "Experts agree that nobody in Brackwater was ever asked."
    kept = "Brush the boards first. Cold water works best for this."
    text = TEXT.replace("Let them dry for a day.", asserted)
    assert check_markdown(text, "en").findings == ()
    done = check(tmp_path, model.url, text=text)
    note, edited = done.stdout.splitlines()
    assert edited == f"fence.md:3:1: warning editor: it reads better. Write: {kept}"
    assert note == "fence.md:1:1: warning reader: Add an example."
    assert done.returncode == 0
    summary, cost = done.stderr.splitlines()
    assert summary == "fence.md: 0 blockers, 2 warnings; score 80"
    assert cost.startswith("fence.md: mark 8 of 10; 2 calls to the editor: ")
    answer = json.loads(check(tmp_path, model.url, "--json", text=text).stdout)
    assert [each["check"] for each in answer["findings"]] == ["reader", "editor"]
    assert answer["findings"][1]["quotation"].startswith(kept)
    assert (answer["score"], answer["scoreParts"]["editor"]) == (80, 80)


def test_an_edit_is_a_finding_at_its_passage() -> None:
    """In a table as well; what the editor cannot repair is a blocker."""
    said = edit(TABLE, "A sharp knife is safer than a dull one.", why="false")
    said += "BLOCKING: Half of the steps are missing.\n"
    model = Answers(edit=said, read=MARK.replace("8", "4.5"))
    dull = FileFinding(3, 1, Finding("words", Severity.WARNING, "post", "It is dull."), "")
    report, _ = review(model, replace(check_markdown(TEXT, "en"), findings=(dull,)))
    assert "- It is dull." in model.prompts_for("edit")[0].user
    told = [(each.line, each.column, each.finding.rule, each.quotation) for each in report.findings]
    assert told == [
        (1, 1, "editor", ""),
        (1, 1, "reader", ""),
        (3, 1, "words", ""),
        (10, 11, "editor", TABLE),
    ]
    reasons = [each.finding.reason for each in report.findings]
    assert reasons[0] == "Half of the steps are missing."
    assert reasons[3] == "false. Write: A sharp knife is safer than a dull one."
    assert (report.passes, report.score) == (False, 45)


def test_what_stands_nowhere_or_twice_is_no_finding() -> None:
    said = edit("words that the text has not", "x") + edit("works", "suits")
    report, _ = review(Answers(edit=said))
    assert [each.finding.rule for each in report.findings] == ["reader"]


def test_an_answer_that_cannot_be_read_is_asked_for_again_and_then_given_up() -> None:
    unread = "an edit\n<<<<<<< FIND\nwithout an end"
    model = Answers(edit=[unread, edit(TABLE, "")])
    assert len(review(model)[1]) == 3
    assert model.calls == ["edit", "edit", "read"]
    with pytest.raises(ModelUnavailable) as given_up:
        review(Answers(edit=[unread]))
    assert "No answer of the editor could be read" in given_up.value.operator


def test_a_model_that_declines_is_not_asked_again() -> None:
    model = Answers(edit=[Completion("", refusal="No.")])
    with pytest.raises(ProhibitedInput):
        review(model)
    assert model.calls == ["edit"]


def test_without_an_editor_it_says_what_to_set(tmp_path: Path) -> None:
    done = check(tmp_path, None)
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no editor: set OPENAI_API_KEY or OPENAI_BASE_URL" in done.stderr


def test_an_editor_that_cannot_be_reached_ends_with_a_sentence(tmp_path: Path) -> None:
    done = check(tmp_path, "http://127.0.0.1:9/v1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "fence.md was not read: The model endpoint" in done.stderr
    assert "sk-secret" not in done.stderr
