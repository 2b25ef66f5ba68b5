"""Notes as Markdown: numbered steps, and what a page has in its form."""

from collections.abc import Sequence
from itertools import groupby, takewhile

from app.core.languages import Composing, get_section
from app.core.text import word_count
from app.core.verification import Extract, is_order
from app.core.writing.names import capitalised
from app.core.writing.plan import Form

# The least number of words before a step that name it: “The first step is to”.
_ORDINAL_WORDS = 3


def as_steps(notes: Sequence[str], language: str) -> str:
    """Return sentences as a numbered list. A sentence that tells nobody to do something, or what
    not to do, goes with the step before it; those before the first step, and those after the last
    one that do not refer to it, are paragraphs."""
    rules = get_section(language, Composing)

    def step(note: str) -> str:
        return "" if rules and rules.cautions.match(note) else step_of(note, language)

    lead = list(takewhile(lambda note: not step(note), notes))
    steps: list[list[str]] = []
    for note in notes[len(lead) :]:
        if told := step(note):
            steps.append([told])
        else:
            steps[-1].append(note)
    end: list[str] = []
    if steps:
        last = steps[-1]
        own = takewhile(lambda note: rules and rules.referring.search(note), last[1:])
        size = 1 + len(list(own))
        end = last[size:]
        del last[size:]
    listed = "\n".join(f"{number}. {' '.join(step)}" for number, step in enumerate(steps, 1))
    return "\n\n".join(filter(None, [" ".join(lead), listed, " ".join(end)]))


def step_of(sentence: str, language: str) -> str:
    """Return what a sentence tells its reader to do, without “The first step is to”; "" if it is no
    step."""
    rules = get_section(language, Composing)
    match = rules.ordinals.match(sentence) if rules and rules.ordinals else None
    told = capitalised(sentence[match.end() :]) if match else sentence
    is_step = is_order(told, language) or (match and word_count(match[0]) >= _ORDINAL_WORDS)
    return told if is_step else ""


def as_page(notes: Sequence[Extract]) -> str:
    """Return sentences, items and tables in the form that they have on their page; under questions
    that several of them answer, if there are some."""
    blocks: list[str] = []
    questions = {note.heading for note in notes if note.heading.endswith("?")}
    are_several = len(questions) > 1
    for (heading, marker), run in groupby(notes, key=lambda note: (note.heading, note.marker)):
        if are_several and heading in questions:
            blocks.append(f"### {heading}")
            questions.remove(heading)
        lines = [
            " ".join(note.text for note in own)
            for _, own in groupby(run, key=lambda note: (note.source_index, note.line))
        ]
        if marker == "1":
            lines = [f"{number}. {line}" for number, line in enumerate(lines, 1)]
        elif marker == "-":
            lines = [f"- {line}" for line in lines]
        blocks.append(("\n" if marker in {"1", "-"} else "\n\n").join(lines))
    return "\n\n".join(blocks)


def form_of(notes: Sequence[Extract]) -> Form:
    """Return the form that notes have on their page."""
    markers = {note.marker for note in notes}
    if "1" in markers:
        return Form.STEPS
    if "|" in markers:
        return Form.TABLE
    return Form.LIST if markers == {"-"} else Form.PROSE
