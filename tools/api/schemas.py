"""The JSON Schemas of the document, made from the request and response models."""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import core_schema

from app.core.schemas.api_model import ApiModel
from app.core.schemas.check import CheckRequest
from app.core.schemas.feed import ConfirmRequest
from app.core.schemas.job import JobRequest
from app.core.schemas.request import GenerateRequest
from tools.api import responses

_REQUESTS = (GenerateRequest, JobRequest, CheckRequest, ConfirmRequest)
# The bodies whose public names have a version. Other models keep their own names.
_PUBLIC = {"GenerateRequest", "SEOPost", "Generation", "JobRequest", "Job", "CheckRequest"}
_PUBLIC_NAMES = {name: f"{name}V1" for name in (*_PUBLIC, "CheckReport", "UsageReport")}
_PREFIX = "#/components/schemas/"


class _WireSchema(GenerateJsonSchema):
    """JSON Schema of the API: requests treat null as absent, responses never contain null."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> dict[str, Any]:
        if self.mode == "serialization":
            return self.generate_inner(schema["schema"])
        return super().nullable_schema(schema)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> dict[str, Any]:
        described = super().default_schema(schema)
        default = described.pop("default", None)
        if self.mode == "serialization":
            return described
        if schema["schema"]["type"] != "nullable":
            described = self.get_union_of_schemas([described, {"type": "null"}])
        if default is not None and not isinstance(default, dict):
            described["default"] = default
        return described

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        if self.mode == "validation":
            return super().field_is_required(field, total)
        inner: Mapping[str, Any] = field["schema"]
        while inner["type"] == "default":
            inner = inner["schema"]
        return bool(inner["type"] != "nullable")

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def component_schemas() -> dict[str, Any]:
    """Return the schema of every body and of the models it uses, by name."""
    answers = (each for each in vars(responses).values() if isinstance(each, type))
    modes: list[tuple[type[ApiModel], JsonSchemaMode]] = [
        *((model, "validation") for model in _REQUESTS),
        *((each, "serialization") for each in answers if each.__module__ == responses.__name__),
    ]
    _, made = models_json_schema(
        modes,
        by_alias=True,
        ref_template=_PREFIX + "{model}",
        schema_generator=_WireSchema,
    )
    schemas: dict[str, Any] = {}
    for name, schema in made["$defs"].items():
        schema.pop("title", None)
        schemas[_PUBLIC_NAMES.get(name, name)] = _tidy(schema, schemas)
    return dict(sorted(schemas.items()))


def _tidy(node: Any, components: dict[str, Any]) -> Any:
    """Return the node with public names; each titled schema becomes a component."""
    if isinstance(node, list):
        return [_tidy(child, components) for child in node]
    if not isinstance(node, dict):
        return node
    tidied = {key: _tidy(child, components) for key, child in node.items()}
    if "$ref" in tidied:
        name = tidied["$ref"].removeprefix(_PREFIX)
        tidied["$ref"] = _PREFIX + _PUBLIC_NAMES.get(name, name)
    if isinstance(tidied.get("title"), str):
        name = tidied.pop("title")
        if components.setdefault(name, tidied) != tidied:
            raise ValueError(f"two schemas have the title {name}")
        return {"$ref": f"{_PREFIX}{name}"}
    return tidied
