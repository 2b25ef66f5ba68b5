"""How alike two texts are: the estimate against the exact answer, and what it rests on."""

import os
import subprocess
import sys
from math import sqrt
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rules.near_duplicates import BANDS, VALUES, bands, shingles, sign, similarity

WORDS = st.lists(
    st.sampled_from(["tea", "pot", "leaf", "cup", "hot", "water", "time"]), max_size=60
)
TEXTS = WORDS.map(" ".join)


def exact(one: str, other: str) -> float:
    """The Jaccard index itself."""
    mine, theirs = shingles(one), shingles(other)
    return len(mine & theirs) / len(mine | theirs)


def pair(alike: float, number: int, runs: int = 600) -> tuple[str, str]:
    """Two texts of which so great a share of all runs is in both."""
    shared = round(runs * alike)
    own = (runs - shared) // 2

    def text(parts: list[tuple[str, int]]) -> str:
        # A part of n runs is n + 4 words; "." would not keep two parts apart, one line does.
        return " ".join(f"{name}{number}x{word}" for name, n in parts for word in range(n))

    return text([("both", shared + 4), ("one", own)]), text([("both", shared + 4), ("two", own)])


@pytest.mark.parametrize("alike", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_the_estimate_is_right_in_the_mean_and_its_error_is_what_theory_says(alike: float) -> None:
    """“standard error about 4.5 %”: the root of j (1 - j) / 126, greatest at 0.5."""
    rounds = 150
    errors = []
    for number in range(rounds):
        one, other = pair(alike, number)
        errors.append(similarity(sign(one), sign(other)) - exact(one, other))
    theory = sqrt(alike * (1 - alike) / VALUES)
    assert abs(sum(errors) / rounds) <= 4 * theory / sqrt(rounds)
    spread = sqrt(sum(error**2 for error in errors) / rounds)
    assert 0.75 * theory <= spread <= 1.25 * theory
    assert theory <= 0.045


@pytest.mark.parametrize(("alike", "wanted"), [(0.9, 19.5), (0.5, 13.0), (0.1, 3.4)])
def test_texts_that_are_alike_share_more_bands(alike: float, wanted: float) -> None:
    """Of two that are near-duplicates, the index finds one by the other."""
    pairs = [pair(alike, number) for number in range(400)]
    shared = [len(bands(sign(one)) & bands(sign(other))) for one, other in pairs]
    assert sum(shared) / len(shared) == pytest.approx(wanted, abs=0.5)
    assert alike < 0.5 or min(shared) > 0


@settings(max_examples=60, deadline=None)
@given(WORDS.filter(bool), st.integers(0, 60), st.integers(6, 9))
def test_neither_the_order_of_runs_nor_how_often_they_stand_there_makes_a_difference(
    words: list[str], turn: int, times: int
) -> None:
    """A text is the set of its runs. One that goes round in a circle has the same ones wherever it
    begins and however often it goes round."""
    turned = [*words[turn % len(words) :], *words[: turn % len(words)]]
    one, other = " ".join(words * 6), " ".join(turned * times)
    assert shingles(one) == shingles(other)
    assert sign(one) == sign(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The jar rests for twelve hours.", "the JAR rests – for “twelve” hours"),
        ("Das Café öffnet später am Tag", "Das Cafe\u0301 o\u0308ffnet spa\u0308ter am Tag"),
        ("ＳＥＯ is more than five words", "SEO is more than five words"),
        ("冷たいコーヒーです", "冷 たい コーヒー です。"),
    ],
)
def test_case_punctuation_and_spelling_make_no_difference(one: str, other: str) -> None:
    assert shingles(one) == shingles(other)


def test_a_character_is_a_word_where_no_spaces_are_written() -> None:
    assert len(shingles("水出しコーヒー")) == 3
    assert exact("水出しコーヒー", "水出しコーヒは") == pytest.approx(2 / 4)


@pytest.mark.parametrize("text", ["", "…", "tea", "hot black tea now"])
def test_a_text_of_fewer_than_five_words_is_one_run(text: str) -> None:
    assert len(shingles(text)) == 1
    assert len(bands(sign(text))) == 1
    assert similarity(sign(text), sign(text)) == 1
    assert similarity(sign(text), sign("cold green tea")) == 0


def test_a_signature_takes_half_a_kilobyte_at_most() -> None:
    one, _ = pair(1.0, 1)
    assert len(sign(one)) == 504
    assert len(bands(sign(one))) == BANDS


def test_a_signature_is_the_same_in_another_process_and_stays_what_it_is() -> None:
    """Signatures are stored: one that is computed otherwise would find nothing that is stored."""
    program = "from app.rules.near_duplicates import *; s = sign('a rose is a rose is a rose');"
    program += "print(s.hex()[:32], min(bands(s)))"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == ["098aed157f6e7f30bdc41429", "160099605"]


def test_1000_words_are_signed_in_less_than_10_milliseconds() -> None:
    """The quickest of ten counts."""
    taken = []
    for number in range(10):
        text = " ".join(f"word{number}x{index}" for index in range(1000))
        began = process_time()
        sign(text)
        taken.append(process_time() - began)
    assert min(taken) < 0.010
