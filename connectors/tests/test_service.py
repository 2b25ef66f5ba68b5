"""Services: what is written is what each system reads, and the connector runs by it."""

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from copydesk_connectors.cli.service import KINDS, Service

from . import forking
from .feed_server import FakeFeed
from .items import make_item
from .test_cli import CONNECT

ODD = Service(
    "blog",
    Path('/home/jo/My "blog" & 100% $HOME'),
    ["/opt/py thon", "-m", "x", "run", "--config", '/home/jo/My "blog" & 100% $HOME/c.toml'],
    ["/opt/py thon", "-m", "x", "once", "--config", "/home/jo/a b % 'c'.toml"],
)


@pytest.fixture
def home(tmp_path: Path, feed: FakeFeed) -> Path:
    """A home with a configuration."""
    secret = tmp_path / "feed-url"
    secret.write_text(feed.url)
    secret.chmod(0o600)
    (tmp_path / "copydesk.toml").write_text(
        '[feed]\nurl_file = "feed-url"\n[[target]]\ntype = "html"\npath = "site"\n'
    )
    return tmp_path


def connect(home: Path, *arguments: str, path: str = "") -> "subprocess.CompletedProcess[str]":
    here = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), "XDG_CONFIG_HOME": ""}
    here["PATH"] = f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]
    return forking.run(CONNECT, *arguments, cwd=home, env=os.environ | here)


def systemctl(home: Path, status: int = 0) -> str:
    """A folder with a systemctl that notes how it is called."""
    folder = home / "bin"
    folder.mkdir()
    program = folder / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$@" >> {home}/calls\necho no bus >&2\nexit {status}\n')
    program.chmod(0o755)
    return str(folder)


def test_a_systemd_user_unit_is_installed_started_and_removed(home: Path) -> None:
    """`copydesk-connect service install` (systemd user unit …)"""
    path = systemctl(home)
    done = connect(home, "service", "install", path=path)
    assert done.returncode == 0, done.stderr
    unit = home / ".config" / "systemd" / "user" / "copydesk-connect.service"
    config = home / "copydesk.toml"
    command = f'"{sys.executable}" "-m" "copydesk_connectors" "run" "--config" "{config}"'
    assert f"ExecStart={command}\n" in unit.read_text()
    again = connect(home, "service", "install", path=path)
    assert (again.returncode, "use --replace" in again.stderr) == (1, True)
    assert connect(home, "service", "install", "--replace", path=path).returncode == 0
    assert connect(home, "service", "remove", path=path).returncode == 0
    assert not unit.exists()
    assert (home / "calls").read_text().splitlines() == [
        *["--user daemon-reload", "--user enable --now copydesk-connect.service"] * 2,
        "--user disable --now copydesk-connect.service",
    ]
    assert connect(home, "service", "remove", path=path).returncode == 1


def test_a_system_that_refuses_is_one_sentence(home: Path) -> None:
    """Bad input gets one clear error (what, where, what would be right)"""
    done = connect(home, "service", "install", path=systemctl(home, status=1))
    assert done.returncode == 1
    said = "Error: `systemctl --user daemon-reload` failed: no bus"
    assert done.stderr.splitlines()[-1] == said


def test_secrets_of_the_shells_environment_are_refused(home: Path, feed: FakeFeed) -> None:
    """A service would start and fail: it has no shell's variables"""
    file = home / "copydesk.toml"
    file.write_text(
        file.read_text().replace("url_file", "url_env").replace("feed-url", "HOME_FEED")
    )
    os.environ["HOME_FEED"] = feed.url
    try:
        done = connect(home, "service", "install", "--kind", "systemd")
    finally:
        del os.environ["HOME_FEED"]
    assert done.returncode == 1
    assert "url_env: a service does not have the variables of your shell" in done.stderr
    assert "and use url_file" in done.stderr


@pytest.mark.parametrize("kind", ["systemd", "launchd", "windows", "cron"])
def test_a_dry_run_shows_the_file_and_changes_nothing(home: Path, kind: str) -> None:
    """`--dry-run` everywhere"""
    before = sorted(home.rglob("*"))
    done = connect(home, "service", "install", "--kind", kind, "--dry-run")
    assert done.returncode == 0
    assert str(home / "copydesk.toml") in done.stdout
    assert sorted(home.rglob("*")) == before


def test_a_crontab_line_publishes(home: Path, feed: FakeFeed) -> None:
    """cron line: what cron gives to the shell makes a pass"""
    feed.add(make_item())
    odd = home / "100% 'ours'"
    odd.mkdir()
    for name in ("copydesk.toml", "feed-url"):
        (home / name).rename(odd / name)
    done = connect(
        home, "service", "install", "--kind", "cron", "--config", str(odd / "copydesk.toml")
    )
    *when, command = done.stdout.strip().split(" ", 5)
    assert when == ["*/15", "*", "*", "*", "*"]
    # cron itself removes the backslash.
    subprocess.run(["/bin/sh", "-c", command.replace("\\%", "%")], check=True, cwd="/")
    assert (odd / "site" / "index.html").exists()


def test_launchd_and_windows_read_what_is_written() -> None:
    """launchd, Windows task: odd characters in paths stay"""
    plist = plistlib.loads(KINDS["launchd"].text(ODD).encode())
    assert plist["ProgramArguments"] == ODD.run
    assert plist["WorkingDirectory"] == str(ODD.folder)
    task = KINDS["windows"].text(ODD).replace("UTF-16", "UTF-8")
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    action = ElementTree.fromstring(task.encode()).find(f"{space}Actions/{space}Exec")
    assert action is not None
    assert action.findtext(f"{space}Command") == "/opt/py thon"
    assert action.findtext(f"{space}Arguments") == subprocess.list2cmdline(ODD.once[1:])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    """systemd user unit"""
    here = Service("blog", tmp_path, ["/bin/true", 'a "b" 100% $c \\'], ["/bin/true"])
    unit = tmp_path / "blog.service"
    unit.write_text(KINDS["systemd"].text(here))
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(unit)],
        capture_output=True, text=True, check=False, env=os.environ | {"XDG_RUNTIME_DIR": "/tmp"},
    )  # fmt: skip
    assert str(unit) not in done.stderr, done.stderr


def test_a_units_command_is_quoted_for_systemd() -> None:
    """systemd.service(5): quotes, and %% and $$ for the signs themselves"""
    text = KINDS["systemd"].text(ODD)
    (line,) = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    words = shlex.split(line.removeprefix("ExecStart=").replace("%%", "%").replace("$$", "$"))
    assert words == ODD.run


def test_the_templates_are_written_for_their_owner(home: Path) -> None:
    """a template that the owner can replace"""
    assert connect(home, "templates", "mine").returncode == 0
    names = sorted(path.name for path in (home / "mine").iterdir())
    assert names == ["head.html", "list.html", "page.html", "post.html", "style.css"]
    again = connect(home, "templates", "mine")
    assert again.stderr == "Error: mine exists already: name another folder\n"
    file = home / "copydesk.toml"
    file.write_text(f'{file.read_text()}templates = "mine"\n')
    assert connect(home, "check").returncode == 0
