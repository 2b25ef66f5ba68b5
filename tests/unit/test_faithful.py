"""Which sentences of a paraphrase say what a note says, and no more."""

import pytest

from app.core.writing.faithful import common_phrase, is_alike, share_of, told, vocabulary

PROTECT = "The landlord or agent has 30 days from receiving the deposit to protect it."
DEDUCTIBLE = "Contributions to a traditional IRA may be deductible from taxable income."
NEVER = "Contributions to a Roth IRA are never deductible, because they were already taxed."
STAINS = "Hold a cloth under the valve, because the water that comes out can be black and stains."
CLOSE = "Close the valve clockwise as soon as water runs out without bubbles."
OPEN = "Open the valve by half a turn until the air hisses out."
NOTES = [PROTECT, DEDUCTIBLE, NEVER, STAINS, CLOSE, OPEN]
GERMAN = "Ein Balkonkraftwerk darf nicht an eine Mehrfachsteckdose angeschlossen werden."


def says(text: str, note: str, language: str = "en") -> bool:
    return 0 in told([note], [text], vocabulary([*NOTES, GERMAN], language), language)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (PROTECT, PROTECT),
        ("Shut the valve clockwise as soon as water runs out without bubbles.", CLOSE),
        ("Contributions to a Roth IRA are never deductible, as they were taxed already.", NEVER),
        ("After receiving a deposit, the landlord or agent has 30 days to protect it.", PROTECT),
    ],
)
def test_the_same_in_other_words_is_said(text: str, note: str) -> None:
    assert says(text, note)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        # Another number, or the same after another word.
        ("The landlord or agent has 14 days from receiving the deposit to protect it.", PROTECT),
        ("The landlord or agent protects the deposit for 30 days from receiving it.", PROTECT),
        # A word of another note: its subject, or an opposite.
        ("Contributions to a Roth IRA may be deductible from taxable income.", DEDUCTIBLE),
        ("Open the valve clockwise as soon as water runs out without bubbles.", CLOSE),
        # A denial more or less.
        (
            "Contributions to a traditional IRA may not be deductible from taxable income.",
            DEDUCTIBLE,
        ),
        ("Contributions to a Roth IRA are deductible, because they were already taxed.", NEVER),
        ("Contributions to a traditional IRA aren't deductible from taxable income.", DEDUCTIBLE),
        # Without what other notes are about as well.
        ("Turn the key by half a turn until the air hisses out.", OPEN),
        # Something of its own, or only a part.
        ("Gather pliers, goggles and a wrench before anything else.", OPEN),
        ("Hold a cloth under the valve.", STAINS),
    ],
)
def test_something_else_is_not_said(text: str, note: str) -> None:
    assert not says(text, note)


def test_denials_are_counted_in_other_languages() -> None:
    assert says(
        "An eine Mehrfachsteckdose darf ein Balkonkraftwerk nicht angeschlossen werden.",
        GERMAN,
        "de",
    )
    assert not says(
        "Ein Balkonkraftwerk darf an eine Mehrfachsteckdose angeschlossen werden.", GERMAN, "de"
    )


def test_in_other_languages_no_word_is_added() -> None:
    note = "Los aceites vírgenes se obtienen solo por métodos mecánicos o físicos."
    assert says(
        "Solo por métodos mecánicos o físicos se obtienen los aceites vírgenes.", note, "es"
    )
    assert not says("Los aceites virgienes se obtienen solo por métodos mecánicos.", note, "es")


def test_two_sentences_may_say_one_note() -> None:
    said = ["Hold a cloth under the valve.", "The water that comes out can be black and stains."]
    assert told([STAINS], said, vocabulary(NOTES, "en"), "en") == {0: " ".join(said)}


def test_each_note_has_its_own_sentence_in_any_order() -> None:
    said = [OPEN, "It pays to be patient.", CLOSE]
    assert told([CLOSE, STAINS, OPEN], said, vocabulary(NOTES, "en"), "en") == {0: CLOSE, 2: OPEN}


def test_function_words_do_not_count() -> None:
    assert share_of("What should it be for?", "Something else", "en") == 1.0
    assert share_of("The valve of a boiler", "A valve", "en") == 0.5


def test_headings_of_nearly_the_same_words_are_alike() -> None:
    assert is_alike(
        "Altitude illness prevention tips", "Tips for altitude illness prevention", "en"
    )
    assert not is_alike("Altitude illness prevention", "Boiler pressure", "en")


def test_the_longest_phrase_of_two_texts_is_common_to_them() -> None:
    texts = [
        "Der Eintrag im Marktstammdatenregister ist kostenlos.",
        "Ohne den Eintrag im Marktstammdatenregister droht eine Strafe.",
    ]
    assert common_phrase(texts, (), "de") == "Eintrag im Marktstammdatenregister"
    assert common_phrase(texts[:1], ["Marktstammdatenregister: was ist das?"], "de") != (
        "Marktstammdatenregister"
    )
    assert common_phrase(["the of"], (), "en") is None
