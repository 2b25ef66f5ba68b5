"""Settings: what is read, and that "a wrong one stops the start with a sentence"."""

import os
import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.container import pick_models, pick_research
from app.settings import INTERNAL, Settings, SettingsError
from app.settings.shown import shown, summary


def test_the_first_sentence_about_a_setting_does_alone() -> None:
    """“one line of help”, which the settings file, the command and the console show"""
    for name in Settings.model_fields.keys() - INTERNAL:
        assert re.fullmatch(r"[A-Z`].{9,150}[^ ]\.", summary(name)), name
        assert "](" not in summary(name), name


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert Settings.from_env({"OPENAI_BASE_URL": "", "COPYDESK_WORKERS": ""}) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("COPYDESK_WORKERS", "many", "COPYDESK_WORKERS: must be a whole number"),
        ("COPYDESK_WORKERS", "0", "COPYDESK_WORKERS: must be at least 1"),
        ("COPYDESK_CALLS_PER_ACCOUNT", "10001", "ACCOUNT: must be at most 10,000"),
        ("COPYDESK_SCHEDULE", "hourly", "COPYDESK_SCHEDULE: must be 'frequent' or 'restricted'"),
        ("COPYDESK_DEBUG_BLOCK", "perhaps", "COPYDESK_DEBUG_BLOCK: must be on or off"),
        ("OPENAI_BASE_URL", "localhost:1", "OPENAI_BASE_URL: must begin with http:// or https://"),
        ("OPENAI_BASE_URL", "http://u:secret@h/v1", "must not contain a user name or password"),
        ("COPYDESK_TICK_SECONDS", "0", "COPYDESK_TICK_SECONDS: must be more than 0"),
        ("COPYDESK_TICK_SECONDS", "soon", "COPYDESK_TICK_SECONDS: must be a number"),
        ("COPYDESK_PUBLIC_URL", "https://a:b", "COPYDESK_PUBLIC_URL: must be a complete http"),
        ("OPENAI_API_KEY", "sk- secret", "OPENAI_API_KEY: must be printable ASCII"),
        ("COPYDESK_SOURCE_FEEDS", "https://a.example ftp://b/?secret", "must begin with http://"),
        ("COPYDESK_SOURCE_FEEDS", "https://b.example:0x/?secret", "must be a complete http"),
        ("COPYDESK_SMTP_URL", "http://user:secret@mail.example", "such as smtps://user:password"),
        ("COPYDESK_SMTP_URL", "smtp://user:secret@mail.example:x", "must be such as smtps://user"),
        ("COPYDESK_SMTP_URL", "smtps://user:secret@mail.example", "needs COPYDESK_MAIL_FROM, and"),
        ("COPYDESK_MAIL_FROM", "Copydesk <a@b>", "COPYDESK_MAIL_FROM: must be an e-mail address"),
        ("COPYDESK_WORKER", "2", "is not a setting of Copydesk; did you mean COPYDESK_WORKERS?"),
    ],
)
def test_a_wrong_setting_is_one_sentence(name: str, value: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({name: value})
    assert sentence in str(caught.value)
    assert "secret" not in str(caught.value)


def test_every_source_provider_that_is_set_is_asked_and_no_key_is_in_a_repr() -> None:
    settings = Settings.from_env(
        {
            "COPYDESK_SOURCE_FEEDS": "https://a.example/feed?key=s3cret, https://b.example/page\n",
            "COPYDESK_SEARXNG_URL": "http://searx.internal:8080/",
            "COPYDESK_BRAVE_API_KEY": "s3cret",
            "COPYDESK_TAVILY_API_KEY": "s3cret",
            "COPYDESK_SOURCES_FRESH_HOURS": "24",
        }
    )
    research = pick_research(settings)
    names = [provider.name for provider in research.providers]
    assert names == ["feeds", "SearXNG", "Brave Search", "Tavily"]
    assert research.fresh_for.total_seconds() == 24 * 3600
    assert len(settings.source_feeds) == 2
    assert "s3cret" not in repr(settings) + repr(research) + repr(research.providers)
    assert list(pick_research(Settings()).providers) == []


def test_an_address_has_a_host_that_every_client_understands() -> None:
    """A client of models refuses this one, which would stop the start and a change of settings."""
    settings = Settings.from_env({"OPENAI_BASE_URL": "http://☃.exam\xadple/v1/"})
    assert pick_models(settings)
    assert settings.openai_base_url == "http://xn--n3h.example/v1"


def secret_file(folder: Path, content: bytes, mode: int = 0o600) -> str:
    file = folder / "secret"
    file.write_bytes(content)
    file.chmod(mode)
    return str(file)


def test_each_secret_setting_can_come_from_a_file(tmp_path: Path) -> None:
    assert set(Settings.secret_names()) == {
        "COPYDESK_DATABASE_URL", "COPYDESK_REDIS_URL", "OPENAI_API_KEY", "COPYDESK_LOCAL_MODEL_KEY",
        "COPYDESK_SOURCE_FEEDS", "COPYDESK_BRAVE_API_KEY", "COPYDESK_TAVILY_API_KEY",
        "COPYDESK_SMTP_URL", "COPYDESK_SETUP_CODE",
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
        ({"OPENAI_API_KEY_FILE": missing}, "missing does not exist"),
        ({"OPENAI_API_KEY_FILE": missing, "OPENAI_API_KEY": "k"}, "set only one of them"),
        ({"COPYDESK_WORKERS_FILE": missing}, "COPYDESK_WORKERS_FILE is not a setting"),
    ):
        with pytest.raises(SettingsError) as caught:
            Settings.from_env(env)
        assert sentence in str(caught.value)


def test_further_members_of_a_call_are_a_json_object() -> None:
    settings = Settings.from_env({"COPYDESK_MODEL_BODY": '{"enable_thinking": false}'})
    assert settings.extra_body == {"enable_thinking": False}
    assert hash(settings)
    assert Settings().extra_body == {}


@pytest.mark.parametrize("body", ["enable_thinking", "[1]", '{"stream": true}', "[" * 100_000])
def test_other_members_stop_the_start(body: str) -> None:
    with pytest.raises(SettingsError, match="COPYDESK_MODEL_BODY: must"):
        Settings.from_env({"COPYDESK_MODEL_BODY": body})


FILE = "copydesk.toml"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a process that has no variables of others."""
    for name in os.environ:
        if name.startswith(("COPYDESK_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COPYDESK_DATA_DIR", str(tmp_path))
    return tmp_path


def load(data: Path, text: str, mode: int = 0o600) -> Settings:
    (data / FILE).write_text(text, "utf-8")
    (data / FILE).chmod(mode)
    return Settings.load()


def test_the_file_has_every_kind_of_value(data: Path) -> None:
    """“`copydesk.toml` in the data folder”"""
    text = """
        openai_base_url = "https://llm.example.com/v1"
        workers = 4
        model_rest_seconds = 0.2
        webhook_allow_private = true
        spend_cap = 0.5
        model_prices = ["gpt-5-mini=0.25/2", "gpt-5=1.25/10"]
        source_feeds = ["https://a.example/feed?key=s3cret", "https://b.example/"]
        brave_api_key = ""
    """
    of_environment = {
        "OPENAI_BASE_URL": "https://llm.example.com/v1",
        "COPYDESK_WORKERS": "4",
        "COPYDESK_MODEL_REST_SECONDS": "0.2",
        "COPYDESK_WEBHOOK_ALLOW_PRIVATE": "on",
        "COPYDESK_SPEND_CAP": "0.5",
        "COPYDESK_MODEL_PRICES": "gpt-5-mini=0.25/2, gpt-5=1.25/10",
        "COPYDESK_SOURCE_FEEDS": "https://a.example/feed?key=s3cret https://b.example/",
        "COPYDESK_DATA_DIR": str(data),
    }
    assert load(data, text).model_dump() == Settings.from_env(of_environment).model_dump()


def test_the_environment_overrides_the_file_and_each_value_has_its_origin(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“environment variables override”, “its origin (default, file, environment)”"""
    monkeypatch.setenv("COPYDESK_WORKERS", "3")
    monkeypatch.setenv("COPYDESK_DRAFTS", "")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", secret_file(data, b"sk-of-environment"))
    # A value that is overridden is not looked at.
    text = 'workers = "many"\ndrafts = 1\nopenai_api_key = "sk-of-file"\nlog_level = "debug"\n'
    found = {each.name: (each.value, each.origin) for each in shown(load(data, text))}
    assert found["workers"] == ("3", "environment")
    assert found["drafts"] == ("1", "file")
    assert found["log_level"] == ("debug", "file")
    assert found["openai_api_key"] == ("set", "environment")
    assert found["generate_places"] == ("48", "default")
    assert found["brave_api_key"] == ("not set", "default")
    assert Settings.load().openai_api_key == SecretStr("sk-of-environment")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("workers = 1.5", ": workers: must be a whole number"),
        ("workers = {a = 1}", ": workers: must be a whole number"),
        ("webhook_allow_private = 2", ": webhook_allow_private: must be on or off"),
        ('source_feeds = ["ftp://b/?s3cret"]', ": source_feeds: must begin with http://"),
        ("spend_cap = true", ": spend_cap: must be in US dollars"),
        ("worker = 2", ": worker is not a setting of Copydesk; did you mean workers?"),
        ("COPYDESK_WORKERS = 2", "COPYDESK_WORKERS is not a setting of Copydesk; did you mean wor"),
        ("OPENAI_API_KEY = 's3cret'", "did you mean openai_api_key?"),
        ("[feed]\nurl = 's3cret'", ": feed is not a setting of Copydesk"),
        ("local_model_url = 'http://a'", ": local_model_url is not a setting of Copydesk"),
        ("data_dir = 'a'", ": data_dir cannot be set in this file; set COPYDESK_DATA_DIR"),
        ("openai_api_key = s3cret", " is not TOML: Invalid value (at line 1, column 18)"),
    ],
)
def test_a_wrong_file_is_one_sentence(data: Path, text: str, sentence: str) -> None:
    """“unknown keys stop the start”; “names file, key, and what would be right”"""
    with pytest.raises(SettingsError) as caught:
        load(data, text)
    assert str(caught.value).startswith(f"{data / FILE}")
    assert sentence in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_with_secrets_that_others_can_read_stops_the_start(data: Path) -> None:
    secret = 'openai_api_key = "sk-s3cret"'
    with pytest.raises(SettingsError, match=r"every user of this machine can read .*chmod o= "):
        load(data, secret, 0o644)
    assert load(data, secret, 0o640).has_endpoint
    assert load(data, "workers = 3", 0o644).workers == 3


def test_a_file_that_cannot_be_read_stops_the_start(data: Path) -> None:
    (data / FILE).write_bytes(b'model = "\xff"')
    with pytest.raises(SettingsError, match="is not text in UTF-8"):
        Settings.load()
    (data / FILE).unlink()
    assert Settings.load().workers == 2
    (data / FILE).mkdir()
    with pytest.raises(SettingsError, match=r"copydesk\.toml cannot be read: Is a directory"):
        Settings.load()


@pytest.mark.parametrize(
    ("name", "value", "visible"),
    [
        ("COPYDESK_DATABASE_URL", "postgresql://me:s3cret@db:5432/copy?password=s3cret", None),
        ("COPYDESK_DATABASE_URL", "postgresql://db/copy", "postgresql://db/copy"),
        ("COPYDESK_DATABASE_URL", "postgresql://me:s3cr/s3cret@db/copy", "set"),
        ("COPYDESK_DATABASE_URL", "postgresql://me:s3cr#s3cret@db/copy", "set"),
        ("COPYDESK_DATABASE_URL", "postgresql://me:s3cr?s3cret@db/copy", "set"),
        ("COPYDESK_DATABASE_URL", "postgresql://me:s3cr@s3cret@db/copy", "set"),
        ("COPYDESK_DATABASE_URL", "postgresql://db?password=a@s3cret", "set"),
        ("COPYDESK_DATABASE_URL", "postgresql://me:s3cret", "set"),
        ("COPYDESK_DATABASE_URL", "sqlite:////var/copy.db", "sqlite:////var/copy.db"),
        ("COPYDESK_REDIS_URL", "rediss://:s3cret@[::1]:6379/0", "rediss://[::1]:6379/0"),
        ("COPYDESK_REDIS_URL", "unix://:s3cret@/run/redis?db=1", "unix:///run/redis"),
        ("OPENAI_BASE_URL", "https://llm.example/v1?api_key=s3cret", "https://llm.example/v1"),
        ("COPYDESK_SOURCE_FEEDS", "https://s3cret.example/s3cret?key=s3cret", "set"),
        ("COPYDESK_MODEL_BODY", '{"user": "s3cret"}', "set"),
        ("COPYDESK_MODEL_PRICES", "m=0.25/2 n=1/3", "m=0.25/2 n=1/3"),
        ("COPYDESK_SOURCES_ALLOW_PRIVATE", "yes", "yes"),
    ],
)
def test_what_is_shown_has_no_secret(name: str, value: str, visible: str | None) -> None:
    """“secrets as "set"/"not set", URLs without credentials”"""
    settings = Settings.from_env({name: value})
    found = {each.name: each for each in shown(settings)}
    (changed,) = (each for each in found.values() if each.origin == "environment")
    assert changed.value == (visible or "postgresql://db:5432/copy")
    assert "s3cret" not in repr(found)
    if name in Settings.secret_names():
        assert "s3cret" not in repr(settings)
    assert found.keys() == Settings.model_fields.keys() - INTERNAL
