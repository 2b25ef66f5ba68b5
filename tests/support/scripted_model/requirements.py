"""What a prompt asks for, read from its words by the conventions that the prompts keep to."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.scripted_model import post_prompts

_PHRASE = re.compile(r'(?:Use|with) the phrase "(.+?)"(?= exactly| in | once|\.|$)', re.MULTILINE)
_SUBJECT = re.compile(r"about [“\"](.+?)[”\"]")
_SECTION = re.compile(r"section “(.+?)”")
_SENTENCES = re.compile(r"(?:(\d+) or )?(\d+) sentences?")
_LONGEST = re.compile(r"No sentence has more than (\d+) words")
_RANGE = "between {low} and {high} characters".format(low=r"(\d+)", high=r"(\d+)")
# As app/core/verification/retrieval.py has them; this program runs without the service's packages.
_NUMBERED = re.compile(r"^\d+\. (.*)", re.MULTILINE)
_QUOTED = re.compile(
    r"^<<<QUOTED MATERIAL[^\n]*>>>\n(.*?)\n<<<END OF QUOTED MATERIAL>>>$", re.DOTALL | re.MULTILINE
)
EDITOR = "An editor sent an earlier version back"


@dataclass(frozen=True)
class Requirements:
    """``phrases`` to use once each, ``sentences`` or None, ``heading`` of the section at hand,
    ``longest`` the most words of a sentence or None."""

    prompt: str
    phrases: tuple[str, ...]
    subject: str | None
    sentences: int | None
    heading: str | None
    longest: int | None = None
    is_introduction: bool = False

    def characters(self, kind: str, low: int, high: int) -> tuple[int, int]:
        """The wished length of a ``kind`` (title, description), else the given one."""
        near = re.search(rf"{kind}[^.]*?{_RANGE}", self.prompt) or re.search(_RANGE, self.prompt)
        return (int(near[1]), int(near[2])) if near else (low, high)

    @property
    def avoid(self) -> tuple[str, ...]:
        """Phrases that stand only where they are asked for."""
        return (*self.phrases, self.subject) if self.subject else self.phrases

    @property
    def notes(self) -> list[str]:
        """The sentences of sources that it was given."""
        quoted = _QUOTED.search(self.prompt)
        # The others are headings.
        return _NUMBERED.findall(quoted[1]) if quoted else []

    @property
    def pieces(self) -> list[str]:
        """What stays the same when pieces are asked for again with an editor's remarks."""
        found = post_prompts.pieces(self.prompt)
        return found or [re.sub(r"\d+", "", self.prompt.partition(EDITOR)[0]).strip()]


def read(prompt: str) -> Requirements:
    """Read a user prompt."""
    sentences = _SENTENCES.search(prompt)
    subject = _SUBJECT.search(prompt)
    section = _SECTION.search(prompt)
    return Requirements(
        prompt=prompt,
        phrases=tuple(dict.fromkeys(_PHRASE.findall(prompt))),
        subject=subject[1] if subject else None,
        sentences=int(sentences[2]) if sentences else None,
        heading=section[1] if section else None,
        longest=int(longest[1]) if (longest := _LONGEST.search(prompt)) else None,
        is_introduction="It is the introduction" in prompt,
    )


def schema_in_words(prompt: str) -> Mapping[str, Any] | None:
    """A JSON schema that stands in the prompt itself, the last one if there are several."""
    found, position = None, 0
    while start := re.compile(r'\{\s*"').search(prompt, position):
        try:
            value, position = json.JSONDecoder().raw_decode(prompt, start.start())
        except ValueError:
            position = start.end()
            continue
        if isinstance(value, dict) and value.get("type") == "object" and "properties" in value:
            found = value
    return found
