"""Words, sentences and keywords."""

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from app.core.errors import ValidationFailed
from app.core.schemas.bodies import parse
from app.core.schemas.request import GenerateRequest
from app.rules.keywords import Words, exact_form
from app.rules.languages import faq_heading, is_conclusion_heading, is_faq_heading, offers_heading
from app.rules.words import fold, sentences, shortened, word_count, word_spans, words

LANGUAGES = st.sampled_from(["en", "de", "ja", "ar", "hi", "th", "pt-BR", "xx"])
PIECES = st.sampled_from(
    ["Cold", "brew.", "brews", "brew's", " ", " ", "\n", "\r\n", "!", "?", "。", "日本", "e\u0301",
     "\x00", "हिन्दी", "😀", "C++", "-", "’", "ʼ", "'", "U.S.", "3.5", "\u200d", "\ue000", "ß", "İ"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=20).map("".join))


@given(TEXTS, LANGUAGES)
@example("A. B! 日本語です。次。😀 Ja?\n\nC…", "en")
def test_sentences_have_the_whole_text(text: str, language: str) -> None:
    found = sentences(text, language)
    assert all(each and each == each.strip() for each in found)
    assert "".join("".join(found).split()) == "".join(text.split())


@given(TEXTS)
def test_each_folded_word_has_a_place(text: str) -> None:
    assert (
        len(words(text))
        == len(word_spans(text))
        == (len(fold(text).split(" ")) if words(text) else 0)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
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


@pytest.mark.parametrize(
    ("text", "keyword", "language"),
    [
        ("Two cold brews later", "cold brew", "en"),
        ("A brew that stays cold", "cold brew", "en"),
        ("Choose a plumber you can trust in London", "plumber London", "en"),
        ("How we fixed the leaking tap", "how to fix a leaking tap", "en"),
        ("Don’t repeat yourself", "don't repeat", "en"),
        ("Do not repeat yourself", "don't repeat", "en"),
        ("an email", "e-mail", "en"),
        ("an e-mail", "email", "en"),
        ("a book case", "bookcase", "en"),
        ("sharp knives", "knife", "en"),
        ("a 100km ride", "100 km", "en"),
        ("five ways to save", "5 ways to save", "en"),
        ("Learn C++ today", "C++", "en"),
        ("Die Wärmepumpenkosten sinken", "Wärmepumpe Kosten", "de"),
        ("Die Kosten einer Wärmepumpe", "Wärmepumpenkosten", "de"),
        ("Das kostet eine waermepumpe", "Wärmepumpe Kosten", "de"),
        ("Die Installation der Wärmepumpe", "Wärmepumpe installieren", "de-AT"),
        ("Eine Gasheizung", "Gas Heizung", "de"),
        ("zwei Häuser in einer Strasse", "Haus Straße", "de"),
        ("les cafés de Paris", "cafe paris", "fr"),
        ("de l’eau froide", "l'eau froide", "fr"),
        ("los granos molidos", "grano molido", "es"),
        ("le case nuove", "casa nuova", "it"),
        ("nieuwe huizen", "nieuw huis", "nl"),
        ("os animais", "animal", "pt-BR"),
        ("mieszkanie w Warszawie", "mieszkania Warszawa", "pl"),
        ("自宅で水出しコーヒーを作る", "水出しコーヒー", "ja"),
        ("brews", "brew", "xx"),
    ],
)
def test_a_keyword_that_a_person_would_find_is_found(
    text: str, keyword: str, language: str
) -> None:
    assert Words([text], language).missing(keyword) == ()


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("The tea is cold", "cold brew"),
        ("the mail", "email"),
        ("iPhone 15", "iPhone 14"),
        ("A plumber in Leeds", "plumber London"),
        ("", "cold brew"),
    ],
)
def test_a_keyword_whose_words_are_missing_is_not_found(text: str, keyword: str) -> None:
    assert Words([text], "en").missing(keyword)


def test_an_exact_keyword_differs_in_case_apostrophes_and_white_space_alone() -> None:
    for text in ("COLD  brew.", "a cold\nbrew"):
        assert exact_form("Cold brew").search(text)
    assert exact_form("beginner's guide").search("the beginner’s guide")
    for text in ("cold brews", "scold brew", "brew cold"):
        assert not exact_form("cold brew").search(text)
    assert exact_form("水出しコーヒー").search("自宅で水出しコーヒーを作る")


def test_folding_takes_case_accents_and_punctuation_away() -> None:
    assert fold("Ein CAFÉ, Łódź – and Ann’s") == "ein cafe lodz and ann"
    assert fold("हिन्दी") != fold("हन्द")


def test_a_shortened_text_ends_with_an_ellipsis() -> None:
    assert shortened(" a\nb ", 3) == "a b"
    assert shortened("abcdef", 4) == "abc…"


def test_headings_are_known_in_every_language() -> None:
    assert faq_heading("de-AT") == "Häufige Fragen"
    assert offers_heading("pl") == "Polecane oferty"
    assert faq_heading("sv") == "Frequently asked questions"
    for text in ("FAQ", "faqs", "Häufige Fragen", "Preguntas frecuentes:"):
        assert is_faq_heading(text)
    for text in ("Conclusion", "Fazit", "CONCLUSIÓN", "Podsumowanie"):
        assert is_conclusion_heading(text)
    for text in ("Questions to ask a plumber", "", "Fazit der Studie"):
        assert not is_faq_heading(text)
        assert not is_conclusion_heading(text)


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Co"]), min_size=1, max_size=20).filter(
        lambda text: any(ch.isalnum() for ch in text)
    )
)
def test_a_keyword_that_is_taken_can_be_found_in_a_text(keyword: str) -> None:
    try:
        (keyword,) = parse(GenerateRequest, {"keywords": [keyword]}).keywords
    except ValidationFailed:  # it has a character that nobody sees
        reject()
    assert not Words([f"About {keyword}, again."], "en").missing(keyword)
    assert exact_form(keyword).search(f"About {keyword}, again.")
