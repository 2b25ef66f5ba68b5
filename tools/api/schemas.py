"""The JSON Schemas of the document, made from the request and response models."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import core_schema

from app.core.schemas.check import CheckRequest
from app.core.schemas.feed import ConfirmRequest
from app.core.schemas.job import JobRequest
from app.core.schemas.request import GenerateRequest
from tools.api.responses import (
    CheckReport,
    Confirmed,
    ErrorBody,
    Generation,
    Health,
    ItemAvailable,
    ItemList,
    Job,
    JobFailed,
    JobSucceeded,
    NothingNew,
    Readiness,
    Rejected,
    UsageReport,
)

REQUESTS: tuple[type[BaseModel], ...] = (
    GenerateRequest,
    JobRequest,
    CheckRequest,
    ConfirmRequest,
)
ANSWERS: tuple[type[BaseModel], ...] = (
    Generation,
    Job,
    CheckReport,
    UsageReport,
    ItemAvailable,
    NothingNew,
    ItemList,
    Confirmed,
    Rejected,
    ErrorBody,
    Health,
    Readiness,
    JobSucceeded,
    JobFailed,
)
# The public names of bodies. Other models keep their own names.
_PUBLIC_NAMES = {
    "GenerateRequest": "GenerateRequestV1",
    "SEOPost": "SEOPostV1",
    "Generation": "GenerationV1",
    "JobRequest": "JobRequestV1",
    "Job": "JobV1",
    "CheckRequest": "CheckRequestV1",
    "CheckReport": "CheckReportV1",
    "UsageReport": "UsageReportV1",
}
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
    requests: JsonSchemaMode = "validation"
    answers: JsonSchemaMode = "serialization"
    _, made = models_json_schema(
        [*((model, requests) for model in REQUESTS), *((model, answers) for model in ANSWERS)],
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
