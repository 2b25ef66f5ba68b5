"""What the scripted judge says of the sentences of a post, well and badly."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# What the scripted writer says that no source does; a good judge knows it.
ASSERTED = "Experts agree that nobody in Brackwater was ever asked."
FALSE = ("Experts agree", "A survey of 4,812 households")

_PASSAGES = re.compile(
    r"^<<<QUOTED MATERIAL[^\n]*>>>\n(.*?)\n<<<END OF QUOTED MATERIAL>>>$", re.DOTALL | re.MULTILINE
)
_LINE = re.compile(r"^(\d+)\. (?:\([^\n]*?\) )?(.+)$", re.MULTILINE)
_SENTENCES = "The sentences of the post:"
_WORD = re.compile(r"\w+")
_ALIKE = 0.6

Verdicts = list[dict[str, Any]]


@dataclass(frozen=True)
class Asked:
    """A judge's prompt: the sentences of the post and the passages, by their numbers."""

    sentences: Mapping[int, str]
    passages: Mapping[int, str]


def read(prompt: str) -> Asked:
    """Read the user prompt of a judge."""
    quoted = _PASSAGES.search(prompt)
    passages = _LINE.findall(quoted[1]) if quoted else []
    sentences = _LINE.findall(prompt.partition(_SENTENCES)[2])
    return Asked(
        {int(number): text for number, text in sentences},
        {int(number): text for number, text in passages},
    )


def verdict(number: int, ruling: str, source: int = 0, quotation: str = "") -> dict[str, Any]:
    """Return an entry of an answer."""
    return {"sentence": number, "verdict": ruling, "source": source, "quotation": quotation}


def answer(prompt: str, behaviour: str) -> dict[str, Any]:
    """Return the answer to a judge's prompt; a behaviour that is not the judge's is a good one."""
    return {"verdicts": JUDGES.get(behaviour, _good)(read(prompt))}


def knowing(supporting: Mapping[str, str]) -> Callable[[str], str]:
    """Return a judge that knows the words of the source that support each true sentence, and
    rejects all others."""

    def judge(prompt: str) -> str:
        asked, found = read(prompt), []
        for number, text in asked.sentences.items():
            words = supporting.get(text)
            source = next((n for n, said in asked.passages.items() if words and words in said), 0)
            ruling = "supported" if source else "not_supported"
            found.append(verdict(number, ruling, source, words or ""))
        return json.dumps({"verdicts": found})

    return judge


def _good(asked: Asked) -> Verdicts:
    """Rejects what the writer made up, by its first words, and supports what a passage says in much
    the same words."""
    found = []
    for number, text in asked.sentences.items():
        near = max(asked.passages, key=lambda n: _share(text, asked.passages[n]), default=0)
        false = next((words for words in FALSE if text.startswith(words)), "")
        if false:
            found.append(verdict(number, "not_supported", 0, false))
        elif near and _share(text, asked.passages[near]) >= _ALIKE:
            found.append(verdict(number, "supported", near, asked.passages[near]))
        else:
            found.append(verdict(number, "no_claim"))
    return found


def _share(text: str, passage: str) -> float:
    words = set(_WORD.findall(text.lower()))
    return len(words & set(_WORD.findall(passage.lower()))) / max(1, len(words))


def _says_yes(asked: Asked) -> Verdicts:
    """Calls every sentence supported, and quotes the passage that is most like it."""
    found = []
    for number, text in asked.sentences.items():
        near = max(asked.passages, key=lambda n: _share(text, asked.passages[n]), default=0)
        found.append(verdict(number, "supported", near, asked.passages.get(near, "")))
    return found


def _invents(asked: Asked) -> Verdicts:
    return [
        verdict(n, "supported", 1, f"As is known, {text}") for n, text in asked.sentences.items()
    ]


def _answers_half(asked: Asked) -> Verdicts:
    return [each for each in _good(asked) if each["sentence"] % 2]


def _rejects(asked: Asked) -> Verdicts:
    return [verdict(number, "not_supported") for number in asked.sentences]


JUDGES: Mapping[str, Callable[[Asked], Verdicts]] = {
    "judge_yes": _says_yes,
    "judge_invents": _invents,
    "judge_half": _answers_half,
    "judge_rejects": _rejects,
}
