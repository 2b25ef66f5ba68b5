"""The real service for tests: its processes, started by its commands and ended by their ids."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def clean_env(**values: str) -> dict[str, str]:
    """This process's environment without any setting of the service."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COPYDESK_", "OPENAI_"))
    }
    return kept | values


class Process:
    """A child process that says on stdout when it is ready."""

    def __init__(self, command: list[str], env: Mapping[str, str], log: Path, ready: str) -> None:
        self.log = log
        with log.open("ab") as stderr:
            self.popen = subprocess.Popen(
                command, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr,
                start_new_session=True,
            )  # fmt: skip
        self.first_line = self._read_line(60)
        if not self.first_line.startswith(ready):
            self.stop()
            raise RuntimeError(f"{command} did not start: {log.read_text()[-2000:]}")

    def _read_line(self, seconds: float) -> str:
        assert self.popen.stdout is not None
        ready, _, _ = select.select([self.popen.stdout], [], [], seconds)
        return self.popen.stdout.readline().decode().strip() if ready else ""

    def kill(self) -> None:
        """End the process and its children as a crash would."""
        with suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        self._close()

    def stop(self) -> None:
        if self.popen.poll() is None:
            self.popen.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.popen.wait(15)
        self.kill()

    def _close(self) -> None:
        if self.popen.stdout is not None:
            self.popen.stdout.close()


class ScriptedModel(Process):
    """tests/scripted_model.py on a port of its own."""

    def __init__(self, log: Path, behaviour: str = "good", *options: str) -> None:
        super().__init__(
            [
                sys.executable,
                "tests/scripted_model.py",
                "--port",
                "0",
                "--behaviour",
                behaviour,
                *options,
            ],
            clean_env(),
            log,
            "ready",
        )
        self.base_url = self.first_line.split()[1]


class Service(Process):
    """`copydesk-server run` (or another part) with a database of its own."""

    def __init__(self, folder: Path, model_url: str, part: str = "run", **settings: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.env = clean_env(
            COPYDESK_DATA_DIR=str(folder),
            COPYDESK_PUBLIC_URL=self.base_url,
            OPENAI_BASE_URL=model_url,
            OPENAI_API_KEY="sk-test-not-a-secret",
            COPYDESK_MODEL="scripted",
            **settings,
        )
        super().__init__(
            [sys.executable, "-m", "app.cli", part, "--port", str(self.port)],
            self.env,
            folder / "service.log",
            "listening on",
        )

    def command(self, *arguments: str) -> Any:
        """Run an operator's command with --json."""
        ended = subprocess.run(
            [sys.executable, "-m", "app.cli", *arguments, "--json"],
            env=self.env, cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if ended.returncode != 0:
            raise RuntimeError(f"{arguments}: {ended.stderr}")
        return json.loads(ended.stdout)


def wait_for(condition: Any, seconds: float = 30.0, what: str = "the condition") -> Any:
    """Poll until the condition is truthy; its value."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come about within {seconds} s")
