"""Settings: what is read, and that "a wrong one stops the start with a sentence"."""

import re
from pathlib import Path

import pytest

from app.settings import Settings, SettingsError

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"


def test_every_setting_is_documented_with_its_default() -> None:
    text = OPERATIONS.read_text()
    for field in Settings.model_fields.values():
        assert f"`{field.alias}`" in text, field.alias


def test_nothing_documented_is_no_setting() -> None:
    aliases = {field.alias for field in Settings.model_fields.values()}
    clients = {
        f"COPYDESK_{name}"
        for name in ("API_KEY", "BASE_URL", "FEED_URL", "PROXY", "WEBHOOK_SECRET")
    }
    aliases |= {f"{name}_FILE" for name in Settings.secret_names()} | {"NAME_FILE"}
    named = set(re.findall(r"`((?:COPYDESK|OPENAI)_[A-Z_]+)`", OPERATIONS.read_text()))
    assert named <= aliases | clients


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert Settings.from_env({"OPENAI_BASE_URL": "", "COPYDESK_WORKERS": ""}) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("COPYDESK_WORKERS", "many", "COPYDESK_WORKERS: must be a whole number"),
        ("COPYDESK_WORKERS", "0", "COPYDESK_WORKERS: must be at least 1"),
        ("COPYDESK_QUEUE_CAP", "0", "COPYDESK_QUEUE_CAP: must be at least 1"),
        ("COPYDESK_QUEUE_CAP", "10001", "COPYDESK_QUEUE_CAP: must be at most 10,000"),
        ("COPYDESK_SCHEDULE", "hourly", "COPYDESK_SCHEDULE: must be 'frequent' or 'restricted'"),
        ("COPYDESK_DEBUG_BLOCK", "perhaps", "COPYDESK_DEBUG_BLOCK: must be on or off"),
        ("OPENAI_BASE_URL", "localhost:1", "OPENAI_BASE_URL: must begin with http:// or https://"),
        ("OPENAI_BASE_URL", "http://u:secret@h/v1", "must not contain a user name or password"),
        ("COPYDESK_TICK_SECONDS", "0", "COPYDESK_TICK_SECONDS: must be more than 0"),
        ("COPYDESK_TICK_SECONDS", "soon", "COPYDESK_TICK_SECONDS: must be a number"),
        ("COPYDESK_PUBLIC_URL", "https://a:b", "COPYDESK_PUBLIC_URL: must be a complete URL, such"),
        ("OPENAI_API_KEY", "sk- secret", "OPENAI_API_KEY: must be printable ASCII"),
        ("COPYDESK_WORKER", "2", "COPYDESK_WORKER is not a setting of Copydesk; did you mean"),
    ],
)
def test_a_wrong_setting_is_one_sentence(name: str, value: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({name: value})
    assert sentence in str(caught.value)
    assert "secret" not in str(caught.value)


def test_keys_are_in_no_repr() -> None:
    settings = Settings.from_env({"OPENAI_API_KEY": "sk-very-secret"})
    assert "sk-very-secret" not in repr(settings)


def secret_file(folder: Path, content: bytes, mode: int = 0o600) -> str:
    file = folder / "secret"
    file.write_bytes(content)
    file.chmod(mode)
    return str(file)


def test_the_documentation_lists_the_secret_settings() -> None:
    (text,) = re.findall(r"The secret settings are (.*?)\. ", OPERATIONS.read_text())
    names = set(re.findall(r"`(\w+)`", text))
    assert names == set(Settings.secret_names()) - {"COPYDESK_LOCAL_MODEL_KEY"}


def test_each_secret_setting_can_come_from_a_file(tmp_path: Path) -> None:
    assert set(Settings.secret_names()) == {
        "COPYDESK_DATABASE_URL", "COPYDESK_REDIS_URL", "OPENAI_API_KEY", "COPYDESK_LOCAL_MODEL_KEY",
        "COPYDESK_SOURCE_FEEDS", "COPYDESK_BRAVE_API_KEY", "COPYDESK_TAVILY_API_KEY",
        "COPYDESK_FALLBACK_API_KEY", "OTEL_EXPORTER_OTLP_HEADERS",
    }  # fmt: skip
    settings = Settings.from_env({"OPENAI_API_KEY_FILE": secret_file(tmp_path, b"sk-secret\n")})
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-secret"
    assert "sk-secret" in settings.secrets
    group_readable = secret_file(tmp_path, b"redis://:p@redis/0", 0o440)
    assert Settings.from_env({"COPYDESK_REDIS_URL_FILE": group_readable}).redis_url is not None
    assert Settings.from_env({"OPENAI_API_KEY_FILE": ""}) == Settings()


@pytest.mark.parametrize(
    ("content", "mode", "sentence"),
    [
        (b"sk-secret", 0o644, "every user of this machine can read"),
        (b"\n", 0o600, "must contain the value"),
        (b"sk-secret" * 8000, 0o600, "at most 64 KiB"),
        (b"sk-secret\xff", 0o600, "is not text in UTF-8"),
        (b"sk- secret", 0o600, "OPENAI_API_KEY: must be printable ASCII"),
    ],
)
def test_a_wrong_secret_file_is_one_sentence(
    tmp_path: Path, content: bytes, mode: int, sentence: str
) -> None:
    file = secret_file(tmp_path, content, mode)
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"OPENAI_API_KEY_FILE": file})
    assert sentence in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_a_missing_secret_file_a_second_value_and_a_file_of_no_secret_are_refused(
    tmp_path: Path,
) -> None:
    missing = str(tmp_path / "missing")
    for env, sentence in (
        ({"OPENAI_API_KEY_FILE": missing}, "cannot be read: No such file or directory"),
        ({"OPENAI_API_KEY_FILE": missing, "OPENAI_API_KEY": "k"}, "set only one of them"),
        ({"COPYDESK_WORKERS_FILE": missing}, "COPYDESK_WORKERS_FILE is not a setting"),
    ):
        with pytest.raises(SettingsError) as caught:
            Settings.from_env(env)
        assert sentence in str(caught.value)


FIRST = {"OPENAI_API_KEY": "sk-first"}
SECOND = {"COPYDESK_FALLBACK_API_KEY": "sk-second", "COPYDESK_FALLBACK_MODEL": "other"}


@pytest.mark.parametrize(
    ("env", "problem"),
    [
        (SECOND, "COPYDESK_FALLBACK_API_KEY: needs OPENAI_API_KEY or OPENAI_BASE_URL"),
        (
            {**FIRST, "COPYDESK_FALLBACK_API_KEY": "sk-second"},
            "COPYDESK_FALLBACK_MODEL: must name the model of the fall-back endpoint",
        ),
        (
            {**FIRST, "COPYDESK_FALLBACK_MODEL": "other"},
            "COPYDESK_FALLBACK_MODEL: needs COPYDESK_FALLBACK_API_KEY",
        ),
        (
            {**FIRST, **SECOND, "COPYDESK_FALLBACK_BASE_URL": "https://me:pw@llm.example.com/v1"},
            "COPYDESK_FALLBACK_BASE_URL: must not contain a user name or password",
        ),
    ],
)
def test_a_fall_back_that_is_not_complete_stops_the_start(
    env: dict[str, str], problem: str
) -> None:
    with pytest.raises(SettingsError, match=problem):
        Settings.from_env(env)


def test_the_key_of_the_fall_back_is_a_secret() -> None:
    settings = Settings.from_env({**FIRST, **SECOND})
    assert "sk-second" in settings.secrets
    assert "sk-second" not in repr(settings)


def test_further_members_of_a_call_are_a_json_object() -> None:
    settings = Settings.from_env({"COPYDESK_MODEL_BODY": '{"enable_thinking": false}'})
    assert settings.extra_body == {"enable_thinking": False}
    assert hash(settings)
    assert Settings().extra_body == {}


@pytest.mark.parametrize("body", ["enable_thinking", "[1]", '{"stream": true}', "[" * 100_000])
def test_other_members_stop_the_start(body: str) -> None:
    with pytest.raises(SettingsError, match="COPYDESK_MODEL_BODY: must"):
        Settings.from_env({"COPYDESK_MODEL_BODY": body})


def test_a_key_in_an_address_is_a_secret() -> None:
    url = "https://llm.example.com/v1?api-version=2026-01&api_key=s3cret"
    assert Settings.from_env({"OPENAI_BASE_URL": url}).secrets == ("s3cret",)
