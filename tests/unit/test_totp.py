"""Codes of authenticator apps, as RFC 6238 defines them."""

import base64
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from app.services import totp

# Of RFC 6238, appendix B: the seconds since 1970 and the last six digits of the code.
SECRET = base64.b32encode(b"12345678901234567890").decode()
VECTORS = (
    (59, "287082"),
    (1_111_111_109, "081804"),
    (1_111_111_111, "050471"),
    (1_234_567_890, "005924"),
    (2_000_000_000, "279037"),
    (20_000_000_000, "353130"),
)


@pytest.mark.parametrize(("seconds", "code"), VECTORS)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    now = datetime.fromtimestamp(seconds, UTC)
    assert totp.matching_step(SECRET, code, now) == seconds // 30
    assert totp.matching_step(SECRET, f" {code[:3]} {code[3:]}", now) == seconds // 30


def test_a_code_is_accepted_half_a_minute_early_or_late() -> None:
    """It is of the half minute that ends a second later."""
    now = datetime.fromtimestamp(1_111_111_109, UTC)
    found = [
        totp.matching_step(SECRET, "081804", now + timedelta(seconds=seconds))
        for seconds in (-60, -30, 1, 30, 31)
    ]
    assert found == [None, 37_037_036, 37_037_036, 37_037_036, None]


@pytest.mark.parametrize("typed", ["", "287083", "2870820", "28708", "２８７０８２", "a" * 1000])
def test_anything_else_is_wrong(typed: str) -> None:
    assert totp.matching_step(SECRET, typed, datetime.fromtimestamp(59, UTC)) is None


def test_an_app_reads_name_and_secret_from_the_address() -> None:
    url = urlsplit(totp.address(SECRET, "Ada & co: /?"))
    assert (url.scheme, url.netloc) == ("otpauth", "totp")
    assert unquote(url.path) == "/Copydesk:Ada & co: /?"
    assert parse_qs(url.query) == {"secret": [SECRET], "issuer": ["Copydesk"]}


@pytest.mark.parametrize("text", ["", "short", SECRET[:-1], SECRET + "A", "1" * 32, SECRET.lower()])
def test_only_whole_secrets_are_taken(text: str) -> None:
    assert totp.is_secret(SECRET)
    assert not totp.is_secret(text)
