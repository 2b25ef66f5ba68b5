"""The evidence check: every claim of a post held against the sources.

`check(post, sources, asked, today)` is the way in. What a writer must change comes back as
findings, what an operator wants to see as coverage.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from app.core.evidence.archive import Page
from app.core.evidence.claims import Asked, Claim, claims
from app.core.evidence.fact import Kind
from app.core.evidence.matching import SILENT, Answer, Match, look_up
from app.core.evidence.roles import exchange
from app.core.evidence.words import LANGUAGES
from app.core.post import SEOPost
from app.core.quality.finding import Finding, blocker
from app.core.quality.passage import Passage, passages
from app.core.source import Source
from app.core.text import Span, primary_subtag

UNSUPPORTED = "unsupported_claim"
CONTRADICTED = "contradicted_claim"
DISPUTED = "disputed_claim"
_MAX_SAID = 200
_NEITHER = (
    "numbers in words, dates, names, units and the direction of changes: no rules for this language"
)


@dataclass(frozen=True)
class Coverage:
    """One claim and where it is borne out: ``url`` is the first source that does, None without
    any; ``sites`` are all sites that do, ``against`` the URLs of sources that say otherwise.
    """

    claim: str
    kind: Kind
    section: str
    span: Span
    url: str | None
    sites: tuple[str, ...]
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """``skipped`` says what was not looked at, and why; empty where everything was."""

    findings: tuple[Finding, ...]
    coverage: tuple[Coverage, ...]
    skipped: str = ""


def check(post: SEOPost, sources: Sequence[Source], asked: Asked, today: date) -> Verdict:
    """Hold every claim of a post against its sources. ``today`` is the day of the post."""
    return check_passages(list(passages(post)), sources, asked, today)


def check_passages(
    texts: Sequence[Passage], sources: Sequence[Source], asked: Asked, today: date
) -> Verdict:
    """The same for single passages, such as one section that was written anew."""
    return Witnesses(sources, asked, today).check(texts)


class Witnesses:
    """The sources of a post, read once, for as many checks as there are drafts."""

    def __init__(self, sources: Sequence[Source], asked: Asked, today: date) -> None:
        self._pages = [Page(source, asked.language) for source in sources]
        self._ordinary = frozenset[str]().union(*(p.reading.ordinary for p in self._pages))
        self._known = frozenset[str]().union(*(p.reading.known for p in self._pages))
        self._asked = asked
        self._today = today

    def check(self, texts: Sequence[Passage]) -> Verdict:
        """Hold every claim of these passages against the sources."""
        findings: list[Finding] = []
        coverage: list[Coverage] = []
        for claim in claims(texts, self._asked, self._today, self._ordinary, self._known):
            matches = [(page.source, look_up(claim, page)) for page in self._pages]
            found = [source for source, match in matches if match.answer is Answer.SUPPORTED]
            found = found or self._of_both_ends(claim)
            against = [
                (source, match) for source, match in matches if match.answer is Answer.CONTRADICTED
            ]
            coverage.append(
                Coverage(
                    claim.fact.text,
                    claim.fact.kind,
                    claim.section,
                    claim.fact.span,
                    found[0].url if found else None,
                    tuple(dict.fromkeys(source.site for source in found)),
                    tuple(dict.fromkeys(source.url for source, _ in against)),
                )
            )
            finding = (
                _exchanged(claim, self._pages) or _disputed(claim, found, against)
                if found
                else _finding(claim, matches, against)
            )
            if finding is not None:
                findings.append(finding)
        skipped = "" if primary_subtag(self._asked.language) in LANGUAGES else _NEITHER
        return Verdict(tuple(findings), tuple(coverage), skipped)

    def _of_both_ends(self, claim: Claim) -> list[Source]:
        """The sources of a range whose ends are said by different ones; none where one end is not,
        or one source says both, as it does not make a range of them.
        """
        fact = claim.fact
        if fact.low == fact.high or fact.when is not None:
            return []
        sides = [
            [
                page.source
                for page in self._pages
                if look_up(replace(claim, fact=end), page).answer is Answer.SUPPORTED
            ]
            for end in (replace(fact, high=fact.low), replace(fact, low=fact.high))
        ]
        apart = all(sides) and not {s.url for s in sides[0]} & {s.url for s in sides[1]}
        return [*sides[0], *sides[1]] if apart else []


def _finding(
    claim: Claim, matches: Sequence[tuple[Source, Match]], against: Sequence[tuple[Source, Match]]
) -> Finding | None:
    what = f"“{_short(claim.fact.text)}”"
    if against:
        source, match = max(against, key=lambda pair: pair[1].weight)
        return blocker(
            CONTRADICTED, claim.section, _contradiction(claim, what, source, match), claim.fact.span
        )
    if claim.is_advice:
        return None
    elsewhere = next(((s, m) for s, m in matches if m is not SILENT and m.said), None)
    reason = f"No source says {what}. Leave it out, or write what a source says."
    if elsewhere:
        source, match = elsewhere
        reason = (
            f"No source says {what} of this; {source.site} has it of something else:"
            f" “{_short(match.said)}” Leave it out, or write what the source says."
        )
    return blocker(UNSUPPORTED, claim.section, reason, claim.fact.span)


def _exchanged(claim: Claim, pages: Sequence[Page]) -> Finding | None:
    turned = exchange(claim, pages)
    if turned is None:
        return None
    one, other = turned.names
    reason = (
        f"{turned.page.source.site} has “{one}” and “{other}” the other way round:"
        f" “{_short(turned.said)}” Write who did it as the source has it."
    )
    return blocker(CONTRADICTED, claim.section, reason, claim.fact.span)


def _disputed(
    claim: Claim, found: Sequence[Source], against: Sequence[tuple[Source, Match]]
) -> Finding | None:
    """A value that one source has and another has otherwise may be said beside the other one, or
    as what somebody says; by itself it would decide what the sources do not.
    """
    disputes = [pair for pair in against if pair[1].is_dispute]
    if not disputes or claim.is_attributed:
        return None
    source, match = max(disputes, key=lambda pair: pair[1].weight)
    if any(fact.text == match.value for fact in claim.line.facts):
        return None
    reason = (
        f"{found[0].site} says “{_short(claim.fact.text)}”, but {source.site} says"
        f" “{_short(match.value)}”: “{_short(match.said)}” Give both, or say whose figure it is."
    )
    return blocker(DISPUTED, claim.section, reason, claim.fact.span)


def _contradiction(claim: Claim, what: str, source: Source, match: Match) -> str:
    said = f"“{_short(match.said)}”"
    if claim.fact.kind is Kind.NAME:
        return f"No source has the name {what}; {source.site} has {said}. Write it so."
    if claim.fact.kind is Kind.QUOTATION:
        if match.value == "somebody else's words":
            return (
                f"{source.site} gives the words {what} to somebody else: {said} Name who said them."
            )
        return f"{what} is not word for word what {source.site} has: {said} Quote it so."
    return (
        f"{what} is not what {source.site} says; there it is “{_short(match.value)}”:"
        f" {said} Write what the source says."
    )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_SAID else f"{text[: _MAX_SAID - 1]}…"
