"""The angles of a rule: which comes next, and what the model is told of it."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.angles import ANGLES, BY_KEY, Angle, next_angles
from app.core.completion import Prompt
from app.core.pieces import Piece
from app.core.writing import OUTLINE, TITLE, plan_pieces
from tests.unit.manuscripts import BRIEF, outlined

KEYS = [angle.key for angle in ANGLES]
USED = st.lists(st.sampled_from([*KEYS, "one-of-an-earlier-version"]), max_size=40)


def keys(angles: tuple[Angle, ...]) -> list[str]:
    return [angle.key for angle in angles]


def test_there_are_a_dozen_or_more_each_with_its_own_words() -> None:
    assert 12 <= len(ANGLES) == len(BY_KEY)
    assert len({angle.name for angle in ANGLES}) == len(ANGLES)
    assert len({angle.instruction for angle in ANGLES}) == len(ANGLES)
    for angle in ANGLES:
        # The column that keeps it has 40 characters.
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", angle.key)
        assert len(angle.key) <= 40
        # What people see in a list, and one sentence for the model.
        assert len(angle.name.split()) <= 7
        assert re.fullmatch(r"It [^.]+\.", angle.instruction)


@given(st.text(min_size=1, max_size=30), USED)
def test_each_is_taken_once_before_one_is_taken_twice(rule_id: str, used: list[str]) -> None:
    ahead = keys(next_angles(rule_id, used, 3 * len(ANGLES)))
    counts = Counter(ahead)
    assert set(counts.values()) == {3}
    for at in range(len(ahead) - len(ANGLES) + 1):
        assert len(set(ahead[at : at + len(ANGLES)])) == len(ANGLES)


@given(st.text(min_size=1, max_size=30), USED, st.integers(1, 40))
def test_what_is_foretold_is_what_comes(rule_id: str, used: list[str], count: int) -> None:
    """The preview of a rule is worth nothing unless its posts follow it."""
    foretold = keys(next_angles(rule_id, used, count))
    history = list(used)
    for key in foretold:
        (angle,) = next_angles(rule_id, history, 1)
        assert angle.key == key
        history.insert(0, angle.key)


@given(st.text(min_size=1, max_size=30), st.lists(st.sampled_from(KEYS), max_size=40))
def test_those_never_used_come_first_then_those_used_longest_ago(
    rule_id: str, used: list[str]
) -> None:
    order = keys(next_angles(rule_id, used, len(ANGLES)))
    fresh = [key for key in order if key not in used]
    assert order[: len(fresh)] == fresh
    last_uses = [used.index(key) for key in order[len(fresh) :]]
    assert last_uses == sorted(last_uses, reverse=True)


def test_as_many_newest_angles_as_there_are_tell_as_much_as_all() -> None:
    history: list[str] = []
    for _ in range(3 * len(ANGLES)):
        (angle,) = next_angles("rul_1", history, 1)
        assert keys(next_angles("rul_1", history[: len(ANGLES)], 1)) == [angle.key]
        history.insert(0, angle.key)


def test_rules_begin_in_orders_of_their_own_that_never_change() -> None:
    begins = {tuple(keys(next_angles(f"rul_{number}", (), 3))) for number in range(50)}
    assert len(begins) > 40
    assert {begin[0] for begin in begins} == set(KEYS)
    # Another order would have a rule take again what it took last.
    assert keys(next_angles("rul_1", (), 3)) == ["daily-routine", "long-run", "by-situation"]


# --- what the model is told


def prompt(piece: Piece, **framing: object) -> Prompt:
    manuscript = outlined(replace(BRIEF, **framing))  # type: ignore[arg-type]
    return piece.prompt(manuscript, ["- Say it better."], temperature=0.7, seed=5)


FRAMED = {
    "angle": BY_KEY["common-mistakes"],
    "earlier_titles": ("Cold brew for guests", "Cold brew basics"),
    "earlier_angles": ("signs of quality", "a checklist"),
}


@pytest.mark.parametrize("piece", [OUTLINE, TITLE])
def test_outline_and_title_are_told_the_angle_and_what_exists(piece: Piece) -> None:
    """“the angle's instruction and the rule's earlier titles (newest 20 as today) and earlier
    angles go into the outline and title prompts”"""
    asked = prompt(piece, **FRAMED).user
    assert "common mistakes" in asked
    # Oldest first: what was said to the model for the post before comes again, and first.
    before = prompt(
        piece, **{**FRAMED, "earlier_titles": ("Cold brew basics",), "angle": BY_KEY["myths"]}
    ).user
    shared = "- Cold brew basics\n"
    assert asked.startswith(before[: before.index(shared) + len(shared)])
    assert asked.index(shared) + len(shared) == asked.index("- Cold brew for guests\n")
    assert asked.endswith("An editor sent an earlier version back:\n- Say it better.")


def test_the_newest_20_titles_are_told_and_all_are_checked() -> None:
    titles = tuple(f"Cold brew, part {number} of the series" for number in range(200, 0, -1))
    for piece in (OUTLINE, TITLE):
        asked = prompt(piece, **{**FRAMED, "earlier_titles": titles}).user
        assert re.findall(r"part (\d+) of", asked) == [str(number) for number in range(181, 201)]
    manuscript = outlined(replace(BRIEF, earlier_titles=titles))
    (finding,) = TITLE.check({"title": "Cold BREW: part 1 of the series"}, manuscript)
    assert finding.check == "title_taken"


def test_the_outline_is_told_what_the_angle_means_and_what_is_left_to_others() -> None:
    asked = prompt(OUTLINE, **FRAMED).user
    assert BY_KEY["common-mistakes"].instruction in asked
    assert "Leave to other posts: a checklist; signs of quality." in asked


def test_a_rules_first_post_is_told_of_no_others() -> None:
    for piece in (OUTLINE, TITLE):
        asked = prompt(piece, angle=BY_KEY["myths"]).user
        assert "myths and facts" in asked
        assert "ther posts" not in asked


OUTLINE_BEFORE = """\
Plan a blog post about "cold brew".
Plan 3 sections. Each has a heading of three to eight words that no other section has, and for \
each of its paragraphs one point: a short sentence that says what the paragraph explains. No two \
points say the same.
Do not plan an introduction, a conclusion or questions: they are written separately.
The post also covers: "burr grinder", "steel filter".
An editor sent an earlier version back:
- Say it better."""
TITLE_BEFORE = """\
A blog post with the title “Cold brew at home, without the fuss” about “cold brew” has these \
sections:
1. Why grind size matters
2. Clean filters in a minute
3. How long the jar rests

Write the title of this post: between 15 and 60 characters long, specific, without quotation \
marks. Use the phrase "cold brew" in the title.
An editor sent an earlier version back:
- Say it better."""
FAQS_BEFORE = """\
Write 2 questions that readers ask about "cold brew": at home and that the sections leave open."""


def test_a_request_without_an_angle_is_prompted_as_ever() -> None:
    """“A request without an angle (POST /v1/generate) is prompted exactly as before.”"""
    assert prompt(OUTLINE).user == OUTLINE_BEFORE
    assert prompt(TITLE).user == TITLE_BEFORE
    assert FAQS_BEFORE in prompt(Piece("faqs"), topic="at home").user
    assert 'blog post about "cold brew": at home.\n' in prompt(OUTLINE, topic="at home").user


def test_every_other_piece_is_prompted_alike_with_and_without_an_angle() -> None:
    for piece in plan_pieces(outlined()):
        if piece.name != "faqs":
            assert prompt(piece, **FRAMED) == prompt(piece)
