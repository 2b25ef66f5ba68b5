"""Answers of the scripted model, by the behaviours in behaviours.toml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.scripted_model import editor
from tests.support.scripted_model.asked import Asked
from tests.support.scripted_model.bank import Drawer
from tests.support.scripted_model.faults import CHANGES, LASTING, LISTED
from tests.support.scripted_model.post_writer import PostWriter

NAMES = frozenset(name for part in set(LISTED) - {"patterns"} for name in LISTED[part])
RECOVER = re.compile(r"recover(?:_(\d+))?:")
FLAKY = re.compile(r"flaky_(\d\d?):")
_PATTERN = re.compile(r"error_[45]\d\d")
_OTHER_WORDS = 40


@dataclass(frozen=True)
class Reply:
    """One choice of a chat completion."""

    content: str | None
    finish_reason: str = "stop"
    refusal: str | None = None


_WITHOUT_TEXT = {
    "refusal": Reply(None, refusal="I'm sorry, but I can't assist with that request."),
    "content_filter": Reply("", "content_filter"),
    "refusal_text": Reply("I'm sorry, but I can't help with that."),
    "empty": Reply(""),
}


def check(name: str) -> str:
    """Return the name itself; raise ValueError if there is no such behaviour."""
    base = FLAKY.sub("", RECOVER.sub("", name, count=1), count=1)
    if base in NAMES or _PATTERN.fullmatch(base):
        return name
    raise ValueError(f"no behaviour {name!r}; behaviours.toml lists them")


def asked_of(body: Mapping[str, Any]) -> Asked:
    """Return the prompt of a request."""
    prompts = {message["role"]: str(message["content"]) for message in body["messages"]}
    return Asked(prompts.get("system", ""), prompts.get("user", ""))


def answer(behaviour: str, body: Mapping[str, Any], time: int = 1) -> Reply:
    """Return what the model says to a request.

    Args:
        time: how many times the request came, this one included; each time has another answer.
    """
    if behaviour in _WITHOUT_TEXT:
        return _WITHOUT_TEXT[behaviour]
    asked = asked_of(body)
    text = _text(behaviour, asked, f"{asked.system}\n{asked.user}\n{time}")
    if behaviour == "cut_off":
        return Reply(text[: len(text) * 3 // 5].rstrip(" .,"), "length")
    limit = body.get("max_tokens") or body.get("max_completion_tokens") or 100_000
    return Reply(text[: limit * 5], "length") if tokens(text) > limit else Reply(text)


def tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return len(text) // 5 + 1


def _text(behaviour: str, asked: Asked, seed: str) -> str:
    of_post = f"{asked.keywords}" if behaviour == "repeats" else seed
    leaves_faults = behaviour in LASTING
    match asked.kind:
        case "edit":
            return editor.edited(asked, behaviour, of_post, leaves_faults=leaves_faults)
        case "cut":
            return editor.cut(asked, leaves_faults=leaves_faults)
        case "polish":
            return "No edits.\n"
        case "read":
            return editor.reading(asked, behaviour)
        case "draft":
            post = PostWriter(asked, of_post, title_seed=seed, behaviour=behaviour).write()
            return CHANGES[behaviour](post, asked) if behaviour in CHANGES else post
    return " ".join(Drawer(asked.language, seed).prose(_OTHER_WORDS))
