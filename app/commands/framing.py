"""The members of a GenerateRequest as options of a command."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_TEXT_OPTIONS = {
    "topic": "Framing beyond the keywords.",
    "language": "BCP 47 code, such as en or de.",
    "region": "ISO 3166-1 code, such as US.",
    "tone": "professional, friendly or bold.",
    "target-audience": "Who reads it.",
    "brand-voice": "How the brand speaks.",
    "industry": "The field it is written for.",
    "target-url": "The page that the post is for.",
    "factuality-mode": "standard; verified is refused as long as there are no sources.",
}
_NUMBER_OPTIONS = {
    "max-words": "Most words of a post.",
    "min-words": "Fewest words of a post.",
    "max-sections": "Most sections of a post.",
}
_SWITCHES = {
    "--faqs/--no-faqs": "Add questions and answers.",
    "--internal-links/--no-internal-links": "Places for internal links; without effect yet.",
}
# Members of a GenerateRequest whose option is not spelled like them.
_NAMES = {
    "target_audience": "targetAudience",
    "brand_voice": "brandVoice",
    "target_url": "targetUrl",
    "factuality_mode": "factualityMode",
}
_CONSTRAINTS = {
    "max_words": "maxWords",
    "min_words": "minWords",
    "max_sections": "maxSections",
    "faqs": "includeFAQs",
    "internal_links": "includeInternalLinksPlaceholders",
    "keyword_usage": "keywordUsageStrategy",
}


def framing(command: F) -> F:
    """The members of a GenerateRequest as options."""
    options = [
        *(click.option(f"--{name}", help=text) for name, text in _TEXT_OPTIONS.items()),
        *(click.option(f"--{name}", type=int, help=text) for name, text in _NUMBER_OPTIONS.items()),
        click.option("--keyword-usage", help="natural, balanced or exact."),
        *(click.option(name, default=None, help=text) for name, text in _SWITCHES.items()),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def request_members(keywords: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """The GenerateRequest members that were given on the command line; an empty text is None,
    which takes the member away."""
    given = {
        name: (value or None) if isinstance(value, str) else value
        for name, value in options.items()
        if value is not None
    }
    request: dict[str, Any] = {
        _NAMES.get(name, name): value for name, value in given.items() if name not in _CONSTRAINTS
    }
    constraints = {_CONSTRAINTS[name]: given[name] for name in given if name in _CONSTRAINTS}
    if constraints:
        request["constraints"] = constraints
    if keywords:
        request["keywords"] = list(keywords)
    return request
