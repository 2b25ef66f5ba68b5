"""A model that answers each call of the pipeline from a script, and a post about cold brew."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.core.planning.brief import Brief
from app.core.schemas.post import Callout, Faq
from app.core.writing.completion import Completion, Prompt
from app.core.writing.draft import (
    CALLOUT,
    CONCLUSION,
    DESCRIPTION,
    FAQS,
    INTRODUCTION,
    TITLE,
    Draft,
    Part,
    heading_part,
    section_part,
)
from app.core.writing.plan import Form, Plan, PlannedSection
from app.deadline import Deadline
from app.ports import Model

BRIEF = Brief(
    keywords=("cold brew", "burr grinder"),
    language="en",
    min_words=110,
    max_words=400,
    target_words=250,
    intro_sentences=2,
    conclusion_sentences=2,
    faqs=2,
    callout=True,
    sections=(1, 3),
)
PLAN = Plan(
    title="Cold brew at home, without the fuss",
    purpose="A reader can make a jar tonight.",
    sections=(
        PlannedSection(
            "Why a coarse grind matters for cold brew", "It tells which grind to use.",
            claims=("Set the grinder two steps coarser.",), keywords=("burr grinder",),
        ),
        PlannedSection(
            "How long the jar should rest", "It tells when to strain.", Form.STEPS,
            keywords=("cold brew",),
        ),
    ),
    claims=("Set the grinder two steps coarser.", "A fridge takes sixteen hours."),
    questions=("Can I heat it?", "How long does it keep?"),
)  # fmt: skip
TEXTS: Mapping[Part, str] = {
    INTRODUCTION: (
        "Cold brew asks for patience and very little else. You put coarse grounds into water in the"
        " evening, and by breakfast there is a smooth drink in the fridge."
    ),
    section_part(1): (
        "A coarse grind gives up its flavour slowly, which suits a long contact. Fine powder clouds"
        " the jar and leaves mud in the glass.\n\nA burr grinder keeps the pieces even. Set it two"
        " steps coarser than you would for a French press."
    ),
    section_part(2): (
        "The kitchen decides how long you wait for cold brew, and three steps get you there.\n\n"
        "1. Fill the jar with water and stir once. The grounds sink on their own.\n"
        "2. Close the lid and leave it on the counter until morning.\n"
        "3. Strain the drink through a paper filter into a clean bottle."
    ),
    CONCLUSION: (
        "Start tonight with one jar and a note of the time. Tomorrow you will know what to change."
    ),
    DESCRIPTION: (
        "Cold brew at home takes a jar, coarse grounds and one night of rest. Learn how to grind,"
        " steep and store it for a smooth glass."
    ),
    CALLOUT: (
        "Good to know: Weigh the grounds once, then mark that level on a cup. Scoops differ a great"
        " deal."
    ),
    FAQS: (
        "### Can I heat the concentrate?\n\nYes, on a low flame and never to a boil. It stays mild"
        " when it is warm.\n\n### How long does it keep?\n\nA sealed bottle stays fresh for about a"
        " week. After that it tastes flat."
    ),
    TITLE: "Cold brew at home, step by step",
}  # fmt: skip
DRAFT = Draft(
    PLAN,
    {part: text for part, text in TEXTS.items() if part not in {CALLOUT, FAQS, TITLE}},
    faqs=(
        Faq(
            question="Can I heat the concentrate?",
            answer="Yes, on a low flame and never to a boil. It stays mild when it is warm.",
        ),
        Faq(
            question="How long does it keep?",
            answer="A sealed bottle stays fresh for about a week. After that it tastes flat.",
        ),
    ),
    callout=Callout(
        label="Good to know",
        text="Weigh the grounds once, then mark that level on a cup. Scoops differ a great deal.",
    ),
)


def draft_with(texts: Mapping[Part, str]) -> Draft:
    """Return the draft with other texts."""
    return replace(DRAFT, texts={**DRAFT.texts, **texts})


def plan_answer(plan: Plan = PLAN, *, points: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    """Return the answer from which a plan is read."""
    sections: list[dict[str, Any]] = [
        {
            "heading": section.heading,
            "purpose": section.purpose,
            "form": section.form.value,
            "claims": [plan.claims.index(claim) + 1 for claim in section.claims],
            "words": section.words,
        }
        for section in plan.sections
    ]
    for section, said in zip(sections, points, strict=False):
        section["points"] = list(said)
    return {
        "purpose": plan.purpose, "claims": list(plan.claims),
        "optional": [n for n, claim in enumerate(plan.claims, 1) if claim in plan.optional],
        "sections": sections, "questions": list(plan.questions), "title": plan.title,
    }  # fmt: skip


def finding(
    quotation: str, kind: str, sentence: int = 0, *, action: str = "change", target: int = 0
) -> dict[str, Any]:
    """Return a finding of the editor."""
    return {
        "sentence": sentence, "quotation": quotation, "kind": kind, "problem": "It is wrong.",
        "action": action, "target": target, "fix": "Write what is right.",
    }  # fmt: skip


_NAMES = {
    "the introduction": INTRODUCTION, "a box": CALLOUT, "questions and": FAQS,
    "the conclusion": CONCLUSION, "the meta": DESCRIPTION, "the title": TITLE,
}  # fmt: skip
_ONE = re.compile(r"^Write only (.*)", re.MULTILINE)
_MARKER = re.compile(r"^(\[[A-Z]+(?: [\d.]+)?\]) ", re.MULTILINE)


class ScriptedModel(Model):
    """Answers with the texts of the post, unless the script has other answers to a call.

    Args:
        script: answers by the name of the call, in their order; the last one also to later calls.
            The name is `plan`, `findings`, or the markers that the call asks for.
        texts: the texts of parts by their markers; those of the post if not given.
    """

    name = "scripted"
    concurrency = 1

    def __init__(
        self,
        script: Mapping[str, Sequence[str | Completion | dict[str, Any]]] | None = None,
        *,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.script = script or {}
        headings = {
            heading_part(number).marker: section.heading
            for number, section in enumerate(PLAN.sections, 1)
        }
        own = {part.marker: text for part, text in TEXTS.items()}
        self.texts = {**own, **headings, **(texts or {})}
        self.prompts: list[tuple[str, Prompt]] = []
        self._times: defaultdict[str, int] = defaultdict(int)

    @property
    def calls(self) -> list[str]:
        return [name for name, _ in self.prompts]

    def prompts_for(self, name: str) -> list[Prompt]:
        return [prompt for called, prompt in self.prompts if called == name]

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        deadline.left()
        name = self._name(prompt)
        self.prompts.append((name, prompt))
        times = self._times[name]
        self._times[name] += 1
        if answers := self.script.get(name):
            answer = answers[min(times, len(answers) - 1)]
            if isinstance(answer, Completion):
                return answer
            return Completion(answer if isinstance(answer, str) else json.dumps(answer))
        return Completion(self._usual(name), prompt_tokens=100, completion_tokens=10)

    def ping(self) -> None:
        pass

    def _usual(self, name: str) -> str:
        if name == "plan":
            return json.dumps(plan_answer())
        if name == "findings":
            return json.dumps({"findings": []})
        markers = re.findall(r"\[[^\]]+\]", name)
        if len(markers) == 1:
            return self.texts[markers[0]]
        return "\n\n".join(f"{marker}\n{self.texts[marker]}" for marker in markers)

    def _name(self, prompt: Prompt) -> str:
        if prompt.schema is not None:
            return prompt.schema_name
        if (one := _ONE.search(prompt.user)) is None:
            return " ".join(_MARKER.findall(prompt.user))
        for opening, part in _NAMES.items():
            if one[1].startswith(opening):
                return part.marker
        heading = one[1].partition("“")[2].partition("”")[0]
        numbers = [n for n, section in enumerate(PLAN.sections, 1) if section.heading == heading]
        if one[1].startswith("another heading"):
            return heading_part(numbers[0]).marker
        is_block = one[1].startswith("one paragraph below")
        points = len(self.calls_of_blocks(numbers[0])) + 1 if is_block else 0
        return section_part(numbers[0], points).marker

    def calls_of_blocks(self, number: int) -> list[str]:
        """Return the calls so far that asked for a block of a section."""
        return [name for name in self.calls if name.startswith(f"[SECTION {number}.")]
