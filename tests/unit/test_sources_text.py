"""How much of a page's text is looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sources.text import MAX_CHARS, MAX_LINE_CHARS, bounded, bounded_title
from tests.support.source_site import BRIDGE

ORDINARY = "\n\n".join(" ".join(BRIDGE[at : at + 3]) for at in range(0, len(BRIDGE), 3))


def test_ordinary_text_stays_as_it_is() -> None:
    code = "```\ndef f(x):\n    if x:\n        return 1\n```"
    text = f"{ORDINARY}\n\n{code}\n\nWait … what? It -- so he said... is “no”!!!"
    assert bounded(text) == text


def test_a_long_page_is_its_first_whole_lines() -> None:
    text = "\n\n".join([ORDINARY] * 200)
    kept = bounded(text)
    assert MAX_CHARS - MAX_LINE_CHARS < len(kept) <= MAX_CHARS
    assert text.startswith(f"{kept}\n")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("“" * 9, "“““"),
        ("a" + "\u0301" * 9, "a" + "\u0301" * 3),
        ("a" + " " * 9 + "b", "a   b"),
        ("a____b", "a___b"),
        ("1000000", "1000000"),
        ("a....", "a..."),
        ("“a“a“a“a“a", "“a“a“a“a“a"),
    ],
)
def test_a_run_of_one_mark_is_three_of_it(text: str, kept: str) -> None:
    assert bounded(text) == kept


def test_a_long_line_is_cut_after_a_sentence() -> None:
    line = " ".join(BRIDGE * 5)
    cut = bounded(line).split("\n")
    assert " ".join(cut) == line
    assert all(part.endswith(".") for part in cut)


def test_without_a_sentence_it_is_cut_at_a_blank_and_else_anywhere() -> None:
    assert all(
        part.split() == ["word"] * len(part.split()) for part in bounded("word " * 999).split("\n")
    )
    assert [len(part) for part in bounded("a" * 5000).split("\n")] == [2000, 2000, 1000]


@given(st.text(st.sampled_from("a“. \n\u0301。"), max_size=300).map(lambda text: text * 40))
def test_the_bounds_hold_and_bounded_text_is_bounded_to_itself(text: str) -> None:
    kept = bounded(text)
    assert len(kept) <= MAX_CHARS
    assert all(len(line) <= MAX_LINE_CHARS for line in kept.split("\n"))
    assert bounded(kept) == kept


def test_a_title_is_one_short_line() -> None:
    assert bounded_title("Harbour\n bridge!!!!!!  reopens ") == "Harbour bridge!!! reopens"
    assert len(bounded_title("word " * 999)) <= 300
