"""Good answers for any JSON schema: the field names say what kind of text they want."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.scripted_model.prose import Writer
from tests.support.scripted_model.requirements import Requirements

Prose = Callable[[str], str]

_KINDS = {
    "title": {"title", "h1", "seo_title", "meta_title", "metatitle"},
    "heading": {"heading", "headings", "h2", "subheading", "section"},
    "description": {"description", "meta_description", "metadescription", "meta", "summary"},
    "question": {"question", "questions"},
    "label": {"label", "labels", "name", "tag", "tags"},
    "point": {"point", "points", "bullet", "bullets", "items"},
}


class Filler:
    """Walks a schema. ``prose`` has the last word on every text that is made of sentences."""

    def __init__(
        self,
        writer: Writer,
        requirements: Requirements,
        prose: Prose,
        *,
        factor: int,
        long_meta: bool,
    ) -> None:
        self._writer = writer
        self._requirements = requirements
        self._prose = prose
        self._factor = factor
        self._long_meta = long_meta
        self._phrases = list(requirements.phrases)
        self._subject = requirements.subject

    def fill(self, schema: Mapping[str, Any]) -> Any:
        """A value that fits the schema."""
        self._root = schema
        return self._value(schema, "")

    def _value(self, schema: Mapping[str, Any], name: str) -> Any:
        if "$ref" in schema:
            return self._value(self._resolve(str(schema["$ref"])), name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._writer.choice(schema["enum"])
        if options := schema.get("anyOf") or schema.get("oneOf"):
            return self._value(next(o for o in options if o.get("type") != "null"), name)
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = next(entry for entry in kind if entry != "null")
        if kind == "object":
            return {key: self._value(sub, key) for key, sub in schema["properties"].items()}
        if kind == "array":
            return [self._value(schema["items"], name) for _ in range(self._count(schema))]
        if kind in {"integer", "number"}:
            low = int(schema.get("minimum", 1))
            return self._writer.number(low, int(schema.get("maximum", low + 9)))
        if kind == "boolean":
            return self._writer.choice((True, False))
        return None if kind == "null" else self._text(name)

    def _count(self, schema: Mapping[str, Any]) -> int:
        low = int(schema.get("minItems", 0))
        return int(schema.get("maxItems", max(low, 3)))

    def _resolve(self, reference: str) -> Mapping[str, Any]:
        found: Any = self._root
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]
        return dict(found)

    def _text(self, name: str) -> str:
        folded = name.lower()
        kind = next((kind for kind, names in _KINDS.items() if folded in names), "text")
        if kind == "title":
            low, high = self._requirements.characters("title", 30, 60)
            title = self._writer.title(low, high, self._next_phrase())
            while self._long_meta and len(title) < high + 30:
                title += f" and {self._writer.heading().lower()}"
            return title
        if kind == "description":
            low, high = self._requirements.characters("description", 121, 156)
            text = self._writer.description(low, high, self._next_phrase())
            while self._long_meta and len(text) < high + 30:
                text += f" {self._writer.sentence()}"
            return self._prose(text)
        if kind == "heading":
            return self._writer.heading(self._once_subject())
        if kind == "question":
            return self._writer.question(self._once_subject())
        if kind == "label":
            return self._writer.label()
        if kind == "point":
            return self._writer.point()
        count = (self._requirements.sentences or 2) * self._factor
        phrases = [phrase] if (phrase := self._next_phrase()) else []
        return self._prose(self._writer.paragraph(count, phrases))

    def _next_phrase(self) -> str | None:
        return self._phrases.pop(0) if self._phrases else None

    def _once_subject(self) -> str | None:
        """The subject for the first heading or question, as a writer would."""
        subject, self._subject = self._subject, None
        return subject
