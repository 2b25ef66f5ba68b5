"""Prompts: no call is blind, and a prompt fits into the context of its model."""

import re
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.checks import Finding, Severity, check_too_long, post_words
from app.core.planning.brief import Brief
from app.core.schemas.request import KeywordUsageStrategy
from app.core.text import word_count
from app.core.verification.plagiarism import CONTAINMENT, RUN_WORDS
from app.core.writing.completion import Prompt
from app.core.writing.draft import (
    CONCLUSION,
    DESCRIPTION,
    FAQS,
    INTRODUCTION,
    TITLE,
    Draft,
    Part,
    assemble,
    heading_part,
    parts_of,
    section_part,
)
from app.core.writing.editor import Manuscript
from app.core.writing.profile import LARGE, SMALL, Profile, Strategy
from app.core.writing.prompts import parts_prompt, plan_prompt, rewrite_prompt
from app.core.writing.revision import to_rewrite
from app.core.writing.strategy import aim, words_of
from tests.support.scripted_calls import BRIEF, DRAFT, PLAN, TEXTS, draft_with

ONE, TWO = section_part(1), section_part(2)
WORDS = words_of(PLAN, BRIEF)
NOTES = "Notes:\n- A fridge is cold."


def asking(*parts: Part, draft: Draft = DRAFT, notes: str = "", profile: Profile = LARGE) -> Prompt:
    return parts_prompt(BRIEF, profile, draft, parts, WORDS, notes, seed=7)


def sending_back(*parts: Part, profile: Profile = LARGE, draft: Draft = DRAFT) -> Prompt:
    feedback = {part: [f"Fault of {part.marker}."] for part in parts}
    return rewrite_prompt(BRIEF, profile, draft, feedback, WORDS, NOTES, seed=7)


@pytest.mark.parametrize("parts", [(ONE,), (CONCLUSION, FAQS), (TITLE,), (DESCRIPTION,)])
def test_every_call_sees_plan_claim_sheet_and_what_is_written(parts: tuple[Part, ...]) -> None:
    for prompt in (asking(*parts, notes=NOTES), sending_back(*parts)):
        assert PLAN.purpose in prompt.user
        assert all(f"{n}. {claim}" in prompt.user for n, claim in enumerate(PLAN.claims, 1))
        assert all(section.heading in prompt.user for section in PLAN.sections)
        assert NOTES in prompt.user
        assert all(TEXTS[part] in prompt.user for part in (INTRODUCTION, ONE, TWO, CONCLUSION))
        assert prompt.seed == 7


def test_what_is_asked_for_comes_last_so_that_prompts_share_their_beginning() -> None:
    users = [asking(part, notes=NOTES).user for part in (ONE, TWO, CONCLUSION)]
    assert {user.partition("Write only ")[0] for user in users} == {
        users[0].partition("Write only ")[0]
    }


def test_the_first_call_has_no_text_to_show() -> None:
    assert "The post so far" not in asking(INTRODUCTION, draft=Draft(PLAN)).user


def test_several_parts_are_asked_for_by_their_markers_and_one_without() -> None:
    several = asking(ONE, CONCLUSION).user
    assert f"\n[SECTION 1] “{PLAN.sections[0].heading}” (prose, " in several
    assert "\n[CONCLUSION] one paragraph" in several
    assert "[SECTION 1]" not in asking(ONE).user


def test_several_parts_share_what_is_true_of_all() -> None:
    user = asking(INTRODUCTION, ONE, TWO, DESCRIPTION, draft=Draft(PLAN)).user
    assert user.count("the words of “cold brew” may stand apart") == 1
    assert "stand apart" not in sending_back(ONE, CONCLUSION).user
    assert user.count("Use phrases as readers would say them, in any order,") == 1
    sent_back = sending_back(CONCLUSION, heading_part(1)).user
    assert sent_back.count(" Use “cold brew” together, inflected as needed.") == 1
    assert user.count("claims in other words") == 1
    assert "(steps, " in user
    assert user.count("steps: after a sentence or two that inform, numbered, ") == 1
    assert "list: " not in user
    assert "Its sections" not in user


def test_a_phrase_of_three_words_need_not_stand_together_unless_uses_are_counted() -> None:
    """Search phrases such as “backup database while running” are no part of any sentence."""
    long = "backup database while running"
    brief = replace(BRIEF, keywords=("cold brew", long))
    sections = (replace(PLAN.sections[0], keywords=(long,)), *PLAN.sections[1:])
    draft = Draft(replace(PLAN, sections=sections))

    def told(brief: Brief) -> str:
        return parts_prompt(brief, LARGE, draft, [INTRODUCTION, ONE], WORDS, "", seed=1).user

    assert f"; the words of “{long}” may stand apart in a paragraph." in told(brief)
    assert " The words of “cold brew” stand anywhere in it.\n" in told(brief)
    for strategy in (KeywordUsageStrategy.EXACT, KeywordUsageStrategy.BALANCED):
        counted = told(replace(brief, strategy=strategy))
        assert "stand apart" not in counted
        assert "stand anywhere" not in counted


def test_the_introduction_of_a_verified_post_has_only_help_that_the_notes_name() -> None:
    verified = replace(BRIEF, verified=True)
    parts = (INTRODUCTION, ONE)
    told = parts_prompt(verified, LARGE, Draft(PLAN), parts, WORDS, NOTES, seed=1).user
    assert "and what the notes say helps." in told
    assert "and what helps." in asking(*parts, draft=Draft(PLAN)).user


def test_parts_that_are_written_together_have_the_words_that_they_are_given() -> None:
    """Writers go beyond them, and an editor asks for more."""
    parts = (INTRODUCTION, ONE, TWO, CONCLUSION)
    prompt = asking(*parts, draft=Draft(PLAN))
    together = re.search(r"All parts together have (\d+) to (\d+) words: ", prompt.user)
    assert together
    low, high = map(int, together.groups())
    asked = sum(WORDS[part] for part in parts)
    assert low < asked == high
    for other in (asking(ONE), sending_back(ONE, TWO), asking(*parts, profile=SMALL)):
        assert "All parts together" not in other.user


def test_notes_for_the_whole_post_come_first_so_that_calls_share_their_beginning() -> None:
    users = [
        plan_prompt(BRIEF, LARGE, NOTES, [], seed=1).user,
        asking(ONE, TWO, notes=NOTES).user,
        sending_back(ONE).user,
    ]
    assert all(user.startswith(f"{NOTES}\n\n") for user in users)
    sections = replace(LARGE, strategy=Strategy.SECTIONS)
    assert not asking(ONE, notes=NOTES, profile=sections).user.startswith(NOTES)


def test_a_rewrite_lists_no_heading_that_its_text_has() -> None:
    several, one = sending_back(ONE, CONCLUSION).user, sending_back(ONE).user
    for number, section in enumerate(PLAN.sections, 1):
        assert f"{number}. {section.heading}" not in several + one
        assert f"[SECTION {number}]\n\n## {section.heading}" in several
    assert "[CONCLUSION]" not in one


def test_a_rewrite_is_told_how_much_room_there_is() -> None:
    count = post_words(assemble(DRAFT, BRIEF))
    feedback = {ONE: ["Fault."]}
    for profile, is_told in ((LARGE, True), (SMALL, False)):
        brief = replace(BRIEF, max_words=count + 200)
        prompt = rewrite_prompt(brief, profile, DRAFT, feedback, WORDS, "", seed=7)
        told = f"The post has {count} words and may have {int(0.97 * (count + 200))}."
        assert (told in prompt.user) is is_told


def test_the_lengths_of_a_rewrite_come_to_what_the_post_may_have() -> None:
    """“Keep everything else” and “save 20 words” is an order that nobody can keep."""
    count = post_words(assemble(DRAFT, BRIEF))
    advice = Finding("editor_awkward", Severity.WARNING, "sections[1].blocks[0]", "Wrong.")
    too_long = check_too_long.found("post")
    for most, found, aimed in (
        (count - 8, [too_long], 0.97 * (count - 8)),
        (count - 1, [too_long], count - 1 - 4),
        (count, [advice], 0.97 * count),
        (count + 3, [advice, too_long], 0.97 * (count + 3)),
        (count + 100, [advice], count),
    ):
        brief = replace(BRIEF, max_words=most)
        long = {part: size + 50 for part, size in WORDS.items()}
        for planned in (WORDS, long):
            rewrites = to_rewrite(DRAFT, found, planned, brief, names_rules=True)
            feedback, words = rewrites.feedback, rewrites.words
            user = rewrite_prompt(brief, LARGE, DRAFT, feedback, words, "", seed=7).user
            told = re.search(rf"The post has {count} words and may have (\d+)\.", user)
            assert told
            shown = sum(words[part] - word_count(DRAFT.text(part)) for part in feedback)
            assert count + shown <= int(told[1])
            if most < count + 100:
                assert count + shown == int(aimed)
                assert "instead of" in user
            assert "save what" not in user


def test_the_lengths_of_a_verified_post_are_the_same_in_all_prompts_and_use_its_room() -> None:
    """A writer that is told three different lengths keeps to none."""
    brief = replace(BRIEF, verified=True, max_words=700, target_words=616)
    planned = plan_prompt(brief, LARGE, NOTES, [], seed=1).user
    told = re.search(r"of some (\d+) for all", planned)
    words = words_of(PLAN, brief, aim(brief, LARGE))
    parts = parts_of(PLAN, brief)
    user = parts_prompt(brief, LARGE, Draft(PLAN), parts, words, "", seed=1).user
    together = re.search(r"All parts together have \d+ to (\d+) words: ", user)
    assert told
    assert together
    sections = sum(words[section_part(at)] for at in range(1, len(PLAN.sections) + 1))
    assert int(told[1]) == pytest.approx(sections, abs=30)
    assert int(together[1]) == sum(words[part] for part in parts)
    # No part counts twice, and an editor may ask for something more.
    described = words[DESCRIPTION]
    headings = sum(len(section.heading.split()) for section in PLAN.sections)
    whole = int(together[1]) - described + headings
    assert 0.87 * 700 <= whole <= 0.92 * 700
    assert aim(brief, SMALL) == aim(replace(brief, verified=False), LARGE) == 616


def test_a_section_is_asked_for_its_claims_its_form_and_its_keywords() -> None:
    one, two = asking(ONE).user, asking(TWO).user
    assert "Claims, in other words: 1." in one
    assert "Use the words “burr grinder” in it." in one
    assert "numbered steps" in two


def test_claims_that_may_be_left_out_are_told_apart() -> None:
    plan = replace(PLAN, optional=frozenset(PLAN.claims[1:]))
    section = replace(plan.sections[0], claims=plan.claims)
    draft = Draft(replace(plan, sections=(section, *plan.sections[1:])))
    assert "Claims, in other words: 1. Where they fit: 2." in asking(ONE, draft=draft).user


def test_the_primary_keyword_may_stand_apart_unless_uses_are_counted() -> None:
    plan = replace(PLAN, sections=(replace(PLAN.sections[1], keywords=("cold brew",)),))
    for strategy, ending in (("natural", ", together or apart."), ("exact", ".")):
        brief = replace(BRIEF, strategy=KeywordUsageStrategy(strategy))
        prompt = parts_prompt(brief, LARGE, Draft(plan), (ONE,), WORDS, "", seed=7)
        assert prompt.user.endswith(f"Use the words “cold brew” in it{ending}")


def test_a_phrase_that_no_section_speaks_of_may_stand_in_any_part_of_a_whole_post() -> None:
    """Readers stumble over a phrase in a section on something else."""
    one = replace(PLAN.sections[0], keywords=("burr grinder",), loose=frozenset({"burr grinder"}))
    draft = Draft(replace(PLAN, sections=(one, PLAN.sections[1])))
    told = "\nIn whichever part it fits, use also “burr grinder”.\n"
    for parts, is_told in (((INTRODUCTION, ONE, TWO), True), ((ONE, TWO), True), ((TWO,), False)):
        user = asking(*parts, draft=draft).user
        assert (told in user) is is_told
        assert user.count("“burr grinder”") == is_told
    sections = replace(LARGE, strategy=Strategy.SECTIONS)
    for profile in (LARGE, sections):
        user = asking(ONE, draft=draft, profile=profile).user
        assert "Use the words “burr grinder” in it" in user
    rewritten = rewrite_prompt(BRIEF, LARGE, draft, {ONE: ["It is dull."]}, WORDS, "", seed=1)
    assert "burr grinder” in it" not in rewritten.user


def test_only_the_first_block_of_a_section_uses_its_keywords() -> None:
    section = replace(PLAN.sections[0], points=("It is slow.", "It is even."))
    plan = replace(PLAN, sections=(section, PLAN.sections[1]))
    blocks = [section_part(1, 1), section_part(1, 2)]
    words = words_of(plan, BRIEF)
    first, second = (
        parts_prompt(BRIEF, LARGE, Draft(plan), [block], words, "", seed=1).user for block in blocks
    )
    assert "Use the words “burr grinder”" in first
    assert "Use the words “burr grinder”" not in second
    assert "words: It is even." in second


def test_a_rewrite_names_each_fault_at_its_part_and_shows_the_description() -> None:
    user = sending_back(ONE, FAQS).user
    assert "- [SECTION 1] Fault of [SECTION 1]." in user
    assert "- [FAQS] Fault of [FAQS]." in user
    named = f"- The section “{PLAN.sections[0].heading}”: Fault of [SECTION 1]."
    assert named in sending_back(ONE).user
    assert f"[DESCRIPTION]\n\n{TEXTS[DESCRIPTION]}" in user


def test_a_rewrite_lists_at_most_twelve_faults_of_a_part() -> None:
    faults = {ONE: [f"Fault {n}." for n in range(40)]}
    user = rewrite_prompt(BRIEF, LARGE, DRAFT, faults, WORDS, "", seed=1).user
    assert user.count("Fault ") == 12


@given(st.integers(0, 20_000), st.integers(2_000, 6_000), st.booleans())
def test_a_prompt_fits_into_the_context_and_keeps_the_part_to_rewrite(
    chars: int, context: int, is_rewrite: bool
) -> None:
    long = ("A jar of cold brew rests for a long time in the fridge. " * 400)[:chars]
    profile = replace(SMALL, context_tokens=context)
    draft = draft_with({ONE: "It is here.", TWO: long})
    part = ONE if is_rewrite else CONCLUSION
    prompt = (sending_back if is_rewrite else asking)(part, profile=profile, draft=draft)
    characters = len(prompt.system) + len(prompt.user)
    assert characters / 2.8 + prompt.max_tokens <= context + 100
    if is_rewrite:
        assert "It is here." in prompt.user
    assert f"## {PLAN.sections[0].heading}" in prompt.user


def test_the_plan_is_asked_for_claims_that_the_profile_can_keep() -> None:
    large = plan_prompt(BRIEF, LARGE, "", [], seed=1)
    small = plan_prompt(BRIEF, SMALL, "", [], seed=1)
    assert large.schema_name == small.schema_name == "plan"
    assert f"at most {BRIEF.most_claims}" in large.user
    assert "claims" not in small.user
    pieces = replace(SMALL, strategy=Strategy.PIECES)
    assert "points:" in plan_prompt(BRIEF, pieces, "", [], seed=1).user


def test_a_plan_is_told_what_was_wrong_with_the_one_before_and_which_titles_exist() -> None:
    brief = replace(BRIEF, earlier_titles=("Newer", "Older"))
    user = plan_prompt(brief, LARGE, NOTES, ["The title is short."], seed=1).user
    assert user.index(NOTES) < user.index("- Older") < user.index("- Newer")
    assert user.endswith("- The title is short.")


def test_a_capable_model_is_told_the_day_of_the_post() -> None:
    """Tax years, seasons and deadlines of an example depend on it; a small model would write it."""
    brief = replace(BRIEF, day=date(2026, 11, 4))
    assert "Today is 04 November 2026." in plan_prompt(brief, LARGE, "", [], seed=1).system
    assert "Today" not in plan_prompt(brief, SMALL, "", [], seed=1).system


def test_only_a_capable_writer_of_a_standard_post_may_add_to_its_notes() -> None:
    brief = replace(BRIEF, sourced=True)
    verified = replace(brief, verified=True)
    told = "is in the notes or the claims, exactly as they have it"
    each = "Your facts are theirs, as certain and as general as there"
    assert "add only where you are certain" in plan_prompt(brief, LARGE, NOTES, [], seed=1).system
    assert each in plan_prompt(verified, LARGE, NOTES, [], seed=1).system
    for strict, profile in ((brief, SMALL), (verified, SMALL)):
        assert told in plan_prompt(strict, profile, NOTES, [], seed=1).system


def test_a_verified_post_is_planned_and_edited_for_each_group_of_its_readers() -> None:
    """Plans for tenants and owners dropped what one of the two needs."""
    for verified in (True, False):
        brief = replace(BRIEF, sourced=True, verified=verified)
        planned = plan_prompt(brief, LARGE, NOTES, [], seed=1).user
        edited = Manuscript([], "en").prompt(brief, PLAN, NOTES, seed=1).system
        assert ("each group of readers or case" in planned) is verified
        assert ("tell a group of readers that acts" in edited) is verified


def test_the_writer_of_a_verified_post_knows_from_the_start_what_is_counted() -> None:
    brief = replace(BRIEF, sourced=True, verified=True)
    prompt = parts_prompt(brief, LARGE, Draft(PLAN), parts_of(PLAN, brief), WORDS, NOTES, seed=1)
    assert " words: what readers need least is left out." in prompt.user
    assert "never ten in a row of theirs" in prompt.system
    # What is asked for is stricter than what is refused.
    assert RUN_WORDS > 10
    assert CONTAINMENT > 1 / 7


def test_a_section_is_not_asked_for_a_phrase_that_its_heading_has() -> None:
    assert "Use the words “cold brew”" not in asking(ONE).user
    counted = replace(BRIEF, strategy=KeywordUsageStrategy.BALANCED)
    plan = replace(PLAN, sections=(replace(PLAN.sections[0], keywords=("cold brew",)),))
    for brief, times in ((BRIEF, 0), (counted, 1)):
        user = parts_prompt(brief, LARGE, Draft(plan), [ONE], WORDS, "", seed=1).user
        assert user.count("Use the words “cold brew” in it.") == times


def test_a_prompt_has_what_the_request_says_about_readers_and_voice() -> None:
    brief = replace(BRIEF, audience="beginners", brand_voice="calm", region="AT", industry="coffee")
    system = plan_prompt(brief, LARGE, "", [], seed=1).system
    assert all(word in system for word in ("beginners", "calm", "AT", "coffee", "English"))
