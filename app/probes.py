"""Calls that show whether the model and the sources of some settings work, for `doctor` and for the
console, which makes them before it saves the settings."""

from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPException

from app.adapters.pages import HttpPageReader
from app.container import NO_MODEL, find_local_model, pick_mail_sender, pick_models, pick_providers
from app.core.errors import OperatorError, ServiceError
from app.deadline import Deadline
from app.ports import MailUnavailable, SourceProvider, SourcesUnavailable
from app.settings import Settings
from app.settings.service_address import opened
from app.writing.completion import Prompt

# How long the answer to a few words may take.
_MODEL_SECONDS = 60.0
_ADDRESS_SECONDS = 5.0
_SETTING_OF = {
    "feeds": "COPYDESK_SOURCE_FEEDS",
    "SearXNG": "COPYDESK_SEARXNG_URL",
    "Brave Search": "COPYDESK_BRAVE_API_KEY",
    "Tavily": "COPYDESK_TAVILY_API_KEY",
}
_ASKED = Prompt("You answer in one word.", "Is this a question? Answer yes or no.", purpose="check")


def ask_model(settings: Settings) -> str:
    """Ask the model something, and return a sentence about what answers.

    Raises:
        OperatorError: it does not answer; the message says why and what to do.
    """
    if find_local_model(settings):
        return "It is the local model, which starts with the service."
    if not settings.has_endpoint and settings.local_model_url is None:
        raise OperatorError(NO_MODEL)
    quick = min(settings.model_timeout_seconds, _MODEL_SECONDS)
    model, _ = pick_models(settings.model_copy(update={"model_timeout_seconds": quick}))
    try:
        model.ping()
        # An endpoint that lists its models may still refuse a call, or answer without a text.
        model.complete(_ASKED, Deadline(2 * quick))
    except ServiceError as error:
        is_default = settings.openai_base_url is None
        hint = "OPENAI_BASE_URL is not set, so the OpenAI API is used. " if is_default else ""
        raise OperatorError(f"{hint}{error.operator}") from None
    return f"The endpoint answers; {model.name} writes."


def source_checks(settings: Settings) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the name of each source, and a function that asks it, which returns a sentence or
    raises OperatorError. Each feed of the operator's list is a source of its own."""
    if not settings.has_sources:
        return
    reader = HttpPageReader(settings.sources_allow_private)
    for number, url in enumerate(settings.source_feeds, 1):
        alone = settings.model_copy(update={"source_feeds": (url,)})
        yield f"source {number}", partial(_search, pick_providers(alone, reader)[0])
    others = settings.model_copy(update={"source_feeds": ()})
    for provider in pick_providers(others, reader):
        yield provider.name, partial(_search, provider)


def ask_sources(settings: Settings) -> None:
    """Ask each source something.

    Raises:
        OperatorError: one does not answer; the message names its site, and says why.
    """
    for _, ask in source_checks(settings):
        ask()


def ask_address(settings: Settings) -> None:
    """Look whether a service answers at the public address.

    Raises:
        OperatorError: none does.
    """
    url = settings.public_url
    if url is None:
        return
    try:
        with opened(url, "/healthz", _ADDRESS_SECONDS):
            return
    except (OSError, HTTPException):
        raise OperatorError(f"Seen from this machine, no Copydesk answers at {url}.") from None


def ask_mail(settings: Settings) -> None:
    """Send a message to the address that reminders come from.

    Raises:
        OperatorError: the mail server does not take it.
    """
    send, sender = pick_mail_sender(settings), settings.mail_from
    if send is None or sender is None:
        return
    try:
        is_taken = send(sender, "Copydesk can send e-mails", "This is a test.")
    except MailUnavailable as error:
        told = str(error)
        raise OperatorError(f"{told[0].upper()}{told[1:]}. Check COPYDESK_SMTP_URL.") from None
    if not is_taken:
        raise OperatorError(f"The mail server takes no message to {sender}.")


def _search(provider: SourceProvider) -> str:
    try:
        provider.search("news", "en", 1)
    except SourcesUnavailable as error:
        raise OperatorError(f"{error} Check {_SETTING_OF[provider.name]}.") from None
    return "It answers."
