"""Strategies: every part is asked for once, in an order in which the later sees the earlier."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.writing.draft import CONCLUSION, INTRODUCTION, parts_of, section_part
from app.core.writing.plan import Plan, PlannedSection
from app.core.writing.profile import LARGE, SMALL, Limits, Strategy
from app.core.writing.strategy import answer_tokens, share_out, smaller, words_of
from tests.support.scripted_calls import BRIEF, PLAN

POINTS = replace(PLAN.sections[0], points=("The grind is slow.", "A grinder is even."))
WITH_POINTS = replace(PLAN, sections=(POINTS, PLAN.sections[1]))
PIECES = replace(SMALL, strategy=Strategy.PIECES)


def plan_of(sections: int) -> Plan:
    return Plan("T", "P", tuple(PlannedSection(f"Heading {n}", "P") for n in range(sections)))


@given(
    st.integers(1, 12), st.integers(100, 6_000), st.integers(50, 8_000), st.sampled_from(Strategy)
)
def test_every_part_is_asked_for_once_and_in_order(
    sections: int, target: int, tokens: int, strategy: Strategy
) -> None:
    brief = replace(BRIEF, target_words=target)
    profile = replace(LARGE, strategy=strategy, answer_tokens=tokens)
    plan = plan_of(sections)
    groups = list(share_out(plan, brief, profile))
    assert tuple(part for group in groups for part in group) == parts_of(plan, brief)
    words = words_of(plan, brief)
    assert all(groups)
    for group in groups:
        # Two and a half tokens a word: several parts are together only if they fit.
        assert len(group) == 1 or sum(words[part] for part in group) * 2.5 <= tokens
        assert 0 < answer_tokens(group, words, profile) <= tokens


def test_a_post_that_fits_into_an_answer_is_one_call() -> None:
    assert len(list(share_out(PLAN, BRIEF, LARGE))) == 1


def test_pieces_are_the_blocks_of_the_sections_that_have_points() -> None:
    groups = list(share_out(WITH_POINTS, BRIEF, PIECES))
    assert groups[:4] == [
        (INTRODUCTION,), (section_part(1, 1),), (section_part(1, 2),), (section_part(2),),
    ]  # fmt: skip


@pytest.mark.parametrize("target", [100, 250, 2_000])
def test_the_parts_together_have_about_as_many_words_as_the_post(target: int) -> None:
    brief = replace(BRIEF, target_words=target)
    words = words_of(WITH_POINTS, brief)
    assert all(count > 0 for count in words.values())
    assert words[section_part(1, 1)] < words[section_part(1)]
    in_text = sum(words[part] for part in parts_of(WITH_POINTS, brief)[:-1])
    assert target >= 250 or in_text > target
    assert target < 250 or abs(in_text - target) < 150


@pytest.mark.parametrize(
    "planned", [(100, 100, 100), (100, 200, 300), (100, 100, 1000), (1, 50, 60), (100, 0, 300)]
)
def test_sections_have_the_proportions_of_the_plan_and_the_post_its_length(
    planned: tuple[int, ...],
) -> None:
    def sizes(*planned: int) -> list[int]:
        sections = tuple(replace(PLAN.sections[0], words=words) for words in planned)
        brief = replace(BRIEF, target_words=700, faqs=0, callout=False)
        words = words_of(replace(PLAN, sections=sections), brief)
        return [words[section_part(number)] for number in (1, 2, 3)]

    equal, found = sizes(1, 1, 1), sizes(*planned)
    assert sum(found) == pytest.approx(sum(equal), abs=2)
    assert max(found) <= 280
    if all(planned):
        assert sorted(range(3), key=lambda at: found[at]) == [0, 1, 2]
        assert min(found) >= min(equal) / 3
    else:
        assert found == equal


def test_parts_that_are_lacking_are_asked_for_alone_and_then_in_blocks() -> None:
    one, two = section_part(1), section_part(2)
    assert list(smaller((one, two), one, WITH_POINTS)) == [(one,)]
    assert list(smaller((one,), one, WITH_POINTS)) == [
        (section_part(1, 1),), (section_part(1, 2),),
    ]  # fmt: skip
    for part in (two, section_part(1, 1), CONCLUSION):
        assert list(smaller((part,), part, WITH_POINTS)) == []


def test_a_profile_keeps_to_the_limits_that_its_endpoint_names() -> None:
    assert LARGE.within(Limits()) == LARGE
    fitted = LARGE.within(Limits(context_tokens=8_192))
    assert (fitted.context_tokens, fitted.answer_tokens) == (8_192, 4_096)
    assert LARGE.within(Limits(200_000, 4_000)).answer_tokens == 4_000
    set_lower = replace(LARGE, context_tokens=4_000)
    assert set_lower.within(Limits(context_tokens=100_000)).context_tokens == 4_000
