"""A text agrees with itself: figures, sums, conversions, dates, denials and names.

"False alarms are worse than misses": what may legitimately differ is tested as closely as what
must be found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.commands.check import check as check_command
from app.core.checks import Finding, Kind, Passage, Severity, check_file
from app.core.checks.desk import CONSISTENCY_CHECKS, check_consistency
from app.core.facts import read
from app.core.facts.scanner import Scanner, tokenize, vocabulary
from tests.unit.consistency_pairs import (
    CONTRADICTORY,
    CONTRADICTORY_ASIDE,
    HARMLESS,
    HARMLESS_ASIDE,
)
from tests.unit.consistency_samples import ASIDE, ASIDE_CONSISTENT, TUNED, TUNED_CONSISTENT
from tests.unit.disagreements import AGREEING, DISAGREEING, Pair, halves
from tests.unit.verification_samples.samples import texts as verification_texts

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


def share_of_pairs(pairs: list[Pair]) -> float:
    marked = [bool(found(pair.first, pair.second, language=pair.language)) for pair in pairs]
    return sum(marked) / len(marked)


def test_sentences_that_disagree_are_found_however_they_are_worded() -> None:
    shown, aside = halves(DISAGREEING)
    assert share_of_pairs(shown) >= 0.6
    assert share_of_pairs(aside) >= 0.4
    assert share_of_pairs([*AGREEING]) == 0


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("If that is blank, the row is ignored.", "If not, the row is ignored."),
        ("Use this option for MT942 data.", "Use this option for MT940 data."),
        ("Click the black button twice.", "Click the white button twice."),
        ("Folded bicycles are allowed on the tram.", "Bicycles are not allowed on the tram."),
        ("After ten minutes, bake the bread at 200 °C.", "Bake the bread at 250 °C."),
    ],
)
def test_what_tells_two_cases_apart_ends_the_comparison(one: str, two: str) -> None:
    assert found(one, two) == []


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


def test_a_contradiction_names_both_places_and_cannot_be_cut() -> None:
    """A contradiction names both places; in posts: section and quotation."""
    (finding,) = found("The fee is 38 euros.", "You pay the fee of 45 euros at the desk.")
    assert finding.severity is Severity.WARNING
    assert not finding.removable
    assert "“You pay the fee of 45 euros at the desk.” says 45 euros" in finding.reason
    assert "“The fee is 38 euros.” (sections[0]) says 38 euros" in finding.reason
    assert finding.related == ("sections[0]", 0)


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
    assert "but “The fee is 38 euros.” (line 3) says 38 euros." in result.output
    assert f"{path}:13:11: warning wrong_sum: The column adds up to 35, not “€45”." in result.output
    assert f"{path}:15:14: warning contradictory_figures: “A ticket for €25" in result.output
    assert "but the table (line 11) says €20." in result.output
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
        "Wait for fifteen (15) minutes, or two hours (120 minutes).",
        "Meet us at 3 p.m. (15:00).",
        "Twelve months at €10 make €120, and 80 people at 3 tables make 12 teams.",
        "At €120, the large pot costs twice as much as the small one at €60.",
        "The rent rose from 400 to 500 euros, and the number of guests from 80 to 90.",
        "In May 40 people came, and on 31/12/2023 nobody did.",
        "It closed from 1977 to 1997, and 14 years later it came back.",
    ],
)
def test_a_sentence_that_may_be_right_is_not_found(text: str) -> None:
    assert found(text) == []


def _all_recognisers(
    language: str,
) -> tuple[Mapping[str, Sequence[read.Recogniser]], Sequence[read.Recogniser]]:
    signs = [name for name in vocabulary(language).units if not name[0].isalpha()]
    return dict.fromkeys(signs, read._BY_SIGN), read._BY_WORD


def test_reading_only_at_words_that_may_begin_a_value_finds_all_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = [("en", text) for _, one, two in (*TUNED, *ASIDE) for text in (one, two) if text]
    told += [(sample.source.language, sample.text) for sample in verification_texts()]
    scanners = [Scanner(text, tokenize(text), vocabulary(language)) for language, text in told]
    short = [read.values(scanner) for scanner in scanners]
    monkeypatch.setattr(read, "_by_token", _all_recognisers)
    assert short == [read.values(scanner) for scanner in scanners]
    assert any(short)


def test_a_language_without_the_words_is_skipped() -> None:
    known = [each.name for each in CONSISTENCY_CHECKS if each.knows("fi")]
    assert known == ["two_spellings"]


def test_pairs_that_may_differ_are_no_contradictions_in_either_half() -> None:
    """Correct texts must not be called contradictory: held-out false alarms at most 2 %."""
    assert [pair for pair in HARMLESS if found(*pair)] == []
    assert sum(bool(found(*pair)) for pair in HARMLESS_ASIDE) <= 0.02 * len(HARMLESS_ASIDE)


def test_contradictions_of_all_kinds_are_found_in_both_halves() -> None:
    assert share(CONTRADICTORY) >= 0.85
    assert share(CONTRADICTORY_ASIDE) >= 0.8


def post(*texts: str, title: str) -> list[Finding]:
    read = [Passage("title", Kind.TITLE, title)]
    read += [Passage(f"sections[{at}]", Kind.PROSE, text) for at, text in enumerate(texts)]
    return check_consistency(read, "en")


def test_the_surest_contradictions_block_a_post_and_warn_in_a_file() -> None:
    """Same subject with the same words, same unit, same conditions: a blocker in posts."""
    texts = "The walk to the mill takes 40 minutes.", "The walk to the mill takes 75 minutes."
    (finding,) = post(*texts, title="A walk to the old mill")
    assert finding.severity is Severity.BLOCKER
    (in_file,) = [
        each.finding
        for each in check_file(f"# A walk to the old mill\n\n{texts[0]}\n\n{texts[1]}\n").findings
        if each.finding.check == "contradictory_figures"
    ]
    assert in_file.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("one", "two", "title"),
    [
        # another title, other words, an order that may come again
        ("The battery lasts 10 hours.", "The battery lasts 14 hours.", "Three lamps in a test"),
        ("The walk takes 40 minutes.", "At 75 minutes, the walk is long.", "A walk to the mill"),
        ("Bake the bread for 20 minutes.", "Bake the bread for 10 minutes.", "How to bake bread"),
    ],
)
def test_other_contradictions_warn(one: str, two: str, title: str) -> None:
    assert [each.severity for each in post(one, two, title=title)] == [Severity.WARNING]


def test_correct_arithmetic_refuses_no_post() -> None:
    assert post("A bulb costs $1. Five bulbs cost $5.", title="What a bulb costs") == []


def test_what_is_said_below_headings_of_two_things_may_differ() -> None:
    one = Passage("sections[0]", Kind.PROSE, "The path is 4 km long.", heading="The red route")
    two = Passage("sections[1]", Kind.PROSE, "The path is 9 km long.", heading="The blue route")
    assert check_consistency([one, two], "en") == []
    (_,) = check_consistency([one, replace(two, heading=one.heading)], "en")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("The shelf is 30 cm (15 in) wide.", "30 cm is 11.8 in, not 15 in."),
        ("The feast was on Monday, 3 May 2024.", "3 May 2024 is a Friday, not a Monday."),
        ("Rent is 500 euros and heating 120 euros, 680 euros in all.", "make 620 euros"),
        ("Eight bags with 5 kg each make 50 kg.", "They make 40 kg, not 50 kg."),
        ("It runs from 9:00 to 11:30, four hours in all.", "is 2:30 hours, not four hours"),
        ("A tip of 10 percent of 50 euros is 15 euros.", "is 5 euros, not 15 euros"),
        ("It fell from $80 to $60, a discount of 50 %.", "From $80 to $60 is 25 % less"),
        ("Born in 1970, she was 25 when she left in 2005.", "is 35 years, not 25"),
        ("The path is 1.5 km (150 metres) long.", "1.5 km is 1,500 metres"),
        ("The course ends on 31 June.", "that month has 30 days"),
        ("The train covers 90 km in three hours, an average of 50 km/h.", "is 30 km/h"),
        ("A fifth of them, 40 %, come back.", "“A fifth” is 20 %"),
        ("The lamp costs $40 and the pot $60, so the lamp is dearer.", "$40 is less than $60"),
        ("The barn was built in 1850, in the 18th century.", "1850 is in century 19"),
        ("Wait for fifteen (50) minutes.", "“fifteen” is 15, not 50"),
        ("Pour in a quarter of a litre (400 ml).", "is 250 ml, not 400 ml"),
        ("Meet us at 3 p.m. (13:00).", "3 p.m. is not 13:00"),
        ("Twelve months at €10 make €100.", "They make €120, not €100"),
        ("At 7 minutes for a kilometre, 5 kilometres take 45 minutes.", "They make 35 minutes"),
        (
            "The wall is 15 metres long and 2 metres high, which gives 39 square metres.",
            "30 square",
        ),
        ("Add 57 g, 32 g and 13 g, and you have 96 g.", "They make 102 g, not 96 g"),
        ("At €180, the large pot costs twice as much as the small one at €60.", "3 times €60"),
        ("The average of 10, 20 and 30 is 25.", "The average is 20, not 25"),
        ("The rent rose from 500 to 400 euros.", "“rose” does not fit"),
        ("He is 1.80 m tall, 20 cm taller than his sister, who is 1.70 m tall.", "10 cm apart"),
        ("The offer ends on 32 June.", "There is no 32 June"),
        ("The rule is in force since 31/04/2023.", "There is no day 31/04/2023"),
        ("It was made from 1977 to 1997, so for 14 years.", "20 years apart"),
    ],
)
def test_a_finding_says_the_right_value(text: str, problem: str) -> None:
    (finding,) = found(text)
    assert problem in finding.reason


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("de", "Montags ist das Museum geschlossen.", "Das Museum ist jeden Tag geöffnet."),
        ("de", "Der Eintritt ist frei.", "Der Eintritt kostet 12 Euro."),
        ("de", "Die Suppe ist vegetarisch.", "Geben Sie den Schinken in die Suppe."),
        ("fr", "Le musée est fermé le lundi.", "Le musée est ouvert tous les jours."),
        ("fr", "L'entrée est gratuite.", "L'entrée coûte 12 euros."),
        ("es", "El museo está cerrado los lunes.", "El museo está abierto todos los días."),
        ("it", "Il museo è chiuso il lunedì.", "Il museo è aperto tutti i giorni."),
        ("pt", "O museu está fechado à segunda-feira.", "O museu está aberto todos os dias."),
        ("nl", "Het museum is gesloten op maandag.", "Het museum is elke dag open."),
    ],
)
def test_sentences_exclude_each_other_in_seven_languages(language: str, one: str, two: str) -> None:
    (finding,) = found(one, two, language=language)
    assert finding.check == "contradictory_sentences"


@pytest.mark.parametrize(
    ("language", "sums"),
    [
        ("de", "57 g und 32 g ergeben"),
        ("fr", "57 g et 32 g font"),
        ("es", "57 g más 32 g son"),
        ("it", "57 g più 32 g fanno"),
        ("pt", "57 g mais 32 g são"),
        ("nl", "57 g en 32 g maken"),
    ],
)
def test_a_sum_is_added_up_with_the_words_of_each_language(language: str, sums: str) -> None:
    (finding,) = found(f"{sums} 96 g.", language=language)
    assert "They make 89 g" in finding.reason
    assert found(f"{sums} 89 g.", language=language) == []


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Sand the wood first and oil it afterwards.", "First oil the wood, then sand it."),
        ("Never use hot water for it.", "Rinse it with hot water every time."),
        ("Leave the window open the whole time.", "The window must stay shut the whole time."),
        ("It works only with the lid closed.", "With the lid closed it does not work at all."),
        (
            "The new model is cheaper than the old one.",
            "The old model is cheaper than the new one.",
        ),
        ("The shop is closed on Mondays.", "On Monday the shop opens at 9 a.m."),
    ],
)
def test_opposite_orders_and_rules_are_found(one: str, two: str) -> None:
    (finding,) = found(one, two)
    assert finding.check == "contradictory_sentences"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Sand the wood first and oil it afterwards.", "First sand the wood, then oil it."),
        ("Never use hot water for it.", "Hot water dissolves the grease of the pan."),
        ("You can edit files.", "You cannot edit text files."),
        ("This is not the only way to prune a rose.", "This is the way to prune a rose."),
        ("If it rains, leave the window shut.", "The window must stay open the whole time."),
        ("The new model is cheaper than the old one.", "The old model is dearer than the new one."),
    ],
)
def test_orders_and_rules_that_may_both_hold_are_not_found(one: str, two: str) -> None:
    assert found(one, two) == []


@pytest.mark.parametrize(
    ("one", "two", "count"),
    [
        ("We used the Hydrosan for it.", "The best of all was Hidrosan again.", 1),
        ("We bought the ThermoFix there.", "The TermoFix did well.", 1),
        ("We met Katharina there.", "Later we met Johanna.", 0),
        ("They live in São Paulo now.", "They came from Sao Paulo.", 0),
    ],
)
def test_names_that_sound_alike_have_one_spelling(one: str, two: str, count: int) -> None:
    assert [each.check for each in found(one, two)] == ["two_spellings"] * count


def test_a_text_addresses_its_readers_in_one_way() -> None:
    formal = "Prüfen Sie den Filter. Danach leeren Sie ihn. Am Ende legen Sie ihn zurück."
    (finding,) = found(formal, "Zum Schluss reinigst du ihn.", language="de")
    assert finding.check == "mixed_address"
    assert found(formal, "„Hast du ihn?“, fragt jeder.", language="de") == []


def test_a_price_said_in_other_words_or_in_the_name_of_a_row_is_compared() -> None:
    (finding,) = found("The ticket costs 12 euros.", "You pay 15 euros for the ticket.")
    assert "15 euros" in finding.reason
    assert "12 euros" in finding.reason
    table = "| Part | Price |\n|---|---|\n| Barrel, 220 litres | €60 |\n| Tap | €5 |\n"
    text = f"# Rain\n\nA barrel of 320 litres is full soon.\n\n{table}"
    assert [e.finding.check for e in check_file(text).findings].count("contradictory_figures") == 1


def test_a_sentence_behind_a_unit_or_a_colon_is_read_on_its_own() -> None:
    (finding,) = found("It is 5 km long at 9 km/h. The kit costs 40 dollars.", "The kit costs $55.")
    assert finding.check == "contradictory_figures"
    (finding,) = found("It looks like this: The kit costs 40 dollars.", "The kit costs 55 dollars.")
    assert finding.check == "contradictory_figures"


@pytest.mark.parametrize(
    "alike",
    [
        (
            "½ inch",
            "1/2 inch",
            "1⁄2 inch",
            "0.5 inch",
            ".5 inches",
            "half an inch",
            "one-half inch",
        ),
        ("1½ inches", "1 ½ inches", "1 1/2 inches", "1-1/2 inches", "one and a half inches"),
        ("¼ cup", "1/4 cup", "0.25 cup", ".25 cups"),
        ("3/16 inch", "0.1875 inch"),
    ],
)
def test_a_fraction_is_one_value_however_it_is_written(alike: tuple[str, ...]) -> None:
    for one, two in permutations(alike, 2):
        text = (
            f"# Jars\n\nThe jar needs {one} of space.\n\nFill it. The jar needs {two} of space.\n"
        )
        found = {each.finding.check for each in check_file(text, "en").findings}
        assert found <= {"repeated_sentence"}


@pytest.mark.parametrize(
    "text",
    [
        "Leave ½ inch (1.3 cm) of space, or 1.3 cm (.5 inch).",
        "Leave 1⁄2 inch (1.3 cm), 1 1/2 inches (3.8 cm) or one and a half inches (3.8 cm).",
        "He came on 1/2/2024 and left on 3/8/2024.",
    ],
)
def test_fractions_are_converted_and_dates_are_none(text: str) -> None:
    assert not [each.finding.reason for each in check_file(f"# Jars\n\n{text}\n", "en").findings]


def test_a_wrong_fraction_is_found() -> None:
    (entry,) = check_file("# Jars\n\nLeave ½ inch (2.5 cm) of space.\n", "en").findings
    assert "½ inch is 1.27 cm, not 2.5 cm" in entry.finding.reason


@pytest.mark.parametrize(
    "text",
    [
        "A ring worth 800 euros brings 25 euros for the first 500 euros and 9 euros for the other"
        " 300 euros, 34 euros in total.",
        "The filter costs 12 euros or 18 euros, 40 euros in total with both pads.",
    ],
)
def test_values_that_the_text_does_not_name_as_parts_make_no_total(text: str) -> None:
    assert found(text, "") == []
