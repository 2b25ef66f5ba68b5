"""Sentences in random order do not pass, even if no editor reads the post."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from app.adapters.openai_model import OpenAIModel
from app.core.checks import Kind, Passage, ScorePart
from app.core.writing.completion import Completion, Prompt
from app.core.writing.order import continuation_prompt, disordered, lifts, makes_up_for_doubt
from app.core.writing.profile import LARGE
from app.deadline import Deadline
from app.services.pipeline import PostRejected, Writers, Written, write_post
from tests.support.scripted_calls import BRIEF, ScriptedModel
from tests.unit.test_openai_model import KEY, Canned, adapter, ask, serving

JUDGED = replace(LARGE, least_sense=0.875)
ASKED = continuation_prompt("Cold brew steeps overnight.", "It tastes mild.")
# No two sentences share a word, so the words tell nothing of the order.
SENTENCES = [
    f"{' '.join(f'{chr(97 + at)}{letter}zu' for letter in 'bcdfghk').capitalize()}."
    for at in range(20)
]
# Each paragraph has a subject of its own.
CLEAR = [
    " ".join(f"The {subject} needs {verb} care from you." for verb in ("some", "more", "much"))
    + f" Then the {subject} will serve you well."
    for subject in ("kettle", "grinder", "filter", "barista", "beans")
]
ORDERED = [" ".join(SENTENCES[at : at + 5]) for at in range(0, 20, 5)]


def texts(paragraphs: list[str]) -> list[Passage]:
    return [Passage(f"sections[{at}]", Kind.PROSE, text) for at, text in enumerate(paragraphs)]


def shuffled() -> list[str]:
    mixed = list(SENTENCES)
    Random(3).shuffle(mixed)
    return [" ".join(mixed[at : at + 5]) for at in range(0, 20, 5)]


def reader(asked: list[str] | None = None) -> Callable[[str, str], float]:
    """Return a model that knows which sentence stood behind which one."""

    def likelihood(before: str, text: str) -> float:
        if asked is not None:
            asked.append(text)
        at = SENTENCES.index(text)
        # No two are equally probable.
        return -20.0 - at % 3 + 10.0 * before.endswith(SENTENCES[at - 1])

    return likelihood


def test_sentences_that_follow_from_one_another_are_let_through() -> None:
    assert list(disordered(texts(ORDERED), "en", reader())) == []


def test_shuffled_sentences_are_found_where_they_stand() -> None:
    """“random words, shuffled sentences, word salad … none gets through the pipeline … with the
    local model alone”."""
    found = list(disordered(texts(shuffled()), "en", reader()))
    assert found
    assert {finding.check for finding in found} == {"disordered"}
    assert {finding.part for finding in found} == {ScorePart.SUBSTANCE}
    assert {finding.section for finding in found} <= {f"sections[{at}]" for at in range(4)}


def test_an_order_makes_up_for_paragraphs_that_sound_senseless() -> None:
    assert makes_up_for_doubt(texts(ORDERED), "en", reader())
    assert not makes_up_for_doubt(texts(shuffled()), "en", reader())


def test_words_that_show_an_order_do_not_make_up_for_doubt() -> None:
    """A text of random words may keep some that come again."""
    asked: list[str] = []

    def heard(_: str, text: str) -> float:
        asked.append(text)
        return -1.0

    assert not lifts(texts(CLEAR), "en", heard)
    assert not asked
    assert not makes_up_for_doubt(texts(CLEAR), "en", heard)
    assert asked


def test_of_a_short_text_nobody_can_tell_whether_its_order_makes_up_for_doubt() -> None:
    assert not makes_up_for_doubt(texts(ORDERED[:1]), "en", reader())


def test_a_long_text_costs_no_more_calls() -> None:
    asked: list[str] = []
    list(disordered(texts(ORDERED * 50), "en", reader(asked)))
    assert 0 < len(asked) <= 28


def test_no_model_is_asked_where_the_words_show_the_order() -> None:
    asked: list[str] = []
    assert list(disordered(texts(CLEAR), "en", reader(asked))) == []
    assert asked == []


@pytest.mark.parametrize("language", ["de", "es", "tlh"])
def test_no_model_is_asked_in_languages_that_were_not_measured(language: str) -> None:
    asked: list[str] = []
    assert list(disordered(texts(shuffled()), language, reader(asked))) == []
    assert asked == []


def test_a_short_text_tells_too_little() -> None:
    asked: list[str] = []
    assert list(disordered(texts(shuffled()[:1]), "en", reader(asked))) == []
    assert asked == []


class Unordered(ScriptedModel):
    """Writes the scripted post, and finds each sentence as probable behind one as behind another;
    or tells no probability."""

    def __init__(self, *, tells: bool = True) -> None:
        super().__init__()
        self.tells, self.asked = tells, 0

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        if prompt.continuation:
            self.asked += 1
            return Completion("", likelihood=-20.0 if self.tells else None)
        if prompt.yes_or_no:
            return Completion("Yes", yes=0.99)
        return super().complete(prompt, deadline)


def write(model: ScriptedModel, editor: ScriptedModel | None = None) -> Written:
    return write_post(Writers(model, JUDGED, editor, seed=1), BRIEF, deadline=Deadline(60))


@pytest.fixture
def _short_posts_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.core.writing.order._LEAST_PAIRS", 5)


@pytest.mark.usefixtures("_short_posts_tell")
def test_a_post_whose_sentences_stand_in_no_order_is_refused() -> None:
    with pytest.raises(PostRejected) as refused:
        write(Unordered())
    assert {each.check for each in refused.value.findings if each.blocks} == {"disordered"}


class Doubting(ScriptedModel):
    """Writes the scripted post, hears no sense in it, but finds its sentences probable behind one
    another: what stands before is asked about with the sentence behind it first."""

    def __init__(self, sense: float) -> None:
        super().__init__()
        self.sense, self.before = sense, list[str]()

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        if prompt.yes_or_no:
            return Completion("Yes", yes=self.sense)
        if not prompt.continuation:
            return super().complete(prompt, deadline)
        is_own = prompt.user not in self.before
        self.before.append(prompt.user)
        return Completion("", likelihood=-10.0 - len(self.before) % 3 - 10.0 * (not is_own))


@pytest.mark.usefixtures("_short_posts_tell")
def test_a_post_that_sounds_senseless_passes_if_its_sentences_follow_from_one_another() -> None:
    model = Doubting(sense=0.85)
    assert write(model).quality.status == "pass"
    assert model.before


@pytest.mark.usefixtures("_short_posts_tell")
def test_nothing_makes_up_for_random_words() -> None:
    model = Doubting(sense=0.82)
    with pytest.raises(PostRejected):
        write(model)
    assert not model.before


@pytest.mark.usefixtures("_short_posts_tell")
def test_an_endpoint_that_tells_no_probability_refuses_nothing() -> None:
    model = Unordered(tells=False)
    assert write(model).quality.status == "pass"
    assert model.asked


@pytest.mark.usefixtures("_short_posts_tell")
def test_where_an_editor_reads_nobody_is_asked_for_the_order() -> None:
    model = Unordered()
    assert write(model, ScriptedModel()).score.total == 100
    assert model.asked == 0


def test_only_llama_cpp_is_asked_for_a_likelihood() -> None:
    with serving(Canned((200, {}))) as server:
        assert ask(adapter(server.base_url), ASKED).likelihood is None
    assert server.asked == []


WRITTEN = {
    "choices": [{"logprobs": {"content": [{"logprob": -1.5}, {"logprob": -0.25}]}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2},
}


def test_the_likelihood_is_that_of_the_tokens_of_the_text() -> None:
    with serving(Canned((200, {"tokens": [7, 8]}), (200, WRITTEN))) as server:
        answer = ask(llama_cpp(server.base_url), ASKED)
    assert (answer.likelihood, answer.prompt_tokens, answer.completion_tokens) == (-1.75, 9, 2)
    tokenized, written = server.asked
    assert tokenized["content"] == " It tastes mild."
    assert (written["prompt"], written["grammar"]) == (ASKED.user, "root ::= <[7]> <[8]>")


@pytest.mark.parametrize(
    "answers",
    [
        [{}], [{"tokens": ["a"]}], [{"tokens": []}, WRITTEN], [{"tokens": [7]}, {}],
        [{"tokens": [7]}, {"choices": []}], [{"tokens": [7]}, {"choices": [{"logprobs": None}]}],
        [{"tokens": [7]}, {**WRITTEN, "choices": [{"logprobs": {"content": [{}]}}]}],
    ],
)  # fmt: skip
def test_an_answer_that_tells_no_likelihood_is_none(answers: list[dict[str, Any]]) -> None:
    with serving(Canned(*((200, answer) for answer in answers))) as server:
        assert ask(llama_cpp(server.base_url), ASKED).likelihood is None


def llama_cpp(base_url: str) -> OpenAIModel:
    return OpenAIModel(base_url, KEY, "local", timeout_seconds=5, concurrency=1, llama_cpp=True)
