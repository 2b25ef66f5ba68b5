"""The draft of a post: its parts, and the post that they make."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from slugify import slugify

from app.core.checks import keyword_coverage
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.schemas.post import (
    Callout,
    CoverageNotes,
    Faq,
    Meta,
    Outline,
    Section,
    SectionType,
    SEOPost,
)
from app.core.writing.plan import Plan

_SLUG_MAX_CHARS = 60
# The heading in a language that has no data.
_FAQ_HEADING = "FAQ"


class PartKind(StrEnum):
    TITLE = "TITLE"
    INTRODUCTION = "INTRODUCTION"
    SECTION = "SECTION"
    HEADING = "HEADING"
    CALLOUT = "CALLOUT"
    CONCLUSION = "CONCLUSION"
    FAQS = "FAQS"
    DESCRIPTION = "DESCRIPTION"


@dataclass(frozen=True)
class Part:
    """A part of a post that is written and rewritten as a whole.

    Args:
        section: of a section or its heading, its number from 1.
        point: of one block of a section, the number of its point from 1; 0 means the whole section.
    """

    kind: PartKind
    section: int = 0
    point: int = 0

    @property
    def marker(self) -> str:
        """Return the line that opens the part in an answer with several parts."""
        number = f" {self.section}" if self.section else ""
        return f"[{self.kind.value}{number}{f'.{self.point}' if self.point else ''}]"

    @property
    def whole(self) -> "Part":
        """Return the section that a block belongs to, or the part itself."""
        return replace(self, point=0)


TITLE = Part(PartKind.TITLE)
INTRODUCTION = Part(PartKind.INTRODUCTION)
CALLOUT = Part(PartKind.CALLOUT)
CONCLUSION = Part(PartKind.CONCLUSION)
FAQS = Part(PartKind.FAQS)
DESCRIPTION = Part(PartKind.DESCRIPTION)


def section_part(number: int, point: int = 0) -> Part:
    """Return section ``number``, counted from 1, or one block of it."""
    return Part(PartKind.SECTION, number, point)


def heading_part(number: int) -> Part:
    """Return the heading of section ``number``, counted from 1. The plan has it, so it is only
    rewritten."""
    return Part(PartKind.HEADING, number)


def parts_of(plan: Plan, brief: Brief) -> tuple[Part, ...]:
    """Return the parts of a post in the order in which they are written: what sums up the sections
    comes after them."""
    return (
        INTRODUCTION,
        *(section_part(number) for number in range(1, len(plan.sections) + 1)),
        *([CALLOUT] if brief.callout else []),
        CONCLUSION,
        *([FAQS] if brief.faqs else []),
        DESCRIPTION,
    )


@dataclass(frozen=True)
class Draft:
    """A post being written. ``texts`` holds the Markdown of each part; ``faqs`` and ``callout`` are
    these parts; ``is_without_callout`` if its writer left that out."""

    plan: Plan
    texts: Mapping[Part, str] = field(default_factory=dict)
    faqs: tuple[Faq, ...] = ()
    callout: Callout | None = None
    is_without_callout: bool = False

    def has(self, part: Part) -> bool:
        if part == FAQS:
            return bool(self.faqs)
        if part == CALLOUT:
            return self.callout is not None or self.is_without_callout
        return part in self.texts

    def with_part_of(self, other: "Draft", part: Part) -> "Draft":
        """Return the draft with a part of another one with the same plan, as far as it has it."""
        if part == FAQS:
            return replace(self, faqs=other.faqs)
        if part == CALLOUT:
            left_out = other.is_without_callout
            return replace(self, callout=other.callout, is_without_callout=left_out)
        return self.with_text(part, other.texts[part]) if part in other.texts else self

    def with_text(self, part: Part, text: str) -> "Draft":
        """Return the draft with a part's text. A section is the text of its blocks until it is
        written as a whole."""
        texts = {each: told for each, told in self.texts.items() if each.whole != part}
        texts[part] = text
        if part.point:
            blocks = sorted(each.point for each in texts if each.point and each.whole == part.whole)
            texts[part.whole] = "\n\n".join(
                texts[section_part(part.section, point)] for point in blocks
            )
        return replace(self, texts=texts)

    def text(self, part: Part) -> str:
        """Return a part as the writer wrote it; "" if it is missing."""
        if part == FAQS:
            return "\n\n".join(f"### {faq.question}\n\n{faq.answer}" for faq in self.faqs)
        if part == TITLE:
            return self.plan.title
        if part.kind is PartKind.HEADING:
            return self.plan.sections[part.section - 1].heading
        if part == CALLOUT:
            return f"{self.callout.label}: {self.callout.text}" if self.callout else ""
        return self.texts.get(part, "")

    def reading_order(self) -> Iterator[tuple[Part, str]]:
        """Yield the parts that are written, with their texts, as a reader meets them; the
        description last."""
        numbers = range(1, len(self.plan.sections) + 1)
        order = [INTRODUCTION, *(section_part(number) for number in numbers)]
        order.insert(1 + callout_after(self.plan), CALLOUT)
        for part in [*order, FAQS, CONCLUSION, DESCRIPTION]:
            is_left_out = part == CALLOUT and self.callout is None
            if self.has(part) and not is_left_out:
                yield part, self.text(part)

    def part_at(self, path: str) -> Part | None:
        """Return the part at a path of the assembled post; None for the post as a whole."""
        if path == "title":
            return TITLE
        if path.startswith("meta.description"):
            return DESCRIPTION
        if path.startswith("faqs"):
            return FAQS
        if not path.startswith("sections["):
            return None
        index = int(path[len("sections[") : path.index("]")])
        order = [
            part for part, _ in self.reading_order() if part not in {DESCRIPTION}
        ]  # one section of the post each
        part = order[index] if index < len(order) else None
        if part and part.kind is PartKind.SECTION and path.endswith(".heading"):
            return heading_part(part.section)
        return part


def callout_after(plan: Plan) -> int:
    """Return the number of the section that the callout follows: in the middle of the post."""
    return (len(plan.sections) + 1) // 2


def assemble(draft: Draft, brief: Brief) -> SEOPost:
    """Return the post that the parts make. Its description may be empty."""
    sections = []
    for part, text in draft.reading_order():
        if part.kind is PartKind.SECTION:
            heading = draft.plan.sections[part.section - 1].heading
            sections.append(Section(type=SectionType.BODY, heading=heading, content_markdown=text))
        elif part == CALLOUT:
            sections.append(Section(type=SectionType.CALLOUT, heading=None, callout=draft.callout))
        elif part == FAQS:
            sections.append(Section(type=SectionType.FAQ, heading=_faq_heading(brief.language)))
        elif part == INTRODUCTION:
            sections.append(Section(type=SectionType.INTRODUCTION, content_markdown=text))
        elif part == CONCLUSION:
            sections.append(Section(type=SectionType.CONCLUSION, content_markdown=text))
    title = draft.plan.title
    post = SEOPost(
        title=title,
        slug_suggestion=slug(title) or slug(brief.primary_keyword) or "post",
        meta=Meta(description=draft.text(DESCRIPTION), primary_keyword=brief.primary_keyword),
        outline=Outline(
            h1=title, h2=tuple(section.heading for section in sections if section.heading)
        ),
        sections=tuple(sections),
        faqs=draft.faqs,
        conclusion=draft.text(CONCLUSION),
        coverage_notes=CoverageNotes(keyword_coverage=()),
    )
    notes = CoverageNotes(keyword_coverage=keyword_coverage(post, brief))
    return post.model_copy(update={"coverage_notes": notes})


def _faq_heading(language: str) -> str:
    spoken = get_language(language)
    return spoken.headings.faq if spoken and spoken.headings else _FAQ_HEADING


def slug(text: str) -> str:
    """A short address for a title: whole words of ASCII letters and digits, at most 60."""
    return str(slugify(text, max_length=_SLUG_MAX_CHARS, word_boundary=True, save_order=True))
