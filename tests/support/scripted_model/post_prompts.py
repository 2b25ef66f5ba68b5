"""What the prompts of app/core/writing/prompts.py and editor.py ask for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

_SUBJECT = re.compile(r'^Plan a blog post about "(.+?)"(?:: (.*))?\.$', re.MULTILINE)
_OTHERS = re.compile(r'^The post also covers: "(.+)"\.$', re.MULTILINE)
# Among several parts, all phrases of one stand in one sentence.
_PHRASE = re.compile(
    r"(?:Use the|The) words (?:of )?“(.+?)” (?:stand anywhere )?in it[.,]"
    r"|(?: Use |(?<=”), )“([^“”]+)”(?=[.,]| together)"
)
_TITLE = re.compile(r"^(?:A blog post|Its title): “(.*)”$", re.MULTILINE)
_PURPOSE = re.compile(r"^Its purpose: (.*)$", re.MULTILINE)
_SECTIONS = re.compile(r"^Its sections:\n((?:\d+\. .*\n?)+)", re.MULTILINE)
_SECTION = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
_WRITTEN = re.compile(r"^## (.*)$", re.MULTILINE)
_SO_FAR = "The post so far:\n\n"
_NOTES = "\n<<<QUOTED MATERIAL"
SENT_BACK = "An editor sent this back:"
_PLAN_SENT_BACK = "An editor sent an earlier plan back:"
_TAKEN = "Other posts have these titles"
_ONE, _SEVERAL = "\nWrite only ", "\nWrite these parts"
_MARKED = re.compile(r"^(\[([A-Z]+)(?: (\d+)(?:\.\d+)?)?\]) (.*)$", re.MULTILINE)
# How the instruction for each kind of part begins.
_OPENINGS = {
    "the title:": "TITLE",
    "the introduction:": "INTRODUCTION",
    "the text below the heading “": "SECTION",
    "one paragraph below the heading “": "SECTION",
    "another heading for “": "HEADING",
    "a box:": "CALLOUT",
    "questions and answers,": "FAQS",
    "the conclusion:": "CONCLUSION",
    "the meta description": "DESCRIPTION",
}
_FORMS = {
    "numbered steps": "steps", "then a list (": "list", "a Markdown table": "table",
    "” (steps, ": "steps", "” (list, ": "list", "” (table, ": "table",
}  # fmt: skip
_TELLS = re.compile(
    r"words(?:, on this|\))?: (.*?)"
    r"(?= Claims(?:, in other words)?: | Where they fit: | Use (?:the words )?“| The words of “|$)",
    re.MULTILINE,
)
_STATES = re.compile(r" Claims(?:, in other words)?: ([\d, ]+)\.")
_CLAIMS = re.compile(r"^Its claims:\n((?:\d+\. .*\n?)+)", re.MULTILINE)
_HEADING = re.compile(
    r"(?:below the heading|another heading for) “(.*?)”[:,]"
    r"|^(?:\[SECTION \d+\] )?“(.*?)” \(\w+, \d+ words\):",
    re.MULTILINE,
)
_ANYWHERE = re.compile(r"^In whichever part it fits, use also (.*)\.$", re.MULTILINE)
_UNUSED = re.compile(
    r"^- (\[[A-Z]+(?: \d+)?\])? ?.*Use (?:the words )?“(.+?)” (?:once more, )?where", re.MULTILINE
)
_QUESTIONS = re.compile(r"these questions: (.*?)\. Each question is a line")


@dataclass(frozen=True)
class AskedPart:
    """A part to write.

    Args:
        marker: "" if the part is the only one.
        section: its number, from 1, also for a heading; 0 for any other part.
        text: the instruction.
        claims: those of the post.
    """

    marker: str
    kind: str
    section: int
    text: str
    claims: Sequence[str] = ()

    @property
    def words(self) -> int:
        found = re.search(r"(?:about|\(\w+,) (\d+) words", self.text)
        return int(found[1]) if found else 30

    @property
    def form(self) -> str:
        """Return list, steps, table or prose."""
        return next((form for told, form in _FORMS.items() if told in self.text), "prose")

    @property
    def is_block(self) -> bool:
        """Return whether it is one paragraph of a section."""
        return self.text.startswith("one paragraph below")

    @property
    def tells(self) -> str:
        return found[1] if (found := _TELLS.search(self.text)) else ""

    @property
    def states(self) -> list[str]:
        """Return the claims to state, a sentence each."""
        found = _STATES.search(self.text)
        return [self.claims[int(each) - 1] for each in found[1].split(", ")] if found else []

    @property
    def heading(self) -> str:
        return _heading(found) if (found := _HEADING.search(self.text)) else ""

    @property
    def phrases(self) -> tuple[str, ...]:
        return tuple(_phrases(self.text))

    @property
    def characters(self) -> tuple[int, int]:
        found = re.search(r"(\d+) to (\d+) characters", self.text)
        return (int(found[1]), int(found[2])) if found else (15, 60)

    @property
    def questions(self) -> list[str]:
        """Return the questions to answer; [] if only their number is given."""
        found = _QUESTIONS.search(self.text)
        return found[1].split("; ") if found else []

    @property
    def question_count(self) -> int:
        found = re.search(r"(\d+) questions of readers", self.text)
        return int(found[1]) if found else len(self.questions)


@dataclass(frozen=True)
class PlanRequest:
    """A prompt for a plan."""

    prompt: str

    @cached_property
    def keywords(self) -> list[str]:
        found, others = _SUBJECT.search(self.prompt), _OTHERS.search(self.prompt)
        more = others[1].split('", "') if others else []
        return [found[1] if found else "the subject", *more]

    @property
    def about(self) -> str:
        """Return keywords, topic and angle as one text in lower case."""
        found = _SUBJECT.search(self.prompt)
        return " ".join([*self.keywords, (found[2] or "") if found else ""]).lower()

    @property
    def most_claims(self) -> int:
        found = re.search(r"only once; at most (\d+)\.", self.prompt)
        return int(found[1]) if found and "taken from the notes" not in self.prompt else 0

    @property
    def title_characters(self) -> tuple[int, int]:
        found = re.search(r"^title: (\d+) to (\d+) characters", self.prompt, re.MULTILINE)
        return (int(found[1]), int(found[2])) if found else (15, 60)

    @property
    def taken_titles(self) -> list[str]:
        lines = self.prompt.partition(_TAKEN)[2].split("\n")[1:]
        return [line[2:] for line in lines if line.startswith("- ")]


@dataclass(frozen=True)
class PartsRequest:
    """A prompt for parts of a post, or for parts that were sent back."""

    prompt: str

    @property
    def title(self) -> str:
        return found[1] if (found := _TITLE.search(self.prompt)) else ""

    @property
    def purpose(self) -> str:
        return found[1] if (found := _PURPOSE.search(self.prompt)) else ""

    @cached_property
    def headings(self) -> list[str]:
        found = _SECTIONS.search(self.prompt)
        if found is None and self.is_rewrite:
            return _WRITTEN.findall(self.written)
        if found is None:
            # All are asked for.
            after = self.prompt.rpartition(_SEVERAL)[2]
            return [_heading(each) for each in _HEADING.finditer(after)]
        return [line.partition(": ")[0] for line in _SECTION.findall(found[1])]

    @cached_property
    def claims(self) -> list[str]:
        found = _CLAIMS.search(self.prompt)
        return _SECTION.findall(found[1]) if found else []

    @cached_property
    def parts(self) -> list[AskedPart]:
        """Return the parts that are asked for, in order."""
        _, several, after = self.prompt.rpartition(_SEVERAL)
        if several and _ONE not in after:
            also = {marker: f"“{words}”" for marker, words in _UNUSED.findall(self.prompt)}
            if found := _ANYWHERE.search(after):
                also |= _spread(found[1], re.findall(r"^\[SECTION \d+\]", after, re.MULTILINE))
            return [
                AskedPart(
                    marker, kind, int(number or 0),
                    f"{text} Use {also[marker]}." if marker in also else text, self.claims,
                )
                for marker, kind, number, text in _MARKED.findall(after)
            ]  # fmt: skip
        text = self.prompt.rpartition(_ONE)[2]
        kind = next((kind for begin, kind in _OPENINGS.items() if text.startswith(begin)), "")
        unused = "".join(
            f" Use the words “{words}” in it." for _, words in _UNUSED.findall(self.prompt)
        )
        part = AskedPart("", kind, 0, f"{text}{unused}", self.claims)
        if part.heading in self.headings:
            part = replace(part, section=self.headings.index(part.heading) + 1)
        return [part]

    @property
    def is_rewrite(self) -> bool:
        return SENT_BACK in self.prompt

    @cached_property
    def written(self) -> str:
        """Return the text that is already written."""
        text = self.prompt.partition(_SO_FAR)[2].partition(_NOTES)[0]
        for end in (SENT_BACK, _ONE, _SEVERAL):
            text = text.rpartition(end)[0] or text
        return text

    def written_outside(self, part: AskedPart) -> str:
        """Return the text that is already written, without what the part itself has so far."""
        if not self.is_rewrite:
            return self.written
        head = f"## {self.headings[part.section - 1]}" if part.section else f"# {self.title}"
        before, found, rest = self.written.partition(f"{head}\n")
        return before + rest[rest.find("\n## ") :] if found and "\n## " in rest else before

    @property
    def key(self) -> str:
        """Return what all calls for a post have in common, and no other post."""
        return "\n".join([self.purpose, *self.headings])

    @property
    def keywords(self) -> list[str]:
        """Return the phrases that the prompt asks for or that the purpose quotes."""
        quoted = re.findall(r"“(.+?)”", self.purpose)
        return list(dict.fromkeys([*_phrases(self.prompt), *quoted]))


def _heading(found: re.Match[str]) -> str:
    return found[1] or found[2]


def _spread(phrases: str, markers: Sequence[str]) -> dict[str, str]:
    """Return the phrases of each section: what may stand in any part stands in turn in each."""
    uses = [
        phrase
        for phrase, times in re.findall(r"“(.+?)”(?: \((\d+) times\))?", phrases)
        for _ in range(int(times or 1))
    ]
    given: dict[str, list[str]] = {}
    for at, phrase in enumerate(uses):
        given.setdefault(markers[at % len(markers)], []).append(f"“{phrase}”")
    return {marker: ", ".join(own) for marker, own in given.items()}


def _phrases(prompt: str) -> list[str]:
    """Return the phrases that a prompt asks for, each once."""
    return list(dict.fromkeys(found[1] or found[2] for found in _PHRASE.finditer(prompt)))


def is_parts(prompt: str) -> bool:
    """Return whether a prompt asks for parts of a planned post."""
    return _TITLE.search(prompt) is not None and (_ONE in prompt or _SEVERAL in prompt)


def is_plan(prompt: str) -> bool:
    """Return whether a prompt asks for a plan."""
    return _SUBJECT.search(prompt) is not None


def pieces(prompt: str) -> list[str] | None:
    """Return a name for each part that a prompt asks for, the same when it is asked for again;
    None for a prompt of another kind."""
    if is_plan(prompt):
        return [prompt.partition(_PLAN_SENT_BACK)[0].strip()]
    if not is_parts(prompt):
        return None
    request = PartsRequest(prompt)
    return [f"{request.key}\n{part.kind} {part.section} {part.tells}" for part in request.parts]
