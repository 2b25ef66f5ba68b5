"""The settings, from the environment and from `copydesk.toml` in the data folder."""

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
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
INTERNAL = frozenset({"local_model_url", "local_model_key", "metrics_folder"})
# One says where the file is; the packages of OpenTelemetry read the others, as all their variables,
# themselves.
ONLY_VARIABLES = frozenset(
    {"data_dir", "otel_exporter_otlp_endpoint", "otel_exporter_otlp_headers"}
)
# NAME_FILE names a file that contains the value of the secret setting NAME.
_FILE = "_FILE"
_MAX_SECRET_BYTES = 64 * 1024
_PORT = r"[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5]"
_HOST_AND_PORT = re.compile(rf"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.\-]+):({_PORT})")
# The default address of `run`.
DEFAULT_PUBLIC_URL = "http://127.0.0.1:8000"
# The members of a call that no operator can change.
_OWN_MEMBERS = frozenset({"model", "messages", "stream"})
# The parts of a URL that are not secret. One of another form, such as with a password that is not
# escaped, is not shown at all.
_URL = re.compile(
    r"([a-z+]+://)(?:[^@/?#]*@)?((?:\[[^]@/?#]*\]|[^]@/?#:]*)(?::\d+)?(?:/[^@?#]*)?)(?:[?#][^@]*)?"
)
_URLS = frozenset({"database_url", "redis_url", "otel_exporter_otlp_endpoint"})
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


class SettingsError(Exception):
    """A setting is invalid. The message names it and says what is allowed."""


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return name.upper() if name.startswith(("openai_", "otel_")) else _OWN + name.upper()


@dataclass(frozen=True)
class Shown:
    """A setting without what is secret in it. Its origin is default, file or environment."""

    name: str
    value: str
    origin: str

    @property
    def meaning(self) -> str:
        """What the setting means, in one sentence."""
        return summary(self.name)


class Settings(BaseModel):
    """The settings. A field's alias is the environment variable that sets it, and its name sets it
    in the file. The first sentence of its docstring must do alone."""

    model_config = ConfigDict(
        alias_generator=variable,
        frozen=True,
        populate_by_name=True,
        extra="forbid",
    )

    # What was given: as it may be shown, and its origin.
    _given: dict[str, tuple[str, str]] = PrivateAttr(default_factory=dict)

    data_dir: Path = Path("var")
    """The folder of `copydesk.toml` and of the SQLite file."""
    database_url: SecretStr | None = None
    """`postgresql://user:password@host/name`, or `sqlite:////absolute/path.db`. Default: SQLite,
    `copydesk.db` in the data folder."""
    redis_url: SecretStr | None = None
    """`redis://:password@host:6379/0` (or `rediss://`, `unix://`). Workers become processes, and
    rate limits are shared. Default: none: workers are threads."""
    public_url: str | None = None
    """The address in feed URLs and in /v1/docs. If not set, feed URLs use the address of the
    service that `run` or `web` started on the data folder, or `http://127.0.0.1:8000`; /v1/docs
    uses the address it is called at."""

    openai_api_key: SecretStr | None = None
    """The key of the model endpoint."""
    openai_base_url: str | None = None
    """Any OpenAI-compatible endpoint, up to and including `/v1`. It can have a query, such as
    `?api-version=…`; a path of a call at its end, such as `/chat/completions`, is ignored.
    Redirects are not followed. Default: OpenAI, if a key is set."""
    model: str | None = None
    """The name of the model at that endpoint. Default: `gpt-5-mini`."""
    model_concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    """Maximum concurrent calls to a model endpoint in one process; further calls wait. The local
    model always uses 2. A post makes up to three calls at once, so raise this if a web process must
    write several posts at once."""
    model_rest_seconds: Annotated[float, Field(gt=0, le=3600)] = 30.0
    """How long a failing endpoint is not called before the next try. Doubled with each failed try,
    up to four times this. See [When the model fails](operations.md#when-the-model-fails)."""
    model_timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = 300.0
    """The time limit for one model response, from connecting to the last byte. A response larger
    than 4 MiB, or with a text of more than 200,000 characters, is an error."""
    model_temperature: Annotated[float | None, Field(ge=0, le=2)] = None
    """The temperature of all calls. An endpoint that refuses it is called without it. Default: not
    sent; 0.2 for the local model."""
    model_answer_tokens: Annotated[int | None, Field(ge=500, le=128_000)] = None
    """Maximum tokens in one response, thoughts included. Set it if an endpoint ends its responses
    too early without it. If the endpoint allows less, or the model needs more for its thoughts,
    Copydesk sends less or nothing. Default: not sent; 1600 for the local model."""
    model_context_tokens: Annotated[int | None, Field(ge=2_000, le=10_000_000)] = None
    """Maximum tokens in a prompt and its response together. Sources get half of it. If it is not
    set, they get at most 12,000 tokens. Default: what the endpoint's list of models says; 4096 for
    the local model."""
    # Read by ``extra_body``; settings must be hashable.
    model_body: str | None = None
    """Further members of each call to the model endpoint, as a JSON object, such as
    `{"enable_thinking": false}`. Calls contain the model and the messages, and nothing else unless
    you set it. Not sent to the fall-back."""
    editor_model: str | None = None
    """The model, at the same endpoint, that edits and marks drafts, and compares each statement of
    verified posts with their sources. With `off`, nobody does, and the score of a post is at most
    70. The local model has no editor. Default: the model that writes."""
    # The validation of these needs the fields of the endpoint, which must precede them.
    moderation_model: str | None = None
    """Send each request to the endpoint's moderation call first, for example with
    `omni-moderation-latest`. A flagged request fails with PROHIBITED_INPUT. If the call fails,
    nothing is written. Not every endpoint offers this call. Default: none: off."""
    fallback_api_key: SecretStr | None = None
    """The key of the second endpoint."""
    fallback_base_url: str | None = None
    """A second OpenAI-compatible endpoint, which answers while the first fails. See [When the model
    fails](operations.md#when-the-model-fails)."""
    fallback_model: Annotated[str | None, Field(validate_default=True)] = None
    """The name of the model at the second endpoint. Required if one is set."""
    # Pairs, so that settings can be a key of a cache.
    model_prices: tuple[tuple[str, Price], ...] = ()
    """The prices of models in US dollars for a million tokens of the prompt and of the answer, such
    as `gpt-5-mini=0.25/2, gpt-5=1.25/10`. The local model is free. See [What a post
    costs](guides/costs.md). Default: none: money is unknown."""
    # Its validation needs the names and prices of models, which must precede it.
    spend_cap: Micros | None = None
    """The most that calls to models of this installation may cost in a calendar month (UTC), in US
    dollars, such as `200`. Set it for schedulers too. Needs the price of each model in use.
    Accounts and rules have caps of their own."""
    model_cache: Path = Path("~/.cache/copydesk")
    """The folder of the local model's weights."""
    # The process that starts the local model passes its address to other processes.
    local_model_url: str | None = None
    """Internal. Do not set."""
    local_model_key: SecretStr | None = None
    """Internal. Do not set."""

    generation_timeout_seconds: Annotated[float, Field(gt=0, le=7200)] = 540.0
    """The time limit for one post, including model retries and waiting for a place. Keep it below
    the 600 s that the SDK waits; otherwise the SDK retries while the first call still runs."""
    drafts: Annotated[int, Field(ge=1, le=3)] = 2
    """How many drafts of a post are written beside each other. The editor takes the better one,
    with what the others have. The local model always writes 1."""
    workers: Annotated[int, Field(ge=1, le=64)] = 2
    """The number of posts that `run` or one `worker` command writes at once: in threads, or in
    processes with Redis."""

    generate_places: Annotated[int, Field(ge=1, le=512)] = 48
    """The number of `POST /v1/generate` calls that one web process handles at once."""
    calls_per_account: Annotated[int, Field(ge=1, le=10_000)] = 24
    """The number of calls that one account can have in flight in one web process."""
    drain_seconds: Annotated[float, Field(ge=1, le=3600)] = 120.0
    """How long a process continues its calls and jobs after SIGTERM."""

    heartbeat_file: Path | None = None
    """A file that a `worker` or `scheduler` command touches every 10 seconds while its work
    advances. `copydesk-server health` checks it. Each process on a machine needs a file of its
    own."""
    backup_dir: Path | None = None
    """The folder that a timer writes `*.backup` files to every day. With it, `doctor` and the
    [metrics](guides/watching.md) tell how old the newest is. See [Back up](guides/backup.md)."""

    trusted_proxies: Annotated[int, Field(ge=0, le=10)] = 0
    """The number of reverse proxies in front of the service that add to `X-Forwarded-For`. If it is
    too low, all clients share the proxy's address; if it is too high, a client can forge its
    address."""

    schedule: Literal["frequent", "restricted"] = "frequent"
    """`frequent`, or `restricted`: at most one run of a rule per day. Set it to the same value for
    every `web`, `worker` and `scheduler` process. See [The
    schedule](operations.md#the-schedule)."""
    tick_seconds: Annotated[float, Field(gt=0, le=86400)] = 900.0
    """How often the scheduler looks for due rules on the frequent schedule."""
    queue_cap: Annotated[int, Field(ge=1, le=10_000)] = QUEUE_CAP
    """The number of unread items at which a rule stops writing until some are pulled."""
    webhook_allow_private: bool = False
    """Allow webhooks to `http://` and to private addresses. For development only."""

    # The URL of a feed can hold a key.
    source_feeds: tuple[SecretStr, ...] = ()
    """Sources for posts: URLs of RSS or Atom feeds, or of single pages, separated by spaces or
    commas. Keys in these URLs are never logged."""
    searxng_url: str | None = None
    """A SearXNG instance to search, with `json` in its `search.formats`. It may have a private
    address."""
    brave_api_key: SecretStr | None = None
    """The key of Brave Search. Every configured search service is used."""
    tavily_api_key: SecretStr | None = None
    """The key of Tavily. Every configured search service is used."""
    sources_allow_private: bool = False
    """Allow sources at private addresses and on any port. For development only."""
    sources_seconds: Annotated[float, Field(gt=0, le=600)] = 60.0
    """The time limit for searching and reading sources for one post."""
    sources_fresh_hours: Annotated[float, Field(gt=0, le=8760)] = 72.0
    """The maximum age of sources for a current event."""
    sources_cache_minutes: Annotated[float, Field(ge=60, le=43_200)] = 60.0
    """How long a page is reused after it was read."""

    # Host and port, read by ``metrics_host_and_port``.
    metrics_address: str | None = None
    """A host and port, such as `127.0.0.1:9464`, where this command serves metrics for Prometheus.
    Choose an internal address: reading them needs no password. Commands on one machine need one
    each. See [Watch](guides/watching.md). Default: off."""
    # The command passes the folder in which its processes count to them.
    metrics_folder: Path | None = None
    """Internal. Do not set."""
    otel_exporter_otlp_endpoint: str | None = None
    """The URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`, that gets traces over
    OTLP/HTTP. Needs `copydesk-server[otel]`, which the images contain. Its packages read the other
    `OTEL_` variables. See [Traces](guides/watching.md#traces). Default: off."""
    otel_exporter_otlp_headers: SecretStr | None = None
    """Headers for the collector, such as `authorization=Bearer%20…`. Never logged."""

    debug_block: bool = False
    """Add `debug.generationModel` to responses of /v1/generate."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe messages that are logged: `debug`, `info`, `warning` or `error`."""
    log_format: Literal["text", "json"] = "text"
    """`text`, or `json`: one object per line."""

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

    @field_validator("moderation_model", "fallback_api_key", "fallback_base_url")
    @classmethod
    def _needs_an_endpoint(cls, value: object, info: ValidationInfo) -> object:
        endpoint = info.data.get("openai_api_key") or info.data.get("openai_base_url")
        if value is not None and endpoint is None:
            raise ValueError("needs OPENAI_API_KEY or OPENAI_BASE_URL; the local model has none")
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
        found = [key.get_secret_value() for name, key in self if name.endswith("_key") and key]
        for url in (self.database_url, self.redis_url):
            if url is not None and (password := urlsplit(url.get_secret_value()).password):
                found += [password, unquote(password)]
        for feed in self.source_feeds:
            query = urlsplit(feed.get_secret_value()).query
            found += [query, *(value for _, value in parse_qsl(query))]
        for address in filter(None, (self.openai_base_url, self.fallback_base_url)):
            pairs = parse_qsl(urlsplit(address).query)
            found += [value for name, value in pairs if _SECRET_PARAMETER.search(name)]
        if self.otel_exporter_otlp_headers is not None:
            headers = self.otel_exporter_otlp_headers.get_secret_value().split(",")
            found += [each.partition("=")[2].strip() for each in headers]
        return tuple(found)

    @classmethod
    def secret_names(cls) -> list[str]:
        """Return the variables of the secret settings. Each can be set by a file: NAME_FILE."""
        return [
            variable(name)
            for name, field in cls.model_fields.items()
            if SecretStr in _types_in(field.annotation)
        ]

    @classmethod
    def file(cls) -> Path:
        """Return where the settings file of this process is."""
        folder = os.environ.get(variable("data_dir")) or cls.model_fields["data_dir"].default
        return Path(folder) / "copydesk.toml"

    @classmethod
    def load(cls) -> "Settings":
        """Return the settings of this process: of its environment, and of its file for what the
        environment does not set.

        Raises:
            SettingsError: A value is invalid, a name is unknown, or the file cannot be read.
        """
        file = cls.file()
        return cls.from_env(os.environ, read_file(file), f"{file}: ")

    @classmethod
    def from_env(
        cls,
        env: Mapping[str, str] | None = None,
        of_file: Mapping[str, object] | None = None,
        where: str = "",
        *,
        file_first: bool = False,
    ) -> "Settings":
        """Return the settings of an environment. An empty variable counts as unset.

        Args:
            env: That of this process if None.
            of_file: The values of a file, for what the environment does not set.
            where: Begins the errors in them.
            file_first: Let the values of the file override the environment instead.

        Raises:
            SettingsError: A value is invalid, or the name of a COPYDESK_ variable or of a value in
                the file is unknown.
        """
        env = os.environ if env is None else env
        names = {variable(name): name for name in cls.model_fields}
        files = {f"{name}{_FILE}" for name in cls.secret_names()}
        given = {names[key]: env[key] for key in names.keys() & env.keys() if env[key] != ""}
        for key in sorted(files & env.keys()):
            name = key.removesuffix(_FILE)
            if env[key] == "":
                continue
            if names[name] in given:
                raise SettingsError(f"{key}: {name} is set as well; set only one of them")
            given[names[name]] = _secret_of(key, Path(env[key]))
        known = names.keys() | files
        for key in sorted(env):
            if key.startswith(_OWN) and key not in known and key not in _OTHERS:
                raise SettingsError(f"{key} {_unknown(key, known)}")
        try:
            texts = {name: cls._text(name, value) for name, value in (of_file or {}).items()}
        except SettingsError as wrong:
            raise SettingsError(f"{where}{wrong}") from None
        texts = {
            name: text
            for name, text in texts.items()
            if text != "" and (file_first or name not in given)
        }
        try:
            settings = cls.model_validate(given | texts)
        except ValidationError as invalid:
            error = invalid.errors(include_url=False, include_input=False)[0]
            # By its field or by its alias.
            name = names.get(str(error["loc"][0]), str(error["loc"][0]))
            named = f"{where}{name}" if name in texts else variable(name)
            raise SettingsError(f"{named}: {_problem(error)}") from None
        settings._given = {
            name: (_visible(name, text), "file" if name in texts else "environment")
            for name, text in (given | texts).items()
        }
        return settings

    @classmethod
    def _text(cls, name: str, value: object) -> str:
        """Return a value of the file as its variable has it."""
        if name in ONLY_VARIABLES:
            raise SettingsError(f"{name} cannot be set in this file; set {variable(name)}")
        if name in INTERNAL or name not in cls.model_fields:
            known = cls.model_fields.keys() - INTERNAL - ONLY_VARIABLES
            likely = name.lower().removeprefix(_OWN.lower())
            raise SettingsError(f"{name} {_unknown(likely, known)}")
        field = cls.model_fields[name]
        if isinstance(value, str):
            return value
        if isinstance(value, list) and isinstance(field.default, tuple):
            return ", ".join(map(str, value))
        if _types_in(field.annotation).isdisjoint({bool, int, float, Micros}):
            raise SettingsError(f"{name}: must be a text in quotation marks")
        return _as_text(value)

    def shown(self) -> list[Shown]:
        """Return what an operator may see of each setting that is not internal."""
        return [
            Shown(name, *self._given.get(name, (default_of(name) or "not set", "default")))
            for name in type(self).model_fields
            if name not in INTERNAL
        ]


def default_of(name: str) -> str:
    """Return the default of a setting as text, "" if it has none."""
    default: object = Settings.model_fields[name].default
    return "" if default is None or default == () else _as_text(default)


@cache
def meanings() -> dict[str, str]:
    """Return what each setting means, as Markdown in one line."""
    # Few commands need it, and pydantic's `use_attribute_docstrings` takes 24 ms of each one.
    import ast
    import inspect

    (model,) = ast.parse(inspect.getsource(Settings)).body
    assert isinstance(model, ast.ClassDef)  # noqa: S101 - it is one
    found = {}
    for field, text in pairwise(model.body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                value=ast.Constant(value=str(said))
            ):
                found[name] = " ".join(said.split())
    return found


def summary(name: str) -> str:
    """Return the first sentence of what a setting means."""
    return meanings()[name].partition(". ")[0].rstrip(".") + "."


def read_file(file: Path) -> dict[str, object]:
    """Return the values of a settings file by their names; none if there is no file.

    Raises:
        SettingsError: It cannot be read, is not TOML, or everybody can read the secrets in it.
    """
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            values = tomllib.load(opened)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except PermissionError:
        raise SettingsError(f"you may not read {file}; run the command as its owner") from None
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{file} is not text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is not TOML: {error}") from None
    if mode & stat.S_IROTH and set(map(variable, values)) & set(Settings.secret_names()):
        raise SettingsError(f"every user of this machine can read {file}; run `chmod o= {file}`")
    return values


def _unknown(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return "is not a setting of Copydesk" + (f"; did you mean {close[0]}?" if close else "")


def _as_text(value: object) -> str:
    """Return a value as its variable has it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _visible(name: str, text: str) -> str:
    """Return what an operator may see of a value."""
    if name not in _URLS and (variable(name) in Settings.secret_names() or name == "model_body"):
        return "set"
    if name not in _URLS and "://" not in text:
        return text
    found = _URL.fullmatch(text)
    return found[1] + found[2] if found else "set"


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
