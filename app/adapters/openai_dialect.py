"""The features of the OpenAI protocol that one endpoint supports, learned from its errors.

Endpoints differ: some need max_completion_tokens for max_tokens, some reject temperature, seed or
stop, some response_format. Copydesk does not guess from a model's name: it sends all parameters at
first, and drops those that a 400 names.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.core.writing.completion import Prompt

# Added to the token limit of a model that reasons before it writes.
_THINKING_TOKENS = 8000
_LENGTHS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": None}
_FORMATS = {"json_schema": "json_object", "json_object": None}
_SCHEMA = "Answer with one JSON object and nothing else. It fits this JSON schema:"
_OPTIONAL = frozenset(
    {"temperature", "seed", "stop", "reasoning_effort", "logprobs", "top_logprobs"}
)
# The most that OpenAI's API gives.
_ALTERNATIVES = 20
# Some endpoints report the parameter under an internal name.
_OTHER_NAMES = {
    "json_schema": "response_format",
    "json_object": "response_format",
    "guided_json": "response_format",
    "structured_outputs": "response_format",
}
# These errors name a parameter too, but leaving it out would not help.
_TOO_LONG = re.compile(r"context.length|context.window|too large|too long|exceed", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """The supported features.

    ``length`` and ``format`` are the parameter forms still believed to work, or None. ``thinks`` is
    true for a model that reasons before it writes; ``explains`` if the endpoint accepts the schema
    as a parameter but ignores it, so that the prompt must have it.
    """

    length: str | None = "max_tokens"
    format: str | None = "json_schema"
    refused: frozenset[str] = frozenset()
    thinks: bool = False
    explains: bool = False

    def arguments(self, prompt: Prompt) -> dict[str, Any]:
        """Return the arguments of the API call for a prompt."""
        thinks = self.thinks or self.length == "max_completion_tokens"
        optional: dict[str, Any] = {"temperature": prompt.temperature, "seed": prompt.seed}
        if prompt.stop and not self.thinks:  # it would stop the thoughts
            optional["stop"] = list(prompt.stop)
        if prompt.yes_or_no:
            optional |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
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
                user += f"\n\n{_SCHEMA}\n{json.dumps(prompt.schema, ensure_ascii=False)}"
        sent["messages"] = [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": user},
        ]
        return sent

    def without(self, parameter: str) -> "Dialect":
        """Return the dialect to try after an endpoint refused ``parameter``."""
        if parameter == self.length:
            return replace(self, length=_LENGTHS[parameter])
        if parameter == "response_format" and self.format is not None:
            return replace(self, format=_FORMATS[self.format])
        return replace(self, refused=self.refused | {parameter})


def refused_parameter(status_body: object, sent: Mapping[str, Any]) -> str | None:
    """Return the sent parameter that a 400 or 422 rejects; None for any other error."""
    body = status_body if isinstance(status_body, dict) else {}
    words = json.dumps(status_body, default=str)
    if _TOO_LONG.search(words):
        return None
    candidates = sent.keys() & (_OPTIONAL | _LENGTHS.keys() | {"response_format"})
    named = str(body.get("param") or "").split(".")[0]
    if named in candidates:
        return named
    aliases = {name: name for name in candidates}
    if "response_format" in sent:
        aliases |= _OTHER_NAMES
    found = re.search(rf"(?<!\w)(?:{'|'.join(sorted(aliases))})(?!\w)", words)
    return aliases[found.group()] if found else None
