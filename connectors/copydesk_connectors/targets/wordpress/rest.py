"""The WordPress REST API."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from copydesk_connectors.target import http_api
from copydesk_connectors.target.errors import ConnectorError, Misconfigured
from copydesk_connectors.target.http_api import TOO_LARGE, HttpApi, retry
from copydesk_connectors.target.http_client import Answer
from copydesk_connectors.target.secret import Secret

_AUTHORIZATION_LOST = (
    "make an application password for this user (Users > Profile > Application Passwords) and "
    "configure it; if it is right, the web server drops the Authorization header: let it through "
    "(Apache: CGIPassAuth On)"
)
# WordPress's own codes for 401; any other code is a plugin's.
_LOGIN_CODES = frozenset(
    {
        "application_passwords_disabled",
        "application_passwords_disabled_for_user",
        "incorrect_password",
        "invalid_email",
        "invalid_username",
        "rest_forbidden",
        "rest_forbidden_context",
        "rest_not_logged_in",
        "rest_cannot_create",
        "rest_cannot_edit",
    }
)
_PLUGIN_BLOCKS = (
    "a security plugin blocks the REST API: allow it for this user, "
    'or set protocol = "xmlrpc" in this target'
)
_BLOCKED = (
    "a firewall, security plugin or host blocks the REST API: let /wp-json/ through, "
    'or set protocol = "xmlrpc" in this target'
)


# What WordPress answers about meta that the user may not write.
_META_REFUSED = frozenset({"rest_cannot_update", "rest_cannot_delete", "rest_meta_database_error"})


class Refusal(http_api.Refusal):
    """A refusal with WordPress's data about the case, in any form."""

    data: Any = None

    @property
    def fix(self) -> str:
        """What the owner can do if the refusal is not about a post."""
        if self.status == 413 and not self.own:
            return TOO_LARGE
        return _PLUGIN_BLOCKS if self.own else _BLOCKED


class Rest(HttpApi):
    """Calls to one site.

    A path is below wp/v2/, such as "posts", unless it begins with a slash: "/copydesk/v1/posts".
    """

    def __init__(
        self, site: str, username: str, password: Secret, proxy: Secret | None = None
    ) -> None:
        super().__init__(f"{site}/wp-json/", proxy)
        self._plain = f"{site}/?rest_route=/"
        self._found = False
        self._username = username
        self._password = password

    def options(self, path: str) -> Any:
        """Return what a path takes, as a JSON Schema among other things."""
        return retry(lambda: self.call("OPTIONS", path))

    def authorization(self) -> str:
        """Return the application password, by Basic authentication."""
        login = f"{self._username}:{self._password.reveal()}".encode()
        return f"Basic {b64encode(login).decode()}"

    def message(self, content: Any) -> str:
        """Return WordPress's sentence and its code for the case."""
        if not isinstance(content, Mapping) or "code" not in content:
            return ""
        return f"{content.get('message') or 'no reason given'} ({content['code']})"

    def refusal(self, answer: Answer) -> ConnectorError:
        """Return WordPress's refusal with its code; Misconfigured if the user is not accepted."""
        status, content = answer.status_code, answer.json()
        refusal = Refusal(status, "a web page instead of an answer")
        if self.message(content):
            message = str(content.get("message") or "no reason given")
            data = content.get("data")
            own = isinstance(data, Mapping) and data.get("status") == status
            refusal = Refusal(status, message, str(content["code"]), own=own)
            refusal.data = data
        if status == 401:
            plugin = refusal.code and refusal.code not in _LOGIN_CODES
            fix = _PLUGIN_BLOCKS if plugin else _AUTHORIZATION_LOST
            return Misconfigured(f"the site does not accept the user: {refusal}", fix)
        return refusal

    def call(self, method: str, path: str, **content: Any) -> Any:
        """Send one request; the first one finds where the API is."""
        route = path.removeprefix("/") if path.startswith("/") else f"wp/v2/{path}"
        answer = self.send(method, self.url + route, **content)
        if not self._found:
            self._found = True
            # A site with plain permalinks has no /wp-json. Every site has ?rest_route=, but some
            # hosts block it.
            if answer.status_code == 404 and not isinstance(answer.json(), Mapping):
                self.url = self._plain
                answer = self.send(method, self.url + route, **content)
        return self.read(answer)


def is_about_meta(refusal: Refusal) -> bool:
    """Return whether a post was refused only for its meta. WordPress has stored it by then."""
    return refusal.code in _META_REFUSED
