"""Read the parts of a post out of a model's answer."""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.core.rendering.block_edits import leaves
from app.core.rendering.blocks import parse
from app.core.schemas.post import Callout, Faq
from app.core.text import fold, sentences
from app.core.writing.draft import (
    CALLOUT,
    CONCLUSION,
    DESCRIPTION,
    FAQS,
    TITLE,
    Draft,
    Part,
    PartKind,
)
from app.core.writing.plan import Plan

# What a writer writes in place of a callout that no reader needs.
LEFT_OUT = "-"
# Longer than any post; what comes after it is not read.
MAX_ANSWER_CHARS = 60_000
# Models put markers in bold or in headings, add the heading to them, and close parts as in HTML.
_MARKER = re.compile(
    rf"^[ \t]*+(?:[*#_`>]{{1,6}}+[ \t]*+){{0,3}}\[(?P<closing>/?)(?P<kind>{'|'.join(PartKind)})"
    r"(?:[ \t]+(?P<section>\d{1,3})(?:\.(?P<point>\d{1,3}))?)?"
    r"(?:[ \t]*+[:–—-][^\]\n]{0,200}+)?\][*_:`]{0,4}[ \t]*+",
    re.MULTILINE | re.IGNORECASE,
)
# JSON can spell half a character; no database and no page can hold one.
_HALF = re.compile("[\ud800-\udfff]")
_THINK, _THOUGHT = "<think>", "</think>"
_FENCE = re.compile(r"\A```[ \t]*(?P<language>markdown|md|text)?[ \t]*\n", re.IGNORECASE)
# A line across the page.
_RULE = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*")
_LARGE_HEADING = re.compile(r"#{1,2}[ \t]")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_NUMBER = re.compile(r"\A\d{1,2}[.)]\s+")
_LABELLED = re.compile(r"\A(?P<label>[^\n:：]{1,60}?)[ \t]?[:：]\s*(?P<text>\S.*)", re.DOTALL)
_LABEL_CHARS = 60
# What stands before a question or an answer; a single letter is a label in any language.
_FAQ_LABEL = re.compile(
    r"\A(?:[#>*_\s-]{1,8}|\d{1,2}[.)]\s"
    r"|(?:[^\W\d_]|Question|Answer)[ \t]?(?:\d{1,2}[.)]|\d{0,2}\*{0,2}[:：])\s*)",
    re.IGNORECASE,
)
_LABELS = 4
# The most headings that a part begins with.
_HEADINGS = 3
# A question in bold, with its answer on the same line.
_BOLD_QUESTION = re.compile(
    r"(?P<marks>\*\*|__)(?P<question>[^\n]{3,300}?[?？؟][”\"»]?)(?P=marks)[ \t]*(?P<answer>[^\n]*)"
)
_QUESTION_CHARS = 300
_QUESTION_MARKS = ("?", "？", "؟", "\u037e")
# Greek keyboards write the question mark as a semicolon.
_GREEK = re.compile("[α-ω]")
_QUOTES = {'"': '"', "“": "”"}


def read_answer(
    text: str, asked: Sequence[Part], *, also: Sequence[Part] = (), cut_off: bool = False
) -> dict[Part, str]:
    """Return the text of each part that was asked for and found.

    Several parts are told apart by their markers. If one part was asked for, the answer needs no
    marker. Text before the first marker and parts nobody asked for are dropped.

    Args:
        also: parts that may be there as well.
        cut_off: the answer ended at its limit, so its last part is incomplete and is dropped unless
            it is the only one that was asked for.
    """
    text = _without_thoughts(text)[:MAX_ANSWER_CHARS]
    text = _unfenced(_HALF.sub("\N{REPLACEMENT CHARACTER}", text).strip())
    found = list(_MARKER.finditer(text))
    if not found:
        text = _without_rules(text)
        return {asked[0]: text} if len(asked) == 1 and text else {}
    bodies: list[tuple[Part, str]] = []
    for index, marker in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(text)
        body = _unfenced(_without_rules(text[marker.end() : end].strip()))
        if body and not marker["closing"]:
            bodies.append((_part(marker), body))
    if len(asked) == 1 and len(bodies) == 1 and bodies[0][0].kind is asked[0].kind:
        return {asked[0]: bodies[0][1]}
    parts: dict[Part, str] = {}
    for number, (part, body) in enumerate(bodies, 1):
        incomplete = cut_off and number == len(bodies) and len(asked) > 1
        if (part in asked or part in also) and not incomplete:
            parts.setdefault(part, body)
    if CONCLUSION in (*asked, *also) and CONCLUSION not in parts:
        faqs, conclusion = _without_conclusion(parts.get(FAQS, ""))
        parts |= {FAQS: faqs, CONCLUSION: conclusion} if fold(conclusion) else {}
    return parts


def _without_rules(text: str) -> str:
    """Drop the lines across the page with which models part what they write from what follows."""
    lines = text.split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or _RULE.fullmatch(lines[-1])):
        del lines[-1]
    return "\n".join(lines)


def _without_conclusion(faqs: str) -> tuple[str, str]:
    """Return the text of questions, and the conclusion that stands behind their last answer, below
    a line across the page or a large heading; "" if none does."""
    lines = faqs.split("\n")
    asked = [at for at, line in enumerate(lines) if _question(line)]
    for at in range(asked[-1] + 1 if asked else len(lines), len(lines)):
        is_rule = _RULE.fullmatch(lines[at])
        if is_rule or _LARGE_HEADING.match(lines[at]):
            conclusion = "\n".join(lines[at + bool(is_rule) :]).strip()
            return "\n".join(lines[:at]).strip(), conclusion
    return faqs, ""


def _part(marker: re.Match[str]) -> Part:
    kind = PartKind(marker["kind"].upper())
    if kind not in {PartKind.SECTION, PartKind.HEADING}:
        return Part(kind)
    return Part(kind, int(marker["section"] or 0), int(marker["point"] or 0))


def _without_thoughts(text: str) -> str:
    """Drop what a model thought before its answer; a thought without an end has no answer."""
    before, _, answer = text.rpartition(_THOUGHT)
    if before:
        return answer
    return "" if text.lstrip().startswith(_THINK) else text


def _unfenced(text: str) -> str:
    """Drop a fence around a text, and one that was opened before it."""
    inside = text.removesuffix("```").rstrip()
    is_closed = inside != text
    if opening := _FENCE.match(text):
        # A bare fence that closes before the end is code.
        if is_closed and (opening["language"] or "```" not in inside[3:]):
            return inside[opening.end() :].strip()
        if not is_closed and opening["language"] and "```" not in inside[3:]:
            return text[opening.end() :].strip()
    elif is_closed and inside.count("```") % 2 == 0 and text.endswith("\n```"):
        return inside
    return text


def accept(draft: Draft, part: Part, text: str) -> Draft:
    """Return the draft with a part replaced by its text, as it was read; unchanged if the text has
    no question, label or word."""
    if part == FAQS:
        faqs = read_faqs(text)
        return replace(draft, faqs=faqs) if faqs else draft
    if part == TITLE:
        line = _first_line(text)
        return replace(draft, plan=replace(draft.plan, title=line)) if fold(line) else draft
    if part.kind is PartKind.HEADING:
        return _with_heading(draft, part.section, _first_line(text))
    if part == CALLOUT:
        if text.strip() == LEFT_OUT:
            return replace(draft, callout=None, is_without_callout=True)
        callout = read_callout(text)
        if callout is None:
            return draft
        return replace(draft, callout=callout, is_without_callout=False)
    if part == DESCRIPTION:
        line = _unquoted(_plain(text))
        return draft.with_text(part, line) if fold(line) else draft
    tidied = _without_own_heading(text, draft.plan, part)
    return draft.with_text(part, tidied) if fold(tidied) else draft


def _first_line(text: str) -> str:
    """Return a title or heading without marks and quotation marks around it."""
    return _unquoted(text.strip().partition("\n")[0].strip("#* "))


def _with_heading(draft: Draft, number: int, heading: str) -> Draft:
    """Return the draft with another heading of a section; unchanged if it has no word, or if title
    or another section has it."""
    sections = list(draft.plan.sections)
    section = sections.pop(number - 1)
    taken = {fold(each) for each in (draft.plan.title, *(other.heading for other in sections))}
    if not fold(heading) or fold(heading) in taken:
        return draft
    sections.insert(number - 1, replace(section, heading=heading))
    return replace(draft, plan=replace(draft.plan, sections=tuple(sections)))


def read_faqs(text: str) -> tuple[Faq, ...]:
    """Return the questions of a text, with the text below each as its answer.

    A question is a line of its own, or in bold with its answer on the same line.
    """
    found: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        if asked := _question(line):
            found.append((asked[0], [asked[1]]))
        elif found:
            found[-1][1].append(line)
    answers = ((question, _unlabelled(_plain("\n".join(lines)))) for question, lines in found)
    return tuple(
        Faq(question=question, answer=answer) for question, answer in answers if fold(answer)
    )


def _question(line: str) -> tuple[str, str] | None:
    """Return the question that a line begins with and the rest of the line; None if it has none."""
    line = line.strip()
    bold = _BOLD_QUESTION.match(_unlabelled(line, marks="#>- \t"))
    question, answer = (bold["question"], bold["answer"]) if bold else (line, "")
    question = _unlabelled(question.strip("*_ \t"))
    asks = question.endswith(_QUESTION_MARKS)
    asks = asks or (question.endswith(";") and _GREEK.search(question.lower()) is not None)
    if not asks or len(question) > _QUESTION_CHARS or not fold(question):
        return None
    return _plain(question), answer


def _unlabelled(text: str, marks: str = "") -> str:
    """Drop what stands before a question or an answer: numbers, labels and Markdown."""
    if marks:
        return _NUMBER.sub("", text.lstrip(marks))
    for _ in range(_LABELS):
        shorter = _FAQ_LABEL.sub("", text.lstrip())
        if shorter == text:
            break
        text = shorter
    return text


def read_callout(text: str) -> Callout | None:
    """Return the label and the text of a box written as ``Label: text``, or with the label as a
    bold line or heading of its own; None without a label."""
    first, _, rest = text.strip().lstrip("> ").partition("\n")
    label = first.strip("#*_ \t").rstrip(":：")
    is_label = first.startswith(("#", "**")) and first.endswith(("*", label, ":", "："))
    if is_label and rest.strip() and not any(mark in label for mark in "*:："):
        told = rest
    elif found := _LABELLED.match(_plain(text)):
        label, told = found["label"], found["text"]
    else:
        return None
    label, told = _plain(label), _plain(told)
    if not fold(told) or not fold(label) or len(label) > _LABEL_CHARS:
        return None
    return Callout(label=label, text=told)


def _plain(text: str) -> str:
    """Return the text of Markdown as a reader sees it, on one line."""
    return " ".join(leaf.text for leaf in leaves(parse(text)))


def whole_sentences(text: str, language: str) -> str:
    """Drop the last sentence of a text that ran out of tokens, and an unfinished last line."""
    head, separator, line = text.rstrip().rpartition("\n")
    # A number before an item is no sentence.
    begin = marker.end() if (marker := _ITEM.match(line)) else 0
    parts = sentences(line[begin:], language)
    if len(parts) > 1:
        return head + separator + line[: begin + parts[-2].span[1]]
    return head.rstrip() if head.strip() else text


def _without_own_heading(text: str, plan: Plan, part: Part) -> str:
    """Drop large headings, and lines that repeat the title or the part's own heading."""
    own = {fold(plan.title), fold(part.kind.value)}
    if part.section and part.section <= len(plan.sections):
        own.add(fold(plan.sections[part.section - 1].heading))
    text = text.strip()
    for _ in range(_HEADINGS):
        first, _, rest = text.partition("\n")
        bare = first.strip("#*_ :：\t")
        is_own = fold(bare) in own or fold(_NUMBER.sub("", bare)) in own
        # A section begins with text: its heading is the plan's.
        if not rest.strip() or not (is_own or _LARGE_HEADING.match(first)):
            break
        text = rest.strip()
    return _unquoted(text)


def _unquoted(text: str) -> str:
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        return text[1:-1].strip()
    return text
