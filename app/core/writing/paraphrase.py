"""Prompts for a model that invents what it is not given: it writes lines about notes, and puts them
into other words.

Measured on Qwen2.5-Coder-1.5B-Instruct: asked for a section with the notes for it, the model adds
tools, steps and figures of its own; asked to rewrite the notes, it keeps to them. It follows one
plain sentence, and copies longer instructions into its text.
"""

from app.core.planning.brief import Brief
from app.core.writing.completion import Prompt
from app.core.writing.draft import Draft, section_part
from app.core.writing.profile import Profile

# Enough for a heading or a question; and for a sentence or two.
_LINE_TOKENS, _SENTENCE_TOKENS = 40, 120
_TOKENS_PER_CHARACTER = 0.6
_CHARS_PER_TOKEN = 3
_ENOUGH_TOKENS = 8_000
_PROSE = "Rewrite this text in other words, as one paragraph for readers."
_STEPS = (
    "Rewrite these instructions in other words, as a numbered list with one step for each sentence."
)


def heading_prompt(brief: Brief, profile: Profile, notes: str, *, seed: int) -> Prompt:
    """Return the prompt for the heading of a section with these notes."""
    asked = f"Write a heading of three to six words for this text, in {brief.language_name}."
    return _prompt(brief, profile, notes, asked, _LINE_TOKENS, seed, line=True)


def text_prompt(
    brief: Brief, profile: Profile, notes: str, *, seed: int, steps: bool = False
) -> Prompt:
    """Return the prompt for the text of a section, or of an answer, with these notes."""
    asked = (
        f"{_STEPS if steps else _PROSE} Keep every number and every name. Add nothing. Write in"
        f" {brief.language_name}."
    )
    tokens = 80 + round(len(notes) * _TOKENS_PER_CHARACTER)
    return _prompt(brief, profile, notes, asked, tokens, seed)


def description_prompt(brief: Brief, profile: Profile, draft: Draft, *, seed: int) -> Prompt:
    """Return the prompt for a description of the sections."""
    asked = (
        f"Write a search result description of this text in {brief.language_name}: one sentence"
        f" of about 20 words. Use the words “{brief.primary_keyword}”."
    )
    text = _sections(draft, profile)
    return _prompt(brief, profile, text, asked, _SENTENCE_TOKENS, seed, line=True)


def _sections(draft: Draft, profile: Profile) -> str:
    """Return the sections that are written, as far as half of the model's context holds them."""
    most = (profile.context_tokens or _ENOUGH_TOKENS) * _CHARS_PER_TOKEN // 2
    blocks: list[str] = []
    for number, section in enumerate(draft.plan.sections, 1):
        block = f"## {section.heading}\n\n{draft.text(section_part(number))}"
        most -= len(block)
        if most < 0 and blocks:
            break
        blocks.append(block)
    return "\n\n".join(blocks)


def _prompt(
    brief: Brief,
    profile: Profile,
    text: str,
    asked: str,
    tokens: int,
    seed: int,
    *,
    line: bool = False,
) -> Prompt:
    return Prompt(
        system=f"You are an editor. You write in {brief.language_name}.",
        user=f"{text}\n\n{asked}",
        stop=("\n",) if line else (),
        max_tokens=min(profile.answer_tokens, tokens),
        temperature=profile.temperature,
        seed=seed,
        purpose="paraphrase",
    )
