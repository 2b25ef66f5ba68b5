"""Whether every keyword is used, where it counts, and not too often."""

from collections.abc import Iterator, Sequence

from slugify import slugify

from app.core.brief import Brief
from app.core.evidence.words import SMALL
from app.core.post import KeywordCoverage, SectionType, SEOPost
from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.passage import Kind, reading_text
from app.core.source_language import FUNCTION_WORDS
from app.core.text import find_phrase, primary_subtag, sentences, stems, word_count, words

# Yoast: 0.5 to 3 uses of a keyphrase for every hundred words are good, over 4 far too many.
MAX_DENSITY = 0.03
STUFFED_DENSITY = 0.04
MAX_USES_A_PARAGRAPH = 2
_FITS_TITLE_CHARS = 45


def keyword_coverage(post: SEOPost, brief: Brief) -> tuple[KeywordCoverage, ...]:
    """For each keyword the first sentence that uses it; prose is preferred to a heading."""
    texts = sorted(reading_text(post), key=lambda passage: not passage.is_prose)
    covered = []
    for keyword in brief.keywords:
        evidence = ""
        for passage in texts:
            for sentence in sentences(passage.text, brief.language):
                if find_phrase(sentence.text, keyword, brief.language, exact=brief.exact_keywords):
                    evidence = sentence.text
                    break
            if evidence:
                break
        covered.append(KeywordCoverage(keyword=keyword, covered=bool(evidence), evidence=evidence))
    return tuple(covered)


def check_coverage(post: SEOPost) -> Iterator[Finding]:
    for note in post.coverage_notes.keyword_coverage:
        if not note.covered:
            yield blocker(
                "keyword_missing",
                "post",
                f"The keyword “{note.keyword}” is not used in the text.",
                keyword=note.keyword,
            )


def check_place(section: str, text: str, brief: Brief) -> Iterator[Finding]:
    """The primary keyword stands in a text that must have it.

    Its words in another order are a warning, and so is a keyword too long to leave room for
    others in a title or description.
    """
    keyword, language = brief.primary_keyword, brief.language
    if find_phrase(text, keyword, language, exact=brief.exact_keywords):
        return
    scattered = not brief.exact_keywords and stems(keyword, language) <= stems(text, language)
    short = section not in {"title", "meta.description"} or len(keyword) <= _FITS_TITLE_CHARS
    severity = blocker if short and not scattered else warning
    yield severity("keyword_place", section, f'Begin it with the phrase "{keyword}".')


def check_primary_keyword(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """The primary keyword stands in the title, the introduction, the description, a heading.

    Of its words, one that says what it is about stands in the slug.
    """
    yield from check_place("title", post.title, brief)
    yield from check_place("meta.description", post.meta.description, brief)
    if post.sections and post.sections[0].type is SectionType.INTRODUCTION:
        yield from check_place("sections[0]", post.sections[0].content_markdown, brief)
    if not find_phrase(" \n ".join(post.outline.h2), brief.primary_keyword, brief.language):
        yield warning("keyword_heading", "post", f"No heading uses “{brief.primary_keyword}”.")
    yield from _check_slug(post.slug_suggestion, brief)


def _check_slug(slug: str, brief: Brief) -> Iterator[Finding]:
    """An address has room for a few words only, so that one of a keyword's is enough."""
    # Both are spelt in ASCII before they are compared: für is fur in a slug.
    wanted = [word for word in slugify(_content(brief)).split("-") if word.strip("0123456789")]
    # An elided article is a letter by itself (d-eau), and so is C.
    wanted = [word for word in wanted if len(word) > 1] or wanted
    spoken = slug.replace("-", " ")
    if brief.exact_keywords:
        found = not set(wanted).isdisjoint(spoken.split())
    else:
        language = brief.language
        found = not stems(" ".join(wanted), language).isdisjoint(stems(spoken, language))
    if wanted and not found:
        reason = f"The slug “{slug}” has no word of “{brief.primary_keyword}”."
        yield warning("keyword_slug", "slugSuggestion", reason)


def _content(brief: Brief) -> str:
    """The primary keyword without its articles, prepositions and the like, if more is left."""
    tag, said = primary_subtag(brief.language), words(brief.primary_keyword)
    small = FUNCTION_WORDS.get(tag, frozenset()) | SMALL.get(tag, frozenset())
    return " ".join(word for word in said if word not in small) or " ".join(said)


def check_density(post: SEOPost, brief: Brief) -> Iterator[Finding]:
    """How often each keyword is used for every hundred words; three times is never too often."""
    texts = [passage.text for passage in reading_text(post) if passage.kind is not Kind.HEADING]
    total = sum(word_count(text) for text in texts)
    for keyword in brief.keywords:
        uses = sum(len(find_phrase(text, keyword, brief.language)) for text in texts)
        if uses <= 3 or uses <= MAX_DENSITY * total:
            continue
        severity = blocker if uses > STUFFED_DENSITY * total else warning
        yield severity(
            "keyword_density",
            "post",
            f"“{keyword}” is used {uses} times in {total} words; at most"
            f" {int(MAX_DENSITY * total)} times reads well.",
            keyword=keyword,
        )


def check_overuse(
    section: str, text: str, keywords: Sequence[str], language: str
) -> Iterator[Finding]:
    """A paragraph that says a keyword again and again."""
    for keyword in keywords:
        found = find_phrase(text, keyword, language)
        if len(found) > MAX_USES_A_PARAGRAPH:
            yield blocker(
                "keyword_overuse",
                section,
                f"Says “{keyword}” {len(found)} times. Say it once, then “it”, “they” or another"
                " word.",
                found[MAX_USES_A_PARAGRAPH],
            )
