"""A post of bench/marks as a post: with its request and its sources."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache

from app.core.checks import DETERMINISTIC, Finding, ScorePart, check_post, passages, post_words
from app.core.planning.brief import Brief, make_brief
from app.core.schemas.post import CoverageNotes, Faq, Meta, Outline, Section, SectionType, SEOPost
from app.core.verification import Grounding
from bench.editorial_requests import EditorialRequest, load_requests

_PLAN_CAP = 1500
_WRITTEN = datetime(2026, 11, 23, tzinfo=UTC)
_FRONT = re.compile(r"---\ntitle: (?P<title>.+)\ndescription: (?P<description>.+)\n---\n+")
_QUESTION = re.compile(r"^### ([^\n]+)\n\n(.+?)\s*(?=^### |\Z)", re.MULTILINE | re.DOTALL)


def as_post(name: str, markdown: str) -> tuple[SEOPost, Brief, Grounding | None] | None:
    """Return a post with its brief and its sources, if it has any; None if its request is not one
    of bench/editorial/requests."""
    request = next((each for key, each in _requests().items() if name.endswith(f"-{key}")), None)
    if request is None:
        return None
    sourced = name.startswith("generated/notes-")
    body = request.request
    brief = make_brief(body, max_words=body.max_words(_PLAN_CAP), sourced=sourced)
    grounding = request.grounding(_WRITTEN) if sourced else None
    return _parsed(markdown, brief.primary_keyword), brief, grounding


def post_findings(name: str, markdown: str) -> tuple[list[Finding], set[ScorePart], int] | None:
    """Return the findings of a post without an editor, the parts that they examine, and its words;
    None if its request is not one of bench/editorial/requests."""
    made = as_post(name, markdown)
    if made is None:
        return None
    post, brief, grounding = made
    findings, examined = list(check_post(post, brief).findings), set(DETERMINISTIC)
    if grounding:
        findings += grounding.findings(list(passages(post)), required=brief.verified)
        examined.add(ScorePart.GROUNDING)
    return findings, examined, post_words(post)


@cache
def _requests() -> Mapping[str, EditorialRequest]:
    return {request.name: request for request in load_requests()}


def _parsed(markdown: str, keyword: str) -> SEOPost:
    """Return a post of its Markdown with title and description in front."""
    front = _FRONT.match(markdown)
    if front is None:
        raise ValueError("A post begins with its title and description.")
    title, description = json.loads(front["title"]), json.loads(front["description"])
    body, _, conclusion = markdown[front.end() :].rpartition("\n---\n")
    introduction, *parts = re.split(r"^## ", body, flags=re.MULTILINE)
    sections = [Section(type=SectionType.INTRODUCTION, content_markdown=introduction.strip())]
    faqs: tuple[Faq, ...] = ()
    for part in parts:
        heading, _, content = part.partition("\n")
        if questions := tuple(_faqs(content)):
            faqs = questions
            sections.append(Section(type=SectionType.FAQ, heading=heading))
        else:
            content = content.strip()
            section = Section(type=SectionType.BODY, heading=heading, content_markdown=content)
            sections.append(section)
    end = conclusion.strip()
    sections.append(Section(type=SectionType.CONCLUSION, content_markdown=end))
    return SEOPost(
        title=title,
        slug_suggestion=re.sub(r"\W+", "-", title.lower()).strip("-"),
        meta=Meta(description=description, primary_keyword=keyword),
        outline=Outline(h1=title, h2=tuple(each.heading for each in sections if each.heading)),
        sections=tuple(sections),
        faqs=faqs,
        conclusion=end,
        coverage_notes=CoverageNotes(keyword_coverage=()),
    )


def _faqs(content: str) -> Iterator[Faq]:
    if content.lstrip().startswith("### "):
        for match in _QUESTION.finditer(content):
            yield Faq(question=match[1].strip(), answer=match[2].strip())
