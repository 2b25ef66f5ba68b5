"""docker/compose.yaml: "validate the compose file against its schema", and hold it to the service.

What cannot be seen without a container engine (that the containers find each other, that the
images of others start as they are told) is not proved here; .ci/image runs our own images.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click import Command, Context
from click.exceptions import NoSuchOption, UsageError
from jsonschema import Draft7Validator

from app.cli import main as server_command
from app.settings import Settings
from copydesk_connectors import cli as connector

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docker"
SCHEMA = json.loads((ROOT / "tests/schemas/compose-spec.json").read_text())
OURS = {"web", "worker", "scheduler", "migrate", "connector"}
OTHERS = {"postgres", "redis"}


def load(text: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(text)
    return document


TEXT = (FOLDER / "compose.yaml").read_text()
COMPOSE = load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def problems(document: dict[str, Any]) -> list[str]:
    return [error.json_path for error in Draft7Validator(SCHEMA).iter_errors(document)]


def test_it_follows_the_schema() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert problems(COMPOSE) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("read_only: true", "readonly: true"),
        ("condition: service_healthy", "condition: service_well"),
        ("internal: true", "internal: [1]"),
        ("memory: 1g", "memmory: 1g"),
    ],
)
def test_the_schema_finds_a_mistake(right: str, wrong: str) -> None:
    assert right in TEXT
    assert problems(load(TEXT.replace(right, wrong)))


def test_the_parts_are_those_that_were_asked_for() -> None:
    """ "compose.yaml (PostgreSQL, Redis, web, two workers, scheduler, connector)" """
    assert set(SERVICES) == OURS | OTHERS
    assert SERVICES["worker"]["deploy"]["replicas"] == 2
    assert SERVICES["postgres"]["image"] == "postgres:18"


def _of_service(name: str) -> Command:
    command = server_command.get_command(Context(server_command), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", sorted(OURS - {"connector"}))
def test_every_command_is_one_of_the_service(name: str) -> None:
    command, *arguments = SERVICES[name]["command"]
    _of_service(command).make_context(command, arguments)


def test_the_connector_is_started_as_it_can_be() -> None:
    command, *arguments = SERVICES["connector"]["command"]
    context = connector.cli.commands[command].make_context(command, arguments)
    mounted = [volume for volume in SERVICES["connector"]["volumes"] if isinstance(volume, dict)]
    assert [volume["target"] for volume in mounted] == [str(context.params["file"])]
    assert all(volume["read_only"] for volume in mounted)


def test_a_command_that_does_not_exist_would_be_found() -> None:
    with pytest.raises(NoSuchOption):
        _of_service("web").make_context("web", ["--hots", "0.0.0.0"])
    with pytest.raises(UsageError):
        _of_service("worker").make_context("worker", ["two"])


@pytest.mark.parametrize("name", sorted(OURS - {"connector"}))
def test_every_variable_is_a_setting(name: str) -> None:
    """A COPYDESK_ variable that is no setting stops the service at its start."""
    settings = {str(field.alias) for field in Settings.model_fields.values()}
    assert set(SERVICES[name]["environment"]) <= settings


def test_settings_given_in_compose_are_accepted() -> None:
    given = {name: expanded(value) for name, value in SERVICES["web"]["environment"].items()}
    settings = Settings.from_env(given)
    assert settings.sqlalchemy_url == "postgresql+psycopg://copydesk:x@postgres:5432/copydesk"
    assert settings.openai_base_url is None


def expanded(value: str) -> str:
    """As compose puts variables in, where the needed ones are `x` and no other is set."""
    value = re.sub(r"\$\{\w+:\?[^}]*\}", "x", value)
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)


def test_each_part_is_given_what_it_needs_and_no_more() -> None:
    """The model's key is where posts are written, and nowhere else."""
    assert having("OPENAI_API_KEY") == {"web", "worker"}
    assert having("COPYDESK_DATABASE_URL") == OURS - {"connector"}
    assert having("COPYDESK_REDIS_URL") == {"web", "worker", "scheduler"}


def having(variable: str) -> set[str]:
    return {n for n, service in SERVICES.items() if variable in service.get("environment", {})}


def test_no_password_is_written_down() -> None:
    """ "no default password committed: generated or required" """
    for name in ("POSTGRES_PASSWORD", "OPENAI_API_KEY"):
        used = re.findall(r"\$\{" + name + r"(.)(.)", TEXT)
        assert used
        assert set(used) == {(":", "?")}
    example = (FOLDER / ".env.example").read_text()
    assert all(line.endswith("=") for line in example.splitlines() if line and line[0] != "#")
    assert ".env" in (FOLDER / ".gitignore").read_text().split()


def test_every_variable_of_the_file_is_explained() -> None:
    example = set(re.findall(r"^(\w+)=", (FOLDER / ".env.example").read_text(), re.M))
    used = set(re.findall(r"\$\{(\w+)", TEXT))
    assert example <= used
    optional = set(re.findall(r"\$\{(\w+):-", TEXT)) - example
    assert optional == {
        "COPYDESK_LOG_FORMAT",
        "COPYDESK_LOG_LEVEL",
        "COPYDESK_MODEL_CONCURRENCY",
        "COPYDESK_SCHEDULE",
        "COPYDESK_WORKERS",
    }


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_nothing_runs_as_root_or_with_powers(name: str) -> None:
    service = SERVICES[name]
    assert service["user"].split(":")[0] not in {"", "0", "root"}
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert "cap_add" not in service


@pytest.mark.parametrize("name", sorted(OURS | {"redis"}))
def test_file_systems_are_read_only(name: str) -> None:
    assert SERVICES[name]["read_only"] is True


def test_only_web_can_be_reached_and_only_from_this_machine() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"]}
    assert COMPOSE["networks"]["inside"]["internal"] is True
    outside = {name for name, service in SERVICES.items() if "outside" in service["networks"]}
    assert outside == {"web", "worker", "connector"}
    assert "inside" not in SERVICES["connector"]["networks"]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_what_it_waits_for_exists_and_can_be_waited_for(name: str) -> None:
    for other, wait in SERVICES[name].get("depends_on", {}).items():
        if wait["condition"] == "service_healthy":
            checked = SERVICES[other].get("healthcheck")
            assert checked or other == "web", f"{other} has no health check"
            assert not (checked or {}).get("disable")
        else:
            assert wait["condition"] == "service_completed_successfully"
            assert SERVICES[other]["restart"] == "no"


def test_whoever_uses_the_database_waits_for_its_tables() -> None:
    for name in ("web", "worker", "scheduler"):
        waits = SERVICES[name]["depends_on"]
        assert waits["migrate"]["condition"] == "service_completed_successfully"
        assert {"postgres", "redis"} <= set(waits)


def test_what_stays_up_is_restarted_and_bounded() -> None:
    for name, service in SERVICES.items():
        if name == "migrate":
            continue
        assert service["restart"] == "unless-stopped", name
        assert service["deploy"]["resources"]["limits"]["memory"], name
        assert service["logging"]["driver"] == "local", name


def test_only_what_has_a_port_has_a_health_check() -> None:
    """The image's own check asks the web server; a worker would look ill for ever."""
    for name in ("worker", "scheduler", "migrate"):
        assert SERVICES[name]["healthcheck"] == {"disable": True}
    assert "healthcheck" not in SERVICES["web"]


def test_volumes_and_networks_are_declared() -> None:
    for service in SERVICES.values():
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        named = {v.split(":")[0] for v in service.get("volumes", []) if isinstance(v, str)}
        assert named <= set(COMPOSE["volumes"])


def test_the_images_are_targets_of_the_dockerfile() -> None:
    stages = set(re.findall(r"^FROM \S+ AS (\S+)$", (FOLDER / "Dockerfile").read_text(), re.M))
    for name in OURS:
        build = SERVICES[name]["build"]
        assert build["target"] in stages
        assert (FOLDER / build["context"] / build["dockerfile"]).samefile(FOLDER / "Dockerfile")
        numbers = re.findall(r"^USER (\S+)$", (FOLDER / "Dockerfile").read_text(), re.M)
        assert SERVICES[name]["user"] in numbers


def test_the_connector_image_has_what_the_tests_ran_with() -> None:
    """`make lock` writes both; where they differ, what is shipped was never tested."""
    shipped = pins(FOLDER / "connector.lock")
    assert shipped <= pins(ROOT / "requirements-dev.lock")
    names = {pin.split("==")[0] for pin in shipped}
    for project in ("sdk", "connectors"):
        data = tomllib.loads((ROOT / project / "pyproject.toml").read_text())
        needed = {re.split(r"[^\w.-]", need)[0] for need in data["project"]["dependencies"]}
        assert needed - {"copydesk"} <= names


def pins(path: Path) -> set[str]:
    return set(re.findall(r"^([\w.-]+==[^\s;\\]+)", path.read_text(), re.M))
