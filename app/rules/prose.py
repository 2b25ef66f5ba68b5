"""Whether prose is complete, and says everything once."""

import re
from collections.abc import Iterator
from html import unescape

from app.rules.finding import Checked, Finding, Severity
from app.rules.languages import never_last
from app.rules.passages import Kind, Passage
from app.rules.words import fold, sentences, shortened, word_count

_PARAGRAPH_WORDS, _SENTENCE_WORDS, _SENTENCE_USES = 12, 8, 3
# Refrains and repeated notes of people are shorter.
_PARAGRAPH_WORDS_IN_FILE = 25
# A text of fewer words may be a caption or a note without a full stop.
_WHOLE_WORDS = 12
_BROKEN_OFF = re.compile(r"(?:[,(\[„¿¡]|\w[-–—])\Z")
_LAST_WORD = re.compile(r"(?<![\w.])([^\W\d_]+)\Z")
# At the end of a word, ** may be the mark of a note.
_BOLD = re.compile(r"(?<![\w*/])\*\*(?=[^\W\d_][\w ,:.’'-]{1,200}\w)")
# Languages that do not mark the end of a sentence.
_WITHOUT_FULL_STOP = frozenset({"lo", "th"})


def check_ends(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each part whose last text breaks off, and for marks never closed."""
    texts = checked.texts
    for at, text in enumerate(texts):
        if "**" in text.written and (match := _BOLD.search(text.written)):
            shown = unescape(text.written[max(0, match.start() - 20) : match.end() + 20])
            reason = (
                f"“{shown}” has ** without a partner. Remove it, or add the one that is missing."
            )
            yield Finding("cut_off", Severity.BLOCKER, text.section, reason, shown)
        is_last = at + 1 == len(texts) or _part(texts[at + 1]) != _part(text)
        if text.kind is Kind.PROSE and is_last:
            yield from _broken_off(text, checked.language)


def _part(text: Passage) -> str:
    return text.section.removesuffix(".heading")


def _broken_off(text: Passage, language: str) -> Iterator[Finding]:
    said = text.text.rstrip()
    end = said[-60:]
    last = _LAST_WORD.search(end)
    shown = f"…{end}"
    if _BROKEN_OFF.search(end) or (last and last[1] in never_last(language)):
        reason = f"The text breaks off: “{shown}”. Finish the sentence, or remove it."
        yield Finding("cut_off", Severity.BLOCKER, text.section, reason, said[-60:])
    elif last and language[:2] not in _WITHOUT_FULL_STOP and word_count(said) >= _WHOLE_WORDS:
        reason = f"The text ends without a full stop: “{shown}”. Finish the sentence."
        yield Finding("cut_off", Severity.WARNING, text.section, reason, said[-60:])


def check_repetition(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for each paragraph, and in a post for each heading and sentence, that stands
    in the texts again."""
    in_file = checked.in_file
    severity = Severity.WARNING if in_file else Severity.BLOCKER
    least = _PARAGRAPH_WORDS_IN_FILE if in_file else _PARAGRAPH_WORDS
    headings: set[str] = set()
    paragraphs: set[str] = set()
    said: dict[str, int] = {}
    for text in checked.texts:
        # A description may repeat the beginning of its post: readers see one of them.
        if text.section == "meta.description" or (
            len(text.text) < 2 * _SENTENCE_WORDS and text.kind is not Kind.HEADING
        ):
            continue
        folded = fold(text.text)
        if text.kind is Kind.HEADING and text.section != "title" and not in_file:
            if folded in headings and text.section.endswith((".heading", ".question")):
                reason = f"The heading “{text.text}” stands in the post twice. Write another one."
                yield Finding("repeated", severity, text.section, reason, text.text)
            headings.add(folded)
        if text.kind not in {Kind.PROSE, Kind.ITEM} or folded.count(" ") < _SENTENCE_WORDS - 1:
            continue
        if folded in paragraphs:
            reason = f"“{shortened(text.text, 80)}” stands in the text twice. Remove one of them."
            yield Finding("repeated", severity, text.section, reason, text.text)
            continue
        if folded.count(" ") >= least - 1:
            paragraphs.add(folded)
        for sentence in () if in_file else sentences(text.text, checked.language):
            words = fold(sentence)
            if words.count(" ") < _SENTENCE_WORDS - 1:
                continue
            said[words] = said.get(words, 0) + 1
            if said[words] == _SENTENCE_USES:
                reason = (
                    f"The sentence “{shortened(sentence, 80)}” stands in the text"
                    f" {_SENTENCE_USES} times. Say it once."
                )
                yield Finding("repeated", severity, text.section, reason, sentence)
