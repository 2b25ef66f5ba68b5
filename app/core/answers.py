"""Reading what a model wrote: its words without what it wraps around them."""

import json
import re
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

from app.core.text import sentences


class UnreadableAnswer(ValueError):
    """An answer that is not the JSON that was asked for; the message says how."""


_FENCE = re.compile(r"^```[ \t]*[a-z]*[ \t]*\n?|\n?[ \t]*```$", re.IGNORECASE)
# JSON can spell half a character; no database and no page can hold one.
_HALF = re.compile("[\ud800-\udfff]")
_HEADING_LINE = re.compile(r"^\s{0,3}#{1,6}\s[^\n]*\n+")
_EMPHASIS = re.compile(
    r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1|(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"
)
_QUOTES = {'"': '"', "“": "”", "'": "'"}


def tidy(text: str) -> str:
    """Take off what a model wraps around its words: fences, a heading line, bold, quotes.

    A character that cannot be stored becomes U+FFFD, which the checks refuse.
    """
    text = _HALF.sub("\N{REPLACEMENT CHARACTER}", text)
    text = _FENCE.sub("", text.strip()).strip()
    text = _HEADING_LINE.sub("", text)
    text = _EMPHASIS.sub(lambda match: match.group(2) or match.group(3), text)
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1]
    return " ".join(text.split())


def tidy_all(value: Any) -> Any:
    """The same for every string of a decoded answer."""
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, list):
        return [tidy_all(entry) for entry in value]
    if isinstance(value, dict):
        return {key: tidy_all(entry) for key, entry in value.items()}
    return value


def whole_sentences(text: str, language: str) -> str:
    """Drop the last sentence of an answer that ran out of tokens."""
    parts = sentences(text, language)
    return text[: parts[-2].span[1]] if len(parts) > 1 else text


def load(answer: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Decode an answer to a prompt with a schema; an endpoint's promise to keep it is not believed.

    Raises:
        UnreadableAnswer: not JSON, or not of that shape.
    """
    try:
        value = json.loads(_FENCE.sub("", answer.strip()))
        # Not jsonschema.validate, which first checks the schema, each time anew: it is ours.
        if error := best_match(Draft202012Validator(schema).iter_errors(value)):
            raise error
    except RecursionError:
        raise UnreadableAnswer("not JSON: nested too deeply") from None
    except ValueError as error:
        raise UnreadableAnswer(f"not JSON: {error}") from None
    except ValidationError as error:
        raise UnreadableAnswer(f"{error.json_path}: {error.message[:200]}") from None
    return dict(tidy_all(value))
