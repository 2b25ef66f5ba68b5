"""`copydesk-server check --editor`: the editor's edits as well."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from app.core.errors import ModelUnavailable, ProhibitedInput
from app.core.schemas.check import CheckRequest
from app.deadline import Deadline
from app.rules.markdown_file import Report, check_markdown
from app.services.text_check import with_edits
from app.writing.completion import Completion
from tests.support.answers import Answers, edit
from tests.support.process_group import ProcessGroup
from tests.support.service import ScriptedModel

TEXT = """# Paint a fence

Brush the boards first. Cold water works best for this. Let them dry for a day.

Only boiling water works for this. Then begin at the top [TODO].

| tool | use |
|------|-----|
| brush | paint |
| knife | A dull knife cuts more safely than a sharp one. |
"""
TABLE = "A dull knife cuts more safely than a sharp one."


def check(folder: Path, url: str, text: str = TEXT) -> subprocess.CompletedProcess[str]:
    (folder / "fence.md").write_text(text, encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    given = {"COPYDESK_DATA_DIR": str(folder), "OPENAI_BASE_URL": url}
    given |= {"OPENAI_API_KEY": "sk-secret" if url else "", "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "check", "fence.md", "--editor"],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env={**kept, **given, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def edited(model: Answers) -> Report:
    request = CheckRequest(text=TEXT)
    report = check_markdown(request)
    return with_edits(report, request, model, Deadline(60), date(2026, 11, 28))


def test_an_edit_is_a_finding_of_the_command(tmp_path: Path, group: ProcessGroup) -> None:
    # The scripted editor takes this sentence out of a paragraph.
    asserted = "Experts agree that nobody in Brackwater was ever asked."
    text = TEXT.replace("Let them dry for a day.", asserted).replace(" [TODO]", "")
    done = check(tmp_path, ScriptedModel(group).url, text)
    kept = "Brush the boards first. Cold water works best for this."
    assert done.stdout == f"fence.md:3:1: warning editor: it reads better. Write: {kept}\n"
    assert done.stderr == "fence.md: 0 blockers, 1 warning; score 70\n"
    assert done.returncode == 0


def test_an_edit_is_a_finding_where_its_passage_stands_exactly_once() -> None:
    """In a table as well; what the editor cannot repair is a blocker."""
    said = edit(TABLE, "A sharp knife is safer than a dull one.", why="false")
    said += edit("words that the text has not", "x") + edit("works", "suits")
    model = Answers(edit=f"{said}BLOCKING: Half of the steps are missing.\n")
    report = edited(model)
    assert "- “[TODO]” is " in model.prompts_for("edit")[0].user
    told = [(each.line, each.column, each.finding.rule, each.quotation) for each in report.findings]
    assert told == [(1, 1, "editor", ""), (5, 58, "leftover", "[TODO]"), (10, 11, "editor", TABLE)]
    assert report.findings[0].finding.reason == "Half of the steps are missing."
    said = "false. Write: A sharp knife is safer than a dull one."
    assert report.findings[2].finding.reason == said
    assert not report.passes


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("an edit\n<<<<<<< FIND\nwithout an end", ModelUnavailable),
        (Completion("", refusal="No."), ProhibitedInput),
    ],
)
def test_an_answer_of_no_use_is_an_error(answer: str | Completion, error: type[Exception]) -> None:
    with pytest.raises(error):
        edited(Answers(edit=[answer]))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "There is no editor: set OPENAI_API_KEY or OPENAI_BASE_URL"),
        ("http://127.0.0.1:9/v1", "fence.md was not edited: The model endpoint"),
    ],
)
def test_without_an_editor_the_command_ends_with_a_sentence(
    tmp_path: Path, url: str, said: str
) -> None:
    done = check(tmp_path, url)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "sk-secret" not in done.stderr
