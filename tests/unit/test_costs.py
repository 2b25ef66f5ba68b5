"""Prices, amounts and figures of calls: money in whole micro-dollars."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.billing.costs import (
    Figures,
    Price,
    dollars,
    estimated_tokens,
    parse_dollars,
    parse_prices,
    plain_dollars,
)
from app.settings import Settings, SettingsError

MINI = Price(250_000, 2_000_000)


def test_prices_are_read_in_lines_or_with_commas() -> None:
    expected = {"gpt-5-mini": MINI, "openai/gpt-5:free": Price(0, 0)}
    assert parse_prices("gpt-5-mini=0.25/2,\n  openai/gpt-5:free=0/0\n") == expected
    assert parse_prices("gpt-5-mini=$0.25/$2 openai/gpt-5:free=0/0") == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("gpt-5-mini", "must be the name of a model with its prices"),
        ("gpt-5-mini=0.25", "such as gpt-5-mini=0.25/2"),
        ("=1/2", "must be the name of a model"),
        ("a=1/2 a=1/3", "has two prices for a"),
        ("a=1/two", "the price of a must be in US dollars"),
        ("a=-1/2", "the price of a must be in US dollars"),
        ("a=1e3/2", "the price of a must be in US dollars"),
        ("a=0.0000001/2", "at most 6 decimals"),
    ],
)
def test_a_wrong_price_stops_the_start_with_a_sentence(text: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=f"^COPYDESK_MODEL_PRICES: .*{problem}"):
        Settings.from_env({"COPYDESK_MODEL_PRICES": text})


def test_a_cap_needs_the_price_of_each_model_in_use() -> None:
    endpoint = {"OPENAI_API_KEY": "k", "COPYDESK_SPEND_CAP": "50"}
    with pytest.raises(SettingsError, match=r"^COPYDESK_SPEND_CAP needs the price of gpt-5-mini"):
        Settings.from_env(endpoint)
    endpoint |= {"COPYDESK_MODEL_PRICES": "gpt-5-mini=0.25/2"}
    assert Settings.from_env(endpoint).budget.cap == 50_000_000
    with pytest.raises(SettingsError, match="the price of gpt-5 in COPYDESK_MODEL_PRICES"):
        Settings.from_env({**endpoint, "COPYDESK_EDITOR_MODEL": "gpt-5"})
    assert Settings.from_env({**endpoint, "COPYDESK_EDITOR_MODEL": "off"}).unpriced_models == []


def test_the_local_model_is_free() -> None:
    settings = Settings.from_env({"COPYDESK_SPEND_CAP": "50"})
    assert settings.budget.figures("local", 1_000, 1_000, is_estimate=False) == Figures(
        1, 1_000, 1_000
    )
    assert settings.unpriced_models == []
    assert {settings: "settings can be a key"}


def test_a_call_is_rounded_up_to_a_micro_dollar() -> None:
    assert MINI.of(1_000_000, 1_000_000) == 2_250_000
    assert MINI.of(1, 0) == 1
    assert MINI.of(0, 0) == 0


@given(st.integers(0, 10**12), st.integers(0, 10**9))
def test_an_amount_is_written_as_it_is_read(micros: int, more: int) -> None:
    assert parse_dollars(plain_dollars(micros)) == micros
    assert dollars(micros).startswith("$")
    assert Figures(1, 2, 3, micros) + Figures(1, 1, 1, more) + -Figures(1, 1, 1, more) == Figures(
        1, 2, 3, micros
    )


@pytest.mark.parametrize(
    ("micros", "shown"),
    [
        (0, "$0.00"),
        (4_249, "$0.0042"),
        (49, "$0.0000"),
        (99_900, "$0.0999"),
        (877_500, "$0.88"),
        (999_999, "$1.00"),
        (1_000_000, "$1.00"),
        (12_345_678, "$12.35"),
        (1_234_567_890_000, "$1,234,567.89"),
    ],
)
def test_amounts_are_shown_in_cents_and_small_ones_more_exactly(micros: int, shown: str) -> None:
    assert dollars(micros) == shown


def test_tokens_are_estimated_from_bytes() -> None:
    """Tokenizers make 2.8 to 4.3 bytes of a page in Latin letters one token."""
    assert estimated_tokens("tea " * 75) == 100
    assert estimated_tokens("", "") == 0
    assert estimated_tokens("茶" * 4) == 4
