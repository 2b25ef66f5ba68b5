"""The settings, from the environment and from `copydesk.toml` in the data folder."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from app.core.billing.costs import FREE, Budget
from app.core.feed.rule import SchedulePolicy
from app.core.schemas.problems import problem_of
from app.settings import texts
from app.settings.texts import SettingsError, variable
from app.settings.values import (
    Address,
    DatabaseUrl,
    Dollars,
    Feeds,
    HostAndPort,
    Key,
    MailAddress,
    Members,
    Prices,
    RedisUrl,
    SmtpUrl,
)

__all__ = ["Settings", "SettingsError", "variable"]

DEFAULT_REMOTE_MODEL = "gpt-5-mini"
NO_EDITOR = "off"
LOCAL_MODEL = "local"
# The default address of `run`.
DEFAULT_PUBLIC_URL = "http://127.0.0.1:8000"
# After the drain time, cancelled work ends within this time.
GRACE_SECONDS = 15.0
INTERNAL = frozenset({"local_model_url", "local_model_key", "setup_code"})
# Parameters of an address whose values are secret.
_SECRET_PARAMETER = re.compile(r"key|token|sig|secret|code", re.IGNORECASE)


class Settings(BaseModel):
    """The settings. A field's alias is the environment variable that sets it, and its name sets it
    in the file. copydesk.toml, beside this module, says what each means."""

    model_config = ConfigDict(
        alias_generator=variable,
        frozen=True,
        populate_by_name=True,
        extra="forbid",
        loc_by_alias=False,
    )

    # The text and the origin (file or environment) of each setting that was given.
    _given: dict[str, tuple[str, str]] = PrivateAttr(default_factory=dict)

    data_dir: Path = Path("var")  # also where the file is, so that only the variable sets it
    database_url: DatabaseUrl | None = None
    redis_url: RedisUrl | None = None
    public_url: Address | None = None

    openai_api_key: Key | None = None
    openai_base_url: Address | None = None
    model: str | None = None
    model_concurrency: int = Field(4, ge=1, le=64)
    model_rest_seconds: float = Field(30.0, gt=0, le=3600)
    model_timeout_seconds: float = Field(300.0, gt=0, le=3600)
    model_context_tokens: int | None = Field(None, ge=2_000, le=10_000_000)
    model_body: Members | None = None
    editor_model: str | None = None
    moderation_model: str | None = None
    model_prices: Prices = ()
    spend_cap: Dollars | None = None
    model_cache: Path = Path("~/.cache/copydesk")
    # The process that starts the local model passes its address to other processes.
    local_model_url: Address | None = None
    local_model_key: Key | None = None
    # `run` passes its web process the code with which a visitor creates the first operator.
    setup_code: Key | None = None

    generation_timeout_seconds: float = Field(540.0, gt=0, le=7200)
    drafts: int = Field(2, ge=1, le=3)
    workers: int = Field(2, ge=1, le=64)

    generate_places: int = Field(48, ge=1, le=512)
    calls_per_account: int = Field(24, ge=1, le=10_000)
    drain_seconds: float = Field(120.0, ge=1, le=3600)

    heartbeat_file: Path | None = None
    backup_dir: Path | None = None

    trusted_proxies: int = Field(0, ge=0, le=10)

    schedule: Literal["frequent", "restricted"] = "frequent"
    tick_seconds: float = Field(900.0, gt=0, le=86400)
    webhook_allow_private: bool = False

    source_feeds: Feeds = ()
    searxng_url: Address | None = None
    brave_api_key: Key | None = None
    tavily_api_key: Key | None = None
    sources_allow_private: bool = False
    sources_fresh_hours: float = Field(72.0, gt=0, le=8760)

    smtp_url: SmtpUrl | None = None
    mail_from: MailAddress | None = None

    metrics_address: HostAndPort | None = None

    debug_block: bool = False
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["text", "json"] = "text"

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if self.moderation_model is not None and not self.has_endpoint:
            raise ValueError(
                "COPYDESK_MODERATION_MODEL needs OPENAI_API_KEY or OPENAI_BASE_URL; the local model"
                " has none"
            )
        if self.smtp_url is not None and (self.mail_from is None or self.public_url is None):
            raise ValueError(
                "COPYDESK_SMTP_URL needs COPYDESK_MAIL_FROM, and COPYDESK_PUBLIC_URL for the links"
                " in e-mails"
            )
        if self.spend_cap is not None and (missing := self.unpriced_models):
            raise ValueError(
                f"COPYDESK_SPEND_CAP needs the price of {' and '.join(missing)} in"
                " COPYDESK_MODEL_PRICES; without it, nothing is counted towards the cap"
            )
        return self

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
        """How often rules run on this deployment."""
        return SchedulePolicy(daily=self.schedule == "restricted")

    @property
    def budget(self) -> Budget:
        """The prices of models, and the cap of the installation. The local model is free."""
        local = {} if self.has_endpoint else {LOCAL_MODEL: FREE}
        return Budget({**local, **dict(self.model_prices)}, self.spend_cap)

    @property
    def unpriced_models(self) -> list[str]:
        """The names of the models in use that have no price, each once."""
        if not self.has_endpoint:
            return []
        editor = None if self.editor_model == NO_EDITOR else self.editor_model
        names = [self.model or DEFAULT_REMOTE_MODEL, editor, self.moderation_model]
        used = dict.fromkeys(filter(None, names))
        return [name for name in used if name not in dict(self.model_prices)]

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
        if self.setup_code is not None:
            found.append(self.setup_code.get_secret_value())
        for url in (self.database_url, self.redis_url, self.smtp_url):
            if url is not None and (password := urlsplit(url.get_secret_value()).password):
                found += [password, unquote(password)]
        for feed in self.source_feeds:
            query = urlsplit(feed.get_secret_value()).query
            found += [query, *(value for _, value in parse_qsl(query))]
        pairs = parse_qsl(urlsplit(self.openai_base_url or "").query)
        found += [value for name, value in pairs if _SECRET_PARAMETER.search(name)]
        return tuple(found)

    def at_local_model(self, url: str, key: Key) -> Self:
        """Return these settings with a local model that runs. From now on, this process and those
        that it starts read its address from their environment."""
        secret = key.get_secret_value()
        os.environ |= {variable("local_model_url"): url, variable("local_model_key"): secret}
        return self.model_copy(update={"local_model_url": url, "local_model_key": key})

    @property
    def given(self) -> Mapping[str, tuple[str, str]]:
        """The text and the origin (file or environment) of each setting that was given."""
        return self._given

    @classmethod
    def secret_names(cls) -> list[str]:
        """Return the variables of the secret settings. Each can be set by a file: NAME_FILE."""
        return [
            variable(name)
            for name, field in cls.model_fields.items()
            if "SecretStr" in str(field.annotation)
        ]

    @classmethod
    def in_file(cls) -> set[str]:
        """Return the names of the settings that the file can have."""
        return cls.model_fields.keys() - INTERNAL - {"data_dir"}

    @classmethod
    def file(cls) -> Path:
        """Return where the settings file of this process is."""
        folder = os.environ.get(variable("data_dir")) or cls.model_fields["data_dir"].default
        return Path(folder) / "copydesk.toml"

    @classmethod
    def load(cls) -> Self:
        """Return the settings of this process: of its environment, and of its file for what the
        environment does not set.

        Raises:
            SettingsError: A value is invalid, a name is unknown, or the file cannot be read.
        """
        file = cls.file()
        return cls.from_env(os.environ, cls.read(file), f"{file}: ")

    @classmethod
    def read(cls, file: Path) -> dict[str, object]:
        """Return the values of a settings file by their names; none if there is no file.

        Raises:
            SettingsError: It cannot be read, is not TOML, or everybody can read the secrets in it.
        """
        return texts.of_toml(file, cls.secret_names())

    @classmethod
    def from_env(
        cls,
        env: Mapping[str, str] | None = None,
        of_file: Mapping[str, object] | None = None,
        where: str = "",
        *,
        file_first: bool = False,
    ) -> Self:
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
        layers = {"environment": texts.of_variables(env, cls.model_fields, cls.secret_names())}
        try:
            in_file = texts.of_file(of_file or {}, cls.in_file())
        except SettingsError as unknown:
            raise SettingsError(f"{where}{unknown}") from None
        layers = {**layers, "file": in_file} if file_first else {"file": in_file, **layers}
        given = {
            name: (text, origin) for origin, layer in layers.items() for name, text in layer.items()
        }
        try:
            settings = cls.model_validate({name: text for name, (text, _) in given.items()})
        except ValidationError as invalid:
            error = invalid.errors(include_url=False, include_input=False)[0]
            if not error["loc"]:  # settings that do not go together: it names them
                raise SettingsError(str(error["ctx"]["error"])) from None
            name = str(error["loc"][0])
            is_of_file = given.get(name, ("", ""))[1] == "file"
            named = f"{where}{name}" if is_of_file else variable(name)
            raise SettingsError(f"{named}: {problem_of(error)}", name) from None
        settings._given = given
        return settings
