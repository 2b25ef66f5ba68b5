"""Read the body of a chat completion; the client of `openai` takes any JSON for one."""

import json
from collections.abc import Mapping
from typing import Any

from app.adapters.openai_errors import NoCompletion
from app.adapters.thoughts import without_thoughts
from app.writing.completion import Completion

# More than any post with its edits.
_MAX_CHARS = 200_000
# More than any call can have.
_MOST_TOKENS = 100_000_000
_THOUGHTS = ("reasoning_content", "reasoning", "thinking", "reasoning_details", "thoughts")
# What endpoints call an answer that ended at a limit of length, and one that was held back.
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "token_limit"})
_REFUSED = frozenset(
    {
        "content_filter", "content_filtered", "refusal", "safety", "prohibited_content",
        "blocklist", "spii", "guardrail_intervened", "moderation", "recitation",
    }
)  # fmt: skip
_INSIDE = (
    "gave no text: the answer ended inside the model's thoughts{where}. Give it more room, or turn"
    " its thoughts off, with the endpoint's own member (COPYDESK_MODEL_BODY)."
)
_ELSEWHERE = (
    "gave no text: the text was in {field}. Turn the model's thoughts off with the endpoint's own"
    " member (COPYDESK_MODEL_BODY)."
)


def read_answer(body: bytes, paid: list[tuple[int, int]]) -> Completion:
    """Return the completion in the body of an answer with status 200.

    ``paid`` gets the tokens of prompt and answer that the endpoint counted, whatever the answer.

    Raises:
        NoCompletion: it is something else, or has no text.
        ValueError, RecursionError: it is not JSON.
    """
    whole = _whole(body)
    tokens = _tokens(whole.get("usage"))
    paid.append(tokens)
    choices = whole.get("choices")
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    if error := choice.get("error") or whole.get("error"):
        raise NoCompletion(body=error)
    message = _object(choice.get("message"))
    refusal = message.get("refusal")
    if not message or not isinstance(refusal, str | None):
        raise NoCompletion(body=None if choices else {"message": whole.get("message")})
    text, thought = without_thoughts(_plain(message.get("content")))
    reason = str(choice.get("finish_reason") or "").lower()
    if reason in _REFUSED:
        refusal = refusal or text or "The endpoint's content filter held the answer back."
    if refusal:
        return Completion(text, refusal)
    if len(text) > _MAX_CHARS:
        why = f"sent a text of more than {_MAX_CHARS:,} characters."
        raise NoCompletion(why, is_final=True)
    if not text:
        raise _without_text(message, thought, reason in _CUT_OFF, tokens[1])
    return Completion(text)


def _whole(body: bytes) -> Mapping[str, Any]:
    if not body.strip():
        raise NoCompletion("answered with an empty body.")
    if body.lstrip().startswith((b"data:", b"event:")):
        why = "answered with a stream of events, although none was requested."
        raise NoCompletion(why, is_final=True)
    found = json.loads(body)
    return _object(found[0] if isinstance(found, list) and found else found)


def _tokens(usage: object) -> tuple[int, int]:
    """Return the tokens of prompt and answer that an endpoint reports, 0 for what it does not.

    Some endpoints count thoughts in the total only.
    """
    prompt, answer, total = (
        count if type(count) is int and 0 <= count <= _MOST_TOKENS else 0
        for count in map(_object(usage).get, ("prompt_tokens", "completion_tokens", "total_tokens"))
    )
    return prompt, max(answer, total - prompt) if prompt else answer


def _without_text(
    message: Mapping[str, Any], thought: bool, cut_off: bool, tokens: int
) -> NoCompletion:
    """Return the error for an answer without a text; it says where the text may be."""
    field = next((name for name in _THOUGHTS if message.get(name)), "")
    if thought or cut_off:
        where = f" ({field})" if field else f" ({tokens:,} tokens)" if tokens else ""
        return NoCompletion(_INSIDE.format(where=where), is_final=True)
    if field:
        return NoCompletion(_ELSEWHERE.format(field=field), is_final=True)
    if message.get("tool_calls") or message.get("function_call"):
        return NoCompletion("answered with a call of a tool instead of a text.", is_final=True)
    return NoCompletion("answered with an empty text. If it does so again, try another model.")


def _plain(content: object) -> str:
    """Return the text of a message; some endpoints send it in parts, thoughts included."""
    if isinstance(content, list):
        parts = (part for part in map(_object, content) if "think" not in str(part.get("type")))
        content = "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return content if isinstance(content, str) else ""


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
