"""Keywords: each is used, where it counts, and not too often."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from app.core.checks import (
    Severity,
    check_keyword_missing,
    check_keyword_rare,
    keyword_coverage,
    overuse_findings,
)
from app.core.checks.keywords import check_keyword_place, missing_keyword
from app.core.planning.brief import Brief
from app.core.schemas.post import SEOPost
from app.core.schemas.request import KeywordUsageStrategy
from tests.unit.findings import findings_in, of

MakePost = Callable[..., SEOPost]
MakeBrief = Callable[..., Brief]


# SPEC: "coverageNotes.keywordCoverage: array of {keyword, covered, evidence}".
def test_coverage_names_the_sentence_that_uses_the_keyword(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    brief = make_brief(keywords=("cold brew", "burr grinder", "french press", "moka pot"))
    post = make_post(brief=brief)
    notes = {note.keyword: note for note in post.coverage_notes.keyword_coverage}
    assert list(notes) == list(brief.keywords)
    assert notes["cold brew"].evidence == "Cold brew asks for patience and very little else."
    assert notes["burr grinder"].evidence == "A burr grinder keeps the pieces even."
    assert notes["french press"].covered
    assert notes["moka pot"].evidence == ""
    assert not notes["moka pot"].covered
    (finding,) = findings_in(post, brief)
    assert (finding.check, finding.section, finding.blocks) == ("keyword_missing", "post", True)
    assert "“moka pot”" in finding.reason


def test_evidence_is_prose_where_there_is_some_else_a_heading(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    bodies = (("Why steel filters last", "They do."), ("More", "Clean steel filters daily."))
    post = make_post(bodies=bodies)
    (note,) = keyword_coverage(post, make_brief(keywords=("steel filters",)))
    assert note.evidence == "Clean steel filters daily."
    post = make_post(bodies=bodies[:1])
    (note,) = keyword_coverage(post, make_brief(keywords=("steel filters",)))
    assert note.evidence == "Why steel filters last"


def test_exact_strategy_takes_no_inflected_form_as_covered(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    bodies = (("Of filters", "Two steel filters are better than one."),)
    natural = make_brief(keywords=("steel filter",))
    exact = replace(natural, strategy=KeywordUsageStrategy.EXACT)
    post = make_post(bodies=bodies)
    assert keyword_coverage(post, natural)[0].covered
    assert not keyword_coverage(post, exact)[0].covered


@pytest.mark.parametrize(
    ("language", "keyword", "sentence", "covered"),
    [
        ("en", "plumber London", "Ask a plumber in London.", True),
        ("en", "plumber London", "Ask one of London's plumbers.", True),
        ("en", "plumber London", "London needs more than one plumber.", False),
        ("de", "Anspruch Urlaub", "Der Urlaub und der Anspruch enden.", True),
        ("de", "Minderung Internetvertrag", "So geht die Minderung des Internetvertrags.", True),
        ("en", "plumber London", "Ask a plumber who knows London.", False),
        ("en", "plumber London", "In London, ask a plumber.", False),
    ],
)
def test_small_words_may_stand_between_those_of_a_keyword_in_a_natural_post(
    make_post: MakePost, make_brief: MakeBrief, language: str, keyword: str, sentence: str,
    covered: bool,
) -> None:  # fmt: skip
    post = make_post(bodies=(("Whom to ask", sentence),))
    natural = replace(make_brief(keywords=(keyword,)), language=language)
    assert keyword_coverage(post, natural)[0].covered is covered
    for strategy in (KeywordUsageStrategy.BALANCED, KeywordUsageStrategy.EXACT):
        other = replace(natural, strategy=strategy)
        assert not keyword_coverage(post, other)[0].covered


def test_the_words_of_a_long_phrase_may_be_anywhere_in_one_paragraph(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    """“To backup sqlite database while running” stands there for a search engine alone."""
    text = "The app is running. Copy its SQLite database with a command. That backup is whole."
    post = make_post(bodies=(("Copy it", text),))
    natural = make_brief(keywords=("backup sqlite database while running",))
    (note,) = keyword_coverage(post, natural)
    assert note.evidence == "Copy its SQLite database with a command."
    apart = make_post(bodies=(("Copy it", text.replace(". ", ".\n\n")),))
    assert not keyword_coverage(apart, natural)[0].covered
    for strategy in (KeywordUsageStrategy.BALANCED, KeywordUsageStrategy.EXACT):
        assert not keyword_coverage(post, replace(natural, strategy=strategy))[0].covered


def test_no_remedy_asks_for_a_phrase_in_the_first_sentence() -> None:
    for each in (check_keyword_missing, check_keyword_place, check_keyword_rare):
        assert "first sentence" not in each.remedy
        assert not each.remedy.startswith("Begin")
    assert "introduction" in missing_keyword("cold brew").reason


@pytest.mark.parametrize(
    ("part", "section"),
    [
        ({"title": "How to make coffee without heat"}, "title"),
        (
            {"introduction": "Patience is all you need. The rest takes care of itself."},
            "sections[0]",
        ),
        ({"description": "A jar, some grounds and a night. " * 4}, "meta.description"),
    ],
)
def test_the_primary_keyword_stands_where_it_counts(
    make_post: MakePost, make_brief: MakeBrief, part: dict[str, str], section: str
) -> None:
    (finding,) = of("keyword_place", findings_in(make_post(**part), make_brief()))
    assert (finding.section, finding.severity) == (section, Severity.BLOCKER)
    assert "“cold brew”" in finding.reason


def test_its_words_in_another_order_are_only_a_warning(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    post = make_post(title="How to brew coffee cold at home")
    balanced = make_brief(strategy=KeywordUsageStrategy.BALANCED)
    (finding,) = of("keyword_place", findings_in(post, balanced))
    assert finding.severity == Severity.WARNING
    exact = make_brief(strategy=KeywordUsageStrategy.EXACT)
    (finding,) = of("keyword_place", findings_in(post, exact))
    assert finding.blocks


def test_a_title_and_a_heading_may_have_the_words_of_a_phrase_as_readers_say_them(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    """“Undo the last commit: Git commands” stands there for a search engine alone."""
    said = "How to undo the last commit in Git"
    for strategy, places in (("natural", 0), ("balanced", 2)):
        brief = make_brief(
            keywords=("undo last commit git",), strategy=KeywordUsageStrategy(strategy)
        )
        post = make_post(title=said, bodies=((said, "Git can undo it."),))
        found = [each for each in findings_in(post, brief) if each.section in {"title", "post"}]
        named = [each for each in found if each.check in {"keyword_place", "keyword_heading"}]
        assert len(named) == places


def test_an_introduction_may_have_the_words_of_a_phrase_apart(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    """“Before you plan how to use sunscreen” stands there for a search engine alone."""
    post = make_post(introduction="Brew it in a cold kitchen. Patience is all you need.")
    assert of("keyword_place", findings_in(post, make_brief())) == []
    for strategy in (KeywordUsageStrategy.BALANCED, KeywordUsageStrategy.EXACT):
        found = of("keyword_place", findings_in(post, make_brief(strategy=strategy)))
        assert [each.section for each in found] == ["sections[0]"]


def test_small_words_of_a_phrase_are_needed_only_where_uses_count(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    """“Give heat pump dryer vs vented dryer an evening” stands there for a search engine alone."""
    keywords = ("a cold brew vs hot coffee",)
    texts = {
        "introduction": "Coffee that is hot keeps you busy, and cold coffee needs a night to brew.",
        "description": "Hot coffee or a cold brew: see what each of them needs.",
    }
    for strategy, sections in (
        (KeywordUsageStrategy.NATURAL, set()),
        (KeywordUsageStrategy.BALANCED, {"sections[0]", "meta.description"}),
    ):
        brief = make_brief(keywords=keywords, strategy=strategy)
        found = of("keyword_place", findings_in(make_post(**texts, brief=brief), brief))
        assert {each.section for each in found} - {"title"} == sections


def test_a_keyword_that_fills_a_title_need_not_stand_in_it(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    keyword = "making a really smooth cold brew in a small kitchen"
    brief = make_brief(keywords=(keyword,))
    intro = f"Some ask about {keyword} all year. Here is what they hear."
    found = of("keyword_place", findings_in(make_post(introduction=intro, brief=brief), brief))
    assert {(f.section, f.blocks) for f in found} == {("title", False), ("meta.description", False)}


def test_no_heading_with_the_primary_keyword_is_a_warning(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    bodies = (
        ("Why a coarse grind matters", "A burr grinder keeps all the pieces even and coarse."),
        ("How long it rests", "Ten hours are enough in a kitchen that is warm."),
    )
    (finding,) = findings_in(make_post(bodies=bodies), make_brief(min_words=50))
    assert (finding.check, finding.severity) == ("keyword_heading", Severity.WARNING)


@pytest.mark.parametrize(
    ("language", "keyword", "slug"),
    [
        ("en", "cold brew", "coffee-without-heat"),
        ("en", "C++", "learn-rust-today"),
        ("en", "to be at it", "all-or-nothing"),
        ("en", "tea for two", "a-pot-for-guests"),  # a small word is no word of a subject
        ("de", "Öl für die Haut", "creme-fur-die-hande"),
        ("fr", "récupérateur d'eau", "un-bac-pour-le-jardin-d-ete"),
        ("ja", "緑茶", "kohi"),
    ],
)
def test_a_slug_without_a_word_of_the_primary_keyword_is_a_warning(
    make_post: MakePost, make_brief: MakeBrief, language: str, keyword: str, slug: str
) -> None:
    post = make_post().model_copy(update={"slug_suggestion": slug})
    brief = make_brief(keywords=(keyword,), language=language)
    (finding,) = of("keyword_slug", findings_in(post, brief))
    assert (finding.section, finding.severity) == ("slugSuggestion", Severity.WARNING)
    assert slug in finding.reason
    assert keyword in finding.reason


@pytest.mark.parametrize(
    ("language", "keyword", "slug"),
    [
        ("en", "cold brew", "all-about-cold-coffee"),
        ("en", "cold brews", "a-brew-for-summer"),
        ("en", "to be at it", "how-it-goes"),  # of small words alone
        ("en", "C++", "learn-c-today"),
        ("en", "SEO for cats", "seo-basics"),
        ("de", "Öl für die Haut", "ol-richtig-lagern"),
        ("fr", "récupérateur d'eau", "l-eau-du-jardin"),
        ("ja", "緑茶", "lu-cha"),
        ("en", "2024", "a-look-back"),  # no letters
    ],
)
def test_one_word_of_the_primary_keyword_in_the_slug_is_enough(
    make_post: MakePost, make_brief: MakeBrief, language: str, keyword: str, slug: str
) -> None:
    post = make_post().model_copy(update={"slug_suggestion": slug})
    brief = make_brief(keywords=(keyword,), language=language)
    assert not of("keyword_slug", findings_in(post, brief))


def test_exact_strategy_takes_no_inflected_form_in_the_slug(
    make_post: MakePost, make_brief: MakeBrief
) -> None:
    post = make_post().model_copy(update={"slug_suggestion": "drinks-for-summer"})
    for strategy, expected in ((KeywordUsageStrategy.NATURAL, 0), (KeywordUsageStrategy.EXACT, 1)):
        brief = make_brief(keywords=("drink",), strategy=strategy)
        assert len(of("keyword_slug", findings_in(post, brief))) == expected


@pytest.mark.parametrize(
    ("uses", "words", "severity"),
    [
        (3, 30, None),  # any keyword may be used three times, whatever its share
        (4, 134, None),  # 2.99 uses for every hundred words
        (4, 133, Severity.WARNING),  # 3.01
        (4, 100, Severity.WARNING),  # 4.00
        (4, 99, Severity.BLOCKER),  # 4.04
    ],
)
def test_density(
    make_post: MakePost, make_brief: MakeBrief, uses: int, words: int, severity: Severity | None
) -> None:
    filler = [f"word{n}" for n in range(words - 2 * uses)]
    text = " ".join(["oat milk, " * uses, *filler])
    post = make_post(
        introduction=text, bodies=(), callout=None, faqs=(), conclusion="", description=""
    )
    found = of("keyword_density", findings_in(post, make_brief(keywords=("oat milk",))))
    assert [f.severity for f in found] == ([severity] if severity else [])
    for finding in found:
        assert (finding.section, finding.keyword) == ("post", "oat milk")
        assert f"“oat milk” is used {uses} times in {words} words" in finding.reason


@pytest.mark.parametrize(
    ("uses", "words", "found"),
    [
        (1, 200, None),
        (1, 201, "keyword_rare"),  # 0.498 uses for every hundred words
        (2, 400, None),
        (2, 401, "keyword_rare"),
        (10, 400, None),  # 2.5
        (10, 399, "keyword_density"),  # 2.51
        (3, 30, None),
    ],
)
def test_the_strategy_balanced_has_a_density_of_its_own(
    make_post: MakePost, make_brief: MakeBrief, uses: int, words: int, found: str | None
) -> None:
    filler = [f"word{n}" for n in range(words - 2 * uses)]
    text = " ".join(["oat milk, " * uses, *filler])
    post = make_post(
        introduction=text, bodies=(), callout=None, faqs=(), conclusion="", description=""
    )
    checks = {"keyword_rare", "keyword_density"}
    for strategy in KeywordUsageStrategy:
        # Of another keyword nothing is asked but to be used.
        brief = make_brief(keywords=("oat milk", "word1"), strategy=strategy)
        findings = [f for f in findings_in(post, brief) if f.check in checks and f.blocks]
        wanted = [found] if found and strategy is KeywordUsageStrategy.BALANCED else []
        assert [f.check for f in findings] == wanted
        assert all(f.keyword == "oat milk" for f in findings)


def test_a_paragraph_may_say_a_keyword_twice() -> None:
    twice = "Oat milk foams well. Warm oat milk foams better. It does."
    assert list(overuse_findings("p", twice, ("oat milk", "foam"), "en")) == []
    text = f"{twice} Then oat milks of any kind will do."
    (finding,) = overuse_findings("p", text, ("oat milk", "foam"), "en")
    assert (finding.check, finding.section, finding.blocks) == ("keyword_overuse", "p", True)
    assert finding.span is not None
    assert text[slice(*finding.span)] == "oat milks"
