"""Whether every keyword is used, in the right places, and not too often."""

from collections.abc import Iterator, Sequence
from math import ceil

from slugify import slugify

from app.core.checks.check import (
    BLOCKER,
    KEYWORD_OVERUSE,
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
)
from app.core.checks.passage import Kind, reading_text
from app.core.checks.structure import FITS_TITLE_CHARS
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.schemas.post import KeywordCoverage, SectionType, SEOPost
from app.core.schemas.request import KeywordUsageStrategy
from app.core.text import find_phrase, fold, sentences, stem, stems, word_count, words

# Yoast: 0.5 to 3 uses of a keyphrase per hundred words are good, more than 4 far too many.
MAX_DENSITY = 0.03
STUFFED_DENSITY = 0.04
# For the strategy balanced: the minimum for the primary keyword, the maximum for every keyword.
BALANCED_DENSITY = (0.005, 0.025)
MAX_USES_A_PARAGRAPH = 2
# A phrase of fewer words says too little if they stand apart: “London needs a plumber.”
_APART_WORDS = 3


def keyword_coverage(post: SEOPost, brief: Brief) -> tuple[KeywordCoverage, ...]:
    """Return for each keyword the first sentence that uses it, preferably in prose.

    With the strategy natural, the words of a keyword may be in any order, and small words between
    them: “a plumber in London” uses “plumber London”, and so does “London's plumber”. Those of a
    phrase of three words or more may be anywhere in one paragraph.
    """
    language, exact = brief.language, brief.exact_keywords
    is_natural = brief.strategy is KeywordUsageStrategy.NATURAL
    texts = sorted(reading_text(post), key=lambda passage: not passage.is_prose)
    covered = []
    for keyword in brief.keywords:
        uses = (
            sentence.text
            for passage in texts
            for sentence in sentences(passage.text, language)
            if find_phrase(sentence.text, keyword, language, exact=exact)
            or (is_natural and _has_words_apart(sentence.text, keyword, language))
        )
        evidence = next(uses, "")
        if not evidence and is_natural:
            evidence = _evidence_apart([each.text for each in texts], keyword, language)
        covered.append(KeywordCoverage(keyword=keyword, covered=bool(evidence), evidence=evidence))
    return tuple(covered)


def _has_words_apart(sentence: str, keyword: str, language: str) -> bool:
    known = get_language(language)
    if known is None:
        return False
    said, wanted = (
        [stem(word, language) for word in fold(text).split() if word not in known.function_words]
        for text in (sentence, keyword)
    )
    size, wanted = len(wanted), sorted(wanted)
    places = range(len(said) - size + 1) if wanted else ()
    return any(sorted(said[at : at + size]) == wanted for at in places)


def may_stand_apart(keyword: str, language: str) -> bool:
    """Return whether a paragraph uses a keyword that has its words anywhere, unless uses are
    counted."""
    return len(stems(_content(keyword, language), language)) >= _APART_WORDS


def _evidence_apart(texts: Sequence[str], keyword: str, language: str) -> str:
    """Return the sentence with most words of a long phrase, in a paragraph with all of them."""
    if not may_stand_apart(keyword, language):
        return ""
    wanted = stems(_content(keyword, language), language)
    text = next((each for each in texts if wanted <= stems(each, language)), "")
    found = [sentence.text for sentence in sentences(text, language)]
    return max(found, key=lambda each: len(wanted & stems(each, language)), default="")


@check(
    "keyword_missing", ScorePart.STRUCTURE, Scope.POST, BLOCKER,
    "Use the words “{keyword}” where they read best; no sentence is bent for them.",
    in_files=FilePart.FILE,
)  # fmt: skip
def check_keyword_missing(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Keywords that the post does not use."""
    for note in post.coverage_notes.keyword_coverage:
        if not note.covered:
            yield missing_keyword(note.keyword)


def missing_keyword(keyword: str) -> Finding:
    """Return the finding for a keyword that a whole text does not use."""
    problem = (
        f"The keyword “{keyword}” is not used in the text; the introduction is a good place for it."
    )
    return check_keyword_missing.found("post", problem, keyword=keyword)


@check(
    "keyword_place", ScorePart.STRUCTURE, Scope.POST, BLOCKER,
    "Use the words “{keyword}” in it, near its beginning.",
    sometimes=WARNING, in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_keyword_place(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Titles, descriptions and introductions without the primary keyword."""
    yield from place_findings("title", post.title, brief)
    yield from place_findings("meta.description", post.meta.description, brief)
    if post.sections and post.sections[0].type is SectionType.INTRODUCTION:
        introduction = [each for each in reading_text(post) if each.part == "sections[0]"]
        text = "\n\n".join(passage.text for passage in introduction)
        yield from place_findings(introduction[0].section, text, brief)


_COMPARING = {"vs", "versus"}
_NAMES = {"title": "title", "meta.description": "meta description"}


def place_findings(section: str, text: str, brief: Brief) -> Iterator[Finding]:
    """Yield a finding if a text does not use the primary keyword.

    It is a warning if the text has the words in another order, or if the keyword is too long for a
    title or description. The strategy natural accepts the words anywhere (“How to undo the last
    commit in Git” for “undo last commit git”); words such as “the” and “vs” are not needed.
    """
    keyword, language = brief.primary_keyword, brief.language
    if find_phrase(text, keyword, language, exact=brief.exact_keywords):
        return
    scattered = not brief.exact_keywords and stems(keyword, language) <= stems(text, language)
    is_introduction = section not in {"title", "meta.description"}
    if _is_apart_in(text, brief):
        return
    short = is_introduction or len(keyword) <= FITS_TITLE_CHARS
    severity = BLOCKER if short and not scattered else WARNING
    name = _NAMES.get(section, "introduction")
    problem = f"The {name} does not use the keyword “{keyword}”."
    yield check_keyword_place.found(section, problem, severity=severity, keyword=keyword)


def _is_apart_in(text: str, brief: Brief) -> bool:
    """Return whether the strategy is natural and a text has the words of the primary keyword."""
    wanted = stems(_content(brief.primary_keyword, brief.language), brief.language)
    is_natural = brief.strategy is KeywordUsageStrategy.NATURAL
    return is_natural and wanted <= stems(text, brief.language)


@check(
    "keyword_heading",
    ScorePart.STRUCTURE,
    Scope.POST,
    WARNING,
    "Put it into one heading.",
    fixable=True,
)
def check_keyword_heading(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Posts without the primary keyword in any heading."""
    keyword, headings = brief.primary_keyword, post.outline.h2
    is_used = bool(find_phrase(" \n ".join(headings), keyword, brief.language))
    if not is_used and not any(_is_apart_in(heading, brief) for heading in headings):
        problem = f"No heading uses the keyword “{keyword}”."
        yield check_keyword_heading.found("post", problem, keyword=keyword)


@check(
    "keyword_slug",
    ScorePart.STRUCTURE,
    Scope.POST,
    WARNING,
    "Put a word of the main keyword into it.",
)
def check_keyword_slug(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Slugs without any word of the primary keyword; a slug has room for few."""
    slug = post.slug_suggestion
    # Compare in ASCII: für is fur in a slug.
    content = _without_small_words(brief.primary_keyword, brief.language)
    wanted = [word for word in slugify(content).split("-") if word.strip("0123456789")]
    # An elided article is a single letter (d-eau), but so is the language C.
    wanted = [word for word in wanted if len(word) > 1] or wanted
    spoken = slug.replace("-", " ")
    if brief.exact_keywords:
        found = not set(wanted).isdisjoint(spoken.split())
    else:
        language = brief.language
        found = not stems(" ".join(wanted), language).isdisjoint(stems(spoken, language))
    if wanted and not found:
        problem = f"The address “{slug}” (the slug) has no word of “{brief.primary_keyword}”."
        yield check_keyword_slug.found("slugSuggestion", problem)


def _content(keyword: str, language: str) -> str:
    """Return the words of a keyword that a text on it cannot do without."""
    said = words(_without_small_words(keyword, language))
    return " ".join(word for word in said if word not in _COMPARING) or keyword


def _without_small_words(keyword: str, language: str) -> str:
    """Return a keyword without its function words, unless it has no others."""
    spoken, said = get_language(language), words(keyword)
    small = spoken.function_words if spoken else ()
    return " ".join(word for word in said if word not in small) or " ".join(said)


@check(
    "keyword_density", ScorePart.STRUCTURE, Scope.POST, WARNING,
    "Replace some of them with “it” or another word.",
    sometimes=BLOCKER, in_files=FilePart.FILE, fixable=True,
)  # fmt: skip
def check_keyword_density(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """Keywords used too often for the length of the post, and more than three times."""
    high, stuffed = MAX_DENSITY, STUFFED_DENSITY
    if brief.strategy is KeywordUsageStrategy.BALANCED:
        high = stuffed = BALANCED_DENSITY[1]
    total = _words_below_headings(post)
    for keyword in brief.keywords:
        uses = _uses(post, keyword, brief.language)
        if uses <= 3 or uses <= high * total:
            continue
        severity = BLOCKER if uses > stuffed * total else WARNING
        problem = (
            f"“{keyword}” is used {uses} times in {total} words; at most"
            f" {int(high * total)} times reads well."
        )
        yield check_keyword_density.found("post", problem, severity=severity, keyword=keyword)


@check(
    "keyword_rare",
    ScorePart.STRUCTURE,
    Scope.POST,
    BLOCKER,
    "Use “{keyword}” once more, where it reads best.",
)
def check_keyword_rare(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """With the strategy balanced, a primary keyword used too rarely for the post's length."""
    if missing := missing_uses(post, brief):
        keyword = brief.primary_keyword
        problem = (
            f"“{keyword}” is used {_uses(post, keyword, brief.language)} times in"
            f" {_words_below_headings(post)} words; use it {missing} more"
            f" {'time' if missing == 1 else 'times'}."
        )
        yield check_keyword_rare.found("post", problem, keyword=keyword)


def missing_uses(post: SEOPost, brief: Brief) -> int:
    """Return how many more uses of the primary keyword the strategy balanced requires."""
    if brief.strategy is not KeywordUsageStrategy.BALANCED:
        return 0
    least = ceil(BALANCED_DENSITY[0] * _words_below_headings(post))
    return max(0, least - _uses(post, brief.primary_keyword, brief.language))


def _words_below_headings(post: SEOPost) -> int:
    return sum(word_count(text) for text in _below_headings(post))


def _uses(post: SEOPost, keyword: str, language: str) -> int:
    return sum(len(find_phrase(text, keyword, language)) for text in _below_headings(post))


def _below_headings(post: SEOPost) -> list[str]:
    return [passage.text for passage in reading_text(post) if passage.kind is not Kind.HEADING]


def overuse_findings(
    section: str, text: str, keywords: Sequence[str], language: str
) -> Iterator[Finding]:
    """Yield findings about keywords that one paragraph uses too often."""
    for keyword in keywords:
        found = find_phrase(text, keyword, language)
        if len(found) > MAX_USES_A_PARAGRAPH:
            problem = f"One paragraph says “{keyword}” {len(found)} times."
            yield KEYWORD_OVERUSE.found(section, problem, found[MAX_USES_A_PARAGRAPH])
