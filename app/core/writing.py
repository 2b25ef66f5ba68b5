"""From an outline to a post: sharing the work out, putting it together, cutting it down."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from slugify import slugify

from app.core.pieces import Manuscript, OutlineSection, Piece
from app.core.post import (
    Callout,
    CoverageNotes,
    Faq,
    Meta,
    Outline,
    Section,
    SectionType,
    SEOPost,
)
from app.core.quality.keywords import keyword_coverage
from app.core.quality.lengths import post_words
from app.core.text import find_phrase, primary_subtag, sentences, stems, word_count

_SLUG_MAX_CHARS = 60
# The one heading that is not written by the model, in the languages that we can vouch for.
_FAQ_HEADINGS = {
    "de": "Häufige Fragen",
    "en": "Frequently asked questions",
    "es": "Preguntas frecuentes",
    "fr": "Questions fréquentes",
    "it": "Domande frequenti",
    "nl": "Veelgestelde vragen",
    "pt": "Perguntas frequentes",
}


def plan_pieces(manuscript: Manuscript) -> list[Piece]:
    """All pieces after outline and title, in reading order, the keywords shared out among them.

    The primary keyword goes into the introduction, and every keyword into the paragraph that is
    about it most, one each as long as there are enough paragraphs.
    """
    brief, sections = manuscript.brief, manuscript.sections
    slots = [(i, j) for i, section in enumerate(sections) for j in range(len(section.points))]
    phrases = _share_out(manuscript, slots)
    subject = f"“{manuscript.title}”"
    pieces = [
        Piece(
            "introduction",
            f"It is the introduction of {subject}: it says which problem the reader has and what"
            " there is to learn.",
            brief.intro_sentences,
            (brief.primary_keyword,),
            about=manuscript.title,
        )
    ]
    pieces += [body_piece(manuscript, i, j, brief.sentences, phrases[i, j]) for i, j in slots]
    if brief.callout:
        pieces.append(Piece("callout"))
    if brief.faqs:
        pieces.append(Piece("faqs"))
    pieces.append(
        Piece(
            "conclusion",
            f"It is the end of {subject}: it says what matters most and what the reader can do"
            " next. It introduces nothing new.",
            brief.conclusion_sentences,
            about=manuscript.title,
        )
    )
    pieces.append(Piece("description"))
    return pieces


OUTLINE = Piece("outline")
TITLE = Piece("title")


def _share_out(
    manuscript: Manuscript, slots: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], list[str]]:
    brief = manuscript.brief
    phrases: dict[tuple[int, int], list[str]] = {slot: [] for slot in slots}
    for keyword in brief.keywords:
        wanted = stems(keyword, brief.language)

        def fit(slot: tuple[int, int], wanted: frozenset[str] = wanted) -> tuple[int, int]:
            section = manuscript.sections[slot[0]]
            about = stems(f"{section.heading} {section.points[slot[1]]}", brief.language)
            return -len(phrases[slot]), len(wanted & about)

        phrases[max(slots, key=fit)].append(keyword)
    return phrases


def body_piece(
    manuscript: Manuscript, i: int, j: int, sentences: int, phrases: Sequence[str] = ()
) -> Piece:
    """Paragraph ``j`` of section ``i`` of the outline, so many sentences long."""
    section = manuscript.sections[i]
    point = section.points[j]
    return Piece(
        paragraph_name(i, j),
        f"It belongs to the section “{section.heading}” and explains this point: {point}",
        sentences,
        tuple(phrases),
        section.heading,
        about=f"{section.heading} {point}",
    )


def paragraph_name(section: int, paragraph: int) -> str:
    return f"sections.{section}.{paragraph}"


def accept_outline(manuscript: Manuscript, content: Mapping[str, Any]) -> None:
    """Take an outline over into the manuscript; a section short of points reuses its heading."""
    sections = []
    for entry, wanted in zip(content["sections"], manuscript.brief.paragraphs, strict=False):
        points = [str(point) for point in entry["points"]][:wanted]
        while len(points) < wanted:
            points.append(f"another important side of {entry['heading']}")
        sections.append(OutlineSection(str(entry["heading"]), tuple(points)))
    manuscript.sections = tuple(sections)


def assemble(manuscript: Manuscript) -> SEOPost:
    """The post that the pieces make. Every piece must have been written."""
    brief, texts, answers = manuscript.brief, manuscript.texts, manuscript.answers
    bodies = [
        Section(
            type=SectionType.BODY,
            heading=section.heading,
            content_markdown="\n\n".join(
                texts[paragraph_name(i, j)] for j in range(len(section.points))
            ),
        )
        for i, section in enumerate(manuscript.sections)
    ]
    if brief.callout:
        # Pages set their own colon behind a label.
        label, text = answers["callout"]["label"].rstrip(" :："), answers["callout"]["text"]
        box = Callout(label=label, text=text)
        bodies.insert(
            (len(bodies) + 1) // 2, Section(type=SectionType.CALLOUT, heading=None, callout=box)
        )
    faqs: tuple[Faq, ...] = ()
    if brief.faqs:
        faqs = tuple(Faq.model_validate(entry) for entry in answers["faqs"]["faqs"])
        heading = _FAQ_HEADINGS.get(primary_subtag(brief.language), "FAQ")
        bodies.append(Section(type=SectionType.FAQ, heading=heading))
    conclusion = texts["conclusion"]
    post = SEOPost(
        title=manuscript.title,
        slug_suggestion=slug(manuscript.title) or slug(brief.primary_keyword) or "post",
        meta=Meta(
            description=answers["description"]["description"],
            primary_keyword=brief.primary_keyword,
        ),
        outline=Outline(
            h1=manuscript.title,
            h2=tuple(section.heading for section in bodies if section.heading),
        ),
        sections=(
            Section(type=SectionType.INTRODUCTION, content_markdown=texts["introduction"]),
            *bodies,
            Section(type=SectionType.CONCLUSION, content_markdown=conclusion),
        ),
        faqs=faqs,
        conclusion=conclusion,
        coverage_notes=CoverageNotes(keyword_coverage=()),
    )
    notes = CoverageNotes(keyword_coverage=keyword_coverage(post, brief))
    return post.model_copy(update={"coverage_notes": notes})


def slug(text: str) -> str:
    """A short address for a title: whole words of ASCII letters and digits, at most 60."""
    return str(slugify(text, max_length=_SLUG_MAX_CHARS, word_boundary=True, save_order=True))


def trim(manuscript: Manuscript, pieces: Iterable[Piece]) -> None:
    """Bring a post that is too long under its limit by leaving out last sentences.

    The longest body paragraph gives first. None gives its only use of a phrase that it must have,
    nor its second sentence; what is still too long after that is for the checks to say.
    """
    brief = manuscript.brief
    bodies = [piece for piece in pieces if piece.heading]
    over = post_words(assemble(manuscript)) - brief.max_words
    while over > 0:
        candidates = []
        for piece in bodies:
            text = manuscript.texts[piece.name]
            parts = sentences(text, brief.language)
            if len(parts) < 3:
                continue
            shorter = text[: parts[-2].span[1]]
            if all(
                find_phrase(shorter, phrase, brief.language, exact=brief.exact_keywords)
                for phrase in piece.phrases
            ):
                candidates.append((word_count(text), piece.name, shorter))
        if not candidates:
            return
        words, name, shorter = max(candidates)
        manuscript.texts[name] = shorter
        over -= words - word_count(shorter)
