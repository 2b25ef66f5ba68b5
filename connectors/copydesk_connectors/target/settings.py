"""Settings, each declared once, as a field of a pydantic model::

    from copydesk_connectors.target.settings import FilePath, Settings, setting

    class NotesSettings(Settings):
        folder: FilePath = setting("The folder for the notes.", ask="Folder")
        status: Literal["publish", "draft"] = setting("Whether readers see them.")

The configuration reader, ``copydesk-connect init`` and the README's table use this declaration.
"""

import difflib
import os
import re
import stat
from collections.abc import Collection, Mapping, Sequence
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
    Strict,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.fields import FieldInfo

from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.target.secret import SHORTEST_SECRET, Secret

S = TypeVar("S", bound="Settings")

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_TIME_SPAN = re.compile(r"([1-9][0-9]{0,3})(m|h|d)\Z")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
# Better words for some errors of pydantic, by their types. None shows the value.
_SAID = {
    "bool_type": "must be true or false, without quotes",
    "string_type": "must be a text in quotes",
    "string_too_short": "must not be empty",
    "tuple_type": 'must be a list of texts, such as ["a", "b"]',
}


class SettingError(ValueError):
    """A setting is wrong, or does not go together with another. ``key`` is the one to change."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(problem)
        self.key = key


class Table:
    """One table of the configuration file.

    ``read`` adds ``warnings`` for the owner, and the ``secrets`` it finds. ``unwritten`` has the
    content of files that are not there yet, by name.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        where: str,
        file: Path,
        unwritten: Mapping[str, str] | None = None,
    ) -> None:
        self.data = data
        self.where = where
        self.file = file
        self.unwritten = unwritten or {}
        self.warnings: list[str] = []
        self.secrets: list[Secret] = []

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raise a ConfigError about ``key``."""
        raise ConfigError(f"{self.file}: {self.where} {key}: {problem}", key)

    def need_one_of(self, key: str, word: str, allowed: Sequence[str]) -> None:
        """Raise a ConfigError about ``key`` if the word is not allowed."""
        try:
            one_of(word, allowed)
        except ValueError as error:
            self.fail(key, str(error))

    def path(self, written: str) -> Path:
        """Return a path, which is relative to the configuration file."""
        return self.file.absolute().parent / Path(written).expanduser()


class Settings(BaseModel):
    """The base of every declaration. Check combinations in a ``model_validator`` that raises
    SettingError."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", arbitrary_types_allowed=True
    )


def setting(
    about: str,
    default: Any = ...,
    *,
    ask: str = "",
    offered: Sequence[str] = (),
    inline: bool = False,
) -> Any:
    """Declare a setting. A setting without a default is required.

    Args:
        about: a sentence for the owner, in Markdown.
        ask: what ``init`` asks. Without it, ``init`` does not ask.
        offered: the words that ``init`` offers, by default all that are allowed.
        inline: whether a secret may stand in the configuration itself.
    """
    more: Any = {"ask": ask, "offered": offered, "inline": inline}
    return Field(default, description=about, json_schema_extra=more)


def more_of(field: FieldInfo) -> Mapping[str, Any]:
    """Return what ``setting`` was given for ``init``."""
    more: Any = field.json_schema_extra
    return more or {}


def is_secret(field: FieldInfo) -> bool:
    """Return whether a setting is a secret."""
    return any(part is Secret or Secret in get_args(part) for part in _parts_of(field))


def keys_of(name: str, field: FieldInfo) -> tuple[str, ...]:
    """Return the keys under which a setting may be written."""
    if not is_secret(field):
        return (name,)
    return (f"{name}_env", f"{name}_file", *([name] if more_of(field).get("inline") else ()))


def words_of(field: FieldInfo) -> tuple[str, ...]:
    """Return the words that a setting allows, none if it takes other values."""
    return next((get_args(part) for part in _parts_of(field) if get_origin(part) is Literal), ())


def _parts_of(field: FieldInfo) -> tuple[Any, ...]:
    return (field.annotation, *get_args(field.annotation))


def read(declaration: type[S], table: Table, also: Collection[str] = ()) -> S:
    """Return the settings as written in the table, with defaults for the rest.

    Args:
        also: the keys of the same table that another declaration has.

    Raises:
        ConfigError: the message names the file, the table, the key and what would be right.
    """
    values: dict[str, Any] = {k: value for k, value in table.data.items() if k not in also}
    keys = {name: keys_of(name, field) for name, field in declaration.model_fields.items()}
    written: dict[str, str] = {}
    for name, field in declaration.model_fields.items():
        if not is_secret(field):
            continue
        if name in values and name not in keys[name]:
            table.fail(name, f"must not be in this file; use {either(keys[name])} instead")
        given = [key for key in keys[name] if key in values]
        if len(given) > 1:
            table.fail(name, f"give only one of {either(keys[name])}")
        for key in given:
            written[name] = key
            values[name] = (key, values.pop(key))
    try:
        return declaration.model_validate(values, context=table)
    except ValidationError as error:
        # A key that is not a setting explains another that is missing.
        faults = error.errors(include_url=False)
        first = min(faults, key=lambda fault: fault["type"] != "extra_forbidden")
    # Not within the block: the error's text shows values, which may be secret.
    name = str(first["loc"][0]) if first["loc"] else ""
    reason = first.get("ctx", {}).get("error")
    if isinstance(reason, SettingError):
        table.fail(reason.key, str(reason))
    if first["type"] == "extra_forbidden":
        known = sorted([*(key for each in keys.values() for key in each), *also])
        close = _closest(name, known)
        table.fail(name, f"is not a setting here{close}; known: {', '.join(known)}")
    if first["type"] == "missing":
        table.fail(name, f"is missing; set {either(keys[name])}")
    said = str(reason) if reason else first["msg"].replace("Input should be", "must be")
    return table.fail(written.get(name, name), _SAID.get(first["type"], said))


def _path(raw: Any, info: ValidationInfo) -> Path:
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(_SAID["string_type"])
    table: Table = info.context  # type: ignore[assignment]
    return table.path(raw.strip())


def _time_span(written: str) -> timedelta:
    match = _TIME_SPAN.match(written) if isinstance(written, str) else None
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
        return Secret(check_url(value))
    if key.endswith("_env"):
        if not raw.isidentifier():
            raise ValueError("must be the name of an environment variable, not its value")
        value = os.environ.get(raw, "").strip()
        if not value:
            raise ValueError(f"the environment variable {raw} is not set")
    elif key.endswith("_file"):
        value = table.unwritten.get(value) or _from_file(table, table.path(value))
    else:
        _warn_if_open(table, table.file, f"holds a secret ({table.where} {key})")
    if len(value) < SHORTEST_SECRET:
        raise ValueError(
            f"must have at least {SHORTEST_SECRET} characters, because shorter secrets cannot be "
            "removed from logs reliably"
        )
    table.secrets.append(Secret(value))
    return Secret(value)


def _from_file(table: Table, file: Path) -> str:
    try:
        value = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ValueError(f"the file that it names cannot be read: {reason}") from None
    if not value:
        raise ValueError("the file that it names is empty")
    _warn_if_open(table, file, "holds a secret")
    return value


def _warn_if_open(table: Table, file: Path, what: str) -> None:
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
        table.warnings.append(f"{file} {what} and others may read it: run chmod 600 {file}")


def check_url(address: str) -> str:
    """Return an http or https address without credentials.

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
    return address


def without_slash(address: str) -> str:
    """Return the address without a slash at its end."""
    return address.rstrip("/")


def _as_list(raw: Any) -> Any:
    return [raw] if isinstance(raw, str) else raw


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A text that is not empty."""
Texts = Annotated[tuple[Text, ...], Strict(False)]
"""A list of texts."""
Names = Annotated[tuple[Text, ...], Strict(False), BeforeValidator(_as_list)]
"""A text, or a list of texts."""
Url = Annotated[Text, AfterValidator(check_url)]
"""An http or https address without credentials."""
SiteUrl = Annotated[Url, AfterValidator(without_slash)]
"""The same without a slash at its end."""
FilePath = Annotated[Path, BeforeValidator(_path)]
"""A path, relative to the configuration file."""
TimeSpan = Annotated[timedelta, BeforeValidator(_time_span)]
"""A time span such as "90m", "2h" or "3d"."""
SecretText = Annotated[Secret, PlainValidator(_secret)]
"""A secret, in the environment variable ``KEY_env`` or the file ``KEY_file``."""


def tags() -> Any:
    """Declare tags to use instead of the post's keywords, or None."""
    return setting("Tags to use instead of the post's keywords; `[]` for none.", None)


def category(about: str = "One category, or a list of them.") -> Any:
    """Declare the ``Names`` of categories."""
    return setting(about, ())


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
        inline=True,
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
