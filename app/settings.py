"""Settings: the one place that reads the environment. docs/operations.md lists them."""

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AnyHttpUrl,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from app.core.rule import QUEUE_CAP, SchedulePolicy

# The SDK and the connectors read these; they are nothing that the service could mistake.
_OTHERS = frozenset({"COPYDESK_API_KEY", "COPYDESK_BASE_URL", "COPYDESK_FEED_URL"})
_OWN = "COPYDESK_"
_HTTP_URL = TypeAdapter(AnyHttpUrl)
_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off", ""})


class SettingsError(Exception):
    """A setting that the service cannot start with; the message says which and what is right."""


class Settings(BaseModel):
    """Every field's alias is the environment variable that sets it."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="forbid")

    data_dir: Annotated[Path, Field(alias="COPYDESK_DATA_DIR")] = Path("var")
    # These two often hold a password.
    database_url: Annotated[SecretStr | None, Field(alias="COPYDESK_DATABASE_URL")] = None
    redis_url: Annotated[SecretStr | None, Field(alias="COPYDESK_REDIS_URL")] = None
    public_url: Annotated[str, Field(alias="COPYDESK_PUBLIC_URL")] = "http://127.0.0.1:8000"

    openai_api_key: Annotated[SecretStr | None, Field(alias="OPENAI_API_KEY")] = None
    openai_base_url: Annotated[str | None, Field(alias="OPENAI_BASE_URL")] = None
    model: Annotated[str | None, Field(alias="COPYDESK_MODEL")] = None
    model_concurrency: Annotated[int, Field(alias="COPYDESK_MODEL_CONCURRENCY", ge=1, le=64)] = 4
    model_timeout_seconds: Annotated[
        float, Field(alias="COPYDESK_MODEL_TIMEOUT_SECONDS", gt=0, le=3600)
    ] = 300.0
    # Read after the two that it needs.
    moderation_model: Annotated[str | None, Field(alias="COPYDESK_MODERATION_MODEL")] = None
    model_cache: Annotated[Path, Field(alias="COPYDESK_MODEL_CACHE")] = Path("~/.cache/copydesk")
    # The process that starts the local model tells the others by these two.
    local_model_url: Annotated[str | None, Field(alias="COPYDESK_LOCAL_MODEL_URL")] = None
    local_model_key: Annotated[SecretStr | None, Field(alias="COPYDESK_LOCAL_MODEL_KEY")] = None

    generation_timeout_seconds: Annotated[
        float, Field(alias="COPYDESK_GENERATION_TIMEOUT_SECONDS", gt=0, le=7200)
    ] = 540.0
    drafts: Annotated[int, Field(alias="COPYDESK_DRAFTS", ge=1, le=10)] = 3
    workers: Annotated[int, Field(alias="COPYDESK_WORKERS", ge=1, le=64)] = 2

    trusted_proxies: Annotated[int, Field(alias="COPYDESK_TRUSTED_PROXIES", ge=0, le=10)] = 0

    schedule: Annotated[Literal["frequent", "restricted"], Field(alias="COPYDESK_SCHEDULE")] = (
        "frequent"
    )
    tick_seconds: Annotated[float, Field(alias="COPYDESK_TICK_SECONDS", gt=0, le=86400)] = 900.0
    queue_cap: Annotated[int, Field(alias="COPYDESK_QUEUE_CAP", ge=1, le=10_000)] = QUEUE_CAP
    webhook_allow_private: Annotated[bool, Field(alias="COPYDESK_WEBHOOK_ALLOW_PRIVATE")] = False

    # Feeds can have a key in their URLs.
    source_feeds: Annotated[tuple[SecretStr, ...], Field(alias="COPYDESK_SOURCE_FEEDS")] = ()
    searxng_url: Annotated[str | None, Field(alias="COPYDESK_SEARXNG_URL")] = None
    brave_api_key: Annotated[SecretStr | None, Field(alias="COPYDESK_BRAVE_API_KEY")] = None
    tavily_api_key: Annotated[SecretStr | None, Field(alias="COPYDESK_TAVILY_API_KEY")] = None
    sources_allow_private: Annotated[bool, Field(alias="COPYDESK_SOURCES_ALLOW_PRIVATE")] = False
    sources_seconds: Annotated[float, Field(alias="COPYDESK_SOURCES_SECONDS", gt=0, le=600)] = 60.0
    sources_fresh_hours: Annotated[
        float, Field(alias="COPYDESK_SOURCES_FRESH_HOURS", gt=0, le=8760)
    ] = 72.0
    sources_cache_minutes: Annotated[
        float, Field(alias="COPYDESK_SOURCES_CACHE_MINUTES", ge=60, le=43_200)
    ] = 60.0

    debug_block: Annotated[bool, Field(alias="COPYDESK_DEBUG_BLOCK")] = False
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Field(alias="COPYDESK_LOG_LEVEL")
    ] = "info"

    @field_validator("debug_block", "sources_allow_private", "webhook_allow_private", mode="before")
    @classmethod
    def _switch(cls, value: object) -> object:
        if isinstance(value, str) and value.lower() in _TRUE | _FALSE:
            return value.lower() in _TRUE
        return value

    @field_validator("openai_base_url", "public_url", "local_model_url", "searxng_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        if value is not None and "@" in urlsplit(value).netloc:
            # It would be logged with every call; keys have variables of their own.
            raise ValueError("must not hold a user name or password")
        if value is not None:
            _HTTP_URL.validate_python(value)
        return value.rstrip("/") if value else value

    @field_validator("moderation_model")
    @classmethod
    def _needs_an_endpoint(cls, value: str | None, info: ValidationInfo) -> str | None:
        endpoint = info.data.get("openai_api_key") or info.data.get("openai_base_url")
        if value is not None and endpoint is None:
            raise ValueError("needs OPENAI_API_KEY or OPENAI_BASE_URL: no local model moderates")
        return value

    @field_validator("source_feeds", mode="before")
    @classmethod
    def _list(cls, value: object) -> object:
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("source_feeds")
    @classmethod
    def _feeds(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        for url in value:
            cls._address(url.get_secret_value())
        return value

    @field_validator("database_url")
    @classmethod
    def _database(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None:
            return None
        scheme, colon, rest = value.get_secret_value().partition("://")
        # What providers and other tools print is taken as it is; the driver is ours to choose.
        if scheme in {"postgres", "postgresql"}:
            scheme = "postgresql+psycopg"
        if not colon or scheme not in {"sqlite", "postgresql+psycopg"}:
            raise ValueError("must begin with postgresql:// or sqlite:///")
        return SecretStr(f"{scheme}://{rest}")

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: SecretStr | None) -> SecretStr | None:
        schemes = ("redis://", "rediss://", "unix://")
        if value is not None and not value.get_secret_value().startswith(schemes):
            raise ValueError(f"must begin with {', '.join(schemes[:-1])} or {schemes[-1]}")
        return value

    @field_validator("openai_api_key", "local_model_key", "brave_api_key", "tavily_api_key")
    @classmethod
    def _header_value(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[!-~]+", value.get_secret_value()):
            raise ValueError("must be printable ASCII without spaces: check how it was copied")
        return value

    @property
    def sqlalchemy_url(self) -> str:
        """The database; SQLite in the data folder unless another is set."""
        if self.database_url is None:
            return f"sqlite:///{(self.data_dir / 'copydesk.db').resolve()}"
        return self.database_url.get_secret_value()

    @property
    def schedule_policy(self) -> SchedulePolicy:
        """What rules may do on this deployment."""
        return SchedulePolicy(daily=self.schedule == "restricted", queue_cap=self.queue_cap)

    @property
    def has_endpoint(self) -> bool:
        """Whether a model endpoint is configured; otherwise the local model serves."""
        return self.openai_base_url is not None or self.openai_api_key is not None

    @property
    def has_sources(self) -> bool:
        """Whether there is anywhere to look for sources."""
        return bool(
            self.source_feeds or self.searxng_url or self.brave_api_key or self.tavily_api_key
        )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the environment. An empty variable is as good as none.

        Raises:
            SettingsError: a value is wrong, or a COPYDESK_ variable has no meaning.
        """
        env = os.environ if environ is None else environ
        known = {str(field.alias): name for name, field in cls.model_fields.items()}
        given = {key: value for key, value in env.items() if key in known and value != ""}
        for key in sorted(env):
            if key.startswith(_OWN) and key not in known and key not in _OTHERS:
                close = get_close_matches(key, known, n=1)
                meant = f"; did you mean {close[0]}?" if close else ""
                raise SettingsError(f"{key} is not a setting of Copydesk{meant}")
        try:
            return cls.model_validate(given)
        except ValidationError as invalid:
            error = invalid.errors(include_url=False, include_input=False)[0]
            problem = str(error["msg"]).removeprefix("Value error, ")
            raise SettingsError(f"{error['loc'][0]}: {problem[0].lower()}{problem[1:]}") from None
