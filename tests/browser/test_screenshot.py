"""Screenshots show the page at the asked-for size and in the asked-for colours."""

import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.screenshot import screenshot

pytestmark = pytest.mark.browser

# Which images the browser fetches tells what it believes of its window and its reader.
PAGE = b"""<!doctype html><title>Probe</title><link rel="icon" href="data:,">
<style>
  body { background: url(/light.svg) }
  @media (prefers-color-scheme: dark) { body { background: url(/dark.svg) } }
  @media (max-width: 400px) { main { background: url(/phone.svg) } }
</style><main>Probe</main>"""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


class PageServer(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), PageHandler)
        self.fetched: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class PageHandler(BaseHTTPRequestHandler):
    server: PageServer

    def do_GET(self) -> None:
        self.server.fetched.add(self.path)
        body, kind = (PAGE, "text/html") if self.path == "/" else (SVG, "image/svg+xml")
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_is_told_the_colour_scheme(server: PageServer, tmp_path: Path, dark: bool) -> None:
    screenshot(server.url, tmp_path / "page.png", 1280, 800, dark)
    assert png_size(tmp_path / "page.png") == (1280, 800)
    assert server.fetched == {"/", "/dark.svg" if dark else "/light.svg"}


def test_a_phones_width_is_laid_out_as_such(server: PageServer, tmp_path: Path) -> None:
    screenshot(server.url, tmp_path / "page.png", 390, 844)
    assert png_size(tmp_path / "page.png") == (390, 844)
    assert "/phone.svg" in server.fetched


def test_a_page_that_cannot_be_loaded_is_an_error(tmp_path: Path) -> None:
    with PageServer() as server:
        url = server.url
    with pytest.raises(RuntimeError, match="ERR_CONNECTION_REFUSED"):
        screenshot(url, tmp_path / "page.png")
    assert list(tmp_path.iterdir()) == []
