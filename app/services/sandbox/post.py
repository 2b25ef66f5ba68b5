"""The fixed post of the sandbox, shortened to what a request allows."""

import tomllib
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Any

from app.core.schemas.post import (
    Callout,
    CoverageNotes,
    Faq,
    KeywordCoverage,
    Meta,
    Outline,
    Quality,
    Section,
    SectionType,
    SEOPost,
)
from app.core.schemas.request import GenerateRequest
from app.rules.passages import post_words
from app.rules.table import QUALITY_VERSION

_FAQ_HEADING = "Frequently asked questions"
_NOTE = ("note", 0)


def fixed_post(request: GenerateRequest, max_words: int) -> tuple[SEOPost, Quality]:
    """Return the fixed post in at most ``max_words`` words (50 or more), and its quality.

    It is in English whatever the language of the request, and has as many sections and questions as
    fit. If there is room, a note names the keywords, so that they are covered.
    """
    sections = [("sections", index) for index in range(len(_fixture()["sections"]))]
    sections = sections[: request.constraints.max_sections]
    asked = request.constraints.include_faqs
    faqs = [("faqs", index) for index in range(len(_fixture()["faqs"]))] if asked else []
    chosen: set[tuple[str, int]] = set()
    # What each post needs comes first.
    for part in (_NOTE, *sections[:1], *faqs[:1], *sections[1:], *faqs[1:]):
        if post_words(_post(request, {*chosen, part})) <= max_words:
            chosen.add(part)
    quality = Quality(status="pass", score=100, revision_count=0, quality_version=QUALITY_VERSION)
    return _post(request, chosen), quality


@cache
def _fixture() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "post.toml").read_text("utf-8"))


def _post(request: GenerateRequest, chosen: Collection[tuple[str, int]]) -> SEOPost:
    fixture, keywords = _fixture(), request.keywords
    note = fixture["note"]["text"].format(keywords=", ".join(keywords))
    faqs = [Faq(**each) for n, each in enumerate(fixture["faqs"]) if ("faqs", n) in chosen]
    bodies = [
        Section(type=SectionType.BODY, heading=each["heading"], content_markdown=each["text"])
        for n, each in enumerate(fixture["sections"])
        if ("sections", n) in chosen
    ]
    intro = Section(type=SectionType.INTRODUCTION, content_markdown=fixture["introduction"])
    sections = [intro, *bodies]
    if _NOTE in chosen:
        callout = Callout(label=fixture["note"]["label"], text=note)
        # Below the first section, as in any post.
        sections.insert(2, Section(type=SectionType.CALLOUT, callout=callout))
    if faqs:
        sections.append(Section(type=SectionType.FAQ, heading=_FAQ_HEADING))
    conclusion = fixture["conclusion"]
    sections.append(Section(type=SectionType.CONCLUSION, content_markdown=conclusion))
    evidence = note if _NOTE in chosen else ""
    return SEOPost(
        title=fixture["title"],
        slug_suggestion=fixture["slug"],
        meta=Meta(description=fixture["description"], primary_keyword=keywords[0]),
        outline=Outline(
            h1=fixture["title"],
            h2=tuple(section.heading for section in sections if section.heading),
        ),
        sections=tuple(sections),
        faqs=tuple(faqs),
        conclusion=conclusion,
        coverage_notes=CoverageNotes(
            keyword_coverage=tuple(
                KeywordCoverage(keyword=each, covered=bool(evidence), evidence=evidence)
                for each in keywords
            )
        ),
    )
