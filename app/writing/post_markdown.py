"""One Markdown document ⇄ the parts of a post.

`parse_post` is lenient: models put fences around their answer, talk before it, mark the description
in several ways, or write questions in bold. What `format_post` writes, it returns. The other parts
of a post follow from these: its slug and outline (`make_post`), the coverage of its keywords
(`with_coverage`), and what stands in for the parts that a small model leaves out (`completed`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from slugify import slugify

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
from app.rendering.escape import escape
from app.rendering.markdown import normalise, plain_text
from app.rules.keywords import keyword_coverage
from app.rules.languages import faq_heading, is_conclusion_heading, is_faq_heading
from app.rules.words import sentences, shortened
from app.writing.brief import Brief

FAQ, CONCLUSION = "FAQ", "Conclusion"
# Longer than any post; what comes after it is not read.
MAX_CHARS = 60_000
_SLUG_MAX_CHARS = 60
# JSON can spell half a character; no database and no page can hold one.
_HALF = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_OPENING_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(?:markdown|md|text)?[ \t]*\n")
_TITLE = re.compile(r"^ {0,3}#[ \t]", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*(?:(?<=[ \t])#+[ \t]*)?")
_THEMATIC_BREAK = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_DESCRIPTION = re.compile(
    r"(?:>[ \t]*)?(?:[*_]{0,3}(?:meta[ -]?)?description[*_]{0,3}[ \t]*:[ \t]*[*_]{0,3})?[ \t]*(.*)",
    re.IGNORECASE,
)
_IS_DESCRIPTION = re.compile(r"[ \t]*(?:>|[*_]{0,3}(?:meta[ -]?)?description\b)", re.IGNORECASE)
_QUOTED_LINE = re.compile(r" {0,3}>[ \t]?")
# “**Label:** text” and “**Label**: text”.
_LABELLED = re.compile(r"\*\*([^*\n]{1,60}?)[ \t]*(?::\*\*|\*\*[ \t]*:)[ \t]*(\S[\s\S]*)")
_BOLD_QUESTION = re.compile(r"(?:\*\*|__)([^\n]{3,300}[?？؟])(?:\*\*|__)[ \t]*(.*)")
_QUESTION_LABEL = re.compile(
    r"^(?:\d{1,2}[.)][ \t]+|(?:Q|F|P|D|V)\d{0,2}[.:)][ \t]+)", re.IGNORECASE
)
_PARAGRAPH_END = re.compile(r"\n(?:[ \t]*\n|(?=[ \t]*(?:[-*+]|\d{1,2}[.)])[ \t]))")
# Code, or a sign that is escaped.
_ESCAPED = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\\.|&lt;")
_BRACKETS = {"\\[": "[", "&lt;": "<"}
_LABEL_CHARS = 40
_DESCRIPTION_CHARS = 110, 155


@dataclass
class _Part:
    """A heading, "" above the first one, and the lines below it."""

    heading: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


@lru_cache(maxsize=16)  # the rules, the editor and the reader ask for the same few drafts
def parse_post(markdown: str, brief: Brief) -> SEOPost:
    """Return the post of a document.

    What the document lacks is empty in the post; rules name it.
    """
    title, parts = _split(_unwrapped(markdown))
    description, introduction = _description(parts[0].lines)
    sections: list[Section] = []
    if introduction := normalise(introduction):
        sections.append(Section(type=SectionType.INTRODUCTION, content_markdown=introduction))
    faqs: tuple[Faq, ...] = ()
    has_faqs, conclusion = False, ""
    above_questions: list[str] = []
    for part in parts[1:]:
        if is_conclusion_heading(part.heading):
            conclusion = "\n\n".join(filter(None, (conclusion, _plain_paragraphs(part.text))))
        elif is_faq_heading(part.heading):
            has_faqs = True
            asked, above = _faqs(part.lines)
            faqs += tuple(asked)
            above_questions.append(above)
        else:
            sections += _body(part)
    if text := normalise("\n\n".join(above_questions)):
        sections = _with_text_at_end(sections, text)
    if has_faqs:
        sections.append(Section(type=SectionType.FAQ, heading=faq_heading(brief.language)))
    if conclusion:
        sections.append(Section(type=SectionType.CONCLUSION, content_markdown=conclusion))
    return make_post(title, description, sections, faqs, conclusion, brief)


def parse_text(title: str, description: str, text: str, brief: Brief) -> SEOPost:
    """Return the post of a title, a description and the document below them. The first two are
    plain text."""
    read = parse_post(f"# T\n\n> D\n\n{text}", brief)
    return make_post(title, description, read.sections, read.faqs, read.conclusion, brief)


def make_post(
    title: str,
    description: str,
    sections: Sequence[Section],
    faqs: tuple[Faq, ...],
    conclusion: str,
    brief: Brief,
) -> SEOPost:
    """Return a post of these parts, with its outline and its slug, and without its coverage."""
    return SEOPost(
        title=title,
        slug_suggestion=_slug(title) or _slug(brief.primary_keyword) or "post",
        meta=Meta(description=description, primary_keyword=brief.primary_keyword),
        outline=Outline(h1=title, h2=tuple(each.heading for each in sections if each.heading)),
        sections=tuple(sections),
        faqs=faqs,
        conclusion=conclusion,
        coverage_notes=CoverageNotes(keyword_coverage=()),
    )


def with_coverage(post: SEOPost, brief: Brief) -> SEOPost:
    """Return the post with the sentence that uses each keyword. Only the post that is returned
    needs it: finding these sentences takes as long as reading the document."""
    notes = CoverageNotes(keyword_coverage=keyword_coverage(post, brief))
    return post.model_copy(update={"coverage_notes": notes})


def completed(post: SEOPost, brief: Brief) -> SEOPost:
    """Return the post of a small model, which leaves out parts, with what stands in for them: its
    first section for the introduction, and the beginning of that for the description."""
    sections = list(post.sections)
    if sections and sections[0].type is SectionType.BODY:
        text = sections[0].content_markdown
        sections[0] = Section(type=SectionType.INTRODUCTION, content_markdown=text)
    description = post.meta.description
    text = plain_text(sections[0].content_markdown) if sections else ""
    for each in sentences(text, brief.language):
        if len(description) < _DESCRIPTION_CHARS[0]:
            description = shortened(f"{description} {each}".strip(), _DESCRIPTION_CHARS[1])
    return make_post(post.title, description, sections, post.faqs, post.conclusion, brief)


def format_post(post: SEOPost) -> str:
    """Return the document of a post, in its canonical form. Signs in its plain texts are escaped:
    ``parse_post`` returns the same post."""
    head = [f"# {escape(post.title)}"]
    if post.meta.description:
        head.append(f"> {escape(post.meta.description)}")
    return "\n\n".join((*map(_readable, head), format_text(post)))


def format_text(post: SEOPost) -> str:
    """Return the document below the title and the description of a post: ``parse_text`` returns the
    same post."""
    return "\n\n".join(map(_readable, _blocks(post))) + "\n"


def _readable(markdown: str) -> str:
    """Return Markdown with brackets as readers see them, as in “Dear [name]”: whatever reads the
    document escapes them again."""
    if "```" in markdown:
        return markdown
    return _ESCAPED.sub(lambda sign: _BRACKETS.get(sign[0], sign[0]), markdown)


def _blocks(post: SEOPost) -> Iterator[str]:
    for section in post.sections:
        match section.type:
            case SectionType.FAQ:
                yield f"## {FAQ}"
                for faq in post.faqs:
                    yield f"### {escape(faq.question)}"
                    yield from map(escape, faq.answer.split("\n\n"))
            case SectionType.CONCLUSION:
                yield f"## {CONCLUSION}"
                yield from map(escape, section.content_markdown.split("\n\n"))
            case SectionType.CALLOUT if section.callout:
                yield f"> **{escape(section.callout.label)}:** {escape(section.callout.text)}"
            case _:
                if section.heading:
                    yield f"## {escape(section.heading)}"
                if section.content_markdown:
                    yield section.content_markdown


def _unwrapped(markdown: str) -> str:
    """Return a document without a fence around it, talk before it and unusable characters."""
    text = markdown[:MAX_CHARS].replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub("", _HALF.sub("\N{REPLACEMENT CHARACTER}", text)).lstrip()
    title = _TITLE.search(text)
    # Without a title, talk cannot be told from the document.
    fence = _OPENING_FENCE.search(text, 0, title.start()) if title else _OPENING_FENCE.match(text)
    begin = title.start() if title else fence.end() if fence else 0
    if fence:
        closing = text.rfind(f"\n{fence[1]}")
        if closing >= 0 and not text[closing + 1 :].strip().strip(fence[1][0]):
            text = text[:closing]
    return text[begin:]


def _split(text: str) -> tuple[str, list[_Part]]:
    """Return the title, and the parts below headings of level 2; the first has no heading."""
    title, parts, fence = "", [_Part("")], ""
    for line in text.split("\n"):
        if mark := _FENCE.fullmatch(line):
            # A fence is closed by one of the same sign that is as long.
            is_closing = (
                bool(fence) and mark[1].startswith(fence) and not line.strip().strip(fence[0])
            )
            fence = "" if is_closing else fence or mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading and not title and len(parts) == 1 and not parts[0].text:
            title = plain_text(heading[2])
        elif heading and len(heading[1]) <= 2:
            parts.append(_Part(plain_text(heading[2])))
        elif fence or not _THEMATIC_BREAK.fullmatch(line) or _is_in_table(parts[-1].lines):
            parts[-1].lines.append(line)
    return title, parts


def _is_in_table(lines: Sequence[str]) -> bool:
    return bool(lines) and "|" in lines[-1]


def _description(lines: Sequence[str]) -> tuple[str, str]:
    """Return the description, which stands first if it is there, and the introduction."""
    at = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    end = at
    if at < len(lines) and _IS_DESCRIPTION.match(lines[at]):
        end = next((n for n in range(at, len(lines)) if not lines[n].strip()), len(lines))
    told = [match[1] for each in lines[at:end] if (match := _DESCRIPTION.fullmatch(each.strip()))]
    return plain_text(" ".join(told)), "\n".join(lines[end:]).strip()


def _body(part: _Part) -> Iterator[Section]:
    """Yield a section, and the box at its end. A box before other text stays in that text: a
    caution belongs before the step."""
    text, callout = _without_box(normalise(part.text))
    yield Section(type=SectionType.BODY, heading=part.heading, content_markdown=text)
    if callout:
        yield Section(type=SectionType.CALLOUT, heading=None, callout=callout)


def _with_text_at_end(sections: Sequence[Section], text: str) -> list[Section]:
    """Return the sections with a text at the end of the last one that is not a box: the part of
    the questions has no text of its own, and so it still stands above them."""
    whole = list(sections)
    for number in reversed(range(len(whole))):
        if whole[number].type is not SectionType.CALLOUT:
            told = "\n\n".join(filter(None, (whole[number].content_markdown, text)))
            whole[number] = whole[number].model_copy(update={"content_markdown": told})
            return whole
    # A box only follows a text: there are no sections.
    return [Section(type=SectionType.INTRODUCTION, content_markdown=text)]


def _without_box(text: str) -> tuple[str, Callout | None]:
    before, _, last = text.rpartition("\n\n")
    lines = last.strip().split("\n")
    if not before or not all(_QUOTED_LINE.match(line) for line in lines):
        return text, None
    found = _LABELLED.fullmatch("\n".join(_QUOTED_LINE.sub("", line, count=1) for line in lines))
    if not found or len(found[1]) > _LABEL_CHARS:
        return text, None
    return before.rstrip(), Callout(label=plain_text(found[1]), text=plain_text(found[2]))


def _faqs(lines: Iterable[str]) -> tuple[list[Faq], str]:
    """Return the questions with their answers, and the text above the first one."""
    asked: list[tuple[str, list[str]]] = []
    above: list[str] = []
    for line in lines:
        heading = _HEADING.fullmatch(line)
        bold = _BOLD_QUESTION.fullmatch(line.strip())
        if heading or bold:
            question = heading[2] if heading else bold[1] if bold else ""
            question = _QUESTION_LABEL.sub("", plain_text(question), count=1)
            asked.append((question, [bold[2]] if bold and not heading else []))
        else:
            (asked[-1][1] if asked else above).append(line)
    found = [
        Faq(question=question, answer=_plain_paragraphs("\n".join(told)))
        for question, told in asked
    ]
    return found, "\n".join(above).strip()


def _plain_paragraphs(text: str) -> str:
    """Return the paragraphs and the items of a plain text, each on one line."""
    return "\n\n".join(filter(None, map(plain_text, _PARAGRAPH_END.split(text))))


def _slug(text: str) -> str:
    """Return a short address for a title: whole words of ASCII letters and digits, at most 60."""
    return str(slugify(text, max_length=_SLUG_MAX_CHARS, word_boundary=True, save_order=True))
