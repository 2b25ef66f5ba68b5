"""The rules: what a post must be, as far as a program can be certain of it. The function of a rule
decides how severe each finding is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.core.schemas.post import SEOPost
from app.rules.copied_runs import check_copies
from app.rules.figures import check_figures, check_quotations
from app.rules.finding import Checked, Finding
from app.rules.identify import check_language
from app.rules.keywords import check_keywords
from app.rules.leftovers import check_leftovers
from app.rules.links_and_html import check_html, check_links
from app.rules.passages import passages
from app.rules.prose import check_ends, check_repetition
from app.rules.structure import check_emptiness, check_structure
from app.sources.source import Source
from app.writing.brief import Brief

QUALITY_VERSION = "4.0.0"


@dataclass(frozen=True)
class Rule:
    """A rule of posts, of any Markdown file, or of both, by its name in the API.

    Args:
        check: the function that finds what breaks it; several rules can share one.
    """

    name: str
    check: Callable[[Checked], Iterator[Finding]]
    in_posts: bool = True
    in_files: bool = False


RULES = (
    Rule("empty", check_emptiness, in_posts=False, in_files=True),
    Rule("parts_missing", check_structure),
    Rule("too_short", check_structure),
    Rule("too_long", check_structure),
    Rule("title_length", check_structure),
    Rule("description_length", check_structure),
    Rule("too_many_sections", check_structure),
    Rule("faq_count", check_structure),
    Rule("keyword_missing", check_keywords, in_files=True),
    Rule("keyword_overused", check_keywords),
    Rule("link", check_links),
    Rule("html", check_html),
    Rule("leftover", check_leftovers, in_files=True),
    Rule("language", check_language, in_files=True),
    Rule("cut_off", check_ends),
    Rule("repeated", check_repetition, in_files=True),
    Rule("copied_from_source", check_copies),
    Rule("figure", check_figures),
    Rule("quotation", check_quotations),
)

RULE_NAMES = (
    *(rule.name for rule in RULES if rule.in_posts),
    # No rules: what earlier posts, the editor and the reader object to.
    "originality", "unsupported_claim", "editor", "reader", "reader_mark",
)  # fmt: skip
"""The names of findings of posts. An error has those that block."""


def check(checked: Checked) -> list[Finding]:
    """Return what the rules find, rule by rule."""
    applying = (rule for rule in RULES if (rule.in_files if checked.in_file else rule.in_posts))
    functions = dict.fromkeys(rule.check for rule in applying)
    return [finding for function in functions for finding in function(checked)]


def check_post(post: SEOPost, brief: Brief, sources: Sequence[Source] = ()) -> list[Finding]:
    """Return what the rules find in a post, in the order in which it is read."""
    texts = passages(post)
    spoken = [each for each in texts if each.section != "meta.description"]
    places: dict[str, int] = {}
    for text in texts:
        places.setdefault(text.section, len(places))
    found = check(Checked(texts, spoken, brief, post, sources))
    return sorted(found, key=lambda finding: places.get(finding.section, -1))
