"""Command options for the members of a GenerateRequest."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from app.core.errors import ValidationFailed

F = TypeVar("F", bound=Callable[..., Any])

# Each option, the member that it sets, and its help.
_OPTIONS = (
    ("--topic", "topic", "What the post is about, beyond the keywords."),
    ("--language", "language", "BCP 47 code, such as en or de."),
    ("--region", "region", "ISO 3166-1 code, such as US."),
    ("--tone", "tone", "professional, friendly or bold."),
    ("--target-audience", "targetAudience", "Who the post is for."),
    ("--brand-voice", "brandVoice", "How the brand sounds."),
    ("--industry", "industry", "The industry the post is about."),
    ("--target-url", "targetUrl", "The page that the post leads readers to."),
    ("--factuality-mode", "factualityMode", "standard or verified; verified requires sources."),
)
_CONSTRAINTS = (
    ("--max-words", "maxWords", "Maximum words of a post."),
    (
        "--min-words",
        "minWords",
        "Minimum words of a post; at least 50 below the maximum. Default: half of the maximum.",
    ),
    ("--max-sections", "maxSections", "Maximum sections in the body of a post."),
    ("--keyword-usage", "keywordUsageStrategy", "natural, balanced or exact."),
    ("--faqs/--no-faqs", "includeFAQs", "Add questions and answers; requires 150 words or more."),
    (
        "--internal-links/--no-internal-links",
        "includeInternalLinksPlaceholders",
        "Mark places for links to related pages of the site.",
    ),
)
_NUMBERS = frozenset({"maxWords", "minWords", "maxSections"})
# The option that sets each member, in the commands that have it.
_OPTION_OF = {member: option.partition("/")[0] for option, member, _ in _OPTIONS + _CONSTRAINTS} | {
    "keywords": "--keyword",
    "every": "--every",
    "currentEvent": "--current-event",
}
# A member in one word is recognized only where errors name it: at their beginning.
_MEMBER = re.compile(
    rf"(?:^|\b(?=\w*[A-Z]))(?:constraints\.)?({'|'.join(_OPTION_OF)})\b(?:\[\d+\])?"
)


def request_options(command: F) -> F:
    """Add options for the members of a GenerateRequest to a command."""
    for option, member, text in reversed(_OPTIONS + _CONSTRAINTS):
        kind = int if member in _NUMBERS else None
        command = click.option(option, member, type=kind, default=None, help=text)(command)
    return command


def request_members(keywords: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the GenerateRequest members given on the command line. An empty text becomes None,
    which removes the member."""
    request = {
        member: (value or None) if isinstance(value, str) else value
        for member, value in options.items()
        if value is not None
    }
    limits = {member: request.pop(member) for _, member, _ in _CONSTRAINTS if member in request}
    if limits:
        request["constraints"] = limits
    if keywords:
        request["keywords"] = list(keywords)
    return request


@contextmanager
def options_in_errors() -> Iterator[None]:
    """Name options, not members of the request, in a ValidationFailed of the block."""

    def named(text: str) -> str:
        return _MEMBER.sub(lambda found: _OPTION_OF[found[1]], text)

    try:
        yield
    except ValidationFailed as error:
        told = named(error.operator)
        raise ValidationFailed(named(error.message), error.details, operator=told) from None
