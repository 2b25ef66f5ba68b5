"""Texts without a defect, into which defects are planted."""

from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).with_name("carriers")


@dataclass(frozen=True)
class Carrier:
    """A Markdown text with one paragraph, list item or heading on each line."""

    name: str
    language: str
    text: str


def carriers(half: str) -> list[Carrier]:
    """Return the texts of a part, `tuned`, `aside` or `unseen`; `pain.fr.md` is in French."""
    found = []
    for path in sorted((_FOLDER / half).glob("*.md")):
        name, _, language = path.stem.partition(".")
        found.append(Carrier(name, language or "en", path.read_text(encoding="utf-8")))
    return found
