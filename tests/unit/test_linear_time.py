"""Functions that process foreign text take time proportional to its length, whatever it contains.

Each test compares the processor time of a text with that of a text four times as long: a factor of
4 is linear, 16 quadratic. `bench/hostile_text.py` measures the same functions, and those that
load more, at up to 1,000 kB.
"""

import time
from collections.abc import Callable

import pytest

from app.core.text import find_phrase, forget
from bench.hostile_text import PATTERNS, functions

CHARS = 3_000
TIMES = 4
MOST_GROWTH = 9.0
# What is over sooner says nothing about growth.
MEASURABLE_SECONDS = 0.03
FUNCTIONS = functions()
# Most of the patterns are other signs in the same places.
HOSTILE = (
    "quotes “a", "quotes ‘", "quotes mixed", "backticks odd", "brackets [", "brackets [a](",
    "stars **a", "underscores _a", "hashes", "greater", "pipes |a", "dashes nested", "comments",
    "comments a", "doubled words",
    "less <a", "ampersands &a", "dots A.", "dollars", "blanks", "tabs", "blanks, newlines",
    "combining", "word", "hyphens", "digits 1. ", "digits dates", "urls whole", "addresses",
    "orders your",
)  # fmt: skip
# Those of pages get their text bounded, and run for seconds; the bench has them.
QUICK = [
    name
    for name in FUNCTIONS
    if name.startswith(
        (
            "text.", "plain_markdown.", "blocks.", "answers.", "offers.", "refusals", "source_text",
            "writing",
        )
    )
    or name
    in {
        "checks.paragraphs", "checks.read_document", "checks.check_passage",
        "checks.check_document", "page_text.visible", "identify.page_language",
        "current_event", "render.sanitise", "robots",
    }
]  # fmt: skip


def cost(function: Callable[[str], object], pattern: str, chars: int) -> float:
    forget()
    said = (pattern * chars)[:chars]
    began = time.process_time()
    function(said)
    return time.process_time() - began


def growth(function: Callable[[str], object], pattern: str) -> float:
    """How much longer four times the text takes; 0 where both are quick."""
    found = 0.0
    # What else the process did meanwhile, such as collecting garbage, shows once at most.
    for _ in range(3):
        many = cost(function, pattern, TIMES * CHARS)
        if many < MEASURABLE_SECONDS:
            return 0.0
        found = many / max(cost(function, pattern, CHARS), 1e-3)
        if found <= MOST_GROWTH:
            return found
    return found


@pytest.mark.parametrize("name", QUICK)
def test_no_pattern_takes_more_than_its_share_of_time(name: str) -> None:
    FUNCTIONS[name](PATTERNS["prose"] * 10)  # what it loads when it is first called
    slow = {
        pattern: f"{found:.0f} times as long"
        for pattern in HOSTILE
        if (found := growth(FUNCTIONS[name], PATTERNS[pattern])) > MOST_GROWTH
    }
    assert slow == {}


def test_a_phrase_that_stands_everywhere_is_found_in_step_with_the_text() -> None:
    """Of texts of this length, only the last result is cached."""

    def find(said: str) -> object:
        return find_phrase(said, "harbour bridge", "en")

    find(PATTERNS["prose"])
    little, much = (
        min(cost(find, PATTERNS["prose"], chars) for _ in range(3)) for chars in (40_000, 160_000)
    )
    assert much < MOST_GROWTH * little


@pytest.mark.parametrize("pattern", ["prose", "doubled words"])
def test_one_long_paragraph_is_checked_in_step_with_its_length(pattern: str) -> None:
    """Each check asks for the words of a paragraph again and again; this one is too long for the
    cache of short texts."""
    check = FUNCTIONS["checks.check_passage"]
    check(PATTERNS[pattern] * 10)
    little, much = (
        min(cost(check, PATTERNS[pattern], chars) for _ in range(3)) for chars in (12_000, 48_000)
    )
    assert much < MOST_GROWTH * little


def test_the_square_of_a_text_is_found() -> None:
    def square(said: str) -> object:
        return sum(first == second for first in said[::40] for second in said)

    assert growth(square, "a") > MOST_GROWTH
