"""How long things are: the post against its limits, title and description as search shows them."""

import unicodedata
from collections.abc import Iterator

from app.core.brief import Brief
from app.core.post import SectionType, SEOPost
from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.passage import reading_text
from app.core.text import word_count

# Search results cut a title at about 60 characters; Yoast marks a description of 121 to 156
# characters as good.
TITLE_CHARS = (15, 60)
TITLE_HARD_CHARS = (10, 75)
DESCRIPTION_CHARS = (121, 156)
DESCRIPTION_HARD_CHARS = (70, 165)


def width(text: str) -> int:
    """Length in columns: a full-width (East Asian) character takes the room of two."""
    return sum(2 if unicodedata.east_asian_width(ch) in "WF" else 1 for ch in text)


def post_words(post: SEOPost) -> int:
    """The words of a post: headings, prose, callouts and FAQs; not its title or description."""
    return sum(word_count(passage.text) for passage in reading_text(post))


def check_word_count(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    count = post_words(post)
    if count < brief.min_words:
        yield blocker(
            "too_short", "post", f"The post has {count} words; it needs at least {brief.min_words}."
        )
    elif count > brief.max_words:
        yield blocker(
            "too_long",
            "post",
            f"The post has {count} words; at most {brief.max_words} are allowed.",
        )


def check_sections(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """An introduction first, a conclusion last, and as many body sections as were planned."""
    types = [section.type for section in post.sections]
    if not types or types[0] is not SectionType.INTRODUCTION:
        yield blocker("sections", "post", "The post does not begin with an introduction.")
    if not types or types[-1] is not SectionType.CONCLUSION:
        yield blocker("sections", "post", "The post does not end with a conclusion.")
    bodies = types.count(SectionType.BODY)
    if bodies != len(brief.paragraphs):
        yield blocker(
            "sections", "post", f"The post has {bodies} body sections, not {len(brief.paragraphs)}."
        )
    if len(post.faqs) < brief.faqs:
        yield blocker(
            "sections", "faqs", f"There are {len(post.faqs)} questions; write {brief.faqs}."
        )


def check_title_length(title: str) -> Iterator[Finding]:
    yield from _between("title_length", "title", "title", title, TITLE_CHARS, TITLE_HARD_CHARS)


def check_description_length(description: str) -> Iterator[Finding]:
    yield from _between(
        "description_length",
        "meta.description",
        "meta description",
        description,
        DESCRIPTION_CHARS,
        DESCRIPTION_HARD_CHARS,
    )


def _between(
    check: str, section: str, name: str, text: str, good: tuple[int, int], hard: tuple[int, int]
) -> Iterator[Finding]:
    size = width(text)
    if good[0] <= size <= good[1]:
        return
    severity = warning if hard[0] <= size <= hard[1] else blocker
    yield severity(
        check,
        section,
        f"The {name} is {size} characters long; write one between {good[0]} and {good[1]}.",
    )
