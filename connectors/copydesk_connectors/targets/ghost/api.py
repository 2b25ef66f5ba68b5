"""Ghost's Admin API."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Unavailable
from copydesk_connectors.target.http_api import HttpApi
from copydesk_connectors.target.http_client import Answer
from copydesk_connectors.target.secret import Secret

_KEY = re.compile(r"([0-9a-f]{24}):([0-9a-f]{64})\Z")
# Ghost refuses tokens whose iat is more than five minutes old, whatever exp says.
_LIFETIME_S = 300
# If the clocks differ by nearly five minutes, calls fail now and then.
SKEW_S = 240.0
_KEY_UNKNOWN = (
    "copy the Admin API key (not the Content API key) of an integration in Ghost: "
    "Settings > Integrations > Add custom integration"
)


class AdminApi(HttpApi):
    """Calls to one site. A path ends with a slash, such as "posts/"."""

    redirect_fix = (
        "set url to the address under which Ghost's admin is opened, "
        "without /ghost (Settings > Integrations shows it as API URL)"
    )

    def __init__(self, site: str, key: Secret, proxy: Secret | None = None) -> None:
        super().__init__(f"{site.rstrip('/')}/ghost/api/admin/", proxy)
        self._key = key
        self.skew_s: float | None = None
        """How many seconds this machine's clock was ahead of the site's at the last answer."""

    def authorization(self) -> str:
        """Return a token for one request."""
        return f"Ghost {token(self._key, int(time()))}"

    def send(self, method: str, url: str, **content: Any) -> Answer:
        """Send one request and compare the two clocks."""
        answer = super().send(method, url, **content)
        self.skew_s = _skew_s(time(), answer.headers)
        return answer

    def call(self, method: str, path: str, **content: Any) -> Any:
        """Send one request and return its JSON, which has what the path begins with."""
        found = super().call(method, path, **content)
        kind = path.split("/")[0]
        if found is not None and not (isinstance(found, Mapping) and kind in found):
            raise Unavailable(f"{self.host} answered with something else than what was asked for")
        return found

    def message(self, content: Any) -> str:
        """Return Ghost's sentence about the first error, and its context."""
        errors = content.get("errors") if isinstance(content, Mapping) else None
        if not isinstance(errors, list) or not errors or not isinstance(errors[0], Mapping):
            return ""
        said = [str(errors[0].get(key) or "").strip() for key in ("message", "context")]
        return " ".join(filter(None, said)) or "no reason given"

    def refusal(self, answer: Answer) -> ConnectorError:
        """Return Misconfigured if Ghost does not know the key."""
        refusal = self.said(answer)
        if refusal.status != 401 or not refusal.own:
            return refusal
        if self.skew_s is not None and abs(self.skew_s) > SKEW_S:
            return Misconfigured(
                f"the site does not accept the key: {skew_sentence(self.skew_s)}",
                "set this machine's clock (timedatectl set-ntp true), or the server's",
            )
        return Misconfigured(f"the site does not accept the key: {refusal}", _KEY_UNKNOWN)


def check_key(key: Secret) -> Secret:
    """Return an Admin API key, ``id:secret`` in hexadecimal, if it has that form.

    Raises:
        ValueError: the message does not show the key.
    """
    if _KEY.match(key.reveal()) is None:
        raise ValueError(
            "an Admin API key is 24 hexadecimal digits, a colon, and 64 more: copy the Admin API "
            "key, not the Content API key, of a custom integration (Settings > Integrations in "
            "Ghost)"
        )
    return key


def token(key: Secret, now_s: int) -> str:
    """Return a JSON Web Token for one request; ``now_s`` is in seconds since 1970."""
    key_id, secret = key.reveal().split(":")
    header = {"alg": "HS256", "kid": key_id, "typ": "JWT"}
    claims = {"iat": now_s, "exp": now_s + _LIFETIME_S, "aud": "/admin/"}
    signed = b".".join(_base64(json.dumps(part).encode()) for part in (header, claims))
    signature = hmac.digest(bytes.fromhex(secret), signed, hashlib.sha256)
    return b".".join([signed, _base64(signature)]).decode()


def _base64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def skew_sentence(skew_s: float) -> str:
    """Say how two clocks differ."""
    direction = "ahead of" if skew_s > 0 else "behind"
    return f"this machine's clock is {abs(skew_s) / 60:.0f} minutes {direction} the site's"


def _skew_s(now_s: float, headers: Mapping[str, str]) -> float | None:
    try:
        return now_s - parsedate_to_datetime(headers["Date"]).timestamp()
    except (KeyError, ValueError):
        return None
