"""A site's Micropub endpoint: finding it, and calling it with the token."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from requests.utils import parse_header_links

from copydesk_connectors.target import (
    Answer,
    ConnectorError,
    HttpApi,
    Misconfigured,
    Refused,
    Unavailable,
    is_transient,
)
from copydesk_connectors.target.settings import has_possible_host, is_readable_on_the_way
from copydesk_micropub.settings import MicropubSettings

_PAGE_BYTES = 2_000_000
_MOST_REDIRECTS = 5


class Endpoint(HttpApi):
    """Calls with the token, which goes nowhere else."""

    redirect_fix = "set endpoint to the site's Micropub endpoint"

    def __init__(self, settings: MicropubSettings) -> None:
        super().__init__(settings.url, settings.proxy)
        self._settings = settings
        self._pages = HttpApi(settings.url, settings.proxy)
        self.address = settings.endpoint
        """Its address, "" until the first call finds it."""

    def ask(self, method: str, allowed: frozenset[int] = frozenset(), **content: Any) -> Answer:
        """Send one request to the endpoint.

        Args:
            allowed: statuses that are an answer as well.

        Raises:
            Unavailable, Misconfigured, Refused
        """
        self.address = self.address or self._safe(self._discovered())
        answer = self.send(method, self.address, **content)
        if answer.status_code not in allowed:
            self.raise_for_status(answer)
            # PHP sends this type with an empty answer as well, and some servers a page with a 201.
            is_html = answer.headers.get("Content-Type", "").startswith("text/html")
            if answer.status_code == 200 and is_html and answer.content.strip():
                raise Unavailable(f"{self.host} answered with a web page instead of a result")
        return answer

    def page(self, url: str) -> Answer:
        """Return a page as readers get it, without the token; redirects are followed."""
        for _ in range(_MOST_REDIRECTS):
            headers = {"Accept": "text/html"}
            page = self._pages.send("GET", url, headers=headers, most=_PAGE_BYTES, whole=False)
            if not 300 <= page.status_code < 400 or "Location" not in page.headers:
                return page
            url = urljoin(url, page.headers["Location"])
        raise Unavailable(f"{self.host} redirects without an end")

    def authorization(self) -> str:
        """Return the token."""
        return f"Bearer {self._settings.token.reveal()}"

    def message(self, content: Any) -> str:
        """Return the name of the error, as the recommendation has it."""
        error = content.get("error") if isinstance(content, Mapping) else None
        plain = isinstance(error, str) and re.fullmatch(r"[a-z_]{1,40}", error) is not None
        return str(error) if plain else ""

    def refusal(self, answer: Answer) -> ConnectorError:
        """Return Refused only if the endpoint itself named an error."""
        error = self.message(answer.json())
        problem = f"{self.host} answered {answer.status_code}" + (f" ({error})" if error else "")
        if answer.status_code in {401, 403}:
            fix = "make a token with the scopes create, update and draft, and configure it"
            return Misconfigured(problem, fix)
        if answer.status_code in {404, 405}:
            return Misconfigured(problem, self.redirect_fix)
        if not error:
            fix = "see whether a firewall or a security plugin answers instead of the endpoint"
            return Misconfigured(problem, fix)
        return Refused(problem)

    def _safe(self, address: str) -> str:
        """Return what a page names as the endpoint, if the token may go there."""
        if not has_possible_host(address):
            raise Misconfigured(
                f"{self.host} names a Micropub endpoint at a host that cannot exist",
                "have the site name its own address, or set endpoint to it",
            )
        if is_readable_on_the_way(address) and not self._settings.allow_http:
            raise Misconfigured(
                f"{self.host} names a Micropub endpoint without https: {urlsplit(address).netloc}",
                "have the site name its https address, or set endpoint to it",
            )
        return address

    def _discovered(self) -> str:
        """Return the endpoint by HTTP Link header, else by <link> or <a> (section 5.3)."""
        page = self.page(self.url)
        if is_transient(page.status_code):
            raise Unavailable(f"{self.host} answered {page.status_code}")
        for link in parse_header_links(page.headers.get("Link", "")):
            if "micropub" in link.get("rel", "").split():
                return urljoin(page.url, link["url"])
        tree = BeautifulSoup(page.content, "html.parser")
        found = tree.select_one('link[rel~="micropub"][href], a[rel~="micropub"][href]')
        if found is None:
            if len(page.content) < min(_length(page), _PAGE_BYTES):
                raise Unavailable(f"{self.host} sent only a part of its page")
            raise Misconfigured(
                f"{self.host} names no Micropub endpoint", "set endpoint to its address"
            )
        return urljoin(page.url, str(found["href"]))


def _length(page: Answer) -> int:
    """Return the length that the server announced, or 0."""
    said = page.headers.get("Content-Length", "")
    return int(said) if said.isdecimal() and len(said) < 10 else 0
