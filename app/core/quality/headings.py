"""Headings: each says something of its own."""

from collections.abc import Iterator, Sequence

from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.languages import rules_for
from app.core.text import fold, word_count

_HEADING_MAX_CHARS = 90


def check_headings(
    title: str, headings: Sequence[str], sections: Sequence[str], language: str = "en"
) -> Iterator[Finding]:
    """``sections`` holds, for each heading, the path that a finding about it names."""
    known = [rules for rules in (rules_for("en"), rules_for(language)) if rules]
    empty = frozenset[str]().union(*(rules.empty_headings for rules in known))
    seen = {fold(title)}
    for heading, section in zip(headings, sections, strict=True):
        folded = fold(heading)
        if not folded:
            yield blocker("heading", section, "The heading has no words.")
        elif folded in seen:
            yield blocker("heading", section, f"“{heading}” is used twice. Give it its own words.")
        elif folded in empty:
            yield blocker("heading", section, f"“{heading}” says nothing. Name what it is about.")
        elif len(heading) > _HEADING_MAX_CHARS:
            yield blocker("heading", section, f"The heading is {len(heading)} characters long.")
        elif word_count(heading) < 2:
            yield warning("heading", section, f"“{heading}” is a single word.")
        seen.add(folded)
