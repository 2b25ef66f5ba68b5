"""How alike texts are, by their embeddings from llama.cpp's server."""

from operator import mul
from typing import Any

import openai

from app.core.writing.completion import Completion, Prompt

# The embeddings have a length of 1, so more digits say nothing.
_DIGITS = 4


def cosines(client: openai.OpenAI, model: str, prompt: Prompt) -> Completion:
    """Return a completion with the cosine of each compared text of a prompt with each other.

    Raises:
        openai.OpenAIError: the endpoint failed.
    """
    answer = client.post(
        "/embeddings",
        cast_to=dict[str, Any],
        body={"model": model, "input": list(prompt.compared)},
    )
    try:
        placed = sorted(answer["data"], key=lambda each: int(each["index"]))
        found = [[float(value) for value in each["embedding"]] for each in placed]
        if len(found) != len(prompt.compared):
            return Completion("", model=model)
        return Completion(
            "",
            cosines=[
                [round(sum(map(mul, one, other)), _DIGITS) for other in found] for one in found
            ],
            prompt_tokens=int(answer["usage"]["prompt_tokens"]),
            model=model,
        )
    except (LookupError, TypeError, ValueError):
        return Completion("", model=model)
