"""Whether prose is whole: it ends, says things once, and does not echo its heading."""

from collections.abc import Callable

import pytest

from app.core.checks import Finding, Kind, Passage, Severity, check_passage, passages
from app.core.checks.readability import PARAGRAPH_MAX_WORDS
from app.core.planning.brief import Brief
from app.core.schemas.post import Callout, Faq, SEOPost
from tests.unit.findings import findings_in


def findings(
    text: str, *, kind: Kind = Kind.PROSE, heading: str = "", language: str = "en"
) -> list[Finding]:
    return check_passage(Passage("sections[1]", kind, text, heading), language)


def spot(text: str, finding: Finding) -> str:
    assert finding.span is not None
    return text[slice(*finding.span)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is cold. Then the jar goes into the", "Then the jar goes into the"),
        ("It is cold. Then pour the coffee over ice", "Then pour the coffee over ice"),
        ("It is cold. You will need the following:", "You will need the following:"),
        ("It is cold. Add the sugar, the milk,", "Add the sugar, the milk,"),
        ("It is cold. He said “pour it”", "He said “pour it”"),
        ("It is cold. Wait for a night (or two)", "Wait for a night (or two)"),
        ("  It is cold. Pour it over the ice\n", "Pour it over the ice"),
        ("It is cold. Add some water and.", "Add some water and."),
        ("It is cold. Add some water and…", "Add some water and…"),
        ("It is cold. Add some water and...", "Add some water and..."),
        ("It is cold. Pour it into a.", "Pour it into a."),
        ("It is cold. Add something sweet, such as.", "Add something sweet, such as."),
        ("It is cold. The jar is made of…", "The jar is made of…"),
    ],
)
def test_a_text_that_is_cut_off_is_a_blocker(text: str, found: str) -> None:
    (finding,) = findings(text)
    assert (finding.check, finding.severity) == ("cut_off", Severity.BLOCKER)
    assert finding.section == "sections[1]"
    assert spot(text, finding) == found


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The coffee is cold and sweet.", "en"),
        ("Is the coffee cold and sweet?", "en"),
        ("The coffee is cold and sweet!", "en"),
        ("The coffee is cold and sweet…", "en"),
        ("He said “the coffee is cold.”", "en"),
        ('He said "the coffee is cold."', "en"),
        ("He said ‘the coffee is cold!’", "en"),
        ("The coffee is cold (as it should be).", "en"),
        ("The coffee is cold. (As it should be.)", "en"),
        ("The coffee is cold. [As it should be.]", "en"),
        ("The coffee is cold and sweet! ☕️", "en"),
        ("The coffee is cold and sweet. 👩‍🍳🏽", "en"),
        ("These are the beans that people ask for.", "en"),
        ("Nobody knows what the jar is made of.", "en"),
        ("It is rich in potassium and vitamin A.", "en"),
        ("It is time for the famous plan A…", "en"),
        ("Rufen Sie uns einfach noch heute an.", "de"),
        ("Il y en a.  Et il y en a.", "fr"),
        ("コーヒーは冷たくて甘い。", "ja"),
        ("彼は「コーヒーは冷たい。」", "ja"),
        ("कॉफ़ी ठंडी और मीठी है।", "hi"),
        ("القهوة باردة وحلوة جدا؟", "ar"),
        ("กาแฟเย็นและหวานมาก", "th"),
        ("Սուրճը սառն է և քաղցր։", "hy"),
    ],
)
def test_a_text_that_ends_is_whole(text: str, language: str) -> None:
    assert findings(text, language=language) == []


@pytest.mark.parametrize("kind", [Kind.PROSE, Kind.ANSWER, Kind.DESCRIPTION])
@pytest.mark.parametrize("text", ["", " \n", "Three short words.", "…"])
def test_prose_that_is_hardly_there_is_a_blocker(text: str, kind: Kind) -> None:
    (finding,) = (each for each in findings(text, kind=kind) if each.check == "empty")
    assert finding.severity is Severity.BLOCKER


@pytest.mark.parametrize("kind", [Kind.TITLE, Kind.HEADING, Kind.QUESTION, Kind.LABEL])
def test_a_line_must_be_there_but_need_not_be_a_sentence(kind: Kind) -> None:
    assert [f.check for f in findings(" ", kind=kind)] == ["empty"]
    assert findings("Cold brew", kind=kind) == []


HEADING = "Why a coarse grind"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Why a coarse grind. It keeps the jar clear.", "Why a coarse grind."),
        ("Why a Coarse Grind? It keeps the jar clear.", "Why a Coarse Grind?"),
        ("Why a coarse grind: it keeps the jar clear.", None),
        ("Why a coarse grind - it keeps the jar clear.", None),
        ("Why a coarse grind – it keeps the jar clear.", None),
        ("Why a coarse grind—it keeps the jar clear.", None),
        ("It keeps the jar clear. Why a coarse grind.", "Why a coarse grind."),
    ],
)
def test_a_paragraph_that_repeats_its_heading_is_a_blocker(text: str, found: str | None) -> None:
    (finding,) = findings(text, heading=HEADING)
    assert (finding.check, finding.severity) == ("heading_echo", Severity.BLOCKER)
    assert spot(text, finding) == (found or text)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("A coarse grind keeps the jar clear, and here is why.", HEADING),
        ("Why a coarse grind helps is easily told to anybody.", HEADING),
        ("Cold-brew coffee keeps for a week in the fridge.", "Cold"),
        ("Cold brew-style drinks keep for a week or longer.", "Cold brew"),
        ("It keeps the jar clear for as long as a week.", ""),
    ],
)
def test_a_paragraph_may_use_the_words_of_its_heading(text: str, heading: str) -> None:
    assert findings(text, heading=heading) == []


def test_an_answer_that_repeats_its_question_is_a_blocker() -> None:
    text = "Can I heat it? Yes, on a low flame you can."
    (finding,) = findings(text, kind=Kind.ANSWER, heading="Can I heat it?")
    assert finding.check == "heading_echo"
    assert spot(text, finding) == "Can I heat it?"


def test_a_paragraph_of_more_words_than_read_well_is_a_warning() -> None:
    assert PARAGRAPH_MAX_WORDS == 150
    most = "word " * 149 + "end."
    assert {f.check for f in findings(most)} == {"doubled_word"}
    short = "This one is short."
    text = f"{short}\n\n{'word ' * PARAGRAPH_MAX_WORDS}end.\n\n{short}\n\n{most} Over."
    found = [f for f in findings(text) if f.check == "paragraph_length"]
    assert [(f.check, f.severity) for f in found] == [("paragraph_length", Severity.WARNING)] * 2
    assert [spot(text, f) for f in found] == [text.split("\n\n")[1], text.split("\n\n")[3]]


def test_two_long_paragraphs_that_are_the_same_have_spans_of_their_own() -> None:
    long = "word " * PARAGRAPH_MAX_WORDS + "end."
    found = findings(f"{long}\n\n{long}")
    spans = [f.span for f in found if f.check == "paragraph_length"]
    assert spans == [(0, len(long)), (len(long) + 2, 2 * len(long) + 2)]


SENTENCE = "The jar rests for twelve hours."


def _repeated(post: SEOPost, brief: Brief) -> list[Finding]:
    return [f for f in findings_in(post, brief) if f.check == "repeated_sentence"]


@pytest.mark.parametrize(
    ("parts", "section"),
    [
        (
            {"bodies": (("One heading here", f"It is so. {SENTENCE}"), ("Two", "Yes."))},
            "sections[1]",
        ),
        (
            {"callout": Callout(label="Note", text=f"It is so. {SENTENCE}")},
            "sections[3].callout.text",
        ),
        ({"faqs": (Faq(question="How long?", answer=f"Long. {SENTENCE}"),)}, "faqs[0].answer"),
        ({"conclusion": f"It is so. {SENTENCE}"}, "sections[5]"),
    ],
)
def test_a_sentence_that_the_post_already_has_is_a_blocker(
    make_post: Callable[..., SEOPost],
    make_brief: Callable[..., Brief],
    parts: dict[str, object],
    section: str,
) -> None:
    opening = "THE jar rests — for twelve hours! That is all that it asks of you."
    post = make_post(introduction=opening, **parts)
    (finding,) = _repeated(post, make_brief())
    assert finding.severity is Severity.BLOCKER
    assert finding.section == section
    text = {passage.section: passage.text for passage in passages(post)}[section]
    assert spot(text, finding) == SENTENCE


def test_short_sentences_and_the_description_may_say_it_again(
    make_post: Callable[..., SEOPost], make_brief: Callable[..., Brief]
) -> None:
    post = make_post(
        introduction=f"Wait a whole night. {SENTENCE}",
        conclusion="Wait a whole night. Then pour yourself a glass of it.",
        description=SENTENCE,
    )
    assert _repeated(post, make_brief()) == []
