"""SPEC: "When the generation model refuses a request on its own safety grounds, the request ends
with PROHIBITED_INPUT": a refusal is told from prose by its words.
"""

import time

import pytest

from app.core.writing.completion import Completion, Prompt
from app.core.writing.refusals import is_refusal


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that request.",
        "I’m sorry, but I can’t assist with that.",
        "I am sorry, but I cannot help with that.",
        "I'm very sorry. I can't help with this one.",
        "Sorry, I can't do that.",
        "Sorry! I can't create that.",
        "I apologize, but I cannot create content like this.",
        "I apologise, but I am not able to produce this.",
        "Unfortunately, I can't write that for you.",
        "I'm afraid I can't help with that.",
        "I cannot provide instructions for this.",
        "I can not comply with this.",
        "I won't help with that.",
        "I will not write this post.",
        "I'm unable to fulfil this request.",
        "I am unable to fulfill this request.",
        "I'm not able to generate this.",
        "I must decline this request.",
        "I must respectfully decline to write this.",
        "As an AI language model, I cannot support this.",
        '"I cannot engage with this topic."',
        "\n**I can't assist with that.**",
    ],
)
def test_a_refusal_is_recognised(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Cold brew is easy to make at home.",
        "I cannot help but love a good espresso.",
        "I can help you choose a grinder.",
        "I can't drink coffee after noon, and many readers can't either.",
        "Sorry to say, stale beans cannot be rescued.",
        "Unfortunately, cheap grinders wear out within a year.",
        "You can't help everyone, and a filter can't do that either.",
        "Grounds that I cannot provide fresh are frozen.",
        "I must admit that I prefer it cold.",
        "I won a grinder at a fair.",
        "Idiots can't write good recipes.",
    ],
)
def test_prose_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)


def test_a_hostile_text_takes_no_more_than_a_moment() -> None:
    began = time.perf_counter()
    for text in ("as an ai " * 10_000, "I'm sorry, " * 10_000, " " * 100_000, "*" * 100_000):
        is_refusal(text)
    assert time.perf_counter() - began < 5


def test_defaults_of_a_call() -> None:
    prompt = Prompt(system="s", user="u")
    assert (prompt.schema, prompt.stop, prompt.seed) == (None, (), 0)
    completion = Completion(text="t")
    assert (completion.refusal, completion.cut_off) == (None, False)
    assert (completion.prompt_tokens, completion.completion_tokens) == (0, 0)
