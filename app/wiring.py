"""The composition root: the one place that picks who answers each port."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock

from flask import Flask, current_app
from pydantic import SecretStr

from app.adapters.http_webhooks import HttpWebhookSender
from app.adapters.rate_limits import LimitsRateLimiter
from app.adapters.system_clock import SystemClock
from app.adapters.thread_queue import ThreadQueue
from app.core.completion import Completion, Prompt
from app.core.errors import ModelUnavailable
from app.ports import (
    Clock,
    Model,
    Moderator,
    RateLimiter,
    SourceProvider,
    TaskQueue,
    WebhookSender,
)
from app.services.authoring import WritingOptions
from app.services.sources import Research
from app.settings import Settings

_EXTENSION = "copydesk"
DEFAULT_REMOTE_MODEL = "gpt-5-mini"
LOCAL_MODEL = "local"
NO_MODEL = (
    "There is no model: set OPENAI_API_KEY, or OPENAI_BASE_URL for another OpenAI-compatible"
    " endpoint, or run `copydesk-server model pull` once to use the local model."
)


@dataclass
class Ports:
    """What the services are handed."""

    settings: Settings
    make_model: Callable[[], Model]
    clock: Clock
    queue: TaskQueue
    limiter: RateLimiter
    sender: WebhookSender
    _model: Model | None = None
    _research: Research | None = None
    _moderator: Moderator | None = None
    _making: Lock = field(default_factory=Lock)

    @property
    def model(self) -> Model:
        """Made when it is first asked for: loading its client takes as long as most commands."""
        with self._making:
            self._model = self._model or self.make_model()
            return self._model

    @property
    def research(self) -> Research | None:
        """Where sources come from, None if nowhere; made when it is first asked for, as is the
        model."""
        if not self.settings.has_sources:
            return None
        with self._making:
            self._research = self._research or pick_research(self.settings)
            return self._research

    @property
    def moderator(self) -> Moderator | None:
        """None where requests are not moderated; made when it is first asked for."""
        with self._making:
            self._moderator = self._moderator or pick_moderator(self.settings)
            return self._moderator

    @property
    def options(self) -> WritingOptions:
        return WritingOptions(
            self.settings.generation_timeout_seconds,
            self.settings.drafts,
            research=lambda: self.research,
            moderator=lambda: self.moderator,
        )


class NoModel(Model):
    """Stands where no model is configured: everything but writing works."""

    name = "none"
    concurrency = 1

    def complete(self, prompt: Prompt) -> Completion:
        raise ModelUnavailable(NO_MODEL)

    def ping(self) -> None:
        raise ModelUnavailable(NO_MODEL)


def attach(app: Flask, settings: Settings, *, model: Model | None = None) -> None:
    """Put the ports on the app; a test may bring its own model."""
    app.extensions[_EXTENSION] = Ports(
        settings=settings,
        make_model=lambda: model or pick_model(settings),
        clock=SystemClock(),
        queue=pick_queue(settings),
        limiter=LimitsRateLimiter(_reveal_url(settings.redis_url)),
        sender=HttpWebhookSender(allow_private=settings.webhook_allow_private),
    )


def ports() -> Ports:
    """The current app's ports."""
    found: Ports = current_app.extensions[_EXTENSION]
    return found


def pick_queue(settings: Settings) -> TaskQueue:
    """RQ where there is a Redis, else threads that look into the database."""
    if settings.redis_url is None:
        return ThreadQueue()
    # Imported here: a process without Redis has no use for it.
    from app.adapters.rq_queue import RqQueue

    return RqQueue(settings.redis_url.get_secret_value())


def pick_research(settings: Settings) -> Research:
    """Every source provider that is configured."""
    # Imported here: what reads pages takes a second to load.
    from app.adapters.brave_sources import BraveSources
    from app.adapters.pages import HttpPageReader
    from app.adapters.rss_sources import RssSources
    from app.adapters.searxng_sources import SearxngSources
    from app.adapters.tavily_sources import TavilySources

    reader = HttpPageReader(settings.sources_allow_private)
    feeds = [url.get_secret_value() for url in settings.source_feeds]
    providers: list[SourceProvider] = []
    if feeds:
        providers.append(RssSources(feeds, reader))
    if settings.searxng_url is not None:
        providers.append(SearxngSources(settings.searxng_url))
    if settings.brave_api_key is not None:
        providers.append(BraveSources(settings.brave_api_key.get_secret_value()))
    if settings.tavily_api_key is not None:
        providers.append(TavilySources(settings.tavily_api_key.get_secret_value()))
    return Research(
        providers,
        reader,
        seconds=settings.sources_seconds,
        cached_for=timedelta(minutes=settings.sources_cache_minutes),
        fresh_for=timedelta(hours=settings.sources_fresh_hours),
    )


def pick_model(settings: Settings) -> Model:
    """A configured endpoint, else the local model where it is running, else none."""
    # Imported here: most commands have no use for it.
    from app.adapters.local_model import PARALLEL
    from app.adapters.openai_model import OpenAIModel

    if settings.has_endpoint:
        return OpenAIModel(
            base_url=settings.openai_base_url,
            api_key=_reveal(settings.openai_api_key),
            model=settings.model or DEFAULT_REMOTE_MODEL,
            timeout_seconds=settings.model_timeout_seconds,
            concurrency=settings.model_concurrency,
        )
    if settings.local_model_url is not None:
        return OpenAIModel(
            base_url=settings.local_model_url,
            api_key=_reveal(settings.local_model_key),
            model=LOCAL_MODEL,
            timeout_seconds=settings.model_timeout_seconds,
            concurrency=PARALLEL,
            llama_cpp=True,
        )
    return NoModel()


def pick_moderator(settings: Settings) -> Moderator | None:
    """The moderation call of the model's endpoint, where a model for it is set."""
    if settings.moderation_model is None:
        return None
    # Imported here: most deployments have no use for it.
    from app.adapters.openai_moderation import OpenAIModerator

    return OpenAIModerator(
        base_url=settings.openai_base_url,
        api_key=_reveal(settings.openai_api_key),
        model=settings.moderation_model,
    )


def _reveal_url(url: SecretStr | None) -> str | None:
    return url.get_secret_value() if url else None


def _reveal(key: SecretStr | None) -> str:
    """The key itself; the client wants some text even where the endpoint wants none."""
    return key.get_secret_value() if key else "none"
