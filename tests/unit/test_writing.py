"""From an outline to a post: sharing out, putting together, cutting down."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.pieces import Manuscript
from app.core.post import SectionType, SEOPost
from app.core.quality.lengths import post_words
from app.core.text import find_phrase, sentences
from app.core.writing import accept_outline, assemble, plan_pieces, slug, trim
from tests.unit.manuscripts import BRIEF, HEADINGS, TITLE_TEXT, outlined, written

# --- sharing out


def test_pieces_come_in_reading_order_and_once() -> None:
    assert [piece.name for piece in plan_pieces(outlined())] == [
        "introduction",
        "sections.0.0",
        "sections.0.1",
        "sections.1.0",
        "sections.2.0",
        "sections.2.1",
        "callout",
        "faqs",
        "conclusion",
        "description",
    ]


def test_a_post_without_box_or_questions_has_no_such_pieces() -> None:
    brief = replace(BRIEF, faqs=0, callout=False)
    names = {piece.name for piece in plan_pieces(outlined(brief))}
    assert not names & {"callout", "faqs"}


def test_each_keyword_goes_to_the_paragraph_about_it() -> None:
    phrases = {piece.name: piece.phrases for piece in plan_pieces(outlined())}
    assert phrases["introduction"] == ("cold brew",)
    assert phrases["sections.0.0"] == ("burr grinder",)
    assert phrases["sections.1.0"] == ("steel filter",)
    assert phrases["sections.2.0"] == ("cold brew",)
    assert phrases["sections.0.1"] == phrases["sections.2.1"] == phrases["conclusion"] == ()


@given(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=12, unique=True))
def test_every_keyword_has_one_paragraph_and_none_has_two_while_another_has_none(
    keywords: list[str],
) -> None:
    manuscript = outlined(replace(BRIEF, keywords=tuple(keywords)))
    shares = [piece.phrases for piece in plan_pieces(manuscript) if piece.heading]
    assert sorted(phrase for share in shares for phrase in share) == sorted(keywords)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_an_outline_short_of_points_is_filled_up_and_one_with_more_is_cut() -> None:
    manuscript = Manuscript(replace(BRIEF, paragraphs=(2, 1)))
    accept_outline(
        manuscript,
        {
            "sections": [
                {"heading": "Short of points", "points": ["One."]},
                {"heading": "Too many points", "points": ["One.", "Two.", "Three."]},
                {"heading": "Not asked for", "points": ["One."]},
            ]
        },
    )
    assert [section.heading for section in manuscript.sections] == [
        "Short of points",
        "Too many points",
    ]
    assert [len(section.points) for section in manuscript.sections] == [2, 1]


# --- putting together


def assert_obeys_the_interface(post: SEOPost) -> None:
    for section in post.sections:
        wire = section.to_wire()
        # SPEC: heading "Present on body and faq sections; absent on introduction, callout and
        # conclusion."
        assert ("heading" in wire) is (section.type in {SectionType.BODY, SectionType.FAQ})
        # SPEC: callout "Only on type callout."
        assert ("callout" in wire) is (section.type is SectionType.CALLOUT)
        # SPEC: contentMarkdown "empty string on a faq section (the entries are in faqs)".
        if section.type is SectionType.FAQ:
            assert wire["contentMarkdown"] == ""
    assert post.outline.h1 == post.title
    assert post.outline.h2 == tuple(s.heading for s in post.sections if s.heading)
    assert post.conclusion == post.sections[-1].content_markdown


def test_the_post_that_the_pieces_make() -> None:
    post = assemble(written()[0])
    assert_obeys_the_interface(post)
    assert [section.type.value for section in post.sections] == [
        "introduction", "body", "body", "callout", "body", "faq", "conclusion",
    ]  # fmt: skip
    assert [section.heading for section in post.sections] == [
        None, *HEADINGS[:2], None, HEADINGS[2], "Frequently asked questions", None,
    ]  # fmt: skip
    assert post.sections[1].content_markdown.count("\n\n") == 1
    assert post.sections[3].to_wire()["callout"] == {
        "label": "Good to know",
        "text": "Weigh it once. Then use a cup.",
    }
    assert [faq.question for faq in post.faqs] == ["Is it number 1?", "Is it number 2?"]
    assert post.title == TITLE_TEXT
    assert post.slug_suggestion == "cold-brew-at-home-without-the-fuss"
    assert post.meta.to_wire() == {
        "description": "All about cold brew.",
        "primaryKeyword": "cold brew",
    }
    notes = post.coverage_notes.keyword_coverage
    assert [note.keyword for note in notes] == list(BRIEF.keywords)
    assert all(note.covered for note in notes)
    assert notes[1].evidence == "We say burr grinder once in sections00."


def test_the_wire_form_has_every_field_of_the_interface() -> None:
    wire = assemble(written()[0]).to_wire()
    assert list(wire) == [
        "title",
        "slugSuggestion",
        "meta",
        "outline",
        "sections",
        "faqs",
        "conclusion",
        "coverageNotes",
    ]
    assert SEOPost.model_validate(wire).to_wire() == wire


@pytest.mark.parametrize("faqs", [0, 1])
@pytest.mark.parametrize("callout", [True, False])
@pytest.mark.parametrize("language", ["de", "fi"])
def test_a_post_of_any_plan_obeys_the_interface(faqs: int, callout: bool, language: str) -> None:
    brief = replace(BRIEF, faqs=faqs, callout=callout, language=language)
    post = assemble(written(brief)[0])
    assert_obeys_the_interface(post)
    headings = {section.heading for section in post.sections if section.type is SectionType.FAQ}
    assert headings == ({{"de": "Häufige Fragen", "fi": "FAQ"}[language]} if faqs else set())


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Cold Brew: 5 Tips & Tricks!", "cold-brew-5-tips-tricks"),
        ("Über Kaffee", "uber-kaffee"),
        ("word " * 30, "word-word-word-word-word-word-word-word-word-word-word-word"),
        ("☕", ""),
    ],
)
def test_a_slug_is_short_and_of_whole_words(title: str, expected: str) -> None:
    assert slug(title) == expected
    assert len(slug(title)) <= 60


def test_a_title_without_letters_still_has_a_slug() -> None:
    manuscript, _ = written()
    manuscript.title = "☕☕☕"
    assert assemble(manuscript).slug_suggestion == "cold-brew"


# --- cutting down


SENTENCES = st.lists(
    st.sampled_from(
        [
            "We say cold brew once.",
            "A burr grinder it is, and it is a good one.",
            "Rinse the steel filter.",
            "Nothing much is said in here.",
            "This sentence is somewhat longer than the others are, and it says as little as they.",
        ]
    ),
    min_size=1,
    max_size=7,
).map(" ".join)


@given(st.lists(SENTENCES, min_size=5, max_size=5), st.integers(20, 400))
def test_trim_ends_and_never_drops_a_phrase_that_was_asked_for(
    texts: list[str], max_words: int
) -> None:
    manuscript, pieces = written(replace(BRIEF, max_words=max_words))
    bodies = [piece for piece in pieces.values() if piece.heading]
    for piece, text in zip(bodies, texts, strict=True):
        asked = "".join(f"{phrase.capitalize()} first. " for phrase in piece.phrases)
        manuscript.texts[piece.name] = asked + text
    before = dict(manuscript.texts)
    too_long = post_words(assemble(manuscript)) > max_words

    trim(manuscript, pieces.values())

    assert (manuscript.texts != before) <= too_long
    can_give = False
    for piece in pieces.values():
        if not piece.is_paragraph:
            continue
        text, original = manuscript.texts[piece.name], before[piece.name]
        assert original.startswith(text)
        assert piece.heading or text == original
        assert len(sentences(text, "en")) >= min(2, len(sentences(original, "en")))
        for phrase in piece.phrases:
            assert find_phrase(text, phrase, "en")
        if piece.heading and len(parts := sentences(text, "en")) > 2:
            rest = text[: parts[-2].span[1]]
            can_give |= all(find_phrase(rest, phrase, "en") for phrase in piece.phrases)
    assert post_words(assemble(manuscript)) <= max_words or not can_give


def test_trim_takes_from_the_longest_paragraph_no_more_than_it_must() -> None:
    sentence = "One two three four five."
    manuscript, pieces = written(
        sections_0_1=" ".join([sentence] * 6), sections_2_1=" ".join([sentence] * 4)
    )
    words = post_words(assemble(manuscript))
    manuscript.brief = replace(BRIEF, max_words=words - 6)
    trim(manuscript, pieces.values())
    assert manuscript.texts["sections.0.1"].count(".") == 4
    assert manuscript.texts["sections.2.1"].count(".") == 4
    assert post_words(assemble(manuscript)) == words - 10
