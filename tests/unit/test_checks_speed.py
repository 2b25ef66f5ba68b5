"""What spares the desk work changes no verdict: the short way finds whatever the long one finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.checks import Kind, Passage, hygiene, paragraphs
from app.core.checks.prose import check_cut_off
from app.core.languages import Passive
from app.core.text import find_phrase, fold, folded, word_count, words

CODES = ("de", "en", "es", "fr", "it", "nl", "pt")


@given(st.from_regex(hygiene._LINK))
def test_every_link_has_a_sign_of_one(text: str) -> None:
    findings = hygiene.check_link(Passage("sections[0]", Kind.PROSE, text), "en")
    assert list(findings)


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
    (finding,) = check_cut_off(Passage("introduction", Kind.PROSE, text), code)
    assert finding.reason.startswith("The last sentence breaks off: ")


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
        participles=frozenset({"broken", "ended"}),
        participle_prefixes=(),
        participle_patterns=re.compile("(?!)"),
        not_participles=frozenset(),
        clause_starts=frozenset({"that"}),
        adjective_after=frozenset({"the"}),
        other_complements=frozenset(),
        either_order=either,
        idioms=re.compile("(?!)"),
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
