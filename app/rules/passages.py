"""The texts of a post or a Markdown file, in reading order and without markup.

The reader works line by line in linear time, whatever stands in a file. It knows what people and
models write: headings, paragraphs, lists, tables, quotations, code, emphasis, links and HTML tags.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from html import unescape

from app.core.schemas.post import SectionType, SEOPost
from app.rules.words import Span, word_count

# Text in quotation marks. German marks may also point inwards, and some close as they open.
QUOTED = re.compile(
    r"“[^”“]{1,1000}[”“]|„[^“”„]{1,1000}[“”]|«[^»«]{1,1000}»|»[^«»]{1,1000}«|\"[^\"]{1,1000}\""
)


class Kind(StrEnum):
    """What a passage is. Titles, questions and labels are headings, answers are prose."""

    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    CELL = "cell"
    QUOTATION = "quotation"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, heading, list item, table cell or block of code.

    ``section`` is its path in the post. ``raw`` is its Markdown, which begins at ``offset`` in the
    Markdown of the section or file, and ``text`` what readers see. ``is_closed`` is false for a
    block of code whose fence has no end.
    """

    section: str
    kind: Kind
    text: str
    offset: int = 0
    raw: str = ""
    is_closed: bool = True

    @property
    def raw_without_code(self) -> str:
        """The Markdown with blanks for its code."""
        if self.kind is Kind.CODE:
            return ""
        parts, at = [], 0
        for begin, end in code_spans(self.raw) if "`" in self.raw else ():
            parts += [self.raw[at:begin], " " * (end - begin)]
            at = end
        return "".join([*parts, self.raw[at:]]) if parts else self.raw

    @property
    def text_without_code(self) -> str:
        """What readers see, without code."""
        bare = self.raw_without_code
        return self.text if bare is self.raw else _plain_text(bare)


def passages(post: SEOPost) -> list[Passage]:
    """Return the passages of a post; its conclusion, stored twice, comes once."""
    found = [
        *_plain("title", Kind.HEADING, post.title),
        *_plain("meta.description", Kind.PROSE, post.meta.description),
    ]
    for index, section in enumerate(post.sections):
        path = f"sections[{index}]"
        found += _plain(f"{path}.heading", Kind.HEADING, section.heading or "")
        if section.callout:
            found += _plain(path, Kind.HEADING, section.callout.label)
            found += _plain(path, Kind.PROSE, section.callout.text)
        if section.type is SectionType.FAQ:
            for number, faq in enumerate(post.faqs):
                found += _plain(f"faqs[{number}].question", Kind.HEADING, faq.question)
                found += _plain(f"faqs[{number}].answer", Kind.PROSE, faq.answer)
        elif section.type is SectionType.CONCLUSION:
            found += _plain("conclusion", Kind.PROSE, post.conclusion)
        else:
            found += blocks(section.content_markdown, path)
    return found


def post_words(post: SEOPost) -> int:
    """Return the number of words in a post's headings, sections, callouts and FAQs."""
    head = {"title", "meta.description"}
    return sum(word_count(each.text) for each in passages(post) if each.section not in head)


def text_of(post: SEOPost) -> str:
    """Return what a reader sees: title, headings, sections, questions and answers."""
    return "\n".join(each.text for each in passages(post) if each.section != "meta.description")


def _plain(section: str, kind: Kind, text: str) -> Iterator[Passage]:
    """Yield the paragraphs of a text that has no Markdown."""
    for match in re.finditer(r"\S(?:[^\n]|\n(?![ \t]*\n))*", text):
        yield Passage(section, kind, match.group().rstrip(), match.start(), match.group())


_FENCE = re.compile(r"[ \t]*(?:`{3,}(?=[^`]*\Z)|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t]|\Z)")
_ITEM = re.compile(r"(?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|\Z)){1,8}")
_TASK = re.compile(r"\[[ xX]\][ \t]")
_QUOTED = re.compile(r"(?:[ \t]*>[ \t]?)+")
_CELL = re.compile(r"(?:[^|\\`]|\\.|`[^`|]*`|[\\`])+")
# A box: `> **Tip:** text`. It is the writer's own text.
_BOX = re.compile(r"\*\*[^*\n]{1,60}(?::\*\*|\*\*:)")
_MERGE_MARK = ">>>>>>> "

_Line = tuple[int, str]


def blocks(markdown: str, section: str = "") -> list[Passage]:
    """Return the passages of a Markdown text.

    Args:
        section: its path in the post. Without one, each passage has its offset for a path.
    """
    lines, at = [], 0
    for line in markdown.split("\n"):
        lines.append((at, line.rstrip()))
        at += len(line) + 1
    return _Reader(lines, section).read()


class _Reader:
    """Reads lines into passages."""

    def __init__(self, lines: Sequence[_Line], section: str) -> None:
        self._lines = lines
        self._section = section
        self._open: list[_Line] = []
        self._kind = Kind.PROSE
        self._found: list[Passage] = []

    def read(self) -> list[Passage]:
        at, lines = 0, self._lines
        in_list = is_after_blank = False
        while at < len(lines):
            offset, line = lines[at]
            is_blank, is_indented = not line, line.startswith(("    ", "\t"))
            if in_list and is_after_blank and line and not is_indented and not _ITEM.match(line):
                in_list = False
            if is_blank:
                self._close()
            elif line[0].isalpha() and "|" not in line:
                self._open.append((offset, line))
            elif fence := _FENCE.match(line):
                at = self._read_fence(at, fence.group().strip())
            elif is_indented and not in_list and not self._open:
                at = self._read_indented(at)
            elif mark := _HEADING.match(line):
                self._close()
                text = line[mark.end() :]
                self._add(Kind.HEADING, offset + mark.end(), text.rstrip("#") or text)
            elif self._kind is Kind.PROSE and self._open and self._is_underline(line):
                self._close(Kind.HEADING)
            elif _is_rule(line):
                self._close()
            elif line.lstrip().startswith(">") and not line.startswith(_MERGE_MARK):
                at = self._read_quotation(at)
            elif "|" in line and at + 1 < len(lines) and _is_separator(lines[at + 1][1]):
                at = self._read_table(at)
            elif (mark := _ITEM.match(line)) and self._may_begin(mark.group()):
                self._close()
                in_list, self._kind = True, Kind.ITEM
                rest = line[mark.end() :]
                if fence := _FENCE.match(rest):
                    at = self._read_fence(at, fence.group().strip())
                else:
                    task = _TASK.match(rest)
                    skipped = mark.end() + (task.end() if task else 0)
                    self._open.append((offset + skipped, line[skipped:]))
            else:
                self._open.append((offset, line))
            is_after_blank = is_blank
            at += 1
        self._close()
        return self._found

    def _is_underline(self, line: str) -> bool:
        # A post has no such headings: there it is a mark of a merge.
        return not self._section and len(line) > 1 and not (line.strip("=") and line.strip("-"))

    def _may_begin(self, mark: str) -> bool:
        """Return whether a list may begin here: “2026. ” in a paragraph is no item."""
        is_in_paragraph = bool(self._open) and self._kind is Kind.PROSE
        return not is_in_paragraph or mark.strip() in {"-", "*", "+", "1.", "1)"}

    def _close(self, kind: Kind | None = None) -> None:
        if self._open:
            text = "\n".join(line for _, line in self._open)
            self._add(kind or self._kind, self._open[0][0], text)
            self._open = []
        self._kind = Kind.PROSE

    def _add(self, kind: Kind, offset: int, text: str, is_closed: bool = True) -> None:
        if kind is not Kind.CODE:
            offset += len(text) - len(text.lstrip())
            text = text.strip()
        if text or not is_closed:
            shown = text if kind is Kind.CODE else _plain_text(text)
            path = self._section or str(offset)
            self._found.append(Passage(path, kind, shown, offset, text, is_closed))

    def _read_fence(self, at: int, fence: str) -> int:
        """Read a block of code; return the line of its end."""
        self._close()
        first, code = at, []
        for at in range(first + 1, len(self._lines)):
            line = self._lines[at][1].strip()
            if line.startswith(fence) and not line.strip(fence[0]):
                break
            code.append(self._lines[at][1])
        else:
            self._add(Kind.CODE, self._lines[first][0], "\n".join(code), is_closed=False)
            return len(self._lines)
        if code:
            self._add(Kind.CODE, self._lines[first + 1][0], "\n".join(code))
        return at

    def _read_indented(self, at: int) -> int:
        """Read a block of indented code; return its last line."""
        first = at
        while at + 1 < len(self._lines) and self._lines[at + 1][1][:1] in {"", " ", "\t"}:
            at += 1
        text = "\n".join(line for _, line in self._lines[first : at + 1]).rstrip()
        self._add(Kind.CODE, self._lines[first][0], text)
        return at

    def _read_quotation(self, at: int) -> int:
        """Read the blocks of a quotation; return its last line."""
        self._close()
        inner: list[_Line] = []
        while at < len(self._lines):
            offset, line = self._lines[at]
            if mark := _QUOTED.match(line):
                inner.append((offset + mark.end(), line[mark.end() :]))
            elif line and inner[-1][1] and not _begins_block(line):
                inner.append((offset, line))
            else:
                break
            at += 1
        is_box = bool(_BOX.match(next((line for _, line in inner if line), "")))
        for block in _Reader(inner, self._section).read():
            is_text = block.kind in {Kind.PROSE, Kind.ITEM, Kind.CELL} and not is_box
            self._found.append(replace(block, kind=Kind.QUOTATION) if is_text else block)
        return at - 1

    def _read_table(self, at: int) -> int:
        """Read the cells of a table; return its last line."""
        self._close()
        first = at
        while at < len(self._lines) and "|" in self._lines[at][1]:
            offset, line = self._lines[at]
            if at != first + 1:
                for cell in _CELL.finditer(line):
                    lead = len(cell.group()) - len(cell.group().lstrip())
                    self._add(Kind.CELL, offset + cell.start() + lead, cell.group().strip())
            at += 1
        return at - 1


def _is_rule(line: str) -> bool:
    sign = line.lstrip()[:1]
    bare = line.replace(" ", "") if sign in {"-", "*", "_"} else ""
    return len(bare) > 2 and not bare.strip(sign)


def _is_separator(line: str) -> bool:
    return "-" in line and "|" in line and not line.strip(" \t|:-")


def _begins_block(line: str) -> bool:
    return bool(_HEADING.match(line) or _FENCE.match(line) or _ITEM.match(line)) or _is_rule(line)


HTML_ELEMENTS = frozenset(
    """a abbr address article aside audio b blockquote body br button canvas caption center cite
    code col dd del details dfn div dl dt em embed fieldset figcaption figure font footer form h1 h2
    h3 h4 h5 h6 head header hr html i iframe img input ins kbd label li link main mark meta nav
    noscript object ol optgroup option p param picture pre q s samp script section select small
    source span strike strong style sub summary sup svg table tbody td template textarea tfoot th
    thead title tr u ul var video""".split()  # noqa: SIM905
)
_MARK = re.compile(r"[\\`*_\[<&~\n]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_PROTECTED = re.compile("[\ue021-\ue07e]")
_CODE = "\ue000"
# Every repetition is bounded or ends at the next sign, so that all searches are linear.
_TARGET = (
    r"\((?:[^()\s\"]|\([^()\s]{0,500}\)|\"[^\"]{0,500}\"|\"(?![^\"]{0,500}\")|\s(?!\s)){0,2000}\)"
)
_IMAGE = re.compile(rf"!\[[^\[\]]{{0,1000}}\](?:{_TARGET}|\[[^\[\]]{{0,200}}\])")
_LINK = re.compile(rf"\[([^\[\]]{{0,1000}})\](?:{_TARGET}|\[[^\[\]]{{0,200}}\])")
_AUTOLINK = re.compile(
    r"<([a-z][a-z0-9+.-]{1,20}:[^\s<>]{1,1000}|[^\s<>@]{1,64}@[^\s<>@]{1,200})>", re.I
)
_TAG = re.compile(r"</?([a-z][a-z0-9]{0,15})(?:[\s/][^<>]{0,1000})?>", re.IGNORECASE)
_STARS = re.compile(r"(\*{1,3})(?=[^\s*])([^*]{1,2000}?)(?<!\s)\1(?!\*)|~~([^~\n]{1,1000})~~")
_UNDERSCORES = re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_]{1,2000}?)(?<!\s)\1(?!\w)")


# Backslashes before a sign; two of them are a backslash.
_MOST_ESCAPES = 40


def code_spans(text: str) -> list[Span]:
    """Return the spans of inline code in a paragraph, with their backticks."""
    runs = [match.span() for match in re.finditer("`+", text)]
    ends: dict[int, list[Span]] = defaultdict(list)
    for begin, end in reversed(runs):
        ends[end - begin].append((begin, end))
    found: list[Span] = []
    for begin, end in runs:
        if found and begin < found[-1][1]:
            continue
        closing = ends[end - begin]
        while closing and closing[-1][0] <= begin:
            closing.pop()
        before = text[max(0, begin - _MOST_ESCAPES) : begin]
        is_escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
        if closing and not is_escaped:
            found.append((begin, closing.pop()[1]))
    return found


def _plain_text(markdown: str) -> str:
    """Return a paragraph as readers see it, on one line: links and emphasis leave their words."""
    if not _MARK.search(markdown):
        return markdown
    text = re.sub(r"\n[ \t]*", "\n", markdown)
    spans = code_spans(text)
    code = [text[begin:end].strip("`").strip() for begin, end in spans]
    parts, at = [], 0
    for begin, end in spans:
        parts += [text[at:begin], _CODE]
        at = end
    text = "".join([*parts, text[at:]])
    text = _ESCAPE.sub(lambda match: chr(0xE000 + ord(match[1])), text)
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = unescape(_TAG.sub(_shown, _AUTOLINK.sub(r"\1", text)))
    for pattern in (_STARS, _STARS, _UNDERSCORES):  # bold text may have italic words
        text = pattern.sub(lambda match: match[2] or match[match.lastindex or 0], text)
    text = _PROTECTED.sub(lambda match: chr(ord(match.group()) - 0xE000), text)
    if code:
        told = iter(code)
        text = re.sub(_CODE, lambda _: next(told, ""), text)
    return text.replace("\n", " ")


def _shown(tag: re.Match[str]) -> str:
    name = tag[1].lower()
    if name not in HTML_ELEMENTS:
        return tag.group()
    return " " if name in {"br", "td", "th", "li", "p", "div"} else ""
