"""Patterns of wordings find the same with and without a look at a text's words first."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from app.core.languages import all_languages
from app.core.languages.wordings import Wording, Wordings


def _wordings() -> Iterator[Wording]:
    for language in all_languages():
        for section in vars(language).values():
            values = vars(section).values() if hasattr(section, "__dict__") else ()
            yield from (each for each in values if isinstance(each, Wording))


_ALL = list(_wordings())


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_a_pattern_matches_is_found(data: st.DataObject) -> None:
    wording = data.draw(st.sampled_from(_ALL))
    said = data.draw(st.from_regex(wording.pattern))

    found, expected = wording.search(said), wording.pattern.search(said)

    assert expected is not None
    assert found is not None
    assert found.span() == expected.span()


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("stud(?:y|ies)", "studies"),
        ("colou?rs?", "color"),
        ("(?:more )?(?:good|bad) news", "news of bad news"),
        ("tell(?: me)? more", "tell more"),
        ("pre(?:text|fix)", "prefix"),
        (r"(?:one|two)\b", "two"),
        ("game[- ]?over", "gameover"),
        (r"\[(?:photo|picture)s?\]", "a [photos]"),
        ("x{2}yz", "xxyz"),
        ("(?:a|(?:b|c) d)e", "c de"),
        (r"^[ \t]{0,9}draft$", "  draft"),
        ("some one|any body", "any body"),
        ("it's|it is", "it's"),
        ("(?!no )new car", "new car"),
    ],
)
def test_no_kind_of_pattern_hides_a_match(pattern: str, text: str) -> None:
    assert re.search(pattern, text)
    assert Wording([pattern, "zzz"]).search(text)


def test_a_text_without_the_words_is_not_searched_for_them() -> None:
    wording = Wording(["studies show", "experts? (?:agree|say)"])
    assert wording.search("the studio shows what an expert said") is None
    assert wording.search("as experts say") is not None


@pytest.mark.parametrize("wrong", ["a pattern", [1], None])
def test_only_a_list_of_patterns_is_accepted(wrong: object) -> None:
    with pytest.raises(ValidationError, match="list of regular expressions"):
        TypeAdapter(Wordings).validate_python(wrong)
