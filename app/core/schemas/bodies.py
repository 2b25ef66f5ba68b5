"""A decoded body as an object of its model, or the VALIDATION_ERROR that says what is wrong."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from app.core.errors import ValidationFailed
from app.core.schemas.api_model import STORED, ApiModel
from app.core.schemas.problems import problem_of
from app.core.schemas.unknown_members import unknown_members

M = TypeVar("M", bound=ApiModel)


def parse(model: type[M], data: Any, context: object = None) -> M:
    """Return decoded JSON as an object of the model.

    Args:
        context: STORED for what was accepted and stored, perhaps by an earlier version.

    Raises:
        ValidationFailed: The message says what is wrong with the first invalid field;
            ``details.errors`` lists all of them.
    """
    # A misspelt member would be paid for without its effect.
    errors = [
        {"field": path, "problem": f"is unknown; it is probably meant to be {meant}"}
        for path, meant in unknown_members(model, data)
        if meant is not None and context is not STORED
    ]
    try:
        read = model.model_validate(data, by_alias=True, by_name=False, context=context)
    except ValidationError as invalid:
        found = invalid.errors(include_url=False)
        # Pydantic reports an array with invalid entries as too short, too.
        inner = {error["loc"][:-1] for error in found}
        errors += [
            _describe(error)
            for error in found
            if error["type"] != "too_short" or error["loc"] not in inner
        ]
    else:
        if not errors:
            return read
    first = errors[0]
    raise ValidationFailed(
        f"{first['field'] or 'The body'} {first['problem']}.",
        {**first, "errors": errors} if len(errors) > 1 else first,
    )


_BOUNDS = {
    "min_length": "minAllowed",
    "max_length": "maxAllowed",
    "ge": "minAllowed",
    "le": "maxAllowed",
}


def _describe(error: Mapping[str, Any]) -> dict[str, Any]:
    """Return one of pydantic's errors as the members of ``details``."""
    field = ""
    for part in error["loc"]:
        field += f"[{part}]" if isinstance(part, int) else f".{part}" if field else str(part)
    context = error.get("ctx", {})
    described: dict[str, Any] = {"field": field}
    if error["type"] == "enum":
        allowed = str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
        problem = f"must be one of {', '.join(allowed)}"
        described["allowed"] = allowed
    else:
        problem = problem_of(error)
    described |= {_BOUNDS[name]: bound for name, bound in context.items() if name in _BOUNDS}
    described["problem"] = problem
    received = error.get("input")
    if (isinstance(received, int | float) and abs(received) < 1e40) or (
        isinstance(received, str) and len(received) <= 100 and received.isprintable()
    ):
        described["received"] = received
    return described
