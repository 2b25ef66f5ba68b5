"""Whether prose is whole: sentences that end, that are not a heading again, that say it once."""

from collections.abc import Iterable, Iterator

from app.core.quality.finding import Finding, blocker, warning
from app.core.quality.passage import Kind, Passage
from app.core.text import fold, sentences, word_count

_ENDINGS = frozenset(".!?…。！？।؟")
_CLOSERS = "\"'”’»›)]）」』"
_OPEN_ENDS = ("and", "or", "but", "the", "a", "an", "of", "to", "with", "for", "because", "such as")
PARAGRAPH_MAX_WORDS = 150  # Yoast: a paragraph of over 150 words is hard to read
_REPEAT_FROM_WORDS = 5


def check_whole(passage: Passage, language: str) -> Iterator[Finding]:
    """Prose is there, and its last sentence ends."""
    if not passage.is_prose:
        if not passage.text.strip():
            yield blocker("empty", passage.section, "There is no text.")
        return
    text = passage.text.strip()
    if word_count(text) < 4:
        yield blocker("empty", passage.section, "There is hardly any text. Write whole sentences.")
        return
    end = text.rstrip(_CLOSERS)
    if not end or end[-1] not in _ENDINGS:
        last = sentences(text, language)[-1]
        yield blocker(
            "cut_off",
            passage.section,
            f"The last sentence does not end: “…{last.text[-50:]}”. Write complete sentences.",
            last.span,
        )
    elif end.rstrip(".…").rsplit(" ", 1)[-1].casefold() in _OPEN_ENDS:
        yield blocker("cut_off", passage.section, "The last sentence breaks off.")


def check_heading_echo(passage: Passage, language: str) -> Iterator[Finding]:
    """A paragraph that opens by repeating its heading."""
    heading = fold(passage.heading)
    if not heading or passage.kind not in {Kind.PROSE, Kind.ANSWER}:
        return
    for sentence in sentences(passage.text, language):
        if fold(sentence.text) == heading or (
            sentence.text.casefold().startswith(passage.heading.casefold())
            and sentence.text[len(passage.heading) :].lstrip()[:1] in {":", "-", "–", "—"}
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
    for paragraph in passage.text.split("\n\n"):
        count = word_count(paragraph)
        if count > PARAGRAPH_MAX_WORDS:
            start = passage.text.index(paragraph)
            yield warning(
                "paragraph_length",
                passage.section,
                f"A paragraph has {count} words; at most {PARAGRAPH_MAX_WORDS} read well.",
                (start, start + len(paragraph)),
            )


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
