"""Texts without sense do not get through the pipeline with a capable editor."""

import pytest

from app.services.pipeline import PostRejected
from bench.control import Editor, Outcome, Sample, editor_of, lines_of, outcome, written
from bench.damages import DAMAGES
from bench.defects.carriers import carriers


def _prose(half: str, at: int) -> tuple[str, ...]:
    """Return the longer paragraphs of a text."""
    text = [each for each in carriers(half) if each.language == "en"][at].text
    blocks = [block for block in text.split("\n\n") if block[:1].isupper()]
    return tuple(block for block in blocks if len(block.split()) >= 25)[:5]


SAMPLE = Sample("control", _prose("aside", 0), _prose("tuned", 1), "harbour")


@pytest.fixture(scope="module")
def editor() -> Editor:
    return editor_of(SAMPLE)


def test_the_text_as_it_is_passes_with_the_editor(editor: Editor) -> None:
    found = written(SAMPLE, SAMPLE.paragraphs, SAMPLE.paragraphs, editor)
    assert outcome(found, editor) is Outcome.REPAIRED
    assert not isinstance(found, PostRejected)
    assert not list(editor.faults(lines_of(found)))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("is_repaired", [False, True], ids=["repeated", "repaired"])
def test_a_damaged_text_is_refused_or_repaired(
    editor: Editor, damage: str, is_repaired: bool
) -> None:
    """“random words, shuffled sentences, word salad, … a paragraph of another subject …: none gets
    through the pipeline with a capable editor”."""
    damaged = SAMPLE.damaged(damage)
    found = written(SAMPLE, damaged, SAMPLE.paragraphs if is_repaired else damaged, editor)
    assert outcome(found, editor) in {Outcome.REFUSED, Outcome.REPAIRED}


def test_shuffled_sentences_get_through_where_nobody_reads(editor: Editor) -> None:
    damaged = SAMPLE.damaged("shuffled-sentences")
    assert outcome(written(SAMPLE, damaged, damaged), editor) is Outcome.PASSED
