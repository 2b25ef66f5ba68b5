"""Calls to a site's HTTP API, with answers sorted by what to do about them."""

from collections.abc import Callable, Mapping
from time import sleep as sleep
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.http_client import Answer, HttpClient, retry_after_s
from copydesk_connectors.target.secret import Secret

T = TypeVar("T")

TOO_LARGE = "raise the web server's limit for requests (nginx: client_max_body_size)"
_TRIES = 3
# If a site asks for a longer wait, the engine leaves it alone until the next pass.
_LONGEST_WAIT_S = 15.0
_NO_JSON = (
    "a login wall, a firewall, a security plugin, maintenance, or another program at that address"
)
_ALLOW_IN_CLOUDFLARE = (
    "let this machine through: in Cloudflare, add a rule under Security > WAF that skips "
    "challenges for the addresses of the site's API"
)


class Refusal(ConnectorError):
    """The site refused the request.

    Attributes:
        status: the HTTP status.
        code: the site's own error code, or "".
        own: whether the site's own software answered. Otherwise a firewall, a web server or a
            network answered in its place, for example with a web page.
    """

    def __init__(self, status: int, message: str, code: str = "", *, own: bool = False) -> None:
        super().__init__(f"{message} ({code}, {status})" if code else f"{message} ({status})")
        self.status = status
        self.code = code
        self.own = own


def retry(step: Callable[[], T], find: Callable[[], T | None] = lambda: None) -> T:
    """Return the result of ``step``; try it up to three times while there is no usable answer.

    Args:
        find: looks for the result of an earlier try, because a request without an answer may have
            been carried out. Called before every retry. A step that may be repeated needs none.

    Raises:
        Unavailable: after the last try, or if the site asks for a wait of more than 15 seconds.
    """
    for tried in range(_TRIES):
        try:
            return step()
        except Unavailable as error:
            # The wait also lets the site finish a request whose connection was cut.
            wait_s = float(2**tried) if error.retry_after is None else error.retry_after
            if tried == _TRIES - 1 or wait_s > _LONGEST_WAIT_S:
                raise
        sleep(wait_s)
        if (found := find()) is not None:
            return found
    raise AssertionError("the last try returns or raises")


def is_transient(status: int) -> bool:
    """Return whether the same request may succeed later."""
    return status in {408, 425, 429} or status >= 500


class HttpApi:
    """Requests to one site, with a bearer token if there is one.

    Derive from it to read the site's errors, or to authorize in another way.

    A path is appended to ``url``. ``get`` is retried. Other requests are sent once: they may have
    been carried out even if they raise Unavailable, so look before you send one again. All raise
    Unavailable, Misconfigured, or the error of ``refusal`` for a 4xx.
    """

    redirect_fix: ClassVar[str] = "set url to the address that the site itself uses"
    """How the owner fixes an address that redirects."""

    def __init__(self, url: str, proxy: Secret | None = None, token: Secret | None = None) -> None:
        self.url = url
        self.host = urlsplit(url).netloc
        self._http = HttpClient(self.host, proxy)
        self._token = token

    def authorization(self) -> str:
        """Return the Authorization header for one request, or ""."""
        return "" if self._token is None else f"Bearer {self._token.reveal()}"

    def message(self, content: Any) -> str:
        """Return the site's own sentence in the JSON of an error, or ""."""
        del content
        return ""

    def refusal(self, answer: Answer) -> ConnectorError:
        """Return the error for an answer of 4xx.

        Misconfigured if the answer is not the site's own, and for 401 and 403; a Refusal for 404,
        409 and 410, which callers may expect; else Refused.
        """
        said = self.said(answer)
        if not said.own:
            return Misconfigured(f"{self.host}: {said}", f"check the address ({_NO_JSON})")
        if said.status in {401, 403}:
            return Misconfigured(f"{self.host}: {said}", "check the credentials and their rights")
        return said if said.status in {404, 409, 410} else Refused(f"{self.host}: {said}")

    def said(self, answer: Answer) -> Refusal:
        """Return what an answer of 4xx says."""
        said = self.message(answer.json())
        return Refusal(
            answer.status_code, said or "a web page instead of an answer", own=bool(said)
        )

    def get(self, path: str, **query: str | int) -> Any:
        """Read."""
        return retry(lambda: self.call("GET", path, params=query))

    def post(self, path: str, body: Mapping[str, Any], **query: str | int) -> Any:
        """Create or change."""
        return self.call("POST", path, params=query, json=body)

    def put(self, path: str, body: Mapping[str, Any], **query: str | int) -> Any:
        """Change."""
        return self.call("PUT", path, params=query, json=body)

    def delete(self, path: str, **query: str | int) -> Any:
        """Remove."""
        return self.call("DELETE", path, params=query)

    def upload(
        self,
        path: str,
        name: str,
        content: bytes,
        media_type: str,
        fields: Mapping[str, str] | None = None,
    ) -> Any:
        """Create a file, with form fields beside it."""
        return self.call("POST", path, files={"file": (name, content, media_type)}, data=fields)

    def call(self, method: str, path: str, **content: Any) -> Any:
        """Send one request and return the JSON of its answer."""
        return self.read(self.send(method, self.url + path, **content))

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, **content: Any
    ) -> Answer:
        """Send one request to a full address and return its answer, whatever its status.

        ``content`` are options of ``HttpClient.request``. Raises Unavailable.
        """
        given = {"Accept": "application/json", **(headers or {})}
        if authorization := self.authorization():
            given["Authorization"] = authorization
        return self._http.request(method, url, headers=given, **content)

    def read(self, answer: Answer) -> Any:
        """Return the JSON of a success, or None if it has no content."""
        self.raise_for_status(answer)
        if answer.status_code == 204:
            return None
        content = answer.json()
        if content is None:
            self._raise_for_cloudflare(answer)
            raise Unavailable(
                f"{self.host} answered with a web page or a broken answer instead of JSON "
                f"({_NO_JSON})"
            )
        return content

    def raise_for_status(self, answer: Answer) -> None:
        """Return if the answer is a success; else raise the error it means."""
        status = answer.status_code
        if 200 <= status < 300:
            return
        content = answer.json()
        if content is None:
            self._raise_for_cloudflare(answer)
        if status < 400:
            place = answer.headers.get("Location", "another address").split("?")[0]
            raise Misconfigured(f"{self.host} redirects to {place}", self.redirect_fix)
        if is_transient(status):
            parts = [f"{self.host} answered {status}", self.message(content)]
            raise Unavailable(": ".join(filter(None, parts)), retry_after_s(answer.headers))
        raise self.refusal(answer)

    def _raise_for_cloudflare(self, answer: Answer) -> None:
        """Raise if Cloudflare answered with a page of its own."""
        status, headers = answer.status_code, answer.headers
        challenged = headers.get("cf-mitigated", "").lower() == "challenge"
        if not challenged and headers.get("Server", "").lower() != "cloudflare":
            return
        problem = (
            f"Cloudflare answered {status} instead of {self.host}, with a challenge or an error "
            "page"
        )
        if challenged or status == 403:
            raise Misconfigured(problem, _ALLOW_IN_CLOUDFLARE)
        if status == 503:  # its older challenges, or a site that is down for a moment
            raise Unavailable(
                f"{problem}; if it stays, {_ALLOW_IN_CLOUDFLARE}", retry_after_s(headers)
            )
