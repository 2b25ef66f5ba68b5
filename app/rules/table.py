"""The rules: what a post must be, as far as a program can be certain of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.schemas.post import SEOPost
from app.rules.copied_runs import check_copies
from app.rules.figures import check_figures, check_quotations
from app.rules.finding import Finding
from app.rules.identify import check_language
from app.rules.keywords import check_keywords
from app.rules.leftovers import check_leftovers
from app.rules.links_and_html import check_html, check_links
from app.rules.passages import passages
from app.rules.prose import check_ends, check_repetition
from app.rules.structure import check_structure
from app.sources.source import Source
from app.writing.brief import Brief

QUALITY_VERSION = "4.0.0"


@dataclass(frozen=True)
class Rule:
    """A rule by its name in the API, and whether it applies to posts and to any Markdown file."""

    name: str
    description: str
    in_posts: bool = True
    in_files: bool = False


RULES = (
    Rule("parts_missing", "A post has title, description, introduction, sections and conclusion."),
    Rule("too_short", "A post has at least the words that were asked for."),
    Rule("too_long", "A post has at most the words that were asked for."),
    Rule("title_length", "A title has 30 to 65 characters."),
    Rule("description_length", "A description has 110 to 160 characters."),
    Rule("too_many_sections", "A post has at most the sections that were asked for."),
    Rule("faq_count", "A post has one to eight answered questions if they were asked for."),
    Rule("keyword_missing", "Each keyword is used, in any form and order.", in_files=True),
    Rule("keyword_overused", "With the strategy balanced, the first keyword is not overused."),
    Rule("link", "A post has no links and no web or e-mail addresses."),
    Rule("html", "A post has no HTML outside of code."),
    Rule("active_content", "A file has no scripts or handlers.", in_posts=False, in_files=True),
    Rule("bold", "Bold marks of a file are not shown.", in_posts=False, in_files=True),
    Rule("leftover", "Nothing is left of a chat, a template or a merge.", in_files=True),
    Rule("language", "Texts and their long paragraphs are in one language.", in_files=True),
    Rule("cut_off", "No text breaks off, and bold type is closed."),
    Rule("repeated", "No heading, paragraph or sentence repeats another one.", in_files=True),
    Rule("copied_from_source", "No run of 13 words stands in a source."),
    Rule("figure", "In verified posts, each figure is in a source or follows from one."),
    Rule("quotation", "In verified posts, each quotation is in a source."),
    Rule("empty", "A file has text.", in_posts=False, in_files=True),
)  # fmt: skip


RULE_NAMES = (
    *(rule.name for rule in RULES if rule.in_posts),
    # What earlier posts, an editor and a reader object to.
    "originality", "unsupported_claim", "editor", "reader", "reader_mark",
)  # fmt: skip
"""The names of findings that an error can have."""


def check_post(post: SEOPost, brief: Brief, sources: Sequence[Source] = ()) -> list[Finding]:
    """Return what the rules find in a post, in the order in which it is read."""
    texts = passages(post)
    found = [
        *check_structure(post, brief),
        *check_keywords(post, brief),
        *check_links(texts),
        *check_html(texts),
        *check_leftovers(texts),
        *check_language(texts, brief.language),
        *check_ends(texts, brief.language),
        *check_repetition(texts, brief.language),
        *check_copies(texts, brief, sources),
    ]
    if brief.verified and sources:
        found += check_figures(texts, brief, sources)
        found += check_quotations(texts, sources)
    places: dict[str, int] = {}
    for text in texts:
        places.setdefault(text.section, len(places))
    return sorted(found, key=lambda finding: places.get(finding.section, -1))
