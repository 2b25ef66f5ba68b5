"""Ghost's Admin API as plain calls, with answers sorted by what to do about them."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import sleep, time
from typing import Any
from urllib.parse import urlsplit

import requests

from copydesk_connectors.errors import ConnectorError, Misconfigured, Unavailable
from copydesk_connectors.http_answer import retry_after_s
from copydesk_connectors.targets.ghost.key import AdminKey

# Seconds to connect, and between two bytes of the answer.
_TIMEOUT_S = (10.0, 45.0)
TRIES = 3
# The longest wait inside one step; a site that asks for more is left alone until the next pass.
_LONGEST_WAIT_S = 15.0
_USER_AGENT = "copydesk-connect"
# Ghost takes tokens for five minutes; a clock that is nearly as far off fails now and then.
SKEW_S = 240.0
_KEY_LOST = (
    "copy the Admin API key (not the Content API key) of an integration in Ghost: "
    "Settings > Integrations > Add custom integration"
)
_MAINTENANCE = "a login wall, a firewall, maintenance, or no Ghost at that address"


class Refusal(ConnectorError):
    """Ghost understood the request and said no: the HTTP status and its own sentences."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{message} ({status})")
        self.status = status


class AdminApi:
    """Calls to one site.

    ``get`` is tried again by itself. The others are not: after an Unavailable nobody knows
    whether they were carried out, so the caller has to look first.
    """

    def __init__(self, site: str, key: AdminKey) -> None:
        self._api = f"{site.rstrip('/')}/ghost/api/admin/"
        self._host = urlsplit(site).netloc
        self._key = key
        self._session = requests.Session()
        self.skew_s: float | None = None
        """By how many seconds this machine's clock was ahead of the site's at the last answer."""

    def get(self, path: str, **query: str | int) -> Any:
        """Read; ``path`` is below /ghost/api/admin/ and ends with a slash, such as "posts/".

        Raises:
            Unavailable, Misconfigured: as every call.
            Refusal: any other answer that is no success.
        """
        tries = 0
        while True:
            tries += 1
            try:
                return self._call("GET", path, query)
            except Unavailable as error:
                self.wait(error, tries)

    def post(self, path: str, body: Mapping[str, Any], **query: str | int) -> Any:
        """Create; sent once."""
        return self._call("POST", path, query, json=body)

    def put(self, path: str, body: Mapping[str, Any], **query: str | int) -> Any:
        """Change; sent once."""
        return self._call("PUT", path, query, json=body)

    def delete(self, path: str) -> None:
        """Remove; sent once."""
        self._call("DELETE", path, {})

    def upload(self, path: str, name: str, content: bytes, media_type: str) -> Any:
        """Create a file; sent once."""
        return self._call("POST", path, {}, files={"file": (name, content, media_type)})

    def wait(self, error: Unavailable, tries: int) -> None:
        """Wait before the next try, or raise the error where waiting is no use here.

        The wait also lets the site finish a request whose connection was cut.
        """
        wait_s = float(2 ** (tries - 1)) if error.retry_after is None else error.retry_after
        if tries >= TRIES or wait_s > _LONGEST_WAIT_S:
            raise error
        sleep(wait_s)

    def _call(self, method: str, path: str, query: Mapping[str, str | int], **content: Any) -> Any:
        now_s = time()
        try:
            answer = self._session.request(
                method,
                self._api + path,
                params=query,
                headers={
                    "Authorization": f"Ghost {self._key.token(int(now_s))}",
                    "User-Agent": _USER_AGENT,
                    "Accept": "application/json",
                },
                timeout=_TIMEOUT_S,
                # A redirect would turn a POST into a GET, or carry the token elsewhere.
                allow_redirects=False,
                **content,
            )
        except requests.RequestException as error:
            raise Unavailable(f"{self._host} gave no answer ({type(error).__name__})") from None
        self.skew_s = _skew_s(now_s, answer.headers)
        return self._read(answer)

    def _read(self, answer: requests.Response) -> Any:
        status = answer.status_code
        if status == 204:
            return None
        content = _json(answer)
        if 200 <= status < 300:
            if not isinstance(content, Mapping):
                raise Unavailable(
                    f"{self._host} answered with a web page or a broken answer in place of JSON "
                    f"({_MAINTENANCE})"
                )
            return content
        if 300 <= status < 400:
            target = answer.headers.get("Location", "another address").split("?")[0]
            raise Misconfigured(
                f"{self._host} redirects to {target}",
                "set url to the address under which Ghost's admin is opened, "
                "without /ghost (Settings > Integrations shows it as API URL)",
            )
        if status in {408, 425, 429} or status >= 500:
            raise Unavailable(f"{self._host} answered {status}", retry_after_s(answer.headers))
        refusal = _refusal(status, content)
        if status == 401:
            raise self._unknown(refusal)
        raise refusal

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


def _json(answer: requests.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _refusal(status: int, content: Any) -> Refusal:
    errors = content.get("errors") if isinstance(content, Mapping) else None
    if not isinstance(errors, list) or not errors or not isinstance(errors[0], Mapping):
        return Refusal(status, "a web page in place of an answer")
    said = [str(errors[0].get(key) or "").strip() for key in ("message", "context")]
    return Refusal(status, " ".join(filter(None, said)) or "no reason given")
