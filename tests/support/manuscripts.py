"""A brief, a plan and a whole draft for the tests of writing."""

from dataclasses import replace

from app.core.planning.brief import Brief
from app.core.schemas.post import Callout, Faq, SEOPost
from app.core.writing.draft import (
    CONCLUSION,
    DESCRIPTION,
    INTRODUCTION,
    Draft,
    Part,
    assemble,
    section_part,
)
from app.core.writing.plan import Form, Plan, PlannedSection

BRIEF = Brief(
    keywords=("cold brew", "burr grinder", "steel filter"),
    language="en",
    min_words=60,
    max_words=400,
    target_words=250,
    intro_sentences=3,
    conclusion_sentences=2,
    faqs=2,
    callout=True,
    sections=(2, 4),
)
HEADINGS = ("Why grind size matters", "Clean filters in a minute", "How long the jar rests")
PURPOSES = (
    "A burr grinder is even, and powder clouds the cup.",
    "How to rinse a steel filter at once.",
    "Cold brew needs twelve hours, and the fridge slows it down.",
)
TITLE_TEXT = "Cold brew at home, without the fuss"
PLAN = Plan(
    TITLE_TEXT,
    "A reader can make a clear jar of coffee.",
    tuple(
        PlannedSection(heading, purpose, form, keywords=(keyword,))
        for heading, purpose, form, keyword in zip(
            HEADINGS,
            PURPOSES,
            (Form.PROSE, Form.STEPS, Form.TABLE),
            ("burr grinder", "steel filter", "cold brew"),
            strict=True,
        )
    ),
    claims=("Steep it for 12 hours.",),
    questions=("Does it keep?", "Is it strong?"),
)
TEXTS = {
    INTRODUCTION: "This is how introduction begins. We say cold brew once. That is where it ends.",
    section_part(1): "A burr grinder is even. Powder clouds the cup.\n\nGrind it like sea salt.",
    section_part(2): "Rinse a steel filter:\n\n1. Empty it.\n2. Hold it under water.\n3. Dry it.",
    section_part(3): (
        "Cold brew rests where there is room.\n\n| Place | Hours |\n| --- | --- |\n"
        "| Shelf | 12 |\n| Fridge | 18 |"
    ),
    CONCLUSION: "This is how conclusion begins. Grind, rinse and wait. That is where it ends.",
    DESCRIPTION: "All about cold brew.",
}


def drafted(brief: Brief = BRIEF, texts: dict[Part, str] | None = None) -> Draft:
    """A draft in which every part of the brief is written; ``texts`` replace parts."""
    faqs = tuple(
        Faq(question=f"Is it number {n}?", answer=f"Yes, it is number {n}. It is.") for n in (1, 2)
    )
    callout = Callout(label="Good to know", text="Weigh it once. Then use a cup.")
    return Draft(
        replace(PLAN, questions=PLAN.questions[: brief.faqs]),
        {**TEXTS, **(texts or {})},
        faqs[: brief.faqs],
        callout if brief.callout else None,
    )


def post(brief: Brief = BRIEF) -> SEOPost:
    """The post that the draft makes."""
    return assemble(drafted(brief), brief)
