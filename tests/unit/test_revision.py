"""Revision by the cheapest remedy: what is removed, what is trimmed, what is rewritten."""

import time
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.checks import (
    COPIED_FROM_SOURCE,
    DESCRIPTION_HARD_CHARS,
    Finding,
    Severity,
    check_post,
    passages,
    post_words,
)
from app.core.planning.brief import Brief
from app.core.schemas.request import KeywordUsageStrategy
from app.core.text import sentences, word_count
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
    section_part,
)
from app.core.writing.editor import EDITOR_CHECKS, Fault
from app.core.writing.prompts import most_words
from app.core.writing.revision import (
    Rewrites,
    fit_description,
    remove,
    restore,
    to_rewrite,
    trim,
)
from app.core.writing.strategy import words_of
from tests.support.scripted_calls import BRIEF, DRAFT, PLAN, TEXTS, draft_with

ONE, TWO = section_part(1), section_part(2)
WORDS = words_of(PLAN, BRIEF)
POST = list(passages(assemble(DRAFT, BRIEF)))


def fault(quotation: str, draft: Draft = DRAFT, *, blocks: bool = True) -> Finding:
    """A finding that can be removed, at a quotation."""
    for passage in passages(assemble(draft, BRIEF)):
        if (at := passage.text.find(quotation)) >= 0:
            severity = Severity.BLOCKER if blocks else Severity.WARNING
            span = (at, at + len(quotation))
            return Finding("false", severity, passage.section, "No.", span, removable=True)
    raise AssertionError(quotation)


def told(check: str, section: str = "post", *, keyword: str = "") -> Finding:
    return Finding(check, Severity.BLOCKER, section, "Wrong.", keyword=keyword)


EARLIER = "Pump: A well pump without a plug gets power only through a transfer switch."


@pytest.mark.parametrize(
    ("earlier", "comes_back"),
    [
        (EARLIER, True),
        ("Pump: A well pump is heavy.", False),
        ("The refrigerator keeps food cold for four hours.", False),
    ],
)
def test_a_supported_form_of_a_sentence_comes_back_before_it_is_removed(
    earlier: str, *, comes_back: bool
) -> None:
    later = "A well pump without a plug gets power only through a transfer switch by an expert."
    text = (
        f"Plan it first, so that all of it fits.\n\n- **Pump:** {later}\n- **Lamp:** It has a plug."
    )
    draft = draft_with({ONE: text})
    found = [fault(later, draft)]
    restored = restore(draft, found, [earlier, "Lamp: It has a plug."], BRIEF)
    expected = text.replace(" by an expert", "") if comes_back else text
    assert restored.text(ONE) == expected
    # What is said already is not said twice.
    assert restore(restored, found, [earlier], BRIEF) == restored


@pytest.mark.parametrize("is_first", [True, False])
def test_a_form_that_comes_back_takes_the_place_of_all_that_a_writer_made_of_it(
    *, is_first: bool
) -> None:
    """“Press its button. Press its button, read the date and note it.”"""
    earlier = "Read the date on each alarm, note the rooms and press its button."
    kept, refused = "Press its button.", "Read the date on each alarm and note all the rooms."
    halves = f"{kept} {refused}" if is_first else f"{refused} {kept}"
    draft = draft_with({ONE: f"It takes ten minutes. {halves} Do it today."})
    restored = restore(draft, [fault(refused, draft)], [earlier], BRIEF)
    assert restored.text(ONE) == f"It takes ten minutes. {earlier} Do it today."


def test_a_text_that_is_only_hard_to_read_is_not_rewritten() -> None:
    hard = replace(told("flesch", POST[0].section), severity=Severity.WARNING)
    other = replace(told("usage", POST[0].section), severity=Severity.WARNING)
    assert not to_rewrite(DRAFT, [hard], WORDS, BRIEF, names_rules=True).feedback
    (reasons,) = to_rewrite(DRAFT, [hard, other], WORDS, BRIEF, names_rules=True).feedback.values()
    assert len(reasons) == 1
    assert to_rewrite(DRAFT, [hard], WORDS, BRIEF).feedback


def test_a_post_that_is_a_few_words_too_long_is_told_one_number() -> None:
    count = post_words(assemble(DRAFT, BRIEF))
    brief = replace(BRIEF, max_words=count - 3)
    rewrites = to_rewrite(DRAFT, [told("too_long")], WORDS, brief, names_rules=True)
    ((part, (reason,)),) = rewrites.feedback.items()
    size = word_count(DRAFT.text(part))
    assert f"write about {size - 7} words instead of {size}" in reason
    assert "clip no sentence" in reason
    assert rewrites.words[part] == size - 7


@pytest.mark.parametrize(
    ("reason", "is_shortened"),
    [("Write “late March”.", False), ("Insert after “the jar”: Say how long it rests.", True)],
)
def test_a_post_with_room_for_what_an_editor_asks_is_told_to_save_no_words(
    reason: str, is_shortened: bool
) -> None:
    """What no finding named stays."""
    longer = " ".join([DRAFT.text(section_part(1)), *([STORY] * 40)])
    draft = DRAFT.with_text(section_part(1), longer)
    count = post_words(assemble(draft, BRIEF))
    brief = replace(BRIEF, max_words=count + 8)
    assert most_words(brief) < count - 5
    place = next(each.section for each in passages(assemble(draft, brief)) if STORY in each.text)
    advice = Finding("editor_awkward", Severity.WARNING, place, reason)
    rewrites = to_rewrite(draft, [advice], WORDS, brief, names_rules=True)
    ((_, reasons),) = rewrites.feedback.items()
    assert (reasons != [reason]) is is_shortened


def test_a_rewrite_that_has_to_save_words_is_told_which_sentences_may_go() -> None:
    again, other = (
        "Rinse the tall jar with cold water.",
        "Rinse the tall jar twice with cold water.",
    )
    eight, nine = "A small jar rests for 8 hours.", "A small jar rests for 9 hours."
    text = f"Use a jar with a lid. {STORY} {other} {eight} Put it on a shelf. {again} {nine}"
    draft, brief = long_by(-1, text, "A tinsmith in Philadelphia patented the jar.")
    (place,) = {each.section for each in passages(assemble(draft, brief)) if STORY in each.text}
    begin = next(
        each.text.index(STORY) for each in passages(assemble(draft, brief)) if STORY in each.text
    )
    advice = Finding("editor_missing", Severity.WARNING, place, "Add it.")

    def told_to_go(finding: Finding) -> list[str]:
        rewrites = to_rewrite(draft, [finding], WORDS, brief, names_rules=True)
        (reasons,) = rewrites.feedback.values()
        return [reason for reason in reasons if "may go" in reason]

    assert told_to_go(advice) == [f"To save words, “{STORY}” may go: it is optional."]
    # What the editor wants otherwise stays.
    named = replace(advice, span=(begin, begin + len(STORY)))
    assert told_to_go(named) == [f"To save words, “{again}” may go: “{other}” says it too."]


def test_what_the_editor_advises_gives_way_to_a_rule_about_the_same_words() -> None:
    rule = fault(POST[0].text[:12])
    advice = replace(rule, check="editor_awkward", severity=Severity.WARNING, reason="Write more.")
    other = replace(advice, section=POST[1].section)
    found = to_rewrite(DRAFT, [advice, rule, other], WORDS, BRIEF, names_rules=True)
    told_all = [reason for reasons in found.feedback.values() for reason in reasons]
    assert told_all.count("Write more.") == 1


def test_for_copied_words_the_editor_may_have_others() -> None:
    rule = replace(fault(POST[0].text[:12]), check=COPIED_FROM_SOURCE.name)
    advice = replace(rule, check="editor_awkward", severity=Severity.WARNING, reason="Write more.")
    found = to_rewrite(DRAFT, [advice, rule], WORDS, BRIEF, names_rules=True)
    (told,) = found.feedback.values()
    assert "Write more." in told
    assert len(told) == 2


# --- removal


def test_the_sentence_of_a_finding_is_removed_and_nothing_else() -> None:
    finding = fault("leaves mud")
    draft, left = remove(DRAFT, [finding], BRIEF)
    sentence = " Fine powder clouds the jar and leaves mud in the glass."
    assert draft.texts == {**DRAFT.texts, ONE: TEXTS[ONE].replace(sentence, "")}
    assert left == []


def test_several_findings_in_one_sentence_remove_it_once() -> None:
    found = [fault("Fill the jar"), fault("stir once"), fault("with water and stir")]
    draft, left = remove(DRAFT, found, BRIEF)
    assert draft.text(TWO) == TEXTS[TWO].replace("Fill the jar with water and stir once. ", "")
    assert left == []


def test_a_finding_over_two_sentences_removes_both_and_not_the_next() -> None:
    text = "We brew. One is here. Two is here. Three is here. The burr grinder is even."
    draft = draft_with({ONE: text})
    found = [fault("is here. Two is", draft), fault("Two", draft)]
    shorter, _ = remove(draft, found, BRIEF)
    assert shorter.text(ONE) == "We brew. Three is here. The burr grinder is even."


def test_findings_at_one_item_remove_it_once_and_leave_the_next() -> None:
    item = "Close the lid and leave it on the counter until morning."
    found = [fault("Close the lid"), fault("until morning"), fault(item)]
    draft, left = remove(DRAFT, found, BRIEF)
    assert left == []
    assert [line[:8] for line in draft.text(TWO).split("\n")[2:]] == ["1. Fill ", "2. Strai"]


def test_removals_in_one_list_do_not_shift_each_other() -> None:
    items = "".join(f"- Item {n} is here and it tells you something.\n" for n in range(6))
    draft = draft_with({TWO: f"Cold brew needs these things:\n\n{items}"})
    found = [fault(f"Item {n}", draft) for n in (1, 4, 2)]
    shorter, _ = remove(draft, found, BRIEF)
    assert [line[7] for line in shorter.text(TWO).split("\n") if line.startswith("- ")] == [
        "0", "3", "5",
    ]  # fmt: skip


TABLE = (
    "Compare the jars:\n\n| Jar | Time |\n| --- | --- |\n| Mason | 12 hours |\n"
    "| Wide | 14 hours |\n| Small | 16 hours |\n\nAll of them are cheap."
)


@pytest.mark.parametrize(
    ("quotations", "left"),
    [
        (["14 hours"], TABLE.replace("| Wide | 14 hours |\n", "")),
        # Two cells of a row are one row.
        (["Wide", "14 hours"], TABLE.replace("| Wide | 14 hours |\n", "")),
        (["Small", "12 hours"], "All of them are cheap."),
        (["Small", "12 hours", "Wide"], "All of them are cheap."),
        (["Jar"], TABLE),
    ],
)
def test_the_row_of_a_finding_is_removed_and_a_table_of_one_row_goes(
    quotations: list[str], left: str
) -> None:
    draft = draft_with({TWO: TABLE})
    found = [replace(fault("14 hours", draft), section=place(each, draft)) for each in quotations]
    shorter, findings = remove(draft, found, BRIEF)
    assert shorter.text(TWO) == left
    assert bool(findings) is (left == TABLE)


def place(cell: str, draft: Draft) -> str:
    post = assemble(draft, BRIEF)
    return next(each.section for each in passages(post) if each.row and each.text == cell)


def test_a_refused_row_goes_and_a_table_behind_it_stays() -> None:
    """The paths of the first table are not those of the second, which moves up."""
    two = TABLE.replace("| Small | 16 hours |\n", "").replace("Compare the jars:\n\n", "")
    draft = draft_with({TWO: two.replace("All of them are cheap.", two.replace("Jar", "Lid"))})
    index = next(i for i, each in enumerate(assemble(draft, BRIEF).sections) if "Lid" in
                 (each.content_markdown or ""))  # fmt: skip
    found = [
        replace(told("unsupported_claim", f"sections[{index}].blocks[0].rows[{row}]"),
                removable=True)
        for row in (0, 1)
    ]  # fmt: skip
    shorter, left = remove(draft, found, BRIEF)
    assert left == []
    assert shorter.text(TWO) == two.replace("Jar", "Lid")


def test_a_sentence_of_a_part_with_one_paragraph_can_be_removed() -> None:
    draft, left = remove(DRAFT, [fault("Tomorrow")], BRIEF)
    assert draft.text(CONCLUSION) == "Start tonight with one jar and a note of the time."
    assert left == []


def test_a_list_keeps_two_items_and_a_part_its_last_text() -> None:
    found = [fault("Fill the jar"), fault("The grounds sink"), fault("Close"), fault("Strain")]
    draft, left = remove(DRAFT, found, BRIEF)
    assert draft.text(TWO).count("\n") >= 3
    assert left
    only = draft_with({CONCLUSION: "Start tonight with one jar."})
    finding = fault("Start", only)
    assert remove(only, [finding], BRIEF) == (only, [finding])


def test_a_sentence_that_introduces_a_list_stays() -> None:
    text = TEXTS[TWO].replace("The kitchen", "Take care. The kitchen")
    draft = draft_with({TWO: text.replace("you there.", "you there:")})
    finding = fault("The kitchen decides", draft)
    assert remove(draft, [finding], BRIEF) == (draft, [finding])


def test_the_only_use_of_a_keyword_stays() -> None:
    finding = fault("A burr grinder")
    assert remove(DRAFT, [finding], BRIEF) == (DRAFT, [finding])


def test_the_introduction_keeps_the_primary_keyword() -> None:
    finding = fault("Cold brew asks")
    assert remove(DRAFT, [finding], BRIEF) == (DRAFT, [finding])


def test_a_balanced_post_keeps_enough_uses_of_its_keyword() -> None:
    many = " ".join(f"Here is sentence number {n} of the jar." for n in range(15))
    draft = draft_with({ONE: f"{TEXTS[ONE]} {many}"})
    brief = replace(BRIEF, strategy=KeywordUsageStrategy.BALANCED, max_words=900)
    assert check_post(assemble(draft, brief), brief).passes
    finding = fault("The kitchen decides", draft)
    assert remove(draft, [finding], brief) == (draft, [finding])


def test_a_post_does_not_get_too_short() -> None:
    brief = replace(BRIEF, min_words=post_words(assemble(DRAFT, BRIEF)) - 5)
    finding = fault("leaves mud")
    assert remove(DRAFT, [finding], brief) == (DRAFT, [finding])


def test_only_findings_that_removal_repairs_are_removed() -> None:
    findings = [
        replace(fault("leaves mud"), removable=False),
        Finding("link", Severity.BLOCKER, "title", "No.", (0, 4), removable=True),
        Finding("link", Severity.BLOCKER, "faqs[0].answer", "No.", (0, 4), removable=True),
        Finding("link", Severity.BLOCKER, "sections[77]", "No.", (0, 4), removable=True),
        Finding("link", Severity.BLOCKER, "sections[1].blocks[9]", "No.", (0, 4), removable=True),
        Finding("link", Severity.BLOCKER, "post", "No.", removable=True),
    ]
    assert remove(DRAFT, findings, BRIEF) == (DRAFT, findings)


def test_a_finding_without_a_span_removes_its_item() -> None:
    section = next(p.section for p in POST if p.text.startswith("Close"))
    finding = Finding("empty", Severity.BLOCKER, section, "No.", removable=True)
    draft, _ = remove(DRAFT, [finding, fault("until morning")], BRIEF)
    assert "Close" not in draft.text(TWO)
    assert "Strain" in draft.text(TWO)


shapes = st.sampled_from(
    [
        TEXTS[TWO],
        "We brew cold brew. It rests.\n\n> A quotation. Of two.\n\n- one\n- two\n\nIt ends.",
        "| jar | time |\n|---|---|\n| a. b. | c |\n\nCold brew **rests here. It** ends there.",
        "Cold brew:\n\n1. Fill it. Shut it.\n   - with water\n   - with ice\n2. Wait.\n3. Drink.",
        "### A heading\n\nOne text.\n\n### Two\n\nCold brew. \n\n```\na. b.\n```\n\nA burr.",
    ]
)


@given(shapes, st.data(), st.integers(60, 140), st.sampled_from(KeywordUsageStrategy))
def test_removal_never_makes_a_post_fail_a_check_that_it_passed(
    text: str, data: st.DataObject, min_words: int, strategy: KeywordUsageStrategy
) -> None:
    draft = draft_with({TWO: text})
    brief = replace(BRIEF, min_words=min_words, strategy=strategy)
    post = assemble(draft, brief)
    # A cell goes with its row.
    texts = [each for each in passages(post) if not each.row]
    everywhere = [(p.section, s.span) for p in texts for s in sentences(p.text, "en")]
    chosen = data.draw(st.lists(st.sampled_from(everywhere), max_size=20))
    findings = [
        Finding("false", Severity.BLOCKER, section, "No.", span, removable=True)
        for section, span in chosen
    ]
    shorter, left = remove(draft, findings, brief)
    after = assemble(shorter, brief)
    failing = {f.check for f in check_post(post, brief).findings if f.blocks}
    assert {f.check for f in check_post(after, brief).findings if f.blocks} <= failing
    assert set(left) <= set(findings)
    assert (shorter is draft) == (len(left) == len(findings))
    # Nothing is gone but the sentences of the findings that are repaired.
    kept = {(finding.section, finding.span) for finding in left}
    said = {passage.section: passage.text for passage in passages(post)}
    gone = [said[section][slice(*span)] for section, span in set(chosen) - kept]
    assert post_words(post) - post_words(after) == sum(map(word_count, gone))


# --- length


def long_draft(count: int) -> Draft:
    many = " ".join(f"Here is sentence number {n} of the jar." for n in range(count))
    return draft_with({ONE: f"{TEXTS[ONE]}\n\n{many}"})


def test_a_draft_that_is_too_long_loses_last_sentences_of_its_longest_paragraphs() -> None:
    draft = trim(long_draft(40), BRIEF)
    assert BRIEF.max_words - 15 < post_words(assemble(draft, BRIEF)) <= BRIEF.max_words
    assert draft.text(ONE).startswith(TEXTS[ONE])
    assert draft.texts.keys() == DRAFT.texts.keys()


def test_a_draft_that_fits_is_not_trimmed() -> None:
    assert trim(DRAFT, BRIEF) is DRAFT


def test_trimming_keeps_the_only_use_of_a_keyword() -> None:
    brief = replace(BRIEF, keywords=("cold brew", "walnut"))
    many = " ".join(f"Here is sentence number {n} of the jar." for n in range(60))
    draft = trim(draft_with({ONE: f"{many} Add a walnut."}), brief)
    assert "walnut" in draft.text(ONE)


WIND = "In gusting wind, put the jar inside for the day."
REST = "Let the jar rest on a flat stone."


def test_trimming_takes_no_caution_and_nothing_that_the_plan_or_the_editor_requires() -> None:
    many = " ".join(f"Here is sentence number {n} of the jar." for n in range(60))
    never = "Never open the jar."
    draft = draft_with({ONE: f"{many} {never} {WIND} {REST}"})
    kept = {each for each in (never, WIND, REST) if each in trim(draft, BRIEF).text(ONE)}
    assert kept == {never, WIND}
    claimed = replace(draft.plan, claims=("Do not leave the jar out in gusting wind.",))
    found = "Insert after “jar”: nothing says where. Write “Let the jar rest on a flat stone.”"
    shorter = trim(replace(draft, plan=claimed), BRIEF, [found])
    assert shorter.text(ONE).endswith(f"{never} {WIND} {REST}")
    assert post_words(assemble(shorter, BRIEF)) <= BRIEF.max_words
    optional = replace(claimed, optional=frozenset(claimed.claims))
    assert WIND not in trim(replace(draft, plan=optional), BRIEF).text(ONE)


def test_trimming_takes_no_sentence_to_which_the_next_one_refers() -> None:
    """“For that, five tax years must have passed” stood behind a sentence that was gone."""
    many = " ".join(f"Here is sentence number {n} of the jar." for n in range(60))
    free, years = "The jar is free of tax.", "For that, five years have passed."
    shorter = trim(draft_with({ONE: f"{many} {free} {years} {REST}"}), BRIEF).text(ONE)
    assert free in shorter or years not in shorter


def test_a_part_that_the_editor_adds_to_is_not_shortened_too() -> None:
    """“Add in a few words …” and “write about 140 words instead of 158” clipped a sentence."""
    draft = long_draft(40)
    brief = replace(BRIEF, max_words=post_words(assemble(draft, BRIEF)) + 5)
    section = "sections[1].blocks[0]"
    changed = EDITOR_CHECKS[Fault.AWKWARD].found(section, "“jar”: It is unclear. Say it.", (0, 5))
    added = replace(changed, reason="Insert after “jar”: nothing says where. Write “Here.”")
    for findings, is_shortened in (([changed] * 9, True), ([added] * 9, False)):
        told = to_rewrite(draft, findings, WORDS, brief, names_rules=True).feedback[ONE]
        assert any("Too long: write about" in each for each in told) is is_shortened


EXAMPLE = "For example, a jar of two cups rests ten hours."
STORY = "The jar was patented by a tinsmith in Philadelphia."
RESTS = "| Jar | Rest |\n| --- | --- |\n| Small | 8 hours |\n| Tall | 12 hours |"
STEPS = "1. Fill the jar.\n2. Close the jar.\n3. Wait."


def long_by(count: int, text: str, *optional: str) -> tuple[Draft, Brief]:
    """Return a draft with this text in its first section, and a brief that it exceeds by
    ``count`` words."""
    draft = draft_with({ONE: text})
    plan = replace(draft.plan, claims=optional, optional=frozenset(optional))
    draft = replace(draft, plan=plan)
    return draft, replace(BRIEF, max_words=post_words(assemble(draft, BRIEF)) - count)


@pytest.mark.parametrize("over", [1, 5, 9])
def test_few_words_too_many_cost_an_optional_claim_and_no_example_step_or_row(over: int) -> None:
    text = f"Use a jar with a lid. {STORY} Rinse the jar with water. {EXAMPLE} Dry it with a towel."
    blocks = f"{text}\n\nThe steps:\n\n{STEPS}\n\nThe jars:\n\n{RESTS}"
    draft, brief = long_by(over, blocks, "A tinsmith in Philadelphia patented the jar.")
    shorter = trim(draft, brief)
    assert post_words(assemble(shorter, brief)) <= brief.max_words
    assert shorter.text(ONE) == blocks.replace(f"{STORY} ", "")
    assert trim(draft, brief, only_optional=True).texts == shorter.texts


def test_an_example_stays_if_a_sentence_beside_it_can_go() -> None:
    more = "Dry the jar with a towel. Put it on a shelf."
    draft, brief = long_by(4, f"Use a jar. {more} {EXAMPLE}")
    assert trim(draft, brief, only_optional=True).texts == draft.texts
    shorter = trim(draft, brief).text(ONE)
    assert EXAMPLE in shorter
    assert more not in shorter


def test_an_optional_claim_stays_if_the_next_sentence_refers_to_it() -> None:
    text = f"Use a jar with a lid. {STORY} He called it the Mason jar. Rinse it. Dry it."
    draft, brief = long_by(3, text, "A tinsmith in Philadelphia patented the jar.")
    assert trim(draft, brief, only_optional=True).texts == draft.texts
    assert STORY in trim(draft, brief).text(ONE)


def test_an_exception_stays_though_it_states_an_optional_claim() -> None:
    text = (
        "Use a jar with a lid. In gusting wind, the jar needs a flat stone. Rinse all parts well."
    )
    draft, brief = long_by(3, text, "The jar needs a flat stone in gusting wind.")
    assert trim(draft, brief, only_optional=True).texts == draft.texts


def test_trimming_leaves_no_question_without_its_answer() -> None:
    many = " ".join(f"Here is sentence number {n} of the jar." for n in range(60))
    asked = "Is the lid stuck? Then warm it up with your hands."
    assert trim(draft_with({ONE: f"{many} {asked}"}), BRIEF).text(ONE).endswith("with your hands.")


@pytest.mark.parametrize(
    "sentence", ["It is so. ", "“a ", "** ", "- a\n", "# a\n", "1. a. b. c.\n"]
)
def test_a_draft_of_20000_characters_is_trimmed_and_cut_in_little_time(sentence: str) -> None:
    draft = draft_with({ONE: TEXTS[ONE] + "\n\n" + (sentence * 20_000)[:20_000]})
    began = time.process_time()
    shorter = trim(draft, BRIEF)
    post = assemble(shorter, BRIEF)
    findings = [
        Finding("false", Severity.BLOCKER, p.section, "No.", s.span, removable=True)
        for p in passages(post)
        for s in sentences(p.text, "en")
    ]
    remove(shorter, findings, BRIEF)
    assert time.process_time() - began < 20


# --- description


def test_a_description_that_fits_stays() -> None:
    assert fit_description(DRAFT, BRIEF).texts == DRAFT.texts


def test_a_missing_description_is_made_of_the_introduction() -> None:
    texts = {part: text for part, text in DRAFT.texts.items() if part != DESCRIPTION}
    draft = fit_description(replace(DRAFT, texts=texts), BRIEF)
    assert draft.text(DESCRIPTION) in TEXTS[INTRODUCTION]


def test_a_description_that_is_too_long_loses_sentences() -> None:
    text = f"{TEXTS[DESCRIPTION]} {TEXTS[DESCRIPTION]}"
    draft = fit_description(draft_with({DESCRIPTION: text}), BRIEF)
    assert TEXTS[DESCRIPTION].startswith(draft.text(DESCRIPTION)[:40])
    assert len(draft.text(DESCRIPTION)) <= DESCRIPTION_HARD_CHARS[1]


def test_a_description_of_one_sentence_that_is_too_long_gives_way_to_the_introduction() -> None:
    draft = fit_description(draft_with({DESCRIPTION: f"It takes {'very ' * 60}long."}), BRIEF)
    assert draft.text(DESCRIPTION) in TEXTS[INTRODUCTION]


def test_a_description_that_is_too_short_goes_on_as_the_post_begins() -> None:
    text = "Cold brew takes one jar and one night."
    described = fit_description(draft_with({DESCRIPTION: text}), BRIEF).text(DESCRIPTION)
    said = described.removeprefix(f"{text} ")
    assert said != described
    assert said in TEXTS[INTRODUCTION]
    assert DESCRIPTION_HARD_CHARS[0] <= len(described) <= DESCRIPTION_HARD_CHARS[1]


def test_a_description_without_the_keyword_gets_it_in_front() -> None:
    text = "A jar and one night of rest are all that it takes, and here is how they go together."
    draft = fit_description(draft_with({DESCRIPTION: text}), BRIEF)
    assert draft.text(DESCRIPTION) == f"Cold brew: {text}"


# --- what to rewrite


def parts_for(*findings: Finding, draft: Draft = DRAFT) -> Mapping[Part, list[str]]:
    return to_rewrite(draft, findings, WORDS, BRIEF).feedback


@pytest.mark.parametrize(
    ("section", "part"),
    [
        ("title", TITLE), ("meta.description", DESCRIPTION), ("faqs[1].answer", FAQS),
        ("faqs", FAQS), ("sections[0]", INTRODUCTION), ("sections[1].blocks[1]", ONE),
        ("sections[2].callout.text", CALLOUT), ("sections[3].blocks[1].items[2]", TWO),
        ("sections[5]", CONCLUSION), ("sections[3].heading", heading_part(2)),
    ],
)  # fmt: skip
def test_a_finding_goes_to_the_part_that_has_it(section: str, part: Part) -> None:
    assert parts_for(told("false", section), told("false", section)) == {part: ["Wrong."]}


@pytest.mark.parametrize(
    ("check", "section"), [("keyword_heading", "post"), ("false", "sections[4].heading")]
)
def test_the_heading_of_the_questions_and_a_keyword_move_no_heading(
    check: str, section: str
) -> None:
    assert parts_for(told(check, section)) == {}


def test_too_few_words_go_to_the_sections_furthest_below_their_size() -> None:
    brief = replace(BRIEF, min_words=post_words(assemble(DRAFT, BRIEF)) + 20)
    draft = draft_with({TWO: "Short."})
    rewrites = to_rewrite(draft, [told("too_short")], WORDS, brief)
    assert next(iter(rewrites.feedback)) == TWO
    assert rewrites.words[TWO] >= WORDS[TWO]


def test_too_many_words_go_to_the_longest_sections() -> None:
    draft = long_draft(40)
    rewrites = to_rewrite(draft, [told("too_long")], WORDS, BRIEF)
    assert next(iter(rewrites.feedback)) == ONE


def test_an_unused_keyword_goes_to_its_section_and_one_without_to_the_introduction() -> None:
    assert list(parts_for(told("keyword_missing", keyword="burr grinder"))) == [ONE]
    assert list(parts_for(told("keyword_missing", keyword="walnut"))) == [INTRODUCTION]


def test_an_overused_keyword_goes_to_the_parts_with_most_uses() -> None:
    draft = draft_with({ONE: "Cold brew is cold brew."})
    assert list(parts_for(told("keyword_density", keyword="cold brew"), draft=draft)) == [ONE]
    # No part uses it twice: all but the introduction may use it less.
    assert list(parts_for(told("keyword_density", keyword="cold brew"))) == [TWO]


def test_parts_with_blockers_come_first_if_few_can_be_rewritten() -> None:
    warning = replace(told("cliche", "sections[1]"), severity=Severity.WARNING)
    rewrites = Rewrites()
    for reason in ("A.", "B."):
        rewrites.add(ONE, warning, reason)
    rewrites.add(FAQS, told("false", "faqs"))
    assert rewrites.most_urgent(1).feedback == {FAQS: ["Wrong."]}
    assert rewrites.most_urgent(9).feedback == rewrites.feedback


@pytest.mark.parametrize(
    ("target", "also"),
    [
        ("sections[3].blocks[1].items[0]", {TWO}),
        ("sections[3].heading", {TWO}),
        ("sections[1].blocks[0]", set()),
        ("title", set()),
    ],
)
def test_moved_text_goes_to_the_part_that_it_comes_from_and_to_its_new_part(
    target: str, also: set[Part]
) -> None:
    span = (0, 4)
    moved = Finding(
        "editor_awkward", Severity.WARNING, "sections[1].blocks[0]", "Move it.", span,
        fixable=True, related=(target, 0),
    )  # fmt: skip
    assert set(to_rewrite(DRAFT, [moved], WORDS, BRIEF).feedback) == {ONE, *also}
    # A contradiction that the desk finds is repaired at one of its places.
    desk = replace(moved, check="contradictory_figures")
    assert set(to_rewrite(DRAFT, [desk], WORDS, BRIEF).feedback) == {ONE}


def test_an_introduction_keeps_its_keyword_and_items_lose_what_they_add_before_a_post_is_lost() -> (
    None
):
    added = " ".join(f"It was seen in town number {number}." for number in range(4))
    items = "\n".join(f"- Item {number} is a thing of its own. {added}" for number in range(6))
    intro = "Coffee takes time. Cold brew asks for patience, and the rest is easy to learn."
    draft = draft_with({INTRODUCTION: intro, ONE: f"All of these count:\n\n{items}"})
    brief = replace(BRIEF, max_words=post_words(assemble(draft, BRIEF)) - 90)
    short = trim(draft, brief)
    assert post_words(assemble(short, brief)) <= brief.max_words
    assert "Cold brew" in short.text(INTRODUCTION)
    assert short.text(ONE).count("is a thing of its own.") == 6
