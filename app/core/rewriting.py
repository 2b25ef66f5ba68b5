"""From the findings of the desk to the pieces that are written again, or added."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from app.core.brief import WORDS_PER_SENTENCE
from app.core.pieces import Manuscript, Piece, least_sentences
from app.core.post import SectionType, SEOPost
from app.core.quality.finding import Finding
from app.core.quality.lengths import post_words
from app.core.text import find_phrase, word_count
from app.core.writing import assemble, body_piece, paragraph_name

# What a further paragraph of a section explains.
_FURTHER = (
    "an example of it from everyday practice",
    "a common mistake with it and how to avoid it",
    "what to do first and what can wait",
)
_FURTHER_FROM_NOTES = ("what else the notes say about it",)


def to_rewrite(
    manuscript: Manuscript, pieces: Mapping[str, Piece], findings: Iterable[Finding]
) -> dict[str, tuple[Piece, list[str]]]:
    """The pieces that blockers are about, each with the reasons to tell the writer.

    A blocker about the post as a whole goes to the pieces that can mend it: too many words to what
    ``trim`` leaves alone, an unused keyword to the paragraphs that it was given to and to one more,
    one that is used too often to the paragraphs that use it more than they must. A post that is
    too short gets further paragraphs, which the manuscript's sections have from then on.
    """
    redo: dict[str, tuple[Piece, list[str]]] = {}

    def add(piece: Piece, reason: str) -> None:
        redo.setdefault(piece.name, (piece, []))[1].append(f"- {reason}")

    post = assemble(manuscript)
    paragraphs = [piece for piece in pieces.values() if piece.heading]
    for finding in findings:
        if not finding.blocks:
            continue
        if finding.check == "too_short":
            for piece, reason in _lengthen(manuscript, paragraphs, post_words(post)):
                _, reasons = redo.get(piece.name, (piece, []))
                redo[piece.name] = (piece, [*reasons, *([f"- {reason}"] if reason else [])])
        elif finding.check == "too_long":
            for piece in pieces.values():
                if not piece.heading and piece.name != "description":
                    add(piece, f"{finding.reason} Write shorter sentences.")
        elif finding.check == "keyword_density":
            for piece in _overusing(manuscript, pieces.values(), finding.keyword):
                allowed = "once" if finding.keyword in piece.phrases else "never"
                add(piece, f"Say “{finding.keyword}” {allowed}: say “it” or another word instead.")
        elif finding.check == "keyword_missing":
            for piece in _carrying(finding.keyword, paragraphs):
                add(piece, f'Put the words "{finding.keyword}" into the first sentence.')
        elif finding.section == "post":
            for piece in paragraphs:
                add(piece, finding.reason)
        else:
            name = _piece_at(manuscript, post, finding)
            if name in pieces:
                add(pieces[name], finding.reason)
    return redo


def _lengthen(
    manuscript: Manuscript, paragraphs: Sequence[Piece], words: int
) -> Iterator[tuple[Piece, str]]:
    """Paragraphs that bring a post of so many words to the least that it must have.

    They are further ones for the sections that have the fewest words, as no answer makes a post
    shorter by these. Where the limit has no room for one of two sentences, the shortest paragraphs
    are written again, with the reason to tell the writer.
    """
    brief = manuscript.brief
    missing, room = brief.min_words - words, brief.max_words - words
    length = min(brief.sentences, room // WORDS_PER_SENTENCE)
    if length < 2:
        for piece in sorted(paragraphs, key=lambda p: word_count(manuscript.texts[p.name])):
            if missing <= 0:
                return
            longer = piece.sentences + 2
            yield replace(piece, sentences=longer), f"Too short. Write {longer} sentences."
            missing -= 2 * WORDS_PER_SENTENCE
        return
    sizes = [
        sum(word_count(manuscript.texts[paragraph_name(i, j)]) for j in range(len(section.points)))
        for i, section in enumerate(manuscript.sections)
    ]
    sides = _FURTHER_FROM_NOTES if brief.verified else _FURTHER
    for number in count():
        if missing <= 0:
            return
        i = sizes.index(min(sizes))
        section = manuscript.sections[i]
        points = (*section.points, sides[number % len(sides)])
        sections = list(manuscript.sections)
        sections[i] = replace(section, points=points)
        manuscript.sections = tuple(sections)
        yield body_piece(manuscript, i, len(points) - 1, length), ""
        # As many words as the shortest answer that is accepted.
        gain = least_sentences(length) * WORDS_PER_SENTENCE
        missing, sizes[i] = missing - gain, sizes[i] + gain


def _carrying(keyword: str, paragraphs: Sequence[Piece]) -> list[Piece]:
    """The paragraphs that must use a keyword: those that had to, in vain, and one that had the
    fewest others to use."""
    owners = [piece for piece in paragraphs if keyword in piece.phrases]
    others = [piece for piece in paragraphs if keyword not in piece.phrases]
    fewest = sorted(others, key=lambda piece: len(piece.phrases))[:1]
    return owners + [replace(piece, phrases=(*piece.phrases, keyword)) for piece in fewest]


def _overusing(manuscript: Manuscript, pieces: Iterable[Piece], keyword: str) -> list[Piece]:
    brief = manuscript.brief
    return [
        piece
        for piece in pieces
        if piece.is_paragraph
        and len(find_phrase(manuscript.texts[piece.name], keyword, brief.language))
        > (keyword in piece.phrases)
    ]


def _piece_at(manuscript: Manuscript, post: SEOPost, finding: Finding) -> str:
    """The name of the piece that the place of a finding was written as."""
    path = finding.section
    if path == "meta.description":
        return "description"
    if path.startswith("faqs"):
        return "faqs"
    if not path.startswith("sections["):
        return path
    index = int(path[len("sections[") : path.index("]")])
    section = post.sections[index]
    if section.type is not SectionType.BODY:
        return {SectionType.FAQ: "faqs"}.get(section.type, section.type.value)
    body = sum(1 for earlier in post.sections[:index] if earlier.type is SectionType.BODY)
    start = finding.span[0] if finding.span else 0
    return paragraph_name(body, section.content_markdown[:start].count("\n\n"))
