"""Forms of a request for a post: what they send, what they show, and what is wrong with them."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from app.core.billing.costs import parse_dollars
from app.core.billing.plan import Plan
from app.core.errors import ServiceError, ValidationFailed
from app.core.feed.review import Policy
from app.core.schemas.bodies import parse
from app.core.schemas.request import GenerateRequest, check_plan
from app.services.costs import NO_CAP

_TEXTS = {
    "topic": "Topic",
    "targetAudience": "Audience",
    "industry": "Industry",
    "targetUrl": "Target page",
    "language": "Language",
    "region": "Region",
    "tone": "Tone",
    "brandVoice": "Brand voice",
    "factualityMode": "Facts",
}
LOCAL_LENGTHS = {"minWords": 150, "maxWords": 400}
"""What a form proposes if the local model writes, which seldom reaches more."""
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
FOLDED = (*_TEXTS, "maxSections", *_CHOICES, *_SWITCHES)
"""The fields that a form shows folded, unless one of them is set or wrong."""
# In the order of the forms.
_LABELS = {
    "keywords": "Keywords",
    **_NUMBERS,
    "every": "A post every",
    "name": "Name",
    "currentEvent": "Current events",
    "plan": "Plan",
    "url": "URL",
    "spendCap": "Spend cap",
    "review": "Review",
    "hours": "Hold it for, in hours",
    "then": "After that",
    "email": "E-mail",
    "title": "Title",
    "description": "Description",
    "text": "Text",
    **_TEXTS,
    **_CHOICES,
    **_SWITCHES,
    "code": "Code",
    "password": "Password",
    "openai_base_url": "Address of the model",
    "openai_api_key": "API key",
    "model": "Name of the model",
    "model_prices": "Prices",
    "spend_cap": "Cap a month",
    "source_feeds": "Feeds and pages",
    "searxng_url": "SearXNG",
    "brave_api_key": "Brave Search",
    "tavily_api_key": "Tavily",
    "public_url": "Public address",
    "smtp_url": "Mail server",
    "mail_from": "Sender",
}
# Names of members within a sentence.
_NAMES = re.compile(rf"\b(?:{'|'.join(name for name in _LABELS if not name.islower())})\b")
_ORDER = {name: number for number, name in enumerate(_LABELS)}
# A member of a request: its name, and the number of its entry.
_MEMBER = re.compile(r"(?:\w+(?:\[\d+\])?\.)*(\w+)(?:\[(\d+)\])?")


def members(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the members of a GenerateRequest that a form sent; an empty field is None, which
    removes the member of a rule. Text in place of a number stays text, for the request to
    refuse."""
    lines = sent.get("keywords", "").splitlines()
    found: dict[str, Any] = {"keywords": [line.strip() for line in lines if line.strip()]}
    found |= {name: sent.get(name, "").strip() or None for name in _TEXTS}
    limits: dict[str, Any] = {name: _number(sent, name) for name in _NUMBERS}
    limits |= {name: sent.get(name, "").strip() or None for name in _CHOICES}
    limits |= {name: bool(sent.get(name)) for name in _SWITCHES}
    return {**found, "constraints": limits}


def request(sent: Mapping[str, str], plan: Plan) -> dict[str, Any]:
    """Return the same, of a request that can be written under a plan.

    Raises:
        ValidationFailed: it cannot; details list every fault.
    """
    found = members(sent)
    limits = found["constraints"]
    length = "maxWords" if limits["maxWords"] else "minWords"
    # Alone as well: another fault shall not hide what the plan says of it.
    alone = {"keywords": ["any"], "constraints": {length: limits[length]}}
    checked(
        lambda: parse(GenerateRequest, given(found)),
        lambda: check_plan(parse(GenerateRequest, alone), plan),
    )
    return found


def checked(*parts: Callable[[], Any]) -> tuple[Any, ...]:
    """Return what the parts of a form hold.

    Raises:
        ValidationFailed: some are wrong; details list the faults of all of them.
    """
    results, failed = [], list[ValidationFailed]()
    for part in parts:
        try:
            results.append(part())
        except ValidationFailed as error:
            failed.append(error)
    if not failed:
        return tuple(results)
    errors = [entry for error in failed for entry in _entries(error)]
    raise ValidationFailed(failed[0].message, {**errors[0], "errors": errors})


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


def review_policy(sent: Mapping[str, str]) -> Policy:
    """Return the review of a feed that a form sent.

    Raises:
        ValidationFailed: fields are wrong.
    """
    hours = _number(sent, "hours")
    hours = 0 if isinstance(hours, str) else hours  # which is refused as well
    email = sent.get("email", "").strip() or None
    return Policy(sent.get("review", "none"), hours, sent.get("then") or None, email)


def given(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return members without those that are None or False."""
    return {
        name: given(value) if isinstance(value, dict) else value
        for name, value in found.items()
        if value not in (None, False, {})
    }


def _number(sent: Mapping[str, str], name: str) -> int | str | None:
    text = sent.get(name, "").strip()
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else text[:40] or None


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


def faults(error: ServiceError) -> dict[str, str]:
    """Return what is wrong with the fields of a form, in their order: for each name a sentence that
    stands beside the field. Empty if the error is about no field."""
    found: dict[str, list[str]] = {}
    for entry in _entries(error):
        member = _MEMBER.fullmatch(str(entry.get("field") or ""))
        if member is None:
            continue
        line = f"line {int(member[2]) + 1} " if member[2] else ""
        told = _NAMES.sub(lambda name: f"“{_LABELS[name[0]]}”", f"{line}{entry['problem']}")
        told = f"{told.rstrip('.')}."
        sentences = found.setdefault(member[1], [])
        if told not in sentences:
            sentences.append(told)
    shown = {name: " ".join(each[:1].upper() + each[1:] for each in found[name]) for name in found}
    return dict(sorted(shown.items(), key=lambda fault: _ORDER.get(fault[0], len(_ORDER))))


def _entries(error: ServiceError) -> list[dict[str, Any]]:
    """Return the faults that an error is about, each with ``field`` and ``problem``."""
    details = error.details or {}
    if "errors" in details:
        return list(details["errors"])
    field = str(details.get("field", ""))
    # The message begins with the member, unless it is a sentence of its own.
    problem = details.get("problem") or error.operator.removeprefix(field).lstrip(": ")
    return [{**details, "field": field, "problem": problem}]


def label(name: str) -> str:
    """Return what a field is called."""
    return _LABELS.get(name, name)
