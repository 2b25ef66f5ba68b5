"""The API reference as Markdown, made from the OpenAPI document: docs/reference.md, which /v1/docs
shows."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tools.api.document import document
from tools.api.samples import samples

_NAMES = {"integer": "whole number", "boolean": "true or false"}


def reference(base_url: str) -> str:
    """Return the reference as Markdown; ``base_url`` is the address of the service in examples."""
    described = document()
    shapes = described["components"]["schemas"]
    parts = [
        f"# {described['info']['title']} API reference",
        f"Version {described['info']['version']}. This page is made from the OpenAPI document. A"
        " running service has both: `/v1/docs` and `/v1/openapi.json`.",
        described["info"]["description"].strip(),
    ]
    calls = list(_operations(described, base_url))
    for tag in described["tags"]:
        parts += [f"## {tag['name']}", tag["description"]]
        for call in calls:
            if tag["name"] in call["tags"]:
                parts += _operation(call, shapes)
        for name, event in described["webhooks"].items():
            if tag["name"] in event["post"]["tags"]:
                parts += _event(name, event["post"], shapes)
    parts += ["## Objects", "The exact rules are in the OpenAPI document."]
    for name, schema in shapes.items():
        if "enum" not in schema:
            parts += [f"### {name}", schema.get("description", "")]
            parts.append(_members(schema, shapes) or _words(schema, shapes))
    return "\n\n".join(part for part in parts if part) + "\n"


def _operations(described: Mapping[str, Any], base_url: str) -> Iterator[dict[str, Any]]:
    """Yield each operation of the document with its parameters, bodies and samples."""
    for path, item in described["paths"].items():
        for method, operation in item.items():
            parameters = [_found(described, each) for each in operation.get("parameters", [])]
            request = operation.get("requestBody")
            yield {
                **operation,
                "path": path,
                "method": method.upper(),
                "keyed": "security" not in operation,
                "parameters": parameters,
                "request": _with_examples(request) if request else None,
                "samples": samples(f"{base_url}{path}", method, operation),
                "answers": [
                    {"status": status, **answer, **_with_examples(answer)}
                    for status, answer in operation["responses"].items()
                ],
            }


def _found(described: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the node, or the component it refers to."""
    if "$ref" not in node:
        return node
    _, _, group, name = node["$ref"].split("/")
    found: Mapping[str, Any] = described["components"][group][name]
    return found


def _with_examples(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a message's JSON body, and its examples as text."""
    content = message["content"]["application/json"]
    return {
        "schema": content["schema"],
        "examples": {
            name: json.dumps(example["value"], indent=2, ensure_ascii=False)
            for name, example in content["examples"].items()
        },
    }


def _operation(call: Mapping[str, Any], shapes: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {call['summary']}"
    yield f"`{call['method']} {call['path']}`"
    yield call.get("description", "")
    if call["keyed"]:
        yield "Authentication: API key."
    elif "Feed" in call["tags"]:
        yield "Authentication: the content token in the path."
    else:
        yield "Authentication: none."
    yield _parameters(call["parameters"], shapes)
    if request := call["request"]:
        yield f"**Request body**: {_words(request['schema'], shapes)}"
    yield "**Example request**"
    for language, code in call["samples"]:
        yield f"```{language}\n{code}\n```"
    good = [answer for answer in call["answers"] if answer["status"] < "300"]
    for answer in good:
        yield f"**Response {answer['status']}**: {_words(answer['schema'], shapes)}."
        yield answer["description"]
        yield from _examples(answer["examples"])
    errors = [answer for answer in call["answers"] if answer not in good]
    yield _table(
        ["status", "error"], ([answer["status"], answer["description"]] for answer in errors)
    )
    headers = sorted({name for answer in call["answers"] for name in answer["headers"]})
    yield f"Response headers: {', '.join(f'`{name}`' for name in headers)}."


def _event(name: str, event: Mapping[str, Any], shapes: Mapping[str, Any]) -> Iterator[str]:
    message = _with_examples(event["requestBody"])
    yield f"### Event {name}"
    yield event["description"]
    yield _parameters(event["parameters"], shapes)
    yield f"**Body**: {_words(message['schema'], shapes)}"
    yield from _examples(message["examples"])
    yield _table(
        ["your response", "meaning"],
        ([status, answer["description"]] for status, answer in event["responses"].items()),
    )


def _examples(examples: Mapping[str, str]) -> Iterator[str]:
    for name, text in examples.items():
        yield f"<details><summary>Example: {name}</summary>\n\n```json\n{text}\n```\n\n</details>"


def _parameters(parameters: list[Mapping[str, Any]], shapes: Mapping[str, Any]) -> str:
    return _table(
        ["parameter", "in", "type", "description"],
        (
            [
                _named(each["name"], each.get("required", False)),
                each["in"],
                _words(each["schema"], shapes),
                each["description"],
            ]
            for each in parameters
        ),
    )


def _members(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> str:
    """Return the table of the members of an object's schema; "" if it has none."""
    required = schema.get("required", [])
    return _table(
        ["member", "type", "description"],
        (
            [_named(name, name in required), _words(member, shapes), _description(member, shapes)]
            for name, member in schema.get("properties", {}).items()
        ),
    )


def _named(name: str, required: bool) -> str:
    return f"`{name}`{' (required)' if required else ''}"


def _description(member: Mapping[str, Any], shapes: Mapping[str, Any]) -> str:
    # A member without a description has its object's.
    named = shapes.get(member.get("$ref", "").rpartition("/")[2], {})
    text = member.get("description") or named.get("description", "")
    default = member.get("default")
    if default is None or default == []:
        return str(text)
    return f"{text} Default: {_code(default)}."


def _words(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> str:
    """Return a type in words: ``array of 1 to 20 Keyword``, with links to named schemas."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if "enum" in shapes[name]:
            return _words(shapes[name], shapes)
        return f"[{name}](#{name.lower()})"
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        # Null counts as absent; the introduction says so once for all requests.
        real = (_words(choice, shapes) for choice in choices if choice.get("type") != "null")
        return " or ".join(real)
    if "const" in schema:
        return _code(schema["const"])
    if "enum" in schema:
        return ", ".join(map(_code, schema["enum"]))
    if schema.get("type") == "array":
        count = _range(schema, "minItems", "maxItems")
        return f"array of {count}{' ' if count else ''}{_words(schema['items'], shapes)}"
    kind = str(schema.get("type", "any value"))
    name = _NAMES.get(kind, kind)
    if kind == "integer":
        bounds = _range(schema, "minimum", "maximum")
        return f"{name}, {bounds}" if bounds else name
    if "maxLength" in schema:
        return f"{name}, at most {schema['maxLength']:,} characters"
    return name


def _range(schema: Mapping[str, Any], lowest: str, highest: str) -> str:
    low, high = schema.get(lowest), schema.get(highest)
    if high is None:
        return f"{low:,} or more" if low else ""
    return f"{low:,} to {high:,}" if low is not None else f"at most {high:,}"


def _code(value: Any) -> str:
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _table(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = [
        " | ".join(re.sub(r"\s+", " ", cell).replace("|", "\\|") for cell in row) for row in rows
    ]
    if not lines:
        return ""
    rule = "|".join(["---"] * len(heads))
    return "\n".join([f"| {' | '.join(heads)} |", f"|{rule}|", *(f"| {line} |" for line in lines)])
