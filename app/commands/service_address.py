"""The address of the service on a data folder: `run` and `web` record it, and commands read it."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.settings import Settings

_UNSPECIFIED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not listened on


def url_of(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a service that listens on a host and port."""
    host = _UNSPECIFIED.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def public_url(settings: "Settings") -> str:
    """Return COPYDESK_PUBLIC_URL, else the address of the service that was last started on the data
    folder, else the default address."""
    from app.settings import DEFAULT_PUBLIC_URL

    recorded = ""
    with suppress(OSError, ValueError):
        recorded = _file(settings).read_text("utf-8")
    return settings.public_url or recorded or DEFAULT_PUBLIC_URL


def record(settings: "Settings", url: str) -> None:
    """Record the address of a service that starts. Errors are ignored: it only saves the operator
    from setting COPYDESK_PUBLIC_URL on this machine."""
    with suppress(OSError):
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        _file(settings).write_text(url, "utf-8")


def _file(settings: "Settings") -> Path:
    return settings.data_dir / "service.url"
