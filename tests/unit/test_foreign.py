"""A paragraph on another subject does not pass, even if no editor reads the post."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.adapters.openai_model import OpenAIModel
from app.core.checks import Kind, Passage, ScorePart
from app.core.writing.completion import Completion, Prompt
from app.core.writing.foreign import Cosines, comparison_prompt, foreign_paragraphs
from app.core.writing.profile import LARGE
from app.deadline import Deadline
from app.services.pipeline import PostRejected, Writers, Written, write_post
from tests.support.scripted_calls import BRIEF, ScriptedModel
from tests.unit.test_openai_model import KEY, Canned, adapter, ask, serving

JUDGED = replace(LARGE, least_sense=0.875)
ASKED = comparison_prompt(["Cold brew steeps overnight.", "Coffee tastes mild."])
COFFEE = [
    f"Coffee that steeps in cold water overnight tastes {taste}, and the {part} of the recipe is"
    f" easy to change: grind the beans {size}, pour the water slowly, keep the jar in the fridge,"
    " and strain the brew through a paper filter before anybody drinks it in the morning."
    for taste, part, size in (
        ("mild", "first", "fine"), ("sweet", "next", "coarse"), ("round", "last", "well"),
        ("strong", "main", "twice"), ("thin", "small", "late"),
    )
]  # fmt: skip
FOREIGN = (
    "The striker left the pitch after half an hour with a torn muscle, and visitors from three"
    " towns cheered when their team scored twice shortly before half time, won its first trophy in"
    " eleven years and danced with supporters under floodlights until police closed every gate."
)
# Embeddings of any two texts are alike.
ALIKE, UNLIKE = 0.95, 0.75


def texts(paragraphs: Sequence[str]) -> list[Passage]:
    return [Passage(f"sections[{at}]", Kind.PROSE, text) for at, text in enumerate(paragraphs)]


def reader(asked: list[Sequence[str]] | None = None) -> Callable[[Sequence[str]], Cosines]:
    """Return a model to which texts about coffee are alike."""

    def compare(read: Sequence[str]) -> Cosines:
        if asked is not None:
            asked.append(read)
        subjects = ["coffee" if "Coffee" in text else text for text in read]
        return [
            [1.0 if at == to else ALIKE if one == other else UNLIKE for to, other in numbered]
            for numbered in [list(enumerate(subjects))]
            for at, one in numbered
        ]

    return compare


def test_paragraphs_on_one_subject_are_let_through() -> None:
    assert list(foreign_paragraphs(texts(COFFEE), "en", reader())) == []


def test_a_paragraph_on_another_subject_is_found_where_it_stands() -> None:
    """“20 texts by people with a paragraph of another subject in them: none gets through the
    pipeline … with the local model alone”."""
    found = list(foreign_paragraphs(texts([*COFFEE[:2], FOREIGN, *COFFEE[2:]]), "en", reader()))
    assert [(each.check, each.section) for each in found] == [("foreign_paragraph", "sections[2]")]
    assert found[0].part is ScorePart.SUBSTANCE


def test_words_of_its_own_do_not_make_a_paragraph_foreign() -> None:
    said = [*COFFEE, f"Coffee. {FOREIGN}"]
    assert list(foreign_paragraphs(texts(said), "en", reader())) == []


def test_a_long_text_costs_one_call_of_bounded_size() -> None:
    asked: list[Sequence[str]] = []
    long = [f"{text} {'é' * 5_000}" for text in COFFEE * 50]
    found = list(foreign_paragraphs(texts([*long, FOREIGN]), "en", reader(asked)))
    assert [each.section for each in found] == ["sections[250]"]
    assert len(asked) == 1
    assert len(asked[0]) <= 20
    assert all(len(text.encode()) <= 500 for text in asked[0])


@pytest.mark.parametrize("language", ["de", "es", "tlh"])
def test_no_model_is_asked_in_languages_that_were_not_measured(language: str) -> None:
    asked: list[Sequence[str]] = []
    assert list(foreign_paragraphs(texts([*COFFEE, FOREIGN]), language, reader(asked))) == []
    assert asked == []


def test_a_short_text_tells_too_little() -> None:
    asked: list[Sequence[str]] = []
    assert list(foreign_paragraphs(texts([*COFFEE[:2], FOREIGN]), "en", reader(asked))) == []
    assert asked == []


class Comparing(ScriptedModel):
    """Writes the scripted post, and finds its paragraphs unlike each other; or does not tell."""

    def __init__(self, *, tells: bool = True) -> None:
        super().__init__()
        self.tells, self.asked = tells, 0

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        if prompt.compared:
            self.asked += 1
            row = [1.0, *([0.0] * (len(prompt.compared) - 1))]
            cosines = [row[-at:] + row[:-at] for at in range(len(row))]
            return Completion("", cosines=cosines if self.tells else None)
        if prompt.yes_or_no:
            return Completion("Yes", yes=0.99)
        return super().complete(prompt, deadline)


def write(model: Comparing, editor: ScriptedModel | None = None) -> Written:
    return write_post(Writers(model, JUDGED, editor, seed=1), BRIEF, deadline=Deadline(60))


@pytest.fixture
def _short_paragraphs_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.core.writing.foreign._LEAST_WORDS", 15)


@pytest.mark.usefixtures("_short_paragraphs_tell")
def test_a_post_with_a_foreign_paragraph_is_refused() -> None:
    with pytest.raises(PostRejected) as refused:
        write(Comparing())
    assert {each.check for each in refused.value.findings if each.blocks} == {"foreign_paragraph"}


@pytest.mark.usefixtures("_short_paragraphs_tell")
def test_an_endpoint_that_compares_nothing_refuses_nothing() -> None:
    model = Comparing(tells=False)
    assert write(model).quality.status == "pass"
    assert model.asked


@pytest.mark.usefixtures("_short_paragraphs_tell")
def test_where_an_editor_reads_no_paragraphs_are_compared() -> None:
    model = Comparing()
    assert write(model, ScriptedModel()).score.total == 100
    assert model.asked == 0


def test_only_llama_cpp_is_asked_to_compare() -> None:
    with serving(Canned((200, {}))) as server:
        assert ask(adapter(server.base_url), ASKED).cosines is None
    assert server.asked == []


EMBEDDED = {
    "data": [{"index": 1, "embedding": [0.6, 0.8]}, {"index": 0, "embedding": [1.0, 0.0]}],
    "usage": {"prompt_tokens": 9},
}


def test_the_cosines_are_those_of_the_embeddings_in_the_order_of_the_texts() -> None:
    with serving(Canned((200, EMBEDDED))) as server:
        answer = ask(llama_cpp(server.base_url), ASKED)
    assert (answer.cosines, answer.prompt_tokens) == ([[1.0, 0.6], [0.6, 1.0]], 9)
    assert server.asked[0]["input"] == list(ASKED.compared)


@pytest.mark.parametrize(
    "answer",
    [
        {}, {"data": None}, {**EMBEDDED, "data": EMBEDDED["data"][:1]}, {**EMBEDDED, "usage": None},
        {**EMBEDDED, "data": [{"index": 0, "embedding": ["a"]}, {"index": 1, "embedding": [1]}]},
        {**EMBEDDED, "data": [{"index": 0}, {"index": 1}]},
    ],
)  # fmt: skip
def test_an_answer_without_embeddings_tells_nothing(answer: dict[str, Any]) -> None:
    with serving(Canned((200, answer))) as server:
        assert ask(llama_cpp(server.base_url), ASKED).cosines is None


def llama_cpp(base_url: str) -> OpenAIModel:
    return OpenAIModel(base_url, KEY, "local", timeout_seconds=5, concurrency=1, llama_cpp=True)
