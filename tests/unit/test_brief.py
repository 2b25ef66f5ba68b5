"""The plan of a post keeps the limits of the request, on paper, before any model is asked."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.planning.angles import ANGLES, BY_KEY
from app.core.planning.brief import WORDS_PER_SENTENCE, Brief, make_brief
from app.core.schemas.request import KeywordUsageStrategy, Tone, parse_generate_request
from app.core.writing import target_page
from app.core.writing.draft import DESCRIPTION, TITLE
from app.core.writing.plan import Plan, PlannedSection
from app.core.writing.strategy import words_of


def plan(max_words: int, **constraints: Any) -> Brief:
    request = parse_generate_request({"keywords": ["cold brew"], "constraints": constraints})
    return make_brief(request, max_words=max_words)


@st.composite
def reasonable(draw: st.DrawFn) -> dict[str, Any]:
    """Limits that a post of whole sentences can keep: room for the parts, and some to spare."""
    faqs = draw(st.booleans())
    max_words = draw(st.integers(150 if faqs else 60, 5000))
    limits: dict[str, Any] = {"maxWords": max_words, "includeFAQs": faqs}
    if (high := max_words - max(3 * WORDS_PER_SENTENCE, max_words // 20)) >= 50 and draw(
        st.booleans()
    ):
        limits["minWords"] = draw(st.integers(50, high))
    if draw(st.booleans()):
        limits["maxSections"] = draw(st.integers(1, 20))
    return limits


@settings(max_examples=200)
@given(reasonable())
def test_the_parts_of_a_plan_add_up_to_a_number_of_words_inside_the_limits(
    limits: dict[str, Any],
) -> None:
    brief = plan(limits["maxWords"], **limits)
    assert brief.min_words == limits.get("minWords", limits["maxWords"] // 2)
    assert brief.max_words == limits["maxWords"]
    assert brief.min_words <= brief.target_words <= brief.max_words
    assert brief.intro_sentences >= 1
    assert brief.conclusion_sentences >= 1
    assert (brief.faqs > 0) is limits["includeFAQs"]
    fewest, most = brief.sections
    assert 1 <= fewest <= most <= limits.get("maxSections", 12)
    for count in (fewest, most):
        sections = tuple(PlannedSection(f"Heading {n}", "P") for n in range(count))
        words = words_of(Plan("T", "P", sections), brief)
        assert min(words.values()) > 0
        outside = {TITLE, DESCRIPTION}
        expected = sum(number for part, number in words.items() if part not in outside)
        expected += 2 * count + 3 * bool(brief.faqs)
        assert brief.min_words <= expected <= brief.max_words


def test_a_verified_post_has_as_many_claims_as_its_words_have_room_for() -> None:
    """A list of 22 claims for 700 words made a draft of 817; readers called one of 13 crammed."""
    request = parse_generate_request({"keywords": ["cold brew"]})
    for max_words, most in ((100, 4), (700, 10), (800, 11), (3000, 24)):
        standard = make_brief(request, max_words=max_words)
        verified = make_brief(request, max_words=max_words, verified=True)
        assert (standard.most_claims <= 24, verified.most_claims) == (True, most)
        assert verified.intro_sentences == min(3, standard.intro_sentences)


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        (["Cold Brew", "cold  brew", "COLD BREW"], ("Cold Brew",)),
        (["b", "a", "B"], ("b", "a")),
    ],
)
def test_keywords_are_kept_once_and_in_order(given_: list[str], kept: tuple[str, ...]) -> None:
    brief = make_brief(parse_generate_request({"keywords": given_}), max_words=900)
    assert brief.keywords == kept
    assert brief.primary_keyword == kept[0]


def test_a_brief_carries_all_that_frames_the_post() -> None:
    request = parse_generate_request(
        {
            "keywords": ["cold brew"],
            "topic": "at home",
            "language": "pt-BR",
            "region": "BR",
            "tone": "friendly",
            "targetAudience": "beginners",
            "brandVoice": "warm",
            "industry": "coffee",
            "targetUrl": "https://example.com/",
            "constraints": {"keywordUsageStrategy": "exact"},
        }
    )
    brief = make_brief(
        request,
        max_words=900,
        angle=BY_KEY["myths"],
        earlier_titles=("An earlier title",),
        earlier_angles=("costs", "checklist"),
    )
    assert (brief.topic, brief.language_name, brief.region) == (
        "at home",
        "Portuguese (Brazil)",
        "BR",
    )
    assert (brief.tone, brief.audience, brief.brand_voice) == (Tone.FRIENDLY, "beginners", "warm")
    assert (brief.industry, brief.target_url) == ("coffee", "https://example.com/")
    assert brief.strategy is KeywordUsageStrategy.EXACT
    assert brief.exact_keywords
    assert brief.earlier_titles == ("An earlier title",)
    assert brief.angle == BY_KEY["myths"]
    assert brief.earlier_angles == ("costs and what they buy", "a checklist")


def test_a_brief_names_the_angles_of_the_newest_posts_each_once_and_not_its_own() -> None:
    keys = [angle.key for angle in ANGLES[:9]]
    brief = make_brief(
        parse_generate_request({"keywords": ["tea"]}),
        max_words=900,
        angle=ANGLES[1],
        earlier_angles=(keys[0], keys[0], "one-of-an-earlier-version", *keys),
    )
    names = [angle.name for angle in ANGLES[:9]]
    assert brief.earlier_angles == (names[0], *names[2:7])


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://www.example.com/guides/cold-brew.html?key=x#y", 'the page "guides cold brew" of'),
        ("https://user@example.com/caf%C3%A9/%FF", 'the page "café" of the website "example"'),
        ("https://example.com", 'the website "example"'),
    ],
)
def test_a_target_page_is_told_in_words_and_never_as_an_address(url: str, told: str) -> None:
    words = target_page.in_words(url)
    assert words.startswith(told)
    assert not {".", "/", "key", "user"} & set(re.split(r"(\W)", words))
