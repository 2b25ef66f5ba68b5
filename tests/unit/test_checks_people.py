"""What people write in articles is no blocker, and the fault next to it still is one."""

import pytest

from app.core.checks import check_file

# A sentence of each kind that articles have, and the same kind of fault as a machine leaves it.
_SPARED = {
    "a pause in three dots": (
        "The module should never have let it through, we said to ourselves. But…"
    ),
    "an error message in code": (
        "`Fehler: die Datei konnte nicht gelesen werden, weil sie auf dem Server nicht da ist`"
    ),
    "a home folder in an address": r"- ssh://host.example:22/~\[user\]/path/to/repository",
    "a hint with a piece of code": "If the input is a terminal (check with `isatty`), ask for it.",
    "another version of a program": "Here's an updated version of the previous server, with a log.",
}
_FOUND = {
    "a sentence without its end": (
        "The module should never have let it through, we said to ourselves, because of the,"
    ),
    "a paragraph in another language": (
        "Die Datei konnte nicht gelesen werden, weil sie auf dem Server nicht vorhanden war und"
        " auch sonst nirgends."
    ),
    "a mark of a chat": r"Tell me more. \[user\] What is next?",
    "a note to the writer": "The fee is 40 euros (check with legal).",
    "a chatbot": "Here's an updated version of the text.",
}


def _blockers(text: str) -> list[str]:
    found = check_file(f"# A title\n\n{text}\n").findings
    return [entry.finding.check for entry in found if entry.finding.blocks]


@pytest.mark.parametrize("text", _SPARED.values(), ids=_SPARED)
def test_what_people_write_is_no_blocker(text: str) -> None:
    assert _blockers(text) == []


@pytest.mark.parametrize("text", _FOUND.values(), ids=_FOUND)
def test_the_fault_itself_is_still_a_blocker(text: str) -> None:
    assert _blockers(text)


def test_a_sentence_that_two_sections_share_is_no_blocker() -> None:
    pointer = "See the section on testing below for all of the instructions."
    assert _blockers(f"## One\n\n{pointer}\n\n## Two\n\n{pointer}") == []
    assert _blockers(f"## One\n\n{pointer}\n\n{pointer}") == ["repeated_sentence"]


def test_the_first_part_of_a_longer_word_is_in_order() -> None:
    said = "The before-queue filter reads the mail, and the after-filter server takes it."
    assert "senseless" not in _blockers(" ".join([said] * 6))
    assert "senseless" in _blockers(" ".join([said.replace("-", " ")] * 6))
