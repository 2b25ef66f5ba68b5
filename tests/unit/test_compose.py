"""docker/compose.yaml: "validate the compose file against its schema", and hold it to the service.

What cannot be seen without a container engine (that the containers find each other, that the
images of others start as they are told) is not proved here; .ci/image runs our own images.
"""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click import Command, Context
from jsonschema import Draft7Validator

from app.cli import main as server_command
from app.settings import Settings
from tools.pages import env_example

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docker"
SCHEMA = json.loads((ROOT / "tests/schemas/compose-spec.json").read_text())
SERVER = {"web", "worker", "scheduler", "migrate"}
OURS = SERVER | {"connector"}
# The only part that needs a capability: its program does not start without it.
CAPABLE = {"tls": ["NET_BIND_SERVICE"]}


def load(text: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(text)
    return document


TEXT = (FOLDER / "compose.yaml").read_text()
COMPOSE = load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def problems(document: dict[str, Any]) -> list[str]:
    return [error.json_path for error in Draft7Validator(SCHEMA).iter_errors(document)]


SMALL = load((FOLDER / "compose.sqlite.yaml").read_text())
METRICS = load((FOLDER / "compose.metrics.yaml").read_text())


def test_all_follow_the_schema() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert [problems(each) for each in (COMPOSE, SMALL, METRICS)] == [[], [], []]


def _of_service(name: str) -> Command:
    command = server_command.get_command(Context(server_command), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", sorted(SERVER))
@pytest.mark.parametrize("url", ["", "http://model.internal/v1"])
def test_settings_of_the_model_stop_no_part_that_is_not_given_its_key(
    name: str, url: str, tmp_path: Path
) -> None:
    """The parts read the same .env, but only some have the key."""
    env = {"OPENAI_BASE_URL": url, "COPYDESK_MODERATION_MODEL": "m"}
    written = dict(env)
    for variable, value in SERVICES[name]["environment"].items():
        env[variable] = re.sub(
            r"\$\{(\w+):-(.*)\}", lambda found: written[found[1]] or found[2], value
        )
        if value.startswith("/run/secrets/"):
            file = tmp_path / variable
            file.write_text("redis://r" if "REDIS" in variable else "postgresql://p")
            file.chmod(0o600)
            env[variable] = str(file)
    assert Settings.from_env(env).has_endpoint


EXAMPLE = (FOLDER / ".env.example").read_text()


def test_every_setting_reaches_every_part_of_the_service() -> None:
    """By one file, whose example names each of them: nothing has to be added to compose.yaml."""
    assert {SERVICES[name]["env_file"] for name in SERVER} == {".env"}
    assert SMALL["services"]["copydesk"]["env_file"] == [{"path": ".env", "required": False}]
    named = set(re.findall(r"^#((?:COPYDESK|OPENAI)_\w+)=", EXAMPLE, re.M))
    settings = {str(field.alias) for field in Settings.model_fields.values()}
    set_here = {"COPYDESK_BACKUP_DIR", "COPYDESK_DATA_DIR", "COPYDESK_HEARTBEAT_FILE"}
    internal = {"COPYDESK_LOCAL_MODEL_URL"}
    assert named == settings - set(Settings.secret_names()) - set_here - internal
    assert env_example() == EXAMPLE, "run `make openapi`"


def test_every_variable_of_compose_is_in_the_example_and_no_setting() -> None:
    """An unknown COPYDESK_ variable would stop the service, which gets the same file."""
    used = set(re.findall(r"\$\{(\w+)", TEXT)) - {"OPENAI_BASE_URL"}
    assert used == set(re.findall(r"^#(?!COPYDESK|OPENAI)(\w+)=", EXAMPLE, re.M))


def test_no_secret_is_written_down() -> None:
    """ "no default password committed: generated or required" """
    assert all(line.startswith("#") for line in EXAMPLE.splitlines() if line)
    ignored = set((FOLDER / ".gitignore").read_text().split())
    assert {".env", "connector.env", "secrets/", "backups/", "tls/"} <= ignored


def test_each_part_is_given_the_secrets_that_it_needs_and_no_more() -> None:
    """The model's key is where posts are written, and nowhere else."""
    assert having("openai_api_key") == {"web", "worker"}
    assert having("database_url") == {"web", "worker", "scheduler"}
    assert having("redis_url") == {"web", "worker", "scheduler"}
    assert having("migrate_database_url") == {"migrate"}
    assert having("postgres_password") == having("passwords.sql") == {"postgres"}
    assert having("redis.conf") == {"redis"}
    for name, service in SERVICES.items():
        files = set(service.get("environment", {}).values())
        read = {value for value in files if str(value).startswith("/run/secrets/")}
        assert read <= {f"/run/secrets/{secret}" for secret in secrets(name)}
        assert set(secrets(name)) <= set(COMPOSE["secrets"])


def having(secret: str) -> set[str]:
    return {name for name in SERVICES if secret in secrets(name)}


def secrets(service: str) -> list[str]:
    given = SERVICES[service].get("secrets", [])
    return [each if isinstance(each, str) else each["source"] for each in given]


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files to the users of containers")
def test_setup_makes_every_secret_for_the_user_that_reads_it(tmp_path: Path) -> None:
    for file in ("setup.sh", ".env.example"):
        (tmp_path / file).write_bytes((FOLDER / file).read_bytes())
    run = ["sh", str(tmp_path / "setup.sh")]
    for empty in ("", "  \n"):
        refused = subprocess.run(run, input=empty, text=True, capture_output=True)
        assert refused.returncode == 1
        assert refused.stderr.endswith("The key is empty. Run this again and type one.\n")
        assert list((tmp_path / "secrets").iterdir()) == []
    # One that an earlier version wrote.
    (tmp_path / "secrets" / "openai_api_key").touch()
    subprocess.run(run, input="sk-model", text=True, check=True, capture_output=True)
    made = {path.name: path for path in (tmp_path / "secrets").iterdir()}
    assert set(made) == set(COMPOSE["secrets"])
    for name, service in SERVICES.items():
        for secret in secrets(name):
            status = made[secret].stat()
            assert status.st_mode & 0o777 == 0o400
            owner = 999 if service["user"] == "postgres" else int(service["user"].split(":")[0])
            assert status.st_uid == owner, f"{name} cannot read {secret}"
    files = {
        variable: str(made[Path(value).name])
        for variable, value in SERVICES["web"]["environment"].items()
    }
    settings = Settings.from_env(files)
    assert settings.sqlalchemy_url.endswith("@postgres:5432/copydesk")
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-model"
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
    folder = (tmp_path / "backups").stat()
    writer, reader = SERVICES["backup"]["user"], SERVICES["scheduler"]["user"]
    assert f"{folder.st_uid}:{folder.st_gid}" == f"{writer.split(':')[0]}:{reader.split(':')[1]}"
    assert folder.st_mode & 0o777 == 0o750
    before = {name: path.read_bytes() for name, path in made.items()}
    subprocess.run(run, input="other\n", text=True, check=True, capture_output=True)
    assert {name: path.read_bytes() for name, path in made.items()} == before


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_nothing_runs_as_root_or_with_powers(name: str) -> None:
    service = SERVICES[name]
    assert service["user"].split(":")[0] not in {"", "0", "root"}
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service.get("read_only", False) is (name != "postgres")
    assert "privileged" not in service
    assert service.get("cap_add") == CAPABLE.get(name)


def test_web_can_be_reached_from_this_machine_and_by_tls() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"], "tls": ["80:80", "443:443"]}
    assert SERVICES["tls"]["profiles"] == ["tls"]
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert all(set(each["networks"]) <= set(COMPOSE["networks"]) for each in SERVICES.values())
    outside = {name for name, service in SERVICES.items() if "outside" in service["networks"]}
    assert outside == {"web", "worker", "connector", "tls"}
    assert all("inside" not in SERVICES[name]["networks"] for name in ("connector", "tls"))


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
    for name, service in {**SERVICES, **SMALL["services"]}.items():
        assert set(service["deploy"]["resources"]["limits"]) == {"memory", "cpus", "pids"}, name
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped"), name
        assert service["logging"]["driver"] == "local", name


def test_the_scheduler_sees_the_backups() -> None:
    seen = SERVICES["scheduler"]["environment"]["COPYDESK_BACKUP_DIR"]
    assert SERVICES["scheduler"]["volumes"] == [f"./backups:{seen}:ro"]
    assert "./backups:/backups" in SERVICES["backup"]["volumes"]


def test_only_grafana_can_be_reached_and_only_from_this_machine() -> None:
    services = METRICS["services"]
    published = {name: each["ports"] for name, each in services.items() if "ports" in each}
    assert published == {"grafana": ["127.0.0.1:3000:3000"]}
    assert services["prometheus"]["networks"] == ["inside"]
    for name in ("prometheus", "grafana"):
        assert (services[name]["read_only"], services[name]["cap_drop"]) == (True, ["ALL"])
        assert services[name]["user"].split(":")[0] != "0"


def test_the_small_set_up_is_one_sealed_container() -> None:
    (service,) = SMALL["services"].values()
    command, *arguments = service["command"]
    _of_service(command).make_context(command, arguments)
    assert service["ports"] == ["127.0.0.1:8000:8000"]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


def test_the_connector_image_has_what_the_tests_ran_with() -> None:
    """`make lock` writes both; where they differ, what is shipped was never tested."""
    shipped = pins(FOLDER / "connector.lock")
    assert shipped <= pins(ROOT / "requirements-dev.lock")
    names = {pin.split("==")[0] for pin in shipped}
    for project in ("sdk", "connectors"):
        data = tomllib.loads((ROOT / project / "pyproject.toml").read_text())
        needed = {re.split(r"[^\w.-]", need)[0] for need in data["project"]["dependencies"]}
        assert needed - {"copydesk"} <= names


def test_the_server_image_has_what_its_settings_offer() -> None:
    """Nothing can be installed into a container."""
    shipped = pins(ROOT / "requirements.lock")
    assert shipped <= pins(ROOT / "requirements-dev.lock")
    names = {pin.split("==")[0] for pin in shipped}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {re.split(r"[^\w.-]", need)[0] for need in project["dependencies"]} <= names


def test_make_installs_what_the_tests_ran_with() -> None:
    for lock in ("docker/build.lock", "tools/local-model.lock"):
        names = {pin.split("==")[0] for pin in pins(ROOT / lock)}
        tested = {
            pin for pin in pins(ROOT / "requirements-dev.lock") if pin.split("==")[0] in names
        }
        assert tested
        assert tested <= pins(ROOT / lock)


def pins(path: Path) -> set[str]:
    return set(re.findall(r"^([\w.-]+==[^\s;\\]+)", path.read_text(), re.M))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    units = []
    for unit in (FOLDER / "systemd").glob("*.*"):
        text = unit.read_text()
        # What is not installed here is not executable.
        (tmp_path / unit.name).write_text(
            text.replace("/opt/copydesk/bin/copydesk-server", "/bin/true")
        )
        units.append(str(tmp_path / unit.name))
        for words in re.findall(r"^ExecStart=\S+/copydesk-server (.*)$", text, re.M):
            command, *arguments = words.split()
            _of_service(command).make_context(command, arguments)
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_the_command_beside_the_units_has_the_user_and_the_folder_of_the_service() -> None:
    script = (FOLDER / "systemd" / "copydesk-server").read_text()
    for path in ("COPYDESK_DATA_DIR=/var/lib/copydesk", "/opt/copydesk/bin/copydesk-server"):
        assert path in script
        assert path in (FOLDER / "systemd" / "copydesk.service").read_text()
    shown = "/bin/sh -c 'id -un; pwd; env' sh"
    script = (
        script.replace("/var/lib/copydesk", "/")
        .replace("=copydesk", "=nobody")
        .replace("--regid=nobody", "--regid=nogroup")
        .replace('/opt/copydesk/bin/copydesk-server "$@"', shown)
    )
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    user, folder, *variables = done.stdout.splitlines()
    assert (user, folder) == ("nobody", "/")
    assert {"COPYDESK_DATA_DIR=/", "HOME=/"} <= set(variables)
