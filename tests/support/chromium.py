"""Debian's Chromium, driven: opened pages, keys, sizes, pictures, and what its console says.

    with Browser() as browser:
        browser.open("http://127.0.0.1:8000/")
        assert browser.evaluate("document.title") == "A page"
        assert browser.complaints == []

It speaks the DevTools protocol through two pipes; no port is opened.
"""

import base64
import json
import os
import select
import time
from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Self

from tests.support.process_group import ProcessGroup
from tests.support.sites.cache import made_once, npm_package
from tests.support.sites.programs import program, start_or_skip

SECONDS = 60.0
AXE = "axe-core@4.14.1"
FLAGS = (
    "--headless",
    # Root has no other way, and the pages are our own.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)
KEYS = {"Tab": 9, "ArrowRight": 39, "Enter": 13, "Escape": 27, " ": 32, "ArrowDown": 40}
TEXTS = {"Enter": "\r", " ": " "}
CONTROL, SHIFT = 2, 8


class Browser:
    """A context manager around one page of a fresh Chromium.

    ``complaints`` are the errors of its console so far, among them scripts that failed and files
    that could not be loaded.

    Raises:
        NotInstalled: there is no Chromium.
    """

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.accepts_dialogs = True
        self.dialogs: list[str] = []
        self._last = 0
        self._buffer = b""
        self._loads = 0
        self._session = ""

    def __enter__(self) -> Self:
        chromium = program("chromium")
        self._group = ProcessGroup()
        try:
            self._start(chromium)
        except BaseException:
            self._group.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._group.close()
        os.close(self._to)
        os.close(self._from)

    def open(self, url: str) -> None:
        """Open an address and wait until it has loaded."""
        loads = self._loads
        self._call("Page.navigate", url=url)
        self._wait_for_load(loads)

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for.

        Raises:
            AssertionError: the script failed.
        """
        done = self._call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def text(self, selector: str) -> str:
        """What people read in the first element of a selector."""
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))

    def until(self, condition: str) -> None:
        """Wait until a JavaScript expression is true. What comes with the page's first picture,
        such as the focus that ``autofocus`` gives, can be missing when it has just loaded."""
        look = f"const look = () => {condition} ? done() : requestAnimationFrame(look); look()"
        self.evaluate(f"new Promise(done => {{ {look} }})")

    def wait_for(self, selector: str) -> None:
        """Wait until a page that reloads itself has an element."""
        loads = self._loads
        while not self.evaluate(f"!!document.querySelector({json.dumps(selector)})"):
            self._wait_for_load(loads)
            loads = self._loads

    def submit(self, selector: str) -> None:
        """Click an element that leads to another page, and wait until that has loaded."""
        loads = self._loads
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")
        self._wait_for_load(loads)

    def click(self, element: str) -> None:
        """Click with the mouse on an element that leads to another page, and wait until that has
        loaded. ``element`` is a JavaScript expression."""
        loads = self._loads
        self.point(element)
        self._wait_for_load(loads)

    def point(self, element: str, clicks: int = 1) -> None:
        """Click with the mouse on an element that leads nowhere; three clicks select its line."""
        x, y = self.evaluate(
            f"(element => {{ element.scrollIntoView({{block: 'center'}}); const box ="
            f" element.getClientRects()[0]; return [box.x + box.width / 2, box.y + box.height / 2]"
            f" }})({element})"
        )
        for count in range(1, clicks + 1):
            for event in ("mousePressed", "mouseReleased"):
                one = {"x": x, "y": y, "button": "left", "clickCount": count}
                self._call("Input.dispatchMouseEvent", type=event, **one)

    def copy(self) -> None:
        """Press Ctrl+C: the clipboard has what is selected."""
        self._command("c", "copy")

    def paste(self) -> None:
        """Press Ctrl+V where the focus is."""
        self._command("v", "paste")

    def press(self, key: str, shift: bool = False) -> None:
        """Press a key of KEYS."""
        event = {"key": key, "code": key if key != " " else "Space"}
        codes = {"windowsVirtualKeyCode": KEYS[key], "modifiers": SHIFT * shift}
        text = {"text": TEXTS[key]} if key in TEXTS else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", **event, **codes, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", **event, **codes)

    def type(self, text: str) -> None:
        """Write a text where the focus is."""
        self._call("Input.insertText", text=text)

    def choose_file(self, selector: str, path: Path) -> None:
        """Choose a file of this machine in a field for files."""
        script = f"document.querySelector({json.dumps(selector)})"
        field = self._call("Runtime.evaluate", expression=script)["result"]["objectId"]
        self._call("DOM.setFileInputFiles", files=[str(path)], objectId=field)

    def press_and_load(self, key: str) -> None:
        """Press a key that leads to another page, and wait until that has loaded."""
        loads = self._loads
        self.press(key)
        self._wait_for_load(loads)

    def resize(self, width: int, height: int = 900, dark: bool = False) -> None:
        """Give the page a size, and tell it which colours the reader prefers."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[colours])

    def set_zone(self, name: str) -> None:
        """Live in that time zone, such as Asia/Tokyo; "" for the machine's."""
        self._call("Emulation.setTimezoneOverride", timezoneId=name)

    def without_scripts(self, disabled: bool) -> None:
        """Let the next pages run no scripts."""
        self._call("Emulation.setScriptExecutionDisabled", value=disabled)

    def set_cookies(self, url: str, cookies: Mapping[str, str]) -> None:
        """Give it the cookies of a site."""
        for name, value in cookies.items():
            self._call("Network.setCookie", url=url, name=name, value=value)

    def clear_cookies(self) -> None:
        """Take all cookies away."""
        self._call("Network.clearBrowserCookies")

    def screenshot(self, path: Path) -> None:
        """Write a picture of the whole page."""
        done = self._call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(done["data"]))

    def keep_picture(self, name: str) -> None:
        """Keep a picture in the folder that ARTIFACTS names, else in var/artifacts."""
        file = Path(os.environ.get("ARTIFACTS") or "var/artifacts", f"{name}.png")
        file.parent.mkdir(parents=True, exist_ok=True)
        self.screenshot(file)

    def look(self, name: str, width: int, dark: bool = False, part: str = "document") -> None:
        """See the page at a width, dark or light: it fits, and axe-core finds nothing in a part of
        it. A picture of that name is kept."""
        self.resize(width, dark=dark)
        assert self.evaluate("document.documentElement.scrollWidth") <= width, name
        self.keep_picture(f"{name}-{width}-{'dark' if dark else 'light'}")
        found = self.violations(part)
        assert not found, (name, found)

    def violations(self, part: str = "document") -> Any:
        """Return the rules of accessibility that a part of the page breaks, each with the elements
        that break it, as axe-core finds them. Without npm the test is skipped, but never in CI."""
        with start_or_skip(lambda: nullcontext(_axe())) as script:
            self.evaluate(script)
        return self.evaluate(
            f"axe.run({part}).then(({{violations}}) => violations.map(one => "
            "[one.id, one.nodes.map(node => node.html.slice(0, 200))]))"
        )

    def _command(self, key: str, command: str) -> None:
        # Without a desktop, Chromium does not know the keys for its commands.
        event = {"key": key, "code": f"Key{key.upper()}", "modifiers": CONTROL}
        self._call("Input.dispatchKeyEvent", type="rawKeyDown", commands=[command], **event)
        self._call("Input.dispatchKeyEvent", type="keyUp", **event)

    def _start(self, chromium: str) -> None:
        folder = self._group.folder
        for name in ("in", "out"):
            os.mkfifo(folder / name)
        # Chromium reads commands from descriptor 3 and answers on 4.
        script = 'in=$1 out=$2; shift 2; exec "$@" 3<"$in" 4>"$out"'
        flags = [*FLAGS, f"--user-data-dir={folder / 'profile'}", "--remote-debugging-pipe"]
        pipes = [str(folder / "in"), str(folder / "out")]
        self._group.spawn(
            ["sh", "-c", script, "sh", *pipes, chromium, *flags],
            log=folder / "chromium.log",
            env={"HOME": str(folder)},
        )
        self._to = os.open(pipes[0], os.O_WRONLY)
        self._from = os.open(pipes[1], os.O_RDONLY)
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        made = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = made["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{part}.enable")

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        number = self._last
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self._read(deadline)
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return dict(answer["result"])

    def _wait_for_load(self, before: int) -> None:
        deadline = time.monotonic() + SECONDS
        while self._loads == before:
            self._read(deadline)

    def _read(self, deadline: float) -> dict[str, Any]:
        """The next message of Chromium."""
        while b"\0" not in self._buffer:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self._from], [], [], left)[0]:
                raise AssertionError(f"Chromium did not answer within {SECONDS:.0f} s")
            part = os.read(self._from, 1 << 20)
            assert part, "Chromium ended"
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, told: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loads += 1
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled" and told["type"] in {"error", "assert"}:
            self.complaints.append(str(told["args"]))
        elif event == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.complaints.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
        elif event == "Page.javascriptDialogOpening":
            self.dialogs.append(told["message"])
            self._last += 1
            command = {"id": self._last, "sessionId": self._session}
            command |= {
                "method": "Page.handleJavaScriptDialog",
                "params": {"accept": self.accepts_dialogs},
            }
            os.write(self._to, json.dumps(command).encode() + b"\0")


@cache
def _axe() -> str:
    """The script of axe-core, fetched when the cache does not hold it."""

    def make(partial: Path) -> Path:
        npm_package(AXE, partial)
        return partial

    return (made_once(AXE, make) / "package" / "axe.min.js").read_text()
