"""The pipeline: what is asked again, how often, and which of several drafts is kept."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from app.core.brief import Brief, make_brief
from app.core.completion import Completion, Prompt
from app.core.errors import ContentQualityFailed, GenerationTimeout, ProhibitedInput
from app.core.request import parse_generate_request
from app.ports import Model
from app.services.pipeline import MAX_REVISIONS, write_post
from tests.running.scripted_writer import scripted

Answer = Callable[[Prompt, str, int], Completion]

INTRODUCTION, CONCLUSION = "introduction", "conclusion"
SENT_BACK = "An editor sent an earlier version back:"


def brief(**constraints: Any) -> Brief:
    body = {"keywords": ["cold brew", "burr grinder"], "constraints": constraints}
    return make_brief(parse_generate_request(body), max_words=constraints.get("maxWords", 400))


class Writer(Model):
    """Answers by ``answer(prompt, piece, times)``, the piece by its name or by what it is to
    explain, asked for the so-manieth time, from 0."""

    name = "scripted"
    concurrency = 1

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.asked: Counter[str] = Counter()
        self.prompts: list[tuple[str, Prompt]] = []

    def complete(self, prompt: Prompt) -> Completion:
        piece = _piece(prompt)
        times = self.asked[piece]
        self.asked[piece] += 1
        self.prompts.append((piece, prompt))
        return self._answer(prompt, piece, times)

    def ping(self) -> None:
        """Always there."""


def _piece(prompt: Prompt) -> str:
    if prompt.schema is not None:
        return prompt.schema_name
    (task,) = (line for line in prompt.user.splitlines() if line.startswith("Write one paragraph"))
    if "It is the introduction" in task:
        return INTRODUCTION
    if "It is the end" in task:
        return CONCLUSION
    return re.sub(r"^Write one paragraph of .*? sentences?\. ", "", task)


def behaving(piece: str, behaviours: Sequence[str]) -> Answer:
    """One piece by these behaviours, one after the other; all else, and it after that, is good."""

    def answer(prompt: Prompt, asked: str, times: int) -> Completion:
        bad = asked == piece and times < len(behaviours)
        return scripted(prompt, behaviours[times] if bad else "good")

    return answer


def only(piece: str, text: str) -> Answer:
    """One piece is always this text."""
    return lambda prompt, asked, _: Completion(text) if asked == piece else scripted(prompt)


def test_a_model_that_writes_well_at_once_is_asked_once_for_each_piece() -> None:
    model = Writer(lambda prompt, _piece, _times: scripted(prompt))
    written = write_post(model, brief(includeFAQs=True), seed=1)
    assert set(model.asked.values()) == {1}
    assert {"outline", "title", "faqs", "description", INTRODUCTION} <= set(model.asked)
    assert written.quality.revision_count == 0
    assert written.effort.calls == len(model.prompts)


def test_only_the_failed_piece_is_asked_for_again_with_the_findings_as_instructions() -> None:
    """ "only the failed pieces are asked for again, with the findings as instructions"."""
    model = Writer(behaving(INTRODUCTION, ["link"]))
    written = write_post(model, brief(), drafts=1, seed=1)
    assert {piece for piece, times in model.asked.items() if times > 1} == {INTRODUCTION}
    (first, second) = (prompt for piece, prompt in model.prompts if piece == INTRODUCTION)
    assert SENT_BACK not in first.user
    told = second.user.partition(SENT_BACK)[2]
    assert "www.example.com" in told
    assert first.seed != second.seed
    assert written.quality.revision_count == 1
    assert "example.com" not in written.post.sections[0].content_markdown


def test_further_drafts_of_a_round_are_no_revisions() -> None:
    """ "best of n for small models; … the budget of 2 revisions is the public revisionCount"."""
    model = Writer(behaving(INTRODUCTION, ["link", "html"]))
    written = write_post(model, brief(), drafts=3, seed=1)
    assert model.asked[INTRODUCTION] == 3
    assert written.quality.revision_count == 0


@pytest.mark.parametrize("drafts", [1, 2, 3])
def test_what_still_fails_after_two_revisions_is_refused_with_its_findings(drafts: int) -> None:
    model = Writer(behaving(INTRODUCTION, ["link"] * 99))
    with pytest.raises(ContentQualityFailed) as caught:
        write_post(model, brief(), drafts=drafts, seed=1)
    assert model.asked[INTRODUCTION] == drafts * (1 + MAX_REVISIONS)
    assert caught.value.details is not None
    (finding,) = caught.value.details["findings"]
    assert (finding["check"], finding["section"]) == ("link", "sections[0]")


def test_of_several_drafts_the_one_with_the_fewest_blockers_is_kept() -> None:
    worse = "See example.com and TODO. "
    texts = [worse + "It is one.", "See example.com. It is two. It is.", worse + "It is three."]

    def answer(prompt: Prompt, piece: str, times: int) -> Completion:
        return Completion(texts[times % 3]) if piece == CONCLUSION else scripted(prompt)

    with pytest.raises(ContentQualityFailed) as caught:
        write_post(Writer(answer), brief(), seed=1)
    assert caught.value.details is not None
    assert {finding["check"] for finding in caught.value.details["findings"]} == {"link"}


def test_a_revision_makes_no_piece_worse_than_it_was() -> None:
    """A paragraph that is good by itself is sent back as the post lacks a keyword; its writer
    does worse then, and the better version stays."""
    carrier = ""

    def answer(prompt: Prompt, piece: str, times: int) -> Completion:
        nonlocal carrier
        if piece.startswith("It belongs") and 'Use the phrase "burr grinder"' in prompt.user:
            carrier = carrier or piece
            if piece == carrier and times < 3:
                return scripted(prompt, "missing_keyword")
            if piece != carrier:
                return scripted(prompt, "script")
        return scripted(prompt)

    written = write_post(Writer(answer), brief(), seed=1)
    assert written.quality.revision_count == 1
    assert all(note.covered for note in written.post.coverage_notes.keyword_coverage)


def test_a_keyword_that_one_paragraph_never_takes_goes_to_another() -> None:
    carrier = ""

    def answer(prompt: Prompt, piece: str, _times: int) -> Completion:
        nonlocal carrier
        if 'Use the phrase "burr grinder"' in prompt.user:
            carrier = carrier or piece
        return scripted(prompt, "missing_keyword" if piece == carrier else "good")

    written = write_post(Writer(answer), brief(), seed=1)
    assert written.quality.revision_count == 1
    assert all(note.covered for note in written.post.coverage_notes.keyword_coverage)


def test_a_post_that_is_too_short_gets_further_paragraphs_and_keeps_what_it_has() -> None:
    def answer(prompt: Prompt, piece: str, _times: int) -> Completion:
        if piece.startswith("It belongs") and "everyday practice" not in piece:
            text = scripted(prompt).text
            # As few words as a paragraph of three sentences can have.
            return Completion(". ".join(text.split(". ")[:3]).rstrip(".") + ".")
        return scripted(prompt)

    short = brief(maxWords=400, minWords=330)
    model = Writer(answer)
    written = write_post(model, short, seed=1)
    assert written.quality.revision_count >= 1
    first_round = [piece for piece, times in model.asked.items() if times == 1]
    assert any("everyday practice" in piece for piece in first_round)
    before = [piece for piece in model.asked if piece.startswith("It belongs")]
    assert len(before) > sum(short.paragraphs)
    bodies = [section.content_markdown for section in written.post.sections]
    assert sum(text.count("\n\n") + 1 for text in bodies[1:-1]) == len(before)


def test_answers_that_cannot_be_read_are_asked_for_again_and_then_named() -> None:
    model = Writer(behaving("outline", ["bad_json", "wrong_schema"]))
    assert write_post(model, brief(), seed=1).quality.revision_count == 0
    with pytest.raises(ContentQualityFailed, match="No answer could be read"):
        write_post(Writer(behaving("outline", ["bad_json"] * 99)), brief(), seed=1)


@pytest.mark.parametrize("behaviour", ["refusal", "refusal_text"])
@pytest.mark.parametrize("piece", ["outline", "description", INTRODUCTION])
def test_a_refusal_anywhere_ends_it(behaviour: str, piece: str) -> None:
    def answer(prompt: Prompt, asked: str, _times: int) -> Completion:
        if asked != piece:
            return scripted(prompt)
        refusal = "I'm sorry, but I can't help with that."
        return Completion("", refusal=refusal) if behaviour == "refusal" else Completion(refusal)

    with pytest.raises(ProhibitedInput):
        write_post(Writer(answer), brief(), seed=1)


def test_out_of_time_no_further_call_is_begun() -> None:
    model = Writer(lambda prompt, _piece, _times: scripted(prompt))
    with pytest.raises(GenerationTimeout, match="not finished within"):
        write_post(model, brief(), timeout_seconds=-1, seed=1)
    assert not model.prompts
