"""The draft: its parts, and the post that they make."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.core.checks import check_post, passages
from app.core.schemas.post import Callout, Faq, SectionType
from app.core.writing.draft import (
    CALLOUT,
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
    slug,
)
from app.core.writing.plan import Plan, PlannedSection
from tests.support.scripted_calls import BRIEF, DRAFT, PLAN, TEXTS, draft_with

ONE = section_part(1)


def test_the_post_that_the_parts_make_passes_its_checks() -> None:
    post = assemble(DRAFT, BRIEF)
    assert check_post(post, BRIEF).passes
    assert [section.type.value for section in post.sections] == [
        "introduction", "body", "callout", "body", "faq", "conclusion",
    ]  # fmt: skip
    assert post.outline.h2 == (
        *(section.heading for section in PLAN.sections), "Frequently asked questions",
    )  # fmt: skip
    assert post.conclusion == TEXTS[CONCLUSION]
    assert post.meta.description == TEXTS[DESCRIPTION]


def test_what_sums_up_the_sections_is_written_after_them() -> None:
    order = parts_of(PLAN, BRIEF)
    assert order[0] == INTRODUCTION
    assert order[-4:] == (CALLOUT, CONCLUSION, FAQS, DESCRIPTION)
    assert not {CALLOUT, FAQS} & set(parts_of(PLAN, replace(BRIEF, faqs=0, callout=False)))


SHAPES = ("{}", "{}\n\n{}", "{}:\n\n- {}\n  - {}\n- {}", "{}\n\n| {} | {} |\n|-|-|\n| {} | {} |")


@given(
    st.lists(st.sampled_from(SHAPES), min_size=3, max_size=8),
    st.sets(st.integers(0, 7), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_every_passage_of_a_post_belongs_to_the_part_that_holds_its_text(
    shapes: list[str], missing: set[int], callout: bool, faqs: bool
) -> None:
    plan = Plan(TITLE.marker, "P", tuple(PlannedSection(f"SECTION {n}", "P") for n in range(1, 7)))
    parts = [INTRODUCTION, *(section_part(n) for n in range(1, len(shapes) - 1)), CONCLUSION]
    draft = Draft(
        plan,
        {
            part: shape.replace("{}", part.marker[1:-1])
            for number, (part, shape) in enumerate(zip(parts, shapes, strict=True))
            if number not in missing
        },
        faqs=(Faq(question="FAQS", answer="FAQS"),) if faqs else (),
        callout=Callout(label="CALLOUT", text="CALLOUT") if callout else None,
    ).with_text(DESCRIPTION, "DESCRIPTION")
    for passage in passages(assemble(draft, BRIEF)):
        part = draft.part_at(passage.section)
        assert part is not None, passage.section
        if passage.section.endswith(".heading") and part != FAQS:
            assert part == heading_part(part.section)
            assert passage.text == f"SECTION {part.section}"
        elif passage.text != "Frequently asked questions":
            assert passage.text.strip("[]:") == part.marker[1:-1], passage.section
        else:
            assert part == FAQS


def test_a_path_outside_the_parts_belongs_to_none() -> None:
    for path in ("post", "slugSuggestion", "sections[99]", "outline"):
        assert DRAFT.part_at(path) is None
    assert DRAFT.part_at("title") == TITLE


def test_a_section_written_in_blocks_is_the_text_of_its_blocks_in_order() -> None:
    draft = Draft(PLAN)
    for point, text in ((2, "Second."), (1, "First.")):
        draft = draft.with_text(section_part(1, point), text)
    assert draft.has(ONE)
    assert draft.text(ONE) == "First.\n\nSecond."
    assert [part for part, _ in draft.reading_order()] == [ONE]


def test_a_section_rewritten_as_a_whole_forgets_its_blocks() -> None:
    draft = Draft(PLAN).with_text(section_part(1, 1), "First.").with_text(ONE, "Whole.")
    assert draft.text(ONE) == "Whole."
    assert draft.with_text(section_part(1, 2), "Second.").text(ONE) == "Second."


def test_the_questions_of_a_part_are_read_as_written() -> None:
    assert DRAFT.text(FAQS) == TEXTS[FAQS]
    assert DRAFT.text(CALLOUT) == TEXTS[CALLOUT]
    assert Draft(PLAN).text(CALLOUT) == Draft(PLAN).text(FAQS) == Draft(PLAN).text(ONE) == ""


def test_a_draft_is_not_changed_by_a_new_text() -> None:
    assert draft_with({ONE: "New."}).text(ONE) == "New."
    assert DRAFT.with_text(ONE, "New.").text(ONE) == "New."
    assert DRAFT.text(ONE) == TEXTS[ONE]


def test_markers_tell_parts_apart() -> None:
    parts: list[Part] = [TITLE, ONE, section_part(1, 2), section_part(12)]
    assert [part.marker for part in parts] == [
        "[TITLE]", "[SECTION 1]", "[SECTION 1.2]", "[SECTION 12]",
    ]  # fmt: skip


def test_the_heading_of_the_questions_is_in_the_language_of_the_post() -> None:
    post = assemble(DRAFT, replace(BRIEF, language="de"))
    (faq,) = [section for section in post.sections if section.type is SectionType.FAQ]
    assert faq.heading == "Häufige Fragen"


def test_a_title_without_ascii_letters_still_has_a_slug() -> None:
    assert slug("…") == ""
    plan = replace(PLAN, title="…")
    assert assemble(replace(DRAFT, plan=plan), BRIEF).slug_suggestion == "cold-brew"
