"""What one endpoint takes of the OpenAI protocol, learned from what it refuses.

Endpoints differ: some want max_completion_tokens for max_tokens, some take no temperature, seed or
stop, some no response_format. Nothing is guessed from a model's name: all is asked for at first,
and what a 400 names is done without from then on.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.core.completion import Prompt

# A model that thinks before it writes spends the ceiling on its thoughts: this much goes on top.
_THINKING_TOKENS = 8000
_LENGTHS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": None}
_FORMATS = {"json_schema": "json_object", "json_object": None}
_OPTIONAL = frozenset({"temperature", "seed", "stop", "reasoning_effort"})
# Some endpoints name the parameter by what they make of it.
_OTHER_NAMES = {
    "json_schema": "response_format",
    "json_object": "response_format",
    "guided_json": "response_format",
    "structured_outputs": "response_format",
}
# These name a parameter too, but leaving it out would not help.
_TOO_LONG = re.compile(r"context.length|context.window|too large|too long|exceed", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """``length`` and ``format`` are the forms that are still thought to be taken, None for none.

    ``thinks`` is true of a model that was seen to think before it writes; ``explains`` when the
    schema stands in the prompt although the endpoint took it as a parameter.
    """

    length: str | None = "max_tokens"
    format: str | None = "json_schema"
    refused: frozenset[str] = frozenset()
    thinks: bool = False
    explains: bool = False

    def arguments(self, prompt: Prompt) -> dict[str, Any]:
        """What to send for a prompt."""
        thinks = self.thinks or self.length == "max_completion_tokens"
        optional: dict[str, Any] = {"temperature": prompt.temperature, "seed": prompt.seed}
        if prompt.stop and not self.thinks:  # it would stop the thoughts
            optional["stop"] = list(prompt.stop)
        if self.length == "max_completion_tokens":
            optional["reasoning_effort"] = "low"
        sent = {key: value for key, value in optional.items() if key not in self.refused}
        if self.length is not None:
            sent[self.length] = prompt.max_tokens + (_THINKING_TOKENS if thinks else 0)
        user = prompt.user
        if prompt.schema is not None:
            if self.format == "json_schema":
                schema = {"name": prompt.schema_name, "strict": True, "schema": prompt.schema}
                sent["response_format"] = {"type": "json_schema", "json_schema": schema}
            elif self.format == "json_object":
                sent["response_format"] = {"type": "json_object"}
            if self.format != "json_schema" or self.explains:
                user = f"{user}\n\n{_in_words(prompt.schema)}"
        sent["messages"] = [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": user},
        ]
        return sent

    def without(self, parameter: str) -> "Dialect":
        """The next thing to try where a parameter is refused."""
        if parameter == self.length:
            return replace(self, length=_LENGTHS[parameter])
        if parameter == "response_format" and self.format is not None:
            return replace(self, format=_FORMATS[self.format])
        return replace(self, refused=self.refused | {parameter})


def refused_parameter(status_body: object, sent: Mapping[str, Any]) -> str | None:
    """Which of the parameters that were sent a 400 or 422 refuses; None if it is about else."""
    body = status_body if isinstance(status_body, dict) else {}
    words = json.dumps(status_body, default=str)
    if _TOO_LONG.search(words):
        return None
    candidates = {name for name in sent if name in _OPTIONAL | set(_LENGTHS)}
    if "response_format" in sent:
        candidates.add("response_format")
    named = str(body.get("param") or "").split(".")[0]
    if named in candidates:
        return named
    aliases = {name: name for name in candidates}
    if "response_format" in sent:
        aliases |= _OTHER_NAMES
    pattern = "|".join(sorted(aliases))
    found = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", words)
    return aliases[found.group()] if found else None


def _in_words(schema: Mapping[str, Any]) -> str:
    return (
        "Answer with one JSON object and nothing else. It fits this JSON schema:\n"
        f"{json.dumps(schema, ensure_ascii=False)}"
    )
