"""What endpoints do on the wire: answers that do not end."""

import gzip
from collections.abc import Iterator
from itertools import chain, repeat

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
