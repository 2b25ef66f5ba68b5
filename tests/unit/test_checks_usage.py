"""Words that do not go together are found in English; what people rightly write is not.

Issue: mechanics are found of kinds that nobody has shown.
"""

import re

import pytest

from app.core.checks import Finding, Kind, Passage, check_passage
from app.core.checks.desk import check_text
from app.core.checks.usage import _pattern, _rules, check_usage, has_usage
from app.core.text.spelling import word_list


def usage(text: str) -> list[Finding]:
    return list(check_usage(Passage("sections[1]", Kind.PROSE, text), "en"))


def found(check: str, text: str, language: str = "en") -> list[Finding]:
    passage = Passage("sections[1]", Kind.PROSE, text)
    every = [*check_passage(passage, language), *check_text([passage], language)]
    return [finding for finding in every if finding.check == check]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("It depends of the weather.", "depends of"),
        ("You should to wait an hour.", "should to wait"),
        ("There are too much cars here.", "too much cars"),
        ("Two woman waited, and many woman came.", "many woman"),
        ("It is good idea to wait.", "is good idea"),
        ("The hole day was wet.", "The hole day"),
        ("They where late again.", "They where late"),
        ("He is older then me.", "older then me"),
        ("Yesterday we go to the market.", "Yesterday we go"),
        ("You may loose the keys.", "loose the keys"),
        ("You don't need no tools.", "don't need no tools"),
        ("The water is warm you can begin now.", "The water is warm you can"),
    ],
)
def test_words_that_do_not_go_together_are_quoted(text: str, wrong: str) -> None:
    assert any(f"“{wrong}” is wrong: use " in each.reason for each in usage(text))


@pytest.mark.parametrize(
    "text",
    [
        "It depends on the weather, and so do we.",
        "You have become better than most, and it has become easier.",
        "It is a good idea to wait until the water is warm.",
        "When the water is warm you can begin.",
        "There is much to see, and many people come.",
        "The cars there were older, then came the new ones.",
        "She will take no for an answer if she has to.",
        "The loose screw came off in its case.",
        "Between you and me, it is not worth it.",
        "Last week we went there by bus.",
        "Readings change from day to day.",
        "He can see it from here, and they can hear it.",
        "Reset takes the last one off your branch.",
    ],
)
def test_right_words_are_not_found(text: str) -> None:
    assert not usage(text)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt", "nl"])
def test_every_rule_compiles(language: str) -> None:
    assert has_usage(f"{language}-XX")
    for rules in _rules(language).values():
        assert all(_pattern(source) for _, source, _ in rules)
        assert not any(re.search(r"\{[a-z]", source) for _, source, _ in rules)


def test_languages_without_a_word_list_have_no_rules() -> None:
    assert not has_usage("sv")


@pytest.mark.parametrize(
    ("language", "text", "wrong"),
    [
        ("de", "Das geht mit den Filter und etwas Wasser.", "mit den Filter"),
        ("de", "Ohne dem Deckel geht es nicht.", "Ohne dem"),
        ("de", "Seid drei Jahren steht der preis fest.", "der preis"),
        ("de", "Das lohnt sich weil es spart.", "weil"),
        ("de", "Es ist genau so teuer als früher.", "genau so teuer als"),
        ("fr", "Il faut préparé le sac.", "faut préparé"),
        ("fr", "Nous avons vérifier la carte.", "avons vérifier"),
        ("fr", "Le sac contient des chaussure neuves.", "des chaussure"),
        ("fr", "Si j'aurais su, je serais venu.", "Si j'aurais"),
        ("es", "Los piezas viejas son caras.", "Los piezas"),
        ("es", "Si tendría otra tapa, la cambiaría.", "Si tendría"),
        ("es", "La junta a durado tres años.", "a durado"),
        ("it", "Ha volte la spina si rompe.", "Ha volte"),
        ("it", "La presa e rotta da un mese.", "La presa e rotta"),
        ("pt", "Comprei a mala a três anos atrás.", "a três anos atrás"),
        ("pt", "As malas está no armário.", "As malas está"),
        ("nl", "Hij vind de lade te duur.", "Hij vind"),
        ("nl", "De pan heeft een jaar geduurt.", "heeft een jaar geduurt"),
    ],
)
def test_words_that_do_not_go_together_in_other_languages(
    language: str, text: str, wrong: str
) -> None:
    assert any(
        f"“{wrong}” is wrong: use " in each.reason for each in found("usage", text, language)
    )


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Mit den Kindern und bei den Häusern geht es, ohne dass jemand wartet."),
        ("de", "Das ist nicht nur so, weil es spart, sondern auch weil es gefällt."),
        ("de", "Er ist so groß wie früher und sowohl neu als auch gut."),
        ("fr", "Il faut marcher pour bien préparer les sacs, et les porter avec soin."),
        ("fr", "Des qualités, deux ou trois fois, avec les plus grands et les autres."),
        ("fr", "Je me demande si elle pourrait venir à midi."),
        ("es", "Los días, los mapas y los problemas son varios; no sé si podría venir."),
        ("es", "Las manos y las fotos van de lado a lado."),
        ("it", "I video e gli euro ci sono; la casa è vuota e pulita."),
        ("pt", "Os dias e os problemas passam de mês a mês; as mãos são fortes."),
        ("nl", "Ik vind het mooi, en dan word ik moe als de pan droog is."),
    ],
)
def test_right_words_of_other_languages_are_not_found(language: str, text: str) -> None:
    assert not found("usage", text, language)


@pytest.mark.parametrize(
    ("check", "text", "shown"),
    [
        ("question_mark", "What should you do when it rains.", "without a question mark"),
        ("ordinal", "It was the 22th attempt.", "“22th” should be “22nd”"),
        ("missing_capital", "My brother and i share one.", "“i” needs a capital"),
        ("missing_capital", "We met on mondays in london.", "“mondays” needs a capital"),
        ("misspelling", "Wipe the tab1e first.", "Did you mean “table”"),
        ("misspelling", "That is verrry nice.", "Did you mean “very”"),
        ("misspelling", "The online sto3rage is full.", "Did you mean “storage”"),
        ("misspelling", "The wall is l5 metres long.", "Did you mean “15”"),
        ("misspelling", "Most shops in Portugual have it.", "Did you mean “Portugal”"),
        ("missing_capital", "nly up to a point. They are small.", "“Only”"),
        ("unbalanced_marks", "The button reads Start” in most cases.", "stands alone"),
        ("misspelling", "It is a very impor- tant thing.", "Did you mean “important”"),
        ("doubled_word", "Put it in the in the box.", "“in the in the” has the same words twice"),
        ("mixed_script", "It is a ｇｏｏｄ place.", "for “good”"),
        ("punctuation", "It costs $20 dollars now.", "Keep one."),
        ("punctuation", "Wait an hour,. Then go on.", "one of them is wrong"),
        ("comma_splice", "It rained, we stayed home.", "two sentences joined by a comma"),
    ],
)
def test_more_slips_are_found(check: str, text: str, shown: str) -> None:
    assert any(shown in each.reason for each in found(check, text))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("question_mark", "What you should do is wait."),
        ("question_mark", "What counts is the height of your bed."),
        ("question_mark", "Can you do it? Yes."),
        ("ordinal", "The 11th, 12th, 21st, 22nd and 103rd came."),
        ("missing_capital", "Eat french fries at the table."),
        ("misspelling", "He said hmmm, and ordered an MP3 player."),
        ("misspelling", "My friend Auguste has log4net and H2O in 10l bottles."),
        ("missing_capital", "iptables is a program. It is old."),
        ("doubled_word", "It went on and on and on."),
        ("punctuation", "The file(s) of e.g. Node.js cost $20 (about 18 euros)."),
        ("comma_splice", "After it rained, we stayed home."),
    ],
)
def test_what_looks_like_a_slip_is_none(check: str, text: str) -> None:
    assert not found(check, text)


def test_in_spanish_a_question_has_two_marks() -> None:
    assert found("question_mark", "Cuándo conviene regar las plantas?", "es")
    assert not found("question_mark", "¿Cuándo conviene regar las plantas?", "es")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("collegue", "colleague"), ("comitee", "committee"), ("untill", "until"), ("liek", "like")],
)
def test_the_likely_slip_is_preferred(wrong: str, right: str) -> None:
    known = word_list("en", "abcdefghijklmnopqrstuvwxyz")
    assert known is not None
    assert known.correction(wrong) == right
