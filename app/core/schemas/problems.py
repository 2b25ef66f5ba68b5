"""What is wrong with a value that pydantic refuses, as what follows the name of the value."""

from typing import Any

# For each type of pydantic's errors, with names of the error's context.
_PROBLEMS = {
    "value_error": "{error}",
    "missing": "is required",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode text (a lone surrogate was found)",
    "bool_type": "must be true or false",
    "bool_parsing": "must be on or off",
    **dict.fromkeys(("tuple_type", "list_type"), "must be an array"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "must be a JSON object"),
    **dict.fromkeys(("finite_number", "int_type", "int_parsing"), "must be a whole number"),
    "int_parsing_size": "is too large",
    "float_parsing": "must be a number",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "greater_than": "must be more than {gt:,.0f}",
    "greater_than_equal": "must be at least {ge:,.0f}",
    "less_than_equal": "must be at most {le:,.0f}",
    "literal_error": "must be {expected}",
}


def problem_of(error: Any) -> str:
    """Return what is wrong with a value, such as “must be at most 20”, from one of the errors of a
    ValidationError."""
    form = _PROBLEMS.get(error["type"])
    told = form.format(**error.get("ctx", {})) if form else str(error["msg"])
    return f"{told[:1].lower()}{told[1:]}".replace(" 1 entries", " 1 entry")
