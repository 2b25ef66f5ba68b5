"""What the scripted writer does to a good post, by the name of the behaviour."""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.support.scripted_model.asked import Asked
from tests.support.scripted_model.bank import sentences_of

Change = Callable[[str, Asked], str]

LISTED: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("behaviours.toml").read_text("utf-8")
)
_IN_INTRODUCTION = {**LISTED["introduction"], **LISTED["once"]}
# How false sentences begin; a good reader knows them.
FALSE = ("A survey of 4,812 households", "Experts agree")
_TALK = "Sure, here is a paragraph for you, as an AI model would write it."
# What a good editor takes out wherever it stands, and what an editor with a fault leaves.
PLANTED = (*_IN_INTRODUCTION.values(), *LISTED["sections"].values(), _TALK)
LASTING = frozenset({*LISTED["faults"], *LISTED["introduction"], *LISTED["sections"]})
_INTRODUCTION = 2
_QUOTED_WORDS = 12
_COPIED_CHARS = 300


def _with(text: str, sentence: str, *, everywhere: bool = False) -> str:
    """Return a post with a sentence after the first one of its introduction, or of each section."""
    blocks = text.strip().split("\n\n")
    for at, block in enumerate(blocks):
        is_first = blocks[at - 1].startswith("## ") and not block.startswith("#")
        if at == _INTRODUCTION or (everywhere and is_first):
            first, *rest = sentences_of(block)
            blocks[at] = " ".join([first, sentence, *rest])
    return "\n\n".join(blocks) + "\n"


def _planted(sentence: str, *, everywhere: bool) -> Change:
    return lambda text, _: _with(text, sentence, everywhere=everywhere)


def _short(text: str, _: Asked) -> str:
    title, description, *_rest = text.split("\n\n")
    parts = (title, description, "It helps.", "## How", "Try it.", "## Conclusion", "Begin now.")
    return "\n\n".join(parts) + "\n"


def _truncated(text: str, _: Asked) -> str:
    text = text.rstrip()
    return text[: -(len(text) - text.rfind("\n")) // 5].rstrip(" .,") + " and the\n"


def _cites(text: str, asked: Asked) -> str:
    short = [each for each in asked.facts if len(each.split()) <= _QUOTED_WORDS]
    facts = sorted(short or asked.facts, key=len)
    return _with(text, f"One report says: “{facts[-1]}”") if facts else text


def _copies(text: str, asked: Asked) -> str:
    lines = [line for source in asked.sources for line in source.split("\n")]
    return _with(text, max(lines, key=len)[:_COPIED_CHARS] + ".") if lines else text


def _inflected(text: str, asked: Asked) -> str:
    keywords = "|".join(map(re.escape, asked.keywords))
    return re.sub(rf"(?:{keywords})\b", r"\g<0>s", text, flags=re.IGNORECASE)


CHANGES: Mapping[str, Change] = {
    **{name: _planted(said, everywhere=False) for name, said in _IN_INTRODUCTION.items()},
    **{name: _planted(said, everywhere=True) for name, said in LISTED["sections"].items()},
    "short": _short,
    "truncated": _truncated,
    "assistant_talk": lambda text, _: re.sub(r"(\n\n> .*\n\n)", rf"\1{_TALK} ", text, count=1),
    "cites": _cites,
    "copies": _copies,
    "inflected": _inflected,
    "missing_part": lambda text, _: text.partition("\n## Conclusion\n")[0],
}
