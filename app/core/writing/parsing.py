"""Parse a model's answers: extract the content without its wrapping."""

import json
import re
from collections.abc import Mapping
from itertools import compress
from operator import not_
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match


class UnreadableAnswer(ValueError):
    """An answer that is not the JSON that was asked for; the message says how."""


# The member of an answer that has the entries without the form of the schema.
MALFORMED = "malformed"
_FENCE = "```"
_OPENING_FENCE = re.compile(r"```[ \t]*[a-z]*[ \t]*\n?", re.IGNORECASE)
# More than any part of a post has; what comes after it is not looked at.
MAX_TEXT_CHARS = 20_000
# JSON can spell half a character; no database and no page can hold one.
_HALF = re.compile("[\ud800-\udfff]")
_HEADING_LINE = re.compile(r"^\s{0,3}#{1,6}\s[^\n]*\n+")
_EMPHASIS = re.compile(
    r"(\*\*|__)(?=\S)(.{1,1000}?)(?<=\S)\1"
    r"|(?<![\w*])\*(?=\S)([^*\n]{1,1000}?)(?<=\S)\*(?![\w*])"
)
_QUOTES = {'"': '"', "“": "”", "'": "'"}
_INTEGER = re.compile(r"\s*\d{1,9}\s*", re.ASCII)


def tidy(text: str) -> str:
    """Remove what models wrap around text: fences, a heading line, bold, quotation marks.

    Characters that cannot be stored become U+FFFD, which the checks reject. Only the first 20,000
    characters are kept.
    """
    text = _HALF.sub("\N{REPLACEMENT CHARACTER}", text.strip()[:MAX_TEXT_CHARS])
    text = _unfenced(text).strip()
    text = _HEADING_LINE.sub("", text)
    text = _EMPHASIS.sub(lambda match: match.group(2) or match.group(3), text)
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1]
    return " ".join(text.split())


def _unfenced(text: str) -> str:
    opening = _OPENING_FENCE.match(text)
    return text[opening.end() if opening else 0 :].removesuffix(_FENCE)


def tidy_all(value: Any) -> Any:
    """Apply ``tidy`` to every string of a decoded answer."""
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, list):
        return [tidy_all(entry) for entry in value]
    if isinstance(value, dict):
        return {key: tidy_all(entry) for key, entry in value.items()}
    return value


def load(answer: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Decode an answer and validate it, since endpoints do not always keep to the schema.

    What they add or write differently is no reason to pay for another answer: members nobody asked
    for are dropped, as is an object around all of it; a number may be a string, a word of a choice
    capitalised, and an empty list or a zero left out or null. In a list of objects that may be
    empty, the well-formed entries stay; the others are in the member ``MALFORMED``.

    Raises:
        UnreadableAnswer: the answer is not JSON, or does not match the schema.
    """
    try:
        value = _fitted(json.loads(_unfenced(answer.strip())), schema)
        malformed = _set_aside(value, schema)
        # Not jsonschema.validate, which checks our own, known schema on every call.
        if error := best_match(Draft202012Validator(schema).iter_errors(value)):
            raise error
    except RecursionError:
        raise UnreadableAnswer("not JSON: nested too deeply") from None
    except ValueError as error:
        raise UnreadableAnswer(f"not JSON: {error}") from None
    except ValidationError as error:
        raise UnreadableAnswer(f"{error.json_path}: {error.message[:200]}") from None
    return dict(tidy_all(value)) | ({MALFORMED: malformed} if malformed else {})


def _set_aside(value: Any, schema: Mapping[str, Any]) -> list[Any]:
    """Remove the malformed entries from the lists of an answer that have others, and return
    them."""
    removed: list[Any] = []
    for name, listed in schema.get("properties", {}).items() if isinstance(value, dict) else ():
        items, entries = listed.get("items", {}), value.get(name)
        if items.get("type") != "object" or listed.get("minItems") or not isinstance(entries, list):
            continue
        valid = [Draft202012Validator(items).is_valid(each) for each in entries]
        if any(valid):
            value[name] = list(compress(entries, valid))
            removed += compress(entries, map(not_, valid))
    return removed


def _fitted(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a decoded answer in the form of the schema, as far as its meaning is plain."""
    properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    if isinstance(value, dict) and properties:
        if len(value) == 1 and not properties.keys() & value.keys():
            (inner,) = value.values()
            return _fitted(inner, schema) if isinstance(inner, dict) else value
        given = {name: value[name] for name in properties if value.get(name) is not None}
        if given:  # an object without any of the members is another answer, not an empty one
            empty = {name: _nothing(each) for name, each in properties.items()}
            given = {name: each for name, each in empty.items() if each is not None} | given
        return {name: _fitted(each, properties[name]) for name, each in given.items()}
    if isinstance(value, list) and "items" in schema:
        return [_fitted(each, schema["items"]) for each in value]
    if isinstance(value, str):
        if schema.get("type") == "integer" and _INTEGER.fullmatch(value):
            return int(value)
        chosen = "_".join(value.casefold().replace("-", " ").split())
        return chosen if chosen in schema.get("enum", ()) else value
    return value


def _nothing(schema: Mapping[str, Any]) -> Any:
    """Return the value that says nothing: an empty list or 0; None for texts, and for lists that
    must not be empty."""
    if schema.get("type") == "array" and not schema.get("minItems"):
        return []
    return 0 if schema.get("type") == "integer" else None
