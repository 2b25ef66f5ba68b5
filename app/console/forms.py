"""Forms of a request for a post: what they send, what they show, and what is wrong with them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from app.core.billing.costs import parse_dollars
from app.core.errors import ServiceError, ValidationFailed
from app.services.costs import NO_CAP

_TEXTS = {
    "topic": "Topic",
    "language": "Language",
    "region": "Region",
    "tone": "Tone",
    "targetAudience": "Audience",
    "brandVoice": "Brand voice",
    "industry": "Industry",
    "targetUrl": "Target page",
    "factualityMode": "Facts",
}
_NUMBERS = {
    "minWords": "Words, at least",
    "maxWords": "Words, at most",
    "maxSections": "Sections, at most",
}
_CHOICES = {"keywordUsageStrategy": "Keyword usage"}
_SWITCHES = {
    "includeFAQs": "Questions and answers",
    "includeInternalLinksPlaceholders": "Places for internal links",
}
_LABELS = {
    "keywords": "Keywords",
    "name": "Name",
    "every": "A post every",
    "currentEvent": "Current events",
    "plan": "Plan",
    "url": "URL",
    "spendCap": "Spend cap",
    **_TEXTS,
    **_NUMBERS,
    **_CHOICES,
    **_SWITCHES,
}
# The member that an error is about, at the beginning of its message.
_MEMBER = re.compile(r"(?:generateRequest\.)?(?:constraints\.)?(\w+)(?:\[(\d+)\])?(?=\W|$)")


def members(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the members of a GenerateRequest that a form sent; an empty field is None, which
    removes the member of a rule.

    Raises:
        ValidationFailed: a number is not one.
    """
    lines = sent.get("keywords", "").splitlines()
    found: dict[str, Any] = {"keywords": [line.strip() for line in lines if line.strip()]}
    found |= {name: sent.get(name, "").strip() or None for name in _TEXTS}
    limits: dict[str, Any] = {name: _number(sent, name) for name in _NUMBERS}
    limits |= {name: sent.get(name, "").strip() or None for name in _CHOICES}
    limits |= {name: bool(sent.get(name)) for name in _SWITCHES}
    return {**found, "constraints": limits}


def spend_cap(sent: Mapping[str, str]) -> int:
    """Return the cap that a form sent, in micro-dollars; an empty field removes it.

    Raises:
        ValidationFailed: it is not an amount.
    """
    text = sent.get("spendCap", "").strip()
    if not text:
        return NO_CAP
    try:
        return parse_dollars(text)
    except ValueError as error:
        raise ValidationFailed(f"spendCap {error}.", {"field": "spendCap"}) from None


def given(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return members without those that are None or False."""
    return {
        name: given(value) if isinstance(value, dict) else value
        for name, value in found.items()
        if value not in (None, False, {})
    }


def _number(sent: Mapping[str, str], name: str) -> int | None:
    text = sent.get(name, "").strip()
    if not text:
        return None
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise ValidationFailed(
            f"{name} must be a whole number; it is “{text[:40]}”.", {"field": name}
        )
    return int(text)


def values(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the fields of a form show of a stored request."""
    flat = {**request, **request.get("constraints", {})}
    return {**flat, "keywords": "\n".join(request.get("keywords", ()))}


def shown(request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the label and the value of each member of a stored request, except its keywords."""
    flat = {**request, **request.get("constraints", {})}
    for name in (*_TEXTS, *_NUMBERS, *_CHOICES, *_SWITCHES):
        value = flat.get(name)
        if value not in (None, False, ""):
            yield _LABELS[name], "yes" if value is True else str(value)


def in_words(error: ServiceError) -> str:
    """Return what is wrong, with the label of the field instead of the member's name."""
    field = str((error.details or {}).get("field", ""))
    found = _MEMBER.match(error.operator)
    if found is None or found[1] not in _LABELS or found[1] not in field:
        return error.operator
    number = f", line {int(found[2]) + 1}," if found[2] else ""
    return f"“{_LABELS[found[1]]}”{number}{error.operator[found.end() :]}"
