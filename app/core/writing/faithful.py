"""Tell which sentences of a paraphrase say what its notes say, and no more.

Compared are words, numbers and denials, not meaning: a sentence in which one word was replaced by
its opposite passes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from app.core.languages import (
    Composing,
    Consistency,
    Opposition,
    Verification,
    get_language,
    get_section,
)
from app.core.text import find_phrase, primary_subtag, stem, stem_counts, stems, words

# The least share of a sentence's words that its notes have, and of a note's that the sentence has.
_TAKEN, _KEPT = 0.83, 0.83
# Two headings with this share of words in common say the same.
_ALIKE = 0.6
# A sentence says what is required if it has this share of the words of the shorter of the two.
_REQUIRED, _LEAST_SHARED = 0.5, 2
_PHRASE_WORDS = 5
_FIGURE = re.compile(r"(?:([^\W\d_]+)\s+)?(\d+(?:[.,:/]\d+)*)")
_CONTRACTED_NOT = re.compile(r"n['’]t\b")


def is_fluent(language: str) -> bool:
    """Whether a small model may add words in a language: in those it knows less, it misspells
    them, and takes one preposition for another."""
    return primary_subtag(language) == "en"


def share_of(text: str, given: str, language: str) -> float:
    """Return the share of a text's words that another text has as well, function words aside; 1 if
    it has no other words."""
    said = _meant(text, language)
    return len(said & _meant(given, language)) / len(said) if said else 1.0


def vocabulary(notes: Iterable[str], language: str) -> Counter[str]:
    """Return in how many notes each word stands, function words aside."""
    return Counter(word for note in notes for word in _meant(note, language))


def told(
    notes: Sequence[str], said: Sequence[str], known: Counter[str], language: str
) -> dict[int, str]:
    """Return by the index of a note what says it and no more: a sentence, or two that follow each
    other. Notes that nothing says are not in it.

    Args:
        said: the sentences of a paraphrase, in order.
        known: the vocabulary of all notes of the post.
    """
    units = [*said, *(f"{first} {second}" for first, second in pairwise(said))]
    found = {}
    for at, note in enumerate(notes):
        fitting = [text for text in units if _is_said(text, note, known, language)]
        if fitting:
            found[at] = max(fitting, key=lambda text: share_of(note, text, language))
    return found


def _is_said(text: str, note: str, known: Counter[str], language: str) -> bool:
    least = _TAKEN if is_fluent(language) else 1
    lost = _meant(note, language) - _meant(text, language)
    return (
        _figures(text) == _figures(note)
        and _denials(text, language) == _denials(note, language)
        and share_of(text, note, language) >= least
        and share_of(note, text, language) >= _KEPT
        # What other notes are about as well tells this one from them.
        and all(known[word] < 2 for word in lost)
        and not strays(text, note, known, language)
    )


def strays(text: str, note: str, known: Counter[str], language: str) -> bool:
    """Whether a text has a word of another note that its own note has not, or not as often, and so
    may be about that one: a synonym is mostly a word of no note.

    Args:
        known: the vocabulary of all notes of the post.
    """
    added = stem_counts(text, language) - stem_counts(note, language)
    own = _meant(note, language)
    return any(known[word] > (word in own) for word in added.keys() - _function_words(language))


def _figures(text: str) -> Counter[tuple[str, ...]]:
    """Return the numbers of a text, each with the word before it: within 30 days is not for 30."""
    return Counter(_FIGURE.findall(text.lower()))


def required_of(said: Sequence[str], required: Iterable[str], language: str) -> set[int]:
    """Return the indices of the sentences that readers need: each that denies something, as a
    caution does, and of each text that a post requires, the one that says most of it."""
    meant = [_meant(text, language) for text in said]
    found = {at for at, text in enumerate(said) if _denials(text, language)}
    for text in required:
        wanted = _meant(text, language)
        shared = [len(wanted & own) for own in meant]
        best = max(range(len(said)), key=shared.__getitem__, default=None)
        if best is not None and shared[best] >= max(
            _LEAST_SHARED, _REQUIRED * min(len(wanted), len(meant[best]))
        ):
            found.add(best)
    return found


def is_limiting(text: str, language: str) -> bool:
    """Whether a statement is an exception, a limit or a caution, or begins with the case or the
    readers that it is for."""
    said = words(text)
    opposing, cases = get_section(language, Opposition), get_section(language, Consistency)
    rules = get_section(language, Composing)
    return bool(
        _denials(text, language)
        or (opposing and not opposing.restricting.isdisjoint(said))
        or (cases and not (cases.fronting | cases.conditions).isdisjoint(said[:1]))
        or (rules and (rules.cautions.search(text) or rules.help.search(text)))
    )


def is_alike(one: str, other: str, language: str) -> bool:
    """Whether two texts, such as headings, have most of their words in common."""
    return likeness(one, other, language) >= _ALIKE


def repeats(one: str, other: str, language: str) -> bool:
    """Whether two sentences say the same: they are alike, with the same numbers and denials."""
    return (
        is_alike(one, other, language)
        and _figures(one) == _figures(other)
        and _denials(one, language) == _denials(other, language)
    )


def likeness(one: str, other: str, language: str) -> float:
    """Return the share of the words of two texts that both have, function words aside."""
    first, second = _meant(one, language), _meant(other, language)
    return len(first & second) / len(first | second) if first | second else 1.0


def common_phrase(texts: Sequence[str], taken: Sequence[str], language: str) -> str | None:
    """Return the longest phrase, of up to five words, that two of some texts have in common, or
    else their longest word; None if that is part of a text taken."""
    small = _function_words(language)
    found: Counter[str] = Counter()
    for text in texts:
        tokens = words(text)
        runs = {
            tokens[at : at + size]
            for size in range(1, _PHRASE_WORDS + 1)
            for at in range(len(tokens) - size + 1)
        }
        found.update(
            " ".join(run) for run in runs
            if not {stem(run[0], language), stem(run[-1], language)} & small
            and not run[0].isdigit() and len(run[-1]) > 2
        )  # fmt: skip
    best = [
        (count > 1, len(phrase), phrase) for phrase, count in found.items()
        if (count > 1 or " " not in phrase)
        and not any(find_phrase(text, phrase, language) for text in taken)
    ]  # fmt: skip
    if not best:
        return None
    phrase = max(best)[2]
    written = next((span for text in texts for span in _written(text, phrase, language)), phrase)
    return f"{written[0].upper()}{written[1:]}"


def _written(text: str, phrase: str, language: str) -> list[str]:
    return [text[start:end] for start, end in find_phrase(text, phrase, language, exact=True)]


@lru_cache(maxsize=16)
def _function_words(language: str) -> frozenset[str]:
    spoken = get_language(language)
    small = spoken.function_words if spoken else ()
    return frozenset(stem(word, language) for word in small)


def _meant(text: str, language: str) -> frozenset[str]:
    return stems(text, language) - _function_words(language)


def _denials(text: str, language: str) -> int:
    known = get_section(language, Verification)
    denying = known.negations if known else ()
    found = sum(word in denying for word in words(text))
    return found + len(_CONTRACTED_NOT.findall(text.lower()))
