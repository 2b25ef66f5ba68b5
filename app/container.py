"""The composition root: the only place that chooses an adapter for each port."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from flask import Flask, current_app
from pydantic import SecretStr

from app.adapters.http_webhooks import send_webhook
from app.adapters.thread_queue import ThreadQueue
from app.core.credentials import fingerprint
from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.ports import Clock, MailSender, Model, Moderator, RateLimiter, SourceProvider, TaskQueue
from app.services.context import Context, WritingOptions
from app.services.operators import SetupCode
from app.services.readiness import Readiness, fault_elsewhere
from app.settings import DEFAULT_REMOTE_MODEL, LOCAL_MODEL, NO_EDITOR, Settings
from app.sources.source import DEFAULT_SOURCE_TOKENS
from app.store import database, postgresql
from app.writing.completion import Completion, Prompt

if TYPE_CHECKING:
    from app.adapters.openai_client import Connection
    from app.adapters.pages import HttpPageReader
    from app.services.sources import Research

log = logging.getLogger(__name__)

NO_MODEL = (
    "There is no model: name an OpenAI-compatible endpoint in the console or with"
    " `copydesk-server init`, or run `copydesk-server model pull` once to use the local model."
)


@dataclass
class Services:
    """What the composition root holds for a process. ``setup_code`` lets a visitor create the first
    operator; None if nobody may."""

    settings: Settings
    context: Context
    readiness: Readiness = field(default_factory=Readiness)
    setup_code: SetupCode | None = None
    # Has the service go on with other settings, or raises an error and changes nothing; None if it
    # runs as several commands.
    change: Callable[[Settings], None] | None = None

    def use(self, settings: Settings) -> None:
        """Do what begins from now on with these settings; what has begun ends with the earlier
        ones. The database, the queue and the limits of calls stay as they are."""
        context = _with_settings(self.context, settings)
        self.settings, self.context, self.readiness = settings, context, Readiness()

    def health(self, *, patient: bool = False) -> tuple[dict[str, str], dict[str, str]]:
        """Return the state of each port for operators, and what is wrong with those that have a
        fault; ``patient`` as in ``Readiness.report``."""
        ports = dict(self.readiness.report(self.context, patient=patient))
        reasons = dict(self.readiness.reasons())
        # What a call met a moment ago, and the seconds of a rest, are newer than the last answer.
        here = str(self.context.model.state() or "") or reasons.get("model")
        if said := here or fault_elsewhere(self.context):
            reasons["model"] = said
        if reasons.get("model") == NO_MODEL:
            ports["model"] = "none set"
        return ports, reasons


def services() -> Services:
    """Return those of the current Flask application."""
    found: Services = current_app.extensions["copydesk"]
    return found


class NoModel(Model):
    """The model if none is configured: everything except writing works."""

    name = "none"

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        raise ModelUnavailable(
            "This service has no language model yet. Its operator must set one.", operator=NO_MODEL
        )

    def ping(self) -> None:
        raise ModelUnavailable(operator=NO_MODEL)


# Most adapters are imported where they are created: they take a command longer than its work.


def build(
    settings: Settings, app: Flask | None = None, *, model: Model | None = None, writes: bool = True
) -> Services:
    """Bind the database to the application, or to a bare one, and create the adapters.

    Args:
        model: writes and reads posts instead of the configured one, in tests.
        writes: whether posts are written; without, the context has no model.
    """
    database.bind(settings.sqlalchemy_url, app)
    limiter = RateLimiter()
    if app is not None:  # only calls by HTTP are limited
        from app.adapters.rate_limits import LimitsRateLimiter

        limiter = LimitsRateLimiter(_reveal(settings.redis_url))
    on_server = database.engine().name == "postgresql"
    context = Context(
        clock=Clock(postgresql.now) if on_server else Clock(),
        queue=pick_queue(settings),
        limiter=limiter,
        send_webhook=partial(send_webhook, allow_private=settings.webhook_allow_private),
        model=NoModel(),
        options=WritingOptions(settings.generation_timeout_seconds),
        policy=settings.schedule_policy,
        tick_seconds=settings.tick_seconds,
        backups=settings.backup_dir,
        folders=folders(settings),
    )
    context = _with_settings(context, settings, model, writes=writes)
    code = settings.setup_code
    return Services(
        settings, context, setup_code=SetupCode(code.get_secret_value()) if code else None
    )


def _with_settings(
    context: Context, settings: Settings, model: Model | None = None, *, writes: bool = True
) -> Context:
    """Return the context with what can be changed while the service runs. A model that stays keeps
    what is known of its health."""
    writer, model_hash = context.model, _hash_of_model(settings)
    research = pick_research(settings) if settings.has_sources else None
    options = replace(context.options, research=research)
    if writes and model_hash != context.model_hash:
        writer, editor = (model, model) if model else pick_models(settings)
        options = replace(
            options,
            drafts=1 if settings.is_local else settings.drafts,
            is_local=settings.is_local,
            source_tokens=partial(pick_source_tokens, settings, writer),
            editor=editor,
            moderator=pick_moderator(settings),
        )
    return replace(
        context,
        model=writer,
        options=options,
        budget=settings.budget,
        model_hash=model_hash,
        send_mail=pick_mail_sender(settings),
    )


def _hash_of_model(settings: Settings) -> str:
    given = (
        settings.openai_base_url,
        _reveal(settings.openai_api_key),
        settings.local_model_url,
        settings.model,
        settings.editor_model,
    )
    return fingerprint(repr(given))


def folders(settings: Settings) -> tuple[Path, ...]:
    """Return where a process writes."""
    return settings.data_dir, settings.model_cache.expanduser(), Path(gettempdir())


def pick_mail_sender(settings: Settings) -> MailSender | None:
    """Return what sends e-mails, if a mail server is configured."""
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    from app.adapters.smtp_mailer import send_mail

    return partial(send_mail, settings.smtp_url.get_secret_value(), settings.mail_from)


def pick_queue(settings: Settings) -> TaskQueue:
    """Return RQ if Redis is configured, else threads that poll the database."""
    if settings.redis_url is None:
        return ThreadQueue()
    from app.adapters.rq_queue import RqQueue

    return RqQueue(settings.redis_url.get_secret_value())


def pick_providers(settings: Settings, reader: "HttpPageReader") -> "list[SourceProvider]":
    """Return every configured source provider; ``reader`` reads feeds."""
    from app.adapters.rss_sources import RssSources
    from app.adapters.web_search import BraveSources, SearxngSources, TavilySources

    providers: list[SourceProvider] = []
    if settings.source_feeds:
        feeds = [url.get_secret_value() for url in settings.source_feeds]
        providers.append(RssSources(feeds, reader))
    if settings.searxng_url is not None:
        providers.append(SearxngSources(settings.searxng_url))
    if settings.brave_api_key is not None:
        providers.append(BraveSources(settings.brave_api_key.get_secret_value()))
    if settings.tavily_api_key is not None:
        providers.append(TavilySources(settings.tavily_api_key.get_secret_value()))
    return providers


def pick_research(settings: Settings) -> "Research":
    """Return where sources come from: every configured source provider, and the reader of pages."""
    from app.adapters.pages import HttpPageReader
    from app.services.sources import Research

    reader = HttpPageReader(settings.sources_allow_private)
    fresh_for = timedelta(hours=settings.sources_fresh_hours)
    return Research(pick_providers(settings, reader), reader, fresh_for=fresh_for)


def pick_models(settings: Settings) -> tuple[Model, Model | None]:
    """Return the model that writes, and the one that edits and reads drafts; None if nobody does.

    The writer is the configured endpoint's model, else the local model if it is running, else
    NoModel. It also edits, unless another model of the endpoint is set. A small model finds no real
    faults, so the local model does not edit.
    """
    if not settings.has_endpoint:
        return _local_model(settings), None
    from app.adapters.openai_model import OpenAIModel

    # All models of an endpoint share its connection, and with it what is known of its health.
    at_endpoint = partial(
        OpenAIModel,
        _connection(
            settings,
            timeout_seconds=settings.model_timeout_seconds,
            concurrency=settings.model_concurrency,
        ),
        extra_body=settings.extra_body,
    )
    writer = at_endpoint(settings.model or DEFAULT_REMOTE_MODEL)
    if settings.editor_model == NO_EDITOR:
        return writer, None
    return writer, at_endpoint(settings.editor_model) if settings.editor_model else writer


def find_local_model(settings: Settings) -> Path | None:
    """Return the weights of the local model if these settings have the service start it."""
    if settings.has_endpoint or settings.local_model_url is not None:
        return None
    from app.adapters import local_model

    return local_model.find(settings.model_cache.expanduser())


@contextmanager
def with_local_model(settings: Settings) -> Iterator[Settings]:
    """Yield the settings, with a local model that runs as long as the block if they ask for it.

    Raises:
        ModelUnavailable: it did not start; the message says why and what to do.
    """
    path = find_local_model(settings)
    if path is None:
        yield settings
        return
    from app.adapters.local_model import local_model

    with local_model(path) as local:
        yield settings.at_local_model(local.base_url, SecretStr(local.api_key))


def _local_model(settings: Settings) -> Model:
    if settings.local_model_url is None:
        return NoModel()
    from app.adapters import local_model
    from app.adapters.openai_client import Connection
    from app.adapters.openai_errors import SettingNames
    from app.adapters.openai_model import OpenAIModel

    connection = Connection(
        settings.local_model_url,
        _reveal(settings.local_model_key) or "",
        settings.model_timeout_seconds,
        concurrency=local_model.PARALLEL,
        names=SettingNames(url="the log", endpoint="The local model"),
    )
    return OpenAIModel(connection, LOCAL_MODEL, local_model.SAMPLING | settings.extra_body)


def _connection(settings: Settings, **options: Any) -> "Connection":
    from app.adapters.openai_client import Connection

    rest = settings.model_rest_seconds
    key = _reveal(settings.openai_api_key) or ""
    return Connection(settings.openai_base_url, key, rest_seconds=rest, **options)


def pick_source_tokens(settings: Settings, model: Model) -> int:
    """Return how many tokens the sources may have in one prompt: half of the model's context, the
    rest of which is for drafts and answer. Of a context that nobody set, at most
    ``DEFAULT_SOURCE_TOKENS``."""
    if settings.model_context_tokens is not None:
        return settings.model_context_tokens // 2
    from app.adapters.local_model import CONTEXT_TOKENS

    context = CONTEXT_TOKENS if settings.is_local else model.context_tokens()
    return min(DEFAULT_SOURCE_TOKENS, context // 2) if context else DEFAULT_SOURCE_TOKENS


def pick_moderator(settings: Settings) -> Moderator | None:
    """Return the moderation call of the model's endpoint, if a model for it is configured."""
    if settings.moderation_model is None:
        return None
    from app.adapters.openai_errors import SettingNames
    from app.adapters.openai_moderation import SECONDS, flagged

    names = SettingNames(model="COPYDESK_MODERATION_MODEL")
    connection = _connection(settings, timeout_seconds=SECONDS, names=names)
    return partial(flagged, connection, settings.moderation_model)


def _reveal(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
