"""The fixed post of the sandbox, shortened to what a request allows."""

from collections.abc import Collection
from datetime import date
from functools import cache
from importlib.resources import files

from app.core.schemas.post import Faq, Quality, Section, SectionType, SEOPost
from app.core.schemas.request import GenerateRequest
from app.rules.passages import post_words
from app.rules.table import QUALITY_VERSION
from app.writing.brief import Brief, make_brief
from app.writing.post_markdown import make_post, parse_post, with_coverage


def fixed_post(request: GenerateRequest, max_words: int) -> tuple[SEOPost, Quality]:
    """Return the fixed post in at most ``max_words`` words (50 or more), and its quality.

    It is in English whatever the language of the request, and has as many sections and questions as
    fit. If there is room, a note names the keywords, so that they are covered.
    """
    brief = make_brief(request, max_words=max_words, today=date.min)
    whole = parse_post(_document().replace("KEYWORDS", ", ".join(request.keywords)), brief)
    notes = [each for each in whole.sections if each.type is SectionType.CALLOUT]
    bodies = [each for each in whole.sections if each.type is SectionType.BODY]
    bodies = bodies[: request.constraints.max_sections]
    faqs = whole.faqs if request.constraints.include_faqs else ()
    kept: list[Section | Faq] = []
    # What each post needs comes first.
    ordered: tuple[Section | Faq, ...] = (*notes, *bodies[:1], *faqs[:1], *bodies[1:], *faqs[1:])
    for part in ordered:
        if post_words(_with(whole, [*kept, part], brief)) <= max_words:
            kept.append(part)
    quality = Quality(status="pass", score=100, revision_count=0, quality_version=QUALITY_VERSION)
    return with_coverage(_with(whole, kept, brief), brief), quality


def _with(whole: SEOPost, kept: Collection[Section | Faq], brief: Brief) -> SEOPost:
    """Return the post with its introduction, its conclusion and the parts that are kept."""
    faqs = tuple(each for each in whole.faqs if each in kept)
    always = {SectionType.INTRODUCTION, SectionType.CONCLUSION}
    if faqs:
        always.add(SectionType.FAQ)
    sections = [each for each in whole.sections if each in kept or each.type in always]
    return make_post(whole.title, whole.meta.description, sections, faqs, whole.conclusion, brief)


@cache
def _document() -> str:
    return (files(__package__) / "post.md").read_text("utf-8")
