"""The judge: verdicts that rest on words of a source."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.checks import Kind, Passage
from app.core.facts.fact import FactKind
from app.core.rendering.block_edits import leaves
from app.core.rendering.blocks import parse
from app.core.sources.source import Source
from app.core.verification import Extract, Grounding, RequestContext, Statement, statements
from app.core.writing.judge import (
    Judgement,
    Ruling,
    Sheet,
    rejected,
    sheets,
    supported,
    to_judge,
    vouched,
)
from app.core.writing.parsing import UnreadableAnswer, load
from app.core.writing.profile import LARGE
from bench.verification import findings_by, scripted_judges
from tests.support.scripted_model.judge import verdict
from tests.unit.verification_samples.samples import FIGURES

DAY = datetime(2026, 5, 20, tzinfo=UTC)
TOLD = (
    "The council of Orvik has not decided on the night bus yet. The drivers want a break room at"
    " the depot. Some residents fear the noise of the buses. The bus would run only if the county"
    " pays for it."
)


def grounding(
    text: str = TOLD, language: str = "en", brands: tuple[str, ...] = (), of: str = "en"
) -> Grounding:
    source = Source("https://a.example/bus", "a.example", "Bus", text, language, DAY, DAY)
    return Grounding((source,), RequestContext(of, brands=brands), date(2026, 5, 21))


GROUNDING = grounding()
TEXT = "The council has yet to decide. All residents fear the noise. Read on to learn more."
POST = [Passage("sections[0]", Kind.PROSE, TEXT)]
FOUND = list(statements(POST, "en"))
SHEET = Sheet(FOUND, GROUNDING)
PROMPT = SHEET.prompt("English", seed=1)
LINES = {line.partition(". ")[2]: int(line.partition(".")[0])
         for line in PROMPT.user.splitlines() if line[:1].isdigit()}  # fmt: skip
COUNCIL = LINES["The council of Orvik has not decided on the night bus yet."]
NOISE = LINES["Some residents fear the noise of the buses."]


def ruled(*entries: dict[str, Any], sheet: Sheet = SHEET) -> dict[str, str]:
    assert PROMPT.schema is not None
    answer = load(json.dumps({"verdicts": entries}), PROMPT.schema)
    return {text: each.ruling for (_, text), each in sheet.judgements(answer).items()}


def test_a_sentence_is_supported_by_words_of_the_source_that_is_named() -> None:
    said = FOUND[0].text
    quotation = "has not decided on the night bus"
    assert ruled(verdict(1, "supported", COUNCIL, quotation)) == {said: "supported"}


@pytest.mark.parametrize(
    "malformed",
    [
        {"sentence": 2, "verdict": "partly"},
        {"sentence": "2", "verdict": "supported"},
        "2: supported",
    ],
)
def test_a_malformed_verdict_is_missing_and_costs_no_other(malformed: Any) -> None:
    first = verdict(1, "supported", COUNCIL, "has not decided on the night bus")
    assert ruled(malformed, first) == {FOUND[0].text: "supported"}


def test_a_sentence_with_a_malformed_verdict_has_none() -> None:
    first = verdict(1, "supported", COUNCIL, "has not decided on the night bus")
    second = verdict(2, "no_claim")
    assert ruled(first, second, {"sentence": "1", "verdict": "contradicts"}) == {
        FOUND[1].text: "no_claim"
    }


def test_a_quotation_with_the_number_of_another_passage_counts_if_it_is_of_the_same_page() -> None:
    pages = [
        Source(f"https://{site}.example/", f"{site}.example", "Bus", text, "en", DAY, DAY)
        for site, text in (("a", TOLD), ("b", "The depot of Orvik has room for nine buses."))
    ]
    sheet = Sheet(FOUND, Grounding(tuple(pages), RequestContext("en"), date(2026, 5, 21)))
    numbers = {each.text: number for number, each in enumerate(sheet.extracts, 1)}
    neighbour = next(number for text, number in numbers.items() if text.startswith("Some"))
    elsewhere = next(number for text, number in numbers.items() if text.startswith("The depot"))
    quotation = "has not decided on the night bus"
    for number, counts in ((neighbour, True), (elsewhere, False)):
        found = ruled(verdict(1, "supported", number, quotation), sheet=sheet)
        assert found == ({FOUND[0].text: "supported"} if counts else {})


LEVELS = (
    "Who pays\n| Emission of the house | Tenant | Landlord |\n|---|---|---|\n"
    "| under 12 kilograms | 100 % | 0 % |\n| from 52 kilograms | 5 % | 95 % |"
)


@pytest.mark.parametrize(
    ("quotation", "counts"),
    [
        ("Emission of the house: under 12 kilograms … Landlord: 0 %", True),
        ("Landlord: 0 %", True),
        ("Landlord: 95 %", False),
        ("under 12 kilograms … Landlord: 95 %", False),
        ("0", False),
    ],
)
def test_of_a_row_the_cells_may_be_quoted_that_say_so(quotation: str, counts: bool) -> None:
    text = "The landlord of a house with under 12 kilograms pays 0 percent."
    found = list(statements([Passage("s", Kind.PROSE, text)], "en"))
    sheet = Sheet(found, grounding(LEVELS))
    number = next(at for at, each in enumerate(sheet.extracts, 1) if "under 12" in each.text)
    assert bool(ruled(verdict(1, "supported", number, quotation), sheet=sheet)) is counts


SIGNS = (
    "# Before you buy\n\n## See a doctor first if you have\n\n- pain in the ear,\n"
    "- vertigo or severe dizziness,\n- fluid in the ear that comes back.\n\n"
    "## Who should see a doctor?\n\nMost people with pain in the ear need no hearing test."
)


@pytest.mark.parametrize(
    ("under", "quotation", "counts"),
    [
        ("vertigo", "See a doctor first if you have", True),
        ("vertigo", "See a doctor first if you have vertigo", True),
        # A neighbour of what is below that heading.
        ("Most people", "See a doctor first if you have", True),
        ("Most people", "## Who should see a doctor? Most people with pain", True),
        ("vertigo", "Who should see a doctor", False),
        ("Most people", "Who should see a doctor?", False),
    ],
)
def test_the_heading_of_a_passage_may_be_quoted_unless_it_is_a_question(
    under: str, quotation: str, counts: bool
) -> None:
    text = "See a doctor first if you have pain in the ear or vertigo."
    found = list(statements([Passage("s", Kind.PROSE, text)], "en"))
    sheet = Sheet(found, grounding(SIGNS))
    number = next(at for at, each in enumerate(sheet.extracts, 1) if under in each.text)
    assert bool(ruled(verdict(1, "supported", number, quotation), sheet=sheet)) is counts


def test_a_support_shows_the_heading_that_is_quoted() -> None:
    lines = (
        "A good source has:\n- vertigo or severe dizziness as its subject,\n- a date of its own."
    )
    text = "A good source has a date of its own."
    found = list(statements([Passage("s", Kind.PROSE, text)], "en"))
    made = grounding(lines)
    entry = verdict(1, "supported", 2, "A good source has a date of its own")
    (one,) = supported(found, Sheet(found, made).judgements({"verdicts": [entry]}), made)
    assert one.sentence == "A good source has: a date of its own."


STEPS = (
    "Crushed\n1. Wash the tomatoes and slip off the skins of the ripe ones.\n"
    "2. Quarter them. Heat one sixth of them quickly in a large pot of 5 liters.\n"
    "3. Boil them gently for 5 minutes and stir them."
)


@pytest.mark.parametrize(
    ("quotation", "counts"),
    [
        ("Step 2: Quarter them", True),
        ("2. Step 2: Quarter them. Heat one sixth", True),
        ("Quarter them.", True),
        ("Heat one", False),
        ("Step 3: Quarter the pot", False),
    ],
)
def test_a_step_may_be_quoted_with_its_number_and_a_short_sentence_whole(
    quotation: str, counts: bool
) -> None:
    found = list(statements([Passage("s", Kind.PROSE, "Quarter them and heat 2 of them.")], "en"))
    made = grounding(STEPS)
    sheets_of = Sheet(found, made, given=made.material("tomatoes", 9))
    number = next(at for at, each in enumerate(sheets_of.extracts, 1) if "Quarter" in each.text)
    assert f"{number}. Step 2: Quarter them." in sheets_of.prompt("English", seed=1).user
    judged = sheets_of.judgements({"verdicts": [verdict(1, "supported", number, quotation)]})
    assert bool(judged) is counts
    # The number of a step is no figure of the source.
    assert not any("Step" in each for one in judged.values() for each in one.quotations)


@pytest.mark.parametrize(
    "quotation",
    [
        "has decided on the night bus",
        "The council of Orvik has … decided on the night bus",
        "The council of Orvik has ... decided",
        "The council",
        "",
        "the council has yet to decide",
    ],
)
def test_other_words_support_nothing(quotation: str) -> None:
    """“Supported” counts only if the quotation really stands in that source."""
    assert ruled(verdict(1, "supported", COUNCIL, quotation)) == {}


@pytest.mark.parametrize(
    "quotation", ["HAS NOT DECIDED ON", "“has not decided on”", " has  not decided on."]
)
def test_case_marks_and_spaces_of_a_quotation_do_not_count(quotation: str) -> None:
    assert list(ruled(verdict(1, "supported", COUNCIL, quotation)).values()) == ["supported"]


def test_the_judge_has_the_notes_of_the_writer_and_no_other() -> None:
    """It supports nothing that the writer could not know; without notes, it has what is nearest."""
    lines = [f"The council of Orvik discussed the bus line {number} twice." for number in range(90)]
    page = grounding("\n".join([*lines, "Sauerkraut contains a lot of sodium."]))
    (note,) = page.material("sodium", 1)
    salty = list(statements([Passage("s", Kind.PROSE, "Mind its salt: it is salty, Orvik.")], "en"))
    (without,), (sheet,) = sheets(salty, page, LARGE), sheets(salty, page, LARGE, [note])
    assert note not in without.extracts
    assert len(without.extracts) > 1
    assert sheet.extracts == (note,)
    assert note.text in sheet.prompt("English", seed=1).user


def test_a_passage_about_something_else_supports_nothing() -> None:
    """A judge that says yes to everything with the same words proves little."""
    assert ruled(verdict(3, "supported", COUNCIL, "has not decided on the night bus")) == {}


JOINED = "The drivers want a break room, and some residents fear the noise."
DRIVERS = LINES["The drivers want a break room at the depot."]


def test_two_passages_may_support_a_sentence_together() -> None:
    found = list(statements([Passage("sections[0]", Kind.PROSE, JOINED)], "en"))
    sheet = Sheet(found, GROUNDING)
    room = verdict(1, "supported", DRIVERS, "drivers want a break room")
    noise = verdict(1, "supported", NOISE, "residents fear the noise")
    judged = sheet.judgements({"verdicts": [room, noise]})
    (one,) = supported(found, judged, GROUNDING)
    assert one.sentence == (
        "The drivers want a break room at the depot. … Some residents fear the noise of the buses."
    )
    assert not list(rejected(found, judged, GROUNDING))


def test_a_sentence_has_no_support_if_one_of_its_quotations_is_invented() -> None:
    found = list(statements([Passage("sections[0]", Kind.PROSE, JOINED)], "en"))
    room = verdict(1, "supported", DRIVERS, "drivers want a break room")
    invented = verdict(1, "supported", NOISE, "all residents fear the noise")
    for answer in ([room, invented], [invented, room]):
        assert Sheet(found, GROUNDING).judgements({"verdicts": answer}) == {}


@pytest.mark.parametrize(
    ("number", "quotation", "counts"),
    [
        (NOISE, "Some residents", True),
        (DRIVERS, "Some residents", False),
        (NOISE, "residents … noise", False),
        (NOISE, "no residents", False),
        (NOISE, "", False),
    ],
)
def test_words_of_a_source_that_are_too_few_undo_no_other_support(
    number: int, quotation: str, counts: bool
) -> None:
    found = list(statements([Passage("sections[0]", Kind.PROSE, JOINED)], "en"))
    short = verdict(1, "supported", number, quotation)
    room = verdict(1, "supported", DRIVERS, "drivers want a break room")
    for answer in ([room, short], [short, room]):
        assert bool(Sheet(found, GROUNDING).judgements({"verdicts": answer})) is counts
    assert Sheet(found, GROUNDING).judgements({"verdicts": [short]}) == {}


WAIT = (
    "Warten Sie zwischen zwei Messungen mindestens 5 Minuten und zwischen der fünften und der"
    " sechsten mindestens 3 Stunden."
)
HOURS = "der fünften und der sechsten mindestens 3 Stunden"
RUNGS = "Do not use the top two steps unless there is a suitable handhold."
DAYS = "Der Wert wird an mindestens zwei von drei Messtagen unterschritten."


BULBS = "They run six LED bulbs (60 watts) and a router."


@pytest.mark.parametrize(
    ("language", "said", "text", "quotation", "left"),
    [
        ("de", WAIT, "Warten Sie nun mindestens 3 Stunden, dann messen Sie.", HOURS, None),
        ("de", WAIT, "Warten Sie nun mindestens 4 Stunden, dann messen Sie.", HOURS, "blocker"),
        # The judge quotes both values, so the rule decides which of them is meant.
        ("de", WAIT, "Warten Sie nun mindestens 3 Stunden, dann messen Sie.", WAIT, "blocker"),
        ("en", RUNGS, "Keep off the top two unless there is a suitable handhold.", RUNGS,
         "warning"),
        ("en", RUNGS, "Keep off the top three unless there is a suitable handhold.", RUNGS,
         "blocker"),
        # The value may stand beside another one, or without its unit.
        ("en", BULBS, "They run six LED bulbs (60) and a router.", BULBS, None),
        ("en", BULBS, "They run six LED bulbs (90) and a router.", BULBS, "blocker"),
        # Of a denial, the rules know more than that the value is there.
        ("de", DAYS, "Der Wert wird nicht an zwei von drei Messtagen erreicht.", DAYS, "warning"),
    ],
)  # fmt: skip
def test_a_figure_that_the_judge_quotes_is_no_doubt(
    language: str, said: str, text: str, quotation: str, left: str | None
) -> None:
    """The rules compare words: the verb of a clause may govern two values."""
    source = Source("https://a.example/", "a.example", "", said, language, DAY, DAY)
    made = Grounding((source,), RequestContext(language), date(2026, 5, 21))
    texts = [Passage("sections[0]", Kind.PROSE, text)]
    found = list(statements(texts, language))
    sheet = Sheet(found, made)
    judged = sheet.judgements({"verdicts": [verdict(1, "supported", 1, quotation)]})
    assert any(each.blocks for each in made.findings(texts))
    findings = made.findings(texts, vouched=vouched(found, judged, made))
    assert {each.severity.value for each in findings} == ({left} if left else set())
    assert not any(each.removable for each in findings if not each.blocks)


@pytest.mark.parametrize(
    ("second", "is_supported"),
    [
        # What it joins need not have its words, if the rest has.
        ("some residents fear the noise", True),
        ("all residents fear the noise", False),
    ],
)
def test_of_the_passages_that_a_sentence_joins_one_has_its_words(
    second: str, is_supported: bool
) -> None:
    text = "The drivers want a break room, whatever the neighbours feel about it."
    found = list(statements([Passage("sections[0]", Kind.PROSE, text)], "en"))
    entries = [
        verdict(1, "supported", DRIVERS, "drivers want a break room"),
        verdict(1, "supported", NOISE, second),
    ]
    for answer in (entries, entries[::-1]):
        assert bool(Sheet(found, GROUNDING).judgements({"verdicts": answer})) is is_supported
    alone = Sheet(found, GROUNDING).judgements({"verdicts": entries[1:]})
    assert not alone


def test_a_short_sentence_is_about_what_the_one_before_it_says() -> None:
    for text, is_supported in (
        ("Do the drivers want a room? Nothing says otherwise.", True),
        ("Do they agree? Nothing says otherwise.", False),
    ):
        found = list(statements([Passage("sections[0]", Kind.PROSE, text)], "en"))[1:]
        answer = {"verdicts": [verdict(1, "supported", DRIVERS, "drivers want a break room")]}
        assert bool(Sheet(found, GROUNDING).judgements(answer)) is is_supported


def test_an_example_is_about_what_the_sentence_before_it_says() -> None:
    """Its own case shares no word with what it is an example of."""
    for opening, is_supported in (("For example, four", True), ("Four", False)):
        text = f"The drivers want a room. {opening} people could sit and eat a hot lunch there."
        found = list(statements([Passage("sections[0]", Kind.PROSE, text)], "en"))[1:]
        answer = {"verdicts": [verdict(1, "supported", DRIVERS, "drivers want a break room")]}
        assert bool(Sheet(found, GROUNDING).judgements(answer)) is is_supported


def test_a_source_in_another_language_shares_no_words() -> None:
    foreign = grounding("Der Rat von Orvik hat noch nicht über den Nachtbus entschieden.", "de")
    extract = foreign.verbatim("Der Rat von Orvik hat noch nicht über den Nachtbus entschieden.")
    assert extract is not None
    assert foreign.is_about("The council has yet to decide.", extract)


@pytest.mark.parametrize(
    ("said", "text", "counts"),
    [
        ("Nötig ist eine eigenhändige Unterschrift.", "Unterschreiben Sie von Hand.", True),
        ("Der Bund überweist das Geld.", "So erfolgt die Überweisung.", True),
        ("Der Unterhalt wird gezahlt.", "Hier beginnt das Unternehmen.", False),
        ("Der Vertrag hat Kontraste.", "Das war kontraproduktiv.", False),
    ],
)
def test_a_sentence_is_about_what_has_words_of_one_family(
    said: str, text: str, counts: bool
) -> None:
    found = list(statements([Passage("s", Kind.PROSE, text)], "de"))
    sheet = Sheet(found, grounding(said, "de", of="de"), given=[Extract(0, said)])
    assert bool(ruled(verdict(1, "supported", 1, said), sheet=sheet)) is counts


@pytest.mark.parametrize("number", [0, -1, 4, 10**30])
def test_a_verdict_on_no_sentence_is_dropped(number: int) -> None:
    assert ruled(verdict(number, "no_claim")) == {}


def test_of_two_verdicts_on_a_sentence_the_stricter_counts() -> None:
    said = FOUND[1].text
    yes = verdict(2, "supported", NOISE, "residents fear the noise")
    no = verdict(2, "contradicted", NOISE, "Some residents fear the noise")
    assert ruled(yes, no) == ruled(no, yes) == {said: "contradicted"}


def test_an_unknown_verdict_cannot_be_read() -> None:
    with pytest.raises(UnreadableAnswer):
        ruled(verdict(1, "perhaps"))


def test_what_is_not_supported_blocks_and_can_be_removed() -> None:
    judged = {
        FOUND[0].key: Judgement(Ruling.SUPPORTED),
        FOUND[1].key: Judgement(Ruling.NOT_SUPPORTED),
        FOUND[2].key: Judgement(Ruling.NO_CLAIM),
    }
    (one,) = rejected(FOUND, judged, GROUNDING)
    assert (one.check, one.section, one.blocks, one.removable) == (
        "unsupported_claim", "sections[0]", True, True
    )  # fmt: skip
    assert one.span is not None
    assert TEXT[slice(*one.span)] == "All residents fear the noise."


def reasons(*entries: dict[str, Any]) -> list[tuple[str, str]]:
    """The words at the places of the findings on the second sentence, and their reasons."""
    judged = SHEET.judgements({"verdicts": list(entries)})
    found = rejected(FOUND[1:2], judged, GROUNDING)
    return [(TEXT[slice(*(each.span or (0, 0)))], each.reason) for each in found]


def test_a_finding_names_the_words_that_no_source_has() -> None:
    assert reasons(verdict(2, "not_supported", NOISE, "“all  residents”")) == [
        (
            "All residents",
            "In “All residents fear the noise.”, no source says “All residents”. Say it without"
            " these words, as the source says it (“Some residents fear the noise of the buses.”),"
            " or leave the sentence out.",
        )
    ]
    ((place, reason),) = reasons(
        verdict(2, "not_supported", 0, "noise"), verdict(2, "not_supported", 0, "All")
    )
    assert place == "All residents fear the noise"
    assert "no source says “All” and “noise”. Say it without" in reason


@pytest.mark.parametrize(("number", "is_told"), [(COUNCIL, True), (DRIVERS, False), (0, False)])
def test_what_to_write_instead_is_what_the_judge_finds_nearest(number: int, is_told: bool) -> None:
    text = "By spring a night bus will take everybody home from the old harbour as often as needed."
    found = list(statements([Passage("s", Kind.PROSE, text)], "en"))
    entry = verdict(1, "not_supported", number, "By spring")
    (one,) = rejected(found, Sheet(found, GROUNDING).judgements({"verdicts": [entry]}), GROUNDING)
    assert ("has not decided on the night bus yet.”), or" in one.reason) is is_told
    assert "break room" not in one.reason


@pytest.mark.parametrize(
    "entries",
    [
        [verdict(2, "not_supported")],
        [verdict(2, "not_supported", NOISE, "every one of them")],
        [verdict(2, "not_supported", NOISE, "All residents fear the noise.")],
        # What a passage says, as models quote it that were not asked for more.
        [verdict(2, "not_supported", NOISE, "residents fear the noise")],
        [verdict(2, "not_supported", 0, "All"), verdict(2, "not_supported")],
    ],
)
def test_without_such_words_all_of_a_sentence_is_refused(entries: list[dict[str, Any]]) -> None:
    ((place, reason),) = reasons(*entries)
    assert place == FOUND[1].text
    assert reason.startswith("No source says “All residents fear the noise.”. Leave it out, or")


def test_a_heading_is_not_left_out_for_a_word() -> None:
    found = list(statements([Passage("h", Kind.HEADING, "All residents fear noise")], "en"))
    judged = Sheet(found, GROUNDING).judgements(
        {"verdicts": [verdict(1, "not_supported", 0, "All")]}
    )
    (one,) = rejected(found, judged, GROUNDING)
    assert "no source says “All”. Say it without these words, as" in one.reason
    assert "leave" not in one.reason


def test_a_refused_row_names_its_words() -> None:
    found = [each for each in statements(table(), "en") if each.is_row]
    entry = verdict(1, "not_supported", 0, "At the start: 2,200")
    judged = Sheet(found, WATTS).judgements({"verdicts": [entry]})
    (one,) = rejected(found[:1], judged, WATTS)
    assert one.span is None
    assert "no source says “At the start: 2,200”." in one.reason
    assert one.reason.endswith("or leave the row out.")


def test_a_sentence_without_a_verdict_is_not_supported() -> None:
    assert [one.span for one in rejected(FOUND, {}, GROUNDING)] == [each.span for each in FOUND]


def test_a_contradiction_says_what_the_source_says() -> None:
    extract = GROUNDING.verbatim("Some residents fear the noise of the buses.")
    judged = {each.key: Judgement(Ruling.CONTRADICTED, (extract,)) for each in FOUND}
    *_, one = rejected(FOUND, judged, GROUNDING)
    assert one.check == "contradicted_claim"
    assert "a.example says: “Some residents fear the noise" in one.reason


def test_a_title_or_heading_is_refused_only_by_a_verdict() -> None:
    title = list(statements([Passage("title", Kind.TITLE, "The night bus is here")], "en"))
    assert list(rejected(title, {}, GROUNDING)) == []
    assert list(rejected(title, {title[0].key: Judgement(Ruling.NOT_SUPPORTED)}, GROUNDING))


def test_a_sentence_of_a_source_needs_no_verdict() -> None:
    text = "The drivers want a break room at the depot. The drivers want a room."
    found = list(statements([Passage("s", Kind.PROSE, text)], "en"))
    assert to_judge(found, GROUNDING, ()) == found[1:]
    assert [one.span for one in rejected(found, {}, GROUNDING)] == [found[1].span]
    # A part of a sentence may leave its "not" or "if" behind.
    part = list(statements([Passage("s", Kind.PROSE, "The bus would run.")], "en"))
    assert to_judge(part, GROUNDING, ()) == part


def test_what_is_said_twice_is_asked_once() -> None:
    found = [*FOUND, *statements([Passage("sections[1]", Kind.PROSE, TEXT)], "en")]
    assert to_judge(found, GROUNDING, ()) == FOUND
    assert to_judge(found, GROUNDING, {FOUND[0].key}) == FOUND[1:]


def test_questions_labels_and_code_state_nothing() -> None:
    kinds = [kind for kind in Kind if list(statements([Passage("s", kind, "It is so.")], "en"))]
    assert set(Kind) - set(kinds) == {Kind.QUESTION, Kind.LABEL, Kind.CODE}


def test_the_judge_sees_what_a_sentence_is_about() -> None:
    item = Statement("12 hours", Passage("s", Kind.ITEM, "12 hours", about="Fridge"), (0, 8))
    later = replace(FOUND[1], text="They fear it.")
    lines = Sheet([item, later], GROUNDING).prompt("English", seed=1).user
    assert "1. (about “Fridge”) 12 hours" in lines
    assert "2. (after “The council has yet to decide.”) They fear it." in lines


ROWS = [
    ["", "Watts", "At the start"],
    ["Fridge", "700", "2,200"],
    ["Router", "15", ""],
]


def table(rows: list[list[str]] = ROWS) -> list[Passage]:
    first, *others = [f"| {' | '.join(cells)} |" for cells in rows]
    return [
        Passage(f"sections[0].{each.path}", Kind.CELL, each.text, "Loads", about=each.about)
        for each in leaves(parse("\n".join([first, "| --- | --- | --- |", *others])))
    ]


WATTS = grounding(
    "What a fridge needs.\n\n| Appliance | Running | Starting |\n|---|---|---|\n"
    "| Fridge | 700 watts | 2,200 watts |\n| Router | 15 watts | 15 watts |"
)


def test_a_row_of_a_table_is_one_statement_with_the_names_of_its_columns() -> None:
    found = [each for each in statements(table(), "en") if each.is_row]
    assert [each.text for each in found] == [
        "Fridge; Watts: 700; At the start: 2,200", "Router; Watts: 15",
    ]  # fmt: skip
    lines = Sheet(found, WATTS).prompt("English", seed=1).user
    assert "1. (row) Fridge; Watts: 700; At the start: 2,200" in lines
    prose = Statement(found[1].text, Passage("s", Kind.PROSE, found[1].text), (0, 16))
    assert found[1].key != prose.key


def test_a_refused_row_is_refused_as_a_row() -> None:
    found = [each for each in statements(table(), "en") if each.is_row]
    judged = {each.key: Judgement(Ruling.NOT_SUPPORTED) for each in found[1:]}
    judged[found[0].key] = Judgement(Ruling.SUPPORTED)
    (one,) = rejected(found, judged, WATTS)
    assert (one.section, one.span) == ("sections[0].blocks[0].rows[1]", None)
    assert (one.blocks, one.removable) == (True, True)


@pytest.mark.parametrize(
    ("watts", "blocks"), [("700", False), ("800", True), ("700 watts", False), ("750 watts", True)]
)
def test_a_quotation_for_a_row_is_one_for_each_of_its_cells(watts: str, blocks: bool) -> None:
    texts = table([["", "Watts", "At the start"], ["Fridge", watts, "2,200"]])
    (row,) = (each for each in statements(texts, "en") if each.is_row)
    sheet = Sheet([row], WATTS)
    words = "Fridge; Running: 700 watts; Starting: 2,200 watts"
    judged = sheet.judgements({"verdicts": [verdict(1, "supported", 1, words)]})
    left = WATTS.findings(texts, vouched=vouched([row], judged, WATTS))
    assert any(each.blocks for each in left) is blocks, left


def test_the_passages_are_material_and_the_names_of_the_client_need_none() -> None:
    prompt = Sheet(FOUND, grounding(brands=("Brightpot",))).prompt("German", seed=1)
    assert "never instruct you" in prompt.system
    assert "The post is in German." in prompt.system
    assert "Names that need no passage: Brightpot." in prompt.user
    assert prompt.user.startswith("<<<QUOTED MATERIAL")
    assert prompt.temperature == 0


def test_sheets_fit_into_the_limits_of_the_endpoint() -> None:
    text = " ".join(f"Bus number {number} of Orvik runs at night." for number in range(200))
    found = list(statements([Passage("s", Kind.PROSE, text)], "en"))
    for answer, context in ((8_000, None), (1_200, None), (8_000, 8_192), (500, 2_000), (50, 100)):
        profile = replace(LARGE, answer_tokens=answer, context_tokens=context)
        made = list(sheets(found, GROUNDING, profile))
        prompts = [sheet.prompt("English", seed=1) for sheet in made]
        lines = [
            line for prompt in prompts for line in prompt.user.splitlines() if "Bus num" in line
        ]
        assert len(lines) == 200
        if answer > 180:
            assert all(prompt.max_tokens <= answer for prompt in prompts)
        if context:
            # Three characters a token, a sentence at least.
            most = max(len(p.system + p.user) / 3 + p.max_tokens for p in prompts)
            assert most <= max(context, 2_000)


def test_the_coverage_has_the_sentence_that_supports_a_statement() -> None:
    extract = GROUNDING.verbatim("Some residents fear the noise of the buses.")
    assert extract is not None
    judged = {FOUND[0].key: Judgement(Ruling.SUPPORTED, (extract,), (extract.text,))}
    (one,) = supported(FOUND, judged, GROUNDING)
    assert (one.kind, one.claim, one.url) == (
        FactKind.STATEMENT, FOUND[0].text, "https://a.example/bus"
    )  # fmt: skip
    assert extract is not None
    assert one.sentence == extract.text


@given(st.lists(st.tuples(
    st.integers(-2, 5), st.sampled_from(Ruling), st.integers(-2, 5), st.text(max_size=40)
)))  # fmt: skip
def test_no_answer_supports_a_sentence_by_words_of_no_source(answers: list[Any]) -> None:
    answer = {"verdicts": [verdict(*each) for each in answers]}
    for judgement in SHEET.judgements(answer).values():
        if judgement.ruling is Ruling.SUPPORTED:
            assert judgement.extracts


@pytest.mark.parametrize(("half", "alone"), [("tuned", 11), ("held_out", 14)])
def test_statements_about_sources_are_told_apart(half: str, alone: int) -> None:
    """ "all figures and quotations caught in all columns", "no true statement refused by more than
    removal"; a perfect judge finds the rest."""
    for name, judge_by in scripted_judges(half).items():
        found = findings_by(judge_by, half)
        false = {told.text: bool(wrong) for told, wrong in found if told.kind}
        assert all(wrong for told, wrong in found if told.kind in FIGURES), name
        assert all(f.removable for told, wrong in found if not told.kind for f in wrong), name
        true = [told.text for told, wrong in found if not told.kind and wrong]
        assert (len(false), len(found) - len(false)) >= (40, 14)
        assert sum(false.values()) >= _IDLE.get(name, 40 - alone) + alone, name
        assert len(true) <= (1 if name in {"nobody", "perfect"} else 20), (name, true)


# How many more than the rules alone: in each half, one figure of something else is only a doubt for
# the editor if a judge says yes to it.
_IDLE = {"nobody": 0, "says yes to everything": -1}
