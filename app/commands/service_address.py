"""The address of the service on a data folder: `run` and `web` record it, and commands read it."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from app.settings import Settings

_NAME = "service.json"
_UNSPECIFIED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not listened on


def url_of(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a service that listens on a host and port."""
    host = _UNSPECIFIED.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def public_url(settings: "Settings") -> str:
    """Return COPYDESK_PUBLIC_URL, else the address of the service that uses the data folder, else
    the default address."""
    from app.settings import DEFAULT_PUBLIC_URL

    return settings.public_url or _recorded(settings.data_dir / _NAME) or DEFAULT_PUBLIC_URL


@contextmanager
def recorded(settings: "Settings", url: str) -> Iterator[None]:
    """Record the address while the block runs, readable only by this user.

    If another service already uses the data folder, its record stays, and a line on stderr says so.
    Errors in writing the record are ignored.
    """
    path = settings.data_dir / _NAME
    if (other := _recorded(path)) is not None:
        click.echo(f"note: {other} is a service on the same data folder", err=True)
        yield
        return
    with suppress(OSError):
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"url": url, "pid": os.getpid()}, file)
    try:
        yield
    finally:
        if _recorded(path) == url:
            with suppress(OSError):
                path.unlink()


def _recorded(path: Path) -> str | None:
    """Return the recorded address; None if there is none or its process has ended."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        url, pid = str(record["url"]), int(record["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        os.kill(pid, 0)
    except PermissionError:  # another user's process: it is running
        return url
    except (OSError, OverflowError):
        return None
    return url
