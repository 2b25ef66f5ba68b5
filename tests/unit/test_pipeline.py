"""The pipeline: what is called, what is changed, and when a post fails."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from threading import Barrier

import pytest

from app.core.errors import (
    GenerationCancelled,
    GenerationTimeout,
    ModelUnavailable,
    ProhibitedInput,
    ServiceError,
)
from app.deadline import Deadline
from app.rules.passages import post_words
from app.sources.source import Source
from app.writing.brief import Brief, EarlierPost
from app.writing.completion import Completion, Prompt
from app.writing.pipeline import MAX_REVISIONS, PostRejected, Writers, Written, write_post
from app.writing.post_markdown import format_post, parse_post
from tests.support.answers import BRIEF, MARK, NO_EDITS, POST, Answers, edit

NOW = datetime(2026, 11, 28, tzinfo=UTC)
OTHER = POST.replace("one jar, one night", "a jar and a night")
LINK = POST.replace("Fine powder", "See https://example.com/grind for more. Fine powder")
SOURCE = Source(
    "https://coffee.example/steep", "coffee.example", "Steeping",
    "A sealed bottle stays fresh for about a week.", "en", None, NOW,
)  # fmt: skip


def written(
    model: Answers,
    brief: Brief = BRIEF,
    sources: Sequence[Source] = (),
    **options: object,
) -> Written:
    writers = Writers(model, model, **options)  # type: ignore[arg-type]
    return write_post(writers, brief, deadline=Deadline(60), sources=sources)


def rejected(model: Answers, brief: Brief = BRIEF, sources: Sequence[Source] = ()) -> PostRejected:
    with pytest.raises(PostRejected) as caught:
        written(model, brief, sources)
    return caught.value


def test_two_drafts_one_edit_and_one_reading_make_a_post() -> None:
    """Issue: Nothing is ever rewritten that an edit does not name."""
    model = Answers(edit=edit("It stays mild when it is warm.", "It stays mild."))
    post = written(model)
    assert model.calls == ["draft", "draft", "edit", "read"]
    assert post.quality.score == 80
    assert post.quality.revision_count == 1
    assert format_post(post.post) == POST.replace("mild when it is warm.", "mild.")


def test_of_three_drafts_the_editor_may_take_any() -> None:
    third = POST.replace("one jar, one night", "three drafts")
    for base in "ABC":
        model = Answers(draft=[POST, OTHER, third], edit=f"BASE: {base}\n")
        title = written(model, drafts=3).post.title
        shown = model.prompts_for("edit")[0].user.partition(f"<draft_{base.lower()}>")[2]
        assert title in shown.partition("\n\n")[0]


def test_a_revision_that_spoils_a_post_does_not_replace_it() -> None:
    """DESIGN: The program … never makes a post worse than it was."""
    spoiled = edit("Fine powder", "See https://example.com/grind. Fine powder")
    model = Answers(read=MARK.replace("8", "5"), edit=[NO_EDITS, spoiled])
    post = written(model)
    assert format_post(post.post) == POST
    assert post.quality.score == 50


def test_an_edit_that_breaks_a_rule_when_nobody_edits_any_more_is_dropped() -> None:
    """DESIGN: The program … never makes a post worse than it was."""
    change = edit("It stays mild when it is warm.", "It stays mild.")
    change += edit("Fine powder", "See https://example.com/grind. Fine powder").partition("\n\n")[2]
    model = Answers(read=[MARK.replace("8", "5"), "MARK: 8\n"], edit=[NO_EDITS, change])
    assert format_post(written(model).post) == POST.replace("mild when it is warm.", "mild.")


def test_the_editor_gets_the_notes_of_a_post_that_it_has_to_edit_again() -> None:
    blocked = "BASE: A\n\nBLOCKING: It answers another question.\n"
    model = Answers(edit=[blocked, NO_EDITS], read=MARK)
    written(model)
    assert "could name a temperature" in model.prompts_for("edit")[1].user


@pytest.mark.parametrize("second", ["3", "4"])
def test_of_two_versions_the_one_that_a_reader_marked_better_is_published(second: str) -> None:
    """DESIGN: The program … never makes a post worse than it was."""
    change = edit("It stays mild when it is warm.", "It stays mild.")
    marks = [MARK.replace("8", "5"), MARK.replace("8", second)]
    post = written(Answers(read=marks, edit=[NO_EDITS, change]))
    assert format_post(post.post) == POST
    assert post.quality.score == 50


def test_a_mark_is_of_the_text_that_was_read() -> None:
    """Issue: the editor's mark by the rubric of the final text"""
    grown = edit("It stays mild when it is warm.", "It stays mild when it is warm, as it is.")
    cut = edit("It stays mild when it is warm, as it is.", "It stays mild.")
    brief = replace(BRIEF, max_words=post_words(parse_post(POST, BRIEF)))
    model = Answers(edit=[grown, NO_EDITS], cut=cut)
    assert written(model, brief).quality.score == 80
    assert model.calls[-2:] == ["cut", "read"]


def test_the_drafts_are_written_beside_each_other() -> None:
    """Issue: drafts are written beside each other, so that a post takes no longer than one draft
    and one edit"""
    both = Barrier(2, timeout=20)

    class Waiting(Answers):
        def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
            if prompt.purpose == "draft":
                both.wait()
            return super().complete(prompt, deadline)

    assert written(Waiting()).post.title


def test_a_rule_that_objects_is_told_and_gets_one_more_edit() -> None:
    repaired = edit("See https://example.com/grind for more. ", "")
    model = Answers(draft=LINK, edit=[NO_EDITS, repaired])
    assert "example.com" not in format_post(written(model, drafts=1).post)
    assert model.calls == ["draft", "edit", "edit", "read"]
    assert "https://example.com/grind" in model.prompts_for("edit")[1].user


def test_edits_that_stand_nowhere_are_dropped_and_told_to_the_editor() -> None:
    """Issue: Edits that do not stand exactly once are dropped and told to the editor in its next
    round."""
    wild = edit("words that the post has not", "x")
    model = Answers(draft=LINK, edit=[wild, edit("See https://example.com/grind for more. ", "")])
    written(model, drafts=1)
    assert "words that the post has not" in model.prompts_for("edit")[1].user


def test_what_is_only_too_long_gets_one_call_that_may_only_cut() -> None:
    """Issue: What is only too long after the last round gets one more call that may only cut."""
    brief = replace(BRIEF, max_words=188)
    cut = edit("Fine powder clouds the jar and leaves mud in the glass.", "")
    cut += edit("After that it tastes flat.", "").partition("\n\n")[2]
    cut += edit("Start tonight with one jar and a note of the time.", "Begin.").partition("\n\n")[2]
    model = Answers(cut=cut)
    post = written(model, brief)
    assert model.calls.count("cut") == 1
    assert "Fine powder" not in format_post(post.post)
    assert "Start tonight" in format_post(post.post)


def test_a_mark_below_the_wanted_one_gives_the_notes_to_the_editor() -> None:
    poor = MARK.replace("8", "5")
    model = Answers(read=[poor, MARK])
    assert written(model).quality.score == 80
    assert model.calls == ["draft", "draft", "edit", "read", "edit", "read", "polish"]
    assert "could name a temperature" in model.prompts_for("edit")[1].user


def test_what_its_reader_noted_of_a_good_post_is_mended_and_read_again() -> None:
    """DESIGN: the editor marks the final text by the rubric"""
    better = edit("It stays mild when it is warm.", "It stays mild at 4 °C.")
    model = Answers(read=[MARK, "MARK: 9\n"], polish=better)
    post = written(model)
    assert model.calls == ["draft", "draft", "edit", "read", "polish", "read"]
    assert "could name a temperature" in model.prompts_for("polish")[0].user
    assert "mild at 4 °C." in format_post(post.post)
    assert (post.quality.score, post.quality.revision_count, post.warnings) == (90, 1, ())


def test_a_post_without_a_note_is_not_polished() -> None:
    model = Answers()
    assert written(model).quality.score == 80
    assert "polish" not in model.calls


@pytest.mark.parametrize(
    ("polish", "mark"),
    [
        (edit("Fine powder", "See https://example.com/grind. Fine powder"), "9"),
        (edit("It stays mild when it is warm.", "It stays mild."), "7"),
        ("<<<<<<< FIND\nAn edit without an end\n", "9"),
        (ModelUnavailable("full"), "9"),
        (GenerationTimeout("late"), "9"),
        (Completion("", refusal="No."), "9"),
    ],
)
def test_a_polish_that_fails_or_spoils_leaves_the_post_as_it_was(
    polish: str | Completion | ServiceError, mark: str
) -> None:
    """DESIGN: The program … never makes a post worse than it was."""
    model = Answers(read=[MARK, MARK.replace("8", mark)], polish=[polish])
    post = written(model)
    assert format_post(post.post) == POST
    assert (post.quality.score, len(post.warnings)) == (80, 1)


def test_a_statement_without_a_proof_costs_its_own_edit_of_a_polish_and_no_other() -> None:
    change = edit("It stays mild when it is warm.", "It stays mild for a month.")
    change += edit("Fine powder clouds", "Powder clouds").partition("\n\n")[2]
    asking = Answers(polish=change, read=MARK)
    written(asking, VERIFIED, [SOURCE])
    number = row(asking, "It stays mild for a month.", 1)
    model = Answers(polish=change, read=[MARK, f"{number} | NONE | no\nMARK: 9\n"])
    post = written(model, VERIFIED, [SOURCE])
    assert format_post(post.post) == POST.replace("Fine powder clouds", "Powder clouds")
    assert post.mark == 9


def test_a_post_that_is_cancelled_while_it_is_polished_is_not_published() -> None:
    with pytest.raises(GenerationCancelled):
        written(Answers(read=MARK, polish=[GenerationCancelled("stopped")]))


def test_a_post_that_a_reader_would_have_to_rewrite_fails() -> None:
    error = rejected(Answers(read=MARK.replace("8", "2")))
    assert "2 of 10" in error.message


def test_what_the_editor_says_blocks_fails_if_it_says_so_twice() -> None:
    blocked = "BASE: A\n\nBLOCKING: It answers another question.\n"
    assert "another question" in rejected(Answers(edit=blocked)).message
    unreadable = "<<<<<<< FIND\nAn edit without an end\n"
    assert "another question" in rejected(Answers(edit=[blocked, unreadable])).message
    assert written(Answers(edit=[blocked, NO_EDITS])).quality.revision_count == 2


@pytest.mark.parametrize("purpose", ["draft", "edit", "read"])
@pytest.mark.parametrize(
    "answer", [Completion("", refusal="No."), Completion("I'm sorry, but I can't help with that.")]
)
def test_a_refusal_at_any_step_ends_the_post(purpose: str, answer: Completion) -> None:
    """SPEC: When the generation model refuses a request on its own safety grounds, the request
    ends with PROHIBITED_INPUT"""
    with pytest.raises(ProhibitedInput):
        written(Answers(**{purpose: [answer]}))


def test_without_an_editor_the_score_is_at_most_70() -> None:
    model = Answers()
    post = write_post(Writers(model), BRIEF, deadline=Deadline(60))
    assert model.calls == ["draft", "draft"]
    assert post.quality.score <= 70
    assert post.mark is None


def test_an_unreadable_reader_leaves_the_post_unmarked() -> None:
    post = written(Answers(read="A fine post."))
    assert post.mark is None
    assert post.quality.score <= 70


def test_a_small_model_writes_one_draft_and_nobody_edits() -> None:
    without_description = POST.replace(POST.split("\n")[2] + "\n\n", "")
    model = Answers(draft=without_description)
    post = write_post(Writers(model, is_local=True), BRIEF, deadline=Deadline(60))
    assert model.calls == ["draft"]
    assert post.post.meta.description.startswith("Cold brew asks")


def test_earlier_posts_are_told_to_writer_and_editor() -> None:
    """Issue: Earlier titles and descriptions of the feed go to the writer and the editor: "not
    again, and no contradiction"."""
    model = Answers()
    written(model, replace(BRIEF, earlier=(EarlierPost("Grinders compared", "Which one to buy."),)))
    for purpose in ("draft", "edit"):
        assert "Grinders compared: Which one to buy." in model.prompts_for(purpose)[0].user


VERIFIED = replace(BRIEF, verified=True)


def row(model: Answers, statement: str, index: int = 0) -> int:
    line = next(
        each
        for each in model.prompts_for("read")[index].user.partition("numbered:")[2].split("\n")
        if each.endswith(f". {statement}")
    )  # fmt: skip
    return int(line.partition(".")[0])


@pytest.mark.parametrize("second", [MARK, "Fine."], ids=["readable", "unreadable"])
def test_an_unsupported_statement_goes_back_to_the_editor_once_and_then_it_goes(
    second: str,
) -> None:
    """DESIGN: What is unsupported goes back to the editor once, then the sentence goes"""
    asking = Answers()
    written(asking, VERIFIED, [SOURCE])
    number = row(asking, "After that it tastes flat.")
    model = Answers(read=[f"{number} | NONE | no page says it\nMARK: 8\n", second])
    post = written(model, VERIFIED, [SOURCE])
    assert "No source supports “After that it tastes flat.”" in model.prompts_for("edit")[1].user
    assert "tastes flat" not in format_post(post.post)


def test_only_new_statements_are_compared_again() -> None:
    asking = Answers()
    written(asking, VERIFIED, [SOURCE])
    number = row(asking, "After that it tastes flat.")
    said = edit("After that it tastes flat.", "Then it goes stale.")
    model = Answers(read=[f"{number} | NONE | no\nMARK: 8\n", MARK], edit=[NO_EDITS, said])
    assert "Then it goes stale." in format_post(written(model, VERIFIED, [SOURCE]).post)
    again = model.prompts_for("read")[1].user
    assert "Then it goes stale." in again.partition("Its statements, numbered")[2]
    assert "three steps get you there" not in again.partition("Its statements, numbered")[2]


@pytest.mark.parametrize("first", ["Fine.", MARK.replace("8", "3")])
def test_a_verified_post_with_a_statement_that_nobody_compared_fails(first: str) -> None:
    said = edit("After that it tastes flat.", "Then it goes stale.")
    model = Answers(read=[first, "Fine."], edit=[NO_EDITS, said])
    assert "did not compare" in rejected(model, VERIFIED, [SOURCE]).message
    assert model.calls.count("read") == MAX_REVISIONS + 1


def test_a_verified_post_is_read_again_if_an_answer_of_the_reader_is_unreadable() -> None:
    assert written(Answers(read=["Fine.", MARK]), VERIFIED, [SOURCE]).mark == 8


def test_a_low_mark_outlives_an_unreadable_answer_about_the_same_text() -> None:
    unreadable = "<<<<<<< FIND\nAn edit without an end\n"
    model = Answers(read=[MARK.replace("8", "2"), "Fine."], edit=[NO_EDITS, unreadable])
    assert "2 of 10" in rejected(model).message
