"""demo: the whole way from keywords to a page, by the commands that a user would type.

The service, the SDK and the connectors run as processes of their own, as they would anywhere; all
that they write stays under ``var/demo``.
"""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from app.commands.output import settings_or_exit
from app.core.errors import ModelUnavailable
from app.settings import Settings

_ROOT = Path("var/demo")
_ITEM_SECONDS = 900
_POST = ["--keyword", "cold brew coffee", "--topic", "making it at home", "--max-words", "450"]
_RULE_KEYWORD = "raised garden beds"
_OFFER = "Greenhouse Kit=https://example.com/greenhouse-kit?ref=demo&plan=basic"
_TRIES = 2


class StepFailed(Exception):
    """A step that did not work: what happened, and what to do about it."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.remedy = remedy


@click.command()
def demo() -> None:
    """Keywords to a page on a static site, with a real model: about five minutes on two cores."""
    tour = _Tour(settings_or_exit())
    steps: list[tuple[str, Callable[[], None]]] = [
        ("a language model", tour.prepare_model),
        ("the service", tour.start_service),
        ("an account, a key, a feed and a rule with an offer", tour.set_up),
        ("a post by the SDK", tour.generate_post),
        ("the rule's first item", tour.wait_for_item),
        ("the connector", tour.connect),
        ("what became of it", tour.show_outcome),
    ]
    began = time.monotonic()
    try:
        for number, (name, step) in enumerate(steps, 1):
            tour.console.rule(f"[bold]{number}/{len(steps)}  {name}", align="left")
            try:
                step()
            except StepFailed as failure:
                tour.console.print(f"\n[red]Step {number} ({name}) failed:[/] {failure}")
                tour.console.print(f"What to do: {failure.remedy}")
                sys.exit(1)
    finally:
        tour.stop()
    tour.console.print(f"\nDone in {time.monotonic() - began:.0f} s. Open this file in a browser:")
    tour.console.print(str(tour.page.resolve()), soft_wrap=True, highlight=False)


class _Tour:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.console = Console(highlight=False)
        self.log = _ROOT / "service.log"
        self.page = _ROOT / "site" / "index.html"
        self.service: subprocess.Popen[bytes] | None = None
        self.token = self.item_id = ""
        port = _free_port()
        self.port = str(port)
        base = f"http://127.0.0.1:{port}"
        self.env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("COPYDESK_")
            or name in {"COPYDESK_MODEL", "COPYDESK_MODEL_CACHE"}
        } | {
            "COPYDESK_DATA_DIR": str(_ROOT),
            "COPYDESK_PUBLIC_URL": base,
            "COPYDESK_BASE_URL": base,
        }

    def prepare_model(self) -> None:
        """An endpoint that is configured, else the weights of the local model."""
        if self.settings.has_endpoint:
            self.console.print(f"using {self.settings.openai_base_url or 'the OpenAI API'}")
            return
        from app.adapters import local_model, weights

        try:
            local_model.check_runtime()
        except ModelUnavailable as error:
            why, _, remedy = error.message.partition(". ")
            raise StepFailed(why, remedy) from None
        cache = self.settings.model_cache.expanduser()
        if weights.find(cache) is None:
            self.console.print("fetching the local model (1.1 GB, once) ...")
        try:
            path = weights.pull(cache, console=self.console)
        except weights.WeightsUnavailable as error:
            raise StepFailed(
                str(error), "set OPENAI_BASE_URL and OPENAI_API_KEY to use another model."
            ) from None
        self.console.print(f"the local model: {path.name}")

    def start_service(self) -> None:
        shutil.rmtree(_ROOT, ignore_errors=True)
        _ROOT.mkdir(parents=True)
        command = [sys.executable, "-m", "app.cli", "run", "--port", self.port]
        with self.log.open("wb") as log:
            self.service = subprocess.Popen(  # noqa: S603 - our own command
                command, env=self.env, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )
        with self._waiting("starting"):
            assert self.service.stdout is not None  # noqa: S101 - it is a pipe
            line = self.service.stdout.readline().decode().strip()
        if not line:
            raise StepFailed(f"it ended at once: {self._last_log_line()}", f"read {self.log}.")
        self.console.print(line)

    def set_up(self) -> None:
        account = self._server("account", "create", "Demo")["accountId"]
        self.env["COPYDESK_API_KEY"] = self._server("key", "create", account)["apiKey"]
        made = self._server("token", "create", account, "My blog")
        self.token = made["handle"]
        self.env["COPYDESK_FEED_URL"] = made["pullUrl"]
        rule = ["rule", "create", self.token, "Gardening", "--keyword", _RULE_KEYWORD]
        self._server(*rule, "--every", "1h", "--max-words", "350", "--offer", _OFFER)

    def generate_post(self) -> None:
        with self._waiting("the model is writing"):
            post = self._sdk("generate", *_POST, tries=_TRIES)
        quality = post["quality"]
        words = self._sdk("usage")["consumed"]["words"]
        (_ROOT / "post.md").write_text(post["rendered"]["markdown"], encoding="utf-8")
        self.console.print(f"title      {post['post']['title']}")
        self.console.print(f"words      {words}")
        self.console.print(f"score      {quality['score']} of 100")
        self.console.print(f"revisions  {quality['revisionCount']}")
        self.console.print(f"time       {post['seconds']:.0f} s")
        self.console.print(f"text       {_ROOT / 'post.md'}")

    def wait_for_item(self) -> None:
        tries = 1
        until = time.monotonic() + _ITEM_SECONDS
        with self._waiting("the rule's item is being written"):
            while True:
                rule = self._server("rule", "list", self.token, quiet=True)[0]
                if rule["pending"]:
                    break
                if self.service is None or self.service.poll() is not None:
                    raise StepFailed(
                        "the service ended: " + self._last_log_line(), f"read {self.log}."
                    )
                if rule["lastError"] and tries == _TRIES:
                    raise StepFailed(
                        rule["lastError"], "run the demo again, or use a larger model."
                    )
                if rule["lastError"]:
                    tries += 1
                    self.console.print(f"not good enough, once more: {rule['lastError']}")
                    self._server("rule", "run", rule["ruleId"], quiet=True)
                if time.monotonic() > until:
                    raise StepFailed(f"no item after {_ITEM_SECONDS} s", f"read {self.log}.")
                time.sleep(1)
        self.console.print("one item is waiting in the feed")

    def connect(self) -> None:
        config = _ROOT / "copydesk.toml"
        config.write_text(
            '[feed]\nurl_env = "COPYDESK_FEED_URL"\n\n'
            '[[target]]\ntype = "html"\npath = "site"\n\n'
            '[[target]]\ntype = "markdown"\npath = "markdown"\n'
        )
        self._run("copydesk_connectors", "once", "--config", str(config), shown="copydesk-connect")
        entries = self._json("copydesk_connectors", "status", "--config", str(config), "--json")
        if len(entries) != 1:
            raise StepFailed(
                f"the connector published {len(entries)} items, not 1", f"read {config}."
            )
        self.item_id = entries[0]["item_id"]
        if not self.page.exists():
            raise StepFailed(f"{self.page} was not written", f"read {config}.")

    def show_outcome(self) -> None:
        # Confirming again is as good as once, and says what state the item is in.
        status = self._sdk("feed", "confirm", self.item_id)["item"]["status"]
        pull = self._sdk("feed", "latest")
        self.console.print(f"the item is `{status}`")
        self.console.print(f"the next pull says available: {json.dumps(pull['available'])}")
        if status != "used" or pull["available"]:
            raise StepFailed(
                "the feed is not in the state that it should be in", f"read {self.log}."
            )
        self._run("copydesk", "usage", shown="copydesk")

    def stop(self) -> None:
        """End the service that this demo started."""
        if self.service is None or self.service.poll() is not None:
            return
        self.service.terminate()
        try:
            self.service.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.service.pid, 9)
            self.service.wait()

    def _server(self, *arguments: str, quiet: bool = False) -> Any:
        shown = None if quiet else "copydesk-server"
        return self._json("app.cli", *arguments, "--json", shown=shown)

    def _sdk(self, *arguments: str, tries: int = 1) -> Any:
        began = time.monotonic()
        for attempt in range(1, tries + 1):
            try:
                answer = self._json("copydesk", *arguments, "--json", shown="copydesk")
                break
            except StepFailed as failure:
                if attempt == tries or "CONTENT_QUALITY_FAILED" not in str(failure):
                    raise
                self.console.print(f"not good enough, once more: {failure}")
        return {**answer, "seconds": time.monotonic() - began}

    def _json(self, module: str, *arguments: str, shown: str | None = None) -> Any:
        return json.loads(self._run(module, *arguments, shown=shown, capture=True))

    def _run(
        self, module: str, *arguments: str, shown: str | None = None, capture: bool = False
    ) -> str:
        if shown:
            line = f"$ {shown} {shlex.join(arguments)}"
            self.console.print(line, style="dim", markup=False, soft_wrap=True)
        ended = subprocess.run(  # noqa: S603 - our own commands
            [sys.executable, "-m", module, *arguments],
            env=self.env,
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.PIPE if capture else None,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            why = (ended.stderr or "").strip().splitlines()
            raise StepFailed(
                why[-1] if why else f"{module} ended with {ended.returncode}",
                f"read {self.log}, or run the demo again.",
            )
        return ended.stdout or ""

    @contextmanager
    def _waiting(self, what: str) -> Iterator[None]:
        if not self.console.is_terminal:
            self.console.print(f"{what} ...")
            yield
            return
        with self.console.status(f"{what} ..."):
            yield

    def _last_log_line(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "the service said nothing"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
