"""Whether prose is whole: sentences that end, that are not a heading again, that say it once."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.passage import Kind, Passage
from app.core.text import fold, primary_subtag, sentences, word_count

_ENDINGS = frozenset(".!?…。！？｡．।॥؟۔։።។။")
_CLOSERS = frozenset("\"'”’»›)]）」』】")
# Languages whose sentences end in no mark at all.
_WITHOUT_FULL_STOP = frozenset({"lo", "th"})
# English words that no sentence ends with; the second group may ("what it is made of."), but not
# before an ellipsis. In other languages the same letters are words that may.
_BREAKS_OFF = re.compile(
    r"\b(?:and|or|but|the|an|because|such as|(?-i:a))[.…]*$|\b(?:of|to|with|for)(?:…|\.{2,})$",
    re.IGNORECASE,
)
# "Cold brew: …" and "Cold brew - …" set a heading off; "cold brew-style" does not.
_SET_OFF = re.compile(r"\s*(?:[:–—]|-\s)")
PARAGRAPH_MAX_WORDS = 150  # Yoast: a paragraph of over 150 words is hard to read
_REPEAT_FROM_WORDS = 5


def check_whole(passage: Passage, language: str) -> Iterator[Finding]:
    """Prose is there, and its last sentence ends."""
    text = passage.text
    if not passage.is_prose:
        if not text.strip():
            yield blocker("empty", passage.section, "There is no text.")
        return
    if word_count(text) < 4:
        yield blocker("empty", passage.section, "There is hardly any text. Write whole sentences.")
        return
    last = sentences(text, language)[-1]
    end = _without_closers(text)
    if primary_subtag(language) not in _WITHOUT_FULL_STOP and end[-1:] not in _ENDINGS:
        yield blocker(
            "cut_off",
            passage.section,
            f"The last sentence does not end: “…{last.text[-50:]}”. Write complete sentences.",
            last.span,
        )
    elif primary_subtag(language) == "en" and _BREAKS_OFF.search(end):
        yield blocker("cut_off", passage.section, "The last sentence breaks off.", last.span)


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


def check_paragraphs(passage: Passage) -> Iterator[Finding]:
    """Paragraphs that are too long to read."""
    if passage.kind is not Kind.PROSE:
        return
    start = 0
    for paragraph in passage.text.split("\n\n"):
        count = word_count(paragraph)
        if count > PARAGRAPH_MAX_WORDS:
            yield warning(
                "paragraph_length",
                passage.section,
                f"A paragraph has {count} words; at most {PARAGRAPH_MAX_WORDS} read well.",
                (start, start + len(paragraph)),
            )
        start += len(paragraph) + 2


def check_repetition(everything: Iterable[Passage], language: str) -> Iterator[Finding]:
    """A sentence that the post already has, word for word."""
    seen: set[str] = set()
    for passage in everything:
        if not passage.is_prose or passage.kind is Kind.DESCRIPTION:
            continue
        for sentence in sentences(passage.text, language):
            folded = fold(sentence.text)
            if folded.count(" ") + 1 < _REPEAT_FROM_WORDS:
                continue
            if folded in seen:
                yield blocker(
                    "repeated_sentence",
                    passage.section,
                    f"Says again, word for word: “{sentence.text[:80]}”. Say something new.",
                    sentence.span,
                )
            seen.add(folded)
