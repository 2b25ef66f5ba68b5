"""The source pages of the demo: short pages of this project's own, served on loopback.

Each page is a file in ``demo_pages``. It has statements in our own words, each with the public
body, university or encyclopedia that it comes from. The demo has no other sources, so it needs no
search service and shows the same facts every time.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Thread

_FEED = "/feed.xml"
_HTML = "text/html; charset=utf-8"
# Two names of this machine are two sites.
_HOSTS = {
    "cold_brew_steps": "127.0.0.1",
    "cold_brew_serving": "localhost",
    "raised_beds_building": "127.0.0.1",
    "raised_beds_growing": "localhost",
}


@dataclass(frozen=True)
class Statement:
    """A sentence of a page, and the name and URL of its origin."""

    text: str
    origin: str
    origin_url: str


@dataclass(frozen=True)
class DemoPage:
    """A source page; ``sections`` has the statements under each heading, "" for those above it."""

    host: str
    path: str
    title: str
    summary: str
    sections: Mapping[str, Sequence[Statement]]

    @property
    def statements(self) -> list[Statement]:
        return [statement for section in self.sections.values() for statement in section]

    def html(self) -> str:
        """Return the page. Each statement has the URL of its origin as data, and the footer lists
        the origins."""
        body = "".join(
            f"{_heading(heading)}<p>{' '.join(map(_span, section))}</p>"
            for heading, section in self.sections.items()
        )
        origins = dict.fromkeys((each.origin, each.origin_url) for each in self.statements)
        listed = "".join(
            f'<li><a href="{escape(url)}">{escape(name)}</a></li>' for name, url in origins
        )
        title = escape(self.title)
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"</head><body><article><h1>{title}</h1>{body}</article>"
            f"<footer><p>Origins</p><ul>{listed}</ul></footer></body></html>"
        )


class DemoSources:
    """Serves the pages on a loopback port, from ``start`` to ``stop``.

    ``settings`` are the environment variables with which a service finds them.
    """

    def __init__(self) -> None:
        bodies = {page.path: (_HTML, page.html().encode()) for page in demo_pages()}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(bodies))
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._port = self._server.server_port
        bodies[_FEED] = ("application/atom+xml", self._feed().encode())
        self.settings = {
            "COPYDESK_SOURCE_FEEDS": f"http://127.0.0.1:{self._port}{_FEED}",
            "COPYDESK_SOURCES_ALLOW_PRIVATE": "true",
        }

    def start(self) -> None:
        """Answer requests, in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Close the port. Works whether or not the pages were served."""
        if self._thread.is_alive():
            self._server.shutdown()
        self._server.server_close()

    def url(self, page: DemoPage) -> str:
        """Return the URL of a page."""
        return f"http://{page.host}:{self._port}{page.path}"

    def _feed(self) -> str:
        entries = "".join(
            f"<entry><title>{escape(page.title)}</title><id>{self.url(page)}</id>"
            f'<link href="{self.url(page)}"/><summary>{escape(page.summary)}</summary></entry>'
            for page in demo_pages()
        )
        return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Demo</title>{entries}</feed>'


@cache
def demo_pages() -> Sequence[DemoPage]:
    """Return the pages."""
    folder = files("app.commands").joinpath("demo_pages")
    return [
        _page(host, tomllib.loads(folder.joinpath(f"{name}.toml").read_text("utf-8")))
        for name, host in _HOSTS.items()
    ]


def statement_of(sentence: str) -> Statement | None:
    """Return the statement with these words, or None."""
    statements = (each for page in demo_pages() for each in page.statements)
    return next((each for each in statements if each.text == " ".join(sentence.split())), None)


def _page(host: str, data: Mapping[str, object]) -> DemoPage:
    origins, sections = data["origins"], data["sections"]
    assert isinstance(origins, dict)  # noqa: S101 - our own file
    assert isinstance(sections, list)  # noqa: S101 - our own file
    return DemoPage(
        host=host,
        path=str(data["path"]),
        title=str(data["title"]),
        summary=str(data["summary"]),
        sections={
            section["heading"]: [
                Statement(each["text"], **_origin(origins[each["origin"]]))
                for each in section["statements"]
            ]
            for section in sections
        },
    )


def _origin(entry: Mapping[str, str]) -> dict[str, str]:
    return {"origin": entry["name"], "origin_url": entry["url"]}


def _heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>" if text else ""


def _span(statement: Statement) -> str:
    return f'<span data-origin="{escape(statement.origin_url)}">{escape(statement.text)}</span>'


def _handler(bodies: Mapping[str, tuple[str, bytes]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = bodies.get(self.path, ("text/plain", b""))
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Print nothing: the output is the demo's."""

    return Handler
