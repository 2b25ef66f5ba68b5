"""The README has every setting, and its examples are configurations and service files."""

import configparser
import plistlib
import re
import shlex
from pathlib import Path

import pytest

from copydesk_connectors.cli import cli, config

from .fake_ghost import KEY
from .settings_table import TABLES, with_table

README = Path(__file__).parents[1] / "README.md"


def examples() -> list[str]:
    """Every whole configuration in the documentation."""
    parts = [part.split("```")[0] for part in README.read_text("utf-8").split("```toml\n")[1:]]
    docker = README.parents[1] / "docker" / "connector.example.toml"
    if docker.exists():  # not where the package stands alone
        parts.append(docker.read_text("utf-8"))
    return [part for part in parts if "[feed]" in part]


def test_the_readmes_table_is_current() -> None:
    """python connectors/tests/settings_table.py connectors/README.md"""
    assert with_table(README.read_text("utf-8")) == README.read_text("utf-8")


@pytest.mark.parametrize("place", TABLES)
def test_every_setting_says_what_it_is(place: str) -> None:
    for name, field in TABLES[place].model_fields.items():
        assert str(field.description).endswith("."), name


@pytest.mark.parametrize("example", examples())
def test_the_examples_are_configurations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: str
) -> None:
    """README: install, the file, check, run"""
    for name in ("COPYDESK", "GARDEN", "KITCHEN"):
        url = f"https://{name.lower()}.example/v1/content-tokens/tok_secretsecret"
        monkeypatch.setenv(f"{name}_FEED_URL", url)
    for name in ("wordpress-password", "ghost-key", "feed-url", "password", "key"):
        (tmp_path / name).write_text(KEY)
        (tmp_path / name).chmod(0o600)
    file = tmp_path / "copydesk.toml"
    file.write_text(example)
    assert config.load(file).targets


def block(opening: str) -> str:
    """The only code block of the README that begins so."""
    (found,) = re.findall(
        rf"```\w*\n({re.escape(opening)}.*?)```", README.read_text("utf-8"), re.DOTALL
    )
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
