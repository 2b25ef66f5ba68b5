"""Calls to a site's HTTP API, with answers sorted by what to do about them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from time import sleep
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

import requests

from copydesk_connectors.errors import ConnectorError, Misconfigured, Unavailable
from copydesk_connectors.http_answer import NO_ANSWER, retry_after_s

T = TypeVar("T")

# Seconds to connect, and between two bytes of the answer.
_TIMEOUT_S = (10.0, 45.0)
TRIES = 3
# The longest wait inside one step; a site that asks for more is left alone until the next pass.
_LONGEST_WAIT_S = 15.0
_USER_AGENT = "copydesk-connect"
_NO_JSON = (
    "a login wall, a firewall, a security plugin, maintenance, or another program at that address"
)


class Refusal(ConnectorError):
    """The site understood the request and said no: the HTTP status, its own sentence, and its own
    code for the case where it has one."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(f"{message} ({code}, {status})" if code else f"{message} ({status})")
        self.status = status
        self.code = code


def wait(error: Unavailable, tries: int) -> None:
    """Wait before the next try, or raise the error where waiting is no use here.

    The wait also lets the site finish a request whose connection was cut.
    """
    wait_s = float(2 ** (tries - 1)) if error.retry_after is None else error.retry_after
    if tries >= TRIES or wait_s > _LONGEST_WAIT_S:
        raise error
    sleep(wait_s)


def tried(step: Callable[[], T], look: Callable[[], T | None] = lambda: None) -> T:
    """What the step gives, tried again after a wait where there was no usable answer.

    Nobody knows then whether it was carried out: so ``look`` is called before every try but the
    first, and what it finds is taken. A step that may be repeated needs none.

    Raises:
        Unavailable: after the last try, or where the site asked for a long wait.
    """
    tries = 0
    while True:
        tries += 1
        try:
            return step()
        except Unavailable as error:
            wait(error, tries)
        if (found := look()) is not None:
            return found


class SiteCalls(ABC):
    """Requests to one site. Each is sent once; ``Unavailable`` does not tell whether it arrived.

    ``redirected`` says how to mend an address that redirects; ``form`` is what every answer is.
    """

    redirected: ClassVar[str]
    form: ClassVar[type] = object

    def __init__(self, site: str) -> None:
        self._host = urlsplit(site).netloc
        self._session = requests.Session()

    @abstractmethod
    def authorization(self) -> str:
        """The header that says who we are, made anew for each request."""

    @abstractmethod
    def refusal(self, status: int, content: Any) -> ConnectorError:
        """The error for an answer of 4xx; ``content`` is its JSON, None where it is none."""

    @abstractmethod
    def said(self, content: Any) -> str:
        """The site's own sentence in the JSON of an answer, "" where there is none."""

    def note(self, answer: requests.Response) -> None:
        """See every answer; here nothing of it matters."""
        _ = answer

    def send(self, method: str, url: str, **content: Any) -> requests.Response:
        """One request, with ``content`` in the words of ``requests``.

        Raises:
            Unavailable: there was no whole answer.
        """
        try:
            answer = self._session.request(
                method,
                url,
                headers={"User-Agent": _USER_AGENT, "Accept": "application/json"},
                auth=self._authorize,
                timeout=_TIMEOUT_S,
                # A redirect would turn a POST into a GET, or carry the secret elsewhere.
                allow_redirects=False,
                **content,
            )
        except NO_ANSWER as error:
            # Without the cause, whose text holds the address.
            raise Unavailable(f"{self._host} gave no answer ({type(error).__name__})") from None
        self.note(answer)
        return answer

    def read(self, answer: requests.Response) -> Any:
        """The JSON of a success; None for one without content.

        Raises:
            Unavailable, Misconfigured, Refusal
        """
        status = answer.status_code
        if status == 204:
            return None
        content = json_of(answer)
        if 200 <= status < 300:
            if content is None or not isinstance(content, self.form):
                raise Unavailable(
                    f"{self._host} answered with a web page or a broken answer in place of JSON "
                    f"({_NO_JSON})"
                )
            return content
        if 300 <= status < 400:
            target = answer.headers.get("Location", "another address").split("?")[0]
            raise Misconfigured(f"{self._host} redirects to {target}", self.redirected)
        if status in {408, 425, 429} or status >= 500:
            reason = ": ".join(
                filter(None, [f"{self._host} answered {status}", self.said(content)])
            )
            raise Unavailable(reason, retry_after_s(answer.headers))
        raise self.refusal(status, content)

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        # Not among the headers, where an entry of ~/.netrc would take its place.
        request.headers["Authorization"] = self.authorization()
        return request


def json_of(answer: requests.Response) -> Any:
    """The answer's JSON, None where it is none."""
    try:
        return answer.json()
    except ValueError:
        return None
