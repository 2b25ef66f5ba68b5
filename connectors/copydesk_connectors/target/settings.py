"""Settings, each declared once, as fields of a pydantic model::

    from copydesk_connectors.target.settings import FilePath, Settings, setting

    class NotesSettings(Settings):
        folder: FilePath = setting("The folder for the notes.", ask="Folder")
        status: Literal["publish", "draft"] = setting("Whether readers see them.")

The configuration reader, ``copydesk-connect init``, the README's table and the JSON Schema all
use this declaration.
"""

import difflib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, Self, TypeVar, get_args, get_origin
from urllib.parse import SplitResult, urlsplit

import requests
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined

from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.target.secret import SHORTEST_SECRET, Secret

S = TypeVar("S", bound="Settings")
Json = Mapping[str, Any]

REQUIRED: Any = PydanticUndefined
"""The default of a setting that has none."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_TIME_SPAN = re.compile(r"([1-9][0-9]{0,3})(m|h|d)\Z")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_TEXT: Json = {"type": "string", "minLength": 1}
_TEXTS: Json = {"type": "array", "items": _TEXT}


class SettingError(ValueError):
    """A setting is wrong, or does not go together with another. ``key`` is the one to change."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(problem)
        self.key = key


class Table:
    """One table of the configuration file.

    ``read`` adds ``warnings`` for the owner, and the ``secrets`` it finds.
    """

    def __init__(self, data: Mapping[str, Any], where: str, file: Path) -> None:
        self.data = data
        self.where = where
        self.file = file
        self.warnings: list[str] = []
        self.secrets: list[Secret] = []

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raise a ConfigError about ``key``."""
        raise ConfigError(f"{self.file}: {self.where} {key}: {problem}", key)

    def refuse_unknown(self, *declarations: type["Settings"]) -> None:
        """Raise a ConfigError if a key is in none of the declarations."""
        settings = dict(pair for declaration in declarations for pair in declared(declaration))
        known = sorted(key for setting in settings.values() for key in setting.keys)
        for key in self.data:
            if key in known:
                continue
            if key in settings and settings[key].secret:
                keys = either(list(settings[key].keys))
                self.fail(key, f"must not be in this file; use {keys} instead")
            self.fail_unknown(key, known)

    def fail_unknown(self, key: str, known: Sequence[str]) -> NoReturn:
        """Raise a ConfigError that names the keys that are known here."""
        self.fail(key, f"is not a setting here{_closest(key, known)}; known: {', '.join(known)}")

    @contextmanager
    def errors_at(self, key: str) -> Iterator[None]:
        """Turn a ValueError in the block into a ConfigError about ``key``."""
        try:
            yield
        except SettingError as error:
            self.fail(error.key, str(error))
        except ValueError as error:
            self.fail(key, str(error))

    def path(self, written: str) -> Path:
        """Return a path, which is relative to the configuration file."""
        return self.file.absolute().parent / Path(written).expanduser()


class Settings(BaseModel):
    """The base of every declaration. Check combinations in a ``model_validator`` that raises
    SettingError."""

    model_config = ConfigDict(frozen=True, strict=True, arbitrary_types_allowed=True)


def setting(
    about: str,
    default: Any = REQUIRED,
    *,
    ask: str = "",
    suggestion: str = "",
    offered: Sequence[str] = (),
    keys: Sequence[str] = (),
) -> Any:
    """Declare a setting. A setting without a default is required.

    Args:
        about: a sentence for the owner, in Markdown.
        ask: what ``init`` asks. Without it, ``init`` does not ask.
        suggestion: what ``init`` suggests if there is no default.
        offered: the words that ``init`` offers, by default all that are allowed.
        keys: the keys under which it can be written, if not under its name; of a list, the first
            is for one text.
    """
    more: Any = {"ask": ask, "suggestion": suggestion, "offered": offered, "keys": keys}
    return Field(default, description=about, json_schema_extra={"copydesk": more})


@dataclass(frozen=True)
class Setting:
    """How one setting is written; see ``setting``. ``keys`` have their JSON Schema."""

    help: str
    default: Any
    keys: Mapping[str, Json]
    ask: str
    suggestion: str
    choices: tuple[str, ...]
    secret: bool


def declared(declaration: type[Settings]) -> Iterator[tuple[str, Setting]]:
    """Yield the name and the declaration of each setting."""
    schemas = declaration.model_json_schema()["properties"]
    for name, field in declaration.model_fields.items():
        extra: Any = field.json_schema_extra
        more = extra["copydesk"]
        form = {key: schemas[name][key] for key in schemas[name] if key not in _NOT_IN_FORMS}
        for either_form in form.pop("anyOf", ()):  # a setting may be left out, but is not null
            form |= either_form if either_form != {"type": "null"} else {}
        secret = any(Secret in get_args(part) or part is Secret for part in _parts_of(field))
        keys: dict[str, Json] = {name: form}
        if secret:
            written = more["keys"] or (f"{name}_env", f"{name}_file")
            keys = dict.fromkeys(written, _TEXT)
        elif more["keys"]:
            one, several = more["keys"]
            keys = {one: _TEXT, several: form}
        yield (
            name,
            Setting(
                help=field.description or "",
                default=field.default,
                keys=keys,
                ask=more["ask"],
                suggestion=more["suggestion"],
                choices=tuple(more["offered"] or _words(field)),
                secret=secret,
            ),
        )


_NOT_IN_FORMS = frozenset({"copydesk", "default", "description", "format", "title"})


def _parts_of(field: FieldInfo) -> tuple[Any, ...]:
    return (field.annotation, *get_args(field.annotation))


def _words(field: FieldInfo) -> tuple[str, ...]:
    """Return the words that a setting allows, none if it takes other values."""
    return next((get_args(part) for part in _parts_of(field) if get_origin(part) is Literal), ())


def read(declaration: type[S], table: Table) -> S:
    """Return the settings as written in the table, with defaults for the rest.

    Raises:
        ConfigError: the message names the file, the table, the key and what would be right.
    """
    settings = dict(declared(declaration))
    values: dict[str, Any] = {}
    written: dict[str, str] = {}
    for name, each in settings.items():
        given = [key for key in each.keys if key in table.data]
        if len(given) > 1:
            table.fail(name, f"give only one of {either(list(each.keys))}")
        for key in given:
            written[name] = key
            with table.errors_at(key):
                value = table.data[key]
                if each.secret:
                    value = (key, value)
                elif each.keys[key] == _TEXT and len(each.keys) > 1:
                    value = [text(value)]
                values[name] = value
    try:
        return declaration.model_validate(values, context=table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    # Not within the block: the error's text shows values, which may be secret.
    name = str(first["loc"][0]) if first["loc"] else ""
    reason = first.get("ctx", {}).get("error")
    key = reason.key if isinstance(reason, SettingError) else written.get(name, name)
    return table.fail(key, str(reason) if reason else _problem(first, declaration, settings))


def _problem(error: ErrorDetails, of: type[Settings], settings: Mapping[str, Setting]) -> str:
    """Return what is wrong and what would be right, in the words of the file's owner."""
    name = str(error["loc"][0])
    field, value = of.model_fields[name], error["input"]
    if error["type"] == "missing":
        return f"is missing; set {either(list(settings[name].keys))}"
    if words := _words(field):
        try:
            one_of(text(value), words)
        except ValueError as wrong:
            return str(wrong)
    if bool in _parts_of(field):
        return f"must be true or false, not {_shown(value)}; true and false without quotes"
    form = settings[name].keys[name]
    if "minimum" in form:
        kind = "whole number" if form["type"] == "integer" else "number"
        least, most = form["minimum"], form.get("maximum")
        span = f"of {least} or more" if most is None else f"from {least} to {most}"
        return f"must be a {kind} {span}, not {_shown(value)}"
    return error["msg"]


def text(raw: Any) -> str:
    """Return a text without spaces around it; raise a ValueError if it is empty or not one."""
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(f"must be a text in quotes that is not empty, not {_shown(raw)}")
    return raw.strip()


def texts(raw: Any) -> tuple[str, ...]:
    """Return a list of texts; raise a ValueError if it is not one."""
    if not isinstance(raw, list) or not all(isinstance(v, str) and v.strip() for v in raw):
        raise ValueError(f'must be a list of texts, such as ["a", "b"], not {_shown(raw)}')
    return tuple(entry.strip() for entry in raw)


def _url(raw: Any) -> str:
    written = text(raw)
    check_url(written)
    return written


def _path(raw: Any, info: ValidationInfo) -> Path:
    table: Table = info.context  # type: ignore[assignment]
    return table.path(text(raw))


def _time_span(raw: Any) -> timedelta:
    match = _TIME_SPAN.match(text(raw))
    if match is None:
        raise ValueError('must be a time span such as "90m", "2h" or "3d"')
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _secret(given: tuple[str, Any], info: ValidationInfo) -> Secret:
    """Return the secret of a key and its value."""
    table: Table = info.context  # type: ignore[assignment]
    key, raw = given
    # No message shows the value: people write the secret itself where its place belongs.
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError("must be a text in quotes that is not empty")
    value = raw.strip()
    if key == "proxy":  # without a password it is no secret, and with one it is refused
        check_url(value)
        return Secret(value)
    if key.endswith("_env"):
        if not raw.isidentifier():
            raise ValueError("must be the name of an environment variable, not its value")
        value = os.environ.get(raw, "").strip()
        if not value:
            raise ValueError(f"the environment variable {raw} is not set")
    elif key.endswith("_file"):
        file = table.path(value)
        try:
            value = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise ValueError(f"the file that it names cannot be read: {reason}") from None
        if not value:
            raise ValueError("the file that it names is empty")
        _warn_if_open(table, file, "holds a secret")
    else:
        _warn_if_open(table, table.file, f"holds a secret ({table.where} {key})")
    if len(value) < SHORTEST_SECRET:
        raise ValueError(
            f"must have at least {SHORTEST_SECRET} characters, because shorter secrets cannot be "
            "removed from logs reliably"
        )
    table.secrets.append(Secret(value))
    return Secret(value)


def _warn_if_open(table: Table, file: Path, what: str) -> None:
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
        table.warnings.append(f"{file} {what} and others may read it: run chmod 600 {file}")


Text = Annotated[str, BeforeValidator(text), WithJsonSchema(dict(_TEXT))]
"""A text that is not empty."""
Texts = Annotated[tuple[str, ...], BeforeValidator(texts), WithJsonSchema(dict(_TEXTS))]
"""A list of texts."""
Url = Annotated[str, BeforeValidator(_url), WithJsonSchema(dict(_TEXT))]
"""An http or https address without credentials."""
SiteUrl = Annotated[Url, AfterValidator(lambda address: without_slash(address))]
"""The same without a slash at its end."""
FilePath = Annotated[Path, BeforeValidator(_path), WithJsonSchema(dict(_TEXT))]
"""A path, relative to the configuration file."""
TimeSpan = Annotated[
    timedelta,
    BeforeValidator(_time_span),
    WithJsonSchema({"type": "string", "pattern": "^[1-9][0-9]{0,3}[mhd]$"}),
]
"""A time span such as "90m", "2h" or "3d"."""
SecretText = Annotated[Secret, PlainValidator(_secret), WithJsonSchema(dict(_TEXT))]
"""A secret, in the environment variable ``KEY_env`` or the file ``KEY_file``."""


def tags() -> Any:
    """Declare tags to use instead of the post's keywords, or None."""
    return setting("Tags to use instead of the post's keywords; `[]` for none.", None)


def categories(about: str = "One category, or a list of them.") -> Any:
    """Declare a list of names under ``categories``, or one name under ``category``."""
    return setting(about, (), keys=("category", "categories"))


def one_of(word: str, allowed: Sequence[str]) -> str:
    """Return the word if it is allowed; else raise a ValueError that names the closest one."""
    if word not in allowed:
        raise ValueError(f'must be {either(allowed)}, not "{word}"{_closest(word, allowed)}')
    return word


def either(words: Sequence[str]) -> str:
    """Return the words as a list in a sentence: "a, b or c"."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _closest(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def check_url(address: str) -> None:
    """Accept an http or https address without credentials.

    Raises:
        ValueError: the message does not show the address, which may contain a password.
    """
    parts = _parts(address)
    if parts is None:
        raise ValueError("must be a full address that begins with https:// (or http://)")
    if not has_possible_host(address):
        raise ValueError("names a host that cannot exist; check the spelling")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not contain a user name or password; use their own settings")


def without_slash(address: str) -> str:
    """Return the address without a slash at its end."""
    return address.rstrip("/")


def is_readable_on_the_way(address: str) -> bool:
    """Return whether others on the network can read what is sent to the address."""
    return address.startswith("http://") and urlsplit(address).hostname not in _LOOPBACK


def has_possible_host(address: str) -> bool:
    """Return whether the host of an http address can exist.

    ``requests`` refuses impossible characters. Empty labels and labels of more than 63 characters
    (RFC 1035, section 2.3.4) would fail only at the connection, with an error of urllib3.
    """
    try:
        prepared = requests.Request("GET", address).prepare()
        (urlsplit(str(prepared.url)).hostname or "").encode("idna")
    except (requests.RequestException, ValueError):
        return False
    return True


def _parts(address: str) -> SplitResult | None:
    """Return the parts of an http or https address, or None if it is not one."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable else None


def _proxy(address: Secret) -> Secret:
    parts = _parts(address.reveal())
    if parts is None or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError("must be the address of a proxy, such as http://proxy.example:3128")
    return address


Proxy = Annotated[SecretText, AfterValidator(_proxy)]


def proxy() -> Any:
    """Declare the address of a proxy, a ``Proxy``. If it contains a password, it is a secret."""
    return setting(
        "The proxy for these calls, such as `http://proxy.example:3128`. If its address contains a "
        'password, use `proxy_env` or `proxy_file`; `proxy_env = "HTTPS_PROXY"` takes it from the '
        "environment.",
        None,
        keys=("proxy_env", "proxy_file", "proxy"),
    )


class SiteSettings(Settings):
    """The settings of every target that is called over HTTP."""

    url: Url = setting("The address of the site.", ask="Address of the site")
    allow_http: bool = setting(
        "`true` allows an address without https. Others on the network can then read what is "
        "sent. This machine's own addresses are always allowed.",
        default=False,
    )
    proxy: Proxy | None = proxy()

    @model_validator(mode="after")
    def _need_https(self) -> Self:
        """Refuse an address to which secrets would be sent readably."""
        if is_readable_on_the_way(self.url) and not self.allow_http:
            raise SettingError(
                "url",
                "must begin with https://, because others can read what is sent over http; "
                "set allow_http = true if this network is yours alone",
            )
        return self
