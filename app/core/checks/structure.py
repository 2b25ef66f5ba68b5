"""The length of a post and its parts, its sections, headings, questions and conclusion."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from app.core.checks.check import (
    BLOCKER,
    WARNING,
    DeskCheck,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
)
from app.core.checks.passage import Kind, Passage, post_words, reading_text
from app.core.languages import get_language, with_english
from app.core.planning.brief import Brief
from app.core.schemas.post import SectionType, SEOPost
from app.core.text import find_phrase, fold, word_count

# Search results cut a title at about 60 characters; Yoast recommends a description of 121 to 156.
TITLE_CHARS = (15, 60)
TITLE_HARD_CHARS = (10, 75)
# A longer keyword leaves no room for other words in a title.
FITS_TITLE_CHARS = 45
DESCRIPTION_CHARS = (121, 156)
DESCRIPTION_HARD_CHARS = (70, 165)
_HEADING_MAX_CHARS = 90
# A heading that uses a long keyword may have this many characters beside it.
_BESIDE_KEYWORD_CHARS = 40
# Single digits count ordinary things ("step 3").
_NUMBER = re.compile(r"(?<![\w.,])\d(?:[\d.,]*\d)+")
# Words capitalised inside a sentence are names.
_NAME = re.compile(r"(?<=[a-zà-ÿ,;] )(?:[A-ZÀ-Þ][\w’'-]+)(?: [A-ZÀ-Þ][\w’'-]+)*")
_QUESTION_MARKS = ("?", "？", "؟", ";", "՞", "፧")
_ANSWER_MIN_WORDS = 5


def width(text: str) -> int:
    """The length of a text in columns; a full-width (East Asian) character takes two."""
    return sum(2 if unicodedata.east_asian_width(ch) in "WF" else 1 for ch in text)


@check(
    "too_short", ScorePart.STRUCTURE, Scope.POST, BLOCKER, "Add what a reader still needs to know."
)
def check_too_short(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Posts with fewer words than the brief allows."""
    if (count := post_words(post)) < brief.min_words:
        problem = f"The post has {count} words; it needs at least {brief.min_words}."
        yield check_too_short.found("post", problem)


@check("too_long", ScorePart.STRUCTURE, Scope.POST, BLOCKER, "Cut what readers need least.")
def check_too_long(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Posts with more words than the brief allows."""
    if (count := post_words(post)) > brief.max_words:
        problem = f"The post has {count} words; at most {brief.max_words} are allowed."
        yield check_too_long.found("post", problem)


@check("sections", ScorePart.STRUCTURE, Scope.POST, BLOCKER, "Write every part that was requested.")
def check_sections(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Posts without introduction or conclusion, or with too few or too many sections or FAQs."""
    types = [section.type for section in post.sections]
    if not types or types[0] is not SectionType.INTRODUCTION:
        yield check_sections.found("post", "The post does not begin with an introduction.")
    if not types or types[-1] is not SectionType.CONCLUSION:
        yield check_sections.found("post", "The post does not end with a conclusion.")
    bodies, (low, high) = types.count(SectionType.BODY), brief.sections
    if not low <= bodies <= high:
        asked = f"{low}" if low == high else f"{low} to {high}"
        yield check_sections.found(
            "post",
            f"The post has {bodies} sections between introduction and conclusion, not {asked}.",
        )
    if len(post.faqs) < brief.faqs:
        yield check_sections.found(
            "faqs", f"The post answers {len(post.faqs)} of {brief.faqs} questions."
        )


@check(
    "title_length", ScorePart.STRUCTURE, Scope.POST, WARNING,
    f"Write a title of {TITLE_CHARS[0]} to {TITLE_CHARS[1]} characters.", sometimes=BLOCKER,
    fixable=True,
)  # fmt: skip
def check_title_length(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Titles that search results cut off, and titles of a word or two."""
    return title_findings(post.title)


def title_findings(title: str) -> Iterator[Finding]:
    """Findings about the length of a title that need not be in a post yet."""
    return _between(check_title_length, "title", title, "title", TITLE_CHARS, TITLE_HARD_CHARS)


@check(
    "description_length", ScorePart.STRUCTURE, Scope.POST, WARNING,
    f"Write a meta description of {DESCRIPTION_CHARS[0]} to {DESCRIPTION_CHARS[1]} characters.",
    sometimes=BLOCKER, fixable=True,
)  # fmt: skip
def check_description_length(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Descriptions that search results cut off or that leave their space unused."""
    return description_findings(post.meta.description)


def description_findings(description: str) -> Iterator[Finding]:
    """Findings about the length of a description that need not be in a post yet."""
    return _between(
        check_description_length,
        "meta.description",
        description,
        "meta description",
        DESCRIPTION_CHARS,
        DESCRIPTION_HARD_CHARS,
    )


def _between(
    broken: DeskCheck[[SEOPost, Brief]],
    section: str,
    text: str,
    what: str,
    good: tuple[int, int],
    hard: tuple[int, int],
) -> Iterator[Finding]:
    size = width(text)
    if not good[0] <= size <= good[1]:
        severity = WARNING if hard[0] <= size <= hard[1] else BLOCKER
        problem = f"The {what} is {size} characters long."
        yield broken.found(section, problem, severity=severity)


@check(
    "heading", ScorePart.STRUCTURE, Scope.POST, BLOCKER,
    "Write a short heading that says what its section is about and that no other section has.",
    sometimes=WARNING, in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_heading(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Headings of body sections that are empty, used twice, too general or too long."""
    headings = {
        f"sections[{index}].heading": section.heading or ""
        for index, section in enumerate(post.sections)
        if section.type is SectionType.BODY
    }
    return heading_findings(
        post.title, list(headings.values()), list(headings), brief.language, brief.primary_keyword
    )


def heading_findings(
    title: str,
    headings: Sequence[str],
    sections: Sequence[str],
    language: str = "en",
    keyword: str = "",
) -> Iterator[Finding]:
    """Findings about headings that need not be in a post yet.

    Args:
        sections: for each heading, the path that its findings name.
        keyword: a heading that uses a long keyword may be longer than others.
    """
    spoken = with_english(language)
    empty = frozenset[str]().union(*(each.headings.empty for each in spoken if each.headings))
    seen = {fold(title)}
    for heading, section in zip(headings, sections, strict=True):
        folded = fold(heading)
        if not folded:
            yield check_heading.found(section, "The heading has no words.")
        elif folded in seen:
            yield check_heading.found(section, f"The heading “{heading}” is used twice.")
        elif folded in empty:
            yield check_heading.found(section, f"The heading “{heading}” could stand in any text.")
        elif len(heading) > _most_chars(heading, keyword, language):
            problem = f"The heading “{heading[:40]}…” is {len(heading)} characters long."
            yield check_heading.found(section, problem)
        elif word_count(heading) < 2:
            problem = f"The heading “{heading}” is a single word."
            yield check_heading.found(section, problem, severity=WARNING)
        seen.add(folded)


def _most_chars(heading: str, keyword: str, language: str) -> int:
    longest = len(keyword) + _BESIDE_KEYWORD_CHARS
    if longest <= _HEADING_MAX_CHARS or not find_phrase(heading, keyword, language):
        return _HEADING_MAX_CHARS
    return longest


@check(
    "conclusion_introduces", ScorePart.STRUCTURE, Scope.POST, WARNING,
    "Leave it out, or say it earlier in the post.",
    removable=True, fixable=True,
)  # fmt: skip
def check_conclusion_introduces(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Keywords, numbers of two or more digits and names that first appear in the conclusion."""
    if not post.sections or post.sections[-1].type is not SectionType.CONCLUSION:
        return
    conclusion = f"sections[{len(post.sections) - 1}]"
    everything = list(reading_text(post))
    above = [post.title, *(each.text for each in everything if each.part != conclusion)]
    for passage in everything:
        if passage.part == conclusion and passage.kind is not Kind.CODE:
            yield from _introduced(passage, above, brief)


def _introduced(passage: Passage, before: Sequence[str], brief: Brief) -> Iterator[Finding]:
    section, conclusion, language = passage.section, passage.text, brief.language
    for keyword in brief.keywords:
        found = find_phrase(conclusion, keyword, language)
        if found and not _says(before, keyword, language):
            yield _introduces(section, keyword, found[0])
    # Most conclusions have no numbers or names, so the rest of the post need not be read.
    if written := list(_NUMBER.finditer(conclusion)):
        numbers = {number for text in before for number in _NUMBER.findall(text)}
        for match in written:
            if match.group() not in numbers:
                yield _introduces(section, match.group(), match.span())
    spoken = get_language(language)
    if spoken and not spoken.capitalises_nouns and (names := list(_NAME.finditer(conclusion))):
        known = {word for text in before for word in fold(text).split()}
        for match in names:
            before = fold(conclusion[: match.start()].rpartition(".")[2]).split()[-1:]
            is_label = " " not in match.group() and not spoken.label_verbs.isdisjoint(before)
            if not is_label and (match.group().isupper() or len(match.group()) > 2):
                words = fold(match.group()).split()
                if words and not known.intersection(words) and words != ["i"]:
                    yield _introduces(section, match.group(), match.span())


def _says(texts: Sequence[str], phrase: str, language: str) -> bool:
    """Whether the texts, read one after the other, contain a phrase."""
    if any(find_phrase(text, phrase, language) for text in texts):
        return True
    return bool(find_phrase("\n".join(texts), phrase, language))


def _introduces(section: str, what: str, span: tuple[int, int]) -> Finding:
    problem = f"The conclusion mentions “{what}” for the first time."
    return check_conclusion_introduces.found(section, problem, span)


@check(
    "faq_shape", ScorePart.STRUCTURE, Scope.DOCUMENT, WARNING,
    "Ask each question once, with a question mark, and answer it in one to three sentences.",
    sometimes=BLOCKER, fixable=True,
)  # fmt: skip
def check_faq_shape(everything: Sequence[Passage], language: str) -> Iterator[Finding]:
    """Questions asked twice or without a question mark, and answers of a few words."""
    asked: set[str] = set()
    for passage in everything:
        if passage.kind is Kind.QUESTION:
            folded = fold(passage.text)
            if folded in asked:
                problem = f"The question “{passage.text}” is asked twice."
                yield check_faq_shape.found(passage.section, problem, severity=BLOCKER)
            elif not passage.text.rstrip(" \"'”»’)").endswith(_QUESTION_MARKS):
                yield check_faq_shape.found(
                    passage.section, f"The question “{passage.text}” has no question mark."
                )
            asked.add(folded)
        elif passage.kind is Kind.ANSWER and word_count(passage.text) < _ANSWER_MIN_WORDS:
            problem = f"The answer “{passage.text}” has fewer than {_ANSWER_MIN_WORDS} words."
            yield check_faq_shape.found(passage.section, problem)
