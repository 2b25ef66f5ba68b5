"""Every step from keywords to a published page, by the commands that a user would type.

The service, the SDK and the connectors run as separate processes, as they do in production. They
write only to ``var/demo``. The posts are written from the pages of ``demo_pages``, which are served
on loopback: the demo needs no search service and shows the same facts every time.
"""

import html
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_urlsafe
from threading import Event, Thread
from typing import Any

import frontmatter
import markdown
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding

from app.settings import Settings, SettingsError

PAGES = Path(__file__).with_name("demo_pages")
_ROOT = Path("var/demo")
_LOG = _ROOT / "service.log"
_PAGE = _ROOT / "site" / "index.html"
_SECONDS = 900
_OPERATOR = "demo"
POST = ["--keyword", "cold brew coffee", "--topic", "making it at home", "--max-words", "400"]
RULE = [
    "Gardening", "--keyword", "raised garden beds",
    "--topic", "building, filling and watering them", "--every", "1h", "--max-words", "450",
]  # fmt: skip
_OFFER = "Greenhouse Kit=https://example.com/greenhouse-kit?ref=demo&plan=basic"
_CONNECTOR = """[feed]
url_env = "COPYDESK_FEED_URL"

[[target]]
type = "markdown"
path = "posts"
"""
# What a generator such as Hugo makes of a post, with a theme.
_PREVIEW = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ max-width: 42rem; margin: auto; padding: 1rem; font: 1.1rem/1.6 serif }}</style>
<h1>{title}</h1>
{body}
"""
# The modules of the commands.
_SERVER, _SDK, _CONNECT = "app.cli", "copydesk", "copydesk_connectors"
_NAMES = {_SERVER: "copydesk-server", _SDK: "copydesk", _CONNECT: "copydesk-connect"}


class StepFailed(Exception):
    """A step failed; the message says why."""


def main() -> None:
    """Write two posts with a real model and publish one (a few minutes on two cores).

    On a terminal, the service, the console and the page then run until Enter is pressed.
    """
    try:
        tour = Tour(Settings.load())
    except SettingsError as error:
        sys.exit(str(error))
    steps = {
        "a language model": tour.prepare_model,
        "the service, with four source pages": tour.start_service,
        "an account, a key and a feed": tour.set_up,
        "a post, with the SDK": tour.generate_post,
        "a rule with an offer, and its first item": tour.wait_for_item,
        "the connector": tour.connect,
        "the result": tour.show_result,
    }
    for ending in (signal.SIGTERM, signal.SIGHUP):
        # Otherwise the service, in a session of its own, would go on.
        signal.signal(ending, lambda *_: sys.exit(1))
    began = time.monotonic()
    with tour.running:
        for number, (name, step) in enumerate(steps.items(), 1):
            tour.console.rule(f"[bold]{number}/{len(steps)}  {name}", align="left")
            try:
                step()
            except StepFailed as failure:
                tour.console.print(f"\n[red]Step {number} ({name}) failed:[/] {failure}")
                tour.console.print(f"What to do: read {_LOG}, or run the demo again.")
                sys.exit(1)
        tour.console.print(f"\nDone in {time.monotonic() - began:.0f} s.")
        if tour.console.is_terminal and sys.stdin.isatty():
            tour.stay()
    tour.console.print("A page of the published post:")
    tour.console.print(str(_PAGE.resolve()), soft_wrap=True, highlight=False)


class Tour:
    """The steps of the demo; each prints what it does, or raises StepFailed. What they start ends
    with ``running``."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.console = Console(highlight=False)
        self.running = ExitStack()
        self.feed_id = self.item_id = ""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = str(probe.getsockname()[1])
        key = settings.openai_api_key
        # The demo has settings of its own, except for the model.
        self.env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("COPYDESK_", "OPENAI_"))
        } | {
            "OPENAI_BASE_URL": settings.openai_base_url or "",
            "OPENAI_API_KEY": key.get_secret_value() if key else "",
            "COPYDESK_MODEL": settings.model or "",
            "COPYDESK_MODEL_CACHE": str(settings.model_cache),
            "COPYDESK_DATA_DIR": str(_ROOT),
            # The local model is slow on a busy machine.
            "COPYDESK_MODEL_TIMEOUT_SECONDS": str(_SECONDS),
            "COPYDESK_GENERATION_TIMEOUT_SECONDS": str(_SECONDS),
            "COPYDESK_BASE_URL": f"http://127.0.0.1:{self.port}",
        }

    def prepare_model(self) -> None:
        """Use the configured endpoint, else download the local model."""
        if self.settings.has_endpoint:
            self.console.print(f"using {self.settings.openai_base_url or 'the OpenAI API'}")
        else:
            self._run(_SERVER, "model", "pull")

    def start_service(self) -> None:
        shutil.rmtree(_ROOT, ignore_errors=True)
        # `rule run` writes in its own process, so all commands know the sources.
        self.env |= self.running.enter_context(served_sources(_ROOT / "sources"))
        command = [sys.executable, "-m", _SERVER, "run", "--port", self.port]
        with _LOG.open("wb") as log:
            self.service = subprocess.Popen(
                command, env=self.env, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )
        self.running.callback(_stop, self.service)
        with self._waiting("starting"):
            assert self.service.stdout is not None
            line = self.service.stdout.readline().decode().strip()
        if not line:
            raise StepFailed("the service ended")
        self.console.print(line)

    def set_up(self) -> None:
        account = self._json(_SERVER, "account", "create", "Demo")["accountId"]
        self.env["COPYDESK_API_KEY"] = self._json(_SERVER, "key", "create", account)["apiKey"]
        made = self._json(_SERVER, "feed", "create", account, "My blog")
        self.feed_id = made["feedId"]
        self.env["COPYDESK_FEED_URL"] = made["pullUrl"]

    def generate_post(self) -> None:
        began = time.monotonic()
        try:
            job = self._write()
        except StepFailed as failure:
            if "CONTENT_QUALITY_FAILED" not in str(failure):
                raise
            self.console.print(f"the post failed its checks; trying again: {failure}")
            job = self._write()
        seconds = time.monotonic() - began
        written, text = job["rendered"]["markdown"], _ROOT / "post.md"
        text.write_text(written, encoding="utf-8")
        shown = Markdown(f"# {job['result']['title']}\n\n{written}")
        self.console.print(Padding(shown, (1, 0, 1, 4)))
        self._run(_SERVER, "evidence", job["jobId"])
        words = self._json(_SDK, "usage", quiet=True)["consumed"]["words"]
        score = job["quality"]["score"]
        self.console.print(f"{words} words in {seconds:.0f} s, score {score} of 100: {text}")

    def _write(self) -> Any:
        job = self._json(_SDK, "jobs", "create", *POST)["jobId"]
        with self._waiting("the model is writing"):
            return self._json(_SDK, "jobs", "wait", job, "--timeout", str(_SECONDS))

    def wait_for_item(self) -> None:
        # After the post: the local model writes one post at a time.
        rule_id = self._json(_SERVER, "rule", "create", self.feed_id, *RULE, "--offer", _OFFER)[
            "ruleId"
        ]
        until, failed = time.monotonic() + _SECONDS, False
        with self._waiting("the rule's item is being written"):
            while not (rule := self._json(_SERVER, "rule", "list", quiet=True)[0])["pending"]:
                if self.service.poll() is not None:
                    raise StepFailed("the service ended")
                if why := rule["lastError"]:
                    if failed:
                        raise StepFailed(f"{why} A larger model may do it.")
                    failed = True
                    self.console.print(f"the item failed; trying again: {why}")
                    self._json(_SERVER, "rule", "run", rule_id, quiet=True)
                if time.monotonic() > until:
                    raise StepFailed(f"no item after {_SECONDS} s")
                time.sleep(1)
        self.console.print("one item is in the feed")

    def connect(self) -> None:
        config = _ROOT / "connector.toml"
        config.write_text(_CONNECTOR)
        options = ("--config", str(config))
        self._run(_CONNECT, "once", *options)
        entries = self._json(_CONNECT, "status", *options, quiet=True)
        files = list((_ROOT / "posts").glob("*.md"))
        if (len(entries), len(files)) != (1, 1):
            raise StepFailed(f"the connector published {len(files)} posts instead of 1")
        self.item_id = entries[0]["item_id"]
        preview(files[0], _PAGE)

    def show_result(self) -> None:
        # Confirming twice has no further effect, and returns the item's status.
        status = self._json(_SDK, "feed", "confirm", self.item_id)["item"]["status"]
        left = self._json(_SDK, "feed", "items")
        self._run(_SERVER, "evidence", self.item_id)
        self.console.print(f"the item is `{status}`")
        self.console.print(f"the next pull returns {len(left)} items")
        if status != "used" or left:
            raise StepFailed("the item should be used, and the feed empty")
        self._run(_SDK, "usage")

    def stay(self) -> None:
        """Leave the service, its console and the page running until Enter is pressed."""
        password, address = token_urlsafe(12), self.env["COPYDESK_BASE_URL"]
        self._json(_SERVER, "operator", "create", _OPERATOR, quiet=True, typed=password)
        key = self.env["COPYDESK_API_KEY"]
        with _served(_PAGE.parent) as port:
            lines = {
                "post": f"http://127.0.0.1:{port}/",
                "console": f"{address}/   sign in as {_OPERATOR}, password {password}",
                "API": f"{address}/v1/docs",
                "key": f"export COPYDESK_BASE_URL={address} COPYDESK_API_KEY={key}",
            }
            for name, line in lines.items():
                self.console.print(f"{name:<8} {line}", markup=False, soft_wrap=True)
            try:
                input("All three run until you press Enter. ")
            except (EOFError, KeyboardInterrupt):
                self.console.print()

    def _json(self, module: str, *arguments: str, quiet: bool = False, typed: str = "") -> Any:
        """Run a command, which reads ``typed``, and return what it prints."""
        if not quiet:
            self._say(module, *arguments)
        command = [sys.executable, "-m", module, *arguments, "--json"]
        ended = subprocess.run(
            command, env=self.env, capture_output=True, input=typed, text=True, check=False
        )
        if ended.returncode != 0:
            raise StepFailed([f"`{arguments[0]}` failed", *ended.stderr.strip().splitlines()][-1])
        return json.loads(ended.stdout)

    def _run(self, module: str, *arguments: str) -> None:
        """Run a command that prints to the terminal."""
        self._say(module, *arguments)
        command = [sys.executable, "-m", module, *arguments]
        if subprocess.run(command, env=self.env, check=False).returncode != 0:
            raise StepFailed(f"`{_NAMES[module]} {arguments[0]}` failed")

    def _say(self, module: str, *arguments: str) -> None:
        line = f"$ {_NAMES[module]} {shlex.join(arguments)}"
        self.console.print(line, style="dim", markup=False, soft_wrap=True)

    @contextmanager
    def _waiting(self, what: str) -> Iterator[None]:
        self.console.print(f"{what} ...")
        done, began = Event(), time.monotonic()

        def tell() -> None:
            while not (self.console.is_terminal or done.wait(8)):
                self.console.print(f"... {time.monotonic() - began:.0f} s")

        Thread(target=tell, daemon=True).start()
        try:
            with self.console.status(""):
                yield
        finally:
            done.set()


def preview(post: Path, page: Path) -> None:
    """Write a page of a published Markdown file, to look at it in a browser."""
    read = frontmatter.load(str(post))
    title = html.escape(str(read["title"]))
    body = markdown.markdown(read.content, extensions=["tables", "fenced_code", "sane_lists"])
    page.parent.mkdir(exist_ok=True)
    page.write_text(_PREVIEW.format(title=title, body=body), encoding="utf-8")


@contextmanager
def served_sources(folder: Path) -> Iterator[dict[str, str]]:
    """Serve a copy of the source pages in the block; yield the settings of a service that uses
    them."""
    shutil.copytree(PAGES, folder)
    with _served(folder) as port:
        feed = folder / "feed.xml"
        feed.write_text(feed.read_text("utf-8").replace("PORT", str(port)), "utf-8")
        yield {
            "COPYDESK_SOURCE_FEEDS": f"http://127.0.0.1:{port}/{feed.name}",
            "COPYDESK_SOURCES_ALLOW_PRIVATE": "true",
        }


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing: the output is the demo's."""


@contextmanager
def _served(folder: Path) -> Iterator[int]:
    """Serve a folder on a loopback port in the block; yield the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder)))
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _stop(service: subprocess.Popen[bytes]) -> None:
    service.terminate()
    try:
        service.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(service.pid, 9)
        service.wait()


if __name__ == "__main__":
    main()
