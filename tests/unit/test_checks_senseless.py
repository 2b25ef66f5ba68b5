"""Words in an order that no sentence has are found; texts with sense are not."""

from random import Random

import pytest

from app.core.checks import check_file
from app.core.languages import Senseless, get_section, known_tags
from bench.defects.carriers import Carrier, carriers

EVERY = [carrier for half in ("tuned", "aside") for carrier in carriers(half)]


OF_ENGLISH = [each for each in EVERY if each.language == "en"]


def _is_refused(text: str, language: str = "en") -> bool:
    found = check_file(text, language).findings
    return any(entry.finding.check == "senseless" and entry.finding.blocks for entry in found)


def _shuffled(text: str) -> str:
    """Return the paragraphs of a text with their words in a random order."""
    random = Random(1)
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line[:1].isalpha():
            found = line.rstrip(".").lower().split()
            random.shuffle(found)
            lines[at] = f"{' '.join(found).capitalize()}."
    return "\n".join(lines)


@pytest.mark.parametrize("carrier", OF_ENGLISH)
def test_word_salad_does_not_get_through(carrier: Carrier) -> None:
    """“control: random words, shuffled sentences, word salad …: none gets through”."""
    assert _is_refused(_shuffled(carrier.text))


@pytest.mark.parametrize("language", ["es", "fr", "it", "nl"])
def test_word_salad_in_other_languages_does_not_get_through(language: str) -> None:
    (text,) = [each.text for each in EVERY if each.language == language][:1]
    assert _is_refused(_shuffled(f"{text}\n{text}"), language)


@pytest.mark.parametrize("carrier", EVERY)
def test_texts_with_sense_pass(carrier: Carrier) -> None:
    """“no true statement refused”."""
    assert not _is_refused(carrier.text, carrier.language)


def test_a_few_slips_in_a_text_with_sense_are_no_salad() -> None:
    paragraph = "The lid of the jar has a rubber ring, and the ring keeps the air out of the jar."
    slips = "Put the of jar down, then wipe a is lid, the and ring, an or edge."
    assert not _is_refused("\n\n".join([*[paragraph] * 8, slips]))
    assert _is_refused("\n\n".join([paragraph, slips]))


def test_names_of_variables_are_no_words() -> None:
    text = "Set the `is` flag, then the `of` flag, the `and` flag and the `or` flag. "
    assert not _is_refused(text * 3)


def test_every_rule_has_words_on_both_sides() -> None:
    for section in filter(None, (get_section(tag, Senseless) for tag in known_tags())):
        assert all(rule.words and rule.never_next for rule in section.rules)
