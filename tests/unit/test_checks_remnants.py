"""What programs, forms and drafts leave in a text is found; what people write about them is not.

Issue: leftovers are found in posts and in files, of kinds that nobody has shown.
"""

import re
import time

import pytest

from app.core.checks import Finding, Kind, Passage, Severity, check_file
from app.core.checks.check import DeskCheck
from app.core.checks.hygiene import check_placeholder
from app.core.checks.leftovers import check_draft_label, check_unfinished_note
from app.core.checks.remnants import _by_sign, _kinds, check_remnant


def found(text: str, kind: Kind = Kind.PROSE, *, in_file: bool = False) -> list[Finding]:
    return list(check_remnant(Passage("sections[1]", kind, text, in_file=in_file), "en"))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Error 404: Not Found", "an error message of a program"),
        ("It ended with KeyError: 'title' and so on.", "an error message of a program"),
        ("Regenerate response", "a button or notice of a chat program"),
        ("Share this: Facebook Twitter", "a part of a web page, such as a button or a menu"),
        ('[gallery ids="12,14"]', "a code of a website builder"),
        ("It costs [% price %] in most shops.", "a variable of a template"),
        ("Rough draft of Monday", "a note about the state of a draft"),
        ("It opens in spring (date TBC).", "a note to somebody who works on the text"),
        ("It takes ??? minutes.", "a note to somebody who works on the text"),
        ("Ask John Doe at the desk.", "sample data"),
        ("Write to jane.doe@example.com today.", "sample data"),
        ("asdfasdf", "random typing"),
        ("Translated with DeepL.com (free version)", "a note of a translator"),
        ("(continued in the next message)", "a notice that more text follows"),
        ("IMG_20230412_093012.jpg", "the name of a file"),
        ("[00:12:34] So the first thing is to wait.", "a part of a transcript"),
        ("It is good for his health [delete as appropriate].", "a choice that was never made"),
        ("Kind regards,", "a part of an e-mail"),
        ("Style: friendly and warm", "a label of a draft or a prompt"),
        ("<<<<<<< HEAD", "a mark of a program that merges files"),
        ("Das kostet #WERT! im Monat.", "an error value of a spreadsheet"),
        ("Printed on 04.05.2023 at 11:42", "the head or foot of a printed page"),
        ("Open quote keep dry close quote is on it.", "words of a dictation"),
        ("New paragraph the lid is next.", "words of a dictation"),
        ("It was sold since Invalid Date.", "a value that a program writes when it has none"),
        ("It was opened on null.", "a value that a program writes when it has none"),
        ("The lid costs 12.999999999 euros.", "a value that a program writes when it has none"),
        ("It is on page 000.", "a mark of a value that is still to come"),
        ("PENDIENTE: foto de la tapa.", "a mark of a value that is still to come"),
        ("[long version] It is dry.", "a choice that was never made"),
        ("It is dry [awk.] here.", "a mark of an editor or proofreader"),
        ("It is fine :rolleyes: here.", "a mark of a chat, forum or wiki program"),
        ("It costs 5\\x20euros.", "an escape or a character code"),
        ("Print this page Email this page", "a part of a web page, such as a button or a menu"),
    ],
)
def test_a_remnant_is_found_and_named(text: str, what: str) -> None:
    (finding,) = found(text)
    assert f"looks like {what}." in finding.reason


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("It costs {price} in most shops.", check_placeholder),
        ("Tone: friendly and warm", check_draft_label),
        ("It is sweet (citation needed) and cheap.", check_unfinished_note),
    ],
)
def test_what_another_check_finds_is_reported_once(
    text: str, check: DeskCheck[[Passage, str]]
) -> None:
    assert list(check(Passage("sections[1]", Kind.PROSE, text), "en"))
    assert not found(text)


@pytest.mark.parametrize(
    "text",
    [
        "The server answers with an error if the page is missing.",
        "Read more about it in the library.",
        "Share the cake with a friend, and keep the rest for later.",
        "The price is $20, and children pay half.",
        "Use and/or with care.",
        "It opens at 9:30 and closes at 17:00.",
        "Ask the editor before you publish anything.",
        "A menu, a chair and a table stood there.",
        "The test ran for two hours (see the table above).",
        "He said “Error 404: Not Found” and laughed.",
        "Write the first draft by hand, then read it aloud.",
        "Part of the rest is for you; the other part is mine.",
        "Choose one or two colours that fit the room.",
    ],
)
def test_ordinary_prose_is_no_remnant(text: str) -> None:
    assert not found(text)


def test_a_button_is_one_only_as_a_line_of_its_own() -> None:
    assert found("Skip to content")
    assert not found("Skip to content that you like.")
    assert not found("Menu", Kind.CELL)


def test_only_what_no_person_writes_is_a_blocker() -> None:
    (certain,) = found("It ends. <start_of_turn> So it goes.", in_file=True)
    (doubtful,) = found("Error 404: Not Found", in_file=True)
    assert (certain.severity, doubtful.severity) == (Severity.BLOCKER, Severity.WARNING)


def test_a_remnant_is_found_in_a_file() -> None:
    report = check_file("# Cold brew\n\nIt is cold.\n\nRegenerate response\n", "en")
    assert [(each.line, each.finding.check) for each in report.findings] == [(5, "remnant")]


def test_every_pattern_compiles_and_every_sign_is_in_lower_case() -> None:
    for kind in _kinds():
        assert kind.of_line
        assert kind.opening
        assert kind.in_brackets
        for signs, source in kind.anywhere:
            assert re.compile(source, re.IGNORECASE | re.MULTILINE)
            assert signs
    assert all(sign == sign.lower() for sign in _by_sign())


@pytest.mark.parametrize("pattern", ["[", "(a ", "{", "<", "asd", "?? ", "error: ", "part 1 "])
def test_the_time_grows_with_the_length_of_the_text_alone(pattern: str) -> None:
    def cost(chars: int) -> float:
        began = time.process_time()
        found((pattern * chars)[:chars])
        return time.process_time() - began

    cost(1_000)
    assert cost(20_000) < max(0.05, 12 * cost(5_000))
