"""The plain HTML site in a real browser: wide, on a phone, in the dark."""

import json
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from tests.support.screenshot import screenshot

pytestmark = pytest.mark.browser

BODY = (
    '<p>Ask <a href="https://shop.example/" rel="sponsored noopener" target="_blank">Acme</a>.</p>'
    "<h2>What are raised beds?</h2><p>" + "They hold soil above the ground. " * 12 + "</p>"
    "<blockquote><p><strong>Mind:</strong> water them.</p></blockquote>"
    "<table><thead><tr>"
    + "<th>Heading</th>" * 9
    + "</tr></thead><tbody><tr>"
    + "<td>Something</td>" * 9
    + "</tr></tbody></table>"
    f"<p>{'Donaudampfschifffahrt' * 9}</p><pre>{'code ' * 60}</pre>"
    "<h3>How often?</h3><p>Monthly.</p>"
)
# A page around the page: it measures it in a frame of a phone's width, and reports.
PROBE = """<!doctype html><title>Probe</title>
<iframe src="PAGE" style="width: 320px; height: 900px; border: 0"></iframe>
<script>
const frame = document.querySelector("iframe");
frame.onload = async () => {
  const page = frame.contentDocument, view = frame.contentWindow, root = page.documentElement;
  const style = view.getComputedStyle(page.body);
  const targets = [...page.querySelectorAll("a")];
  await fetch("/report", {method: "POST", body: JSON.stringify({
    clientWidth: root.clientWidth, scrollWidth: root.scrollWidth,
    colours: [style.color, style.backgroundColor],
    unreachable: targets.filter((each) => each.tabIndex < 0 || !each.href).length,
    links: targets.length,
    unscrollable: [...page.querySelectorAll("main *")].filter((each) =>
      each.scrollWidth > each.clientWidth && view.getComputedStyle(each).overflowX === "auto"
      && each.tabIndex < 0).length,
  })});
};
</script>"""


class _Handler(SimpleHTTPRequestHandler):
    page = ""
    reports: list[dict[str, Any]]

    def do_GET(self) -> None:
        if self.path != "/probe":
            super().do_GET()
            return
        body = PROBE.replace("PAGE", type(self).page).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        type(self).reports.append(json.loads(self.rfile.read(length)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with three posts."""
    folder = tmp_path / "site"
    settings = {"path": str(folder), "title": "Garden notes", "base_url": "https://blog.example"}
    target = TARGETS["html"]("html", Table(settings, "[[target]] 1", tmp_path / "copydesk.toml"))
    for number in range(3):
        made = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
        title = f"Why raised garden beds are better, part {number + 1}"
        about = "Learn why raised beds drain better, and what to put in them before the frost."
        slug = f"beds-{number}"
        target.publish(Post(f"itm_{number}", title, slug, about, ("soil",), BODY, "", made), "")
    return folder


@pytest.fixture
def served(site: Path) -> Iterator[tuple[str, type[_Handler]]]:
    """The site on this machine, and its handler, which takes reports."""
    handler = type("Handler", (_Handler,), {"reports": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages_fit_a_phone_and_follow_the_readers_colours(
    served: tuple[str, type[_Handler]], tmp_path: Path, dark: bool
) -> None:
    """dark mode, keyboard, phone: nothing is wider than the phone, every link can be reached"""
    url, handler = served
    kept = Path(os.environ.get("ARTIFACTS") or tmp_path)
    for page in ("index.html", "beds-0.html"):
        handler.page = f"/{page}"
        shot = kept / f"static-{Path(page).stem}-{'dark' if dark else 'light'}.png"
        screenshot(f"{url}/probe", shot, 360, 960, dark=dark)
        report = handler.reports.pop()
        assert report["scrollWidth"] == report["clientWidth"] <= 320
        assert report["links"] > 0
        assert report["unreachable"] == 0
        assert report["unscrollable"] == 0, "by keyboard"
        text, back = (sum(_rgb(colour)) for colour in report["colours"])
        assert (text > back) is dark
        assert abs(text - back) > 450, "text and ground differ plainly"


def _rgb(colour: str) -> list[int]:
    return [int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(",")[:3]]
