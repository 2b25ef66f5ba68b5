"""The owner's command after each post in a folder, such as a commit and a push."""

import os
import signal
import subprocess
from pathlib import Path

from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.post import Post

_TIMEOUT_S = 120.0
_SHOWN_LINES = 3
# Without it, git would wait for somebody at a terminal.
_NO_QUESTIONS = {"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS_REQUIRE": "never"}


def run(command: str, folder: Path, post: Post) -> None:
    """Run the command in a folder, if there is one.

    Raises:
        Unavailable: it failed or took too long.
    """
    if not command:
        return
    process = subprocess.Popen(  # noqa: S602 - the owner's own command
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, **_NO_QUESTIONS, "COPYDESK_TITLE": post.title},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            said, _ = process.communicate(timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # What it started keeps the pipe open as well.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Unavailable(f"command did not end within {_TIMEOUT_S:.0f} s") from None
    if process.returncode != 0:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        shown = " / ".join(lines[:_SHOWN_LINES])
        raise Unavailable(f"command ended with {process.returncode}: {shown}")
