"""Functions that read foreign text take time proportional to its length, whatever it contains.

Each test compares the processor time of a text with that of a text four times as long: a factor of
4 is linear, 16 quadratic. `bench/hostile_text.py` measures the same functions at up to 1,000 kB.
"""

import time
from collections.abc import Callable
from itertools import count

import pytest

from app.console.words import grouped
from app.core.schemas.json_body import MAX_BODY_BYTES
from app.rules.finding import Finding, Severity
from bench.hostile_text import FILLS, PROSE, functions

CHARS = 2_000
TIMES = 4
MOST_GROWTH = 9.0
MOST_SECONDS = 1.5
# What is over sooner says nothing about growth.
MEASURABLE_SECONDS = 0.06
FUNCTIONS = functions()
NUMBERS = count()
# Those of HTML pages run for seconds; the bench has them.
QUICK = [name for name in FUNCTIONS if not name.startswith("page_text.read_html")]


def cost(function: Callable[[str], object], fill: str, chars: int) -> float:
    # What is kept of one text says nothing about the next.
    said = f"{(fill * chars)[:chars]}\n{next(NUMBERS)}"
    began = time.process_time()
    function(said)
    return time.process_time() - began


def growth(function: Callable[[str], object], fill: str) -> float:
    """How much longer four times the text takes; 0 where both are quick."""
    found = 0.0
    # What else the process did meanwhile, such as collecting garbage, shows once at most.
    for _ in range(3):
        many = cost(function, fill, TIMES * CHARS)
        if many < MEASURABLE_SECONDS:
            return 0.0
        found = many / max(cost(function, fill, CHARS), 1e-3)
        if found <= MOST_GROWTH:
            return found
    return found


@pytest.mark.parametrize("name", QUICK)
def test_no_pattern_takes_more_than_its_share_of_time(name: str) -> None:
    FUNCTIONS[name](PROSE * 10)  # what it loads when it is first called
    slow = {
        fill: f"{found:.0f} times as long"
        for fill in FILLS
        if (found := growth(FUNCTIONS[name], fill)) > MOST_GROWTH
    }
    assert slow == {}


WIDE_TABLE = next(fill for fill in FILLS if fill.startswith("|a|a"))


@pytest.mark.parametrize(
    "fill",
    ["&", "<", "[", "|", "```\n", ">", "- a\n", "a\n\n", "a|b\n-|-\n", WIDE_TABLE, "*a**b**\n"],
)
def test_a_text_as_long_as_the_body_of_a_check_takes_no_seconds(fill: str) -> None:
    """0.6 s at most where this was written; other processors are slower."""
    check = FUNCTIONS["rules.check_markdown"]
    check(PROSE)
    assert min(cost(check, fill, MAX_BODY_BYTES) for _ in range(2)) <= MOST_SECONDS


def test_the_findings_of_a_draft_of_headings_alone_are_grouped_at_once() -> None:
    found = [
        Finding("parts_missing", Severity.WARNING, f"sections[{number}]", "It has no text.")
        for number in range(25_000)
    ]
    assert cost(lambda _: grouped(found), "", 0) < 1
