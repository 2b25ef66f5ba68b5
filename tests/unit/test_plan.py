"""The plan: read from an answer, with its claims and keywords, and checked before the draft."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.planning.brief import Brief
from app.core.schemas.request import KeywordUsageStrategy
from app.core.writing.parsing import UnreadableAnswer, load
from app.core.writing.plan import (
    Form,
    Plan,
    check_plan,
    plan_schema,
    read_plan,
    without_corrected,
    without_refused,
)
from app.core.writing.profile import LARGE
from app.core.writing.prompts import plan_prompt
from tests.support.scripted_calls import BRIEF, PLAN, plan_answer


def names(plan: Plan, brief: Brief = BRIEF) -> list[str]:
    return [finding.check for finding in check_plan(plan, brief) if finding.blocks]


def answer_with(**members: Any) -> dict[str, Any]:
    return plan_answer() | members


def with_section_claims(numbers: list[Any], claims: list[str]) -> Plan:
    answer = answer_with(claims=claims)
    answer["sections"][0]["claims"] = numbers
    return read_plan(answer, BRIEF)


def test_a_plan_keeps_title_purpose_sections_claims_and_questions() -> None:
    plan = read_plan(plan_answer(), BRIEF)
    assert (plan.title, plan.purpose, plan.claims, plan.questions) == (
        PLAN.title, PLAN.purpose, PLAN.claims, PLAN.questions,
    )  # fmt: skip
    assert [section.form for section in plan.sections] == [Form.PROSE, Form.STEPS]
    assert plan.sections[0].claims == PLAN.sections[0].claims


def test_a_section_states_the_claims_of_its_numbers_and_ignores_other_numbers() -> None:
    assert with_section_claims([2, 0, -1, 9, 2], ["A.", "B."]).sections[0].claims == ("B.",)


def test_a_number_may_be_written_as_1_0() -> None:
    answer = answer_with()
    answer["sections"][0]["claims"] = [1.0, 2.0]
    # JSON schema takes 1.0 for an integer.
    load(json.dumps(answer), plan_schema(BRIEF, claims=True, points=False))
    assert read_plan(answer, BRIEF).sections[0].claims == PLAN.claims


def test_an_empty_claim_does_not_change_the_numbers_of_the_others() -> None:
    plan = with_section_claims([1, 2], ["", "Rest it for a night."])
    assert plan.claims == plan.sections[0].claims == ("Rest it for a night.",)


def test_the_claim_sheet_has_each_claim_once() -> None:
    assert with_section_claims([1, 2], ["A.", "A."]).claims == ("A.",)


@pytest.mark.parametrize("mark", [".", ":", "。", "："])
def test_headings_lose_their_last_mark(mark: str) -> None:
    answer = answer_with()
    answer["sections"][0]["heading"] += mark
    assert read_plan(answer, BRIEF).sections[0].heading == PLAN.sections[0].heading


def test_a_small_model_is_not_asked_for_claims_but_for_points() -> None:
    schema = plan_schema(BRIEF, claims=False, points=True)
    assert "claims" not in schema["properties"]
    assert "points" in schema["properties"]["sections"]["items"]["required"]


def test_an_answer_with_too_many_sections_cannot_be_read() -> None:
    schema = plan_schema(BRIEF, claims=True, points=False)
    with pytest.raises(UnreadableAnswer):
        load(json.dumps(answer_with(sections=plan_answer()["sections"] * 2)), schema)


def test_a_list_of_too_many_claims_costs_no_other_plan_but_its_optional_and_last_ones() -> None:
    """The prompt alone says how many are too many."""
    most = BRIEF.most_claims
    listed = [f"Claim {number}." for number in range(1, 100)]
    answer = answer_with(claims=listed, optional=[1, 2])
    plan = read_plan(load(json.dumps(answer), plan_schema(BRIEF, claims=True, points=False)), BRIEF)
    assert plan.claims == tuple(listed[2 : most + 2])
    assert f"at most {most}" in plan_prompt(BRIEF, LARGE, "", [], seed=1).user
    fits = read_plan(answer_with(claims=listed[:most], optional=[1, 2]), BRIEF)
    assert fits.claims == tuple(listed[:most])
    assert fits.optional == set(listed[:2])
    assert replace(BRIEF, target_words=3000).most_claims < 3000 // 40


def test_of_too_many_claims_what_limits_another_one_is_kept() -> None:
    facts = [f"A jar of kind {number} holds a liter." for number in range(BRIEF.most_claims)]
    warning = "Never pour boiling water into a cold jar."
    plan = read_plan(answer_with(claims=[*facts, warning], optional=[]), BRIEF)
    assert plan.claims == (*facts[:-1], warning)


@pytest.mark.parametrize(
    ("claim", "is_optional"),
    [
        ("A tinsmith in Philadelphia patented the jar in 1858.", True),
        ("Glass jars need more room than cans do.", True),
        ("On the way home from abroad, that country's rules apply.", False),
        ("A steam canner is only for processes of up to 45 minutes.", False),
        ("A baby who travels free is not covered.", False),
        ("If the lid is bent, it leaks.", False),
        ("Call your doctor about blurred vision.", False),
    ],
)
def test_no_exception_limit_or_caution_of_a_plan_is_optional(
    claim: str, *, is_optional: bool
) -> None:
    plan = read_plan(answer_with(claims=["Rest it for a night.", claim], optional=[2]), BRIEF)
    assert (claim in plan.optional) is is_optional
    assert claim in plan.claims


def test_a_good_plan_has_no_findings() -> None:
    assert names(PLAN) == []


@pytest.mark.parametrize(
    ("title", "check"),
    [
        ("Coffee without the fuss, at home", "keyword_place"),
        ("Cold brew", "title_length"),
        ("…", "title_length"),
        ("Cold brew at {{place}}, without fuss", "placeholder"),
        (PLAN.sections[0].heading, "heading"),
    ],
)
def test_a_title_that_fails_its_checks_blocks_the_plan(title: str, check: str) -> None:
    assert check in names(replace(PLAN, title=title))


def test_a_title_of_an_earlier_post_blocks_the_plan() -> None:
    earlier = replace(BRIEF, earlier_titles=("Cold Brew at home - without the fuss!",))
    assert names(PLAN, earlier) == ["title_taken"]


@pytest.mark.parametrize("heading", ["", "…", PLAN.sections[1].heading, "Introduction"])
def test_a_heading_without_words_of_its_own_blocks_the_plan(heading: str) -> None:
    sections = (replace(PLAN.sections[0], heading=heading), PLAN.sections[1])
    assert "heading" in names(replace(PLAN, sections=sections))


def test_a_plan_loses_a_section_whose_heading_no_post_may_have_and_no_keyword() -> None:
    opening = replace(PLAN.sections[0], heading="Introduction")
    plan = without_refused(replace(PLAN, sections=(opening, *PLAN.sections)), BRIEF)
    assert [each.heading for each in plan.sections] == [each.heading for each in PLAN.sections]
    assigned = {keyword for section in plan.sections for keyword in section.keywords}
    assert assigned >= set(BRIEF.keywords)


def test_a_plan_keeps_what_it_has_if_too_little_would_be_left() -> None:
    sections = tuple(replace(each, heading="Introduction") for each in PLAN.sections)
    plan = replace(PLAN, sections=(*sections[:-1], PLAN.sections[-1]))
    assert without_refused(plan, BRIEF) == plan


def test_headings_have_no_code_marks() -> None:
    sections = [{"heading": "How `git revert` works", "purpose": "Say it.", "form": "prose"}]
    plan = read_plan(answer_with(sections=sections), BRIEF)
    assert plan.sections[0].heading == "How git revert works"


def test_empty_headings_are_known_in_the_language_of_the_post() -> None:
    brief = replace(BRIEF, language="de")
    sections = (replace(PLAN.sections[0], heading="Einleitung"), PLAN.sections[1])
    assert "heading" in names(replace(PLAN, sections=sections), brief)


def test_claims_that_may_be_left_out_are_known_by_their_numbers() -> None:
    answer = answer_with(optional=[2, 9, 0])
    assert read_plan(answer, BRIEF).optional == {PLAN.claims[1]}
    del answer["optional"]
    assert read_plan(answer, BRIEF).optional == frozenset()


# --- keywords


@pytest.mark.parametrize(
    ("heading", "most", "sections"),
    [
        # One use is in the introduction; 900 words need four of a keyword of one word.
        ("What it costs", 900, 4),
        ("What a jar costs", 900, 0),
        ("What it costs", 300, 1),
    ],
)
def test_enough_sections_use_the_primary_keyword_of_a_post_without_a_count(
    heading: str, most: int, sections: int
) -> None:
    brief = replace(BRIEF, keywords=("jar",), max_words=most)
    entry = {"heading": heading, "purpose": "It tells of a jar.", "form": "prose"}
    plan = read_plan({"title": "T", "purpose": "P", "sections": [entry] * 6}, brief)
    used = [section for section in plan.sections if section.keywords]
    assert len(used) == max(1, sections)


keywords = st.lists(
    st.sampled_from(("jar", "lid", "mug", "cup", "pan", "pot", "tin")), min_size=1, unique=True
)


@given(keywords, st.integers(1, 5), st.sampled_from(KeywordUsageStrategy))
def test_every_keyword_has_a_section_and_none_has_two_while_another_has_none(
    told: list[str], count: int, strategy: KeywordUsageStrategy
) -> None:
    brief = replace(BRIEF, keywords=tuple(told), strategy=strategy, target_words=900)
    entry = {"heading": "How to fill it", "purpose": "It fills.", "form": "prose"}
    plan = read_plan({"title": "T", "purpose": "P", "sections": [entry] * count}, brief)
    assigned = [[k for k in s.keywords if k != told[0]] for s in plan.sections]
    assert {k for s in plan.sections for k in s.keywords} == set(told)
    assert sorted(k for each in assigned for k in each) == sorted(told[1:])
    assert max(map(len, assigned)) - min(map(len, assigned)) <= 1
    for section in plan.sections:
        assert len(set(section.keywords)) == len(section.keywords)


def test_a_keyword_goes_to_the_section_that_it_fits_best() -> None:
    answer = answer_with()
    answer["sections"][1]["heading"] = "Clean a steel filter"
    brief = replace(BRIEF, keywords=("coarse grind", "steel filter"))
    assert [s.keywords for s in read_plan(answer, brief).sections] == [
        ("coarse grind",), ("steel filter",),
    ]  # fmt: skip


def test_a_keyword_goes_to_a_section_whose_claims_have_it_even_beside_another_one() -> None:
    """A phrase that a section does not speak of reads as if it stood there for search engines."""
    answer = answer_with(claims=["A paper filter takes ten minutes.", "A jar holds a litre."])
    first, second = answer["sections"]
    first |= {"heading": "Why a coarse grind matters", "claims": [1]}
    second |= {"heading": "How long the jar should rest", "claims": [2]}
    brief = replace(BRIEF, keywords=("coarse grind", "paper filter"))
    assert [s.keywords for s in read_plan(answer, brief).sections] == [
        ("coarse grind", "paper filter"), (),
    ]  # fmt: skip


def test_a_section_that_does_not_speak_of_the_primary_keyword_is_not_asked_for_it() -> None:
    brief = replace(BRIEF, keywords=("steel filter",), max_words=900)
    entries = [
        {"heading": heading, "purpose": "It tells.", "form": "prose"}
        for heading in ("Filters of paper", "What it costs", "Rinse your filter", "When to stop")
    ]
    plan = read_plan({"title": "T", "purpose": "P", "sections": entries}, brief)
    assert [s.keywords for s in plan.sections] == [("steel filter",), (), ("steel filter",), ()]


def test_more_words_of_a_keyword_outweigh_another_keyword_of_the_same_section() -> None:
    answer = answer_with(claims=[])
    first, second = answer["sections"]
    first |= {"heading": "Why a coarse grind matters", "purpose": "Paper suits it.", "claims": []}
    second |= {"heading": "How long the jar should rest", "claims": []}
    brief = replace(BRIEF, keywords=("coarse grind", "the paper filter"))
    assert [s.keywords for s in read_plan(answer, brief).sections] == [
        ("coarse grind", "the paper filter"), (),
    ]  # fmt: skip
    assert [s.loose for s in read_plan(answer, brief).sections] == [{"the paper filter"}, set()]
    counted = replace(brief, strategy=KeywordUsageStrategy.BALANCED)
    assert not any(s.loose for s in read_plan(answer, counted).sections)


def test_words_of_the_primary_keyword_do_not_tell_where_another_one_belongs() -> None:
    """“alarm rules” once stood in the section on what to do when the alarm sounds."""
    answer = answer_with(claims=["An alarm sounds for smoke."])
    first, second = answer["sections"]
    first |= {"heading": "When it sounds, get out", "purpose": "What to do.", "claims": [1]}
    second |= {"heading": "What landlords must fit", "purpose": "The rules.", "claims": []}
    brief = replace(BRIEF, keywords=("smoke alarm", "smoke alarm rules", "smoke alarm prices"))
    sections = read_plan(answer, brief).sections
    assert "smoke alarm rules" in sections[1].keywords
    counted = replace(brief, strategy=KeywordUsageStrategy.BALANCED)
    sections = read_plan(answer, counted).sections
    assert [each for section in sections for each in section.loose] == ["smoke alarm prices"]


@pytest.mark.parametrize("keyword", ["travel mug", "the best paper for filters at home"])
def test_a_keyword_that_no_section_speaks_of_is_loose(keyword: str) -> None:
    brief = replace(BRIEF, keywords=("cold brew", keyword))
    sections = read_plan(plan_answer(), brief).sections
    assert [keyword for section in sections for keyword in section.loose] == [keyword]
    assert all(section.loose <= set(section.keywords) for section in sections)


def test_a_balanced_post_uses_its_keyword_in_more_sections() -> None:
    brief = replace(BRIEF, strategy=KeywordUsageStrategy.BALANCED, target_words=900)
    assert all("cold brew" in s.keywords for s in read_plan(plan_answer(), brief).sections)


def test_a_claim_whose_figure_was_corrected_is_on_the_sheet_no_longer() -> None:
    right, wrong = "Steep it for 12 hours.", "Keep it at 18 to 22 degrees."
    plan = with_section_claims([1, 2], [right, wrong])
    text = "Steep it for 12 hours at 18 to 22 degrees."
    assert without_corrected(plan, text, text) is plan
    left = without_corrected(plan, text, "Steep it for 12 hours at 21 to 24 degrees.")
    assert left.claims == left.sections[0].claims == (right,)
