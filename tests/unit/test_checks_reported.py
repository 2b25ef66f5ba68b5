"""Sentences that readers reported as false alarms pass; faults beside them are still found."""

import pytest

from app.core.checks import check_file


def checks(text: str, language: str = "en") -> set[str]:
    return {each.finding.check for each in check_file(f"# A title\n\n{text}", language).findings}


@pytest.mark.parametrize(
    ("language", "check", "right", "wrong"),
    [
        ("en", "usage", "You can ask an advice centre.", "You can ask an advice from him."),
        ("en", "misspelling", "Keep it brined, then repot it.", "Keep it tomorow."),
        ("es", "misspelling", "Reposa el café y cuélalo.", "Compra el café y el azucarr."),
        ("de", "one_sided", "Er zieht, und zwar lange.", "Der Kaffee ist zwar kalt. Er wirkt."),
        ("en", "hard_sell", "Return it, and get your money back.", "It works, or your money back!"),
    ],
)
def test_a_reported_false_alarm_passes_and_the_fault_is_found(
    language: str, check: str, right: str, wrong: str
) -> None:
    assert check not in checks(right, language)
    assert check in checks(wrong, language)
