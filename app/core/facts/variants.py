"""One word in British and in American spelling: colour and color, organise and organize."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from app.core.languages import Variants, get_section
from app.core.text import Span, word_set

_WORD = re.compile(r"[^\W\d_]{4,20}")
_QUOTED = re.compile(r"“[^”]{0,300}”|\"[^\"\n]{0,300}\"")
_SENTENCE_ENDS = frozenset({". ", "? ", "! "})
_ENDINGS = ("", "s", "ed", "d", "ing", "ful", "less", "r", "rs", "ly")
# Those of words that lose their last letter: organise, organising.
_ENDINGS_WITHOUT_E = ("ing", "able", "ation", "ations")


def two_variants(
    texts: Iterable[tuple[int, str]], language: str
) -> Iterator[tuple[int, Span, str, str]]:
    """Yield the first word that the text spells in another variant before, for each word, with the
    number of its text, its place and the other spelling.

    Words with a capital may be names, and quotations have a spelling of their own.
    """
    rules = get_section(language, Variants)
    if rules is None:
        return
    forms = _forms(rules.pairs)
    seen: dict[str, tuple[int, str]] = {}
    reported: set[str] = set()
    for number, text in texts:
        if forms.keys().isdisjoint(word_set(text)):
            continue
        quoted: list[Span] | None = None
        for match in _WORD.finditer(text):
            begin = match.start()
            starts = begin == 0 or text[max(0, begin - 2) : begin] in _SENTENCE_ENDS
            entry = forms.get(match[0].lower() if starts else match[0])
            if entry is None:
                continue
            if quoted is None:
                quoted = [each.span() for each in _QUOTED.finditer(text)]
            if any(low <= match.start() < high for low, high in quoted):
                continue
            word, side = entry
            first, spelled = seen.setdefault(word, (side, match[0]))
            if first != side and word not in reported:
                reported.add(word)
                yield number, match.span(), match[0], spelled


@cache
def _forms(pairs: tuple[tuple[str, str], ...]) -> Mapping[str, tuple[str, int]]:
    """Each form of each word, with the word and the number of its spelling."""
    found: dict[str, tuple[str, int]] = {}
    for pair in pairs:
        for side, written in enumerate(pair):
            forms = [written + ending for ending in _ENDINGS]
            forms += [written.removesuffix("e") + ending for ending in _ENDINGS_WITHOUT_E]
            for form in forms:
                found.setdefault(form, (pair[0], side))
    return found
