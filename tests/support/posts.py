"""Posts of given texts."""

from collections.abc import Iterable

from app.core.schemas.post import (
    Callout,
    CoverageNotes,
    Faq,
    KeywordCoverage,
    Meta,
    Outline,
    Section,
    SectionType,
    SEOPost,
)


def make_post(
    title: str,
    introduction: str,
    bodies: Iterable[tuple[str, str]],
    conclusion: str,
    *,
    description: str = "How it is made.",
    keyword: str = "tea",
    covered: Iterable[str] = (),
    slug: str = "a-post",
    callout: Callout | None = None,
    faqs: Iterable[tuple[str, str]] = (),
    faq_heading: str = "Frequently asked questions",
) -> SEOPost:
    """A post whose ``bodies`` and ``faqs`` are headings and questions with what stands below."""
    bodies, faqs = list(bodies), list(faqs)
    sections = [Section(type=SectionType.INTRODUCTION, content_markdown=introduction)]
    sections += [
        Section(type=SectionType.BODY, heading=heading, content_markdown=text)
        for heading, text in bodies
    ]
    if callout:
        sections.append(Section(type=SectionType.CALLOUT, callout=callout))
    if faqs:
        sections.append(Section(type=SectionType.FAQ, heading=faq_heading))
    sections.append(Section(type=SectionType.CONCLUSION, content_markdown=conclusion))
    notes = [KeywordCoverage(keyword=each, covered=True, evidence="") for each in covered]
    return SEOPost(
        title=title,
        slug_suggestion=slug,
        meta=Meta(description=description, primary_keyword=keyword),
        outline=Outline(h1=title, h2=tuple(heading for heading, _ in bodies)),
        sections=tuple(sections),
        faqs=tuple(Faq(question=question, answer=answer) for question, answer in faqs),
        conclusion=conclusion,
        coverage_notes=CoverageNotes(keyword_coverage=tuple(notes)),
    )
