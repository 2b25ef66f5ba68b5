"""The service on a data folder: `run` and `web` record its address and a key, with which commands
and the service's own answers know each other."""

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.settings import DEFAULT_PUBLIC_URL, Settings

_UNSPECIFIED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not listened on


def url_of(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a service that listens on a host and port."""
    host = _UNSPECIFIED.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def opened(address: str, path: str, seconds: float, key: str = "") -> Any:
    """Return the answer of a service at an address, as ``urlopen`` does, which raises OSError or
    HTTPException. No proxy of the environment is asked: it may not reach this machine."""
    from urllib.request import ProxyHandler, Request, build_opener

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    # Settings and `record` have http and https only.
    request = Request(f"{address}{path}", headers=headers)  # noqa: S310
    return build_opener(ProxyHandler({})).open(request, timeout=seconds)


def public_url(settings: Settings) -> str:
    """Return COPYDESK_PUBLIC_URL, else the address of the service that was last started on the data
    folder, else the default address."""
    return settings.public_url or recorded(settings)[0] or DEFAULT_PUBLIC_URL


def recorded(settings: Settings) -> tuple[str, str]:
    """Return the address of the service that was last started on the data folder, and the key with
    which it tells a command more than everybody; "" for what is not recorded."""
    with suppress(OSError, ValueError):
        url, _, key = _file(settings).read_text("utf-8").strip().partition("\n")
        return url, key
    return "", ""


def record(settings: Settings, url: str) -> None:
    """Record the address of a service that starts, with a new key. Errors are ignored: it only
    saves the operator from setting COPYDESK_PUBLIC_URL on this machine."""
    with suppress(OSError):
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = _file(settings)
        file.touch(mode=0o600)
        file.chmod(0o600)
        file.write_text(f"{url}\n{secrets.token_urlsafe(32)}\n", "utf-8")


def _file(settings: Settings) -> Path:
    return settings.data_dir / "service.url"
