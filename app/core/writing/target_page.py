"""Describe the page that a post leads readers to, for the writer."""

import re

from pydantic import AnyHttpUrl, TypeAdapter

_URL = TypeAdapter(AnyHttpUrl)
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
_EXTENSION = re.compile(r"\.\w{1,5}$")
_WORD = re.compile(r"[^\W_]{1,40}")
_MAX_PATH_WORDS = 12


def in_words(url: str) -> str:
    """Return a page's path and site in words.

    A URL would be an error in a post. User names, queries and fragments are left out, because they
    may contain secrets.
    """
    parts = _URL.validate_python(url)
    site = (parts.unicode_host() or "").removeprefix("www.").partition(".")[0]
    raw = _ESCAPED.sub(lambda code: bytes([int(code[1], 16)]), (parts.path or "").encode())
    path = _EXTENSION.sub("", raw.decode("utf-8", "replace"))
    words = _WORD.findall(path)[:_MAX_PATH_WORDS]
    page = f'the page "{" ".join(words)}" of ' if words else ""
    return f'{page}the website "{site}"'
