"""The GitHub Action, run by a small local runner: the steps of action.yml as a shell gets them."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from .feed_server import FakeFeed
from .items import make_item

FOLDER = Path(__file__).parents[1] / "action"
ACTION = yaml.safe_load((FOLDER / "action.yml").read_text())

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the action in a checked-out repository, where the connector is installed already."""
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "copydesk.toml").write_text(
        '[feed]\nurl_env = "COPYDESK_FEED_URL"\n[[target]]\ntype = "markdown"\npath = "site"\n'
    )
    program = tmp_path / "copydesk-connect" / "bin" / "copydesk-connect"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m copydesk_connectors "$@"\n')
    program.chmod(0o755)

    def run_it(**given: str) -> "subprocess.CompletedProcess[str]":
        inputs = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known["github.action_path"] = str(FOLDER)
        (step,) = ACTION["runs"]["steps"]
        values = {
            key: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: known[match[1]], value)
            for key, value in step["env"].items()
        }
        assert "${{" not in step["run"]
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=tmp_path / "repository", capture_output=True, text=True, check=False,
            env=os.environ | values | {
                "RUNNER_TEMP": str(tmp_path),
                "GITHUB_OUTPUT": str(tmp_path / "output"),
                "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            },
        )  # fmt: skip

    return run_it


def test_it_publishes_what_waits_and_says_how_much(
    run: Run, feed: FakeFeed, tmp_path: Path
) -> None:
    """a GitHub Action (action.yml, tried with a local runner script)"""
    feed.add(make_item())
    done = run(feed_url=feed.url)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "repository" / "site" / "descale-espresso-machine.md").exists()
    assert (tmp_path / "output").read_text() == "published=1\n"
    assert "1 published and confirmed" in (tmp_path / "summary").read_text()
    assert "secretsecret" not in done.stdout + done.stderr
    assert run(feed_url=feed.url).returncode == 0
    assert (tmp_path / "output").read_text() == "published=1\npublished=0\n"


def test_a_pass_that_fails_fails_the_step(run: Run, feed: FakeFeed, tmp_path: Path) -> None:
    """a failure is seen: the step fails, with the reason in the summary"""
    feed.add(make_item())
    (tmp_path / "repository" / "site").write_text("no folder")
    done = run(feed_url=feed.url)
    assert done.returncode == 1
    assert "site is not a folder" in (tmp_path / "summary").read_text()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"feed_url": ""}, "the input feed-url is empty"),
        ({"feed_url": "https://x.example", "config": "$(touch made)"}, "does not exist: check"),
    ],
)
def test_what_is_missing_is_one_error(
    run: Run, tmp_path: Path, given: dict[str, str], said: str
) -> None:
    """Bad input gets one clear error; an input never becomes a command"""
    done = run(**given)
    assert done.returncode == 1
    assert said in done.stdout + done.stderr
    assert not (tmp_path / "repository" / "made").exists()


def test_its_script_can_be_run() -> None:
    """GitHub runs the file as it is in the repository"""
    assert (FOLDER / "pass.sh").stat().st_mode & stat.S_IXUSR
