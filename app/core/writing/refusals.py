"""Recognize answers in which a model declines the task instead of doing it.

A refusal opens the answer and mentions the writer ("I", "we") and the task. A post about refusals
mentions others, or gets to the subject later, so only the opening of a text is checked.
"""

import re
from functools import cache

from app.core.languages import get_language, known_tags

# An object instead of the words: {"error": "I cannot …"}, {"refusal": "…"}.
_OBJECT = re.compile(r'\{\s*"(?P<key>refusal|refused|error|message)"\s*:\s*"(?P<words>[^"]{1,400})')
# A text that opens with what somebody says, and goes on.
_QUOTED = re.compile(r"""\s{0,20}(?:["“„][^"“”\n]{1,300}["”“]|«[^»\n]{1,300}»)\s{0,5}\w""")
# Reasons for which endpoints say that an answer ended, when it is not one.
_REASONS = frozenset(
    {
        "content_filter", "content_filtered", "refusal", "safety", "prohibited_content",
        "blocklist", "spii", "guardrail_intervened", "moderation", "recitation",
    }
)  # fmt: skip


@cache
def _refusal(tags: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for refusals in any language: models may decline in another language."""
    refusals = (spoken.refusals for tag in tags if (spoken := get_language(tag)))
    return re.compile("|".join(f"(?:{each.pattern})" for each in refusals if each), re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Return whether a model's text explicitly declines the task instead of doing it."""
    if _QUOTED.match(text):
        return False
    opening = text.lstrip(" \t\r\n\"'“„«*_>¡¿")
    if opening.startswith("{") and (found := _OBJECT.match(opening)):
        return found["key"] in {"refusal", "refused"} or bool(
            _refusal(known_tags()).match(found["words"])
        )
    return bool(_refusal(known_tags()).match(opening))


def is_refusal_reason(finish_reason: str | None) -> bool:
    """Return whether an endpoint's finish reason means that the model declined."""
    return finish_reason is not None and finish_reason.lower() in _REASONS
