"""The brief: what a post has to be."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from app.core.schemas.bodies import parse
from app.core.schemas.request import GenerateRequest
from app.writing.brief import Brief, make_brief
from app.writing.prompts import page_in_words

TODAY = date(2026, 11, 28)


def brief(max_words: int, **members: object) -> Brief:
    request = parse(GenerateRequest, {"keywords": ["cold brew", "Cold  Brew", "tea"], **members})
    return make_brief(request, max_words=max_words, today=TODAY)


@given(st.integers(100, 5000), st.integers(0, 100))
def test_the_words_to_ask_for_are_within_the_limits(most: int, share: int) -> None:
    least = max(50, (most - 50) * share // 100)
    made = brief(most, constraints={"maxWords": most, "minWords": least})
    assert made.min_words == least
    assert made.min_words <= made.target_words <= made.max_words


def test_a_keyword_in_two_spellings_is_one() -> None:
    assert brief(500).keywords == ("cold brew", "tea")


def test_half_of_the_words_are_needed_by_default() -> None:
    assert (brief(500).min_words, brief(500).max_words) == (250, 500)


def test_a_verified_request_makes_a_verified_post() -> None:
    assert brief(500, factualityMode="verified").verified
    assert not brief(500).verified


def test_a_target_page_is_told_in_letters_that_people_read() -> None:
    assert page_in_words("https://xn--caf-dma.example/") == "the website “café”"
