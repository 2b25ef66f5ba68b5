"""The plan of a post: its purpose, its title, its sections with their forms, and its claims."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil
from typing import Any

from app.core.checks import (
    TITLE_TAKEN,
    Finding,
    Kind,
    Passage,
    check_heading,
    check_passage,
    heading_findings,
    place_findings,
    title_findings,
)
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.schemas.request import KeywordUsageStrategy
from app.core.text import find_phrase, fold, stems, words
from app.core.writing.faithful import is_limiting

# A planner may give any number.
_MOST_WORDS = 100_000
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
# Uses of the primary keyword for each word with the strategy balanced: well inside its limits.
_BALANCED_AIM = 0.008
# The least uses of a keyphrase for each word of the text, as yoastseo counts.
_LEAST_DENSITY = 0.005
# A post of fewer sections says too little.
_LEAST_SECTIONS = 2
# The share of a keyword's words from which on a section speaks of it.
_FITS = 0.5


class Form(StrEnum):
    """What a section consists of."""

    PROSE = "prose"
    LIST = "list"
    STEPS = "steps"
    TABLE = "table"


@dataclass(frozen=True)
class PlannedSection:
    """A section to write.

    Args:
        purpose: what it tells the reader.
        claims: the claims of the plan that it states.
        points: what each of its blocks says; empty unless the post is written block by block.
        keywords: phrases that it must use.
        loose: those of them that may stand in any part: who writes several chooses one.
        words: how many words the planner gives it; 0 if the planner did not say.
    """

    heading: str
    purpose: str
    form: Form = Form.PROSE
    claims: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    loose: frozenset[str] = frozenset()
    words: int = 0


@dataclass(frozen=True)
class Plan:
    """``claims`` is the claim sheet: the figures, times, prices and names that the post turns on,
    each once; those in ``optional`` may be left out where they do not fit.
    ``questions`` are those that the sections leave open."""

    title: str
    purpose: str
    sections: tuple[PlannedSection, ...]
    claims: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()


def without_corrected(plan: Plan, before: str, after: str) -> Plan:
    """Return a plan without the claims whose figures a revision took out of the text: a writer or
    an editor who still reads them would put them back.

    Args:
        before: the text that was revised.
        after: the text that came out.
    """
    had, has = set(_FIGURE.findall(before)), set(_FIGURE.findall(after))
    kept = tuple(
        claim
        for claim in plan.claims
        if not (had >= (own := set(_FIGURE.findall(claim))) > has & own)
    )
    if len(kept) == len(plan.claims):
        return plan
    sections = tuple(
        replace(section, claims=tuple(claim for claim in section.claims if claim in kept))
        for section in plan.sections
    )
    return replace(plan, claims=kept, sections=sections, optional=plan.optional & set(kept))


def plan_schema(brief: Brief, *, claims: bool, points: bool) -> dict[str, Any]:
    """Return the JSON schema of a plan.

    Args:
        claims: ask for a claim sheet, and for how many words each section has.
        points: ask for what each block of a section says.
    """
    low, high = brief.sections
    section: dict[str, Any] = {
        "heading": _STRING,
        "purpose": _STRING,
        "form": {"type": "string", "enum": [form.value for form in Form]},
    }
    if claims:
        section["claims"] = {"type": "array", "items": {"type": "integer"}}
        section["words"] = {"type": "integer"}
    if points:
        section["points"] = {"type": "array", "items": _STRING, "minItems": 1, "maxItems": 8}
    members: dict[str, Any] = {"purpose": _STRING}
    if claims:
        # No maxItems: a list that is longer than the prompt allows costs no other plan.
        members["claims"] = {"type": "array", "items": _STRING}
        members["optional"] = {"type": "array", "items": {"type": "integer"}}
    members["sections"] = {
        "type": "array",
        "items": object_schema(**section),
        "minItems": low,
        "maxItems": high,
    }
    if brief.faqs:
        count = brief.faqs
        members["questions"] = {
            "type": "array", "items": _STRING, "minItems": count, "maxItems": count,
        }  # fmt: skip
    return object_schema(**members, title=_STRING)


def read_plan(content: Mapping[str, Any], brief: Brief) -> Plan:
    """Return the plan in an answer that keeps to the schema, with the keywords assigned.

    A section's claims are numbers of the claim sheet, from 1; other numbers are ignored. Of a list
    that is too long, optional claims go first, then the last ones of those that limit nothing. What
    limits another statement or is for one group of readers is not optional, whatever the planner
    says.
    """
    listed = [str(claim).strip() for claim in content.get("claims", ())]
    optional = frozenset(
        claim
        for claim in _named(listed, content.get("optional", ()))
        if not is_limiting(claim, brief.language)
    )
    kept = sorted(
        dict.fromkeys(filter(None, listed)),
        key=lambda claim: (claim in optional, not is_limiting(claim, brief.language)),
    )[: brief.most_claims]
    listed = [claim if claim in kept else "" for claim in listed]
    sections = tuple(
        PlannedSection(
            heading=str(entry["heading"]).replace("`", "").rstrip(" .:。："),
            purpose=str(entry["purpose"]),
            form=Form(entry["form"]),
            claims=_named(listed, entry.get("claims", ())),
            points=tuple(str(point) for point in entry.get("points", ())),
            words=max(0, int(min(entry.get("words", 0), _MOST_WORDS))),
        )
        for entry in content["sections"]
    )
    return Plan(
        title=str(content["title"]).replace("`", "").rstrip(" .。"),
        purpose=str(content["purpose"]),
        sections=_with_keywords(sections, brief),
        claims=_named(listed, range(1, len(listed) + 1)),
        questions=tuple(str(question) for question in content.get("questions", ())),
        optional=optional.intersection(kept),
    )


def _named(claims: Sequence[str], numbers: Iterable[float]) -> tuple[str, ...]:
    """Return the claims with these numbers, each once. In JSON, 1.0 is an integer too."""
    named = (claims[int(number) - 1] for number in numbers if 1 <= number <= len(claims))
    return tuple(dict.fromkeys(claim for claim in named if claim))


def without_refused(plan: Plan, brief: Brief) -> Plan:
    """Return a plan without the sections whose headings no post may have, such as “Introduction”,
    if two or more are left: a small model plans them each time it is asked."""

    def is_refused(section: PlannedSection) -> bool:
        names, keyword = ["heading"], brief.primary_keyword
        found = heading_findings("", [section.heading], names, brief.language, keyword)
        return any(finding.blocks for finding in found)

    left = [section for section in plan.sections if not is_refused(section)]
    if len(left) < _LEAST_SECTIONS or len(left) == len(plan.sections):
        return plan
    return replace(plan, sections=_with_keywords(left, brief))


def check_plan(plan: Plan, brief: Brief) -> list[Finding]:
    """Return the findings on the title and the headings of a plan."""
    headings = [section.heading for section in plan.sections]
    findings = [
        *check_passage(Passage("title", Kind.TITLE, plan.title), brief.language),
        *title_findings(plan.title),
        *place_findings("title", plan.title, brief),
    ]
    if fold(plan.title) in {fold(earlier) for earlier in brief.earlier_titles}:
        findings.append(TITLE_TAKEN.found("title", f"Another post has the title “{plan.title}”."))
    if fold(plan.title) in {fold(heading) for heading in headings}:
        findings.append(check_heading.found("title", f"“{plan.title}” is also a heading."))
    for number, heading in enumerate(headings, 1):
        passage = Passage(f"heading {number}", Kind.HEADING, heading)
        findings += check_passage(passage, brief.language)
    names = [f"heading {number}" for number in range(1, len(headings) + 1)]
    findings += heading_findings("", headings, names, brief.language, brief.primary_keyword)
    return findings


def _with_keywords(sections: Sequence[PlannedSection], brief: Brief) -> tuple[PlannedSection, ...]:
    """Assign each keyword to the section whose heading, or else whose plan, has most of its words;
    among equals, to the one that has fewest keywords. One of which no section has half the words is
    loose, as is, unless uses are counted, each that is in no heading: writers who were given a
    section for it bent a sentence. What a keyword has in common with the primary one, all sections
    may have: its other words tell where it belongs. The introduction uses the primary keyword in
    any case."""
    chosen: list[list[str]] = [[] for _ in sections]
    loose: list[list[str]] = [[] for _ in sections]
    about = [
        stems(
            " ".join([section.heading, section.purpose, *section.claims, *section.points]),
            brief.language,
        )
        for section in sections
    ]
    numbers = list(range(len(sections)))
    primary = brief.primary_keyword
    is_natural = brief.strategy is KeywordUsageStrategy.NATURAL
    for keyword in brief.keywords:
        shared = "" if keyword == primary else primary
        shares = _shares(keyword, about, brief.language, shared)
        said = [bool(find_phrase(each.heading, keyword, brief.language)) for each in sections]
        best = max(numbers, key=lambda at: (said[at], shares[at], -len(chosen[at])))
        chosen[best].append(keyword)
        if not said[best] and (is_natural or shares[best] < _FITS):
            loose[best].append(keyword)
    # The introduction has one use more.
    uses = round(_BALANCED_AIM * brief.target_words) - 1
    if is_natural:
        shares = _shares(primary, about, brief.language)
        said = [bool(find_phrase(each.heading, primary, brief.language)) for each in sections]
        numbers = [at for at in numbers if not said[at] and shares[at] >= _FITS]
        uses = _least_uses(brief) - 1 - sum(said)
    if brief.strategy is not KeywordUsageStrategy.EXACT:
        uses = min(len(numbers), uses)
        for index in range(uses):
            at = numbers[index * len(numbers) // uses]
            if primary not in chosen[at]:
                chosen[at].append(primary)
                if is_natural:
                    loose[at].append(primary)
    return tuple(
        replace(section, keywords=tuple(own), loose=frozenset(left))
        for section, own, left in zip(sections, chosen, loose, strict=True)
    )


def _shares(
    keyword: str, about: Sequence[frozenset[str]], language: str, shared: str = ""
) -> list[float]:
    """Return which share of a keyword's words each section has, function words and those of
    ``shared`` aside."""
    spoken = get_language(language)
    small = stems(" ".join(spoken.function_words), language) if spoken else frozenset[str]()
    wanted = stems(keyword, language)
    wanted = wanted - small or wanted
    wanted = wanted - stems(shared, language) or wanted
    return [len(wanted & own) / max(1, len(wanted)) for own in about]


def _least_uses(brief: Brief) -> int:
    """Return how many uses of the primary keyword yoastseo expects; fewer of a phrase of several
    words."""
    factor = 0.7 + len(words(brief.primary_keyword)) / 3
    return max(2, ceil(_LEAST_DENSITY * brief.max_words / factor))


_STRING: Mapping[str, Any] = {"type": "string"}


def object_schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema whose members are all required, as strict mode demands."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
