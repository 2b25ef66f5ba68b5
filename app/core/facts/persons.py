"""Pronouns of the other sex in a sentence about one person: "Peter founded it, and she runs it"."""

import re
from collections.abc import Iterator, Sequence

from app.core.facts.reading import Mistake
from app.core.languages import Persons, get_section
from app.core.text import Sentence

_TOKEN = re.compile(r"[^\W\d_]+")
# Longer sentences may be about several people.
_MOST_TOKENS = 40
# How many sentences before it may name somebody else.
_MOST_BEFORE = 20


def wrong_pronouns(read: Sequence[Sentence], language: str) -> Iterator[tuple[Sentence, Mistake]]:
    """Yield pronouns that fit nobody in their paragraph, by the sentences of the paragraph.

    Only if the sentence begins with a name or title of one sex, has a pronoun of the other, and
    neither it nor the sentences before it name anybody else.
    """
    words = get_section(language, Persons)
    if words is None:
        return
    for at, sentence in enumerate(read):
        sex = _sex(sentence.text.partition(" ")[0].rstrip("."), words)
        if not sex:
            continue
        tokens = [(match[0], match.start()) for match in _TOKEN.finditer(sentence.text)]
        if not 2 <= len(tokens) <= _MOST_TOKENS:
            continue
        found = _pronoun(tokens, [token.lower() for token, _ in tokens], sex, words)
        if found is not None and not _is_somebody(read[max(at - _MOST_BEFORE, 0) : at], sex, words):
            text, start = found
            problem = f"“{text}” does not fit “{tokens[0][0]} {tokens[1][0]}”."
            yield sentence, Mistake((start, start + len(text)), problem)


def _sex(word: str, words: Persons) -> int:
    """1 for the first name or title of a man, 2 for those of a woman, 0 for any other word."""
    if not word[:1].isupper():
        return 0
    low = word.lower()
    return 1 if low in words.men else 2 if low in words.women else 0


def _pronoun(
    tokens: Sequence[tuple[str, int]], low: Sequence[str], sex: int, words: Persons
) -> tuple[str, int] | None:
    """The first pronoun of the other sex; None beside one of the same sex or another person."""
    other = words.hers if sex == 1 else words.his
    same = words.his if sex == 1 else words.hers
    if not same.isdisjoint(low) or other.isdisjoint(low):
        return None
    at = next(i for i, word in enumerate(low) if word in other)
    # The surname follows the first name; any other capital may begin the name of somebody else.
    between = range(2, at)
    if at < 2 or any(tokens[i][0][0].isupper() for i in between):
        return None
    if any(_is_person(low[i], words) for i in between):
        return None
    # "Peter thinks that she …": what he says or knows of may be about anybody.
    if not words.reporting.isdisjoint(low[:at]):
        return None
    is_own = at + 1 < len(low) and low[at + 1] in words.own
    is_joined = low[at - 1] in words.joining
    return tokens[at] if is_own or is_joined else None


def _is_person(word: str, words: Persons) -> bool:
    return word in words.people or word in words.women or word in words.men


def _is_somebody(before: Sequence[Sentence], sex: int, words: Persons) -> bool:
    """Whether the sentences before name somebody whom the pronoun may mean."""
    seen = {token.lower() for each in before for token in _TOKEN.findall(each.text)}
    pronouns, names = (words.hers, words.women) if sex == 1 else (words.his, words.men)
    return not all(known.isdisjoint(seen) for known in (pronouns, names, words.people))
