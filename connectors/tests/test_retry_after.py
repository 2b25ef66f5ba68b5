"""What a site asks for by Retry-After, however it spells it."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from copydesk_connectors.target.http_client import retry_after_s


@pytest.mark.parametrize(("value", "seconds"), [("120", 120), (" 7 ", 7), ("0", 0)])
def test_a_number_is_seconds(value: str, seconds: float) -> None:
    assert retry_after_s({"Retry-After": value}) == seconds


def test_a_date_is_the_time_until_then() -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    asked = retry_after_s({"Retry-After": then})
    assert asked is not None
    assert 3000 < asked <= 3600


def test_a_date_that_has_passed_is_now() -> None:
    assert retry_after_s({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0


@pytest.mark.parametrize("value", ["soon", "", "-1", "9" * 5000, "Wed, 21 Oct 99999 07:28:00 GMT"])
def test_what_cannot_be_read_asks_for_nothing(value: str) -> None:
    """Whatever a site answers is left for later; none of its headers ends the process."""
    assert retry_after_s({"Retry-After": value}) is None
    assert retry_after_s({}) is None
