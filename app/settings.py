"""The settings, from environment variables. docs/operations.md lists them."""

import json
import os
import re
import stat
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails

from app.core.billing.costs import FREE, Budget, Micros, Price, parse_dollars, parse_prices
from app.core.feed.rule import QUEUE_CAP, SchedulePolicy

DEFAULT_REMOTE_MODEL = "gpt-5-mini"
NO_EDITOR = "off"
LOCAL_MODEL = "local"
# After the drain time, cancelled work ends within this time.
GRACE_SECONDS = 15.0

# The SDK and the connectors read these. They are ignored here instead of rejected as unknown.
_OTHERS = frozenset(
    {
        "COPYDESK_API_KEY",
        "COPYDESK_BASE_URL",
        "COPYDESK_FEED_URL",
        "COPYDESK_PROXY",
        "COPYDESK_WEBHOOK_SECRET",
    }
)
_OWN = "COPYDESK_"
# NAME_FILE names a file that contains the value of the secret setting NAME.
_FILE = "_FILE"
_MAX_SECRET_BYTES = 64 * 1024
_PORT = r"[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5]"
_HOST_AND_PORT = re.compile(rf"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.\-]+):({_PORT})")
# The default address of `run`.
DEFAULT_PUBLIC_URL = "http://127.0.0.1:8000"
# The members of a call that no operator can change.
_OWN_MEMBERS = frozenset({"model", "messages", "stream"})
# Parameters of an address whose values are secret.
_SECRET_PARAMETER = re.compile(r"key|token|sig|secret|code", re.IGNORECASE)
# The messages for pydantic's types of errors. All bounds are whole numbers.
_PROBLEMS = {
    "int_parsing": "must be a whole number",
    "float_parsing": "must be a number",
    "bool_parsing": "must be on or off",
    "greater_than": "must be more than {gt:,.0f}",
    "greater_than_equal": "must be at least {ge:,.0f}",
    "less_than_equal": "must be at most {le:,.0f}",
    "literal_error": "must be {expected}",
}
_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off", ""})


class SettingsError(Exception):
    """A setting is invalid. The message names it and says what is allowed."""


class Settings(BaseModel):
    """The settings. Each field's alias is the environment variable that sets it."""

    model_config = ConfigDict(
        alias_generator=lambda name: _OWN + name.upper(),
        frozen=True,
        populate_by_name=True,
        extra="forbid",
    )

    data_dir: Path = Path("var")
    # These two often contain a password.
    database_url: SecretStr | None = None
    redis_url: SecretStr | None = None
    public_url: str | None = None

    openai_api_key: Annotated[SecretStr | None, Field(alias="OPENAI_API_KEY")] = None
    openai_base_url: Annotated[str | None, Field(alias="OPENAI_BASE_URL")] = None
    model: str | None = None
    model_concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    model_rest_seconds: Annotated[float, Field(gt=0, le=3600)] = 30.0
    model_timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = 300.0
    model_temperature: Annotated[float | None, Field(ge=0, le=2)] = None
    model_answer_tokens: Annotated[int | None, Field(ge=500, le=128_000)] = None
    model_context_tokens: Annotated[int | None, Field(ge=2_000, le=10_000_000)] = None
    # A JSON object, read by ``extra_body``; settings must be hashable.
    model_body: str | None = None
    # A model of the same endpoint; by default the one that writes.
    editor_model: str | None = None
    # The validation of these needs the fields of the endpoint, which must precede them.
    moderation_model: str | None = None
    fallback_api_key: SecretStr | None = None
    fallback_base_url: str | None = None
    fallback_model: Annotated[str | None, Field(validate_default=True)] = None
    # Pairs, so that settings can be a key of a cache.
    model_prices: tuple[tuple[str, Price], ...] = ()
    # Its validation needs the names and prices of models, which must precede it.
    spend_cap: Micros | None = None
    model_cache: Path = Path("~/.cache/copydesk")
    # Internal: the process that starts the local model passes its address to other processes.
    local_model_url: str | None = None
    local_model_key: SecretStr | None = None

    generation_timeout_seconds: Annotated[float, Field(gt=0, le=7200)] = 540.0
    drafts: Annotated[int, Field(ge=1, le=3)] = 2
    workers: Annotated[int, Field(ge=1, le=64)] = 2

    generate_places: Annotated[int, Field(ge=1, le=512)] = 48
    calls_per_account: Annotated[int, Field(ge=1, le=10_000)] = 24
    drain_seconds: Annotated[float, Field(ge=1, le=3600)] = 120.0

    heartbeat_file: Path | None = None
    backup_dir: Path | None = None

    trusted_proxies: Annotated[int, Field(ge=0, le=10)] = 0

    schedule: Literal["frequent", "restricted"] = "frequent"
    tick_seconds: Annotated[float, Field(gt=0, le=86400)] = 900.0
    queue_cap: Annotated[int, Field(ge=1, le=10_000)] = QUEUE_CAP
    webhook_allow_private: bool = False

    # The URL of a feed can hold a key.
    source_feeds: tuple[SecretStr, ...] = ()
    searxng_url: str | None = None
    brave_api_key: SecretStr | None = None
    tavily_api_key: SecretStr | None = None
    sources_allow_private: bool = False
    sources_seconds: Annotated[float, Field(gt=0, le=600)] = 60.0
    sources_fresh_hours: Annotated[float, Field(gt=0, le=8760)] = 72.0
    sources_cache_minutes: Annotated[float, Field(ge=60, le=43_200)] = 60.0

    # Host and port, read by ``metrics_host_and_port``.
    metrics_address: str | None = None
    # Internal: the command passes the folder in which its processes count to them.
    metrics_folder: Path | None = None
    # The OpenTelemetry packages read these, and all their other variables, themselves.
    otlp_endpoint: Annotated[str | None, Field(alias="OTEL_EXPORTER_OTLP_ENDPOINT")] = None
    otlp_headers: Annotated[SecretStr | None, Field(alias="OTEL_EXPORTER_OTLP_HEADERS")] = None

    debug_block: bool = False
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["text", "json"] = "text"

    @field_validator("debug_block", "sources_allow_private", "webhook_allow_private", mode="before")
    @classmethod
    def _switch(cls, value: object) -> object:
        if isinstance(value, str) and value.lower() in _TRUE | _FALSE:
            return value.lower() in _TRUE
        return value

    @field_validator(
        "openai_base_url", "fallback_base_url", "public_url", "local_model_url", "searxng_url"
    )
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        if "@" in urlsplit(value).netloc:
            # The URL is logged with every call. Keys have their own variables.
            raise ValueError("must not contain a user name or password")
        # Imported here, because most commands run without any address.
        from pydantic import AnyHttpUrl, TypeAdapter

        try:
            TypeAdapter(AnyHttpUrl).validate_python(value)
        except ValidationError:
            raise ValueError(
                "must be a complete URL, such as https://copydesk.example.com"
            ) from None
        return value.rstrip("/")

    @field_validator("metrics_address")
    @classmethod
    def _host_and_port(cls, value: str | None) -> str | None:
        if value is not None and not _HOST_AND_PORT.fullmatch(value):
            raise ValueError("must be a host and a port, such as 127.0.0.1:9464 or [::1]:9464")
        return value

    @field_validator("model_body")
    @classmethod
    def _body(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            members = json.loads(value)
        except (ValueError, RecursionError):
            members = None
        if not isinstance(members, dict):
            raise ValueError('must be a JSON object, such as {"enable_thinking": false}')
        if own := _OWN_MEMBERS & members.keys():
            raise ValueError(f"must not contain {' or '.join(sorted(own))}, which Copydesk sets")
        return value

    @field_validator("moderation_model")
    @classmethod
    def _needs_an_endpoint(cls, value: str | None, info: ValidationInfo) -> str | None:
        endpoint = info.data.get("openai_api_key") or info.data.get("openai_base_url")
        if value is not None and endpoint is None:
            raise ValueError(
                "needs OPENAI_API_KEY or OPENAI_BASE_URL; local models do not moderate"
            )
        return value

    @field_validator("fallback_api_key", "fallback_base_url")
    @classmethod
    def _needs_a_first(cls, value: object, info: ValidationInfo) -> object:
        endpoint = info.data.get("openai_api_key") or info.data.get("openai_base_url")
        if value is not None and endpoint is None:
            raise ValueError(
                "needs OPENAI_API_KEY or OPENAI_BASE_URL; the local model has no fall-back"
            )
        return value

    @field_validator("fallback_model")
    @classmethod
    def _of_the_fallback(cls, value: str | None, info: ValidationInfo) -> str | None:
        fallback = info.data.get("fallback_api_key") or info.data.get("fallback_base_url")
        if value is None and fallback is not None:
            raise ValueError("must name the model of the fall-back endpoint")
        if value is not None and fallback is None:
            raise ValueError("needs COPYDESK_FALLBACK_API_KEY or COPYDESK_FALLBACK_BASE_URL")
        return value

    @field_validator("model_prices", mode="before")
    @classmethod
    def _prices(cls, value: object) -> object:
        return tuple(parse_prices(value).items()) if isinstance(value, str) else value

    @field_validator("spend_cap", mode="before")
    @classmethod
    def _dollars(cls, value: object) -> object:
        return parse_dollars(value) if isinstance(value, str) else value

    @field_validator("spend_cap")
    @classmethod
    def _needs_prices(cls, value: int | None, info: ValidationInfo) -> int | None:
        data = info.data
        if value is None or not (data.get("openai_api_key") or data.get("openai_base_url")):
            return value
        missing = _unpriced(data)
        if missing:
            raise ValueError(
                f"needs the price of {' and '.join(missing)} in COPYDESK_MODEL_PRICES; without it,"
                " nothing is counted towards the cap"
            )
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
        # Providers print these schemes; the driver is ours to choose.
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

    @field_validator(
        "openai_api_key", "fallback_api_key", "local_model_key", "brave_api_key", "tavily_api_key"
    )
    @classmethod
    def _header_value(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[!-~]+", value.get_secret_value()):
            raise ValueError("must be printable ASCII without spaces; check the copied value")
        return value

    @property
    def sqlalchemy_url(self) -> str:
        """The URL of the database; SQLite in the data folder by default."""
        if self.database_url is None:
            return f"sqlite:///{(self.data_dir / 'copydesk.db').resolve()}"
        return self.database_url.get_secret_value()

    @property
    def metrics_host_and_port(self) -> tuple[str, int] | None:
        """Where the metrics are served; None if nowhere."""
        if self.metrics_address is None:
            return None
        host, _, port = self.metrics_address.rpartition(":")
        return host.strip("[]"), int(port)

    @property
    def schedule_policy(self) -> SchedulePolicy:
        """How often rules run on this deployment, and how many items can be pending."""
        return SchedulePolicy(daily=self.schedule == "restricted", queue_cap=self.queue_cap)

    @property
    def budget(self) -> Budget:
        """The prices of models, and the cap of the installation. The local model is free."""
        local = {} if self.has_endpoint else {LOCAL_MODEL: FREE}
        return Budget({**local, **dict(self.model_prices)}, self.spend_cap)

    @property
    def unpriced_models(self) -> list[str]:
        """The names of the models in use that have no price."""
        if not self.has_endpoint:
            return []
        return _unpriced(vars(self))

    @property
    def has_endpoint(self) -> bool:
        """Whether a model endpoint is configured; otherwise the local model is used."""
        return self.openai_base_url is not None or self.openai_api_key is not None

    @property
    def is_local(self) -> bool:
        """Whether the local model writes."""
        return not self.has_endpoint and self.local_model_url is not None

    @property
    def extra_body(self) -> dict[str, Any]:
        """Further members of each call to the model endpoint."""
        return dict(json.loads(self.model_body)) if self.model_body else {}

    @property
    def has_sources(self) -> bool:
        """Whether any source provider is configured."""
        return bool(
            self.source_feeds or self.searxng_url or self.brave_api_key or self.tavily_api_key
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that log lines must not contain: keys, passwords and secrets in queries of URLs."""
        keys = (
            self.openai_api_key,
            self.fallback_api_key,
            self.local_model_key,
            self.brave_api_key,
            self.tavily_api_key,
        )
        found = [key.get_secret_value() for key in keys if key is not None]
        for url in (self.database_url, self.redis_url):
            if url is not None and (password := urlsplit(url.get_secret_value()).password):
                found += [password, unquote(password)]
        for feed in self.source_feeds:
            query = urlsplit(feed.get_secret_value()).query
            found += [query, *(value for _, value in parse_qsl(query))]
        for address in filter(None, (self.openai_base_url, self.fallback_base_url)):
            pairs = parse_qsl(urlsplit(address).query)
            found += [value for name, value in pairs if _SECRET_PARAMETER.search(name)]
        if self.otlp_headers is not None:
            headers = self.otlp_headers.get_secret_value().split(",")
            found += [each.partition("=")[2].strip() for each in headers]
        return tuple(found)

    @classmethod
    def secret_names(cls) -> list[str]:
        """Return the variables of the secret settings. Each can be set by a file: NAME_FILE."""
        return [
            str(field.alias)
            for field in cls.model_fields.values()
            if SecretStr in _types_in(field.annotation)
        ]

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Return the settings of an environment. An empty variable counts as unset.

        Raises:
            SettingsError: A value is invalid, or a COPYDESK_ variable is unknown.
        """
        env = os.environ if environ is None else environ
        known = {str(field.alias) for field in cls.model_fields.values()}
        files = {f"{name}{_FILE}" for name in cls.secret_names()}
        given = {key: value for key, value in env.items() if key in known and value != ""}
        for key in sorted(files & env.keys()):
            name = key.removesuffix(_FILE)
            if env[key] == "":
                continue
            if name in given:
                raise SettingsError(f"{key}: {name} is set as well; set only one of them")
            given[name] = _secret_of(key, Path(env[key]))
        known |= files
        for key in sorted(env):
            if key.startswith(_OWN) and key not in known and key not in _OTHERS:
                close = get_close_matches(key, known, n=1)
                meant = f"; did you mean {close[0]}?" if close else ""
                raise SettingsError(f"{key} is not a setting of Copydesk{meant}")
        try:
            return cls.model_validate(given)
        except ValidationError as invalid:
            error = invalid.errors(include_url=False, include_input=False)[0]
            # A default that is invalid is reported under the name of its field.
            name = str(error["loc"][0])
            name = str(cls.model_fields[name].alias) if name in cls.model_fields else name
            raise SettingsError(f"{name}: {_problem(error)}") from None


def _types_in(annotation: object) -> set[object]:
    """Return a type with those that it is made of."""
    return {annotation}.union(*(_types_in(part) for part in get_args(annotation)))


def _secret_of(name: str, file: Path) -> str:
    """Return the text of the file that a NAME_FILE variable names, without white space around it.

    Raises:
        SettingsError: The file cannot be read, is empty, is too large, or everybody can read it.
    """
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            text = opened.read(_MAX_SECRET_BYTES + 1).decode().strip()
    except OSError as error:
        raise SettingsError(f"{name}: {file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{name}: {file} is not text in UTF-8") from None
    if mode & stat.S_IROTH:
        raise SettingsError(
            f"{name}: every user of this machine can read {file}; run `chmod o= {file}`"
        )
    if not text or len(text) > _MAX_SECRET_BYTES:
        raise SettingsError(f"{name}: {file} must contain the value, at most 64 KiB")
    return text


def _unpriced(data: Mapping[str, Any]) -> list[str]:
    """Return the names of the models in use at the endpoint that have no price, each once."""
    writer = data.get("model") or DEFAULT_REMOTE_MODEL
    editor = data.get("editor_model")
    names = [writer, *([editor] if editor and editor != NO_EDITOR else [])]
    names += [name for key in ("moderation_model", "fallback_model") if (name := data.get(key))]
    priced = dict(data.get("model_prices", ()))
    return [name for name in dict.fromkeys(names) if name not in priced]


def _problem(error: ErrorDetails) -> str:
    """Return what is wrong with a value, in the words of this project if it has some."""
    if form := _PROBLEMS.get(error["type"]):
        return form.format_map(error.get("ctx", {}))
    text = str(error["msg"]).removeprefix("Value error, ")
    return f"{text[0].lower()}{text[1:]}"
