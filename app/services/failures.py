"""What a failed post means for a person: what happened, and what to change so that the next one is
written. Findings are told to the model; nobody else should have to read them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LARGER = "Try again; if it happens often, use a larger model."
_SOURCES = "Add sources in the settings, or choose keywords that your sources cover."
# What a check objects to, what to do, and whether that is a change of the form. "" stands for the
# first sentence of the finding, which has the numbers, and {} for what it quotes first.
_CHECKS: dict[str, tuple[str, str, bool]] = {
    "too_short": (
        "",
        "Lower “Words, at least”, or add sources and keywords that give it more to say.",
        True,
    ),
    "too_long": ("", "Raise “Words, at most”, or ask for fewer sections.", True),
    "too_many_sections": ("", "Raise “Sections, at most”, or leave it empty.", True),
    "faq_count": (
        "The questions and answers came out wrong.",
        "Turn off “Questions and answers”, or raise “Words, at most”.",
        True,
    ),
    "keyword_missing": (
        "The post never used the keyword {}.",
        "Change the keywords, set “Keyword usage” to natural, or use a larger model.",
        True,
    ),
    "keyword_overused": ("", "Set “Keyword usage” to natural.", True),
    "language": (
        "The model wrote in another language than it was asked to.",
        "Check “Language”, or use a model that knows it.",
        True,
    ),
    "copied_from_source": ("The post repeats a source word for word.", _LARGER, False),
    "figure": ("A figure of the post is in none of the sources.", _SOURCES, False),
    "quotation": ("A quotation of the post is in none of the sources.", _SOURCES, False),
    "unsupported_claim": (
        "The sources do not support a statement of the post.",
        "Add sources about the subject, or set “Facts” to standard.",
        True,
    ),
    "originality": (
        "The post repeats an earlier one.",
        "Add keywords, or set another “Topic”.",
        True,
    ),
}
_READER = (
    "The reader of this service found the post too weak to publish.",
    "Say more in “Topic” and “Audience”, add sources, or use a larger model.",
    True,
)
_CHECKS |= dict.fromkeys(("editor", "reader", "reader_mark"), _READER)
_OTHERS = ("The model made a mistake in the post that it could not correct.", _LARGER, False)
_CODES = {
    "PROHIBITED_INPUT": ("The model declined these keywords.", "Change them or the topic.", True),
    "GENERATION_TIMEOUT": (
        "The model was too slow to finish the post in time.",
        "Lower “Words, at most”, or use a faster model.",
        True,
    ),
    "RATE_LIMITED": (
        "The account has too few words left this month.",
        "Change its plan, or wait for the next month.",
        False,
    ),
}
_NO_ANSWER = (
    "The model, or the search for sources, could not be used.",
    "Try again; if it fails again, run `copydesk-server doctor`, which calls both.",
    False,
)
_QUOTED = re.compile(r"“.*?”", re.DOTALL)
_FIRST = re.compile(r".+?\.(?=\s|$)", re.DOTALL)


@dataclass(frozen=True)
class Failure:
    """Why a post was not written, and what to do: sentences for an operator. ``in_form`` is whether
    the remedy is a change of the request."""

    what: str
    remedy: str
    in_form: bool


def explain(error: Mapping[str, Any], model_problem: str = "") -> Failure:
    """Return what the stored error of a job or a run means.

    Args:
        model_problem: what is wrong with the model now; "" if nothing.
    """
    code, message = str(error.get("code", "")), str(error.get("message", ""))
    details = error.get("details") or {}
    if findings := details.get("findings"):
        check, reason = (str(findings[0].get(name, "")) for name in ("check", "reason"))
        return _of_finding(check, reason)
    if code == "SERVICE_UNAVAILABLE" and model_problem:
        return Failure(model_problem, "Then try again.", False)
    if code == "SERVICE_UNAVAILABLE" and not error.get("isForOperator"):
        # What customers are told does not say which of them it was, or why.
        return Failure(*_NO_ANSWER)
    if code == "CONTENT_QUALITY_FAILED":  # without a post that has findings
        return Failure(message, _SOURCES, True)
    return Failure(*_CODES.get(code, (message, "", code == "VALIDATION_ERROR")))


def _of_finding(check: str, reason: str) -> Failure:
    what, remedy, in_form = _CHECKS.get(check, _OTHERS)
    quoted = _QUOTED.search(reason)
    return Failure(what.format(quoted[0] if quoted else "") or _first(reason), remedy, in_form)


def _first(text: str) -> str:
    """Return the first sentence; the others are orders to the model."""
    found = _FIRST.match(text)
    return found[0] if found else text
