"""A paragraph on another subject is found; the paragraphs of one text are not."""

import pytest

from app.core.checks import check_file
from app.core.text import word_count
from bench.defects.carriers import Carrier, carriers

TEXTS = [text for half in ("tuned", "aside") for text in carriers(half)]
LONG = [text for text in TEXTS if word_count(text.text) > 472]
STRANGER = (
    "The Frankfurt Assembly of 1848 debated a constitution for the German states. Deputies argued"
    " about voting rights, about Austria, and about a crown that the Prussian king finally refused."
    " Most governments recalled their delegates, and soldiers dispersed the remaining parliament in"
    " Stuttgart. Its catalogue of liberties influenced later constitutions."
)


def off_subject(text: str, language: str) -> list[str]:
    found = check_file(text, language).findings
    return [each.finding.reason for each in found if each.finding.check == "off_subject"]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_no_paragraph_of_a_good_text_is_off_its_subject(text: Carrier) -> None:
    assert not off_subject(text.text, text.language)


@pytest.mark.parametrize("text", LONG, ids=lambda text: text.name)
def test_a_paragraph_on_another_subject_is_found(text: Carrier) -> None:
    """ "texts by people with a paragraph of another subject in them"."""
    (reason,) = off_subject(f"{text.text}\n\n{STRANGER}\n", text.language)
    assert " ".join(STRANGER.split()[:6]) in reason
    assert "shares hardly a word" in reason


def test_a_short_text_says_too_little_of_its_subject() -> None:
    text = next(text for text in TEXTS if text.language == "en")
    paragraph = text.text.split("\n\n")[1]
    assert not off_subject(f"{paragraph}\n\n{STRANGER}\n", "en")


def test_a_paragraph_of_names_is_about_the_subject() -> None:
    names = "Danish, Dutch, Finnish, French, German, Greek, Hindi, Irish, Italian, Latin, Maltese,"
    others = "Polish, Russian, Spanish, Swedish, Tamil, Turkish, Urdu, Welsh, Xhosa, Yoruba, Zulu,"
    more = "Arabic, Basque, Catalan, Czech, Estonian, Georgian, Hausa, Hebrew, Hungarian, Igbo,"
    text = f"{LONG[0].text}\n\nIt speaks {names} {others} {more} Korean and Japanese.\n"
    assert not off_subject(text, "en")
