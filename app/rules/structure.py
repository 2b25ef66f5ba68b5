"""The parts of a post, its length, and the lengths of its title and description."""

import unicodedata
from collections.abc import Iterator
from itertools import chain

from app.core.schemas.post import SectionType, SEOPost
from app.rules.finding import Checked, Finding, Severity
from app.rules.passages import words_of
from app.writing.brief import Brief

# Search results cut a title at about 60 characters, and a description at about 160.
_TITLE, _TITLE_LIMITS = (30, 65), (10, 90)
_DESCRIPTION, _DESCRIPTION_LIMITS = (110, 160), (50, 200)
_MOST_FAQS = 8


def check_emptiness(checked: Checked) -> Iterator[Finding]:
    """Yield a finding if a file has no text."""
    if not checked.texts:
        yield _blocker("empty", "post", "The file has no text.")


def check_structure(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each part of a post that is missing or has a wrong length."""
    post, brief = checked.post, checked.brief
    if post is None:
        return
    yield from _missing_parts(post, brief)
    yield from _length(words_of(checked.texts), brief)
    yield from _chars("title", "title", post.title, _TITLE, _TITLE_LIMITS)
    told = post.meta.description
    yield from _chars("meta.description", "description", told, _DESCRIPTION, _DESCRIPTION_LIMITS)
    bodies = sum(section.type is SectionType.BODY for section in post.sections)
    if brief.max_sections and bodies > brief.max_sections:
        yield _blocker(
            "too_many_sections",
            "post",
            f"The post has {bodies} sections between introduction and conclusion; the limit is"
            f" {brief.max_sections}. Merge or cut {bodies - brief.max_sections}.",
        )
    yield from _faqs(post, brief)


def _missing_parts(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    types = [section.type for section in post.sections]
    first = post.sections[0] if post.sections else None
    has_introduction = (
        first and first.type is SectionType.INTRODUCTION and first.content_markdown.strip()
    )
    parts = {
        "title": ("title", post.title.strip()),
        "description": ("meta.description", post.meta.description.strip()),
        "introduction": ("post", has_introduction),
        "section between introduction and conclusion": ("post", SectionType.BODY in types),
        "conclusion": ("conclusion", post.conclusion.strip()),
        "FAQ section with questions": ("post", post.faqs or not brief.faqs),
    }
    for name, (path, is_there) in parts.items():
        if not is_there:
            yield _blocker("parts_missing", path, f"The post has no {name}. Write one.")
    for index, section in enumerate(post.sections):
        if section.type is not SectionType.BODY:
            continue
        if not section.content_markdown.strip():
            reason = f"The section “{section.heading}” has no text. Write it or remove its heading."
            yield _blocker("parts_missing", f"sections[{index}]", reason)
        if not (section.heading or "").strip():
            reason = "The section has no heading. Write one."
            yield _blocker("parts_missing", f"sections[{index}].heading", reason)


def _length(count: int, brief: Brief) -> Iterator[Finding]:
    if count > brief.max_words:
        yield _blocker(
            "too_long",
            "post",
            f"The post has {count} words; the limit is {brief.max_words}. Cut at least"
            f" {_words(count - brief.max_words)}, the least needed first.",
        )
    elif count < brief.min_words:
        yield _blocker(
            "too_short",
            "post",
            f"The post has {count} words; it needs at least {brief.min_words}. Add at least"
            f" {_words(brief.min_words - count)} that readers need.",
        )


def _words(number: int) -> str:
    return f"{number} word{'s' if number > 1 else ''}"


def _chars(
    path: str, name: str, text: str, good: tuple[int, int], limits: tuple[int, int]
) -> Iterator[Finding]:
    # A full-width (East Asian) character takes two columns.
    size = sum(2 if unicodedata.east_asian_width(ch) in "WF" else 1 for ch in text)
    if size and not good[0] <= size <= good[1]:
        is_usable = limits[0] <= size <= limits[1]
        reason = f"The {name} has {size} characters. Write one of {good[0]} to {good[1]}."
        severity = Severity.WARNING if is_usable else Severity.BLOCKER
        yield Finding(f"{name}_length", severity, path, reason, text)


def _faqs(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    count = len(post.faqs)
    if count and not brief.faqs:
        reason = f"The post has {count} FAQ entries; none were requested. Remove the FAQ section."
        yield _blocker("faq_count", "faqs[0].question", reason)
    elif count > _MOST_FAQS:
        reason = f"The post has {count} FAQ entries; the limit is {_MOST_FAQS}."
        yield _blocker("faq_count", "faqs[0].question", f"{reason} Remove {count - _MOST_FAQS}.")
    texts = ((faq.question, faq.answer) for faq in post.faqs)
    for at, text in enumerate(chain.from_iterable(texts)):
        if not text.strip():
            name = "answer" if at % 2 else "question"
            reason = f"FAQ entry {at // 2 + 1} has no {name}. Write it or remove the entry."
            yield _blocker("parts_missing", f"faqs[{at // 2}].{name}", reason)


def _blocker(rule: str, section: str, reason: str) -> Finding:
    return Finding(rule, Severity.BLOCKER, section, reason)
