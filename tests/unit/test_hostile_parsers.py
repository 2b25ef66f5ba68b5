"""Parsers of foreign text raise for bad input what they say they raise, and nothing else.
bench/hostile_parsers.py looks for more with atheris."""

import pytest

from tests.support.parsers import inputs, parsers

PARSERS = parsers()
EACH = 40


@pytest.mark.parametrize("name", PARSERS)
def test_hostile_input_is_no_error_of_the_parser(name: str) -> None:
    kind, read = PARSERS[name]
    for said in inputs(kind, 1, EACH):
        try:
            read(said)
        except Exception as error:
            error.add_note(f"input: {said[:300]!r}")
            raise
