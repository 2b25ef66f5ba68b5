"""The scripted model without HTTP."""

from typing import Any

from app.core.writing.completion import Completion, Prompt
from tests.support.scripted_model import behaviours


def scripted(prompt: Prompt, behaviour: str = "good") -> Completion:
    """What it answers to a prompt when it behaves in that way."""
    body: dict[str, Any] = {
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        "seed": prompt.seed,
        "max_tokens": prompt.max_tokens,
    }
    if prompt.schema is not None:
        schema = {"name": prompt.schema_name, "schema": prompt.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return Completion(behaviours.answer(behaviour, body).content or "")
