"""What the fake service refuses, with the words of the real one.

It knows the types, bounds and choices of the interface. The real service also refuses invisible
characters and knows every language and country.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from copydesk.testing._errors import Refused

Problem = dict[str, Any]
Check = Callable[[Any, str], list[Problem]]

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_URL = re.compile(r"https?://[^/?#\s]+\S*", re.IGNORECASE)
_HTTPS_URL = re.compile(r"https://[^/?#\s]+\S*", re.IGNORECASE)
_MIN_WORDS = _WORDS_APART = 50
_FAQS_FROM_WORDS = 150


def require_generate(body: Any) -> None:
    """Require a valid body of POST /v1/generate.

    Raises:
        Refused: VALIDATION_ERROR.
    """
    _require(_GENERATE(body, ""))


def require_job(body: Any) -> None:
    """Require a valid body of POST /v1/jobs.

    Raises:
        Refused: VALIDATION_ERROR.
    """
    _require(_JOB(body, ""))
    url = (body.get("webhook") or {}).get("url")
    if url is not None and not _HTTPS_URL.fullmatch(url):
        _require([_problem("webhook.url", "must begin with https://")])


def require_check(body: Any) -> None:
    """Require a valid body of POST /v1/check.

    Raises:
        Refused: VALIDATION_ERROR.
    """
    _require(_CHECK(body, ""))


def require_plan(request: Mapping[str, Any], name: str, most: int) -> None:
    """Require that a plan allows a request; ``most`` is its maximum of words per request.

    Raises:
        Refused: VALIDATION_ERROR.
    """
    limits = request.get("constraints") or {}
    for member, allowed in (("maxWords", most), ("minWords", most - _WORDS_APART)):
        value = limits.get(member)
        if value is not None and value > allowed:
            raise Refused(
                "VALIDATION_ERROR",
                f"constraints.{member} must be at most {allowed} on the plan {name}; it is"
                f" {value}.",
                {"field": f"constraints.{member}", "maxAllowed": allowed, "received": value},
            )


def _require(problems: list[Problem]) -> None:
    if problems:
        first = problems[0]
        details = {**first, "errors": problems} if len(problems) > 1 else first
        message = f"{first['field'] or 'The body'} {first['problem']}."
        raise Refused("VALIDATION_ERROR", message, details)


def _problem(field: str, problem: str, *received: Any, **bounds: Any) -> Problem:
    found = {"field": field, **bounds, "problem": problem}
    for value in received:
        number = isinstance(value, (int, float)) and abs(value) < 1e40
        text = isinstance(value, str) and len(value) <= 100 and value.isprintable()
        if number or text:
            found["received"] = value
    return found


def _any_text(value: Any, field: str) -> list[Problem]:
    return [] if isinstance(value, str) else [_problem(field, "must be a string", value)]


def _text(most: int, *, filled: bool = False, wordy: bool = False) -> Check:
    def check(value: Any, field: str) -> list[Problem]:
        if not isinstance(value, str):
            return [_problem(field, "must be a string", value)]
        value = value.strip()
        if filled and not value:
            return [_problem(field, "must not be empty", value)]
        if len(value) > most:
            problem = f"must be at most {most} characters long; it is {len(value)}"
            return [_problem(field, problem, value)]
        if wordy and not any(char.isalnum() for char in value):
            return [_problem(field, "must contain a letter or a digit", value)]
        return []

    return check


def _pattern(pattern: re.Pattern[str], problem: str) -> Check:
    def check(value: Any, field: str) -> list[Problem]:
        if not isinstance(value, str):
            return [_problem(field, "must be a string", value)]
        return [] if pattern.fullmatch(value.strip()) else [_problem(field, problem, value)]

    return check


def _choice(*allowed: str) -> Check:
    def check(value: Any, field: str) -> list[Problem]:
        if value in allowed:
            return []
        problem = f"must be one of {', '.join(allowed)}"
        return [_problem(field, problem, value, allowed=list(allowed))]

    return check


def _number(least: int, most: float = float("inf")) -> Check:
    def check(value: Any, field: str) -> list[Problem]:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole:
            return [_problem(field, "must be a whole number", value)]
        if value < least:
            return [_problem(field, f"must be at least {least}", value, minAllowed=least)]
        if value > most:
            return [_problem(field, f"must be at most {most}", value, maxAllowed=most)]
        return []

    return check


def _flag(value: Any, field: str) -> list[Problem]:
    return [] if isinstance(value, bool) else [_problem(field, "must be true or false", value)]


def _list(entry: Check, least: int = 0, most: int | None = None) -> Check:
    def check(value: Any, field: str) -> list[Problem]:
        if not isinstance(value, list):
            return [_problem(field, "must be an array", value)]
        if len(value) < least:
            entries = "entry" if least == 1 else "entries"
            return [_problem(field, f"must have at least {least} {entries}", minAllowed=least)]
        if most is not None and len(value) > most:
            return [_problem(field, f"must have at most {most} entries", maxAllowed=most)]
        return [each for n, one in enumerate(value) for each in entry(one, f"{field}[{n}]")]

    return check


def _object(
    members: Mapping[str, Check],
    required: Iterable[str] = (),
    together: Check = lambda value, field: [],
) -> Check:
    def check(value: Any, field: str) -> list[Problem]:
        if not isinstance(value, dict):
            return [_problem(field, "must be a JSON object", value)]
        found: list[Problem] = []
        for name, member in members.items():
            path = f"{field}.{name}" if field else name
            if value.get(name) is not None:
                found += member(value[name], path)
            elif name in required:
                found.append(_problem(path, "is required"))
        return found or together(value, field)

    return check


def _constraints(value: Any, field: str) -> list[Problem]:
    high, low = value.get("maxWords"), value.get("minWords")
    if high is None:
        return []
    if low is not None and low > high - _WORDS_APART:
        problem = f"must be at least {_WORDS_APART} below maxWords, which is {high}"
        return [_problem(f"{field}.minWords", problem, low)]
    if value.get("includeFAQs") and high < _FAQS_FROM_WORDS:
        problem = f"needs maxWords of {_FAQS_FROM_WORDS} or more; it is {high}"
        return [_problem(f"{field}.includeFAQs", problem, True)]
    return []


_FREE_TEXT = _text(500)
_KEY = _text(255, filled=True)
_TYPE = _choice("json", "markdown", "html")
_KEYWORD = _text(100, filled=True, wordy=True)
_LANGUAGE_TAG = _pattern(_LANGUAGE, "must be a BCP 47 language code, such as en, de or pt-BR")
_CHECK = _object(
    {
        "text": _any_text,
        "title": _FREE_TEXT,
        "language": _LANGUAGE_TAG,
        "keywords": _list(_KEYWORD, 0, 20),
    },
    ["text"],
)
_GENERATE = _object(
    {
        "keywords": _list(_KEYWORD, 1, 20),
        "topic": _FREE_TEXT,
        "language": _LANGUAGE_TAG,
        "region": _pattern(
            re.compile("[A-Za-z]{2}"),
            "must be an ISO 3166-1 alpha-2 region code, such as US or DE",
        ),
        "tone": _choice("professional", "friendly", "bold"),
        "targetAudience": _FREE_TEXT,
        "brandVoice": _FREE_TEXT,
        "industry": _FREE_TEXT,
        "targetUrl": _pattern(
            _URL, "must be a complete http or https URL, such as https://example.com/page"
        ),
        "constraints": _object(
            {
                "maxWords": _number(_MIN_WORDS),
                "minWords": _number(_MIN_WORDS),
                "maxSections": _number(1, 20),
                "includeFAQs": _flag,
                "includeInternalLinksPlaceholders": _flag,
                "keywordUsageStrategy": _choice("natural", "balanced", "exact"),
            },
            together=_constraints,
        ),
        "format": _object({"responseTypes": _list(_TYPE)}),
        "factualityMode": _choice("standard", "verified"),
        "clientProvidedRequestId": _FREE_TEXT,
        "idempotencyKey": _KEY,
    },
    ["keywords"],
)
_JOB = _object(
    {
        "generateRequest": _GENERATE,
        "format": _object({"responseTypes": _list(_TYPE, 1, 10)}, ["responseTypes"]),
        "webhook": _object(
            {
                "url": _text(2048, filled=True),
                "events": _list(_choice("job.succeeded", "job.failed"), 1, 10),
            },
            ["url", "events"],
        ),
        "idempotencyKey": _KEY,
    },
    ["generateRequest", "format"],
)
