"""Items of lists in a source: symptoms, ingredients, documents, which have no other words."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from app.core.languages import Enumerations, Passive, Verification, get_language, get_section
from app.core.verification.advice import is_order

# A list has three items of up to three words besides numbers, and two on average: clauses have a
# verb more.
_LEAST_ITEMS, _ITEM_WORDS, _MEAN_WORDS = 3, 3, 2
# What stands between two items, and what else ends one.
# An item on a line of its own, with a bullet, may be longer: “hives all over the body”. Behind an
# article, six words are mostly a clause.
_LINE_WORDS, _ARTICLE_WORDS, _LINE_MEAN = 6, 5, 5
_BULLET = re.compile(r"\n\s*[-*•]\s*\Z")
_BETWEEN, _END = re.compile(r"[,;|•·\n]"), re.compile(r"[.!?:()\[\]]")


def listed(
    words: Sequence[str], gaps: Sequence[str], language: str, function_words: frozenset[str]
) -> list[bool]:
    """Return for each word of a text whether it is in an item of a list.

    An item has commas, a line break or “and” on both sides, or an end of its own at the last one.
    What may be a clause is no item: “drain it”, “who waits”. Two orders make no list: “add water”.
    A line with a bullet may have more words.

    Args:
        gaps: what stands before each word.
    """
    known, spoken = get_section(language, Enumerations), get_language(language)
    joins = known.joins if known else frozenset()
    articles = spoken.sentences.articles if spoken and spoken.sentences else frozenset()
    found = [False] * len(words)
    items: list[tuple[int, int]] = []
    begin, is_open = 0, False

    def is_item(begin: int, end: int) -> bool:
        if end - begin > 3 * _ITEM_WORDS:
            return False
        told = [word for word in words[begin:end] if not word[0].isdigit()]
        if not 0 < len(told) <= _ITEM_WORDS:
            return False
        is_named = told[0] not in function_words or told[0] in articles
        return is_named and told[-1] not in function_words

    def end_list() -> None:
        # “dry cough” begins as an order does.
        orders = sum(is_order(" ".join(words[slice(*item)]), language) for item in items)
        # “200 g of flour” has no verb.
        lengths = [last - first for first, last in items if not words[first][0].isdigit()]
        is_short = sum(lengths) <= _MEAN_WORDS * len(lengths)
        if len(items) >= _LEAST_ITEMS and orders <= 1 and is_short:
            for first, last in items:
                found[first:last] = [True] * (last - first)
        items.clear()

    for at in range(len(words) + 1):
        gap = gaps[at] if at < len(words) else "."
        is_join = at < len(words) and words[at] in joins
        is_between = is_join or bool(_BETWEEN.search(gap))
        is_end = bool(_END.search(gap))
        if not is_between and not is_end:
            continue
        if begin < at:
            if is_open and is_item(begin, at):
                items.append((begin, at))
            else:
                end_list()
        if is_end or (begin and words[begin - 1] in joins):
            # What stands behind “and” is the last item.
            end_list()
        # A sentence begins with its subject, not with an item, unless it has a line of its own.
        is_open = is_between or (":" in gap or "(" in gap)
        begin = at + is_join
    end_list()
    for begin, end in _lines_of_lists(words, gaps, language, function_words):
        found[begin:end] = [True] * (end - begin)
    return found


def _lines_of_lists(
    words: Sequence[str], gaps: Sequence[str], language: str, function_words: frozenset[str]
) -> Iterator[tuple[int, int]]:
    """Yield the lines that are items of a list of three or more and no sentences: they end without
    a full stop, are short, and have no auxiliary verb, and at most one of the list is an order."""
    known, voice = get_section(language, Verification), get_section(language, Passive)
    spoken = get_language(language)
    articles = spoken.sentences.articles if spoken and spoken.sentences else frozenset()
    of_clauses = (known.negations if known else frozenset()) | (
        voice.auxiliaries if voice else frozenset()
    )
    begins = [at for at, gap in enumerate(gaps) if "\n" in gap]
    cuts = [at for at, gap in enumerate([*gaps, "\n"]) if "\n" in gap or "," in gap]
    run: list[tuple[int, int]] = []
    for begin, end in pairwise([*begins, len(words)]):
        if _BULLET.search(gaps[begin]):
            run.append((begin, end))
            if end < len(words):
                continue
        own = [words[slice(*line)] for line in run]
        # The words are in lower case, but “Warten Sie” is an order.
        said = (" ".join(line).replace(" sie ", " Sie ") for line in own)
        orders = sum(is_order(each, language) for each in said)
        # “wheezing, repetitive coughing” is two.
        ends = [cuts[bisect_left(cuts, first) : bisect_right(cuts, last)] for first, last in run]
        lengths = [[two - one for one, two in pairwise(each)] for each in ends]
        is_short = sum(map(sum, lengths)) <= _LINE_MEAN * sum(map(len, lengths))
        if len(own) >= _LEAST_ITEMS and orders <= 1 and is_short:
            for (first, last), line, parts in zip(run, own, lengths, strict=True):
                most = _ARTICLE_WORDS if line[0] in articles else _LINE_WORDS
                is_named = line[0] in articles or line[0] not in function_words
                is_ended = last < len(words) and _END.search(gaps[last]) is not None
                is_clause = is_ended or not of_clauses.isdisjoint(line)
                if is_named and max(parts) <= most and not is_clause:
                    yield first, last
        run = []
