"""A language is one file: what is in it is used, and what it leaves out is skipped by name."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core import languages
from app.core.checks import check_file, check_post, skipped_checks
from app.core.languages import (
    Language,
    LanguageFileError,
    LanguageFiles,
    all_languages,
    get_language,
    known_tags,
)
from app.core.languages.identify import is_known
from app.core.planning.brief import Brief
from app.core.rendering.offers import featured_heading
from app.core.schemas.post import SEOPost
from app.core.sources.current_events import is_current_event
from app.core.writing.refusals import is_refusal

FOLDER = Path(languages.__file__).parent
OF_CONSISTENCY = {
    "contradictory_figures", "contradictory_sentences", "wrong_sum", "wrong_conversion",
    "impossible_date", "impossible_range", "mixed_address",
}  # fmt: skip
PROMISED = {
    "count", "promise", "unanswered", "reference", "step_order", "alike", "section_order",
    "careless_advice",
    "hard_sell", "clickbait", "insult", "prejudice", "officialese", "hedging", "one_sided",
    "redundancy", "word_salad", "says_little", "shuffled", "misplaced", "restated_heading",
}  # fmt: skip
NEEDS_A_SECTION = PROMISED | OF_CONSISTENCY | {
    "sentence_length", "passive_voice", "transition_words", "same_openings", "flesch",
    "self_reference", "cliche", "filler", "vague_source", "profanity",
    "misspelling", "doubled_word", "wrong_article", "confused_words",
    "disagreement", "comma_splice", "missing_capital", "question_mark", "ordinal", "usage",
    "grammar", "wrong_word",
    "senseless",
}  # fmt: skip
ONLY_IN_ENGLISH = {"articles", "persons", "redundancy", "word_order", "praise", "variants"}
MANNER = {"manner", "sides", "evasion"}
LEFT_OUT = {
    "English": set[str](),
    "German": ONLY_IN_ENGLISH,
    "French": ONLY_IN_ENGLISH | {"placement", "safety"},
    "Spanish": ONLY_IN_ENGLISH | {"placement", "safety"},
}
WITHOUT_IN_SWEDISH = PROMISED | OF_CONSISTENCY | {
    "passive_voice", "flesch", "misspelling", "doubled_word", "wrong_article", "confused_words",
    "disagreement", "comma_splice", "missing_capital", "question_mark", "ordinal", "usage",
    "grammar", "wrong_word",
    "senseless",
}  # fmt: skip
REQUIRED = 'name = "Test"\ncolon = ":"\ncapitalises_nouns = false\nfunction_words = ["tiu"]\n'


@pytest.fixture
def with_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Serve one more language from a copy of the folder of language files."""

    def add(tag: str, content: str) -> None:
        for file in FOLDER.glob("*.toml"):
            (tmp_path / file.name).write_bytes(file.read_bytes())
        (tmp_path / f"{tag}.toml").write_text(content, encoding="utf-8")
        monkeypatch.setattr(languages, "_served", LanguageFiles(tmp_path))

    return add


@pytest.mark.parametrize("tag", known_tags())
def test_every_language_can_be_read_and_identified(tag: str) -> None:
    spoken = get_language(f"{tag.upper()}-XX")
    assert spoken
    assert spoken.name
    assert is_known(tag)
    if spoken.flesch:
        assert 0 < spoken.flesch.per_word < spoken.flesch.per_syllable


def _texts(value: object, path: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [found for key, each in value.items() for found in _texts(each, f"{path}.{key}")]
    if isinstance(value, list):
        return [found for each in value for found in _texts(each, path)]
    return [(path, value)] if isinstance(value, str) else []


@pytest.mark.parametrize("tag", known_tags())
def test_words_are_written_as_they_are_compared(tag: str) -> None:
    content: dict[str, Any] = tomllib.loads((FOLDER / f"{tag}.toml").read_text("utf-8"))
    for section in ("function_words", "sentences", "transitions", "passive", "cut_off"):
        for path, text in _texts(content.get(section, {})):
            if not path.endswith("patterns"):
                assert text == text.lower().strip() != "", (section, path)


def test_the_seven_languages_have_every_section_and_the_eighth_leaves_some_out() -> None:
    names = ["German", "English", "Spanish", "French", "Italian", "Dutch", "Portuguese", "Swedish"]
    assert [spoken.name for spoken in all_languages()] == names
    *seven, swedish = all_languages()
    for spoken in seven:
        left_out = {name for name, section in dict(spoken).items() if section is None}
        every = ONLY_IN_ENGLISH | MANNER | {"placement", "safety"}
        assert left_out == LEFT_OUT.get(spoken.name, every), spoken.name
    assert swedish.passive is swedish.flesch is None
    assert set(skipped_checks("sv-SE")) == WITHOUT_IN_SWEDISH


def test_the_eighth_language_is_served(
    make_post: Callable[..., SEOPost], make_brief: Callable[..., Brief]
) -> None:
    swedish = make_brief(language="sv")
    assert set(check_post(make_post(brief=swedish), swedish).skipped) == WITHOUT_IN_SWEDISH
    text = "# Kallbryggt kaffe\n\n" + "I den här artikeln får kaffet vila i kylskåpet över natten. "
    assert {each.finding.check for each in check_file(text, "sv").findings} == {"self_reference"}
    assert is_refusal("Jag kan tyvärr inte hjälpa dig med det.")
    assert not is_refusal("Jag kan varmt rekommendera kallbryggt kaffe.")
    assert is_current_event(["bitcoin nyheter"], "sv")
    assert featured_heading("sv") == "Utvalda erbjudanden"


def test_one_more_file_is_one_more_language(
    with_file: Callable[[str, str], None],
    make_post: Callable[..., SEOPost],
    make_brief: Callable[..., Brief],
) -> None:
    assert set(skipped_checks("eo")) == {
        *NEEDS_A_SECTION, "foreign_sentence", "language", "mixed_script", "off_subject",
    }  # fmt: skip
    with_file("eo", (FOLDER / "sv.toml").read_text("utf-8"))
    assert set(skipped_checks("eo")) == {*WITHOUT_IN_SWEDISH, "foreign_sentence", "language"}
    brief = make_brief(language="eo")
    assert check_post(make_post(brief=brief), brief).skipped == skipped_checks("eo")
    assert featured_heading("eo") == "Utvalda erbjudanden"


def test_a_language_of_nothing_but_words_has_every_other_rule_skipped(
    with_file: Callable[[str, str], None],
    make_post: Callable[..., SEOPost],
    make_brief: Callable[..., Brief],
) -> None:
    with_file("eo", REQUIRED)
    brief = make_brief(language="eo")
    report_of_post = check_post(make_post(brief=brief), brief)
    assert set(report_of_post.skipped) == {*NEEDS_A_SECTION, "foreign_sentence", "language"}
    report = check_file("# Kafo\n\nLa kafo ripozas dum la nokto en malvarma akvo.\n", "eo")
    assert {*NEEDS_A_SECTION, "language"} <= set(report.skipped)
    assert report.findings == ()
    assert not is_refusal("Mi bedaŭras, mi ne povas helpi.")
    assert not is_current_event(["novaĵoj de hodiaŭ"], "eo")
    assert featured_heading("eo") == "Featured offers"


def test_a_region_has_the_rules_of_its_language_and_an_unknown_tag_has_none() -> None:
    assert get_language("pt-BR") is get_language("pt")
    assert get_language("fi") is get_language("../pt") is get_language("") is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (REQUIRED.replace("colon", "#"), "xx.toml: colon: Field required"),
        (f"{REQUIRED}[passive]\nauxiliaries = []", "xx.toml: passive.participles: Field required"),
        (f"{REQUIRED}[cut_of]\n", "xx.toml: cut_of: Extra inputs are not permitted"),
        (
            f"{REQUIRED}[placeholders]\npatterns = ['(']",
            "xx.toml: placeholders.patterns: Input should be a valid regular expression",
        ),
        (REQUIRED.replace('["tiu"]', "3"), "xx.toml: function_words: Input should be a valid froz"),
        ("name = ", "xx.toml: Invalid value (at end of document)"),
    ],
)
def test_a_file_that_cannot_be_used_says_which_key_is_wrong(
    tmp_path: Path, content: str, said: str
) -> None:
    (tmp_path / "xx.toml").write_text(content, encoding="utf-8")
    (tmp_path / "en.toml").write_bytes((FOLDER / "en.toml").read_bytes())
    served = LanguageFiles(tmp_path)
    assert served.tags == ("en", "xx")
    assert isinstance(served.get("en"), Language)
    with pytest.raises(LanguageFileError) as raised:
        served.get("xx")
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("language", "text", "breaks_off"),
    [
        ("en", "Take the jar and.", True),
        ("en", "It is what it is made of.", False),
        ("en", "It is made of…", True),
        ("en", "It has vitamin A.", False),
        ("en", "It has a.", True),
        ("de", "Das Glas und ...", True),
        ("de", "Das kostet nichts, und wie.", False),
        ("fr", "Dis-le…", False),
        ("sv", "Ta burken och …", True),
    ],
)
def test_the_last_words_tell_that_a_text_breaks_off(
    language: str, text: str, breaks_off: bool
) -> None:
    spoken = get_language(language)
    assert spoken
    assert spoken.cut_off
    assert spoken.cut_off.ends(text.replace(" …", "…").replace(" ...", "...")) is breaks_off
