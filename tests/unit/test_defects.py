"""Each kind of defect plants one change into a good text, and says where it is."""

import re
from difflib import SequenceMatcher
from random import Random

import pytest

from app.core.checks import ScorePart
from bench.defects import aside, tuned
from bench.defects.carriers import Carrier, carriers
from bench.defects.marks import Mark, at_defect
from bench.defects.plant import Group, Kind, Planted

_KINDS = (*tuned.KINDS, *aside.KINDS)
_TEXTS = [*carriers("tuned"), *carriers("aside")]
_PAIRED = 2


def _hunks(before: str, after: str) -> list[tuple[int, int]]:
    """The lines after, counted from 1, that each change touches."""
    matcher = SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    return [(b + 1, max(b + 1, e)) for tag, _, _, b, e in matcher.get_opcodes() if tag != "equal"]


def _planted(kind: Kind, seed: int = 0) -> list[tuple[Carrier, Planted]]:
    return [
        (text, planted)
        for text in _TEXTS
        if text.language == kind.language
        and (planted := kind.plant(text.text, Random(f"{seed}:{text.name}")))
    ]


@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind.name)
def test_each_kind_plants_one_change_or_a_pair_and_names_its_lines(kind: Kind) -> None:
    planted = _planted(kind)
    assert planted, "no text has a place for it"
    for text, defect in planted:
        hunks = _hunks(text.text, defect.text)
        assert 1 <= len(hunks) <= _PAIRED
        for begin, end in hunks:
            assert any(begin <= line <= end for line in defect.lines)
        assert all(1 <= line <= len(defect.text.split("\n")) for line in defect.lines)


@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind.name)
def test_the_same_seed_plants_the_same_defect(kind: Kind) -> None:
    assert _planted(kind) == _planted(kind)


def test_there_are_enough_kinds_in_each_group_and_language() -> None:
    counts = {group: sum(kind.group is group for kind in _KINDS) for group in Group}
    assert counts[Group.MECHANICS] >= 40
    assert counts[Group.LEFTOVERS] >= 30
    assert counts[Group.STRUCTURE] >= 25
    assert counts[Group.CONSISTENCY] >= 20
    assert counts[Group.SUBSTANCE] >= 15
    assert sum(kind.language == "de" for kind in _KINDS) >= 15
    assert sum(kind.language not in {"en", "de"} for kind in _KINDS) >= 10


def test_no_kind_comes_twice() -> None:
    names = [kind.name for kind in _KINDS]
    assert len(names) == len(set(names))


def test_an_english_text_has_the_shape_of_a_blog_post() -> None:
    english = [text for text in _TEXTS if text.language == "en"]
    assert len(english) >= 12
    for text in english:
        assert 350 <= len(re.findall(r"\w+", text.text)) <= 650, text.name
        assert text.text.startswith("# ")
        assert "\n- " in text.text or "\n1. " in text.text


def _mark(line: int, rule: str = "rule", message: str = "") -> Mark:
    return Mark(line, rule, message, ScorePart.MECHANICS)


def test_a_mark_that_was_there_before_does_not_count() -> None:
    text, damaged = "One.\n\nTwo.\n\nThree.", "One.\n\nNew.\n\nTwo.\n\nThree."
    planted = Planted(damaged, frozenset({3}))
    assert not at_defect(text, planted, [_mark(3)], [_mark(5)])
    assert at_defect(text, planted, [_mark(3)], [_mark(3), _mark(5)])


def test_a_mark_of_another_line_counts_only_if_it_quotes_the_defect() -> None:
    text, damaged = "One.\n\nTwo words.", "One.\n\nTwo strange words."
    planted = Planted(damaged, frozenset({3}))
    assert not at_defect(text, planted, [], [_mark(1, message="Says “One”.")])
    assert at_defect(text, planted, [], [_mark(1, message="Says “Two strange words”.")])
