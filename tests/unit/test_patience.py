"""The end of work is recorded also where the database is away for a moment."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from app.services import lease_keeping

AWAY = OperationalError("COMMIT", None, ConnectionError("the server closed the connection"))


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_keeping, "_PAUSE_SECONDS", 0.0)


def failing(*errors: Exception) -> tuple[list[str], Callable[[str], str]]:
    """What records after it has failed in these ways, and what it was called with."""
    left, calls = list(errors), []

    @lease_keeping.retry_on_disconnect
    def record(what: str) -> str:
        calls.append(what)
        if left:
            raise left.pop(0)
        return f"{what} recorded"

    return calls, record


def test_it_is_repeated_until_the_database_is_back() -> None:
    calls, record = failing(AWAY, AWAY)
    assert record("a post") == "a post recorded"
    assert calls == ["a post"] * 3


def test_it_gives_up_when_the_lease_has_lapsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_keeping, "LEASE", timedelta(0))
    calls, record = failing(AWAY, AWAY)
    with pytest.raises(OperationalError):
        record("a post")
    assert calls == ["a post"]


def test_an_error_of_another_kind_is_not_repeated() -> None:
    calls, record = failing(IntegrityError("INSERT", None, ValueError("no such account")))
    with pytest.raises(IntegrityError):
        record("a post")
    assert calls == ["a post"]
