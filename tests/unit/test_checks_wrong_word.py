"""Words that hardly ever stand between their neighbours."""

import pytest

from app.core.checks import check_file
from app.core.checks.passage import Kind, Passage
from app.core.checks.wrong_word import check_wrong_word


def reasons(text: str) -> list[str]:
    return [each.reason for each in check_wrong_word([Passage("post", Kind.PROSE, text)], "en")]


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("The water flows threw the pipe.", "through"),
        ("Put the kettle on the stove and weight until it boils.", "wait"),
    ],
)
def test_a_real_word_that_never_stands_there_is_reported(text: str, instead: str) -> None:
    (reason,) = reasons(text)

    assert f"“{instead}”" in reason


@pytest.mark.parametrize(
    "text",
    [
        "The water flows through the pipe.",
        "Put the kettle on the stove and wait until it boils.",
        "Zyx threw qwv.",
        "",
    ],
)
def test_words_that_belong_there_are_not_reported(text: str) -> None:
    assert reasons(text) == []


def test_a_file_is_checked_for_it() -> None:
    report = check_file("# Pipes\n\nThe water flows threw the pipe.\n")

    assert "wrong_word" in {each.finding.check for each in report.findings}
