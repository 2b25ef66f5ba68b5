"""Ghost's Admin API as plain calls, with answers sorted by what to do about them."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

import requests

from copydesk_connectors.errors import ConnectorError, Misconfigured
from copydesk_connectors.targets.ghost.key import AdminKey
from copydesk_connectors.targets.site_calls import Refusal, SiteCalls, tried

# Ghost takes tokens for five minutes; a clock that is nearly as far off fails now and then.
SKEW_S = 240.0
_KEY_LOST = (
    "copy the Admin API key (not the Content API key) of an integration in Ghost: "
    "Settings > Integrations > Add custom integration"
)


class AdminApi(SiteCalls):
    """Calls to one site.

    ``get`` is tried again by itself. The others are not: after an Unavailable nobody knows
    whether they were carried out, so the caller has to look first.
    """

    form = Mapping
    redirected = (
        "set url to the address under which Ghost's admin is opened, "
        "without /ghost (Settings > Integrations shows it as API URL)"
    )

    def __init__(self, site: str, key: AdminKey) -> None:
        super().__init__(site)
        self._api = f"{site.rstrip('/')}/ghost/api/admin/"
        self._key = key
        self.skew_s: float | None = None
        """By how many seconds this machine's clock was ahead of the site's at the last answer."""

    def get(self, path: str, **query: str | int) -> Any:
        """Read; ``path`` is below /ghost/api/admin/ and ends with a slash, such as "posts/".

        Raises:
            Unavailable, Misconfigured: as every call.
            Refusal: any other answer that is no success.
        """
        return tried(lambda: self._call("GET", path, params=query))

    def post(self, path: str, body: Mapping[str, Any], **query: str | int) -> Any:
        """Create; sent once."""
        return self._call("POST", path, params=query, json=body)

    def put(self, path: str, body: Mapping[str, Any], **query: str | int) -> Any:
        """Change; sent once."""
        return self._call("PUT", path, params=query, json=body)

    def delete(self, path: str) -> None:
        """Remove; sent once."""
        self._call("DELETE", path)

    def upload(self, path: str, name: str, content: bytes, media_type: str) -> Any:
        """Create a file; sent once."""
        return self._call("POST", path, files={"file": (name, content, media_type)})

    def authorization(self) -> str:
        """A token for one request."""
        return f"Ghost {self._key.token(int(time()))}"

    def note(self, answer: requests.Response) -> None:
        """See how the two clocks differ."""
        self.skew_s = _skew_s(time(), answer.headers)

    def refusal(self, status: int, content: Any) -> ConnectorError:
        """Ghost's own sentences, or that there is none."""
        refusal = Refusal(status, self.said(content) or "a web page in place of an answer")
        return self._unknown(refusal) if status == 401 else refusal

    def said(self, content: Any) -> str:
        """Ghost's sentence about the first error, and what it says about the case at hand."""
        errors = content.get("errors") if isinstance(content, Mapping) else None
        if not isinstance(errors, list) or not errors or not isinstance(errors[0], Mapping):
            return ""
        said = [str(errors[0].get(key) or "").strip() for key in ("message", "context")]
        return " ".join(filter(None, said)) or "no reason given"

    def _call(self, method: str, path: str, **content: Any) -> Any:
        return self.read(self.send(method, self._api + path, **content))

    def _unknown(self, refusal: Refusal) -> Misconfigured:
        if self.skew_s is not None and abs(self.skew_s) > SKEW_S:
            return Misconfigured(
                f"the site does not accept the key: {skew_sentence(self.skew_s)}",
                "set this machine's clock (timedatectl set-ntp true), or the server's",
            )
        return Misconfigured(f"the site does not accept the key: {refusal}", _KEY_LOST)


def skew_sentence(skew_s: float) -> str:
    """What to say of two clocks that differ."""
    direction = "ahead of" if skew_s > 0 else "behind"
    return f"this machine's clock is {abs(skew_s) / 60:.0f} minutes {direction} the site's"


def _skew_s(now_s: float, headers: Mapping[str, str]) -> float | None:
    try:
        return now_s - parsedate_to_datetime(headers["Date"]).timestamp()
    except (KeyError, ValueError):
        return None
