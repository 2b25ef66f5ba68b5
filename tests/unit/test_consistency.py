"""A text agrees with itself: figures, sums, conversions, dates, denials and names.

"False alarms are worse than misses": what may legitimately differ is tested as closely as what
must be found.
"""

from pathlib import Path

import pytest
from click.testing import CliRunner

from app.commands.check import check as check_command
from app.core.checks import Finding, Kind, Passage, Severity, check_file
from app.core.checks.desk import CONSISTENCY_CHECKS, check_consistency
from app.core.facts import read
from app.core.facts.scanner import Scanner, tokenize, vocabulary
from tests.unit.consistency_samples import ASIDE, ASIDE_CONSISTENT, TUNED, TUNED_CONSISTENT

FILLER = (
    "Most people learn this from a neighbour.",
    "A quiet corner of the kitchen is all that it takes.",
    "The rest is a matter of taste and patience.",
)


def found(*texts: str, language: str = "en") -> list[Finding]:
    """The findings of a post with these paragraphs, with others between them."""
    paragraphs = [text for pair in zip(texts, FILLER, strict=False) for text in pair if text]
    read = [Passage(f"sections[{at}]", Kind.PROSE, text) for at, text in enumerate(paragraphs)]
    return check_consistency(read, language)


def share(samples: tuple[tuple[str, str, str], ...]) -> float:
    return sum(bool(found(one, two)) for _, one, two in samples) / len(samples)


def test_contradictions_are_found_in_both_halves() -> None:
    assert share(TUNED) >= 0.9
    assert share(ASIDE) >= 0.75


@pytest.mark.parametrize(("one", "two"), TUNED_CONSISTENT)
def test_what_may_differ_is_no_contradiction(one: str, two: str) -> None:
    assert found(one, two) == []


def test_hardly_any_consistent_pair_of_the_half_put_aside_is_a_contradiction() -> None:
    alarms = [pair for pair in ASIDE_CONSISTENT if found(*pair)]
    assert len(alarms) <= 1, alarms


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("de", "Der Weg zum See dauert 45 Minuten.", "Der Weg zum See dauert 90 Minuten."),
        ("de", "Das Museum eröffnete im Jahr 1974.", "Das Museum eröffnete im Jahr 1978."),
        ("de", "Der Eintritt kostet 8 Euro, die Führung 4 Euro, zusammen also 15 Euro.", ""),
        ("fr", "La visite dure 40 minutes.", "La visite dure 90 minutes."),
        ("fr", "Le sac coûte 20 euros.", "Le sac coûte 30 euros."),
        ("es", "La visita dura 40 minutos.", "La visita dura 90 minutos."),
        ("it", "La visita dura 40 minuti.", "La visita dura 90 minuti."),
        ("pt", "A visita dura 40 minutos.", "A visita dura 90 minutos."),
        ("nl", "De rondleiding duurt 40 minuten.", "De rondleiding duurt 90 minuten."),
    ],
)
def test_seven_languages_have_the_check(language: str, one: str, two: str) -> None:
    assert found(one, two, language=language)
    assert not found(one.split(",")[0] if not two else one, language=language)


def test_a_contradiction_quotes_both_places_and_cannot_be_cut() -> None:
    """A figure contradiction is a blocker in posts, not removable; its reason quotes both."""
    (finding,) = found("The fee is 38 euros.", "You pay the fee of 45 euros at the desk.")
    assert finding.severity is Severity.WARNING
    assert not finding.removable
    assert "“You pay the fee of 45 euros at the desk.” says 45 euros" in finding.reason
    assert "“The fee is 38 euros.” says 38 euros" in finding.reason


FILE = """# The day trip

The fee is 38 euros.

Bring a coat.

- You pay the fee of 45 euros at the desk.

| Item | Price |
|---|---|
| Ticket | €20 |
| Lunch | €15 |
| Total | €45 |

A ticket for €25 is enough.
"""


def test_a_file_is_warned_with_line_and_column(tmp_path: Path) -> None:
    """`check FILE` must report it too, with line and column."""
    path = tmp_path / "trip.md"
    path.write_text(FILE, encoding="utf-8")
    result = CliRunner().invoke(check_command, [str(path)])
    assert f"{path}:7:22: warning contradictory_figures: “You pay the fee" in result.output
    assert f"{path}:13:11: warning wrong_sum: The column does not make “€45”; it makes 35." in (
        result.output
    )
    assert f"{path}:15:14: warning contradictory_figures: “A ticket for €25" in result.output
    assert result.exit_code == 0


def test_rows_of_a_table_may_differ() -> None:
    rows = "\n".join(f"| {size} jug | €{price} |" for size, price in (("small", 9), ("large", 15)))
    text = f"# Jugs\n\nA jug costs €9 and keeps for years.\n\n| Jug | Price |\n|---|---|\n{rows}\n"
    assert not [each for each in check_file(text).findings if "jug" in each.finding.reason]


@pytest.mark.parametrize(
    "text",
    [
        "It takes between 30 and 20 minutes.",
        "Expect to pay from $80 to $50.",
        "It runs from 9:00 to 11:00, three hours without a break.",
        "Founded in 1998, the shop moved 15 years later, in 2008.",
        "Of 200 guests, 80 came by car, 70 by train and 90 on foot.",
        "Wash it at 40 °C (140 °F).",
        "It weighs 5 kg (15 pounds).",
    ],
)
def test_a_sentence_that_cannot_be_right_is_found(text: str) -> None:
    assert len(found(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "The price fell from $80 to $50.",
        "It runs from 9:00 to 11:00, with a break of 15 minutes.",
        "Founded in 1998, the shop moved ten years later, in 2008.",
        "Of 200 guests, 80 came by car, 70 by train and 40 on foot.",
        "Wash it at 40 °C (104 °F); 10 °C (18 °F) more does no harm.",
        "It weighs 5 kg (11 pounds).",
        "The forecast is a chance of rain of 60 % on Friday, 70 % on Saturday and 80 % on Sunday.",
        "The feast of 29 February 2024 was on a Thursday.",
        "Two thirds of the members are women, and 60 percent are over 50.",
    ],
)
def test_a_sentence_that_may_be_right_is_not_found(text: str) -> None:
    assert found(text) == []


def test_reading_only_at_words_that_may_begin_a_value_finds_all_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [text for _, one, two in (*TUNED, *ASIDE) for text in (one, two) if text]
    scanners = [Scanner(text, tokenize(text), vocabulary("en")) for text in texts]
    short = [read.values(scanner) for scanner in scanners]
    monkeypatch.setattr(read, "_beginnings", lambda language: None)
    assert short == [read.values(scanner) for scanner in scanners]
    assert any(short)


def test_a_language_without_the_words_is_skipped() -> None:
    known = [each.name for each in CONSISTENCY_CHECKS if each.knows("fi")]
    assert known == ["two_spellings"]
