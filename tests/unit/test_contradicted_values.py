"""Numbers, ages, spellings and forms of address that another place of the text contradicts."""

import pytest

from app.core.checks import check_file


def found(text: str, language: str = "en") -> list[str]:
    report = check_file(text, language)
    return [each.finding.check for each in report.findings if each.finding.part == "consistency"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Both materials, wood, steel and plastic, last long."),
        ("en", "All three lids, the large one and the small one, are cheap."),
        ("en", "The two best colours are red, blue and green."),
        ("en", "Either of the three lids will do."),
        ("de", "Beide Materialien, Holz, Stahl und Kunststoff, halten lange."),
        ("en", "Of the 200 pieces in the box you use 77, so 100 are left."),
        ("en", "Three of the five rooms, or 80 percent, have a view."),
        ("en", "Of all homes, 40 percent have one, 15 percent two, and the other 34 percent none."),
        ("pt", "Com 18 e 13 minutos de espera, são 29 minutos ao todo."),
        ("fr", "On compte un demi-litre d'eau par heure, soit 3 litres pour 4 heures."),
        ("de", "Bei 17 Cent am Tag sind das in zehn Tagen 142 Cent."),
    ],
)
def test_a_number_that_its_sentence_contradicts_is_found(language: str, text: str) -> None:
    assert found(text, language) == ["wrong_sum"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Both materials, wood and steel, last long."),
        ("en", "All three lids, the red one, the large one and the small one, are cheap."),
        ("en", "The two rooms are big, bright and cheap."),
        ("en", "Of the 200 pieces in the box you use 77, so 123 are left."),
        ("en", "Of the 40 guests, 10 came early and 20 left."),
        ("en", "Three of the five rooms, or 60 percent, have a view."),
        ("de", "Beide Materialien, Holz und Stahl, halten lange."),
    ],
)
def test_a_number_that_fits_is_none(language: str, text: str) -> None:
    assert not found(text, language)


@pytest.mark.parametrize(
    "text",
    [
        "The club was founded in 1920.\n\nIn 1950 the club was 50 years old.",
        "Peter Mills was born in 1950.\n\nIn 1980 Peter Mills was 40.",
        "The inn opened in 1990.\n\nIn 2010, the inn celebrated its 50th anniversary.",
    ],
)
def test_an_age_that_the_year_of_birth_contradicts_is_found(text: str) -> None:
    assert found(text) == ["impossible_date"]


@pytest.mark.parametrize(
    "text",
    [
        "The club was founded in 1920.\n\nIn 1950 the club was 30 years old.",
        "The club was founded in 1920.\n\nIn 1950 the house was 50 years old.",
        "The club was founded in 1920.\n\nIn 1950 the president of the club was 50 years old.",
    ],
)
def test_an_age_of_somebody_else_is_none(text: str) -> None:
    assert not found(text)


def test_years_that_run_backwards_are_found() -> None:
    assert found("It was popular from 1998 to 1974.") == ["impossible_range"]
    assert not found("It was built from 1974 to 1998.")
    assert not found("The people lived there from 3000 to 1500 BC.")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The colour is nice.\n\nPick a color that you like.", 1),
        ("You can organise it.\n\nOrganize the boxes by size.", 1),
        ("The emphasis is new.\n\nWe emphasize it.", 0),
        ("The colour is nice.\n\nHe called it “a color of his own” in a letter.", 0),
        ("The centre is nice.\n\nThe Kennedy Center is large.", 0),
    ],
)
def test_a_word_in_british_and_american_spelling_is_found(text: str, count: int) -> None:
    assert found(text) == ["two_spellings"] * count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ask for value added tax (VAT).\n\nVAT is short for voluntary annual tax.", 1),
        ("A light-emitting diode (LED) is cheap.\n\nThink of low-energy display (LED).", 1),
        ("The European Union (EU) pays.\n\nIn Berlin, the Europäische Union (EU) pays.", 0),
        ("A light-emitting diode (LED) is cheap.\n\nLight-emitting diodes (LED) last.", 0),
    ],
)
def test_letters_that_stand_for_two_things_are_found(text: str, count: int) -> None:
    assert found(text) == ["two_spellings"] * count


FORMAL = "Cierre el grifo.\n\nEspere dos horas.\n\nMire otra vez el contador.\n\n"


def test_a_spanish_text_that_mixes_usted_and_tu_is_found() -> None:
    assert found(f"{FORMAL}¿Tienes una caldera vieja?", "es") == ["mixed_address"]
    assert not found(f"{FORMAL}El agua sale fría.", "es")
    # An order may be a noun as well.
    informal = "Si quieres, cambia tú mismo la junta.\n\n" * 3
    assert not found(f"{informal}Corte de luz.", "es")


def test_a_place_that_is_open_on_one_day_only_is_closed_on_another() -> None:
    text = "Die Werkstatt ist nur dienstags geöffnet.\n\nAm Samstag ist die Werkstatt geöffnet."
    assert found(text, "de") == ["contradictory_sentences"]
    assert not found(text.replace("Samstag", "Dienstag"), "de")
