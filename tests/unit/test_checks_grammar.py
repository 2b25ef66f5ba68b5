"""Forms that do not go together are found by their parts of speech; right sentences are not."""

import pytest

from app.core.checks import Finding, Kind, Passage, check_file
from app.core.checks.grammar import _pattern, _rules, check_grammar, has_grammar


def grammar(text: str) -> list[Finding]:
    return list(check_grammar(Passage("sections[1]", Kind.PROSE, text), "en"))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Another covers would do as well.", "Another covers"),
        ("Those hinge is cheap.", "Those hinge"),
        ("We hope these is enough.", "these is"),
        ("It doesn't matters which lid you use.", "doesn't matters"),
        ("Why did the lid broke?", "did the lid broke"),
        ("Iran says it need to make fuel.", "it need"),
        ("After three week without rain, go back.", "three week"),
        ("When the program will be dry, turn it round.", "When the program will"),
        ("Neither the phone or the cover may get wet.", "Neither the phone or"),
        ("You must the lid first remove.", "You must the"),
        ("The handle is broken since yesterday.", "is broken since"),
        ("The windows in the room is small.", "The windows in the room is"),
        ("In parts it was so: We did it in the 2019.", "in the 2019"),
        ("It depends the size of the lid.", "depends the"),
        ("We made a great experience there.", "made a great experience"),
    ],
)
def test_the_words_that_do_not_go_together_are_quoted(text: str, wrong: str) -> None:
    found = grammar(text)
    assert wrong in [text[slice(*each.span)] for each in found if each.span]
    assert f"“{wrong}” is wrong: use " in " ".join(each.reason for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "Each covers a room of its own, and another two follow.",
        "Let it run, watch it go, and should it fail, ask.",
        "Two percent of the 50 minute walk is steep, and 2.5 litres are enough.",
        "They ask when it will be dry, and what you would a knife for.",
        "The money they had went to the shop.",
        "This matters, and these computer programs show it.",
        "Neither the phone nor the cover may get wet.",
        "It is the largest since 2015, and it has been so since then.",
        "The US should go on, and Iran says it needs time.",
        "If I were you, I would wait.",
        "The airline owes meals that suit the wait, two calls and a hotel.",
        "Wash your hands with soap and water.",
        "The two differ a lot, and neither of us would have known.",
        "If one of these is missing, wait, and each of those has to be dry.",
        "Leave ½ inch of headspace, or ½ inches, and wait ¾ hour or 1/2 hour.",
        "It is 1½ inches or 1½ inch long, 1 1/2 inches wide and 0.5 inch or .5 inches deep.",
        "Add 1/2 cup of milk, then ¼ to ½ mile of walking, for 1½ hours.",
        "In Scotland every home needs a detector.",
        "One reading is not enough alone.",
        "That makes a poor experience, and a slow page can make a bad experience worse.",
    ],
)
def test_right_sentences_are_not_found(text: str) -> None:
    assert not grammar(text)


def test_what_a_surer_check_finds_is_not_found_twice() -> None:
    text = "# A box\n\nThe box was wet, and they should of waited for an hour.\n"
    found = [each.finding.check for each in check_file(text, "en").findings]
    assert "confused_words" in found
    assert "grammar" not in found


def test_every_rule_can_be_read_and_only_english_has_rules() -> None:
    assert all(_pattern(source) for source in _rules("en").sources)
    assert has_grammar("en-GB")
    assert not has_grammar("de")


@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("punctuation", "The lid is connected by hand , ."),
        ("punctuation", "The lid is wet..and cold."),
        ("punctuation", "The lid is'nt wet."),
        ("punctuation", "It takes 1,5 litres of water."),
        ("capitals", "The lid Is wet and cold."),
    ],
)
def test_marks_and_capitals_in_the_wrong_place_are_found(check: str, text: str) -> None:
    found = check_file(f"# A box\n\nIt rained all day in the town. {text}\n", "en").findings
    assert check in [each.finding.check for each in found]


def test_other_languages_write_a_comma_before_decimals() -> None:
    text = "# Eine Kiste\n\nMan braucht dafür etwa 1,5 km Draht und etwas Zeit.\n"
    found = [each.finding.check for each in check_file(text, "de").findings]
    assert "punctuation" not in found
