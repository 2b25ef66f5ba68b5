"""Ids: a prefix that says what they name, then a ULID, so that they sort by the time of making."""

from ulid import ULID


def new_id(prefix: str) -> str:
    return f"{prefix}_{ULID()}"
