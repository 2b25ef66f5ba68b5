"""Print docs/reference.md, the API reference, generated from the OpenAPI document.

python tools/reference.py > docs/reference.md
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from markupsafe import Markup

from app.api.docs import operations, with_examples
from app.api.openapi.document import document
from app.api.schema_words import Field, fields, in_words

BASE_URL = "http://127.0.0.1:8000"
_LINK = re.compile(r'<a href="#(\w+)">\w+</a>')
_CODE = re.compile(r"</?code>")


def reference() -> str:
    """Return the reference as Markdown."""
    described = document()
    shapes = described["components"]["schemas"]
    parts = [
        f"# {described['info']['title']} API reference",
        f"Version {described['info']['version']}. This page is generated from"
        " [openapi.json](openapi.json) by `make openapi`. A running service shows it at"
        " `/v1/docs`.",
        described["info"]["description"].strip(),
    ]
    calls = list(operations(described, BASE_URL))
    for tag in described["tags"]:
        parts += [f"## {tag['name']}", tag["description"]]
        for call in calls:
            if tag["name"] in call["tags"]:
                parts += _operation(call, shapes)
        for name, event in described["webhooks"].items():
            if tag["name"] in event["post"]["tags"]:
                parts += _event(name, event["post"], shapes)
    parts += ["## Objects", "The exact rules are in [openapi.json](openapi.json)."]
    for name, schema in shapes.items():
        if "enum" not in schema:
            parts += [f"### {name}", schema.get("description", "")]
            members = fields(schema, shapes)
            parts.append(_fields(members, shapes, schema) if members else _words(schema, shapes))
    return "\n\n".join(part for part in parts if part) + "\n"


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
    yield f"```sh\n{call['curl']}\n```"
    good = [answer for answer in call["answers"] if answer["status"] < "300"]
    for answer in good:
        yield f"**Response {answer['status']}**: {_words(answer['schema'], shapes)}."
        yield answer["description"]
        yield from _examples(answer["examples"])
    errors = [answer for answer in call["answers"] if answer not in good]
    yield _table(
        ["status", "error"],
        ([answer["status"], answer["description"]] for answer in errors),
    )
    headers = sorted({name for answer in call["answers"] for name in answer["headers"]})
    yield f"Response headers: {', '.join(f'`{name}`' for name in headers)}."


def _event(name: str, event: Mapping[str, Any], shapes: Mapping[str, Any]) -> Iterator[str]:
    message = with_examples(event["requestBody"])
    yield f"### Event {name}"
    yield event["description"]
    yield _parameters(event["parameters"], shapes)
    yield f"**Body**: {_words(message['schema'], shapes)}"
    yield from _examples(message["examples"])
    yield _table(
        ["your response", "meaning"],
        ([status, answer["description"]] for status, answer in event["responses"].items()),
    )


def _parameters(parameters: list[Mapping[str, Any]], shapes: Mapping[str, Any]) -> str:
    return _table(
        ["parameter", "in", "type", "description"],
        (
            [
                f"`{each['name']}`" + (" (required)" if each.get("required") else ""),
                each["in"],
                _words(each["schema"], shapes),
                each["description"],
            ]
            for each in parameters
        ),
    )


def _fields(members: list[Field], shapes: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    def description(member: Field) -> str:
        # A member without a description has its object's.
        named = schema["properties"][member.name].get("$ref", "").rpartition("/")[2]
        text = member.description or shapes.get(named, {}).get("description", "")
        return f"{text} Default: `{member.default}`." if member.default else text

    return _table(
        ["member", "type", "description"],
        (
            [
                f"`{member.name}`" + (" (required)" if member.required else ""),
                _markdown(member.kind),
                description(member),
            ]
            for member in members
        ),
    )


def _examples(examples: Mapping[str, str]) -> Iterator[str]:
    for name, text in examples.items():
        yield f"<details><summary>Example: {name}</summary>\n\n```json\n{text}\n```\n\n</details>"


def _words(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> str:
    return _markdown(in_words(schema, shapes))


def _markdown(words: Markup) -> str:
    linked = _LINK.sub(lambda found: f"[{found[1]}](#{found[1].lower()})", str(words))
    return html.unescape(_CODE.sub("`", linked))


def _table(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = [
        " | ".join(re.sub(r"\s+", " ", cell).replace("|", "\\|") for cell in row) for row in rows
    ]
    if not lines:
        return ""
    return (
        "\n".join(
            f"| {line} |" for line in (" | ".join(heads), "|".join(["---"] * len(heads)), *lines)
        )
        .replace("| ---", "|---")
        .replace("--- |", "---|")
    )


if __name__ == "__main__":
    print(reference(), end="")
