"""Whether prose is whole: it is there, its sentences end, and it does not open with its heading."""

import re
import unicodedata
from collections.abc import Iterator

from app.core.quality.finding import Finding, blocker
from app.core.quality.languages import rules_for
from app.core.quality.languages.rules import Rules
from app.core.quality.passage import Kind, Passage, paragraphs
from app.core.text import fold, primary_subtag, sentences, word_count

_ENDINGS = frozenset(".!?…。！？｡．।॥؟۔։።។။")
_CLOSERS = frozenset("\"'”’»›)]）」』】")
# Languages whose sentences end in no mark at all.
_WITHOUT_FULL_STOP = frozenset({"lo", "th"})
# More than the longest words that a text can break off after.
_LAST_WORDS_CHARS = 40
# "Cold brew: …" and "Cold brew - …" set a heading off; "cold brew-style" does not.
_SET_OFF = re.compile(r"\s*(?:[:–—]|-\s)")


def check_whole(passage: Passage, language: str) -> Iterator[Finding]:
    """Prose is there, and the last sentence of each paragraph ends."""
    text = passage.text
    if not passage.is_prose:
        if not text.strip():
            yield blocker("empty", passage.section, "There is no text.")
        return
    if word_count(text) < 4:
        yield blocker("empty", passage.section, "There is hardly any text. Write whole sentences.")
        return
    yield from check_ending(passage, language)


def check_ending(passage: Passage, language: str) -> Iterator[Finding]:
    """The last sentence of each paragraph ends."""
    rules = rules_for(language)
    for start, paragraph in paragraphs(passage.text):
        last = sentences(paragraph, language)[-1]
        span = (start + last.span[0], start + last.span[1])
        end = _without_closers(paragraph)
        if primary_subtag(language) not in _WITHOUT_FULL_STOP and end[-1:] not in _ENDINGS:
            yield blocker(
                "cut_off",
                passage.section,
                f"The last sentence does not end: “…{last.text[-50:]}”. Write complete sentences.",
                span,
            )
        elif rules and _breaks_off(end, rules):
            yield blocker("cut_off", passage.section, "The last sentence breaks off.", span)


def _breaks_off(text: str, rules: Rules) -> bool:
    # The pattern ends with the text and would be tried at each of its characters.
    begin = max(0, len(text.rstrip(".…")) - _LAST_WORDS_CHARS)
    return rules.unfinished.search(text, begin) is not None


def _without_closers(text: str) -> str:
    """A text up to its last full stop or word: no quotes, brackets or emoji at the end."""
    end = len(text)
    while end and (
        text[end - 1] in _CLOSERS
        or text[end - 1].isspace()
        or unicodedata.category(text[end - 1]) in {"So", "Sk", "Cf", "Mn"}
    ):
        end -= 1
    return text[:end]


def check_heading_echo(passage: Passage, language: str) -> Iterator[Finding]:
    """A paragraph that opens by repeating its heading."""
    heading = fold(passage.heading)
    if not heading or passage.kind not in {Kind.PROSE, Kind.ANSWER}:
        return
    for sentence in sentences(passage.text, language):
        if fold(sentence.text) == heading or (
            sentence.text.casefold().startswith(passage.heading.casefold())
            and _SET_OFF.match(sentence.text, len(passage.heading))
        ):
            yield blocker(
                "heading_echo",
                passage.section,
                f"Repeats its heading “{passage.heading}” as a sentence. Leave it out.",
                sentence.span,
            )
            return
