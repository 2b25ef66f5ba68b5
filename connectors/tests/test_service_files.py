"""The service files in the README: each system reads them, and they call the command rightly."""

import configparser
import plistlib
import re
import shlex
from pathlib import Path

from copydesk_connectors.cli import cli

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def block(opening: str) -> str:
    """The only code block of the README that begins so."""
    (found,) = re.findall(rf"```\w*\n({re.escape(opening)}.*?)```", README, re.DOTALL)
    return str(found)


def test_each_service_file_runs_a_command_that_exists() -> None:
    """a page with a systemd unit, a launchd file and a cron line"""
    unit = configparser.ConfigParser(interpolation=None, delimiters="=")
    unit.read_string(block("[Unit]"))
    agent = plistlib.loads(block("<?xml").encode())
    minute, *_, line = block("*/15").split(None, 5)
    assert (minute, agent["KeepAlive"]) == ("*/15", {"SuccessfulExit": False})
    for words in (
        shlex.split(unit["Service"]["ExecStart"]),
        agent["ProgramArguments"],
        shlex.split(line),
    ):
        program, name, *options = words
        assert program.endswith("/copydesk-connect")
        with cli.commands[name].make_context(name, options) as context:
            assert context.params["file"].name == "copydesk.toml"
