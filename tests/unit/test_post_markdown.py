"""One document ⇄ the parts of a post."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.core.schemas.post import SectionType
from app.writing.post_markdown import (
    completed,
    format_post,
    format_text,
    parse_post,
    parse_text,
    with_coverage,
)
from tests.support.answers import BRIEF, POST


def test_a_document_is_read_into_its_parts_and_written_back_word_for_word() -> None:
    post = parse_post(POST, BRIEF)
    assert post.title == "Cold brew at home: one jar, one night"
    assert post.meta.description.endswith("for a smooth glass.")
    assert [section.type.value for section in post.sections] == [
        "introduction", "body", "body", "callout", "faq", "conclusion",
    ]  # fmt: skip
    assert post.sections[3].callout
    assert post.sections[3].callout.label == "Good to know"
    assert [faq.question for faq in post.faqs] == [
        "Can I heat the concentrate?", "How long does it keep?",
    ]  # fmt: skip
    assert post.conclusion.startswith("Start tonight")
    assert post.outline.h2[-1] == "Frequently asked questions"
    assert all(note.covered for note in with_coverage(post, BRIEF).coverage_notes.keyword_coverage)
    assert format_post(post) == POST
    assert parse_post(format_post(post), BRIEF) == post


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Q: Can I heat it?", "Can I heat it?"),
        ("2. Can I heat it?", "Can I heat it?"),
        ("It froze solid. Can I heat it?", "It froze solid. Can I heat it?"),
        ("Is it safe (see step 3) to heat it?", "Is it safe (see step 3) to heat it?"),
    ],
)
def test_only_the_label_before_a_question_is_left_out(heading: str, question: str) -> None:
    document = POST.replace("Can I heat the concentrate?", heading)
    assert parse_post(document, BRIEF).faqs[0].question == question


@pytest.mark.parametrize(
    "document",
    [
        f"```markdown\n{POST}```",
        f"Here is your post:\n\n{POST}",
        f"Here is your post:\n\n```markdown\n{POST}```",
        f"Here is your post: ~~~~md\n{POST}~~~~\n",
        POST.replace("\n", "\r\n"),
        POST.replace("> Cold brew at home takes", "**Meta description:** Cold brew at home takes"),
        POST.replace("### Can I heat the concentrate?\n\n", "**Can I heat the concentrate?** "),
        POST.replace("## FAQ", "## Frequently Asked Questions"),
        POST.replace("\n## Conclusion", "\n---\n\n## **Conclusion**"),
        POST.replace("## Why", "# Why"),
    ],
)
def test_the_habits_of_models_are_read(document: str) -> None:
    assert format_post(parse_post(document, BRIEF)) == POST


def test_a_box_before_other_text_stays_there() -> None:
    document = POST.replace("1. Fill the jar", "> **Caution:** Use cold water.\n\n1. Fill the jar")
    post = parse_post(document, BRIEF)
    assert "> **Caution:** Use cold water.\n\n1. Fill" in post.sections[2].content_markdown
    assert format_post(post) == document


def test_items_of_an_answer_stay_apart() -> None:
    listed = "Take these:\n- a jar\n- a lid\n\n1. Fill it."
    answer = parse_post(POST.replace("A sealed bottle stays", f"{listed}\nA"), BRIEF).faqs[1].answer
    assert answer.startswith("Take these:\n\n- a jar\n\n- a lid\n\n1. Fill it. A fresh")


@pytest.mark.parametrize("text", ["Fine powder", "Yes, on a low flame", "Start tonight"])
def test_brackets_are_written_as_readers_see_them(text: str) -> None:
    """A reader took the backslash of “Dear \\[name]” for a fault of the post."""
    post = parse_post(POST.replace(text, f"Dear [name], take < 5 g, not `\\[5]`. {text}"), BRIEF)
    assert "Dear [name], take < 5 g" in format_post(post)
    assert parse_post(format_post(post), BRIEF) == post


def test_what_is_missing_is_empty() -> None:
    post = parse_post("Only a paragraph.", BRIEF)
    assert (post.title, post.meta.description, post.conclusion, post.faqs) == ("", "", "", ())
    assert post.slug_suggestion == "cold-brew"


def test_headings_inside_code_are_no_sections() -> None:
    post = parse_post(POST.replace("A burr", "```sh\n## not a heading\n```\n\nA burr"), BRIEF)
    assert "## not a heading" in post.sections[1].content_markdown


def test_what_a_small_model_leaves_out_is_completed_from_its_own_text() -> None:
    """DESIGN: The reader of its Markdown is lenient"""
    bare = "# Cold brew\n\n## First\n\nA jar is enough for it.\n\n## Then\n\nWait.\n"
    post = completed(parse_post(bare, BRIEF), BRIEF)
    assert post.sections[0].type is SectionType.INTRODUCTION
    assert post.outline.h2 == ("Then",)
    assert post.meta.description == "A jar is enough for it."


@pytest.mark.parametrize("end", ["## Conclusion", "## FAQ", "## Why"])
def test_text_above_the_first_question_ends_the_text_of_the_last_section(end: str) -> None:
    asked = "## FAQ\n\nReaders ask us these.\n\n### Why?\n\nSo.\n"
    post = parse_post(f"{POST.partition(end)[0]}\n{asked}", BRIEF)
    last = [each for each in post.sections if each.content_markdown][-1]
    assert last.content_markdown.endswith("\n\nReaders ask us these.")
    assert post.conclusion == ""
    assert parse_post(format_post(post), BRIEF) == post


def test_text_above_the_first_question_is_the_introduction_of_a_post_without_another_text() -> None:
    post = parse_post("# Title\n\n## FAQ\n\nReaders ask us these.\n\n### Why?\n\nSo.\n", BRIEF)
    assert [each.content_markdown for each in post.sections] == ["Readers ask us these.", ""]


_WORDS = st.text(st.sampled_from("ab1 é茶*_`~\\\\<&#|>:[]()-.!“”"), min_size=1, max_size=20)
_BLOCKS = (
    "Some *plain* words.", "- an item\n- another\n    - below it", "1. one\n2. two", "> said",
    "| a | b |\n|---|---|\n| c | d |", "```sh\n# no heading\n```", "### A part",
    "> **Tip:** Do it.", "---", "1984. A year.",
)  # fmt: skip
_BLOCK = st.sampled_from(_BLOCKS) | _WORDS
_SECTION = st.tuples(_WORDS.map("## {}".format), st.lists(_BLOCK, max_size=4)).map(
    lambda section: "\n\n".join((section[0], *section[1]))
)
_QUESTION = st.tuples(_WORDS, _WORDS).map("### {0[0]}\n\n{0[1]}".format)


@given(
    title=_WORDS,
    sections=st.lists(_SECTION, max_size=3),
    questions=st.lists(_QUESTION, max_size=2),
    conclusion=_WORDS,
)
def test_a_post_that_is_written_for_an_editor_is_read_as_it_was(
    title: str, sections: list[str], questions: list[str], conclusion: str
) -> None:
    """“Reading what was written gives the same post”, whatever signs its texts have."""
    parts = ["An introduction.", *sections, "## FAQ", *questions, "## Conclusion", conclusion]
    post = parse_text(title, title, "\n\n".join(parts), BRIEF)
    # One with an empty section or answer is refused.
    assume(all(each.content_markdown for each in post.sections if each.type.value == "body"))
    assume(all(each.heading for each in post.sections if each.type.value == "body"))
    assume(all(each.question and each.answer for each in post.faqs))
    assert parse_text(title, title, format_text(post), BRIEF) == post
    drafted = parse_post(format_post(post), BRIEF)
    assert drafted == parse_post(format_post(drafted), BRIEF)
    assert (drafted.sections, drafted.faqs) == (post.sections, post.faqs)


def test_a_draft_keeps_the_signs_of_code_in_its_plain_texts() -> None:
    draft = (
        "# A `__init__`\n\n> D `*a`\n\nI.\n\n## `_b_`\n\nT.\n\n## FAQ\n\n### `__c__`?\n\n`## d`\n"
    )
    post = parse_post(format_post(parse_post(draft, BRIEF)), BRIEF)
    assert (post.title, post.meta.description) == ("A __init__", "D *a")
    assert post.outline.h2[0] == "_b_"
    assert [(each.question, each.answer) for each in post.faqs] == [("__c__?", "## d")]
