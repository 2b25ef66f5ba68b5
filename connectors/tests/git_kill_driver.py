"""Publishes one post into a git repository; SIGKILL ends it before its Nth git command.

What comes after one command comes before the next: every point between two of them is met.
"""

import os
import signal
from pathlib import Path
from typing import Any

from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.git import Git

from .items import make_item


def main(site: Path, last: int) -> None:
    """One pass over find, draft and publish, to its end where there are fewer commands."""
    run, done = Git._run, 0

    def watched(self: Git, *arguments: str) -> Any:
        nonlocal done
        done += 1
        if done == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return run(self, *arguments)

    Git._run = watched  # type: ignore[method-assign]
    settings = {"path": str(site), "git": True, "push": True}
    target = TARGETS["html"]("html", Table(settings, "[[target]] 1", site.parents[1] / "c.toml"))
    post = Post.from_item(make_item())
    copy = target.find(post) or target.draft(post)
    target.publish(post, copy.remote_id)
