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
