"""Doubts that would damage a right post, and what has to be doubted still."""

from datetime import UTC, date, datetime

import pytest

from app.core.checks import Kind, Passage, passages
from app.core.checks.consistency import check_wrong_sum
from app.core.checks.mechanics import check_misspelling
from app.core.schemas.post import SEOPost
from app.core.sources.source import Source
from app.core.verification import Grounding, RequestContext
from tests.unit.findings import findings_in, of

DAY = datetime(2026, 5, 20, 8, tzinfo=UTC)


def cells(text: str) -> list[Passage]:
    """The cells of a table, whose columns have names."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n")]
    return [
        Passage(
            f"sections[0].blocks[0].{'header' if number == 0 else f'rows[{number - 1}]'}[{column}]",
            Kind.CELL,
            cell,
            about=f"{rows[0][column]} {row[0] if column else ''}" if number else "",
        )
        for number, row in enumerate(rows)
        for column, cell in enumerate(row)
    ]


def doubts(text: str, *told: str, language: str = "en", required: bool = False) -> list[str]:
    """What a standard post is doubted for, by comparison with its sources."""
    sources = tuple(
        Source(f"https://s{n}.example/", f"s{n}.example", "", each, language, DAY, DAY)
        for n, each in enumerate(told)
    )
    grounding = Grounding(sources, RequestContext(language), date(2026, 11, 21))
    texts = cells(text) if "|" in text else [Passage("sections[0]", Kind.PROSE, text)]
    found = grounding.findings(texts, required=required)
    return [each.reason for each in found if each.check in {"contradicted_claim", "disputed_claim"}]


RANGES = """Bei Ausweisen ab 1996 zählt das Jahr der Ausstellung.
| Jahr der Ausstellung | Tausch bis |
|---|---|
| 1996 bis 1998 | 1. März 2025 |
| 2003 bis 2006 | 1. März 2027 |"""


@pytest.mark.parametrize("required", [False, True])
def test_the_ends_of_a_range_of_years_are_in_the_row_that_has_the_range(required: bool) -> None:
    table = "| Ihr Ausweis | Tausch bis |\n| Ausweis von 1996 bis 1998 | 1. März 2025 |"
    table += "\n| Ausweis von 2003 bis 2006 | 1. März 2027 |"
    assert doubts(table, RANGES, language="de", required=required) == []
    wrong = table.replace("1996 bis 1998 | 1. März 2025", "1996 bis 1998 | 1. März 2027")
    assert doubts(wrong, RANGES, language="de", required=True)


def test_a_wrong_end_of_a_range_is_told_with_the_right_one() -> None:
    told = "The bridge was closed for repairs from 1984 to 1991."
    assert doubts("The bridge was closed from 1984 to 1991 for repairs.", told) == []
    (reason,) = doubts("The bridge was closed from 1984 to 1993 for repairs.", told)
    assert "“1993” is not what s0.example says" in reason
    assert "1991" in reason


def test_a_year_that_the_sentence_has_itself_is_no_other_deadline() -> None:
    told = "For 2025, the total that you may pay in to all of your accounts is $4,000."
    assert doubts("Pay in to your accounts until 31 March 2026, and name 2025.", told) == []
    until = "You may pay in for 2025 until 31 March 2026."
    assert doubts("Pay in for 2025 until 31 March 2027.", until)


@pytest.mark.parametrize(
    ("language", "start", "rest", "told"),
    [
        ("en", "Suppose you", "drive 14,000 miles a year and buy a set of tires.",
         "If you drive 12,000 miles a year, you buy a set of tires."),
        ("en", "Say you", "drive 14,000 miles a year and buy a set of tires.",
         "If you drive 12,000 miles a year, you buy a set of tires."),
        ("de", "Nehmen wir an, Sie", "verdienen 3.200 Euro im Monat und zahlen Miete.",
         "Wer 2.100 Euro im Monat verdient und Miete zahlt, bekommt Wohngeld."),
        ("fr", "Supposons que vous", "gagnez 2 400 euros par mois et payez un loyer.",
         "Un foyer qui gagne 1 900 euros par mois et paye un loyer a droit à une aide."),
    ],
)  # fmt: skip
def test_the_figures_of_an_example_are_its_own(
    language: str, start: str, rest: str, told: str
) -> None:
    assert doubts(f"{start} {rest}", told, language=language) == []
    assert doubts(rest.capitalize(), told, language=language)


def test_a_count_of_the_readers_own_things_is_no_sample() -> None:
    told = "Since 2020 we have read the titles of the two million most visited pages."
    assert doubts("Open your ten most visited pages and read their titles.", told) == []
    told = "Soak the beans for 12 hours and boil them in fresh water."
    assert doubts("Soak the beans for 2 hours and boil them in fresh water.", told)


def test_a_case_of_another_number_is_no_dispute() -> None:
    post = "Nine sprockets need a 9 speed chain."
    told = ("Nine sprockets need a chain.", "Ten sprockets mean a 10 speed chain.")
    assert doubts(post, *told) == []
    school = "The school in Orvik has 640 pupils."
    assert doubts(school, school, school.replace("640", "580"))


def test_a_fraction_of_an_inch_is_one_value() -> None:
    told = "For a small screw, drill a hole of 5/32 inch. Holes of 3/32 inch suit pins."
    assert doubts("For a small screw, drill a hole of 5/32 inch.", told) == []
    told = told.partition(". ")[0]
    assert doubts("For a small screw, drill a hole of 3/32 inch.", told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Finish the sentence “This chart is here to…” and stop.",
         "To write a caption is harder, because it depends on a chart and is not here for looks."),
        ("Label the jar “Rye starter, fed on Monday and Friday” and close it.",
         "The rye starter is fed on Monday, and a jar of it keeps until Friday."),
        ("Replace “Save the changes and go back” by a shorter label.",
         "The form will save the changes and then go back to the list."),
    ],
)  # fmt: skip
def test_a_sample_wording_is_no_quotation_of_a_source(text: str, told: str) -> None:
    assert doubts(text, told) == []


def test_what_somebody_said_has_to_be_word_for_word() -> None:
    told = "“We will not raise the prices before the autumn,” the mayor said."
    assert doubts("“We will not raise prices before the summer,” the mayor said.", told)


@pytest.mark.parametrize(
    ("rows", "is_right"),
    [
        (("Piano | $550", "Stand | $90", "Subtotal | $640", "Tax | $64", "Total | $704"), True),
        (("Piano | $550", "Stand | $90", "Subtotal | $640", "Tax | $64", "Total | $714"), False),
        (("Rent | $20", "Heat | $10", "Home | $30", "Bus | $5", "Car | $40", "Travel | $45",
          "Total | $75"), True),
        (("Saved | $75", "Account | $300", "Tax | $66", "Growth | $66", "Total | $300"), True),
        (("Ticket | $20", "Lunch | $15", "Total | $45"), False),
    ],
)  # fmt: skip
def test_a_subtotal_is_added_once(rows: tuple[str, ...], is_right: bool) -> None:
    table = cells("\n".join(("| Item | Price |", *(f"| {row} |" for row in rows))))
    assert (list(check_wrong_sum(table, "en")) == []) is is_right


@pytest.mark.parametrize("word", ["onboarding", "annualize", "harissa", "statins", "tokenized"])
def test_words_of_the_trades_are_known(word: str) -> None:
    text = Passage("sections[0]", Kind.PROSE, f"We talked about the {word} of the week.")
    assert list(check_misspelling([text], "en")) == []


def test_a_button_in_the_conclusion_is_no_new_name(make_post, make_brief) -> None:  # type: ignore[no-untyped-def]
    def new(conclusion: str) -> int:
        post: SEOPost = make_post(conclusion=conclusion)
        assert any(conclusion == each.text for each in passages(post))
        return len(of("conclusion_introduces", findings_in(post, make_brief())))

    assert new("Start tonight with one jar, choose Inspect and read on.") == 0
    assert new("Start tonight with one jar, and ask Quigley about it.") == 1
    assert new("Start tonight with one jar, choose Bartholomew Quigley and read on.") == 1
