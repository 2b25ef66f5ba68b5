"""The WordPress REST API."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from json import JSONDecodeError, JSONDecoder, dumps
from typing import Any

from copydesk_connectors.target import http_api
from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Unavailable
from copydesk_connectors.target.http_api import TOO_LARGE, HttpApi, is_transient, retry
from copydesk_connectors.target.http_client import Answer
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.targets.wordpress.posts import in_three_bytes

_AUTHORIZATION_LOST = (
    "check the user name, or make an application password for this user (Users > Profile > "
    "Application Passwords) and configure it; if both are right, the web server drops the "
    "Authorization header: let it through (Apache: CGIPassAuth On)"
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
# What WordPress answers about meta that the user may not write. It has stored the post by then.
META_REFUSED = frozenset({"rest_cannot_update", "rest_cannot_delete", "rest_meta_database_error"})
# WordPress's codes for what its database did not store. By the last one, a post is stored.
_NOT_STORED = frozenset({"db_insert_error", "db_update_error", "rest_meta_database_error"})
# What a web page has, and a message of PHP does not.
_PAGE = re.compile(r"<(?:!doctype|html|head|body|script)\b", re.IGNORECASE)
_JSON_BEGINS = re.compile(r"[\[{]")
_MOST_BEGINNINGS = 1_000


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
        """Send one request; the first ones find where the API is."""
        route = path.removeprefix("/") if path.startswith("/") else f"wp/v2/{path}"
        answer = self.send(method, self.url + route, **content)
        if not self._found:
            answer = self._at_the_other_address(answer, method, route, **content)
        if _is_not_stored(answer, path):
            fields = {name: content[name] for name in ("json", "data") if content.get(name)}
            if (plain := in_three_bytes(fields)) != fields:
                answer = self.send(method, self.url + route, **{**content, **plain})
        found = self.read(answer)
        if not _has_form(found, method, path):
            raise Unavailable(f"{self.host} answered with something else than what was asked for")
        return found

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, **content: Any
    ) -> Answer:
        """Send one request. Messages of PHP around the JSON of the answer are left out.

        PHP and caches send the status 200 for an error as well; WordPress's JSON has the right one.
        """
        answer = super().send(method, url, headers=headers, **content)
        answer = answer if answer.json() is not None else _without_messages(answer)
        said = answer.json()
        data = said.get("data") if isinstance(said, Mapping) and "code" in said else None
        status = data.get("status") if isinstance(data, Mapping) else None
        if answer.status_code == 200 and isinstance(status, int):
            answer = replace(answer, status_code=status)
        return answer

    def _at_the_other_address(
        self, answer: Answer, method: str, route: str, **content: Any
    ) -> Answer:
        """Return the answer of ?rest_route= if /wp-json/ is not the API's address.

        A site with plain permalinks answers there with 404, a redirect or its front page. Every
        site has ?rest_route=, but some hosts block it.
        """
        if answer.json() is not None:
            self._found = True
        elif answer.status_code == 404 or (
            method == "GET" and not is_transient(answer.status_code)
        ):
            other = self.send(method, self._plain + route, **content)
            if other.json() is not None:
                self._found, self.url = True, self._plain
                return other
        return answer


def _has_form(content: Any, method: str, path: str) -> bool:
    """Return whether JSON is what WordPress answers to a request: a list of objects, or one."""
    if method == "GET" and "/" not in path:
        return isinstance(content, list) and all(isinstance(one, Mapping) for one in content)
    return isinstance(content, Mapping) and (method != "POST" or "id" in content)


def _is_not_stored(answer: Answer, path: str) -> bool:
    """Return whether WordPress stored nothing of a request because its database refused it."""
    said = answer.json() if answer.status_code == 500 else None
    code = said.get("code") if isinstance(said, Mapping) else ""
    return code in _NOT_STORED and (path != "posts" or code != "rest_meta_database_error")


def _without_messages(answer: Answer) -> Answer:
    """Return an answer with only the JSON in it, if messages of PHP surround that."""
    text = answer.content.decode("utf-8", "replace")
    value, begin, end = max(
        _values(text), key=lambda found: found[2] - found[1], default=(None, 0, 0)
    )
    if value is None or _PAGE.search(text[:begin] + text[end:]):
        return answer
    return replace(answer, content=dumps(value).encode())


def _values(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield the objects and lists of objects in a text, with begin and end; no part of another.

    An empty one has a line of its own: a message may contain "[]".
    """
    end = 0
    for match in islice(_JSON_BEGINS.finditer(text), _MOST_BEGINNINGS):
        begin = match.start()
        if begin < end:
            continue
        try:
            value, end = JSONDecoder().raw_decode(text, begin)
        except (JSONDecodeError, RecursionError):
            continue
        before, behind = text[begin - 1 : begin], text[end : end + 1]
        if not value:
            whole = before in {"", "\n"} and behind in {"", "\n", "\r", "<"}
        else:
            inside = text[max(0, begin - 40) : begin].rstrip().endswith(("[", ",", ":"))
            whole = not inside and all(isinstance(part, Mapping | str) for part in value)
        if whole:
            yield value, begin, end
