"""What endpoints do on the wire: answers that do not end, and errors about a parameter."""

import gzip
from collections.abc import Iterator, Mapping
from itertools import chain, repeat
from typing import Any

HOSTILE = ("drip_head", "drip_body", "blanks", "huge", "gzip")
_HUGE_BYTES = 512 * 1024 * 1024
_CHUNK = b" " * 65_536
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def hostile(behaviour: str) -> Iterator[bytes]:
    """Return the parts of an answer, in order; of one that drips without an end."""
    if behaviour == "drip_head":
        return chain([b"HTTP/1.1 200 OK\r\nX-Wait: "], repeat(b"w"))
    if behaviour == "drip_body":
        return chain([_HEAD % 1_000_000 + b'{"id": "'], repeat(b"w"))
    if behaviour == "blanks":
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        return chain([chunked], repeat(b"1\r\n \r\n"))
    if behaviour == "gzip":
        body = gzip.compress(_CHUNK)
        head = _HEAD.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
        return iter([head % len(body) + body])
    return chain([_HEAD % _HUGE_BYTES], repeat(_CHUNK, _HUGE_BYTES // len(_CHUNK)))


def refuse_parameter(body: Mapping[str, Any], name: str, *, vllm: bool) -> dict[str, Any]:
    """Return the error body for a parameter that a request has, as OpenAI or vLLM words it."""
    if vllm:
        message = (
            f"[{{'type': 'extra_forbidden', 'loc': ('body', '{name}'), 'msg': 'Extra inputs are not"
            " permitted', 'input': '…'}]"
        )
        error = {"message": message, "type": "BadRequestError", "param": None, "code": 400}
        return {"object": "error", **error}
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
    error = {"message": message, "type": "invalid_request_error", "param": name, "code": code}
    return {"error": error}
