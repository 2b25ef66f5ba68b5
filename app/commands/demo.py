"""demo: every step from keywords to a published page, by the commands that a user would type.

The service, the SDK and the connectors run as separate processes, as they do in production. They
write only to ``var/demo``. The posts are written from the pages of ``demo_pages``, which are served
on loopback: the demo needs no search service and shows the same facts every time. Each page has
statements in our own words, each with the public body, university or encyclopedia that it is from.
"""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_urlsafe
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from app.commands.output import is_terminal, settings_or_exit

if TYPE_CHECKING:
    from rich.console import RenderableType

    from app.settings import Settings

PAGES = Path(__file__).with_name("demo_pages")
_ROOT = Path("var/demo")
_LOG = _ROOT / "service.log"
_PAGE = _ROOT / "site" / "index.html"
_SECONDS = 900
_OPERATOR = "demo"
POST = ["--keyword", "cold brew coffee", "--topic", "making it at home", "--max-words", "500"]
RULE = [
    "Gardening", "--keyword", "raised garden beds",
    "--topic", "building, filling and watering them", "--every", "1h", "--max-words", "550",
]  # fmt: skip
_OFFER = "Greenhouse Kit=https://example.com/greenhouse-kit?ref=demo&plan=basic"
_CONNECTOR = """[feed]
url_env = "COPYDESK_FEED_URL"

[[target]]
type = "html"
path = "site"

[[target]]
type = "markdown"
path = "markdown"
"""
_SHOWN = {
    "app.cli": "copydesk-server",
    "copydesk": "copydesk",
    "copydesk_connectors": "copydesk-connect",
}


class StepFailed(Exception):
    """A step failed: the reason, and what the user can do."""

    def __init__(self, why: str, remedy: str = f"read {_LOG}, or run the demo again.") -> None:
        super().__init__(why)
        self.remedy = remedy


@click.command()
def demo() -> None:
    """Write two posts with a real model and publish one (a few minutes on two cores).

    On a terminal, the service, the console and the site then run until you press Enter.
    """
    tour = Tour(settings_or_exit())
    steps = {
        "a language model": tour.prepare_model,
        "the service, with four source pages": tour.start_service,
        "an account, a key and a feed": tour.set_up,
        "a post, with the SDK": tour.generate_post,
        "a rule with an offer, and its first item": tour.wait_for_item,
        "the connector": tour.connect,
        "the result": tour.show_result,
    }
    began = time.monotonic()
    with tour.running:
        for number, (name, step) in enumerate(steps.items(), 1):
            tour.console.rule(f"[bold]{number}/{len(steps)}  {name}", align="left")
            try:
                step()
            except StepFailed as failure:
                tour.console.print(f"\n[red]Step {number} ({name}) failed:[/] {failure}")
                tour.console.print(f"What to do: {failure.remedy}")
                sys.exit(1)
        tour.console.print(f"\nDone in {time.monotonic() - began:.0f} s.")
        if tour.console.is_terminal and is_terminal():
            tour.stay()
    tour.console.print("The published page:")
    tour.console.print(str(_PAGE.resolve()), soft_wrap=True, highlight=False)


class Tour:
    """The steps of the demo; each prints what it does, or raises StepFailed. What they start ends
    with ``running``."""

    def __init__(self, settings: "Settings") -> None:
        from rich.console import Console

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
            "COPYDESK_BASE_URL": f"http://127.0.0.1:{self.port}",
        }

    def prepare_model(self) -> None:
        """Use the configured endpoint, else download the local model."""
        if self.settings.has_endpoint:
            self.console.print(f"using {self.settings.openai_base_url or 'the OpenAI API'}")
        else:
            self._run("app.cli", "model", "pull")

    def start_service(self) -> None:
        shutil.rmtree(_ROOT, ignore_errors=True)
        # `rule run` writes in its own process, so all commands know the sources.
        self.env |= self.running.enter_context(served_sources(_ROOT / "sources"))
        command = [sys.executable, "-m", "app.cli", "run", "--port", self.port]
        with _LOG.open("wb") as log:
            self.service = subprocess.Popen(  # noqa: S603 - our own command
                command, env=self.env, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )
        self.running.callback(_stop, self.service)
        with self._waiting("starting"):
            assert self.service.stdout is not None  # noqa: S101 - it is a pipe
            line = self.service.stdout.readline().decode().strip()
        if not line:
            raise StepFailed(f"the service ended: {_last_log_line()}")
        self.console.print(line)

    def set_up(self) -> None:
        account = self._json("app.cli", "account", "create", "Demo")["accountId"]
        self.env["COPYDESK_API_KEY"] = self._json("app.cli", "key", "create", account)["apiKey"]
        made = self._json("app.cli", "feed", "create", account, "My blog")
        self.feed_id = made["feedId"]
        self.env["COPYDESK_FEED_URL"] = made["pullUrl"]

    def generate_post(self) -> None:
        from rich.markdown import Markdown
        from rich.padding import Padding

        began = time.monotonic()
        try:
            job = self._write()
        except StepFailed as failure:
            if "CONTENT_QUALITY_FAILED" not in str(failure):
                raise
            self.console.print(f"the post failed its checks; trying again: {failure}")
            job = self._write()
        seconds = time.monotonic() - began
        markdown = job["rendered"]["markdown"]
        text = _ROOT / "post.md"
        text.write_text(markdown, encoding="utf-8")
        shown = Markdown(f"# {job['result']['title']}\n\n{markdown}")
        self.console.print(Padding(shown, (1, 0, 1, 4)))
        self.show_evidence(job["jobId"])
        words = self._json("copydesk", "usage")["consumed"]["words"]
        self.console.print(f"words      {words}")
        self.console.print(f"score      {job['quality']['score']} of 100")
        self.console.print(f"revisions  {job['quality']['revisionCount']}")
        self.console.print(f"time       {seconds:.0f} s")
        self.console.print(f"text       {text}")

    def _write(self) -> Any:
        job = self._json("copydesk", "jobs", "create", *POST)["jobId"]
        with self._waiting("the model is writing", lambda: job):
            return self._json("copydesk", "jobs", "wait", job, "--timeout", str(_SECONDS))

    def wait_for_item(self) -> None:
        # After the post: the local model writes one post at a time.
        rule_id = self._json("app.cli", "rule", "create", self.feed_id, *RULE, "--offer", _OFFER)[
            "ruleId"
        ]
        until, failed, run = time.monotonic() + _SECONDS, False, ""
        with self._waiting("the rule's item is being written", lambda: run):
            while not (rule := self._json("app.cli", "rule", "list", quiet=True)[0])["pending"]:
                if self.service.poll() is not None:
                    raise StepFailed(f"the service ended: {_last_log_line()}")
                if why := rule["lastError"]:
                    if failed:
                        raise StepFailed(why, "run the demo again, or use a larger model.")
                    failed = True
                    self.console.print(f"the item failed; trying again: {why}")
                    self._json("app.cli", "rule", "run", rule_id, quiet=True)
                if time.monotonic() > until:
                    raise StepFailed(f"no item after {_SECONDS} s")
                runs = self._json("app.cli", "rule", "runs", rule_id, quiet=True)
                run = runs[0]["runId"] if runs else ""
                time.sleep(1)
        self.console.print("one item is in the feed")

    def connect(self) -> None:
        config = _ROOT / "connector.toml"
        config.write_text(_CONNECTOR)
        options = ("--config", str(config))
        self._run("copydesk_connectors", "once", *options)
        entries = self._json("copydesk_connectors", "status", *options, quiet=True)
        if len(entries) != 1 or not _PAGE.exists():
            raise StepFailed(
                f"the connector published {len(entries)} items instead of 1", f"read {config}."
            )
        self.item_id = entries[0]["item_id"]

    def show_result(self) -> None:
        # Confirming twice has no further effect, and returns the item's status.
        status = self._json("copydesk", "feed", "confirm", self.item_id)["item"]["status"]
        left = self._json("copydesk", "feed", "items")
        self.show_evidence(self.item_id)
        self.console.print(f"the item is `{status}`")
        self.console.print(f"the next pull returns {len(left)} items")
        if status != "used" or left:
            raise StepFailed("the item should be used, and the feed empty")
        self._run("copydesk", "usage")

    def stay(self) -> None:
        """Leave the service, its console and the site running until Enter is pressed."""
        password, address = token_urlsafe(12), self.env["COPYDESK_BASE_URL"]
        self._run("app.cli", "operator", "create", _OPERATOR, quiet=True, typed=password)
        key = self.env["COPYDESK_API_KEY"]
        with _served(_PAGE.parent) as port:
            lines = {
                "site": f"http://127.0.0.1:{port}/",
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

    def show_evidence(self, post_id: str) -> None:
        """Print the statements of a post that are traced, with their sentences and origins."""
        from rich.padding import Padding
        from rich.text import Text

        def indented(text: str) -> Padding:
            return Padding(Text(text), (0, 0, 0, 6))

        by_sentence: dict[str, list[str]] = {}
        for claim in self._json("app.cli", "evidence", post_id):
            by_sentence.setdefault(claim["sentence"], []).append(claim["claim"])
        if not by_sentence:
            self.console.print("no statement of the post is traced to a source")
        for sentence, claims in by_sentence.items():
            for said in claims:
                self.console.print(f"  {said}", style="bold", markup=False)
            self.console.print(indented(f"the source says: {sentence}"))
            if origin := origin_of(sentence):
                self.console.print(indented(f"from: {origin[0]}"))
                # Not wrapped, so that a terminal can open it.
                self.console.print(f"      {origin[1]}", style="dim", soft_wrap=True)

    def _json(self, module: str, *arguments: str, quiet: bool = False) -> Any:
        return json.loads(self._run(module, *arguments, "--json", quiet=quiet, capture=True))

    def _run(
        self,
        module: str,
        *arguments: str,
        quiet: bool = False,
        capture: bool = False,
        typed: str | None = None,
    ) -> str:
        """Run a command; ``typed`` is what it reads. Print the command unless ``quiet``, and what
        it prints unless one of the first two is true."""
        line = f"{_SHOWN[module]} {shlex.join(arguments)}"
        if not quiet:
            shown = line.removesuffix(" --json")
            self.console.print(f"$ {shown}", style="dim", markup=False, soft_wrap=True)
        output = subprocess.PIPE if quiet or capture else None
        ended = subprocess.run(  # noqa: S603 - our own commands
            [sys.executable, "-m", module, *arguments],
            env=self.env,
            stdout=output,
            stderr=output,
            input=typed,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            why = (ended.stderr or "").strip().splitlines()
            raise StepFailed(why[-1] if why else f"`{line}` ended with {ended.returncode}")
        return ended.stdout or ""

    @contextmanager
    def _waiting(self, what: str, work: Callable[[], str] = str) -> Iterator[None]:
        """Say what is waited for; on a terminal, with the calls to the model of a job or a run so
        far. ``work`` returns its id, "" if there is none yet."""
        self.console.print(f"{what} ...")
        with self.console.status(_Calls(work)):
            yield


class _Calls:
    """The calls to the model of a job or a run so far, such as “draft (2), edit”."""

    def __init__(self, work: Callable[[], str]) -> None:
        self._work = work

    def __rich__(self) -> "RenderableType":
        if not (work_id := self._work()):
            return ""
        from app.services import overview
        from app.store import database

        database.bind(f"sqlite:///{_ROOT / 'copydesk.db'}")
        made = Counter(overview.calls(work_id)).items()
        return ", ".join(name if number == 1 else f"{name} ({number})" for name, number in made)


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


def origin_of(sentence: str) -> tuple[str, str] | None:
    """Return the name and the URL of the origin of a statement; None if no page has it."""
    from bs4 import BeautifulSoup

    for file in PAGES.glob("*.html"):
        page = BeautifulSoup(file.read_text("utf-8"), "html.parser")
        for statement in page.select("[data-origin]"):
            if statement.get_text() == " ".join(sentence.split()):
                origin = page.select(f"a#{statement['data-origin']}")[0]
                return origin.get_text(), str(origin["href"])
    return None


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


def _last_log_line() -> str:
    lines = _LOG.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "its log is empty"
