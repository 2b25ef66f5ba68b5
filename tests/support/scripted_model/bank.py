"""The bank of prose: what posts, plans and planted faults consist of, from ``bank/*.toml``."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "bank"


@dataclass(frozen=True)
class Paragraph:
    """``point`` says what its sentences tell."""

    point: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Theme:
    """What a section can be about. One of the headings has a place for a keyword, {k}."""

    name: str
    headings: tuple[str, ...]
    purpose: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True)
class Fault:
    """A sentence to plant. Of a contradiction, ``first`` stands earlier in the text."""

    kind: str
    text: str
    problem: str
    fix: str
    first: str = ""


@cache
def themes() -> tuple[Theme, ...]:
    """Return the themes, in the order in which a reader needs them."""
    return tuple(
        Theme(
            entry["name"],
            tuple(entry["headings"]),
            entry["purpose"],
            tuple(
                Paragraph(paragraph["point"], tuple(paragraph["text"].strip().splitlines()))
                for paragraph in entry["paragraph"]
            ),
        )
        for entry in _read("themes")["theme"]
    )


@cache
def parts() -> Mapping[str, Any]:
    """Return what stands around the sections."""
    return _read("parts")


@cache
def wording() -> Mapping[str, Sequence[str]]:
    """Return words, each with those that can replace it."""
    words: Mapping[str, Sequence[str]] = _read("wording")["words"]
    return words


@cache
def faults() -> tuple[Fault, ...]:
    """Return the faults of all kinds."""
    return tuple(
        Fault(kind=kind, **entry) for kind, entries in _read("faults").items() for entry in entries
    )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text())
