"""Words, sentences and phrases, and that every position points at what it says."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from snowballstemmer import algorithms

from app.core import text as module
from app.core.text import find_phrase, fold, primary_subtag, sentences, stem, stems, word_count
from tests.support.source_site import BRIDGE

LANGUAGES = st.sampled_from(["en", "de", "ja", "ar", "hi", "th", "pt-BR", "xx"])
# All of Unicode but halves of characters, which no text in this program has.
PIECES = st.sampled_from(
    ["Cold", "brew.", "brews", "brew's", " ", " ", "\n", "\r\n", "!", "?", "。", "日本", "e\u0301",
     "\x00", "हिन्दी", "😀", "C++", "-", "’", "ʼ", "'", "U.S.", "3.5", "\u200d", "\ue000", "ß", "İ"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=20).map("".join))
PHRASES = st.one_of(st.text(max_size=5), st.lists(PIECES, min_size=1, max_size=3).map("".join))


@given(TEXTS, LANGUAGES)
@example("A. B! 日本語です。次。😀 Ja?\n\nC…", "en")
def test_a_sentence_is_what_its_span_holds(text: str, language: str) -> None:
    found = sentences(text, language)
    for sentence in found:
        assert text[slice(*sentence.span)] == sentence.text == sentence.text.strip() != ""
        assert "\n" not in sentence.text
    spans = [edge for sentence in found for edge in sentence.span]
    assert spans == sorted(spans)
    outside = list(text)
    for sentence in found:
        outside[slice(*sentence.span)] = " " * len(sentence.text)
    assert not "".join(outside).strip()  # nothing is lost


@settings(max_examples=300)
@given(TEXTS, PHRASES, LANGUAGES, st.booleans())
def test_a_phrase_is_what_its_span_holds(
    text: str, phrase: str, language: str, exact: bool
) -> None:
    spans = find_phrase(text, phrase, language, exact=exact)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    for start, end in spans:
        assert find_phrase(text[start:end], phrase, language, exact=exact) == [(0, end - start)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        (" \n\t", 0),
        ("One two, three.", 3),
        ("It's a well-known one-off", 4),
        ("3,000 people paid $4.50 in 2024", 6),
        ("and/or", 2),
        ("5–6 cups", 3),
        ("U.S. exports", 2),
        ("snake_case", 2),
        ("cafe\u0301 noir", 2),
        ("日本語の文", 5),
        ("iPhoneを買う", 4),
        ("हिन्दी में लिखें", 3),
        ("می‌خواهم بروم", 2),
        ("안녕하세요 여러분", 2),
        ("*** — … ☕", 0),
    ],
)
def test_word_count(text: str, expected: int) -> None:
    assert word_count(text) == expected


def found(text: str, phrase: str, language: str = "en", *, exact: bool = False) -> list[str]:
    return [text[a:b] for a, b in find_phrase(text, phrase, language, exact=exact)]


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("Good cold brew keeps.", "cold brew", ["cold brew"]),
        ("COLD BREW and Cold brew", "cold brew", ["COLD BREW", "Cold brew"]),
        ("Two cold brews later", "cold brew", ["cold brews"]),
        ("She brewed while brewing", "brew", ["brewed", "brewing"]),
        ("cold-brew coffee", "cold brew", ["cold-brew"]),
        ("cold brew coffee", "cold-brew", ["cold brew"]),
        ("The cold\nbrew", "cold brew", ["cold\nbrew"]),
        ("a cold brew's taste", "cold brew", ["cold brew's"]),
        ("the brewers’ secret", "brewer", ["brewers"]),
        ("cold brew cold brew cold", "cold brew cold", ["cold brew cold"]),
        ("the café and the cafe\u0301", "café", ["café", "cafe\u0301"]),
        ("Use Node.js here", "node.js", ["Node.js"]),
        ("Learn C++ or C#.", "C++", ["C++"]),
        ("Learn C++ or C#.", "c#", ["C#"]),
        ("a beginner's guide", "beginner’s guide", ["beginner's guide"]),
        ("a beginner’s guide", "beginner's guide", ["beginner’s guide"]),
        ("Don’t repeat yourself", "don't repeat", ["Don’t repeat"]),
        ("Donʼt repeat yourself", "don’t repeat", ["Donʼt repeat"]),
        ("de l’eau froide", "l'eau froide", ["l’eau froide"]),
        ("The O’Reilly book", "o'reilly", ["O’Reilly"]),
    ],
)
def test_a_phrase_is_found_in_any_form(text: str, phrase: str, expected: list[str]) -> None:
    assert found(text, phrase) == expected


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("scold brewery", "cold brew"),
        ("A scolding", "cold"),
        ("the brew is cold", "cold brew"),
        ("cold fresh brew", "cold brew"),
        ("vitamin C", "C++"),
        ("Learn C++ or C#.", "C"),
        ("हिन्दी में", "हिन"),
        ("cold", "cold brew"),
        ("anything", ""),
        ("anything", "☕"),
    ],
)
def test_a_phrase_is_not_found_inside_a_word_or_out_of_order(text: str, phrase: str) -> None:
    assert found(text, phrase) == []


def test_exact_takes_no_inflected_form_but_any_case() -> None:
    text = "Cold brews, cold brewing, Cold-Brew and the cold brew's taste"
    assert found(text, "cold brew", exact=True) == ["Cold-Brew", "cold brew's"]


def test_exact_takes_any_apostrophe() -> None:
    text = "Don't wait. Don’t wait. Donʼt wait."
    for phrase in ("don't wait", "don’t wait", "donʼt wait"):
        assert found(text, phrase, exact=True) == ["Don't wait", "Don’t wait", "Donʼt wait"]


def test_inflection_follows_the_language() -> None:
    assert found("Die Bohnen mahlen", "Bohne", "de-AT") == ["Bohnen"]
    assert found("los granos molidos", "grano molido", "es") == ["granos molidos"]
    # No stemmer: letter by letter.
    assert found("brews", "brew", "xx") == []


def test_scripts_without_spaces() -> None:
    assert found("自宅で水出しコーヒーを作る", "水出しコーヒー", "ja") == ["水出しコーヒー"]
    assert found("ＳＥＯ対策の基本", "SEO対策", "ja") == ["ＳＥＯ対策"]
    assert [s.text for s in sentences("一文目です。二文目です。", "ja")] == [
        "一文目です。",
        "二文目です。",
    ]


def test_sentences_keep_abbreviations_and_decimals_whole() -> None:
    text = "St. Louis paid $4.50 in the U.S. market. It was, e.g., cheap!\nReally?"
    assert [s.text for s in sentences(text, "en")] == [
        "St. Louis paid $4.50 in the U.S. market.",
        "It was, e.g., cheap!",
        "Really?",
    ]


def test_fold_and_stems_see_words_alone() -> None:
    assert fold("“Cold-brew’s” HERE!") == fold("cold brew here") == "cold brew here"
    assert fold("It isn’t the brewers’ jar") == fold("It isn't the brewers' jar")
    assert stems("Brewing brews", "en") == {"brew"}
    assert stems("isn’t d’abord", "fr") == stems("isn't d'abord", "fr")


def test_every_stemmer_that_is_named_exists() -> None:
    assert set(module._STEMMERS.values()) <= set(algorithms())
    for language in module._STEMMERS:
        assert stem("test", language)
    assert primary_subtag("PT-br") == "pt"


def test_hostile_lengths_take_no_more_than_a_moment() -> None:
    began = time.perf_counter()
    for bit in ("a-", "a'", "a.", "e\u0301", "\n", "C+", "日"):
        text = bit * 10_000
        word_count(text)
        find_phrase(text, "zzz", "en")
    assert time.perf_counter() - began < 5


def test_two_full_stops_within_a_word_of_code_end_no_sentence() -> None:
    found = sentences("Run git log origin/main..HEAD to see them. Then push.", "en")
    assert [each.text for each in found] == [
        "Run git log origin/main..HEAD to see them.", "Then push.",
    ]  # fmt: skip


def test_a_line_of_any_length_has_the_same_sentences_as_its_parts() -> None:
    said = [
        *BRIDGE,
        "Dr. Smith said: “No. Never. Not at all.” It cost 3.5 million in the U.S. market.",
    ]
    line = " ".join(said * 20)
    found = sentences(line, "en")
    assert [line[slice(*sentence.span)] for sentence in found] == [one.text for one in found]
    once = [one.text for one in sentences(" ".join(said), "en")]
    assert [one.text for one in found] == once * 20


@pytest.mark.parametrize("word", ["word ", "a"])
def test_what_is_no_sentence_is_cut_and_nothing_is_lost(word: str) -> None:
    line = (word * 9999).strip()
    found = sentences(line, "en")
    assert all(len(one.text) <= 2000 for one in found)
    assert "".join(one.text for one in found).replace(" ", "") == line.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ab dem 15. Lebensmonat zählt nur einer. Das gilt immer.", 2),
        ("Ab dem vollendeten 16. Lebensjahr dürfen sie es. Das gilt immer.", 2),
        ("Die 2. Auflage ist da. Am 3. Mai kam sie.", 2),
        ("Abgabe ist am 15. Danach ist es zu spät.", 2),
        ("Wer bis einschließlich 30. Juni beginnt, erfüllt sie. Das steht in § 7 Abs. 3 BUrlG.", 2),
    ],
)
def test_a_german_ordinal_ends_no_sentence(text: str, count: int) -> None:
    assert len(sentences(text, "de")) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Passes are released daily at 8 a.m. Eastern. Same-day ones come later.", 2),
        ("Reserve from 8 a.m. Eastern, or try at 8:15 a.m. that day.", 1),
        ("It opens at 9 a.m. Central Park is near.", 2),
    ],
)
def test_the_zone_of_an_hour_begins_no_sentence(text: str, count: int) -> None:
    assert len(sentences(text, "en")) == count


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("en", "Match both by customer ID. Enter 0 for the rest.", 2),
        ("en", "Boil it for 20 min. Then let it rest.", 2),
        ("en", "Ask Dr. Miller for it.", 1),
        ("de", "Prüfen Sie beide mit der PLZ. Geben Sie den Rest ein.", 2),
        ("en", "A name such as IMG00023.JPG, which a camera made, says nothing.", 1),
        ("en", "Save it as plan.PDF and go.", 1),
        ("en", "It closed after two hours.The next day it rained.", 2),
    ],
)
def test_a_sentence_ends_at_its_stop_and_not_inside_of_a_name(
    language: str, text: str, count: int
) -> None:
    assert len(sentences(text, language)) == count
