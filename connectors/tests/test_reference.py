"""What comes from the settings' declarations: the README's table and the JSON Schema."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from copydesk_connectors.cli import cli, reference
from copydesk_connectors.target.settings import declared
from copydesk_connectors.targets import TARGETS

from .items import HTML

README = Path(__file__).parents[1] / "README.md"
FEED = '[feed]\nurl_env = "COPYDESK_FEED_URL"\n'


def errors(text: str) -> list[str]:
    """What the schema that the command prints finds wrong in a configuration."""
    printed = CliRunner().invoke(cli, ["schema"])
    assert printed.exit_code == 0
    schema = json.loads(printed.stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    found = jsonschema.Draft7Validator(schema).iter_errors(tomllib.loads(text))
    return [error.message for error in found]


def examples() -> list[Any]:
    """Every whole configuration in the documentation, by its place."""
    found = [
        pytest.param(part.split("```")[0], id=f"README-{number}")
        for number, part in enumerate(README.read_text("utf-8").split("```toml\n")[1:])
        if "[feed]" in part.split("```")[0]
    ]
    docker = README.parents[1] / "docker" / "connector.example.toml"
    if docker.exists():  # not where the package stands alone
        found.append(pytest.param(docker.read_text("utf-8"), id=docker.name))
    return found


def test_the_readmes_table_is_current() -> None:
    """python -m copydesk_connectors.cli.reference README.md"""
    assert reference.with_table(README.read_text("utf-8")) == README.read_text("utf-8")


@pytest.mark.parametrize("kind", TARGETS.ours)
def test_every_setting_says_what_it_is(kind: str) -> None:
    for name, setting in declared(TARGETS.settings(kind)):
        assert setting.help.endswith("."), name


@pytest.mark.parametrize("example", examples())
def test_the_schema_accepts_the_examples(example: str) -> None:
    assert errors(example) == []


@pytest.mark.parametrize(
    "text",
    [
        HTML,
        FEED,
        FEED + HTML + "pth = 1\n",
        FEED + HTML.replace("path", "title"),
        FEED + HTML.replace("html", "htlm"),
        FEED + HTML + 'json_ld = "yes"\n',
        FEED + "parallel = 17\n" + HTML,
        FEED + 'url_file = "feed"\n' + HTML,
        FEED + '[[target]]\ntype = "ghost"\nurl = "https://a.example"\n',
    ],
)
def test_the_schema_refuses_what_the_connector_refuses(text: str) -> None:
    assert errors(text)
