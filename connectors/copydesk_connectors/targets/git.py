"""Commits and pushes in the owner's own repository: one commit for each post, with our files only.

This runs the git command, because only that uses the owner's hooks, signing, ssh and credential
helpers. It never asks a question: a command that needs its owner fails with an error.
"""

import os
import re
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, model_validator

from copydesk_connectors.target.base import Finding, Level
from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Unavailable
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import SettingError, Settings, Text, setting

_TIMEOUT_S = 120.0
_CREDENTIALS = re.compile(r"://[^/@\s]+@")
_LOCKED = "index.lock"
_BEHIND = re.compile(r"\[(?:remote )?rejected\].*(?:non-fast-forward|fetch first|stale info)")
_REFUSED = (
    "the remote rejects the push because of one of its rules or hooks; see its message, or set "
    "branch to one that accepts pushes"
)
# Without these, git would wait for somebody at a terminal or a desktop.
_NO_QUESTIONS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "LC_ALL": "C",
}


def _no_option(name: str) -> str:
    if name.startswith("-"):
        raise ValueError("must be a name; it cannot begin with a hyphen")
    return name


GitName = Annotated[Text, AfterValidator(_no_option)]


class GitSettings(Settings):
    """Whether and how posts are committed."""

    git: bool = setting(
        "`true` makes one commit for each post, with the connector's own files only.",
        default=False,
    )
    push: bool = setting("`true` pushes each commit.", default=False)
    remote: GitName = setting("Where commits are pushed.", default="origin")
    branch: GitName = setting(
        "The branch that must be checked out. Without it, any branch.",
        default="",
    )
    git_name: Text = setting("The committer's name. Without it, as git is configured.", default="")
    git_email: Text = setting("The committer's e-mail address.", default="")

    @model_validator(mode="after")
    def _go_with_git(self) -> Self:
        """Check that the settings go together."""
        if bool(self.git_name) != bool(self.git_email):
            raise SettingError("git_name", "goes together with git_email; give both or neither")
        if self.push and not self.git:
            raise SettingError("push", "needs git = true")
        return self

    def repository(self, folder: Path) -> "Git | None":
        """Return the repository around the folder, or None if posts are not committed."""
        return Git(folder, self) if self.git else None


@dataclass(frozen=True)
class Git:
    """The repository around a folder."""

    folder: Path
    settings: GitSettings

    def ready(self) -> None:
        """Return if a commit could be made on the configured branch. Changes nothing."""
        self._branch()

    def check(self, subject: str) -> Finding:
        """Return where commits will go."""
        try:
            branch = self._branch()
        except ConnectorError as error:
            return Finding.of_error(subject, error, "run git status there")
        where = f" and is pushed to {self.settings.remote}" if self.settings.push else ""
        return Finding(Level.OK, subject, f"each post is committed to {branch}{where}")

    def keep(
        self,
        post: Post,
        path: Path,
        lists: Sequence[str] = (),
        ours: Callable[[str], bool] = lambda name: True,
        *,
        message: str = "Update the list of posts",
    ) -> None:
        """Commit the post's file with the changed lists beside it, and push.

        Can be repeated after a crash at any point: what HEAD has is not committed again. What the
        owner has staged stays staged.

        Args:
            lists: names within the folder.
            ours: whether a file under these names may be committed.
            message: the commit's, unless the post's file is new.
        """
        branch = self._branch()
        name = path.relative_to(self.folder).as_posix()
        # If the owner edited a post that we committed, the owner commits it.
        is_new = path.exists() and self._run("cat-file", "-e", f"HEAD:./{name}").returncode != 0
        files = [name] if is_new else []
        files += [changed for changed in self._changed(lists) if ours(changed)]
        if files:
            self._do("add", "--all", "--force", "--", *files)
            self._do(
                "commit", "--quiet", "--only", "--no-edit",
                f"--message={post.title if is_new else message}",
                f"--message=Copydesk-Id: {post.key}",
                "--", *files,
            )  # fmt: skip
        if self.settings.push:
            self._push(branch)

    def _changed(self, names: Sequence[str]) -> list[str]:
        if not names:
            return []
        done = self._do(
            "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored",
            "--", *names,
        )  # fmt: skip
        prefix = self._do("rev-parse", "--show-prefix").strip()
        return [entry[3:].removeprefix(prefix) for entry in done.split("\0") if entry]

    def _push(self, branch: str) -> None:
        remote = self.settings.remote
        done = self._run("push", "--quiet", remote, f"HEAD:refs/heads/{branch}")
        if done.returncode == 0:
            return
        if _BEHIND.search(done.stderr):
            raise Misconfigured(
                f"{remote} has commits on {branch} that this checkout lacks; the post is committed "
                "here but not pushed",
                "run git pull --rebase there",
            )
        if "[remote rejected]" in done.stderr:
            raise Misconfigured(f"git push: {_said(done)}", _REFUSED)
        raise Unavailable(f"git push: {_said(done)}")

    def _branch(self) -> str:
        done = self._run("symbolic-ref", "--short", "--quiet", "HEAD")
        branch = done.stdout.strip()
        if done.returncode == 0 and branch and self.settings.branch in ("", branch):
            return branch
        if self._run("rev-parse", "--is-inside-work-tree").stdout.strip() != "true":
            raise Misconfigured(
                f"{self.folder} is not in a usable git repository: {_said(done)}",
                "run git init or git clone there, or leave git out of the configuration",
            )
        named = self.settings.branch
        wanted = f"the branch {named}" if named else "a branch"
        raise Misconfigured(
            f"{wanted} is not checked out in {self.folder}",
            f"run git switch {named or 'NAME'} there; end a rebase that is in progress",
        )

    def _do(self, *arguments: str) -> str:
        done = self._run(*arguments)
        if done.returncode == 0:
            return done.stdout
        problem = f"git {arguments[0]}: {_said(done)}"
        if _LOCKED in done.stderr:
            raise Unavailable(f"{problem} (another git is at work, or died and left its lock)")
        raise Misconfigured(problem, f"make git {arguments[0]} work in {self.folder}")

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = ["git", "--literal-pathspecs", *arguments]
        try:
            process = subprocess.Popen(  # noqa: S603 - a list, no shell
                command,
                cwd=self._cwd(),
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            reason = "is not installed" if isinstance(error, FileNotFoundError) else "fails to run"
            raise Misconfigured(f"git {reason}", "install git, or leave git = true out") from None
        with process:
            try:
                output, errors = process.communicate(timeout=_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                # Its ssh or credential helper keeps the pipe open as well.
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                raise Unavailable(
                    f"git {arguments[0]} did not end within {_TIMEOUT_S:.0f} s"
                ) from None
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def _cwd(self) -> Path:
        return self.folder if self.folder.is_dir() else self.folder.parent

    def _environment(self) -> dict[str, str]:
        # If a hook starts us, its repository must not become ours.
        mine = {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_INDEX_FILE")}
        ssh = mine.get("GIT_SSH_COMMAND", "ssh")
        who = {}
        if self.settings.git_name:
            for role in ("AUTHOR", "COMMITTER"):
                who[f"GIT_{role}_NAME"] = self.settings.git_name
                who[f"GIT_{role}_EMAIL"] = self.settings.git_email
        return mine | _NO_QUESTIONS | {"GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes"} | who


def _said(done: "subprocess.CompletedProcess[str]") -> str:
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    text = " / ".join(lines[:3]) or f"ended with {done.returncode}"
    return _CREDENTIALS.sub("://***@", text)
