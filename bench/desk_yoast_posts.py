"""Posts with a keyphrase, judged by the desk and by yoastseo.

The English ones of the good posts, and each with one thing changed at a time: the keyphrase taken
out of a place, used more and more often, the description made longer and shorter around its limits.
Neither side inflects: the desk is asked for the exact phrase, as the stems of yoastseo are sold.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from random import Random
from typing import Any

from app.core.checks import Kind, check_post, paragraphs, reading_text
from app.core.planning.brief import Brief
from app.core.schemas.post import SEOPost
from app.core.schemas.request import KeywordUsageStrategy
from bench.desk_mutations import KINDS
from bench.desk_posts import good_posts
from bench.desk_yoast_table import table

_PLANTED = (
    "keyword not in the title", "keyword not in the introduction",
    "keyword not in the description", "keyword stuffed",
)  # fmt: skip
_DESCRIPTION_CHARS = (60, 119, 120, 121, 140, 156, 157, 158, 200)
_MORE_USES = (2, 4, 6, 8, 10, 12, 16, 20)
_GOOD = 9
# Our check and where it looks, what the assessment of yoastseo is called in desk_yoast.cjs, and its
# least score that answers our question with yes: 6 is a title that has the keyphrase but does not
# begin with it, 4 a keyphrase that is used too seldom. Of headings it is the number that have it.
_PAIRS = {
    "keyword_place, title": ("title", 6),
    "keyword_place, sections[0]": ("introduction", _GOOD),
    "keyword_place, meta.description": ("description", _GOOD),
    "description_length, meta.description": ("descriptionLength", _GOOD),
    "keyword_slug, slugSuggestion": ("slug", _GOOD),
    "keyword_density, post": ("density", 0),
    "keyword_heading, post": ("headings", 1),
}
_EVERY = 4
_REASONS = (
    (
        "Density: the limit of 3 % that yoastseo publishes is one for a keyphrase of a single word;"
        " its code lowers it for longer ones. The desk keeps to what is published, and a writer can"
        " count. A matter of taste."
    ),
    (
        "Not compared: the width of a title, which yoastseo takes from a browser in pixels and the"
        " desk counts in columns; a keyphrase used too rarely, which the desk checks with the"
        " strategy balanced only, or in one part of the text only, which it does not check; the"
        " share of headings with the keyphrase, of which the desk wants one."
    ),
)


@dataclass(frozen=True)
class _Judged:
    """What was done to a post, and the checks of the desk that found fault, with their place."""

    variant: str
    found: frozenset[str]


def post_inputs() -> tuple[list[_Judged], list[dict[str, str]]]:
    """What the desk says of each post, and the post as yoastseo wants it."""
    judged, inputs = [], []
    english = [(post, brief) for post, brief in good_posts() if brief.language == "en"]
    for number, (post, brief) in enumerate(english[::_EVERY]):
        brief = replace(brief, strategy=KeywordUsageStrategy.EXACT)
        for variant, changed in _variants(number, post, brief):
            findings = check_post(changed, brief).findings
            names = frozenset(f"{finding.check}, {finding.section}" for finding in findings)
            judged.append(_Judged(variant, names))
            inputs.append(_input(changed, brief))
    return judged, inputs


def _variants(number: int, post: SEOPost, brief: Brief) -> Iterator[tuple[str, SEOPost]]:
    yield "as it is", post
    for kind in _PLANTED:
        if defect := KINDS[kind](post, brief, Random(f"{number}:{kind}")):
            yield kind, defect.post
    for size in _DESCRIPTION_CHARS:
        text = post.meta.description.rstrip(".")
        text = (text + " and then some more of it" * 9)[: size - 1].rstrip()
        text = f"{text}{'s' * (size - 1 - len(text))}."
        meta = post.meta.model_copy(update={"description": text})
        yield "description of another length", post.model_copy(update={"meta": meta})
    for more in _MORE_USES:
        body = post.sections[1]
        text = body.content_markdown + f" We like {brief.primary_keyword} here." * more
        sections = list(post.sections)
        sections[1] = body.model_copy(update={"content_markdown": text})
        yield "keyword used more often", post.model_copy(update={"sections": tuple(sections)})
    slug = "notes-of-a-quiet-day"
    yield "another slug", post.model_copy(update={"slug_suggestion": slug})
    plain = tuple(
        section.model_copy(update={"heading": f"What matters in part {at}"})
        if section.heading
        else section
        for at, section in enumerate(post.sections)
    )
    h2 = tuple(section.heading for section in plain if section.heading)
    outline = post.outline.model_copy(update={"h2": h2})
    yield "other headings", post.model_copy(update={"sections": plain, "outline": outline})


def _input(post: SEOPost, brief: Brief) -> dict[str, str]:
    blocks = []
    for passage in reading_text(post):
        if passage.kind is Kind.HEADING:
            blocks.append(f"<h2>{escape(passage.text, quote=False)}</h2>")
            continue
        for _, text in paragraphs(passage.text):
            blocks.append(f"<p>{escape(text, quote=False)}</p>")
    return {
        "text": "\n".join(blocks),
        "keyword": brief.primary_keyword,
        "title": post.title,
        "slug": post.slug_suggestion,
        "description": post.meta.description,
    }


def compare_posts(judged: Sequence[_Judged], results: Sequence[dict[str, Any]]) -> Iterator[str]:
    """How often both find the same place of the keyphrase good, and where they differ."""
    counted: dict[str, Counter[tuple[bool, bool]]] = {check: Counter() for check in _PAIRS}
    differ: Counter[str] = Counter()
    for post, result in zip(judged, results, strict=True):
        for check, (assessment, least) in _PAIRS.items():
            score = result[assessment]
            if score is None:
                continue
            ours, theirs = check in post.found, score < least
            counted[check][ours, theirs] += 1
            if ours != theirs:
                who = "the desk" if ours else "yoastseo"
                differ[f"{check}, {post.variant}: {who} alone finds fault"] += 1
    total = sum(row.total() for row in counted.values())
    same = sum(row[True, True] + row[False, False] for row in counted.values())
    yield "### Keyphrase and description"
    yield ""
    yield (
        f"{len(judged)} posts: every fourth of the English ones above, and each with one thing"
        f" changed. Same"
        f" verdict in {same} of {total}: {same / total:.1%}."
    )
    yield ""
    yield from table("check", counted)
    yield from (f"- {line} ({times})" for line, times in sorted(differ.items()))
    yield ""
    yield from (f"- {reason}" for reason in _REASONS)
    yield ""
