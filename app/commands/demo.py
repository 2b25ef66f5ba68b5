"""demo: every step from keywords to a published page, by the commands that a user would type.

The service, the SDK and the connectors run as separate processes, as they do in production. They
write only to ``var/demo``. The posts are written from the pages of ``demo_sources``.
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
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_urlsafe
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import click

from app.commands.output import is_terminal, settings_or_exit
from app.core.errors import ModelUnavailable

if TYPE_CHECKING:
    from app.settings import Settings

_ROOT = Path("var/demo")
_LOG = _ROOT / "service.log"
_PAGE = _ROOT / "site" / "index.html"
_ITEM_SECONDS = 900
_POST_SECONDS = 900
_PROGRESS_SECONDS = 0.5
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
_TRIES = 2


class StepFailed(Exception):
    """A step failed: the reason, and what the user can do."""

    def __init__(self, why: str, remedy: str = f"read {_LOG}.") -> None:
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
    try:
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
    finally:
        tour.stop()
    tour.console.print("The published page:")
    tour.console.print(str(_PAGE.resolve()), soft_wrap=True, highlight=False)


class Tour:
    """The steps of the demo; each prints what it does, or raises StepFailed."""

    def __init__(self, settings: "Settings") -> None:
        from rich.console import Console

        from app.commands.demo_sources import DemoSources

        self.settings = settings
        self.console = Console(highlight=False)
        self.service: subprocess.Popen[bytes] | None = None
        self.sources = DemoSources()
        self.token = self.item_id = ""
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
            return
        from app.adapters import local_model, weights

        cache = self.settings.model_cache.expanduser()
        try:
            local_model.check_runtime()
            if weights.find(cache) is None:
                self.console.print("downloading the local model (1.1 GB, once) ...")
            path = weights.pull(cache, console=self.console)
        except ModelUnavailable as error:
            why, _, remedy = error.operator.partition(". ")
            raise StepFailed(why, remedy) from None
        except weights.WeightsUnavailable as error:
            raise StepFailed(
                str(error), "set OPENAI_BASE_URL and OPENAI_API_KEY to use another model."
            ) from None
        self.console.print(f"the local model: {path.name}")

    def start_service(self) -> None:
        shutil.rmtree(_ROOT, ignore_errors=True)
        _ROOT.mkdir(parents=True)
        self.sources.start()
        command = [sys.executable, "-m", "app.cli", "run", "--port", self.port]
        # `rule run` writes in its own process.
        self.env |= self.sources.settings
        with _LOG.open("wb") as log:
            self.service = subprocess.Popen(  # noqa: S603 - our own command
                command, env=self.env, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )
        with self._waiting("starting"):
            assert self.service.stdout is not None  # noqa: S101 - it is a pipe
            line = self.service.stdout.readline().decode().strip()
        if not line:
            raise StepFailed(f"the service ended: {_last_log_line()}")
        self.console.print(line)

    def set_up(self) -> None:
        account = self._server("account", "create", "Demo")["accountId"]
        self.env["COPYDESK_API_KEY"] = self._server("key", "create", account)["apiKey"]
        made = self._server("feed", "create", account, "My blog")
        self.token = made["feedId"]
        self.env["COPYDESK_FEED_URL"] = made["pullUrl"]

    def generate_post(self) -> None:
        began = time.monotonic()
        job = self._generate()
        seconds = time.monotonic() - began
        text = _ROOT / "post.md"
        text.write_text(job["rendered"]["markdown"], encoding="utf-8")
        self._show(f"# {job['result']['title']}\n\n{job['rendered']['markdown']}")
        self.show_evidence(job["jobId"])
        words = self._json("copydesk", "usage")["consumed"]["words"]
        self.console.print(f"words      {words}")
        self.console.print(f"score      {job['quality']['score']} of 100")
        self.console.print(f"revisions  {job['quality']['revisionCount']}")
        self.console.print(f"time       {seconds:.0f} s")
        self.console.print(f"text       {text}")

    def _generate(self) -> Any:
        for _ in range(1, _TRIES):
            try:
                return self._write()
            except StepFailed as failure:
                if "CONTENT_QUALITY_FAILED" not in str(failure):
                    raise
                self.console.print(f"the post failed its checks; trying again: {failure}")
        return self._write()

    def _write(self) -> Any:
        job = self._json("copydesk", "jobs", "create", *POST)["jobId"]
        limit = ("--timeout", str(_POST_SECONDS))
        with self._waiting("the model is writing", lambda: job):
            return self._json("copydesk", "jobs", "wait", job, *limit)

    def wait_for_item(self) -> None:
        # After the post: the local model writes one post at a time.
        self._server("rule", "create", self.token, *RULE, "--offer", _OFFER)
        tries = 1
        until = time.monotonic() + _ITEM_SECONDS
        run = ""
        with self._waiting("the rule's item is being written", lambda: run):
            while not (rule := self._server("rule", "list", self.token, quiet=True)[0])["pending"]:
                if self.service is None or self.service.poll() is not None:
                    raise StepFailed(f"the service ended: {_last_log_line()}")
                if rule["lastError"] and tries == _TRIES:
                    raise StepFailed(
                        rule["lastError"], "run the demo again, or use a larger model."
                    )
                if rule["lastError"]:
                    tries += 1
                    self.console.print(f"the item failed; trying again: {rule['lastError']}")
                    self._server("rule", "run", rule["ruleId"], quiet=True)
                if time.monotonic() > until:
                    raise StepFailed(f"no item after {_ITEM_SECONDS} s")
                runs = self._server("rule", "runs", rule["ruleId"], quiet=True)
                run = runs[0]["runId"] if runs else ""
                time.sleep(1)
        self.console.print("one item is in the feed")

    def connect(self) -> None:
        config = _ROOT / "connector.toml"
        config.write_text(_CONNECTOR)
        options = ("--config", str(config))
        self._run("copydesk_connectors", "once", *options, shown="copydesk-connect")
        entries = self._json("copydesk_connectors", "status", *options, quiet=True)
        if len(entries) != 1:
            raise StepFailed(
                f"the connector published {len(entries)} items instead of 1", f"read {config}."
            )
        self.item_id = entries[0]["item_id"]
        if not _PAGE.exists():
            raise StepFailed(f"{_PAGE} was not written", f"read {config}.")

    def show_result(self) -> None:
        # Confirming twice has no further effect, and returns the item's status.
        status = self._json("copydesk", "feed", "confirm", self.item_id)["item"]["status"]
        available = self._json("copydesk", "feed", "latest")["available"]
        self.show_evidence(self.item_id)
        self.console.print(f"the item is `{status}`")
        self.console.print(f"the next pull returns available: {json.dumps(available)}")
        if status != "used" or available:
            raise StepFailed("the item should be used, and the feed empty")
        self._run("copydesk", "usage", shown="copydesk")

    def stay(self) -> None:
        """Leave the service, its console and the site running until Enter is pressed."""
        password, address = token_urlsafe(12), self.env["COPYDESK_BASE_URL"]
        self._run(
            "app.cli", "operator", "create", _OPERATOR, shown="", capture=True, typed=password
        )
        key = self.env["COPYDESK_API_KEY"]
        with _served(_PAGE.parent) as site:
            lines = {
                "site": site,
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

    def _show(self, markdown: str) -> None:
        from rich.markdown import Markdown
        from rich.padding import Padding

        self.console.print(Padding(Markdown(markdown), (1, 0, 1, 4)))

    def show_evidence(self, post_id: str) -> None:
        """Print the statements of a post that are traced, with their sentences and origins."""
        from rich.markup import escape

        from app.commands.demo_sources import statement_of

        by_sentence: dict[str, list[str]] = {}
        for claim in self._server("evidence", post_id):
            by_sentence.setdefault(claim["sentence"], []).append(claim["claim"])
        if not by_sentence:
            self.console.print("no statement of the post is traced to a source")
        for sentence, claims in by_sentence.items():
            for said in claims:
                self.console.print(f"  [bold]{escape(said)}[/]")
            self._print_indented(f"the source says: {sentence}")
            if statement := statement_of(sentence):
                self._print_indented(f"from: {statement.origin}")
                # Not wrapped, so that a terminal can open it.
                self.console.print(f"      {statement.origin_url}", style="dim", soft_wrap=True)

    def _print_indented(self, text: str) -> None:
        from rich.padding import Padding
        from rich.text import Text

        self.console.print(Padding(Text(text), (0, 0, 0, 6)))

    def stop(self) -> None:
        """Stop what this demo started."""
        self.sources.stop()
        if self.service is None or self.service.poll() is not None:
            return
        self.service.terminate()
        try:
            self.service.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.service.pid, 9)
            self.service.wait()

    def _server(self, *arguments: str, quiet: bool = False) -> Any:
        return self._json("app.cli", *arguments, shown="copydesk-server", quiet=quiet)

    def _json(
        self, module: str, *arguments: str, shown: str = "copydesk", quiet: bool = False
    ) -> Any:
        shown = "" if quiet else shown
        return json.loads(self._run(module, *arguments, "--json", shown=shown, capture=True))

    def _run(
        self,
        module: str,
        *arguments: str,
        shown: str,
        capture: bool = False,
        typed: str | None = None,
    ) -> str:
        """Run a command, and print it under the name ``shown`` unless that is empty. ``typed`` is
        what it reads."""
        if shown:
            line = f"$ {shown} {shlex.join(arguments)}"
            self.console.print(line, style="dim", markup=False, soft_wrap=True)
        output = subprocess.PIPE if capture else None
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
            raise StepFailed(
                why[-1] if why else f"{module} ended with {ended.returncode}",
                f"read {_LOG}, or run the demo again.",
            )
        return ended.stdout or ""

    @contextmanager
    def _waiting(self, what: str, work: Callable[[], str] = str) -> Iterator[None]:
        """Say what is waited for; on a terminal, with the calls to the model of a job or a run so
        far. ``work`` returns its id, "" if there is none yet."""
        if not self.console.is_terminal:
            self.console.print(f"{what} ...")
            yield
            return
        over = Event()
        with self.console.status(f"{what} ...") as status:

            def look() -> None:
                while not over.wait(_PROGRESS_SECONDS):
                    status.update(f"{what} ... {_calls(work())}")

            looking = Thread(target=look, daemon=True)
            looking.start()
            try:
                yield
            finally:
                over.set()
                looking.join()


def _calls(work_id: str) -> str:
    """Return the calls to the model of a job or a run so far, such as “draft (2), edit”."""
    if not work_id:
        return ""
    from app.services import overview
    from app.store import database

    database.bind(f"sqlite:///{_ROOT / 'copydesk.db'}")
    made = Counter(overview.calls(work_id))
    return ", ".join(name if number == 1 else f"{name} ({number})" for name, number in made.items())


class _SiteFiles(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing: the reader of the terminal made the requests."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Serve a folder on a loopback port in the block; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_SiteFiles, directory=str(folder)))
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def _last_log_line() -> str:
    lines = _LOG.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "its log is empty"
