"""Lines of the log: their ids, their two formats, and the secrets that are not in them."""

import io
import json
import logging
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy.exc import OperationalError

from app import logs
from app.logs import about, note
from app.settings import Settings

Log = Callable[..., str]


@pytest.fixture(autouse=True)
def no_ids() -> Iterator[None]:
    """What tests before these ones noted, outside of any block, stays behind in this thread."""
    token = logs._ids.set({})
    yield
    logs._ids.reset(token)


@pytest.fixture
def written() -> Log:
    """What one line looks like; the arguments are those of ``Logger.info``."""

    def line(*arguments: object, log_format: str = "text", secrets: tuple[str, ...] = ()) -> str:
        out = io.StringIO()
        handler = logging.StreamHandler(out)
        handler.setFormatter(logs.formatter(log_format, secrets))
        logger = logging.Logger("app.example", logging.INFO)
        logger.addHandler(handler)
        logger.info(*arguments)  # type: ignore[arg-type]
        return out.getvalue()

    return line


def test_a_line_carries_the_ids_of_what_it_is_about(written: Log) -> None:
    with about(request="req_1"):
        note(account="acc_1")
        assert " INFO app.example [request=req_1 account=acc_1] hello\n" in written("hello")
        with about(job="job_1"):
            assert "[request=req_1 account=acc_1 job=job_1] hello" in written("hello")
        assert "job_1" not in written("hello")
    assert " INFO app.example hello\n" in written("hello")


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_trouble_that_repeats_has_one_traceback_a_minute(
    log_format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """one line for a repeated trouble; the first has its traceback, and the ids it came from"""
    now = 1000.0
    monkeypatch.setattr(logs.time, "monotonic", lambda: now)
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logs.formatter(log_format))
    logger = logging.Logger("app.example")
    logger.addHandler(handler)

    def fail(error: Exception) -> str:
        begun = len(out.getvalue())
        try:
            with about(run="run_1"):
                raise error
        except Exception:
            logger.exception("call %d failed", 7)
        return out.getvalue()[begun:]

    away = OperationalError("SELECT 1", None, OSError("the server is gone"))
    first = fail(away)
    first = json.loads(first)["exception"] if log_format == "json" else first
    assert "Traceback" in first
    assert "OperationalError" in first
    assert "about run=run_1" in first
    for _ in range(100):
        line = fail(away)
        assert line.count("\n") == 1
        assert "call 7 failed (OperationalError, as before)" in line
    assert "Traceback" in fail(ValueError("a fault")), "another trouble has its own"
    now += 60
    assert "Traceback" in fail(away)


def test_a_line_of_json_is_one_object_with_the_ids(written: Log) -> None:
    with about(request="req_1", run="run_1"):
        line = written("hello %s", "wörld\n2026 INFO forged", log_format="json")
    assert line.count("\n") == 1
    said = json.loads(line)
    assert said.pop("time").endswith("+00:00")
    assert said == {
        "level": "INFO",
        "logger": "app.example",
        "message": "hello wörld\n2026 INFO forged",
        "request": "req_1",
        "run": "run_1",
    }


def test_what_a_stranger_wrote_does_not_begin_a_line_of_its_own(written: Log) -> None:
    assert written("refused: %s", "a\r\n2026-01-01 INFO forged").count("\n") == 1


@pytest.mark.parametrize("log_format", ["text", "json"])
@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ("hunter2pass", "redis://:hunter2pass@host"),
        ("p/ss word", "postgresql://user:p%2Fss%20word@host"),
        ('quo"ted\\key', 'the key quo"ted\\key'),
        ("", "cd_live_0123456789abcdefghijABCDEFGHIJ0123456789"),
        ("", "cd_test_0123456789abcdefghijABCDEFGHIJ0123456789"),
        ("", "/v1/content-tokens/ct_0123456789abcdefghijABCDEFGHIJ42/latest"),
        ("", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/="),
        ("", "GET /review/tkn_01M8JZ.1797000000.MfKQ9r8GKYqrTwjUPD8"),
        ("", "whroot_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/="),
    ],
)
def test_a_secret_is_blotted_out_however_it_is_spelled(
    written: Log, log_format: str, secret: str, said: str
) -> None:
    line = written("it said: %s.", said, log_format=log_format, secrets=(secret,))
    assert "[secret]" in line
    for part in (secret, "0123456789", "MfKQ9", "p%2Fss", "hunter2"):
        assert not part or part not in line


def test_secrets_that_come_later_are_blotted_out_beside_the_earlier_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logs.formatter("text", ["first-word"]))
    monkeypatch.setattr(logging.getLogger(), "handlers", [handler])
    logs.hide(["later-word"])
    logging.getLogger().error("the keys %s and %s", "first-word", "later-word")
    assert out.getvalue().endswith("the keys [secret] and [secret]\n")


def test_the_settings_know_what_no_line_may_contain() -> None:
    settings = Settings.from_env(
        {
            "OPENAI_API_KEY": "sk-planted",
            "COPYDESK_DATABASE_URL": "postgresql://desk:p%2Fss-word@host/name",
            "COPYDESK_REDIS_URL": "redis://:redis-word@host:6379/0",
            "COPYDESK_SOURCE_FEEDS": "https://example.com/feed?key=feed-word&page=2",
            "COPYDESK_BRAVE_API_KEY": "brave-word",
            "OPENAI_BASE_URL": "https://llm.example.com/v1?version=2&api_key=url-word",
            "COPYDESK_SMTP_URL": "smtps://desk:smtp%2Fword@mail.example.com",
            "COPYDESK_MAIL_FROM": "desk@example.com",
            "COPYDESK_PUBLIC_URL": "https://desk.example.com",
        }
    )
    words = {"sk-planted", "p/ss-word", "p%2Fss-word", "redis-word", "feed-word", "brave-word"}
    words |= {"url-word", "smtp/word", "smtp%2Fword"}
    assert words <= set(settings.secrets)
    assert not any(word in repr(settings) for word in words - {"url-word"})
