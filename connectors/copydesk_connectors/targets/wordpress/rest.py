"""The WordPress REST API as plain calls."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from copydesk_connectors.errors import ConnectorError, Misconfigured
from copydesk_connectors.secret import Secret
from copydesk_connectors.targets import site_calls
from copydesk_connectors.targets.site_calls import SiteCalls, json_of, tried

_CORE = "wp/v2/"
_AUTHORIZATION_LOST = (
    "make an application password for this user (Users > Profile > Application Passwords) and "
    "configure it; if it is right, the web server drops the Authorization header: let it through "
    "(Apache: CGIPassAuth On)"
)


class Refusal(site_calls.Refusal):
    """The same with what WordPress says beside, of any form."""

    data: Any = None


class Rest(SiteCalls):
    """Calls to one site. A ``path`` is below wp/v2/, such as "posts", unless another API is named.

    ``get`` is tried again by itself. The others are not: after an Unavailable nobody knows
    whether they were carried out, so the caller has to look first. All raise Unavailable,
    Misconfigured, and Refusal for any other answer that is no success.
    """

    redirected = "set url to the address that the site itself uses"

    def __init__(self, site: str, username: str, password: Secret) -> None:
        super().__init__(site)
        self._site = site
        self._username = username
        self._password = password
        self._pretty = f"{site}/wp-json/"
        # Where the API is, which the first answer tells.
        self._prefix: str | None = None

    def get(self, path: str, *, api: str = _CORE, **query: str | int) -> Any:
        """Read."""
        return tried(lambda: self._call("GET", api + path, params=query))

    def options(self, path: str) -> Any:
        """What a path takes, as a JSON Schema among other things."""
        return tried(lambda: self._call("OPTIONS", _CORE + path))

    def post(self, path: str, body: Mapping[str, Any], *, api: str = _CORE) -> Any:
        """Create or change; sent once."""
        return self._call("POST", api + path, json=body)

    def delete(self, path: str, **query: str | int) -> Any:
        """Remove; sent once."""
        return self._call("DELETE", _CORE + path, params=query)

    def upload(
        self, path: str, name: str, content: bytes, media_type: str, fields: Mapping[str, str]
    ) -> Any:
        """Create a file; sent once."""
        file = (name, content, media_type)
        return self._call("POST", _CORE + path, files={"file": file}, data=fields)

    def authorization(self) -> str:
        """The application password, by Basic authentication."""
        login = f"{self._username}:{self._password.reveal()}".encode()
        return f"Basic {b64encode(login).decode()}"

    def said(self, content: Any) -> str:
        """WordPress's sentence and its code for the case."""
        if not isinstance(content, Mapping) or "code" not in content:
            return ""
        return f"{content.get('message') or 'no reason given'} ({content['code']})"

    def refusal(self, status: int, content: Any) -> ConnectorError:
        """WordPress's own sentence, or that there is none."""
        refusal = Refusal(status, "a web page in place of an answer")
        if self.said(content):
            message = str(content.get("message") or "no reason given")
            refusal = Refusal(status, message, str(content["code"]))
            refusal.data = content.get("data")
        if status == 401:
            return Misconfigured(
                f"the site does not accept the user: {refusal}", _AUTHORIZATION_LOST
            )
        return refusal

    def _call(self, method: str, path: str, **content: Any) -> Any:
        answer = self.send(method, f"{self._prefix or self._pretty}{path}", **content)
        if self._prefix is None:
            # A site whose permalinks are plain has no /wp-json; ?rest_route= is there on every
            # site but blocked by some hosts.
            if answer.status_code == 404 and not isinstance(json_of(answer), Mapping):
                self._prefix = f"{self._site}/?rest_route=/"
                return self._call(method, path, **content)
            self._prefix = self._pretty
        return self.read(answer)
