"""Random words do not pass, even if no editor reads the post."""

import contextlib
from dataclasses import replace

import pytest

from app.container import pick_profile
from app.core.checks import Kind, Passage, ScorePart
from app.core.errors import ContentQualityFailed
from app.core.writing.completion import Completion, Prompt
from app.core.writing.profile import LARGE, SMALL
from app.core.writing.sense import nonsense, sense_prompt
from app.deadline import Deadline
from app.services.pipeline import PostRejected, Writers, Written, write_post
from app.settings import Settings
from tests.support.scripted_calls import BRIEF, ScriptedModel
from tests.unit.test_openai_model import Canned, adapter, ask, said, serving

JUDGED = replace(LARGE, least_sense=0.875)
YES_OR_NO = sense_prompt("Cold brew steeps overnight.")


class Judged(ScriptedModel):
    """Writes the scripted post, and hears sense in its paragraphs with this probability."""

    def __init__(self, *heard: float | None) -> None:
        super().__init__()
        self.heard, self.judged = heard, list[str]()

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        if not prompt.yes_or_no:
            return super().complete(prompt, deadline)
        self.judged.append(prompt.user)
        return Completion("Yes", yes=self.heard[len(self.judged) % len(self.heard)])


def write(model: Judged, *, editor: ScriptedModel | None = None, language: str = "en") -> Written:
    brief = replace(BRIEF, language=language)
    return write_post(Writers(model, JUDGED, editor, seed=1), brief, deadline=Deadline(60))


def test_a_post_that_does_not_seem_to_make_sense_is_refused() -> None:
    """“random words, shuffled sentences, word salad … none gets through the pipeline … with the
    local model alone”."""
    with pytest.raises(PostRejected) as refused:
        write(Judged(0.8))
    found = [finding for finding in refused.value.findings if finding.blocks]
    assert {finding.check for finding in found} == {"nonsense"}
    assert {finding.part for finding in found} == {ScorePart.SUBSTANCE}


def test_a_single_clumsy_paragraph_is_no_nonsense() -> None:
    heard = {f"{name} {'word ' * 30}.": value for name, value in (("a", 0.95), ("b", 0.8))}
    texts = [Passage(f"sections[{at}]", Kind.PROSE, text) for at, text in enumerate(heard)]
    assert list(nonsense(texts, "en", 0.85, heard.get)) == []
    found = list(nonsense(texts, "en", 0.92, heard.get))
    assert [finding.section for finding in found] == ["sections[1]"]


@pytest.mark.parametrize("language", ["de", "es"])
def test_no_model_is_asked_in_languages_in_which_it_cannot_tell(language: str) -> None:
    model = Judged(0.1)
    with contextlib.suppress(PostRejected):  # The scripted post is English.
        write(model, language=language)
    assert model.judged == []


@pytest.mark.parametrize(("language", "name"), [("de", "German"), ("pt-BR", "Portuguese")])
def test_a_language_that_a_model_cannot_write_unaided_is_refused_before_a_call(
    language: str, name: str
) -> None:
    model = Judged(0.9)
    writers = Writers(model, SMALL, seed=1)
    brief = replace(BRIEF, language=language)
    with pytest.raises(ContentQualityFailed, match=f"writes {name} only from sources") as refused:
        write_post(writers, brief, deadline=Deadline(60))
    assert refused.value.details == {"field": "language"}
    assert model.judged == model.prompts == []


def test_an_endpoint_that_tells_no_probability_refuses_nothing() -> None:
    assert write(Judged(None)).quality.status == "pass"


def test_where_an_editor_reads_nobody_is_asked_for_the_sense() -> None:
    model = Judged(0.1)
    written = write(model, editor=ScriptedModel())
    assert (model.judged, written.score.total) == ([], 100)


def test_a_post_that_no_editor_read_scores_70_at_most() -> None:
    """“the public number documented and capped where substance was not examined”."""
    written = write(Judged(0.95))
    assert written.quality.score == 70
    assert written.score.parts[ScorePart.SUBSTANCE] is None


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ([("Yes", -0.105), (" yes", -4.0), ("No", -2.303), ("The", -5.0)], 0.90),
        ([("no", -0.01), ("Maybe", -3.0)], 0.0),
        ([("The", -0.1), ("Maybe", -3.0)], None),
        (None, None),
    ],
)
def test_the_probability_of_yes_is_read_from_the_first_token(
    listed: list[tuple[str, float]] | None, expected: float | None
) -> None:
    status, body = said("Yes", "length")
    if listed is not None:
        top = [{"token": token, "logprob": value, "bytes": None} for token, value in listed]
        first = {"token": "Yes", "logprob": -0.105, "bytes": None, "top_logprobs": top}
        body["choices"][0]["logprobs"] = {"content": [first], "refusal": None}
    with serving(Canned((status, body))) as server:
        answer = ask(adapter(server.base_url), YES_OR_NO)
    assert answer.yes == (None if expected is None else pytest.approx(expected, abs=0.01))
    assert (server.asked[0]["logprobs"], server.asked[0]["max_tokens"]) == (True, 1)


def test_a_model_that_only_arranges_sources_refuses_a_request_without_any_before_a_call() -> None:
    model = Judged(0.9)
    writers = Writers(model, replace(SMALL, unaided=()), seed=1)
    with pytest.raises(ContentQualityFailed, match="writes English only from sources") as refused:
        write_post(writers, BRIEF, deadline=Deadline(60))
    assert not refused.value.details
    assert model.judged == model.prompts == []


@pytest.mark.parametrize(
    ("writing", "unaided"), [("auto", ()), ("notes", ()), ("sections", ("en",))]
)
def test_the_local_model_writes_only_from_sources_unless_another_strategy_is_set(
    writing: str, unaided: tuple[str, ...]
) -> None:
    settings = Settings.from_env(
        {"COPYDESK_WRITING": writing, "COPYDESK_LOCAL_MODEL_URL": "http://127.0.0.1:1/v1"}
    )
    assert pick_profile(settings, ScriptedModel()).unaided == unaided
