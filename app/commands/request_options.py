"""Command options for the members of a GenerateRequest."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

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
