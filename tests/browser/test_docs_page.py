"""GET /v1/docs in a real browser: self-contained, on a phone, in dark mode, by keyboard."""

import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from app.settings import Settings
from tests.support.screenshot import screenshot

pytestmark = pytest.mark.browser

# A page around the page: it measures it in a frame of the asked-for width, and reports.
PROBE = """<!doctype html><title>Probe</title>
<iframe src="/copy" style="width: WIDTHpx; height: 900px; border: 0"></iframe>
<script>
const frame = document.querySelector("iframe");
frame.onload = async () => {
  const page = frame.contentDocument, root = page.documentElement, view = frame.contentWindow;
  for (const each of page.querySelectorAll("details")) each.open = true;
  const wide = [...page.querySelectorAll("body *")].filter((each) => {
    for (let parent = each; parent; parent = parent.parentElement)
      if (["auto", "scroll"].includes(view.getComputedStyle(parent).overflowX)) return false;
    return each.getBoundingClientRect().right > root.clientWidth + 1;
  });
  const colours = (selector) => {
    const found = page.querySelector(selector);
    let behind = found;
    while (view.getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)")
      behind = behind.parentElement;
    const style = view.getComputedStyle(found);
    return [style.color, view.getComputedStyle(behind).backgroundColor];
  };
  const focusable = [...page.querySelectorAll("a[href], summary, [tabindex]")];
  const scrolling = [...page.querySelectorAll("pre, table")]
    .filter((each) => each.scrollWidth > each.clientWidth);
  await fetch("/report", {method: "POST", body: JSON.stringify({
    clientWidth: root.clientWidth,
    scrollWidth: root.scrollWidth,
    wide: wide.map((each) => each.outerHTML.slice(0, 200)),
    colours: Object.fromEntries(SELECTORS.map((each) => [each, colours(each)])),
    first: focusable[0].className,
    unreachable: scrolling.filter((each) => each.tabIndex < 0).length,
    contents: [...page.querySelectorAll("nav .narrow, nav .wide")]
      .filter((each) => each.getClientRects().length).map((each) => each.className),
  })});
};
</script>"""
SELECTORS = ("main p", ".kind", "main a", "pre code", "td code", "nav a")


class PageServer(ThreadingHTTPServer):
    """The page as it is served, a copy of it for the probe, and what the probe reports."""

    def __init__(self, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.text, self.page_headers = text, headers
        self.width = 1280
        self.fetched: list[str] = []
        self.report: dict[str, Any] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: PageServer

    def do_GET(self) -> None:
        self.server.fetched.append(self.path)
        if self.path == "/v1/docs":
            self._send(200, self.server.text, self.server.page_headers)
        elif self.path == "/copy":
            self._send(200, self.server.text, {})
        elif self.path == "/bare":
            style = self.server.text.split("</style>")[0].split("<style>")[1]
            self._send(200, self.server.text.replace(style, ""), {})
        elif self.path == "/probe":
            probe = PROBE.replace("WIDTH", str(self.server.width))
            self._send(200, probe.replace("SELECTORS", json.dumps(SELECTORS)), {})
        else:
            self._send(404, "", {})

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.report = json.loads(self.rfile.read(length))
        self._send(204, "", {})

    def _send(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"):
            if name in headers:
                self.send_header(name, headers[name])
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    page = create_app(Settings(data_dir=tmp_path)).test_client().get("/v1/docs")
    with PageServer(page.text, page.headers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_the_page_is_whole_under_its_own_policy(server: PageServer, tmp_path: Path) -> None:
    """Its style is applied, and nothing but the page itself is fetched."""
    pictures = {}
    for path in ("v1/docs", "copy", "bare"):
        picture = tmp_path / f"{path.replace('/', '-')}.png"
        screenshot(f"{server.url}/{path}", picture, 1000, 700)
        pictures[path] = picture.read_bytes()
    assert pictures["v1/docs"] == pictures["copy"], "the policy takes nothing away"
    assert pictures["v1/docs"] != pictures["bare"]
    assert set(server.fetched) - {"/favicon.ico"} == {"/v1/docs", "/copy", "/bare"}


@pytest.mark.parametrize(
    ("width", "dark"), [(320, True), (390, False), (768, False), (1280, True), (1280, False)]
)
def test_the_page_fits_and_can_be_read(
    server: PageServer, tmp_path: Path, width: int, dark: bool
) -> None:
    """No sideways scrolling but inside code and tables; text at WCAG's contrast AA."""
    server.width = width
    screenshot(f"{server.url}/probe", tmp_path / "probe.png", 1400, 1000, dark)
    report = server.report
    assert report, "the probe has reported"
    assert report["clientWidth"] in range(width - 20, width + 1)
    assert report["wide"] == []
    assert report["scrollWidth"] <= report["clientWidth"]
    for selector, (text, behind) in report["colours"].items():
        assert contrast(text, behind) >= 4.5, (selector, text, behind)
    assert brightness(report["colours"]["main p"][1]) < 0.2 if dark else True
    # By keyboard: past the contents in one step, and every example can be scrolled.
    assert report["first"] == "skip"
    assert report["unreachable"] == 0
    assert report["contents"] == (["wide"] if width >= 1024 else ["narrow"])


def brightness(colour: str) -> float:
    """The relative luminance of a colour written rgb(r, g, b)."""
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    lighter, darker = sorted((brightness(first), brightness(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
