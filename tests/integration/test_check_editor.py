"""`copydesk-server check --editor`: a model reads the file as well."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.checks import check_file
from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.services.file_editor import MAX_CHARS, FileEditor
from tests.support.process_group import ProcessGroup
from tests.support.scripted_calls import ScriptedModel as ScriptedCalls
from tests.support.service import ScriptedModel

TEXT = """# Paint a Fence

Brush the boards first. Cold water works best for this. Let them dry for a day.

Only boiling water works for this. Then begin at the top.

| tool | use |
|------|-----|
| brush | paint |
| knife | A dull knife cuts more safely than a sharp one. |
"""


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ProcessGroup() as running:
        yield ScriptedModel(running)


def check(
    folder: Path, url: str | None, *arguments: str, text: str = TEXT
) -> subprocess.CompletedProcess[str]:
    (folder / "fence.md").write_text(text, encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    settings = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-secret", "COPYDESK_MODEL": "scripted"}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "check", "fence.md", *arguments],
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


def test_an_editor_finds_what_the_checks_do_not_and_says_what_it_cost(
    tmp_path: Path, model: ScriptedModel
) -> None:
    assert check_file(TEXT).findings == ()
    done = check(tmp_path, model.url, "--editor")
    assert done.stdout.splitlines() == [
        "fence.md:5:1: blocker editor_contradiction: “Only boiling water works for this.”: Cold"
        " water is recommended above. Say that cold water works best.",
        "fence.md:10:11: blocker editor_false: “A dull knife cuts more safely than a sharp one.”: A"
        " dull knife slips and is less safe. Say that a sharp knife is safer.",
    ]
    assert done.returncode == 1
    summary, cost = done.stderr.splitlines()
    assert "substance not examined" not in summary
    assert cost.startswith("fence.md: 1 call to the editor: ")


def test_the_findings_of_an_editor_are_in_the_json(tmp_path: Path, model: ScriptedModel) -> None:
    answer = json.loads(check(tmp_path, model.url, "--editor", "--json").stdout)
    assert [each["check"] for each in answer["findings"]] == [
        "editor_contradiction",
        "editor_false",
    ]
    assert answer["findings"][0]["quotation"] == "Only boiling water works for this."
    assert isinstance(answer["scoreParts"]["substance"], int)


def test_without_an_editor_it_says_what_to_set(tmp_path: Path) -> None:
    done = check(tmp_path, None, "--editor")
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no editor: set OPENAI_API_KEY or OPENAI_BASE_URL" in done.stderr


def test_an_editor_that_cannot_be_reached_ends_with_a_sentence(tmp_path: Path) -> None:
    done = check(tmp_path, "http://127.0.0.1:9/v1", "--editor")
    assert (done.returncode, done.stdout) == (2, "")
    assert "fence.md was not read: The model endpoint" in done.stderr
    assert "sk-secret" not in done.stderr


def test_a_long_text_is_not_sent(tmp_path: Path, model: ScriptedModel) -> None:
    before = model.calls()
    done = check(tmp_path, model.url, "--editor", text="# A\n\n" + "word " * MAX_CHARS)
    assert (done.returncode, done.stdout, model.calls()) == (2, "", before)
    assert "an editor reads at most 100,000" in done.stderr


def test_what_the_checks_doubt_is_for_the_editor_to_judge() -> None:
    text = "# Tea\n\nStudies show that green tea calms. Brew it for two minutes.\n"
    assert [each.finding.check for each in check_file(text).findings] == ["vague_source"]
    nothing = ScriptedCalls({"findings": [{"findings": []}]})
    editor = FileEditor(nothing, Deadline(60), "en")
    assert check_file(text, reader=editor).findings == ()
    ((_, prompt),) = nothing.prompts
    assert "A program that compares words doubts this." in prompt.user


def test_an_answer_that_cannot_be_read_is_asked_for_again_and_then_given_up() -> None:
    editor = FileEditor(
        ScriptedCalls({"findings": ["no JSON", {"findings": []}]}), Deadline(60), "en"
    )
    check_file(TEXT, reader=editor)
    assert len(editor.calls) == 2
    given_up = FileEditor(ScriptedCalls({"findings": ["no"]}), Deadline(60), "en")
    with pytest.raises(ModelUnavailable) as raised:
        check_file(TEXT, reader=given_up)
    assert "No answer of the editor could be read" in raised.value.operator
