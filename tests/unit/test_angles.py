"""The angles of a rule: which comes next, and what the model is told of it."""

import re
from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.core.planning.angles import ANGLES, BY_KEY, Angle, next_angles
from app.core.planning.brief import Brief
from app.core.writing.completion import Prompt
from app.core.writing.draft import parts_of
from app.core.writing.plan import check_plan
from app.core.writing.profile import LARGE
from app.core.writing.prompts import parts_prompt, plan_prompt
from app.core.writing.strategy import words_of
from tests.support.manuscripts import BRIEF, PLAN, drafted

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


def prompt(**options: object) -> str:
    brief = replace(BRIEF, **options)  # type: ignore[arg-type]
    return plan_prompt(brief, LARGE, "", ["Say it better."], seed=5).user


FRAMED = {
    "angle": BY_KEY["common-mistakes"],
    "earlier_titles": ("Cold brew for guests", "Cold brew basics"),
    "earlier_angles": ("signs of quality", "a checklist"),
}


def test_a_plan_is_told_the_angle_and_what_exists() -> None:
    """“the angle's instruction and the rule's earlier titles (newest 20 as today) and earlier
    angles go into the outline and title prompts”"""
    asked = prompt(**FRAMED)
    assert "common mistakes" in asked
    assert BY_KEY["common-mistakes"].instruction in asked
    assert "Leave to other posts: a checklist; signs of quality." in asked
    # Oldest first: what was said to the model for the post before comes again, and first.
    before = prompt(**{**FRAMED, "earlier_titles": ("Cold brew basics",), "angle": BY_KEY["myths"]})
    shared = "- Cold brew basics\n"
    assert asked.startswith(before[: before.index(shared) + len(shared)])
    assert asked.index(shared) + len(shared) == asked.index("- Cold brew for guests\n")
    assert asked.endswith("An editor sent an earlier plan back:\n- Say it better.")


def test_the_newest_20_titles_are_told_and_all_are_checked() -> None:
    titles = tuple(f"Cold brew, part {number} of the series" for number in range(200, 0, -1))
    asked = prompt(**{**FRAMED, "earlier_titles": titles})
    assert re.findall(r"part (\d+) of", asked) == [str(number) for number in range(181, 201)]
    repeated = replace(PLAN, title="Cold BREW: part 1 of the series")
    findings = check_plan(repeated, replace(BRIEF, earlier_titles=titles))
    assert [finding.check for finding in findings if finding.blocks] == ["title_taken"]


def test_a_rules_first_post_is_told_of_no_others() -> None:
    asked = prompt(angle=BY_KEY["myths"])
    assert "myths and facts" in asked
    assert "ther posts" not in asked


def test_a_request_without_an_angle_is_told_of_none() -> None:
    assert not any(angle.instruction in prompt() for angle in ANGLES)
    assert 'blog post about "cold brew": at home.\n' in prompt(topic="at home")


def test_the_parts_are_prompted_alike_with_and_without_an_angle() -> None:
    draft = drafted()

    def asked(brief: Brief) -> list[Prompt]:
        words = words_of(PLAN, brief)
        return [
            parts_prompt(brief, LARGE, draft, [part], words, "", seed=1)
            for part in parts_of(PLAN, brief)
        ]

    assert asked(replace(BRIEF, **FRAMED)) == asked(BRIEF)  # type: ignore[arg-type]
