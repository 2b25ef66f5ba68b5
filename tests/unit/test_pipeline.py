"""The pipeline: plan, draft, review and revision with a scripted model."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from app.core.checks import (
    COPIED_FROM_SOURCE,
    EDITOR_PREFIX,
    UNSUPPORTED_CLAIM,
    Finding,
    Kind,
    Passage,
    Severity,
    passages,
    post_words,
)
from app.core.checks.readability import check_transition_words
from app.core.errors import ContentQualityFailed, GenerationCancelled, ProhibitedInput
from app.core.planning.brief import Brief
from app.core.schemas.post import SectionType
from app.core.sources.source import Source
from app.core.verification import ROW, Grounding, RequestContext, statements
from app.core.writing.answer import accept
from app.core.writing.completion import Completion, Prompt
from app.core.writing.draft import DESCRIPTION, FAQS, assemble, heading_part, section_part
from app.core.writing.editor import EDITOR_CHECKS, Fault
from app.core.writing.judge import Judgement, Ruling
from app.core.writing.profile import LARGE, Profile, Strategy
from app.core.writing.strategy import words_of
from app.deadline import Deadline
from app.services.pipeline import MAX_REVISIONS, Writers, Written, _Review, _Run, write_post
from tests.support.scripted_calls import (
    BRIEF,
    DRAFT,
    PLAN,
    TEXTS,
    ScriptedModel,
    draft_with,
    finding,
    plan_answer,
)

WHOLE = "[INTRODUCTION] [SECTION 1] [SECTION 2] [CALLOUT] [CONCLUSION] [FAQS] [DESCRIPTION]"
PARTS = WHOLE.replace("] [", "]|[").split("|")
TEXTS_OF_SECTIONS = [text for part, text in TEXTS.items() if part.section]
LINK = "Read more about this drink at www.example.com today."


def write(
    model: ScriptedModel,
    *,
    profile: Profile = LARGE,
    editor: ScriptedModel | None = None,
    brief: Brief = BRIEF,
    grounding: Grounding | None = None,
) -> Written:
    return write_post(
        Writers(model, profile, editor, seed=1), brief, deadline=Deadline(60), grounding=grounding
    )


def grounded(*lines: str) -> Grounding:
    """Return the sources of a post: one page."""
    source = Source(
        "https://www.example.com/cold-brew", "example.com", "Cold brew", "\n\n".join(lines),
        "en", None, datetime(2026, 11, 1, tzinfo=UTC),
    )  # fmt: skip
    return Grounding((source,), RequestContext("en", BRIEF.keywords), date(2026, 11, 1))


def body(written: Written, number: int) -> str:
    bodies = [s for s in written.post.sections if s.type is SectionType.BODY]
    return bodies[number - 1].content_markdown


def answer_of(**texts: str) -> str:
    told = {part.marker: text for part, text in TEXTS.items()} | {
        f"[{name.replace('_', ' ')}]": text for name, text in texts.items()
    }
    return "\n\n".join(f"{marker}\n{told[marker]}" for marker in PARTS if told[marker])


def test_a_whole_post_takes_a_plan_and_one_call() -> None:
    model = ScriptedModel()
    written = write(model)
    assert model.calls == ["plan", WHOLE]
    assert written.quality.revision_count == 0
    assert (written.effort.calls, written.effort.completion_tokens) == (2, 20)


def test_sections_are_written_one_by_one_and_each_call_sees_what_is_written() -> None:
    model = ScriptedModel()
    write(model, profile=replace(LARGE, strategy=Strategy.SECTIONS))
    assert model.calls == ["plan", *PARTS]
    shown = [prompt.user for _, prompt in model.prompts[1:]]
    for before, later in enumerate(shown[1:], 1):
        assert "very little else" in later, PARTS[before]
        # A single claim sheet for all of them.
        assert "A fridge takes sixteen hours." in later
    # "conclusion, FAQs and description are written from the finished text"
    assert all("clean bottle" in text for text in shown[PARTS.index("[CONCLUSION]") :])


def plan_without_claims(points: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    """Return the plan of a model that is not capable."""
    answer = plan_answer(points=points)
    del answer["claims"], answer["optional"]
    for section in answer["sections"]:
        del section["claims"], section["words"]
    return answer


def test_a_post_written_in_pieces_has_the_blocks_of_every_section() -> None:
    texts = {
        f"[SECTION {number}.{point}]": block
        for number in (1, 2)
        for point, block in enumerate(TEXTS_OF_SECTIONS[number - 1].split("\n\n", 1), 1)
    }
    points = [["The grind is slow.", "A grinder is even."], ["Where it rests.", "The steps."]]
    answer = plan_without_claims(points)
    model = ScriptedModel({"plan": [answer]}, texts=texts)
    profile = replace(LARGE, strategy=Strategy.PIECES, capable=False)
    written = write(model, profile=profile)
    assert [name for name in model.calls if name.startswith("[SECTION")] == list(texts)
    assert body(written, 1) == TEXTS_OF_SECTIONS[0]
    assert "Fine powder" in model.prompts_for("[SECTION 1.2]")[0].user


def test_a_long_post_is_written_in_groups_that_fit_into_an_answer() -> None:
    model = ScriptedModel()
    write(model, profile=replace(LARGE, answer_tokens=500))
    groups = model.calls[1:]
    assert len(groups) > 1
    assert " ".join(groups) == WHOLE
    assert all(prompt.max_tokens <= 500 for _, prompt in model.prompts)


@pytest.mark.parametrize(
    "answer",
    ["I wrote the whole post as you asked.", Completion("[INTRODUCTION]\nCold", cut_off=True)],
)
def test_a_draft_that_cannot_be_read_is_written_in_smaller_assignments(answer: Any) -> None:
    model = ScriptedModel({WHOLE: [answer]})
    assert write(model).quality.revision_count == 0
    assert model.calls == ["plan", WHOLE, *PARTS]


def test_only_the_parts_that_are_missing_or_far_too_short_are_asked_for_again() -> None:
    answer = answer_of(SECTION_1="A coarse grind is slow.", CONCLUSION="")
    model = ScriptedModel({WHOLE: [answer]})
    written = write(model)
    assert model.calls == ["plan", WHOLE, "[SECTION 1]", "[CONCLUSION]"]
    assert body(written, 1) == TEXTS_OF_SECTIONS[0]


def test_a_longer_text_is_not_replaced_by_a_shorter_one() -> None:
    model = ScriptedModel(
        {WHOLE: [answer_of(SECTION_1="A burr grinder is slow.")], "[SECTION 1]": ["Slow grind."]}
    )
    with pytest.raises(ContentQualityFailed):
        write(model, brief=replace(BRIEF, min_words=300))
    rewriting = next(p for p in model.prompts if "An editor sent" in p[1].user)
    assert "A burr grinder is slow." in rewriting[1].user


def test_a_part_that_can_never_be_read_fails_the_post_after_three_tries() -> None:
    model = ScriptedModel({WHOLE: [answer_of(SECTION_2="")], "[SECTION 2]": [""]})
    with pytest.raises(ContentQualityFailed, match=r"SECTION 2"):
        write(model)
    assert model.calls.count("[SECTION 2]") == 3
    seeds = {prompt.seed for prompt in model.prompts_for("[SECTION 2]")}
    assert len(seeds) == 3


def test_a_plan_that_cannot_be_read_or_fails_its_checks_is_planned_again() -> None:
    bad = plan_answer() | {"title": "Cold brew"}
    model = ScriptedModel({"plan": ["No JSON.", bad, plan_answer()]})
    write(model)
    assert model.calls[:3] == ["plan"] * 3
    (_, first), (_, second), (_, third) = model.prompts[:3]
    assert "No answer could be read" not in first.user
    assert "An editor sent an earlier plan back:\n- No answer could be read" in second.user
    assert "An editor sent an earlier plan back" in third.user
    assert "No answer could be read" not in third.user


def test_a_plan_that_fails_three_times_fails_the_post() -> None:
    model = ScriptedModel({"plan": [plan_answer() | {"title": "Cold brew"}]})
    with pytest.raises(ContentQualityFailed):
        write(model)
    assert model.calls == ["plan"] * 3


@pytest.mark.parametrize(
    "script",
    [
        {"plan": ["I'm sorry, but I can't help with that."]},
        {"plan": [plan_answer() | {"purpose": "I'm sorry, but I can't help with that."}]},
        {WHOLE: [Completion("", refusal="No.")]},
        {WHOLE: [answer_of(SECTION_1="I'm sorry, but I can't help with that request.")]},
    ],
)
def test_a_model_that_declines_ends_the_post(script: Any) -> None:
    with pytest.raises(ProhibitedInput):
        write(ScriptedModel(script))


def test_an_editor_may_quote_a_refusal() -> None:
    quoted = finding("I'm sorry, but I can't help with that.", "nonsense")
    editor = ScriptedModel({"findings": [{"findings": [quoted]}]})
    assert write(ScriptedModel(), editor=editor).quality.revision_count == 0


def test_a_cancelled_post_makes_no_further_call() -> None:
    deadline = Deadline(60)
    deadline.cancel()
    model = ScriptedModel()
    with pytest.raises(GenerationCancelled):
        write_post(Writers(model), BRIEF, deadline=deadline)
    assert model.calls == []


# --- revision


def test_a_fault_that_can_be_removed_costs_a_small_model_no_call() -> None:
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", f" {LINK}\n\n")
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=faulty)], "plan": [plan_without_claims()]})
    written = write(model, profile=replace(LARGE, capable=False))
    assert model.calls == ["plan", WHOLE]
    assert written.quality.revision_count == 1
    assert body(written, 1) == TEXTS_OF_SECTIONS[0]


def test_a_capable_model_rewrites_what_breaks_a_rule_and_loses_it_only_if_that_fails() -> None:
    """A step with the address of a site is a step that readers need."""
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", f" {LINK}\n\n")
    better = faulty.replace("at www.example.com today", "in a library")
    for answers, left in (([better], better), ([faulty], TEXTS_OF_SECTIONS[0])):
        model = ScriptedModel({WHOLE: [answer_of(SECTION_1=faulty)], "[SECTION 1]": answers})
        assert body(write(model), 1) == left
        assert "A rule: “www.example.com”" in model.prompts[-1][1].user


def test_a_post_that_lost_a_sentence_and_that_nobody_read_is_not_scored_as_read() -> None:
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", f" {LINK}\n\n")
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=faulty)], "[SECTION 1]": [faulty]})
    written = write(model, editor=ScriptedModel({"findings": ["I like it."]}))
    assert body(written, 1) == TEXTS_OF_SECTIONS[0]
    assert written.quality.score <= 70


def test_a_rewrite_may_move_text_into_another_part_and_leave_the_box_out() -> None:
    found = [finding("Weigh the grounds once", "filler"), finding("mud in the glass", "false")]
    editor = ScriptedModel({"findings": [{"findings": found}, {"findings": []}]})
    moved = TEXTS_OF_SECTIONS[1].replace("stir once", "stir twice")
    answer = f"[SECTION 1]\n{TEXTS_OF_SECTIONS[0]}\n\n[CALLOUT]\n-\n\n[SECTION 2]\n{moved}"
    model = ScriptedModel({"[SECTION 1] [CALLOUT]": [answer], "[CALLOUT] [SECTION 1]": [answer]})
    written = write(model, editor=editor)
    assert "stir twice" in body(written, 2)
    assert not any(section.type is SectionType.CALLOUT for section in written.post.sections)


def test_a_warning_of_the_checks_costs_a_capable_model_no_sentence() -> None:
    """What a warning names may be what readers need: it is rewritten, and cut only for a model that
    rewrites worse than it loses."""
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", " Studies show that it helps.\n\n")
    better = faulty.replace("Studies show that it", "It")
    for cuts, calls, left in ((False, ["[SECTION 1]"], better), (True, [], TEXTS_OF_SECTIONS[0])):
        answers = {WHOLE: [answer_of(SECTION_1=faulty)], "[SECTION 1]": [better]}
        model = ScriptedModel(answers | ({"plan": [plan_without_claims()]} if cuts else {}))
        written = write(model, profile=replace(LARGE, capable=not cuts))
        assert model.calls[2:] == calls
        assert body(written, 1) == left


THINGS = ["barrel", "bottle", "bucket", "carafe", "cellar", "chest", "closet", "counter", "desk"]
THINGS += [
    "drawer",
    "fountain",
    "garage",
    "garden",
    "hall",
    "kettle",
    "kitchen",
    "ladder",
    "larder",
]
THINGS += ["locker", "oven", "pantry", "porch", "sack", "shed", "shelf", "stove", "tub", "wagon"]
LINES = [
    f"Cold brew rests {at} hours beside {THINGS[at]}, {THINGS[at + 9]} and {THINGS[at + 18]}."
    for at in range(9)
]


def test_each_call_that_reads_or_writes_a_whole_post_sees_all_its_notes() -> None:
    """A writer that has the notes of the planner can say what the claims come from."""
    found = finding("Fine powder clouds the jar", "false")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    better = TEXTS_OF_SECTIONS[0].replace("Fine powder clouds", "Fine dust darkens")
    model = ScriptedModel({"[SECTION 1]": [better]})
    brief = replace(BRIEF, sourced=True)
    write(model, editor=editor, brief=brief, grounding=grounded(*LINES))
    planned, *others = [prompt.user for _, prompt in [*model.prompts, *editor.prompts]]
    told = [line for line in LINES if line in planned]
    assert len(told) > 6
    assert len(others) == 4
    assert all(line in user for user in others for line in told)


def test_what_the_desk_doubts_is_for_the_editor_to_judge() -> None:
    """A program that compares words errs where a reader does not: where an editor reads, warnings
    cause no revision that the editor does not ask for, and what it leaves counts for nothing."""
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", " Studies show that it helps.\n\n")
    brief, notes = replace(BRIEF, sourced=True), grounded(*LINES)
    model, editor = ScriptedModel({WHOLE: [answer_of(SECTION_1=faulty)]}), ScriptedModel()
    written = write(model, editor=editor, brief=brief, grounding=notes)
    assert model.calls == ["plan", WHOLE]
    assert "doubts this" in editor.prompts[0][1].user
    assert "Studies show" in editor.prompts[0][1].user.partition("doubts this")[2]
    assert "No source says" not in editor.prompts[0][1].user
    assert not any(each.fixable for each in written.warnings)
    alone = ScriptedModel({WHOLE: [answer_of(SECTION_1=faulty)]})
    found = {each.check for each in write(alone, brief=brief, grounding=notes).warnings}
    assert "unsupported_claim" in found
    assert len(alone.calls) > 2


def test_an_editor_judges_a_doubt_once() -> None:
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", " Studies show that it helps.\n\n")
    found = finding("Fine powder clouds the jar", "awkward")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    better = faulty.replace("Fine powder clouds", "Fine dust darkens")
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=faulty)], "[SECTION 1]": [better]})
    written = write(model, editor=editor)
    first, second = (prompt.user for _, prompt in editor.prompts)
    assert "Studies show" in first.partition("doubts this")[2]
    assert "doubts this" not in second
    assert body(written, 1) == better
    assert written.warnings == ()


def test_doubts_that_no_editor_could_judge_are_repaired_and_the_score_stays_capped() -> None:
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", " Studies show that it helps.\n\n")
    better = faulty.replace("Studies show that it", "It")
    for changed, filler in ((faulty, better), (faulty, faulty)):
        model = ScriptedModel({WHOLE: [answer_of(SECTION_1=changed)], "[SECTION 1]": [filler]})
        written = write(model, editor=ScriptedModel({"findings": ["I like it."]}))
        assert model.calls[2] == "[SECTION 1]"
        assert written.quality.score <= 70


def test_a_removal_brings_no_doubt_back_that_the_editor_has_judged() -> None:
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", " Studies show that it helps.\n\n")
    found = finding("The grounds sink on their own.", "filler", action="delete")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=faulty)]})
    written = write(model, editor=editor)
    assert model.calls == ["plan", WHOLE]
    assert body(written, 1) == faulty
    assert "sink on their own" not in body(written, 2)
    assert written.warnings == ()


def test_a_post_that_no_rewrite_shortens_loses_its_last_sentences() -> None:
    """Both rewrites lose the keyword of the section: that is worse than a post that is too long."""
    sentence = "The pieces sink slowly, the water turns brown, and nobody has to stir."
    things = ("jar", "lid", "cup", "spoon", "filter", "glass")
    pairs = [(one, other) for one in things for other in things if one != other]
    more = " ".join(f"Put the {one} beside the {other} and dry your hands." for one, other in pairs)
    long = f"{TEXTS_OF_SECTIONS[0]}\n\n{sentence} {more}"
    lost = long.replace("burr grinder", "mill").replace(" even", " {{even}}")
    both = "[SECTION 1] [SECTION 2]"
    worse = f"[SECTION 1]\n{lost}\n\n[SECTION 2]\n{TEXTS_OF_SECTIONS[1]}"
    model = ScriptedModel(
        {WHOLE: [answer_of(SECTION_1=long)], both: [worse], "[SECTION 1]": [lost]}
    )
    written = write(model, editor=ScriptedModel())
    assert "burr grinder" in body(written, 1)
    assert post_words(written.post) <= BRIEF.max_words


def test_a_capable_model_shortens_its_post_before_sentences_are_cut() -> None:
    section = TEXTS_OF_SECTIONS[0]
    things = ("jar", "lid", "cup", "spoon", "filter", "glass")
    pairs = [(one, other) for one in things for other in things if one != other]
    more = " ".join(f"Put the {one} beside the {other} and dry your hands." for one, other in pairs)
    long = f"{section}\n\n{more}"
    both = "[SECTION 1] [SECTION 2]"
    shorter = f"[SECTION 1]\n{section}\n\n[SECTION 2]\n{TEXTS_OF_SECTIONS[1]}"
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=long)], both: [shorter]})
    written = write(model)
    assert model.calls == ["plan", WHOLE, both]
    assert "Too long: write about" in model.prompts[-1][1].user
    assert body(written, 1) == section


def test_what_a_rewrite_adds_is_not_trimmed_but_shortened_by_the_writer() -> None:
    """The last sentence of a long paragraph may be the one that the editor asked for."""
    section = TEXTS_OF_SECTIONS[0]
    things = ("jar", "lid", "cup", "spoon", "filter", "glass")
    pairs = [(one, other) for one in things for other in things if one != other]
    more = " ".join(f"Put the {one} beside the {other} and dry your hands." for one, other in pairs)
    asked = "Never drink what smells sour."
    found = finding("Fine powder clouds the jar", "harmful", action="insert_after")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    both = "[SECTION 1] [SECTION 2]"
    shorter = f"[SECTION 1]\n{section} {asked}\n\n[SECTION 2]\n{TEXTS_OF_SECTIONS[1]}"
    model = ScriptedModel({"[SECTION 1]": [f"{section}\n\n{more} {asked}"], both: [shorter]})
    written = write(model, editor=editor)
    assert model.calls == ["plan", WHOLE, "[SECTION 1]", both]
    assert "Too long: write about" in model.prompts[-1][1].user
    assert asked in model.prompts[-1][1].user
    assert body(written, 1) == f"{section} {asked}"


def test_a_warning_that_the_writer_let_stand_is_not_sent_back_again() -> None:
    first = TEXTS_OF_SECTIONS[0].replace("\n\n", " Studies show that it helps.\n\n")
    second = f"Studies show that it rests. {TEXTS_OF_SECTIONS[1]}"
    both = "[SECTION 1] [SECTION 2]"
    one_left = f"[SECTION 1]\n{first}\n\n[SECTION 2]\n{TEXTS_OF_SECTIONS[1]}"
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=first, SECTION_2=second)], both: [one_left]})
    written = write(model)
    assert model.calls == ["plan", WHOLE, both]
    assert body(written, 1) == first


def test_a_post_that_is_still_too_long_after_its_revisions_is_shortened_again() -> None:
    """The sentence that the editor asked for is the last of the longest paragraph: trimming would
    take it, and nobody would read what is left."""
    section = TEXTS_OF_SECTIONS[0]
    things = ("jar", "lid", "cup", "spoon", "filter", "glass")
    pairs = [(one, other) for one in things for other in things if one != other]
    told = [f"Put the {one} beside the {other} and dry your hands." for one, other in pairs]
    asked = "Never drink what smells sour."
    found = finding("Fine powder clouds the jar", "harmful", action="insert_after")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    both = "[SECTION 1] [SECTION 2]"

    def of(more: Sequence[str], ending: str = asked) -> str:
        return f"{section}\n\n{' '.join(more)} {ending}"

    def answer(text: str) -> str:
        return f"[SECTION 1]\n{text}\n\n[SECTION 2]\n{TEXTS_OF_SECTIONS[1]}"

    still = [of(told[:28]), of(told[:26])]
    model = ScriptedModel(
        {
            "[SECTION 1]": [of(told), *still],
            both: [answer(text) for text in [*still, f"{section} {asked}"]],
        }
    )
    written = write(model, editor=editor)
    assert "never a step or a caution" in model.prompts[-1][1].user
    assert asked in body(written, 1)
    assert post_words(written.post) <= BRIEF.max_words
    assert written.quality.revision_count == MAX_REVISIONS


def test_what_is_trimmed_from_a_post_is_read_by_the_editor() -> None:
    things = ("jar", "lid", "cup", "spoon", "filter", "glass")
    pairs = [(one, other) for one in things for other in things if one != other]
    more = " ".join(f"Put the {one} beside the {other} and dry your hands." for one, other in pairs)
    long = f"{TEXTS_OF_SECTIONS[0]}\n\n{more} Close the jar again."
    both = f"[SECTION 1]\n{long}\n\n[SECTION 2]\n{TEXTS_OF_SECTIONS[1]}"
    answers = {"[SECTION 1]": [long], "[SECTION 1] [SECTION 2]": [both]}
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=long)]} | answers)
    editor = ScriptedModel()
    written = write(model, editor=editor)
    assert "Close the jar again" not in body(written, 1)
    assert "Close the jar again" not in editor.prompts[-1][1].user


def test_what_is_trimmed_stays_if_it_leaves_its_neighbour_alone_and_something_else_goes() -> None:
    """A post that is a few words too long is not refused for them."""
    alone, kept = "The jar is closed in two ways.", "Close it with a lid or a cloth."
    many = "Put the jar beside the cup. Put the lid beside the filter. Wash the spoon and the cup."
    long = f"{TEXTS_OF_SECTIONS[0]}\n\n{many} {alone} {kept}"
    script = {WHOLE: [answer_of(SECTION_1=long)], "[SECTION 1]": [long]}
    words = post_words(write(ScriptedModel(script)).post)

    class Editor(ScriptedModel):
        def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
            is_alone = alone in prompt.user and kept not in prompt.user
            found = [finding(alone, "heading_not_kept")] if is_alone else []
            return Completion(json.dumps({"findings": found}))

    written = write(
        ScriptedModel(script), editor=Editor(), brief=replace(BRIEF, max_words=words - 3)
    )
    assert kept in body(written, 1)
    assert post_words(written.post) <= words - 3


def test_a_few_words_too_many_cost_one_call_and_no_editor() -> None:
    long = f"{TEXTS_OF_SECTIONS[0]} Rinse the jar with hot water."
    tight = TEXTS_OF_SECTIONS[1].replace("The kitchen decides how long you wait", "You wait")
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=long)], "[SECTION 2]": [tight]})
    words = post_words(write(ScriptedModel()).post)
    editor = ScriptedModel()
    written = write(model, editor=editor, brief=replace(BRIEF, max_words=words + 2))
    assert model.calls[:2] == ["plan", WHOLE]
    assert len(model.calls) == 3
    assert editor.calls == ["findings"]
    assert post_words(written.post) <= words + 2


def test_an_optional_claim_gives_way_to_few_words_too_many_without_a_call() -> None:
    claim = "A tinsmith in Philadelphia patented the jar."
    story = "The jar was patented by a tinsmith in Philadelphia."
    long = f"{TEXTS_OF_SECTIONS[0]} {story} Close the lid well."
    model, editor = ScriptedModel(), ScriptedModel()
    words = post_words(assemble(DRAFT.with_text(section_part(1), long), BRIEF))
    brief = replace(BRIEF, max_words=words - 3)
    run = _Run(Writers(model, editor=editor, seed=1), brief, Deadline(60), None)
    plan = replace(PLAN, claims=(*PLAN.claims, claim), optional=frozenset({claim}))
    draft = replace(DRAFT.with_text(section_part(1), long), plan=plan)
    run.words = words_of(plan, brief)
    shorter = run._shortened(run._review(draft))
    assert not shorter.blockers
    assert post_words(shorter.post) <= words - 3
    assert story not in shorter.draft.text(section_part(1))
    assert model.calls == []
    assert editor.calls == ["findings"]


@pytest.mark.parametrize(("over", "has_story"), [(3, True), (9, False)])
def test_what_the_editor_would_delete_goes_before_an_optional_claim(
    over: int, *, has_story: bool
) -> None:
    claim = "A tinsmith in Philadelphia patented the jar."
    story = "The jar was patented by a tinsmith in Philadelphia."
    filler = "Glass jars have many fans in kitchens."
    long = f"{TEXTS_OF_SECTIONS[0]} {story} {filler} Close the lid well."
    names = [finding(filler, "filler", action="delete"), finding("clouds the jar", "awkward")]
    editor, model = ScriptedModel({"findings": [{"findings": names}]}), ScriptedModel()
    words = post_words(assemble(DRAFT.with_text(section_part(1), long), BRIEF))
    brief = replace(BRIEF, max_words=words - over)
    run = _Run(Writers(model, editor=editor, seed=1), brief, Deadline(60), None)
    plan = replace(PLAN, claims=(*PLAN.claims, claim), optional=frozenset({claim}))
    draft = replace(DRAFT.with_text(section_part(1), long), plan=plan)
    run.words = words_of(plan, brief)
    shorter = run._shortened(run._review(draft))
    assert not shorter.blockers
    text = shorter.draft.text(section_part(1))
    assert filler not in text
    assert (story in text) is has_story
    # What the editor named besides still counts.
    assert [each.check for each in shorter.findings] == ["editor_awkward"]
    assert model.calls == []


@pytest.mark.parametrize(
    ("part", "line", "is_asked"),
    [
        (
            "INTRODUCTION",
            "You put coarse grounds into water in the evening, and by breakfast there is a smooth"
            " drink in the fridge.",
            True,
        ),
        ("SECTION 1", "A burr grinder keeps the pieces even.", True),
        ("SECTION 1", "Fine powder clouds the jar and leaves mud in the glass.", False),
    ],
)
def test_the_writer_is_asked_before_a_line_goes_that_the_text_may_need(
    part: str, line: str, *, is_asked: bool
) -> None:
    """The end of the introduction leads into the post, and a keyword has to stand somewhere."""
    found = finding(line, "filler", action="delete")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    # The words of the keyword stand apart.
    section = f"{TEXTS_OF_SECTIONS[0]} Clean the burrs of the grinder."
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=section)], f"[{part}]": ["Say it again."]})
    written = write(model, editor=editor)
    assert (f"[{part}]" in model.calls) is is_asked
    if is_asked:
        assert line in model.prompts[-1][1].user.rpartition("An editor sent this back")[2]
    else:
        assert line not in body(written, 1)


def test_a_post_is_published_as_it_was_if_what_is_better_stays_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_Run, "_cut", lambda _, review: review)
    found = finding("Fine powder clouds the jar", "missing")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    words = post_words(write(ScriptedModel()).post)
    longer = TEXTS_OF_SECTIONS[0] + "\n\n" + "\n".join(f"- Step {n} on." for n in range(9))
    model = ScriptedModel({WHOLE: [answer_of()]}, texts={"[SECTION 1]": longer})
    written = write(model, editor=editor, brief=replace(BRIEF, max_words=words))
    assert body(written, 1) == TEXTS_OF_SECTIONS[0]
    assert [each.check for each in written.warnings] == ["editor_missing"]


@pytest.mark.parametrize("is_noted", [True, False])
def test_a_sentence_is_judged_by_what_its_writer_and_editor_see(is_noted: bool) -> None:
    """Without notes, by what is nearest and everything that was shown."""
    lines = [f"A jar of size {number} rests {number} hours in the fridge." for number in range(90)]
    grounding = grounded(*lines, "Sauerkraut contains a lot of sodium.")
    judge = ScriptedModel({"verdicts": [{"verdicts": []}]})
    brief = replace(BRIEF, verified=True)
    run = _Run(Writers(ScriptedModel(), editor=judge, seed=1), brief, Deadline(60), grounding)
    run.all_notes = grounding.material("sodium", 1) if is_noted else ()
    for text in ("A jar of size 70 rests in the fridge.", "Jars are made of glass."):
        run._judge(grounding, [Passage("sections[0]", Kind.PROSE, text)])
    shown = [prompt.user.split("The sentences of the post")[0] for _, prompt in judge.prompts]
    texts = [{line.partition(". ")[2] for line in each.split("\n")} for each in shown]
    assert ("A jar of size 70 rests 70 hours in the fridge." in texts[0]) is not is_noted
    assert texts[0] <= texts[-1]
    if is_noted:
        run._edited(judge, PLAN, [], [])
        shown.append(judge.prompts[-1][1].user)
        assert all(grounding.marked(run.all_notes) in each for each in (*shown, run._notes_for([])))


def test_a_refused_row_goes_and_the_words_of_a_row_replace_no_sentence() -> None:
    """A supported sentence comes back in the place of a refused form of it; a row is no form."""
    table = (
        "| Jar | What it does |\n| --- | --- |\n| Mason | keeps the cold |\n"
        "| Wide | warms the coffee |\n| Small | fits the door |"
    )
    said = "The jar that is tall does what it can with light."
    draft = draft_with({section_part(2): f"The jar counts for taste. {said}\n\n{table}"})
    brief = replace(BRIEF, verified=True)
    grounding = grounded("A jar with a wide mouth keeps the cold of the fridge for a day.")
    judge = ScriptedModel()
    run = _Run(Writers(ScriptedModel(), editor=judge, seed=1), brief, Deadline(60), grounding)
    found = list(statements(passages(assemble(draft, brief)), "en"))
    (note,) = grounding.material("a jar keeps the cold", 1)
    yes, no = Judgement(Ruling.SUPPORTED, (note,), (note.text,)), Judgement(Ruling.NOT_SUPPORTED)
    run._judged = {
        each.key: no if each.text == said or "Wide" in each.text else yes for each in found
    }
    run._judged[ROW, "Jar that is tall: does what it can with light"] = yes
    text = run._without_unsupported(draft).text(section_part(2))
    left = table.replace("| Wide | warms the coffee |\n", "")
    assert text == f"The jar counts for taste.\n\n{left}"
    # Nothing new was put in.
    assert judge.calls == []


def test_the_writer_hears_what_the_rules_find_in_a_supported_sentence_before_it_is_undone() -> None:
    earlier = "The jar with a wide mouth keeps the cold for a day."
    later = "The jar with a wide mouth of 70 liters keeps the cold for a day."
    texts = [f"The jar counts for taste of cold brew. {said}" for said in (earlier, later)]
    drafts = [draft_with({section_part(2): text}) for text in texts]
    brief = replace(BRIEF, verified=True)
    grounding = grounded("A jar with a wide mouth keeps the cold of the fridge for a day.")
    (note,) = grounding.material("a jar keeps the cold", 1)
    yes = Judgement(Ruling.SUPPORTED, (note,), ("keeps the cold of the fridge for a day",))
    wrong = Finding("usage", Severity.BLOCKER, "sections[3]", "Wrong.", removable=False)
    for revisions, expected in ((0, later), (MAX_REVISIONS - 1, earlier)):
        model = ScriptedModel({"[SECTION 2]": [texts[1]]})
        run = _Run(Writers(model, editor=ScriptedModel(), seed=1), brief, Deadline(60), grounding)
        run.words, run.revisions = words_of(PLAN, brief), revisions
        for draft in drafts:
            found = statements(passages(assemble(draft, brief)), "en")
            run._judged |= {each.key: yes for each in found}
        revised = run._revise(replace(run._review(drafts[0]), findings=(wrong,)))
        assert revised is not None
        assert expected in revised.draft.text(section_part(2))
        assert any("“70 liters”" in each.reason for each in revised.blockers) is (expected == later)


def test_what_the_editor_named_last_goes_along_when_a_post_is_shortened() -> None:
    found = finding("Fine powder clouds the jar", "awkward")
    answers = {"findings": [dict[str, Any](findings=each) for each in ([found], [])]}
    brief = replace(BRIEF, max_words=post_words(write(ScriptedModel()).post) - 2)
    model = ScriptedModel()
    run = _Run(Writers(model, editor=ScriptedModel(answers), seed=1), brief, Deadline(60), None)
    run.words = words_of(PLAN, brief)
    run._shortened(run._review(DRAFT))
    assert "Fine powder clouds the jar" in model.prompts[0][1].user.rpartition("Too long")[0]


def test_what_the_editor_misses_after_a_removal_is_repaired_once_more() -> None:
    found = finding("Fine powder clouds the jar", "missing")
    answers = {"findings": [dict[str, Any](findings=each) for each in ([found], [])]}
    better = TEXTS_OF_SECTIONS[0].replace("Fine powder clouds", "Fine dust darkens")
    for has_removed, revisions in ((False, 0), (True, MAX_REVISIONS), (True, 1)):
        model = ScriptedModel({"[SECTION 1]": [better]})
        run = _Run(Writers(model, editor=ScriptedModel(answers), seed=1), BRIEF, Deadline(60), None)
        run.words = words_of(PLAN, BRIEF)
        run._has_removed, run.revisions = has_removed, revisions
        completed = run._completed(run._review(DRAFT))
        is_repaired = has_removed and revisions < MAX_REVISIONS
        assert ("[SECTION 1]" in model.calls) == is_repaired
        assert (not completed.findings) == is_repaired


def test_a_verified_post_rewords_what_no_source_says_before_it_loses_it() -> None:
    """A sentence that says more than its source may be the caution that readers need."""
    brief = replace(BRIEF, verified=True)
    run = _Run(Writers(ScriptedModel(), seed=1), brief, Deadline(60), None)
    found = UNSUPPORTED_CLAIM.found("sections[1]", "No source says so.")
    assert not run._goes_unasked(found, DRAFT)
    copied = COPIED_FROM_SOURCE.found("sections[1]", "Takes over 13 words.")
    assert not run._goes_unasked(copied, DRAFT)


def test_the_editor_reads_a_post_that_was_repaired_by_removal() -> None:
    faulty = TEXTS_OF_SECTIONS[0].replace("\n\n", f" {LINK}\n\n")
    model = ScriptedModel({WHOLE: [answer_of(SECTION_1=faulty)], "plan": [plan_without_claims()]})
    editor = ScriptedModel()
    write(model, editor=editor, profile=replace(LARGE, capable=False))
    assert editor.calls == ["findings"]


def test_a_blocker_of_the_editor_is_never_forgotten() -> None:
    # One finding can be removed, one cannot, and the writer keeps to its heading.
    found = [
        finding("Scoops differ", "filler"),
        finding("How long the jar should rest", "heading_not_kept"),
        finding("Fine powder clouds the jar", "nonsense"),
    ]
    editor = ScriptedModel({"findings": [{"findings": found}]})
    with pytest.raises(ContentQualityFailed, match="How long the jar"):
        write(ScriptedModel(), editor=editor)


def test_a_part_is_rewritten_with_the_whole_post_in_view() -> None:
    found = finding("Fine powder clouds the jar", "false")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    better = TEXTS_OF_SECTIONS[0].replace("Fine powder clouds", "Fine dust darkens")
    model = ScriptedModel({"[SECTION 1]": [better]})
    written = write(model, editor=editor)
    assert model.calls == ["plan", WHOLE, "[SECTION 1]"]
    prompt = model.prompts[-1][1].user
    assert "It is wrong. Write what is right." in prompt
    assert "clean bottle" in prompt
    assert "Start tonight" in prompt
    assert body(written, 1) == better
    assert written.quality.revision_count == 1


def test_a_heading_that_the_editor_sent_back_is_rewritten_alone() -> None:
    found = finding("How long the jar should rest", "heading_not_kept")
    editor = ScriptedModel({"findings": [{"findings": [found]}, {"findings": []}]})
    model = ScriptedModel({"[HEADING 2]": ["## When to strain the jar"]})
    written = write(model, editor=editor)
    assert model.calls == ["plan", WHOLE, "[HEADING 2]"]
    assert "another heading for “How long the jar should rest”" in model.prompts[-1][1].user
    assert (
        written.post.outline.h2[1] == written.post.sections[3].heading == "When to strain the jar"
    )
    assert body(written, 2) == TEXTS_OF_SECTIONS[1]


@pytest.mark.parametrize("line", ["", "***", "Why a coarse grind matters for cold brew"])
def test_a_heading_is_not_replaced_by_none_or_by_one_that_the_post_has(line: str) -> None:
    assert accept(DRAFT, heading_part(2), line) == DRAFT


def test_a_post_is_revised_at_most_twice_and_then_repaired_once() -> None:
    found = finding("low flame", "harmful")
    editor = ScriptedModel({"findings": [{"findings": [found]}]})
    model = ScriptedModel()
    with pytest.raises(ContentQualityFailed, match="2 revisions"):
        write(model, editor=editor)
    assert model.calls[2:] == ["[FAQS]"] * (MAX_REVISIONS + 1)


def test_what_an_editor_first_finds_in_its_last_reading_is_repaired() -> None:
    """A post of ten calls was refused for one sentence, which its editor said how to change."""
    faults = [finding(words, "false") for words in ("to a boil", "stays mild", "it is warm")]
    editor = ScriptedModel({"findings": [{"findings": faults[:left]} for left in (3, 2, 1, 0)]})
    flames = ("small", "tiny", "gentle")
    written_as = [TEXTS[FAQS].replace("low flame", f"{each} flame") for each in flames]
    written = write(ScriptedModel({"[FAQS]": written_as}), editor=editor)
    assert "gentle flame" in written.post.faqs[0].answer
    assert not [each for each in written.warnings if each.check.startswith(EDITOR_PREFIX)]


def test_what_an_editor_names_in_its_last_reading_is_changed_without_another_one() -> None:
    """A post of seven calls went out with faults whose repair its editor had written."""
    faults = [finding(words, "cliche") for words in ("to a boil", "stays mild", "it is warm")]
    editor = [{"findings": faults[:left]} for left in (3, 2, 1)]
    flames = [TEXTS[FAQS].replace("low flame", f"{each} flame") for each in ("small", "tiny")]
    last = TEXTS[FAQS].replace("to a boil", "to boiling")
    for answer, is_taken in ((last, True), (last.replace("week", "{{time}}"), False)):
        model = ScriptedModel({"[FAQS]": [*flames, answer]})
        written = write(model, editor=ScriptedModel({"findings": editor}))
        assert ("to boiling" in written.post.faqs[0].answer) is is_taken
        assert [each.check for each in written.warnings] == ["editor_cliche"] * (not is_taken)
        assert written.quality.revision_count == MAX_REVISIONS


def test_a_revision_keeps_its_other_parts_if_it_spoils_one() -> None:
    """One sentence of a new box undid what an editor had asked for in two sections."""
    first = [finding("Fine powder clouds the jar", "awkward"), finding("low flame", "awkward")]
    second = [finding("tiny blaze", "harmful")]
    editor = ScriptedModel({"findings": [{"findings": found} for found in (first, second)]})
    better = TEXTS_OF_SECTIONS[0].replace("Fine powder clouds", "Fine dust darkens")
    worse = TEXTS[FAQS].replace("low flame", "tiny blaze")
    answer = f"[SECTION 1]\n{better}\n\n[FAQS]\n{worse}"
    names = ("[SECTION 1] [FAQS]", "[FAQS] [SECTION 1]")
    model = ScriptedModel({**{name: [answer] for name in names}, "[FAQS]": [worse]})
    written = write(model, editor=editor)
    assert body(written, 1) == better
    assert "low flame" in written.post.faqs[0].answer


def test_a_box_that_its_writer_leaves_out_is_not_asked_for_again() -> None:
    model = ScriptedModel({WHOLE: [answer_of(CALLOUT="-")]})
    written = write(model)
    assert model.calls == ["plan", WHOLE]
    assert not any(section.type is SectionType.CALLOUT for section in written.post.sections)


def test_a_post_that_no_editor_could_read_says_so() -> None:
    editor = ScriptedModel({"findings": ["I like it."]})
    written = write(ScriptedModel(), editor=editor)
    assert editor.calls == ["findings"] * 3
    (warning,) = [each for each in written.warnings if each.check == "unreadable"]
    assert "nobody examined the content" in warning.reason


def test_an_editor_is_not_asked_again_about_the_same_text() -> None:
    editor = ScriptedModel(
        {"findings": [{"findings": [finding("low flame", "harmful")]}, {"findings": []}]}
    )
    with pytest.raises(ContentQualityFailed, match="low flame"):
        write(ScriptedModel(), editor=editor)
    assert editor.calls == ["findings"]


def test_a_rewrite_that_makes_a_post_worse_is_dropped() -> None:
    found = finding("Fine powder clouds the jar", "cliche")
    editor = ScriptedModel({"findings": [{"findings": [found]}]})
    model = ScriptedModel({"[SECTION 1]": ["The grind is slow {{grind}}"]})
    written = write(model, editor=editor)
    assert body(written, 1) == TEXTS_OF_SECTIONS[0]
    assert "editor_cliche" in [warning.check for warning in written.warnings]
    assert model.calls == ["plan", WHOLE, "[SECTION 1]"]


def test_what_an_editor_asked_for_outweighs_a_count_that_no_revision_is_worth() -> None:
    """A post went out without what its editor missed, because the sentence that had it was one
    without a linking word too many."""
    named = EDITOR_CHECKS[Fault.MISSING].found("post", "It lacks the time.")
    counted = [check_transition_words.found("post", each) for each in ("Few.", "Fewer.")]
    post = assemble(DRAFT, BRIEF)
    before, after = (_Review(DRAFT, post, (*each,), True) for each in ([named], counted))
    assert after.rank < before.rank


def test_a_rewrite_with_fewer_faults_is_revised_further_though_a_new_one_blocks_it() -> None:
    """The second revision repairs the new fault; another one of the first draft would begin again,
    and perhaps bring it in again."""
    plain, clouded = TEXTS_OF_SECTIONS[0], "Fine powder clouds the jar"
    better = plain.replace(clouded, "Fine dust never darkens the jar")
    right = plain.replace(clouded, "Fine dust darkens the jar")
    first = [finding(clouded, "cliche"), finding("A coarse grind", "weak_opening")]
    second = [finding("Fine dust never darkens", "false")]
    editor = ScriptedModel({"findings": [{"findings": found} for found in (first, second, [])]})
    model = ScriptedModel({"[SECTION 1]": [better, right]})
    written = write(model, editor=editor)
    assert "Fine dust never darkens" in model.prompts[-1][1].user
    assert body(written, 1) == right
    assert written.warnings == ()


def test_what_desk_and_editor_find_is_repaired_in_one_revision() -> None:
    """A post has two revisions: if the editor read only what the desk lets pass, one was left."""
    faulty = TEXTS[FAQS].replace("a week", "{{time}}")
    found = [finding("low flame", "harmful"), finding("Fine powder clouds the jar", "false")]
    editor = ScriptedModel({"findings": [{"findings": found}, {"findings": []}]})
    better = {
        "FAQS": TEXTS[FAQS].replace("low flame", "gentle heat"),
        "SECTION 1": TEXTS_OF_SECTIONS[0].replace("Fine powder clouds", "Fine dust darkens"),
    }
    rewritten = "\n\n".join(f"[{name}]\n{text}" for name, text in better.items())
    model = ScriptedModel({WHOLE: [answer_of(FAQS=faulty)], "[FAQS] [SECTION 1]": [rewritten]})
    assert write(model, editor=editor).quality.revision_count == 1
    assert model.calls[2:] == ["[FAQS] [SECTION 1]"]
    told = model.prompts[-1][1].user
    assert "- [FAQS] A rule: " in told
    assert "- [FAQS] “low flame”" in told


def test_a_small_model_rewrites_the_parts_with_blockers_first() -> None:
    found = [
        finding("A coarse grind", "cliche"),
        finding("Fine powder clouds", "weak_opening"),
        finding("low flame", "harmful"),
    ]
    editor = ScriptedModel({"findings": [{"findings": found}, {"findings": []}]})
    model = ScriptedModel({"[FAQS]": [TEXTS[FAQS].replace("low flame", "gentle heat")]})
    write(model, profile=replace(LARGE, rewrites=1), editor=editor)
    assert model.calls[2:] == ["[FAQS]"]


def test_a_description_of_several_parts_is_plain_text() -> None:
    text = "Cold brew #1: " + TEXTS[DESCRIPTION].replace("one night", "*one* night_rest")
    model = ScriptedModel({WHOLE: [answer_of(DESCRIPTION=text)]})
    assert write(model).post.meta.description == text.replace("*", "")
