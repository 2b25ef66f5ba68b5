"""Reading the parts of a post out of answers, whatever a model puts around them."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.writing.answer import (
    MAX_ANSWER_CHARS,
    accept,
    read_answer,
    read_callout,
    read_faqs,
    whole_sentences,
)
from app.core.writing.draft import (
    CALLOUT,
    CONCLUSION,
    DESCRIPTION,
    FAQS,
    INTRODUCTION,
    TITLE,
    Part,
    section_part,
)
from tests.support.scripted_calls import DRAFT, PLAN

ONE, TWO = section_part(1), section_part(2)
PARTS = (INTRODUCTION, ONE, TWO, section_part(2, 1), CONCLUSION, DESCRIPTION)

# --- parts

DECORATIONS: tuple[Callable[[Part], str], ...] = (
    lambda part: part.marker,
    lambda part: f"**{part.marker}**",
    lambda part: f"**{part.marker}:**",
    lambda part: f"## {part.marker}",
    lambda part: f"### **{part.marker}**",
    lambda part: f"`{part.marker}`",
    lambda part: part.marker.title(),
    lambda part: f"{part.marker[:-1]}: How long the jar should rest]",
)
bodies = st.text(st.sampled_from("ab .\n#*`_-é、。[]"), min_size=1, max_size=40).map(
    lambda text: f"Text {text}.".strip()
)


@given(
    st.lists(st.tuples(st.sampled_from(PARTS), bodies), min_size=2, unique_by=lambda each: each[0]),
    st.sampled_from(DECORATIONS),
    st.sampled_from(["", "Sure! Here is the post:\n\n", "<think>[SECTION 1]\nNo.</think>\n"]),
    st.booleans(),
)
def test_parts_come_back_whatever_their_order_and_decoration(
    told: list[tuple[Part, str]], decorate: Callable[[Part], str], before: str, is_fenced: bool
) -> None:
    text = "\n\n".join(f"{decorate(part)}\n{body}" for part, body in told)
    if is_fenced:
        text = f"```markdown\n{text}\n```"
    assert read_answer(before + text, PARTS) == dict(told)


@pytest.mark.parametrize(
    "text",
    [
        "The jar rests.",
        "```\nThe jar rests.\n```",
        "```markdown\nThe jar rests.\n```\n",
        "```markdown\nThe jar rests.",
        "[SECTION 1]\nThe jar rests.",
        "[SECTION]\nThe jar rests.",
        "[SECTION 2]\nThe jar rests.",
        "Sure:\n\n[SECTION 1]\n```\nThe jar rests.\n```",
        "Sure:\n\n```\n[SECTION 1]\nThe jar rests.\n```",
        "[SECTION 1]\nThe jar rests.\n[/SECTION 1]",
        "<think>\nWhat rests?\n</think>\n\nThe jar rests.",
        "What rests?\n</think>\n\nThe jar rests.",
        "[CALLOUT]\nTip: No.\n[SECTION 1]\nThe jar rests.\n[SECTION 2]\nNo.",
    ],
)
def test_a_single_part_needs_no_marker(text: str) -> None:
    assert read_answer(text, [ONE]) == {ONE: "The jar rests."}


def test_code_at_both_ends_of_a_part_stays_code() -> None:
    text = "```\nbrew\n```\n\nThen:\n\n```\nstrain\n```"
    assert read_answer(text, [ONE]) == {ONE: text}


@pytest.mark.parametrize("text", ["", " \n", "<think>The reader wants", "[TITLE]\nNot asked for."])
def test_an_answer_without_the_part_gives_nothing(text: str) -> None:
    assert read_answer(text, [ONE]) == {}


def test_several_parts_without_markers_give_nothing() -> None:
    assert read_answer("The jar rests.", [ONE, TWO]) == {}


def test_parts_that_nobody_asked_for_and_second_copies_are_dropped() -> None:
    text = "[SECTION 1]\nFirst.\n[TITLE]\nNo.\n[SECTION 1]\nSecond.\n[SECTION 2]\n"
    assert read_answer(text, [ONE, TWO]) == {ONE: "First."}


def test_the_last_part_of_an_answer_that_was_cut_off_is_dropped() -> None:
    text = "[SECTION 1]\nFirst.\n[SECTION 2]\nSec"
    assert read_answer(text, [ONE, TWO], cut_off=True) == {ONE: "First."}
    assert read_answer("[SECTION 1]\nFir", [ONE, TWO], cut_off=True) == {}
    assert read_answer("[SECTION 1]\nFir", [ONE], cut_off=True) == {ONE: "Fir"}


def test_a_loop_that_was_cut_off_loses_only_its_second_copy() -> None:
    text = "[SECTION 1]\nFirst.\n[SECTION 2]\nSecond.\n[SECTION 1]\nFirst.\n[SECTION 2]\nSec"
    assert read_answer(text, [ONE, TWO], cut_off=True) == {ONE: "First.", TWO: "Second."}


ASKED = "## How long?\nFour minutes.\n\n**How hot?** Ninety degrees."


@pytest.mark.parametrize(
    ("between", "heading"),
    [("---\n\n", ""), ("* * *\n\n", "## In the end\n\n"), ("", "# Conclusion\n\n")],
)
def test_a_conclusion_may_stand_behind_the_questions_without_its_marker(
    between: str, heading: str
) -> None:
    text = f"[SECTION 1]\nFirst.\n\n---\n\n[FAQS]\n{ASKED}\n\n{between}{heading}That is all."
    parts = {ONE: "First.", FAQS: ASKED, CONCLUSION: f"{heading}That is all."}
    assert read_answer(text, [ONE, FAQS, CONCLUSION]) == parts
    draft = accept(DRAFT, CONCLUSION, parts[CONCLUSION])
    assert draft.text(CONCLUSION) == "That is all."


def test_questions_may_be_parted_by_lines() -> None:
    text = "What?\nTea.\n\n---\n\nHow?\nHot."
    answer = f"[FAQS]\n{text}\n\n---\n\n[CONCLUSION]\nThat is all.\n---"
    assert read_answer(answer, [FAQS, CONCLUSION]) == {FAQS: text, CONCLUSION: "That is all."}
    assert read_answer(f"[FAQS]\n{text}\n---", [FAQS, CONCLUSION]) == {FAQS: text}
    assert read_answer(f"{text}\n---", [FAQS]) == {FAQS: text}


def test_half_characters_become_replacement_characters() -> None:
    assert read_answer("The \ud83d jar.", [ONE]) == {ONE: "The \ufffd jar."}


@pytest.mark.parametrize(
    "pattern",
    [
        "[SECTION 1]\n", "[SECTION 1] ", "[", "#", "*", "# ", "** ", "a\n" + " " * 60_000, "? ",
        "1. ", "```\n", "\n```", "**a?** ", "a?\n", "Q: ", "_", "<think>", "</think>", "“", "a: ",
        "-", "> ", "\t", "a?\n---\n", "---\n…\n",
    ],
)  # fmt: skip
def test_every_part_is_read_from_hostile_text_in_linear_time(pattern: str) -> None:
    text = (pattern * (MAX_ANSWER_CHARS // len(pattern) + 1))[:MAX_ANSWER_CHARS]
    began = time.process_time()
    for asked in ([ONE], [INTRODUCTION, ONE], [FAQS, CONCLUSION]):
        read_answer(f"x\n{text}", asked)
        read_answer(f"[FAQS]\na?\n{text}", asked)
    for part in (ONE, FAQS, CALLOUT, TITLE, DESCRIPTION):
        accept(DRAFT, part, text)
        accept(DRAFT, part, f"a{text}")
    # Quadratic time would take minutes.
    assert time.process_time() - began < 10


# --- texts


@pytest.mark.parametrize(
    "text",
    [
        "The jar rests.",
        "# Cold brew at home, without the fuss\n\nThe jar rests.",
        "## How long the jar should rest\nThe jar rests.",
        "**How long the jar should rest**\n\nThe jar rests.",
        "**How long the jar should rest:**\n\nThe jar rests.",
        "How long the jar should rest\n\nThe jar rests.",
        "## 2. How long the jar should rest\n\nThe jar rests.",
        "# A title of its own\n\n## How long the jar should rest\n\nThe jar rests.",
        "“The jar rests.”",
    ],
)
def test_a_heading_that_opens_a_section_is_dropped(text: str) -> None:
    assert accept(DRAFT, TWO, text).text(TWO) == "The jar rests."


@pytest.mark.parametrize(
    "text", ["### At night\n\nThe jar rests.", "#1 is the jar.", "“A” and “b”"]
)
def test_what_is_no_repeated_heading_stays(text: str) -> None:
    assert accept(DRAFT, TWO, text).text(TWO) == text


@pytest.mark.parametrize("part", [ONE, TITLE, DESCRIPTION, CALLOUT, FAQS])
@pytest.mark.parametrize("text", ["", "…", "---", "**\n\n**", "。"])
def test_a_text_without_words_replaces_nothing(part: Part, text: str) -> None:
    assert accept(DRAFT, part, text) == DRAFT


@pytest.mark.parametrize(
    "text",
    [
        "A slow drink",
        "# A slow drink\n",
        "**A slow drink**",
        "“A slow drink”",
        "A slow drink\n\nIt",
    ],
)
def test_a_title_is_the_first_line_without_its_decoration(text: str) -> None:
    assert accept(DRAFT, TITLE, text).plan.title == "A slow drink"


def test_a_description_is_one_line_of_plain_text() -> None:
    draft = accept(DRAFT, DESCRIPTION, '"A **slow**\n\ndrink."')
    assert draft.text(DESCRIPTION) == "A slow drink."


@pytest.mark.parametrize(
    "text",
    [
        "Good tip: Weigh it.",
        "**Good tip:** Weigh it.",
        "**Good tip**: Weigh it.",
        "**Good tip: Weigh it.**",
        "> **Good tip:** Weigh it.",
        "### Good tip\n\nWeigh it.",
        "**Good tip**\n\nWeigh it.",
        "**Good tip:**\nWeigh **it**.",
        "- Good tip: Weigh it.",
        "Good tip : Weigh it.",
    ],
)
def test_a_box_is_read_from_its_label_and_its_text(text: str) -> None:
    callout = read_callout(text)
    assert callout is not None
    assert (callout.label, callout.text) == ("Good tip", "Weigh it.")


def test_a_box_may_have_the_colon_of_another_script() -> None:
    callout = read_callout("小贴士：先称重。再做记号。")
    assert callout is not None
    assert (callout.label, callout.text) == ("小贴士", "先称重。再做记号。")


@pytest.mark.parametrize("text", ["Weigh it.", ": Weigh it.", "Tip:", f"{'a ' * 40}: Weigh it."])
def test_a_box_without_a_label_is_none(text: str) -> None:
    assert read_callout(text) is None


@pytest.mark.parametrize(
    "question",
    [
        "### Can I heat it?", "**Can I heat it?**", "**Q: Can I heat it?**", "Q: Can I heat it?",
        "Q1. Can I heat it?", "**Q1: Can I heat it?**", "1. Can I heat it?", "1) Can I heat it?",
        "1. **Can I heat it?**", "### 1. Can I heat it?", "### **Can I heat it?**",
        "- **Can I heat it?**", "Question: Can I heat it?", "**Question 1:** Can I heat it?",
        "Can I heat it?", "#### Q: **Can I heat it?**",
    ],
)  # fmt: skip
@pytest.mark.parametrize("answer", ["{}", "A: {}", "**A:** {}", "**A: {}**", "Answer: {}", "- {}"])
def test_questions_are_read_in_the_forms_that_models_use(question: str, answer: str) -> None:
    text = f"Questions:\n\n{question}\n\n{answer.format('Yes, on a low flame.')}\n\n" * 2
    faqs = read_faqs(text.removesuffix("\n\n"))
    assert {(faq.question, faq.answer.removesuffix(" Questions:")) for faq in faqs} == {
        ("Can I heat it?", "Yes, on a low flame.")
    }
    assert len(faqs) == 2


@pytest.mark.parametrize(
    "text",
    [
        "**Can I heat it?** Yes, on a low flame.",
        "1. **Can I heat it?** Yes, on a low flame.",
        "- **Q: Can I heat it?** A: Yes, on a low flame.",
    ],
)
def test_an_answer_may_be_on_the_line_of_its_question(text: str) -> None:
    (faq,) = read_faqs(text)
    assert (faq.question, faq.answer) == ("Can I heat it?", "Yes, on a low flame.")


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("### 可以加热吗？\n\n可以，用小火。", "可以加热吗？", "可以，用小火。"),
        ("### هل يمكن تسخينه؟\n\nنعم.", "هل يمكن تسخينه؟", "نعم."),
        ("### Μπορώ να το ζεστάνω;\n\nΝαι.", "Μπορώ να το ζεστάνω;", "Ναι."),
        ("**F: Kann ich ihn erhitzen?**\nA: Ja.", "Kann ich ihn erhitzen?", "Ja."),
        ("### ¿Puedo calentarlo?\nSí.", "¿Puedo calentarlo?", "Sí."),
    ],
)
def test_questions_are_read_in_other_scripts(text: str, question: str, answer: str) -> None:
    (faq,) = read_faqs(text)
    assert (faq.question, faq.answer) == (question, answer)


def test_an_answer_is_plain_text_and_keeps_its_lines() -> None:
    text = "### What do I need?\n\nThese **two**:\n\n- a jar;\n- a filter."
    assert read_faqs(text)[0].answer == "These two: a jar; a filter."


def test_a_question_without_an_answer_is_dropped() -> None:
    assert [faq.question for faq in read_faqs("### Why?\n\n### Who asks?\n\nYou.")] == ["Who asks?"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("It rests. It is st", "It rests."),
        ("1. Fill it.\n2. Close", "1. Fill it."),
        ("It re", "It re"),
    ],
)
def test_a_text_that_was_cut_off_ends_with_its_last_whole_sentence(text: str, kept: str) -> None:
    assert whole_sentences(text, "en") == kept


@given(st.text(max_size=200), st.sampled_from([ONE, FAQS, CALLOUT, TITLE, DESCRIPTION]))
def test_no_text_breaks_the_reader(text: str, part: Part) -> None:
    for found, told in read_answer(text, [part]).items():
        assert accept(DRAFT, found, told).plan.sections == PLAN.sections
