"""How endpoints word it that they do not take a parameter."""

from collections.abc import Mapping, Sequence
from typing import Any


def refuse_parameter(
    body: Mapping[str, Any], parameters: Sequence[str], *, vllm: bool
) -> dict[str, Any] | None:
    """The error body for the first of ``parameters`` that a request has; None if it has none."""
    for name in parameters:
        if name == "json_schema":
            if (body.get("response_format") or {}).get("type") == "json_schema":
                return _vllm("response_format") if vllm else _openai(name, body)
        elif body.get(name) is not None:
            return _vllm(name) if vllm else _openai(name, body)
    return None


def _openai(name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    code = "unsupported_parameter"
    message = f"Unsupported parameter: '{name}' is not supported with this model."
    if name == "max_tokens":
        message += " Use 'max_completion_tokens' instead."
    if name == "temperature":
        code = "unsupported_value"
        message = (
            f"Unsupported value: 'temperature' does not support {body[name]} with this model."
            " Only the default (1) value is supported."
        )
    if name in {"response_format", "json_schema"}:
        kind = body["response_format"]["type"]
        name, code = "response_format", "invalid_value"
        message = (
            f"Invalid parameter: 'response_format' of type '{kind}' is not supported with this"
            " model. Learn more about supported models at the Structured Outputs guide."
        )
    error = {"message": message, "type": "invalid_request_error", "param": name, "code": code}
    return {"error": error}


def _vllm(name: str) -> dict[str, Any]:
    message = (
        f"[{{'type': 'extra_forbidden', 'loc': ('body', '{name}'), 'msg': 'Extra inputs are not"
        " permitted', 'input': '…'}]"
    )
    return {"object": "error", "message": message, "type": "BadRequestError", "param": None,
            "code": 400}  # fmt: skip
