"""A site of source pages on a loopback address: articles, and pages that mean harm."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler
from typing import Self

from tests.support.loopback import Handler, Server

# Writes to the socket on its own; it must check ``stop`` while it writes.
Script = Callable[[BaseHTTPRequestHandler, threading.Event], None]


@dataclass(frozen=True)
class Reply:
    """How a path is answered."""

    body: bytes = b""
    type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class SourceSite:
    """A context manager: in its block it listens. What ``pages`` does not have is a 404.

    Args:
        host: an address of this machine; two of them are two sites.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.host = host
        self.pages: dict[str, Reply | Script] = {}
        self.requests: list[tuple[str, Mapping[str, str], bytes]] = []
        self._stop = threading.Event()
        site = self

        class Page(Handler):
            protocol_version = "HTTP/1.1"

            def get(self) -> None:
                site._answer(self)

            post = get

        self._server = Server(Page, host)
        self.port = self._server.server_port

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str, *, host: str | None = None) -> str:
        return f"http://{host or self.host}:{self.port}{path}"

    def paths(self) -> list[str]:
        """Every path that was asked for, in order, with its query."""
        return [path for path, _, _ in self.requests]

    def add(self, path: str, html: str | bytes, **reply: object) -> str:
        """Put a page up; returns its URL."""
        body = html.encode() if isinstance(html, str) else html
        self.pages[path] = Reply(body, **reply)  # type: ignore[arg-type]
        return self.url(path)

    def redirect(self, path: str, to: str, status: int = 302) -> str:
        self.pages[path] = Reply(status=status, headers={"Location": to})
        return self.url(path)

    def script(self, path: str, script: Script) -> str:
        self.pages[path] = script
        return self.url(path)

    def _answer(self, handler: Handler) -> None:
        body = handler.read_body()
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append((handler.path, headers, body))
        handler.close_connection = True
        reply = self.pages.get(handler.path) or self.pages.get(handler.path.partition("?")[0])
        if callable(reply):
            reply(handler, self._stop)
            return
        reply = reply or Reply(b"nothing here", "text/plain", 404)
        handler.answer(reply.status, reply.body, {"Content-Type": reply.type, **reply.headers})


BRIDGE = (
    "The town council of Brackwater voted on Tuesday to rebuild the old harbour bridge.",
    "The bridge has been closed to cars and walkers since the storms of last spring.",
    "Engineers found that two of its seven piers had moved by eleven centimetres.",
    "A new deck of steel will rest on the granite that was laid in 1874, the council said.",
    "Fishermen had asked for a wider opening, so that larger boats can reach the quay.",
    "The work is to begin in March and to cost 4.2 million crowns in all.",
    "Two thirds of that will come from the county, and the rest from a toll on lorries.",
    "Shops at the harbour have lost a third of their customers while the bridge was shut.",
    "A ferry will carry people over the river for free until the bridge is open again.",
    "The mayor called the vote a good day for the harbour and for everyone who works there.",
    "The opposition wanted a tunnel instead, which would have taken nine years to dig.",
    "A first look at the plans is offered in the town hall every evening this week.",
)


RIVER = (
    "After months of argument there is a decision about the harbour bridge of Brackwater.",
    "By nine votes to four the councillors chose to repair it and not to tear it down.",
    "Anna Lindqvist, who runs a bakery on the quay, said that she could hardly believe it.",
    "She has lived with detours of twenty minutes for deliveries from across the water.",
    "According to the plan, divers will first make the ground around the piers firm.",
    "Then cranes lift out the cracked parts, and a factory upstream delivers new ones.",
    "The county gave its word to pay most of the bill, which is 4.2 million crowns.",
    "Drivers of heavy lorries are to pay the remainder with a toll of three crowns.",
    "Some neighbours fear the noise of night shifts that could last until late autumn.",
    "They have been promised that no hammering takes place between ten and six.",
    "Whoever walks may take a free boat, which leaves from the fish market every hour.",
    "The contract with the builders is going to be signed before the month is over.",
)


def article(
    title: str,
    sentences: tuple[str, ...] = BRIDGE,
    *,
    published: datetime | None = None,
    language: str = "en",
    extra: str = "",
) -> str:
    """A page as a newspaper has it: navigation, an article, a footer; ``extra`` is in the middle of
    the article, as it is."""
    said = published.isoformat() if published else ""
    date = f'<meta property="article:published_time" content="{said}">' if said else ""
    paragraphs = [
        f"<p>{' '.join(sentences[at : at + 3])}</p>" for at in range(0, len(sentences), 3)
    ]
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        f"<title>{title}</title>{date}</head><body>"
        '<nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>'
        f"<main><article><h1>{title}</h1>{''.join(paragraphs[:2])}{extra}"
        f"{''.join(paragraphs[2:])}</article></main><footer>© 2019 Imprint</footer></body></html>"
    )
