"""Answers to the prompts of app/core/writing/paraphrase.py: the notes themselves, and lines about
them."""

import re

_NOTES = re.compile(r"^<<<TEXT>>>\n(.*?)\n<<<END OF TEXT>>>$", re.DOTALL | re.MULTILINE)
_USES = re.compile(r"Use the words “(.+?)”\.$")
# How the last line of each prompt begins or goes on.
_REWRITE = re.compile(r"^Rewrite (?:this text|these instructions) in other words")
_HEADING = "Write a heading of"
_DESCRIPTION = "Write a search result description"


def notes_of(prompt: str) -> list[str]:
    """Return the notes in a prompt."""
    found = _NOTES.search(prompt)
    return found[1].split("\n") if found else []


def paraphrased(prompt: str) -> str | None:
    """Return the answer to a prompt; None for a prompt of another kind."""
    asked = prompt.rpartition("\n\n")[2]
    notes = notes_of(prompt)
    if _REWRITE.match(asked):
        steps = [f"{number}. {note}" for number, note in enumerate(notes, 1)]
        return "\n".join(steps) if "numbered list" in asked else " ".join(notes)
    if asked.startswith(_HEADING):
        words = notes[0].lower().rstrip(".").split()
        return f"How {' '.join(words[:4])}"
    if asked.startswith(_DESCRIPTION):
        used = found[1] if (found := _USES.search(asked)) else "the subject"
        return (
            f"What to know about {used[:50]} before you begin, which steps come first, and how to"
            " see that the work is well done."
        )
    return None
