"""status and doctor, on databases of their own."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import requests
from click.testing import CliRunner

from app import create_app
from app.cli import main
from app.settings import Settings
from app.settings.service_address import record
from tests.support import planted_secrets
from tests.support.consoles import served
from tests.support.process_group import ProcessGroup
from tests.support.service import ScriptedModel

LONG_AGO = "2020-01-01 00:00:00.000000"
LATER = "2999-01-01 00:00:00.000000"


@pytest.fixture(scope="module")
def model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


class Installation:
    def __init__(self, folder: Path, model_url: str) -> None:
        self.file = folder / "data" / "copydesk.db"
        self.env = {"COPYDESK_DATA_DIR": str(folder / "data"), "OPENAI_BASE_URL": model_url}

    def call(self, *arguments: str, **env: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, list(arguments), env={**self.env, **env})
        assert "Traceback" not in done.output
        return done.exit_code, done.output

    def doctor(self, **env: str) -> dict[str, str]:
        """What is wrong, by check."""
        code, text = self.call("doctor", "--json", **env)
        found = json.loads(text)
        wrong = {each["check"]: each["message"] for each in found["checks"] if not each["ok"]}
        assert (code, found["ok"]) == (1 if wrong else 0, not wrong)
        return wrong

    def status(self) -> dict[str, Any]:
        code, text = self.call("status", "--json")
        assert code == 0, text
        found: dict[str, Any] = json.loads(text)
        return found

    def change(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.file)) as database:
            database.execute(statement, values)
            database.commit()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an account, a feed and a rule."""
    folder = tmp_path_factory.mktemp("installation")
    made = Installation(folder, "http://127.0.0.1:9/v1")
    for command in (
        ("account", "create", "A company"),
        ("feed", "create", "A company", "A blog"),
        ("rule", "create", "A blog", "Tea", "--keyword", "tea", "--every", "1h"),
    ):
        assert made.call(*command)[0] == 0
    return folder


@pytest.fixture
def installation(
    tmp_path: Path, template: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> Installation:
    monkeypatch.chdir(tmp_path)
    copytree(template / "data", tmp_path / "data")
    return Installation(tmp_path, model.url)


def test_a_healthy_installation(installation: Installation) -> None:
    """“each line green or one sentence of what to do”"""
    code, text = installation.call("doctor")
    assert code == 0
    lines = text.splitlines()
    assert [line.split()[1] for line in lines] == [
        "settings", "database", "queue", "schedule", "clock", "prices", "model", "disk", "files",
    ]  # fmt: skip
    code, text = installation.call("status")
    assert code == 0
    assert "model     ok" in text
    assert "1 run" in text
    assert "Nothing else needs you." in text


def test_status_asks_the_running_service(installation: Installation) -> None:
    """“`copydesk-server status` asks the running service instead of judging its own settings”"""
    installation.call("status")
    # Another model than that of the command.
    env = {"COPYDESK_DATA_DIR": installation.env["COPYDESK_DATA_DIR"]}
    of_service = Settings.from_env({**env, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    with served(create_app(of_service)) as address:
        record(of_service, address)
        readyz = requests.get(f"{address}/readyz", headers={"Authorization": "Bearer x"}, timeout=9)
        assert readyz.json().keys() == {"status", "database", "queue", "model"}
        code, text = installation.call("status", COPYDESK_PUBLIC_URL="http://127.0.0.1:9")
    assert code == 0
    assert "service   ok" in text
    assert (
        "model     unreachable\n          The model endpoint http://127.0.0.1:9 cannot be" in text
    )
    code, text = installation.call("status")
    assert f"At {address}, no service answers. Start `copydesk-server run`" in text
    assert "model     ok" in text


@pytest.mark.parametrize(
    ("check", "statement", "sentence"),
    [
        ("queue", f"UPDATE rule_runs SET not_before = '{LONG_AGO}'", "start `copydesk-server run`"),
        (
            "schedule",
            f"UPDATE rules SET next_due_at = '{LONG_AGO}', run_id = NULL",
            "no scheduler runs. Start `copydesk-server run`",
        ),
        ("clock", f"UPDATE accounts SET created_at = '{LATER}'", "time server (NTP)"),
        ("database", "UPDATE alembic_version SET version_num = '0024'", "Stop the service, then"),
    ],
)
def test_a_fault_in_the_database_is_red_with_what_to_do(
    installation: Installation, check: str, statement: str, sentence: str
) -> None:
    installation.change(statement)
    wrong = installation.doctor()
    assert list(wrong) == [check]
    assert sentence in wrong[check]


def test_status_says_why_work_waits(installation: Installation) -> None:
    installation.change(f"UPDATE rule_runs SET not_before = '{LONG_AGO}'")
    _, text = installation.call("status")
    assert "1 run waits for too long, the oldest for " in text
    assert "No worker is writing or sending: start `copydesk-server run`" in text
    installation.change("UPDATE rule_runs SET status = 'running'")
    assert "0 runs, some in progress" in installation.call("status")[1]
    installation.change(f"UPDATE rules SET next_due_at = '{LONG_AGO}', run_id = NULL")
    _, text = installation.call("status")
    assert "A rule has been due for too long: no scheduler runs." in text
    found = installation.status()
    assert [need["check"] for need in found["needs"]] == ["scheduleLate"]
    assert found["stoppedPosts"] == 0


def test_a_fault_of_the_machine_is_red_with_what_to_do(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        "There is no database here yet."
        in installation.doctor(COPYDESK_DATA_DIR=str(tmp_path / "none"))["database"]
    )
    assert not (tmp_path / "none").exists()
    wrong = installation.doctor(OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert "Check OPENAI_BASE_URL" in wrong["model"]
    assert "No backup is in" in installation.doctor(COPYDESK_BACKUP_DIR=str(tmp_path))["backup"]
    empty = str(tmp_path / "cache")
    wrong = installation.doctor(OPENAI_BASE_URL="", COPYDESK_MODEL_CACHE=empty)
    assert "run `copydesk-server model pull`" in wrong["model"]
    (tmp_path / ".env").write_text("OPENAI_API_KEY=…")
    (tmp_path / ".env").chmod(0o644)
    assert "Run `chmod 600 .env`." in installation.doctor()["files"]
    (tmp_path / ".env").chmod(0o600)
    monkeypatch.setattr("app.services.needs.FREE_BYTES", 10**18)
    assert "Free at least 500 MB." in installation.doctor()["disk"]


def test_folders_that_only_others_may_enter_are_no_crash(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that another user runs than the service."""

    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    assert installation.doctor() == {}


def test_a_wrong_setting_is_red_and_ends_the_examination(installation: Installation) -> None:
    assert installation.doctor(COPYDESK_WORKERS="many") == {
        "settings": "COPYDESK_WORKERS: must be a whole number."
    }
    meant = installation.doctor(COPYDESK_MODEL_="x")["settings"]
    assert meant.endswith("did you mean COPYDESK_MODEL?")


def test_the_default_endpoint_is_said_to_be_one(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.openai_client._OPENAI", "http://127.0.0.1:9/v1")
    said = installation.doctor(OPENAI_BASE_URL="", OPENAI_API_KEY="sk-x")["model"]
    assert said.startswith("OPENAI_BASE_URL is not set, so the OpenAI API is used. The model endp")
    assert "cannot be reached" in said


def test_no_secret_is_printed(installation: Installation) -> None:
    """“nothing secret is printed”"""
    env = {
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_API_KEY": planted_secrets.KEY,
        "COPYDESK_REDIS_URL": f"redis://:{planted_secrets.REDIS_PASSWORD}@127.0.0.1:9/0",
        "COPYDESK_SOURCE_FEEDS": f"http://127.0.0.1:9/feed?key={planted_secrets.FEED_KEY}",
        "COPYDESK_SOURCES_ALLOW_PRIVATE": "on",
        "COPYDESK_DATABASE_URL": "",
    }
    code, text = installation.call("doctor", **env)
    assert code == 1
    wrong = [line.split()[1] for line in text.splitlines() if line.startswith("WRONG")]
    assert wrong == ["redis", "model", "source"]
    assert "Check COPYDESK_SOURCE_FEEDS." in text
    assert not any(secret in text for secret in planted_secrets.SECRETS)
    code, text = installation.call(
        "doctor", COPYDESK_DATABASE_URL="postgresql://desk:planted-password@127.0.0.1:9/desk"
    )
    assert "Check COPYDESK_DATABASE_URL." in text
    assert "planted-password" not in text


UNREADABLE = "{}/copydesk.toml cannot be read: Permission denied"
UNWRITABLE = "database cannot be used: you may not write to {}. Run the command as its owner"


@pytest.mark.parametrize(
    ("command", "closed", "code", "sentence"),
    [
        ("doctor", "data", 1, UNREADABLE),
        ("migrate", "data", 2, UNREADABLE),
        ("doctor", "data/copydesk.db", 1, UNWRITABLE),
        ("migrate", "data/copydesk.db", 1, UNWRITABLE),
    ],
)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_another_user_owns_is_named(
    installation: Installation, tmp_path: Path, command: str, closed: str, code: int, sentence: str
) -> None:
    place = tmp_path / closed
    os.chown(place, 65534, 65534)
    # Root gives up that it may read and change everything.
    powers = "-dac_override,-dac_read_search,-fowner"
    drop = ("setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}")
    done = subprocess.run(
        [*drop, sys.executable, "-m", "app.cli", command],
        env=os.environ | installation.env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    os.chown(place, 0, 0)
    assert done.returncode == code
    assert sentence.format(place).lower() in (done.stdout + done.stderr).lower()


def test_a_file_that_another_program_holds_is_named(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.store.sqlite.BUSY_TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr("app.store.sqlite.CHECK_SECONDS", 0.1)
    said = "database is locked. Another program holds it: close it there."
    with closing(sqlite3.connect(installation.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "(database is locked). Close the program that holds it." in str(
            installation.doctor()["database"]
        )
        code, text = installation.call("account", "create", "Tea")
        assert (code, text) == (1, f"copydesk-server: the database cannot be used: {said}\n")
    assert installation.doctor() == {}


def test_a_folder_that_cannot_be_created_is_named(installation: Installation) -> None:
    below = str(installation.file / "below")
    for command in ("migrate", "restore"):
        code, text = installation.call(
            command, *["any"] * (command == "restore"), COPYDESK_DATA_DIR=below
        )
        assert (code, text.count("\n")) == (1, 1)
        assert f"database cannot be created: {installation.file}: File exists." in text


def test_a_message_that_repeats_a_secret_is_redacted(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = f"The endpoint says {planted_secrets.KEY}."
    monkeypatch.setattr("app.commands.status.ask_model", lambda _: said)
    text = installation.call("doctor", OPENAI_API_KEY=planted_secrets.KEY)[1]
    assert "The endpoint says [secret]." in text
    assert planted_secrets.KEY not in text


def test_what_needs_an_operator_is_in_the_status(installation: Installation) -> None:
    error = '{"code": "INTERNAL_ERROR", "message": "The model is away."}'
    installation.change(f"UPDATE rules SET failures = 3, last_error = '{error}'")
    found = installation.status()
    (need,) = found["needs"]
    assert (need["check"], need["kind"]) == ("failingRules", "rule")
    said = f"The rule “Tea” ({need['id']}) of “A blog” failed 3 times in a row. The model is away."
    assert need["message"] == said
    assert found["waiting"][1]["count"] == 1
    assert said in installation.call("status")[1]
    code, text = installation.call("status", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert code == 0
    assert "model     unreachable" in text


def test_without_a_model_no_price_is_checked(installation: Installation) -> None:
    """“none set”, not “unreachable”, and no word of the prices of models that are not there"""
    nothing = {"OPENAI_BASE_URL": "", "COPYDESK_MODEL_CACHE": str(installation.file.parent)}
    assert "model     none set" in installation.call("status", **nothing)[1]
    code, text = installation.call("doctor", **nothing)
    assert code == 1
    assert "There is no model: name an OpenAI-compatible endpoint" in text
    assert "prices" not in text
