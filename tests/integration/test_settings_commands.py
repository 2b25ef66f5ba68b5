"""init and settings, and that every command reads the file that init writes."""

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import Result

from app.settings import Settings
from connectors.tests.terminal import Terminal
from tests.support.commands import Commands


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of a data folder that does not exist yet."""
    monkeypatch.chdir(tmp_path)
    for name in ("COPYDESK_DATA_DIR", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "var" / "copydesk.toml"


def call(*arguments: str, code: int = 0, typed: str = "", **env: str) -> Result:
    done = Commands(**env).run(*arguments, code=code, typed=typed)
    assert "s3cret" not in done.output
    return done


def test_init_writes_a_file_that_only_its_owner_can_read(file: Path) -> None:
    """“takes options for scripts”, “mode 0600”, “commented with one line each”"""
    given = ("workers=4", "openai_api_key=-", "spend_cap=200", "model_prices=gpt-5-mini=0.25/2")
    options = [word for each in given for word in ("--set", each)]
    call("init", *options, "--set", 'brave_api_key=a"b\\c', typed="sk-s3cret\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    text = file.read_text()
    assert tomllib.loads(text) == {
        "workers": "4",
        "openai_api_key": "sk-s3cret",
        "spend_cap": "200",
        "model_prices": "gpt-5-mini=0.25/2",
        "brave_api_key": 'a"b\\c',
    }
    assert "# The key of the model endpoint.\nopenai_api_key = " in text
    # Every other setting can be switched on in an editor.
    every = tomllib.loads(text.replace("\n#", "\n").replace("\n ", "\n# "))
    assert every.keys() == Settings.in_file()
    with_defaults = Settings.from_env({}, {**every, "spend_cap": "", "openai_api_key": ""})
    without = {"workers", "model_prices", "brave_api_key"}
    assert with_defaults.model_dump(exclude=without) == Settings().model_dump(exclude=without)


def test_init_goes_on_from_a_file_and_keeps_what_it_is_not_told_to_change(file: Path) -> None:
    """“never overwrites a value without being told”, “Idempotent”"""
    call("init", "--set", "workers=4")
    file.write_text(f"# Mine.\n{file.read_text()}\ndrafts = 1 # also mine\n")
    before = file.read_text()
    call("init")
    assert file.read_text() == before
    call("init", "--set", "drafts=3", "--set", "log_level=debug")
    expected = before.replace("drafts = 1 # also mine", 'drafts = "3"')
    assert file.read_text() == expected.replace('#log_level = "info"', 'log_level = "debug"')
    call("init", "--set", "workers=")
    assert tomllib.loads(file.read_text()) == {"drafts": "3", "log_level": "debug"}
    file.write_text("workers = 2")
    call("init", "--set", "drafts=1")
    assert file.read_text().startswith("workers = 2\n\n# How many drafts ")
    assert tomllib.loads(file.read_text()) == {"workers": 2, "drafts": "1"}


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("workers", "write NAME=VALUE, such as workers=4"),
        ("workers=many", "workers: must be a whole number"),
        ("database_url=mysql://me:s3cret@h/d", "database_url: must begin with postgresql://"),
        ("moderation_model=m", "COPYDESK_MODERATION_MODEL needs OPENAI_API_KEY or"),
    ],
)
def test_a_wrong_option_changes_nothing(file: Path, option: str, sentence: str) -> None:
    assert sentence in call("init", "--set", option, code=2).stderr
    assert not file.exists()


def test_a_file_that_init_cannot_change_stays(file: Path) -> None:
    file.parent.mkdir()
    text = 'source_feeds = [\n  "https://a.example/",\n]\n'
    file.write_text(text)
    file.chmod(0o600)
    said = call("init", "--set", "source_feeds=https://b.example/", code=1).stderr
    assert "Change it in an editor." in said
    file.write_text("workers = 0\n")
    said = call("init", "--set", "drafts=1", code=2).stderr
    assert "copydesk.toml: workers: must be at least 1" in said
    assert file.read_text() == "workers = 0\n"


def test_init_says_what_the_environment_overrides(file: Path) -> None:
    said = call("init", "--set", "workers=4", COPYDESK_WORKERS="3").stderr
    assert "note: COPYDESK_WORKERS is set and overrides workers" in said
    assert tomllib.loads(file.read_text()) == {"workers": "4"}
    # The file is checked with the rest of the environment, and even where it is overridden.
    call("init", "--set", "moderation_model=m", OPENAI_API_KEY="sk-s3cret")
    call("init", "--set", "workers=0", code=2, COPYDESK_WORKERS="3", OPENAI_API_KEY="sk-s3cret")


def test_init_asks_on_a_terminal_and_checks_each_answer(file: Path, tmp_path: Path) -> None:
    """“asks at a terminal (…), each checked at its question, Enter keeps the default”"""
    asked = ("openai_base_url", "openai_api_key", "model", "public_url", "database_url")

    def init(*answers: str) -> None:
        """Answer each question; one with “ | ” is refused first."""
        with Terminal(tmp_path, "init", module="app.cli") as terminal:
            for name, answer in zip(asked, answers, strict=True):
                terminal.read_until(f"{name}: ")
                for number, each in enumerate(answer.split(" | ")):
                    if number:
                        terminal.read_until(": must be")
                    terminal.read_until("]:")
                    terminal.answer(each)
            assert terminal.ends_with() == 0, terminal.shown
            assert "sk-s3cret" not in terminal.shown
            assert "sk- " not in terminal.shown

    init(
        "llm.example.com | https://llm.example.com/v1",
        "sk- s3cret | sk-s3cret",
        "",
        "copydesk.example.com | https://copydesk.example.com",
        "mysql://db/copy | postgresql://me:s3cret@db/copy",
    )
    assert tomllib.loads(file.read_text()) == {
        "openai_base_url": "https://llm.example.com/v1",
        "openai_api_key": "sk-s3cret",
        "public_url": "https://copydesk.example.com",
        "database_url": "postgresql://me:s3cret@db/copy",
    }
    before = file.read_text()
    init("", "", "", "", "")
    assert file.read_text() == before
    init("-", "-", "gpt-5", "", "-")
    expected = {"public_url": "https://copydesk.example.com", "model": "gpt-5"}
    assert tomllib.loads(file.read_text()) == expected


def test_every_command_reads_the_file(file: Path, tmp_path: Path) -> None:
    """“read by every command”"""
    call("init", "--set", f"database_url=sqlite:///{tmp_path / 'else' / 'mine.db'}")
    call("account", "create", "My company")
    assert (tmp_path / "else" / "mine.db").exists()
    assert not (file.parent / "copydesk.db").exists()
    assert "My company" in call("account", "list").stdout
    file.write_text("worker = 2\n")
    for command in ("run", "worker", "scheduler", "migrate", "status", "settings"):
        assert "copydesk.toml: worker is not a setting" in call(command, code=2).stderr
    assert "worker is not a setting" in call("doctor", code=1).stdout


def test_settings_are_shown_with_their_origins_and_without_secrets(file: Path) -> None:
    """“each setting, its value (secrets as "set"/"not set", URLs without credentials), its
    origin”"""
    call("init", "--set", "openai_api_key=sk-s3cret", "--set", "workers=4")
    env = {"COPYDESK_DATABASE_URL": "postgresql://me:s3cret@db/copy", "COPYDESK_DRAFTS": "1"}
    said = call("settings", **env)
    assert said.stderr == "The file is var/copydesk.toml.\n"
    as_json = json.loads(call("settings", "--json", **env).stdout)
    for row in (
        ["openai_api_key", "set", "file"],
        ["database_url", "postgresql://db/copy", "environment"],
        ["drafts", "1", "environment"],
    ):
        assert row in [line.split() for line in said.stdout.splitlines()]
        assert dict(zip(("name", "value", "origin"), row, strict=True)) in as_json
