"""What a tool or a draft leaves in a text: marks of chat tools, notes, labels, code, orders."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise

from app.core.checks.check import (
    BLOCKER,
    WARNING,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    Severity,
    check,
    is_found_by,
)
from app.core.checks.hygiene import check_placeholder, quoting
from app.core.checks.passage import Kind, Passage
from app.core.checks.wording import level, without_quotations
from app.core.languages import with_english
from app.core.text import Span, find_phrase, words

# Each pattern below is searched for only in a text with one of its signs, which is much quicker.
_CHAT_SIGNS = ("【", "oaicite", "turn", "[", "utm_source", "<", "antCitation")
_CHAT_MARK = re.compile(
    r"""
      【[^【】\n]{0,80}†[^【】\n]{0,80}】? | 【\d{1,3}(?::\d{1,3})?】
    | \[\d{1,3}(?::\d{1,3})?†[^\]\n]{0,80}\]?
    | :?\bcontentReference\[[^\]\n]{0,60}\](?:\{[^}\n]{0,40}\})?
    | :?\bantCitation\b(?:\[[^\]\n]{0,60}\])?(?:\{[^}\n]{0,60}\})?
    | \[?\boaicite\b(?::\s?\d{1,3})?\]?
    | (?:\bcite)?\bturn\d{1,3}(?:search|view|news|image|fetch|file|product|video|academia|forecast)
      \d{1,3}\b | \bciteturn\d{1,3}\w{1,20}\b
    | \butm_source=(?:chatgpt|openai|perplexity|copilot|gemini|claude)\b(?:\.com|\.ai)?
    | \[cite(?:_start|_end|:\s?\d[^\]\n]{0,40})?\]
    | <\|\w{2,30}\|> | \[/?INST\] | <</?SYS>> | </?(?:think|thinking|antThinking)>
    """,
    re.VERBOSE,
)
_NOTE_NUMBER = re.compile(r"(?<=[\w.,;:!?)”\"] )\[\^?\d{1,3}\^?\]|(?<=[a-z.,;)])\[\^?\d{1,3}\^?\]")


@check(
    "chat_mark", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Delete it. If the sentence needs a source, name it in words.",
    in_files=FilePart.TEXT,
)  # fmt: skip
def check_chat_mark(passage: Passage, language: str) -> Iterator[Finding]:
    """Marks that chatbots leave: 【4†source】, oaicite, turn0search1; in posts also [12]."""
    text = passage.text_without_code
    found = any(sign in text for sign in _CHAT_SIGNS) and _CHAT_MARK.search(text)
    # A file may have notes of its own.
    if not found and not passage.in_file and "[" in text:
        found = _NOTE_NUMBER.search(text)
    if found:
        what = "is a mark that a chatbot leaves."
        yield quoting(check_chat_mark, passage, found.span(), what)


# More than the longest label.
_LABEL_CHARS = 60
_LABEL = "is a label of a draft."
_ORDER = "reads like an instruction to a writer, not like text for readers."


@check(
    "unfinished_note", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Do what it says, then delete it.",
    sometimes=WARNING, in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_unfinished_note(passage: Passage, language: str) -> Iterator[Finding]:
    """Notes to the writer or editor, requests for a source, places for pictures.

    A note that may be meant for readers is only a warning in a file.
    """
    text = level(passage.text_without_code)
    notes = [each.unfinished_notes for each in with_english(language) if each.unfinished_notes]
    for each in notes:
        for pattern, is_certain in (
            (each.certain, True), (each.sources, True), (each.doubtful, False),
        ):  # fmt: skip
            if match := pattern.search(text):
                severity = _severity(passage, is_certain=is_certain)
                what = "is a note to the writer, not text for readers."
                note = quoting(check_unfinished_note, passage, match.span(), what, severity)
                if not is_found_by((check_placeholder,), note, passage, language):
                    yield note
                return


@check(
    "draft_label", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Delete it and keep the rest.",
    sometimes=WARNING, in_files=FilePart.TEXT, fixable=True,
)  # fmt: skip
def check_draft_label(passage: Passage, language: str) -> Iterator[Finding]:
    """Labels of a draft, such as “Title:” before a text, and word counts.

    “Title:” and other labels that people write as well are a warning in a file, and none before a
    heading: a heading may begin with “Introduction:”.
    """
    text = level(passage.text)
    has_colon = ":" in text[:_LABEL_CHARS]
    is_cell = passage.kind in {Kind.LABEL, Kind.CELL}
    is_short = is_cell or passage.kind in {Kind.HEADING, Kind.TITLE, Kind.QUESTION}
    labels = [each.draft_labels for each in with_english(language) if each.draft_labels]
    for each in labels:
        counted = each.word_count.search(text) if any(map(str.isdigit, text)) else None
        labelled = each.certain_pattern.match(text) if has_colon and not is_cell else None
        if match := labelled or counted:
            yield quoting(check_draft_label, passage, match.span(), _LABEL)
            return
        match = each.doubtful_pattern.match(text) if has_colon and not is_short else None
        # "Output:" alone leads the code below it.
        if match and text[match.end() :].strip():
            severity = _severity(passage, is_certain=False)
            yield quoting(check_draft_label, passage, match.span(), _LABEL, severity)
            return


_ESCAPE_SIGNS = ("\\", "$$", "%", "=", '"', "&", "<")
_FORMULA = re.compile(
    r"""
      \\(?:[dt]?frac|times|approx|text|textbf|textit|texttt|emph|begin|end|cdot|sqrt|leq?|geq?|neq
        |alpha|beta|gamma|delta|pi|mu|theta|sum|int|left|right|circ|degree|pm|mathrm|mathbf|quad
        |rightarrow|Rightarrow|to|section|subsection|item|cite|ref|label|infty|ldots|dots|div|percent)
      (?![a-zA-Z])(?:\{[^{}\n]{0,80}\}){0,2}
    | \$\$[^$\n]{1,200}\$\$ | \\[(\[][^\n]{1,200}?\\[)\]]
    | \\(?:%|&|\#)(?=\ )
    """,
    re.VERBOSE,
)
_ESCAPED = re.compile(
    r"""
      (?<=[a-z.,;:!?])\\n(?=\\n|[A-Z\ *\#-]|$|[a-z]{1,20}\ ) | \\n\\n
    | \\u[0-9a-fA-F]{4} | \\x[0-9a-fA-F]{2}(?![0-9a-zA-Z]) | \\["']
    | (?<!\S)(?:[^\s%/.=:?&]{1,60}%(?:20|2[2-9A-F]|3[A-F]|C3%[0-9A-F]{2}|E2%80%[0-9A-F]{2})){1,20}\S
    | (?:=(?:C3|E2|20|3D)){1,3}=[0-9A-F]{2}
    """,
    re.VERBOSE,
)
# A file shows a reference of characters only if it was escaped twice.
_SHOWN_HTML = re.compile(
    r"&(?:amp|nbsp|lt|gt|quot|apos|mdash|ndash|hellip|rsquo|lsquo|ldquo|rdquo|eacute|\#\d{2,5}"
    r"|\#x[0-9a-fA-F]{2,5});"
    r"|</?(?:br|p|b|i|u|strong|em|div|span|ul|ol|li|h[1-6]|a)(?:\s[^<>\n]{0,120})?\s?/?>",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"""\{\s{0,3}["“][\w -]{1,40}["”]\s{0,3}:\s{0,3}["“\[{\d]"""
    r"""|^\s{0,3}"[\w-]{1,30}"\s{0,3}:\s{0,3}["\[{\d]|["\]}]\s{0,3},\s{0,3}"[\w-]{1,30}"\s{0,3}:\s""",
    re.MULTILINE,
)


@check(
    "code_fragment", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Write what readers should see instead.",
    sometimes=WARNING, in_files=FilePart.TEXT, removable=True,
)  # fmt: skip
def check_code_fragment(passage: Passage, language: str) -> Iterator[Finding]:
    r"""Code that readers see: LaTeX, \n and other escapes, HTML and references, JSON.

    In a file it is a warning: manuals show such code.
    """
    text = passage.text_without_code
    if passage.kind is Kind.CODE or not any(sign in text for sign in _ESCAPE_SIGNS):
        return
    patterns = [_DATA]
    if "\\" in text or "$$" in text:
        patterns += [_FORMULA, _ESCAPED]
    elif "%" in text or "=" in text:
        patterns.append(_ESCAPED)
    if passage.in_file:
        patterns.append(_SHOWN_HTML)
    for pattern in patterns:
        if match := pattern.search(text):
            severity = _severity(passage, is_certain=False)
            what = "is code that readers would see."
            yield quoting(check_code_fragment, passage, match.span(), what, severity)
            return


# Fewer words of a prompt are ordinary words.
PROMPT_WORDS = 6


@check(
    "instruction_leak", ScorePart.MECHANICS, Scope.PASSAGE, BLOCKER,
    "Delete it, and write about the subject.",
    sometimes=WARNING, in_files=FilePart.TEXT, removable=True, fixable=True,
)  # fmt: skip
def check_instruction_leak(passage: Passage, language: str) -> Iterator[Finding]:
    """Instructions to a writer, and runs of words out of the prompts of Copydesk.

    An order that may be advice to readers who write is a warning, as is any order in a file.
    """
    text = level(passage.text_without_code)
    if span := _prompt_run(text):
        yield quoting(check_instruction_leak, passage, span, _ORDER)
        return
    orders = [each.writer_orders for each in with_english(language) if each.writer_orders]
    for each in orders:
        for pattern, is_certain in ((each.certain, True), (each.doubtful, False)):
            match = pattern.search(text)
            if match and '"' in text:
                match = pattern.search(without_quotations(text))
            if match:
                severity = BLOCKER if is_certain and not passage.in_file else WARNING
                yield quoting(check_instruction_leak, passage, match.span(), _ORDER, severity)
                return


def told_findings(texts: Iterable[Passage], told: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding for each text that has what only its writer was told, word for word."""
    lines = [line for line in told if len(words(line)) >= PROMPT_WORDS]
    for passage in texts:
        spans = (find_phrase(passage.text, line, "", exact=True) for line in lines)
        if span := next((found[0] for found in spans if found), None):
            yield quoting(check_instruction_leak, passage, span, _ORDER)


def _prompt_run(text: str) -> Span | None:
    """Return the first run of words that a prompt has as well."""
    runs, pairs = _prompt_runs()
    said = words(text)
    # Hardly any text has the first two words of a run, and few go on with it.
    if pairs.isdisjoint(pairwise(said)):
        return None
    for index in range(len(said) - PROMPT_WORDS + 1):
        if said[index : index + PROMPT_WORDS] in runs:
            found = find_phrase(text, " ".join(said[index : index + PROMPT_WORDS]), "", exact=True)
            return found[0] if found else (0, len(text))
    return None


@cache
def _prompt_runs() -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    """Return the runs of words of the prompts, and their first two words."""
    listed = files(__package__).joinpath("prompt_sentences.txt").read_text("utf-8")
    runs: set[tuple[str, ...]] = set()
    for line in listed.splitlines():
        said = words(line)
        runs.update(said[i : i + PROMPT_WORDS] for i in range(len(said) - PROMPT_WORDS + 1))
    return frozenset(runs), frozenset(run[:2] for run in runs)


def _severity(passage: Passage, *, is_certain: bool) -> Severity:
    """Return the severity of a leftover that people may have written on purpose in a file."""
    return BLOCKER if is_certain or not passage.in_file else WARNING
