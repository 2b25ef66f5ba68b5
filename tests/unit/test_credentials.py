"""Keys and tokens: a typo is caught before the database is asked, and nothing gives them away."""

import hashlib
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.credentials import (
    KEY_PREFIX,
    RANDOM_CHARS,
    TOKEN_PREFIX,
    fingerprint,
    hint,
    is_api_key,
    make_api_key,
    make_token_id,
)

KEY = make_api_key(bytes(range(32)))


@given(st.binary(min_size=32, max_size=32))
def test_every_key_that_is_made_is_one(random: bytes) -> None:
    key = make_api_key(random)
    assert is_api_key(key)
    assert key.startswith(KEY_PREFIX)
    assert len(key) == len(KEY_PREFIX) + RANDOM_CHARS + 6
    assert key.removeprefix(KEY_PREFIX).isalnum()


@given(st.binary(min_size=32, max_size=32))
def test_a_test_key_has_its_own_prefix_and_is_no_live_key(random: bytes) -> None:
    key = make_api_key(random, sandbox=True)
    assert is_api_key(key)
    assert key.startswith("cd_test_")
    assert not is_api_key(key.replace("test", "live", 1)), "the checksum covers the prefix"


def test_every_typo_of_one_character_is_caught() -> None:
    for position, right in enumerate(KEY):
        for wrong in string.ascii_letters + string.digits + "_-. é\x00":
            if wrong != right:
                assert not is_api_key(KEY[:position] + wrong + KEY[position + 1 :])


@pytest.mark.parametrize(
    "text",
    ["", "cd_live_", KEY[:-1], KEY[1:], KEY + "x", f" {KEY}", f"{KEY}\n", KEY.upper(), KEY.lower(),
     KEY.replace("live", "test"), "\ud800" * len(KEY), "x" * len(KEY),
     KEY[:20] + "\ud800" + KEY[21:]],
    ids=range(13),
)  # fmt: skip
def test_what_is_no_complete_key_is_none(text: str) -> None:
    assert not is_api_key(text)


@given(st.text(st.characters(), max_size=60))
def test_any_text_may_be_asked_about(text: str) -> None:
    assert not is_api_key(text)
    assert len(fingerprint(text)) == 64


def test_a_token_has_at_least_160_bits() -> None:
    token = make_token_id(bytes(range(32)))
    assert token.startswith(TOKEN_PREFIX)
    assert 62 ** len(token.removeprefix(TOKEN_PREFIX)) > 2**160
    assert make_token_id(bytes(31) + b"\x01") != make_token_id(bytes(32))


def test_what_is_stored_and_shown_of_a_key_does_not_give_it_away() -> None:
    assert fingerprint(KEY) == hashlib.sha256(KEY.encode()).hexdigest()
    assert hint(KEY) == f"cd_live_…{KEY[-4:]}"
    token = make_token_id(bytes(range(32)))
    assert hint(token) == f"ct_…{token[-4:]}"
    for secret in (KEY, token):
        shown = hint(secret)
        hidden = secret[secret.rindex("_") + 1 : -4]
        assert len(hidden) >= 28
        assert not any(hidden[n : n + 3] in shown for n in range(len(hidden) - 2))
