"""The angles of a rule: which comes next."""

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from app.writing.angles import ANGLES, BY_KEY, Angle, next_angles

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


def test_rules_begin_in_orders_of_their_own_that_never_change() -> None:
    begins = {tuple(keys(next_angles(f"rul_{number}", (), 3))) for number in range(50)}
    assert len(begins) > 40
    assert {begin[0] for begin in begins} == set(KEYS)
    # Another order would have a rule take again what it took last.
    assert keys(next_angles("rul_1", (), 3)) == ["daily-routine", "long-run", "by-situation"]
