"""Commits, and pushes, in the owner's own repository: one commit a post, with our files alone.

The git command does it, not a library: it alone has the owner's hooks, signing, ssh and credential
helpers. GitPython runs the same command behind more moving parts; dulwich has neither hooks nor
helpers. Nothing here ever asks a question: what git cannot do without its owner fails, and is said.
"""

import os
import re
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from copydesk_connectors.errors import ConfigError, Misconfigured, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Finding, Level
from copydesk_connectors.toml_table import Table

_TIMEOUT_S = 120.0
_PUSHES = 3  # somebody may push between our look and our push
_CREDENTIALS = re.compile(r"://[^/@\s]+@")
_LOCKED = "index.lock"
_BEHIND = re.compile(r"\[(?:remote )?rejected\].*(?:non-fast-forward|fetch first|stale info)")
_MARK = "copydesk-rebase"
_REFUSED = (
    "the remote refused the push for good (a rule or a hook of its own); see its message, or let "
    "branch name one that may be pushed to"
)
# Each of these would wait for somebody at a terminal or a desktop.
_NO_QUESTIONS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "LC_ALL": "C",
}


@dataclass(frozen=True)
class Git:
    """The repository around a folder.

    ``push`` is "no", "yes", or "rebase" to put our commits on top of what others pushed.
    ``branch`` must be checked out where it is given.
    """

    folder: Path
    push: str
    remote: str
    branch: str
    author_name: str
    author_email: str

    @classmethod
    def from_table(cls, folder: Path, table: Table) -> Self | None:
        """Read the settings; None where git is not wanted."""
        wanted = table.flag("git", default=False)
        push = _push_setting(table)
        git = cls(
            folder=folder,
            push=push,
            remote=table.text("remote", "origin"),
            branch=table.text("branch", ""),
            author_name=table.text("git_name", ""),
            author_email=table.text("git_email", ""),
        )
        if bool(git.author_name) != bool(git.author_email):
            table.fail("git_name", "goes together with git_email; give both or neither")
        for key in ("remote", "branch"):
            if getattr(git, key).startswith("-"):
                table.fail(key, "must be a name; it cannot begin with a hyphen")
        if not wanted and push != "no":
            table.fail("push", "needs git = true")
        return git if wanted else None

    def ready(self) -> None:
        """Return when a commit could be made and knows its branch. Changes nothing."""
        self._branch()

    def check(self, subject: str) -> Finding:
        """Where commits will go."""
        try:
            branch = self._branch()
        except Misconfigured as error:
            return Finding(Level.PROBLEM, subject, str(error.args[0]), error.fix)
        except Unavailable as error:
            return Finding(Level.PROBLEM, subject, str(error), "run git status there")
        where = "" if self.push == "no" else f" and is pushed to {self.remote}"
        return Finding(Level.OK, subject, f"each post is committed to {branch}{where}")

    def keep(
        self,
        post: Post,
        path: Path,
        lists: Sequence[str] = (),
        ours: Callable[[str], bool] = lambda name: True,
    ) -> None:
        """Have the post's file in a commit, with what changed of the lists beside it, and pushed.

        Can be repeated after any end of it: what HEAD has is not committed again, and what the
        owner has staged stays staged. ``lists`` are names within the folder; ``ours`` tells which
        files under them may be committed.

        Raises:
            Unavailable, Misconfigured
        """
        self._end_own_rebase()
        branch = self._branch()
        name = path.relative_to(self.folder).as_posix()
        # A post that its owner edited after we committed it is the owner's to commit.
        is_new = self._run("cat-file", "-e", f"HEAD:./{name}").returncode != 0
        files = [name] if is_new else []
        files += [changed for changed in self._changed(lists) if ours(changed)]
        if files:
            self._do("add", "--all", "--", *files)
            self._do(
                "commit", "--quiet", "--only", "--no-edit",
                f"--message={post.title if is_new else 'List the posts anew'}",
                f"--message=Copydesk-Id: {post.key}",
                "--", *files,
            )  # fmt: skip
        if self.push != "no":
            self._push(branch)

    def _changed(self, names: Sequence[str]) -> list[str]:
        if not names:
            return []
        done = self._do(
            "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *names
        )
        prefix = self._do("rev-parse", "--show-prefix").strip()
        return [entry[3:].removeprefix(prefix) for entry in done.split("\0") if entry]

    def _push(self, branch: str) -> None:
        for _ in range(_PUSHES):
            done = self._run("push", "--quiet", self.remote, f"HEAD:refs/heads/{branch}")
            if done.returncode == 0:
                return
            if not _BEHIND.search(done.stderr):
                if "[remote rejected]" in done.stderr:
                    raise Misconfigured(f"git push: {_said(done)}", _REFUSED)
                raise Unavailable(f"git push: {_said(done)}")
            if self.push != "rebase":
                raise Misconfigured(
                    f"{self.remote} has commits on {branch} that this checkout lacks; "
                    "the post is committed here but not pushed",
                    'run git pull --rebase there, or set push = "rebase"',
                )
            self._rebase(branch)
        raise Unavailable(f"others keep pushing to {self.remote}")

    def _rebase(self, branch: str) -> None:
        fetched = self._run("fetch", "--quiet", self.remote, f"refs/heads/{branch}")
        if fetched.returncode != 0:
            raise Unavailable(f"git fetch: {_said(fetched)}")
        mark = self._git_path(_MARK)
        mark.touch()
        # Without autostash: it would forget what the owner has staged.
        done = self._run("rebase", "--quiet", "--no-autostash", "FETCH_HEAD")
        self._end_own_rebase()
        if done.returncode != 0:
            raise Misconfigured(
                f"git rebase: {_said(done)}", "commit or put away what is changed there, then pull"
            )

    def _end_own_rebase(self) -> None:
        """Undo a rebase that we began and did not end; one of the owner's is left alone."""
        mark = self._git_path(_MARK)
        if mark.exists():
            if self._git_path("rebase-merge").exists() or self._git_path("rebase-apply").exists():
                self._do("rebase", "--abort")
            mark.unlink(missing_ok=True)

    def _branch(self) -> str:
        done = self._run("symbolic-ref", "--short", "--quiet", "HEAD")
        branch = done.stdout.strip()
        if done.returncode == 0 and branch and self.branch in ("", branch):
            return branch
        if self._run("rev-parse", "--is-inside-work-tree").stdout.strip() != "true":
            raise Misconfigured(
                f"{self.folder} is in no git repository that can be used: {_said(done)}",
                "run git init or git clone there, or leave git out of the configuration",
            )
        wanted = f"the branch {self.branch}" if self.branch else "a branch"
        raise Misconfigured(
            f"{wanted} is not checked out in {self.folder}",
            f"run git switch {self.branch or 'NAME'} there; end a rebase that is in progress",
        )

    def _git_path(self, name: str) -> Path:
        return self._cwd() / self._do("rev-parse", "--git-path", name).strip()

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
                # Its ssh or helper holds the pipe as well.
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                raise Unavailable(
                    f"git {arguments[0]} did not end within {_TIMEOUT_S:.0f} s"
                ) from None
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def _cwd(self) -> Path:
        return self.folder if self.folder.is_dir() else self.folder.parent

    def _environment(self) -> dict[str, str]:
        # A hook that starts us must not hand its own repository down.
        mine = {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_INDEX_FILE")}
        ssh = mine.get("GIT_SSH_COMMAND", "ssh")
        who = {}
        if self.author_name:
            for role in ("AUTHOR", "COMMITTER"):
                who[f"GIT_{role}_NAME"] = self.author_name
                who[f"GIT_{role}_EMAIL"] = self.author_email
        return mine | _NO_QUESTIONS | {"GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes"} | who


def _push_setting(table: Table) -> str:
    given = ""
    with suppress(ConfigError):
        given = "yes" if table.flag("push", default=False) else "no"
    with suppress(ConfigError):
        given = given or table.choice("push", ("rebase",))
    if not given:
        table.fail("push", 'must be true, false or "rebase"')
    return given


def _said(done: "subprocess.CompletedProcess[str]") -> str:
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    text = " / ".join(lines[:3]) or f"ended with {done.returncode}"
    return _CREDENTIALS.sub("://***@", text)
