"""DESIGN: "sentence, paragraph and subheading lengths; Flesch, passive voice, transition words,
repeated openings where the language has rules (the thresholds are those that Yoast publishes)" and
"Where a language has no rule, the check says it was skipped."
"""

from collections.abc import Callable

import pytest

from app.core.checks import (
    Finding,
    Kind,
    Passage,
    Severity,
    check_document,
    check_post,
    readability,
    skipped_checks,
)
from app.core.checks.readability import flesch, syllables
from app.core.languages import Transitions, get_language
from app.core.planning.brief import Brief
from app.core.schemas.post import SEOPost
from tests.unit.findings import findings_in, of

SHORT = "The jar rests. "
LONG = "The jar " + "that stands in the kitchen " * 4 + "rests. "


def flow(*texts: str, language: str = "en") -> list[Finding]:
    parts = [Passage(f"sections[{i}]", Kind.PROSE, text.strip()) for i, text in enumerate(texts)]
    return check_document(parts, language)


def test_more_than_a_quarter_of_long_sentences_is_a_warning_at_the_longest() -> None:
    calm = [f"Cup {word} rests here." for word in ("one", "two", "red", "blue", "old", "new")]
    assert of("sentence_length", flow(" ".join(calm), LONG)) == []
    (finding,) = of("sentence_length", flow(calm[0], f"Wait here. {LONG}"))
    assert (finding.section, finding.severity) == ("sections[1]", Severity.WARNING)
    assert finding.span == (11, 11 + len(LONG.strip()))
    longer = LONG.replace("rests", "rests and rests")
    (finding,) = of("sentence_length", flow(LONG, f"{SHORT * 2}{longer}", LONG))
    assert finding.section == "sections[1]"
    assert "(25)" in finding.reason


def test_the_three_longest_sentences_are_named_and_how_many_have_to_be_split() -> None:
    long = [LONG.replace("jar", f"{word} jar") for word in ("red", "old red", "new old red")]
    (finding,) = of("sentence_length", flow(" ".join([*long, SHORT * 7])))
    assert "splitting 1 is enough. The longest: “The new old red jar" in finding.reason
    (finding,) = of("sentence_length", flow(" ".join([LONG, *long, LONG, SHORT])))
    assert "splitting 3 is enough" in finding.reason
    assert [finding.reason.count(f"({count})") for count in (26, 25, 24, 23)] == [1, 1, 1, 0]


def test_rows_items_and_headings_are_no_long_sentences() -> None:
    kinds = (Kind.HEADING, Kind.ITEM, Kind.CELL)
    texts = [Passage(f"sections[{i}]", kind, LONG.strip()) for i, kind in enumerate(kinds)]
    listed = Passage("sections[4]", Kind.PROSE, f"- {LONG.strip()}")
    assert of("sentence_length", check_document([*texts, listed], "en")) == []


@pytest.mark.parametrize(
    ("language", "passive", "active"),
    [
        ("en", "The jar was closed by a guest.", "The guest closed the jar."),
        ("en", "It is often made at night.", "It is a broken jar."),
        ("en", "They get sold in pairs.", "The bird had sung before they left."),
        ("en", "He was “convinced by a friend”.", "It was “a word”, he said."),
        ("en", "The old file is overwritten.", "The old file is an overwritten one."),
        ("en", "It is not guaranteed to keep.", "It helps to get rid of the old jar."),
        ("en", "Is the jar filled by hand?", "It is a jar filled by hand."),
        ("en", "What it is has been changed.", "What these are has varied."),
        ("en", "It is closed by the owner at noon.", "The shop is closed, and the bar is open."),
        ("en", "It is used to open jars.", "She is used to the noise and to opening jars."),
        ("en", "The seats get approved in May.", "Makers get seats approved for a child."),
        ("en", "We were surprised by a guest.", "They are interested, and we were surprised."),
        ("en", "It was given to us.", "It is late given that we have begun."),
        ("en", "Was it made by hand?", "It is so hot it burned us."),
        ("en", "The lid is no longer needed.", "There's a set of cups meant for guests."),
        ("de", "Das Glas wird am Abend gefüllt.", "Das Glas wird am Abend voll."),
        ("de", "dass es gut verschlossen wurde", "Er hat es gut verschlossen."),
        ("fr", "Le bocal est fermé par un ami.", "Elle est arrivée hier soir."),
        ("es", "El tarro fue cerrado por un amigo.", "El lado es muy largo."),
        ("it", "Il vaso viene chiuso da un amico.", "La vita è bella."),
        ("pt", "O pote foi fechado por um amigo.", "O mercado é grande."),
        ("nl", "De pot werd door een vriend gevuld.", "De pot werd vol."),
    ],
)
def test_the_passive_voice_is_told_from_the_active(
    language: str, passive: str, active: str
) -> None:
    spoken = get_language(language)
    assert spoken
    assert spoken.passive
    assert spoken.passive.within(passive)
    assert not spoken.passive.within(active)


def test_more_than_a_tenth_of_passive_sentences_is_a_warning() -> None:
    active = [f"Guest {n} fills the cup of tea number {n}." for n in range(9)]
    passive = "The cup was filled by a guest."
    assert of("passive_voice", flow(" ".join([*active, passive]))) == []
    (finding,) = of("passive_voice", flow(" ".join(active[:8]), passive))
    assert (finding.section, finding.span) == ("sections[1]", (0, len(passive)))


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "However, it keeps."), ("en", "It is either hot or cold."),
        ("en", "It’s not only cold but also strong."),
        ("de", "Sie ist nicht nur kalt, sondern auch stark."),
        ("de", "Außerdem hält es."), ("fr", "C'est pourquoi il tient."),
        ("es", "Sin embargo, dura."), ("it", "Tuttavia dura."), ("pt", "No entanto, dura."),
        ("nl", "Bovendien blijft het goed."),
    ],
)  # fmt: skip
def test_transition_words_are_known(language: str, sentence: str) -> None:
    spoken = get_language(language)
    assert spoken
    assert spoken.transitions
    assert spoken.transitions.within(sentence)
    assert not spoken.transitions.within("Xyz abc.")


def test_some_words_are_transitions_only_where_a_sentence_begins() -> None:
    english = get_language("en")
    assert english
    assert english.transitions
    for sentence in ("First, grind it.", "Still, it keeps.", "Yet it keeps."):
        assert english.transitions.within(sentence)
    for sentence in ("The first cup is strong.", "It is still cold.", "It is not cold yet."):
        assert not english.transitions.within(sentence)


def test_pairs_and_openings_may_have_several_words() -> None:
    phrases = Transitions(phrases=(), opening=("then again",), pairs=(("not only", "but also"),))
    assert phrases.within("It is not only cold but also strong.")
    assert phrases.within("Not that one, not only cold, but, but also strong.")
    for sentence in ("But also cold, not only strong.", "It is not cold, only strong, but also."):
        assert not phrases.within(sentence)
    assert phrases.within("Then again, it keeps.")
    assert not phrases.within("Pour it then again.")


def test_too_few_transition_words_in_a_text_of_some_length() -> None:
    plain = [f"Cup number {n} stands on the big kitchen table." for n in range(25)]
    (finding,) = of("transition_words", flow(" ".join(plain)))
    assert finding.severity is Severity.WARNING
    linked = [f"Also, {s}" if n % 3 == 0 else s for n, s in enumerate(plain)]
    assert of("transition_words", flow(" ".join(linked))) == []
    assert of("transition_words", flow(" ".join(plain[:10]))) == []


def test_three_sentences_that_begin_alike_in_one_section() -> None:
    text = "Maria asks. Maria waits. Maria goes."
    (finding,) = of("same_openings", flow(text))
    assert finding.span == (0, len(text))
    assert of("same_openings", flow("Maria asks. Maria waits.", "Maria goes.")) == []
    assert of("same_openings", flow("The jar rests. The lid closes. The cup waits.")) == []


def test_syllables_and_the_reading_ease_of_known_sentences() -> None:
    assert [syllables(word, "en_US") for word in ("cat", "water", "information")] == [1, 2, 4]
    english = get_language("en")
    assert english
    assert english.flesch
    assert flesch(["The cat sat on the mat."], english.flesch) == 100
    hard = ["Interdepartmental communication necessitates organizational transparency."]
    assert flesch(hard, english.flesch) < 10


def test_a_text_that_misses_a_limit_by_little_is_not_worth_a_revision() -> None:
    easy = "The old jar of tea sits on a wooden shelf near the window."
    hard = "A moderate rate of operation is a considerable advantage."
    # By Flesch's formula: 65, 57 and 49.
    for count, expected in ((5, []), (6, [False]), (7, [True])):
        found = of("flesch", flow(" ".join([easy] * (10 - count) + [hard] * count)))
        assert [each.fixable for each in found] == expected
    for short, expected in ((12, []), (10, [False]), (8, [True])):
        found = of("sentence_length", flow(" ".join([*[SHORT] * short, *[LONG] * 4])))
        assert [each.fixable for each in found] == expected


def test_a_language_without_rules_says_what_is_skipped() -> None:
    assert skipped_checks("en") == ()
    assert {"wrong_article", "comma_splice"} <= set(skipped_checks("pt-BR"))
    assert {"flesch", "passive_voice", "transition_words"} <= set(skipped_checks("fi"))
    assert "language" not in skipped_checks("fi")
    assert "language" in skipped_checks("yo")


def test_the_report_names_what_was_skipped(
    make_post: Callable[..., SEOPost], make_brief: Callable[..., Brief]
) -> None:
    assert check_post(make_post(), make_brief()).skipped == ()
    foreign = make_brief(language="yo")
    report = check_post(make_post(brief=foreign), foreign)
    assert report.skipped == skipped_checks("yo")
    assert list(report.findings) == findings_in(make_post(brief=foreign), foreign)


GERMAN = (
    "Der Kaffee ruht über Nacht im Kühlschrank und schmeckt am Morgen mild. Wer grob mahlt,"
    " bekommt ein klares Getränk."
)


def test_a_paragraph_in_another_language_is_refused_where_it_stands(
    make_post: Callable[..., SEOPost], make_brief: Callable[..., Brief]
) -> None:
    good = make_post().sections[1].content_markdown
    bodies = (("Why a coarse grind matters for cold brew", f"{good}\n\n{GERMAN}"),)
    findings = findings_in(make_post(bodies=bodies), make_brief(sections=(1, 1)))
    (finding,) = of("language", findings)
    assert (finding.section, finding.blocks) == ("sections[1].blocks[2]", True)
    assert finding.span == (0, len(GERMAN))


def test_a_conclusion_concludes(
    make_post: Callable[..., SEOPost], make_brief: Callable[..., Brief]
) -> None:
    for text, new in (
        ("Start tonight with one jar. It costs 1,250 dollars.", "1,250"),
        ("Start tonight with one jar, and ask Bartholomew Quigley.", "Bartholomew Quigley"),
    ):
        (finding,) = findings_in(make_post(conclusion=text), make_brief())
        assert (finding.check, finding.section) == ("conclusion_introduces", "sections[5]")
        assert finding.span
        assert text[slice(*finding.span)] == new
    old = "Start tonight with one jar and a coarse grind. In 2 days You will know."
    assert of("conclusion_introduces", findings_in(make_post(conclusion=old), make_brief())) == []


def test_a_question_asks_and_is_asked_once(
    make_post: Callable[..., SEOPost], make_brief: Callable[..., Brief]
) -> None:
    first, second = make_post().faqs
    plain = second.model_copy(update={"question": "It keeps long."})
    (finding,) = findings_in(make_post(faqs=(first, plain)), make_brief())
    assert (finding.check, finding.section, finding.blocks) == (
        "faq_shape", "faqs[1].question", False,
    )  # fmt: skip
    again = second.model_copy(update={"question": first.question})
    found = findings_in(make_post(faqs=(first, again)), make_brief())
    # Its answer is one to another question.
    assert [(finding.check, finding.section, finding.blocks) for finding in found] == [
        ("faq_shape", "faqs[1].question", True), ("unanswered", "faqs[1].answer", False),
    ]  # fmt: skip


def test_a_long_run_of_words_that_comes_again_is_a_warning() -> None:
    run = "a burr grinder keeps all of the pieces even and also saves time"
    (finding,) = flow(f"In short, {run}.", f"As we know, {run} at home.")
    assert (finding.check, finding.section) == ("repeated_phrase", "sections[1]")


def test_a_dictionary_of_syllables_does_not_grow_with_the_words_it_has_counted() -> None:
    """A web process counts the words of all posts that it writes."""
    counted = [readability.syllables(word, "de_DE") for word in ("Gartenzaun", "Kaffee", "Tee")]
    assert counted == [3, 2, 1]
    assert not readability._dictionary("de_DE").hd.cache
    values = readability._dictionary("de_DE").hd.patterns.values()
    assert len(set(map(id, values))) < len(values) / 20
