"""What the tests of the core share: hypothesis' settings, and a post that passes every check."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from app.core.checks import keyword_coverage
from app.core.planning.brief import Brief
from app.core.schemas.post import (
    Callout,
    CoverageNotes,
    Faq,
    Meta,
    Outline,
    Section,
    SectionType,
    SEOPost,
)

# Always the same examples: a build must not fail by luck. No deadline: the machine may be busy.
settings.register_profile(
    "unit",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("unit")

INTRODUCTION = (
    "Cold brew asks for patience and very little else. You put coarse grounds into water in the"
    " evening, and by breakfast there is a smooth drink in the fridge."
)
BODIES = (
    (
        "Why a coarse grind matters for cold brew",
        "A coarse grind gives up its flavour slowly, which suits twelve hours of contact. Fine"
        " powder clouds the jar and leaves mud in the glass.\n\nA burr grinder keeps the pieces"
        " even. Set it two steps coarser than you would for a French press.",
    ),
    (
        "How long the jar should rest",
        "Most kitchens are warm enough for a short steep of ten hours. In the fridge the same"
        " strength takes closer to sixteen.",
    ),
)
CALLOUT = Callout(
    label="Good to know",
    text="Weigh the grounds once, then mark that level on a cup. Scoops differ a great deal.",
)
FAQS = (
    Faq(
        question="Can I heat the concentrate?",
        answer="Yes, on a low flame and never to a boil. It stays mild when it is warm.",
    ),
    Faq(
        question="How long does it keep?",
        answer="A sealed bottle stays fresh for about a week. After that it tastes flat.",
    ),
)
CONCLUSION = (
    "Start tonight with one jar and a note of the time. Tomorrow you will know what to change."
)
DESCRIPTION = (
    "Cold brew at home takes a jar, coarse grounds and one night of rest. Learn how to grind, steep"
    " and store it for a smooth glass."
)


@pytest.fixture(scope="session")
def make_brief() -> Callable[..., Brief]:
    """A brief for the post below; keyword arguments replace its fields."""

    def make(**fields: Any) -> Brief:
        usual: dict[str, Any] = {
            "keywords": ("cold brew", "burr grinder"),
            "language": "en",
            "min_words": 100,
            "max_words": 400,
            "target_words": 250,
            "sections": (2, 2),
            "intro_sentences": 2,
            "conclusion_sentences": 2,
            "faqs": 2,
            "callout": True,
        }
        return Brief(**usual | fields)

    return make


@pytest.fixture(scope="session")
def make_post(make_brief: Callable[..., Brief]) -> Callable[..., SEOPost]:
    """A good post about cold brew; keyword arguments replace its parts.

    ``bodies`` holds (heading, content) pairs; ``callout`` and ``faqs`` may be left out by None
    and an empty tuple; ``brief`` says which keywords the coverage notes are about.
    """

    def make(
        *,
        title: str = "Cold brew at home, without the fuss",
        description: str = DESCRIPTION,
        introduction: str = INTRODUCTION,
        bodies: tuple[tuple[str, str], ...] = BODIES,
        callout: Callout | None = CALLOUT,
        faqs: tuple[Faq, ...] = FAQS,
        conclusion: str = CONCLUSION,
        brief: Brief | None = None,
    ) -> SEOPost:
        brief = brief or make_brief()
        sections = [Section(type=SectionType.INTRODUCTION, content_markdown=introduction)]
        sections += [
            Section(type=SectionType.BODY, heading=heading, content_markdown=content)
            for heading, content in bodies
        ]
        if callout:
            sections.append(Section(type=SectionType.CALLOUT, callout=callout))
        if faqs:
            sections.append(Section(type=SectionType.FAQ, heading="Frequently asked questions"))
        sections.append(Section(type=SectionType.CONCLUSION, content_markdown=conclusion))
        post = SEOPost(
            title=title,
            slug_suggestion="cold-brew-at-home",
            meta=Meta(description=description, primary_keyword=brief.primary_keyword),
            outline=Outline(
                h1=title, h2=tuple(section.heading for section in sections if section.heading)
            ),
            sections=tuple(sections),
            faqs=faqs,
            conclusion=conclusion,
            coverage_notes=CoverageNotes(keyword_coverage=()),
        )
        notes = CoverageNotes(keyword_coverage=keyword_coverage(post, brief))
        return post.model_copy(update={"coverage_notes": notes})

    return make
