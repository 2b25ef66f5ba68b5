"""The WordPress REST API as plain calls, with answers sorted by what to do about them."""

from collections.abc import Mapping
from time import sleep
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.auth import HTTPBasicAuth

from copydesk_connectors.errors import ConnectorError, Misconfigured, Unavailable
from copydesk_connectors.http_answer import retry_after_s
from copydesk_connectors.secret import Secret

# Seconds to connect, and between two bytes of the answer.
_TIMEOUT_S = (10.0, 45.0)
TRIES = 3
# The longest wait inside one step; a site that asks for more is left alone until the next pass.
_LONGEST_WAIT_S = 15.0
_USER_AGENT = "copydesk-connect"
_AUTHORIZATION_LOST = (
    "make an application password for this user (Users > Profile > Application Passwords) and "
    "configure it; if it is right, the web server drops the Authorization header: let it through "
    "(Apache: CGIPassAuth On)"
)


class Refusal(ConnectorError):
    """WordPress understood the request and said no: the HTTP status, its code and its sentence."""

    def __init__(self, status: int, code: str, message: str, data: Mapping[str, Any]) -> None:
        super().__init__(f"{message} ({code}, {status})" if code else f"{message} ({status})")
        self.status = status
        self.code = code
        self.data = data


class Rest:
    """Calls to one site.

    ``get`` is tried again by itself. ``post`` and ``delete`` are not: after an Unavailable nobody
    knows whether they were carried out, so the caller has to look first.
    """

    def __init__(self, site: str, username: str, password: Secret) -> None:
        self._site = site.rstrip("/")
        self._host = urlsplit(site).netloc
        self._username = username
        self._password = password
        self._session = requests.Session()
        self._prefix: str | None = None

    def get(self, path: str, **query: str | int) -> Any:
        """Read; ``path`` is below /wp/v2, such as "posts".

        Raises:
            Unavailable, Misconfigured: as every call.
            Refusal: any other answer that is no success.
        """
        tries = 0
        while True:
            tries += 1
            try:
                return self._call("GET", path, query=query)
            except Unavailable as error:
                self.wait(error, tries)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Create or change; sent once."""
        return self._call("POST", path, body=body)

    def delete(self, path: str, **query: str | int) -> Any:
        """Remove; sent once."""
        return self._call("DELETE", path, query=query)

    def wait(self, error: Unavailable, tries: int) -> None:
        """Wait before the next try, or raise the error where waiting is no use here.

        The wait also lets the site finish a request whose connection was cut.
        """
        wait_s = float(2 ** (tries - 1)) if error.retry_after is None else error.retry_after
        if tries >= TRIES or wait_s > _LONGEST_WAIT_S:
            raise error
        sleep(wait_s)

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        if self._prefix is None:
            self._prefix = self._find_prefix()
        return self._read(self._send(method, f"{self._prefix}{path}", query, body))

    def _find_prefix(self) -> str:
        # A site whose permalinks are plain has no /wp-json; ?rest_route= is there on every site
        # but blocked by some hosts.
        pretty = f"{self._site}/wp-json/wp/v2/"
        answer = self._send("GET", f"{pretty}users/me", {"_fields": "id"}, None)
        if answer.status_code == 404 and not isinstance(_json(answer), Mapping):
            return f"{self._site}/?rest_route=/wp/v2/"
        return pretty

    def _send(
        self,
        method: str,
        url: str,
        query: Mapping[str, str | int] | None,
        body: Mapping[str, Any] | None,
    ) -> requests.Response:
        try:
            return self._session.request(
                method,
                url,
                params=query,
                json=body,
                auth=HTTPBasicAuth(self._username.encode(), self._password.reveal().encode()),
                headers={"User-Agent": _USER_AGENT, "Accept": "application/json"},
                timeout=_TIMEOUT_S,
                # A redirect would turn a POST into a GET, or carry the password elsewhere.
                allow_redirects=False,
            )
        except requests.RequestException as error:
            raise Unavailable(f"{self._host} gave no answer ({type(error).__name__})") from None

    def _read(self, answer: requests.Response) -> Any:
        status = answer.status_code
        content = _json(answer)
        if 200 <= status < 300:
            if content is None:
                raise Unavailable(
                    f"{self._host} answered with a web page or a broken answer in place of JSON "
                    "(a login wall, a security plugin, maintenance, or a PHP error)"
                )
            return content
        if 300 <= status < 400:
            target = answer.headers.get("Location", "another address").split("?")[0]
            raise Misconfigured(
                f"{self._host} redirects to {target}",
                "set url to the address that the site itself uses",
            )
        if status in {408, 425, 429} or status >= 500:
            raise Unavailable(f"{self._host} answered {status}", retry_after_s(answer.headers))
        refusal = _refusal(answer, content)
        if status == 401:
            raise Misconfigured(
                f"the site does not accept the user: {refusal}", _AUTHORIZATION_LOST
            )
        raise refusal


def _json(answer: requests.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _refusal(answer: requests.Response, content: Any) -> Refusal:
    if not isinstance(content, Mapping) or "code" not in content:
        return Refusal(answer.status_code, "", "a web page in place of an answer", {})
    data = content.get("data")
    return Refusal(
        answer.status_code,
        str(content["code"]),
        str(content.get("message") or "no reason given"),
        data if isinstance(data, Mapping) else {},
    )
