"""The types of settings. Each reads the text of a variable, and says what is wrong with it."""

import json
import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr

from app.core.billing.costs import Micros, Price, parse_dollars, parse_prices

# The members of a call that no operator can change.
_OWN_MEMBERS = frozenset({"model", "messages", "stream"})
_MAIL_ADDRESS = re.compile(r"[!-?A-~]+@[!-?A-~]+")  # ASCII without spaces
_REDIS_SCHEMES = ("redis://", "rediss://", "unix://")


def _address(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    if "@" in urlsplit(value).netloc:
        # The URL is logged with every call. Keys have their own variables.
        raise ValueError("must not contain a user name or password")
    # Imported here, because most commands run without any address.
    from app.core.addresses import http_url

    parsed = http_url(value)
    # Some clients read fewer names of hosts than this parser.
    return (value if value.isascii() else str(parsed)).rstrip("/")


def _feeds(value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    for url in value:
        _address(url.get_secret_value())
    return value


def _key(value: SecretStr) -> SecretStr:
    if not re.fullmatch(r"[!-~]+", value.get_secret_value()):
        raise ValueError("must be printable ASCII without spaces; check the copied value")
    return value


def _database(value: SecretStr) -> SecretStr:
    scheme, colon, rest = value.get_secret_value().partition("://")
    # Providers print these schemes; the driver is ours to choose.
    if scheme in {"postgres", "postgresql"}:
        scheme = "postgresql+psycopg"
    if not colon or scheme not in {"sqlite", "postgresql+psycopg"}:
        raise ValueError("must begin with postgresql:// or sqlite:///")
    return SecretStr(f"{scheme}://{rest}")


def _redis(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().startswith(_REDIS_SCHEMES):
        raise ValueError("must begin with redis://, rediss:// or unix://")
    return value


def _smtp(value: SecretStr) -> SecretStr:
    try:
        parts = urlsplit(value.get_secret_value())
        is_valid = parts.scheme in {"smtp", "smtps"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise ValueError("must be such as smtps://user:password@mail.example.com:465")
    return value


def _mail_address(value: str) -> str:
    if not _MAIL_ADDRESS.fullmatch(value):
        raise ValueError("must be an e-mail address, such as copydesk@example.com")
    return value


def _host_and_port(value: str) -> str:
    host, _, port = value.rpartition(":")
    is_port = re.fullmatch(r"[1-9]\d{0,4}", port, re.ASCII) and int(port) < 65536
    if not is_port or not re.fullmatch(r"\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.\-]+", host):
        raise ValueError("must be a host and a port, such as 127.0.0.1:9464 or [::1]:9464")
    return value


def _members(value: str) -> str:
    try:
        members = json.loads(value)
    except (ValueError, RecursionError):
        members = None
    if not isinstance(members, dict):
        raise ValueError('must be a JSON object, such as {"enable_thinking": false}')
    if own := _OWN_MEMBERS & members.keys():
        raise ValueError(f"must not contain {' or '.join(sorted(own))}, which Copydesk sets")
    return value


def _prices(value: object) -> object:
    return tuple(parse_prices(value).items()) if isinstance(value, str) else value


def _dollars(value: object) -> object:
    return parse_dollars(value) if isinstance(value, str) else value


def _list(value: object) -> object:
    return value.replace(",", " ").split() if isinstance(value, str) else value


Address = Annotated[str, AfterValidator(_address)]
Key = Annotated[SecretStr, AfterValidator(_key)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(_database)]
RedisUrl = Annotated[SecretStr, AfterValidator(_redis)]
SmtpUrl = Annotated[SecretStr, AfterValidator(_smtp)]
MailAddress = Annotated[str, AfterValidator(_mail_address)]
# The URL of a feed can hold a key.
Feeds = Annotated[tuple[SecretStr, ...], BeforeValidator(_list), AfterValidator(_feeds)]
HostAndPort = Annotated[str, AfterValidator(_host_and_port)]
# As a text, because settings must be hashable.
Members = Annotated[str, AfterValidator(_members)]
# Pairs, for the same reason.
Prices = Annotated[tuple[tuple[str, Price], ...], BeforeValidator(_prices)]
Dollars = Annotated[Micros, BeforeValidator(_dollars)]
