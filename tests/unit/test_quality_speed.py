"""What spares the desk work changes no verdict: the short way finds whatever the long one finds."""

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.quality import hygiene
from app.core.quality.hygiene import check_hygiene
from app.core.quality.languages import rules_for
from app.core.quality.languages.rules import Marked, Passive, Rules
from app.core.quality.passage import Kind, Passage, paragraphs
from app.core.quality.prose import check_whole
from app.core.text import find_phrase, fold, folded, word_count, words

CODES = ("de", "en", "es", "fr", "it", "nl", "pt")


def known(code: str) -> Rules:
    rules = rules_for(code)
    assert rules is not None
    return rules


MARKED = {
    f"{code} {name}": getattr(known(code), name)
    for code in CODES
    for name in ("self_reference", "assistant", "task_talk", "placeholder")
}


def alternatives(marked: Marked) -> Iterator[re.Pattern[str]]:
    """Each line that `either` put into a pattern, as a pattern of its own."""
    line = ""
    for part in marked.pattern.pattern.removeprefix("(?:").removesuffix(")").split(")|(?:"):
        line += part
        with suppress(re.error):  # inside of a group that the line has itself
            yield re.compile(line, marked.pattern.flags)
            line = ""
            continue
        line += ")|(?:"


ALTERNATIVES = {
    f"{name} {number}": (marked, alternative)
    for name, marked in MARKED.items()
    for number, alternative in enumerate(alternatives(marked))
} | {
    name: (marked, marked.pattern)
    for name, marked in {
        "placeholder": hygiene._PLACEHOLDER,
        "unwritten": hygiene._UNWRITTEN,
    }.items()
}


@pytest.mark.parametrize("name", ALTERNATIVES)
@settings(max_examples=20)
@given(st.data())
def test_every_match_of_a_pattern_has_one_of_its_marks(name: str, data: st.DataObject) -> None:
    marked, alternative = ALTERNATIVES[name]
    text = data.draw(st.from_regex(alternative))
    found, whole = marked.search(text), marked.pattern.search(text)
    assert found is not None
    assert whole is not None
    assert found.span() == whole.span()


def test_marks_are_written_as_they_are_looked_for() -> None:
    for marked, _ in ALTERNATIVES.values():
        for mark in marked.marks:
            assert mark == mark.casefold().strip() != ""


@pytest.mark.parametrize("spelt", ["As an AI, I try.", "aſ an Aİ, I try.", "As an aı, I try."])
def test_marks_are_known_in_the_spellings_that_a_pattern_knows(spelt: str) -> None:
    assert known("en").assistant.pattern.search(spelt)
    assert known("en").assistant.search(spelt)


@given(st.from_regex(hygiene._LINK))
def test_every_link_has_a_sign_of_one(text: str) -> None:
    findings = check_hygiene(Passage("sections[0]", Kind.PROSE, text), "en")
    assert "link" in {finding.check for finding in findings}


ASCII = st.text(st.sampled_from("aB2'-.,+#_ \n\ts"), max_size=30)


@given(ASCII, ASCII)
def test_a_text_of_ascii_is_read_like_any_other(text: str, phrase: str) -> None:
    longer = f"{text} é"
    assert word_count(longer) == word_count(text) + 1
    assert words(longer) == (*words(text), "é")
    assert fold(longer) == f"{fold(text)} é".lstrip()
    assert folded(longer)[:-1] == folded(text)
    assert find_phrase(longer, phrase, "en") == find_phrase(text, phrase, "en")


PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\s*\Z)", re.DOTALL)


@given(st.text(st.sampled_from("ab \t\n\n\r\u2028"), max_size=20))
def test_paragraphs_begin_with_words_and_end_at_a_blank_line(text: str) -> None:
    expected = [(match.start(), match.group()) for match in PARAGRAPH.finditer(text)]
    assert list(paragraphs(text)) == expected


@pytest.mark.parametrize("code", CODES)
def test_the_last_words_tell_whether_a_text_breaks_off(code: str) -> None:
    """However long it is, and however many dots it ends with."""
    words_of_end = {"de": "und", "en": "such as", "es": "porque", "fr": "parce que"}
    words_of_end |= {"it": "perché", "nl": "omdat", "pt": "porque"}
    text = f"{'Bla bla bla. ' * 50}Bla {words_of_end[code]}{'.' * 90}"
    (finding,) = check_whole(Passage("introduction", Kind.PROSE, text), code)
    assert finding.reason == "The last sentence breaks off."


@given(
    st.lists(
        st.sampled_from(["is", "broken", "the", "jar", "ended", ",", "that", "Jars", "been"]),
        max_size=9,
    ).map(" ".join),
    st.booleans(),
)
def test_a_passive_is_an_auxiliary_and_a_participle_in_one_clause(text: str, either: bool) -> None:
    rules = Passive(
        auxiliaries=frozenset({"is", "been"}),
        participle=re.compile("broken|ended"),
        between=frozenset({"that"}),
        before=frozenset({"the"}),
        either_order=either,
    )
    expected = False
    for clause in re.split(",|that", text):
        found = clause.lower().split()
        ends = [i for i, w in enumerate(found) if w in {"broken", "ended"}]
        # At the begin of a clause the word before is that, which is no article.
        ends = [i for i in ends if i == 0 or found[i - 1] != "the"]
        helps = [i for i, w in enumerate(found) if w in {"is", "been"}]
        expected |= any(either or help_ < end for help_ in helps for end in ends)
    assert rules.within(text) == expected
