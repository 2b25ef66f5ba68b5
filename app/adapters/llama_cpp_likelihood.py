"""How probable a text is behind another one, as llama.cpp's server tells it.

It gives the probabilities of the tokens that it writes, never those of a prompt. So a grammar makes
it write the text, token by token.
"""

from typing import Any

import openai

from app.core.writing.completion import Completion, Prompt

_Answer = dict[str, Any]


def likelihood(client: openai.OpenAI, model: str, prompt: Prompt) -> Completion:
    """Return a completion with the likelihood of a prompt's continuation.

    Raises:
        openai.OpenAIError: the endpoint failed.
    """
    # The server has this path beside /v1.
    told = client.post(
        str(client.base_url.join("/tokenize")),
        cast_to=_Answer,
        body={"content": prompt.continuation},
    )
    try:
        # The letters of a text can be written in other tokens, which are less probable.
        tokens = [int(token) for token in told["tokens"][: prompt.max_tokens]]
    except (LookupError, TypeError, ValueError):
        return Completion("", model=model)
    answer = client.post(
        "/completions",
        cast_to=_Answer,
        body={
            "model": model,
            "prompt": prompt.user,
            "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
            "max_tokens": len(tokens),
            "temperature": 0.0,
            "logprobs": 1,
        },
    )
    try:
        written = answer["choices"][0]["logprobs"]["content"]
        usage = answer["usage"]
        return Completion(
            "",
            likelihood=sum(float(each["logprob"]) for each in written) if tokens else None,
            prompt_tokens=int(usage["prompt_tokens"]),
            completion_tokens=int(usage["completion_tokens"]),
            model=model,
        )
    except (LookupError, TypeError, ValueError):
        return Completion("", model=model)
