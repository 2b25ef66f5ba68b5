"""The page of the editorial bench in a real browser: marks, results, keyboard, phone, dark."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bench.editorial_page import page
from bench.editorial_requests import load_requests
from tests.support.screenshot import SECONDS, screenshot

pytestmark = pytest.mark.browser

REQUESTS = {request.name: request for request in load_requests()}
RUN = {
    "id": "0a1b2c3d", "started": "2026-11-23 00:00 UTC", "processors": 2, "model": "large-model-9",
    "editor": None, "writing": "whole", "temperature": 0.7, "seed": 1, "qualityVersion": "9.9.9",
}  # fmt: skip
# A page around the page: it uses the page in a frame of a phone's width, and reports. Its picture
# arrives after the report, and Chromium waits for it.
PROBE = """<!doctype html><title>Probe</title>
<iframe src="/page" style="width: 320px; height: 900px; border: 0"></iframe>
<img src="/reported" alt="">
<script>
const frame = document.querySelector("iframe");
frame.onload = async () => {
  const page = frame.contentDocument, view = frame.contentWindow, root = page.documentElement;
  const seen = () => page.body.innerText;
  const width = () => [root.scrollWidth, root.clientWidth];
  const press = (key) => page.body.dispatchEvent(new view.KeyboardEvent("keydown", {key, bubbles: true}));
  const mark = (value) => {
    const field = page.getElementById("mark");
    field.value = value;
    field.dispatchEvent(new view.Event("input", {bubbles: true}));
  };
  const moved = (act) => new Promise((done) => {
    view.addEventListener("hashchange", () => done(), {once: true});
    act();
  });
  view.confirm = () => true;
  const report = {widths: [width()], before: seen(), colours: [
    view.getComputedStyle(page.body).color, view.getComputedStyle(page.body).backgroundColor]};
  mark("7.5");
  press("m");
  report.focus = page.activeElement.id;
  page.activeElement.blur();
  await moved(() => press("n"));
  report.second = page.querySelector("main > .shown h2").innerText;
  report.empty = page.getElementById("mark").value;
  mark("11");
  report.refused = seen();
  await moved(() => { view.location.hash = "results"; });
  report.waiting = seen();
  page.getElementById("reveal").click();
  report.results = seen();
  report.widths.push(width());
  await moved(() => page.querySelector("#tables a[href$='" + page.querySelector("main > section").id + "']").click());
  report.first = page.getElementById("mark").value;
  mark("3");
  report.kept = JSON.parse(view.localStorage.getItem("copydesk-editorial-0a1b2c3d"));
  await fetch("/report", {method: "POST", body: JSON.stringify(report)});
};
</script>"""  # noqa: E501


def _post(number: int) -> dict[str, Any]:
    request = list(REQUESTS.values())[number]
    return {
        "id": f"post{number}", "request": request.name, "kind": request.kind,
        "heldOut": request.held_out, "language": request.request.language, "sources": True,
        "result": "accepted", "title": f"Title {number}", "description": "What it says.",
        "markdown": "Text.\n", "words": 500, "score": 97, "findings": [], "revisions": 1,
        "html": f"<p>{'Donaudampfschifffahrt' * 9}</p><table><tr>{'<td>Something</td>' * 9}</tr>"
        "</table><pre>" + "code " * 60 + "</pre>",
        "calls": 3, "promptTokens": 2000, "completionTokens": 1000, "seconds": 61.0,
    }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    reports: list[dict[str, Any]]
    reported: threading.Event

    def do_GET(self) -> None:
        if self.path == "/reported":
            self.reported.wait(SECONDS)
            self.send_error(404)
            return
        posts = [_post(number) for number in range(3)]
        text = PROBE if self.path == "/probe" else page({"run": RUN, "posts": posts}, REQUESTS)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.reports.append(json.loads(self.rfile.read(length)))
        self.reported.set()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served() -> Iterator[tuple[str, type[_Handler]]]:
    """The page on this machine, and its handler, which takes reports."""
    handler = type("Handler", (_Handler,), {"reports": [], "reported": threading.Event()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_posts_are_marked_blind_by_keyboard_on_a_phone_and_then_the_results_appear(
    served: tuple[str, type[_Handler]], tmp_path: Path, dark: bool
) -> None:
    url, handler = served
    screenshot(f"{url}/probe", tmp_path / "probe.png", 360, 960, dark=dark)
    (report,) = handler.reports
    for scroll, client in report["widths"]:
        assert scroll == client <= 320
    text, back = (_brightness(colour) for colour in report["colours"])
    assert (text > back) is dark
    assert abs(text - back) > 450

    for seen in (report["before"], report["waiting"]):
        assert "large-model-9" not in seen
        assert "97" not in seen
    assert "Read each post sentence by sentence" in report["before"]
    assert "0 of 3 posts marked" in report["before"]
    assert "This mark is not kept" not in report["before"]
    assert "This mark is not kept" in report["refused"]
    assert report["focus"] == "mark"
    assert report["second"] == "Post 2 of 3"
    assert report["empty"] == ""

    assert "large-model-9" in report["results"]
    assert "97.0" in report["results"]
    assert "1 of 3 posts marked" in report["results"]
    assert "not tuned on held-out requests" in report["results"]
    assert report["first"] == "7.5"
    kept = report["kept"]
    assert kept["revealed"] is True
    marks = list(kept["marks"].values())
    assert [each["mark"] for each in marks] == [3, None], "11 is no mark"
    assert marks[0]["blind"] is False, "it was changed after the results were shown"


def _brightness(colour: str) -> int:
    return sum(int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(",")[:3])
