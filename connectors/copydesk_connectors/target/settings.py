"""Settings, each declared once.

Settings are a frozen dataclass. A function of this module declares each of its fields::

    from copydesk_connectors.target import settings

    @dataclass(frozen=True, kw_only=True)
    class NotesSettings(settings.Settings):
        folder: Path = settings.path("The folder for the notes.", ask="Folder")
        status: str = settings.choice("Whether readers see them.", choices=("publish", "draft"))

The configuration reader, ``copydesk-connect init``, the README's table and the JSON Schema all
use this declaration.
"""

import dataclasses
import difflib
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn, TypeVar
from urllib.parse import SplitResult, urlsplit

import requests
from slugify import slugify

from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.target.secret import SHORTEST_SECRET, Secret

S = TypeVar("S", bound="Settings")
Json = Mapping[str, Any]

REQUIRED: Any = object()
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
    """One table of the configuration file. ``name`` is that of the target it configures.

    ``read`` adds ``warnings`` for the owner, and the ``secrets`` it finds.
    """

    def __init__(self, data: Mapping[str, Any], where: str, file: Path, name: str = "") -> None:
        self.data = data
        self.where = where
        self.file = file
        self.name = name
        self.warnings: list[str] = []
        self.secrets: list[Secret] = []

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raise a ConfigError about ``key``."""
        raise ConfigError(f"{self.file}: {self.where} {key}: {problem}")

    def refuse_unknown(self, *declarations: type["Settings"]) -> None:
        """Raise a ConfigError if a key is in none of the declarations."""
        settings = dict(pair for declaration in declarations for pair in declared(declaration))
        known = sorted(key for name, setting in settings.items() for key in setting.keys(name))
        for key in self.data:
            if key in known:
                continue
            if key in settings and settings[key].secret:
                keys = either(list(settings[key].keys(key)))
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


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The base of every declaration. Check combinations in ``__post_init__`` and raise
    SettingError."""

    def __post_init__(self) -> None:
        """Accept every combination."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How one setting is written.

    Attributes:
        help: a sentence for the owner, in Markdown.
        parse: takes a value of the file, its key and its table, and returns the setting's value.
        schemas: the JSON Schema of each key that the setting can have. ``{}`` is its name.
        default: what the file would contain. A setting without a default is required.
        ask: what ``init`` asks. Without it, ``init`` does not ask.
        suggestion: what ``init`` suggests if there is no default.
        convert: makes the final value. Like ``parse``, it raises ValueError with the message.
        choices: the words that ``init`` offers.
    """

    help: str
    parse: Callable[[Any, str, Table], Any]
    schemas: Mapping[str, Json]
    default: Any = REQUIRED
    ask: str = ""
    suggestion: str = ""
    convert: Callable[[Any], Any] | None = None
    choices: tuple[str, ...] = ()
    secret: bool = False

    def keys(self, name: str) -> dict[str, Json]:
        """Return the keys under which the setting can be written, with their JSON Schema."""
        return {key.format(name): schema for key, schema in self.schemas.items()}

    def read(self, table: Table, name: str) -> Any:
        """Return the value in the table, or the default; raise a ConfigError if it is wrong."""
        keys = list(self.keys(name))
        given = [key for key in keys if key in table.data]
        if len(given) > 1:
            table.fail(name, f"give only one of {either(keys)}")
        if not given and self.default is REQUIRED:
            table.fail(name, f"is missing; set {either(keys)}")
        if not given and not self.default:
            return self.default
        key = given[0] if given else name
        with table.errors_at(key):
            value = self.parse(table.data.get(key, self.default), key, table)
            return self.convert(value) if self.convert else value


@dataclass(frozen=True)
class _Group:
    of: type[Settings]
    convert: Callable[[Any], Any] | None

    def read(self, table: Table, name: str) -> Any:
        made = read(self.of, table)
        with table.errors_at(name):
            return self.convert(made) if self.convert else made


def read(declaration: type[S], table: Table) -> S:
    """Return the settings as written in the table, with defaults for the rest.

    Raises:
        ConfigError: the message names the file, the table, the key and what would be right.
    """
    values = {name: entry.read(table, name) for name, entry in _entries(declaration)}
    try:
        return declaration(**values)
    except SettingError as error:
        table.fail(error.key, str(error))


def declared(declaration: type[Settings]) -> Iterator[tuple[str, Setting]]:
    """Yield the name and the declaration of each setting; groups are flattened."""
    for name, entry in _entries(declaration):
        if isinstance(entry, _Group):
            yield from declared(entry.of)
        else:
            yield name, entry


def _entries(declaration: type[Settings]) -> Iterator[tuple[str, Setting | _Group]]:
    for declared_field in dataclasses.fields(declaration):
        yield declared_field.name, declared_field.metadata["setting"]


def _declare(about: str, parse: Callable[[Any, str, Table], Any], schema: Json, **more: Any) -> Any:
    more = {"schemas": {"{}": schema}, **more}
    return field(metadata={"setting": Setting(help=about, parse=parse, **more)})


def group(of: type[Settings], convert: Callable[[Any], Any] | None = None) -> Any:
    """Declare settings that belong together, in the same table as the others."""
    return field(metadata={"setting": _Group(of, convert)})


def text(about: str, **options: Any) -> Any:
    """Declare a text that is not empty."""
    return _declare(about, _text, _TEXT, **options)


def texts(about: str, **options: Any) -> Any:
    """Declare a list of texts."""
    return _declare(about, _texts, _TEXTS, **options)


def choice(
    about: str,
    *,
    choices: tuple[str, ...],
    offered: tuple[str, ...] = (),
    **options: Any,
) -> Any:
    """Declare one of a few words. ``init`` offers those in ``offered``, by default all."""

    def parse(raw: Any, *_: object) -> str:
        return one_of(_text(raw), choices)

    return _declare(about, parse, {"enum": list(choices)}, choices=offered or choices, **options)


def flag(about: str, *, words: tuple[str, ...] = (), **options: Any) -> Any:
    """Declare true or false, or one of ``words``. The default is false."""

    def parse(raw: Any, *_: object) -> Any:
        if isinstance(raw, bool) or raw in words:
            return raw
        forms = either(["true", "false", *(f'"{word}"' for word in words)])
        raise ValueError(f"must be {forms}, not {_shown(raw)}; true and false without quotes")

    schema = {"enum": [True, False, *words]} if words else {"type": "boolean"}
    return _declare(about, parse, schema, **{"default": False, **options})


def number(
    about: str,
    *,
    least: float,
    most: float | None = None,
    whole: bool = False,
    **options: Any,
) -> Any:
    """Declare a number from ``least`` to ``most``. ``whole`` makes it an int."""
    kind = "whole number" if whole else "number"
    span = f"of {least:g} or more" if most is None else f"from {least:g} to {most:g}"

    def parse(raw: Any, *_: object) -> float:
        is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
        in_span = is_number and raw >= least and (most is None or raw <= most)
        if not in_span or (whole and raw != int(raw)):
            raise ValueError(f"must be a {kind} {span}, not {_shown(raw)}")
        return int(raw) if whole else float(raw)

    bounds = {"minimum": least} | ({"maximum": most} if most else {})
    return _declare(about, parse, {"type": "integer" if whole else "number", **bounds}, **options)


def time_span(about: str, **options: Any) -> Any:
    """Declare a time span such as "90m", "2h" or "3d"."""

    def parse(raw: Any, *_: object) -> timedelta:
        match = _TIME_SPAN.match(_text(raw))
        if match is None:
            raise ValueError('must be a time span such as "90m", "2h" or "3d"')
        return timedelta(**{_UNITS[match[2]]: int(match[1])})

    schema = {"type": "string", "pattern": "^[1-9][0-9]{0,3}[mhd]$"}
    return _declare(about, parse, schema, **options)


def path(about: str, *, words: tuple[str, ...] = (), **options: Any) -> Any:
    """Declare a path, relative to the configuration file, or one of ``words``.

    ``{name}`` in the default stands for the name of the target.
    """

    def parse(raw: Any, key: str, table: Table) -> Path | str:
        written = _text(raw)
        if written in words:
            return written
        if key not in table.data:
            written = written.replace("{name}", slugify(table.name) or "site")
        return table.file.absolute().parent / Path(written).expanduser()

    return _declare(about, parse, _TEXT, **options)


def subtable(about: str, of: type[Settings], **options: Any) -> Any:
    """Declare settings in a table of their own below the target's, such as ``[target.schedule]``.

    The default is None.
    """

    def parse(raw: Any, key: str, table: Table) -> Settings:
        if not isinstance(raw, Mapping):
            raise ValueError(f"must be a table, written as [target.{key}]")
        inner = Table(raw, f"{table.where} {key}", table.file, table.name)
        inner.refuse_unknown(of)
        return read(of, inner)

    properties = {
        key: {**schema, "description": setting.help}
        for name, setting in declared(of)
        for key, schema in setting.keys(name).items()
    }
    required = [name for name, setting in declared(of) if setting.default is REQUIRED]
    schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return _declare(about, parse, {**schema, "required": required}, default=None, **options)


def url(about: str, **options: Any) -> Any:
    """Declare an http or https address without credentials."""
    return _declare(about, _url, _TEXT, **options)


def secret(about: str, *, in_file: bool = False, **options: Any) -> Any:
    """Declare a secret, in the environment variable ``KEY_env`` or the file ``KEY_file``.

    ``in_file`` allows it under ``KEY`` in the configuration file itself.
    """
    keys = ("{}_env", "{}_file", *(["{}"] if in_file else []))
    schemas = dict.fromkeys(keys, _TEXT)
    return _declare(about, _secret, _TEXT, schemas=schemas, secret=True, **options)


def proxy() -> Any:
    """Declare the address of a proxy. If it contains a password, it is a secret."""

    def parse(raw: Any, key: str, table: Table) -> Secret:
        address = Secret(_url(raw)) if key == "proxy" else _secret(raw, key, table)
        if not _is_proxy(address.reveal()):
            raise ValueError("must be the address of a proxy, such as http://proxy.example:3128")
        return address

    return _declare(
        "The proxy for these calls, such as `http://proxy.example:3128`. If its address contains a "
        'password, use `proxy_env` or `proxy_file`; `proxy_env = "HTTPS_PROXY"` takes it from the '
        "environment.",
        parse,
        _TEXT,
        schemas=dict.fromkeys(("{}_env", "{}_file", "{}"), _TEXT),
        secret=True,
        default=None,
    )


def tags() -> Any:
    """Declare tags to use instead of the post's keywords, or None."""
    return texts("Tags to use instead of the post's keywords; `[]` for none.", default=None)


def categories(about: str = "One category, or a list of them.", **options: Any) -> Any:
    """Declare a list of names under ``categories``, or one name under ``category``."""
    return one_or_more(about, "category", "categories", **{"default": (), **options})


def one_or_more(about: str, one: str, several: str, **options: Any) -> Any:
    """Declare a list of texts under the key ``several``, or one text under the key ``one``."""

    def parse(raw: Any, key: str, _: Table) -> tuple[str, ...]:
        return (_text(raw),) if key == one else _texts(raw)

    return _declare(about, parse, _TEXTS, schemas={one: _TEXT, several: _TEXTS}, **options)


def _text(raw: Any, *_: object) -> str:
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(f"must be a text in quotes that is not empty, not {_shown(raw)}")
    return raw.strip()


def _texts(raw: Any, *_: object) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(v, str) and v.strip() for v in raw):
        raise ValueError(f'must be a list of texts, such as ["a", "b"], not {_shown(raw)}')
    return tuple(entry.strip() for entry in raw)


def _url(raw: Any, *_: object) -> str:
    written = _text(raw)
    check_url(written)
    return written


def _secret(raw: Any, key: str, table: Table) -> Secret:
    # No message shows the value: people write the secret itself where its place belongs.
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError("must be a text in quotes that is not empty")
    value = raw.strip()
    if key.endswith("_env"):
        if not raw.isidentifier():
            raise ValueError("must be the name of an environment variable, not its value")
        value = os.environ.get(raw, "").strip()
        if not value:
            raise ValueError(f"the environment variable {raw} is not set")
    elif key.endswith("_file"):
        file = table.file.absolute().parent / Path(value).expanduser()
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


def _is_proxy(address: str) -> bool:
    parts = _parts(address)
    return parts is not None and parts.path in {"", "/"} and not (parts.query or parts.fragment)


def _parts(address: str) -> SplitResult | None:
    """Return the parts of an http or https address, or None if it is not one."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable else None


@dataclass(frozen=True, kw_only=True)
class SiteSettings(Settings):
    """The settings of every target that is called over HTTP."""

    url: str = url("The address of the site.", ask="Address of the site")
    allow_http: bool = flag(
        "`true` allows an address without https. Others on the network can then read what is "
        "sent. This machine's own addresses are always allowed."
    )
    proxy: Secret | None = proxy()

    def __post_init__(self) -> None:
        """Refuse an address to which secrets would be sent readably."""
        super().__post_init__()
        if is_readable_on_the_way(self.url) and not self.allow_http:
            raise SettingError(
                "url",
                "must begin with https://, because others can read what is sent over http; "
                "set allow_http = true if this network is yours alone",
            )
