"""How a text treats its readers: pressure, teasers, insults, prejudice, jargon and empty words."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from app.core.checks.check import (
    WARNING,
    DeskCheck,
    FilePart,
    Finding,
    Scope,
    ScorePart,
    check,
    with_section,
)
from app.core.checks.passage import Kind, Passage
from app.core.checks.wording import level, without_quotations
from app.core.languages import (
    Language,
    Manner,
    Redundancy,
    WordOrder,
    get_language,
    get_section,
)
from app.core.text import Sentence, Span, cached, sentences, stem, word_set, words

_KNOWN = with_section(Manner)
Cued = Mapping[str, Sequence[re.Pattern[str]]]
_TEXT_KINDS = frozenset({Kind.PROSE, Kind.ANSWER, Kind.ITEM, Kind.DESCRIPTION})
# Three questions among four sentences.
_QUESTIONS, _AMONG = 3, 4
_ANSWERED_FROM_WORDS = 8
_SHORT_QUESTION_WORDS = 12
_HEDGED_SENTENCE_WORDS = 30
# The same word so often, in a sentence where it is so large a share of the words.
_STUFFED_TIMES, _STUFFED_SHARE, _STUFFED_ALONE = 3, 0.24, 0.4
_STUFFED_FROM_WORDS = 7
_SHORT_SENTENCE_WORDS = 9
_SAID_TIMES = 3
_DEFINITION_LEAST_WORDS, _DEFINITION_WORDS = 6, 24
_SHARED_LETTERS = 5
_ROOT_LETTERS = 3
_ODD_PAIRS, _SALAD_WORDS = 2, 16
_STUFFED_MOST_WORDS = 20


@check(
    "hard_sell", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Say what it is and what it costs, and let the reader decide.",
    languages=_KNOWN, in_files=FilePart.PROSE, removable=True, fixable=True,
)  # fmt: skip
def check_hard_sell(passage: Passage, language: str) -> Iterator[Finding]:
    """Sentences that press the reader to buy: “Buy now!”, “only three left”."""
    if rules := get_section(language, Manner):
        yield from _cued(check_hard_sell, rules.sales, passage, "presses the reader to buy.")


@check(
    "clickbait", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING, "Say at once what it is about.",
    languages=_KNOWN, in_files=FilePart.TEXT, removable=True, fixable=True,
)  # fmt: skip
def check_clickbait(passage: Passage, language: str) -> Iterator[Finding]:
    """Teasers: “you won't believe what happens next”, “this one weird trick”."""
    if rules := get_section(language, Manner):
        yield from _cued(
            check_clickbait, rules.clickbait, passage, "teases readers and tells them nothing."
        )


@check(
    "insult", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING, "Leave it out.",
    languages=_KNOWN, in_files=FilePart.TEXT, removable=True, fixable=True,
)  # fmt: skip
def check_insult(passage: Passage, language: str) -> Iterator[Finding]:
    """Insults of the reader or of those who do otherwise: “only an idiot would”."""
    if rules := get_section(language, Manner):
        yield from _cued(check_insult, rules.insults, passage, "insults people.")


@check(
    "prejudice", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING, "Leave it out.",
    languages=_KNOWN, in_files=FilePart.TEXT, removable=True, fixable=True,
)  # fmt: skip
def check_prejudice(passage: Passage, language: str) -> Iterator[Finding]:
    """Sentences that belittle a group of people as a whole."""
    if rules := get_section(language, Manner):
        yield from _cued(check_prejudice, rules.prejudice, passage, "belittles a group of people.")


def _cued(
    broken: DeskCheck[[Passage, str]], patterns: Cued, passage: Passage, what: str
) -> Iterator[Finding]:
    """Yield a finding for the first match outside of quotations and code."""
    said = word_set(passage.text)
    if patterns.keys().isdisjoint(said):
        return
    cues = patterns.keys() & said
    if match := _search(_unquoted(passage.text_without_code), patterns, cues):
        shown = passage.text[slice(*match.span())].strip()
        yield broken.found(passage.section, f"“{shown}” {what}", match.span())


@cached
def _unquoted(text: str) -> str:
    return without_quotations(level(text))


def _search(text: str, patterns: Cued, cues: set[str]) -> re.Match[str] | None:
    tried = {pattern for cue in cues for pattern in patterns[cue]}
    found = (pattern.search(text) for pattern in tried)
    return min((match for match in found if match), key=lambda each: each.start(), default=None)


@check(
    "officialese", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Say in plain words who does what.",
    languages=_KNOWN, in_files=FilePart.PARAGRAPHS, fixable=True,
)  # fmt: skip
def check_officialese(passage: Passage, language: str) -> Iterator[Finding]:
    """Office jargon: “leverage synergies”, “pursuant to”."""
    rules = get_section(language, Manner)
    if rules is None:
        return
    said = word_set(passage.text)
    if cues := rules.office_phrases.keys() & said:
        text = _unquoted(passage.text_without_code)
        if match := _search(text, rules.office_phrases, cues):
            shown = passage.text[slice(*match.span())].strip(" ,")
            problem = f"“{shown}” is office jargon."
            yield check_officialese.found(passage.section, problem, match.span())
            return
    if len(rules.office_words & said) < rules.most_office_words:
        return
    for sentence in sentences(passage.text, language):
        found = [word for word in words(sentence.text) if word in rules.office_words]
        if len(set(found)) >= rules.most_office_words:
            problem = f"“{', '.join(found[:3])}” in one sentence is office jargon."
            yield check_officialese.found(passage.section, problem, sentence.span)
            return


@check(
    "hedging", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Say what is certain; one “may” is enough.",
    languages=_KNOWN, in_files=FilePart.PARAGRAPHS, fixable=True,
)  # fmt: skip
def check_hedging(passage: Passage, language: str) -> Iterator[Finding]:
    """Sentences that hedge several times: “it might perhaps possibly seem”."""
    rules = get_section(language, Manner)
    if rules is None or len(rules.hedges & word_set(passage.text)) < 2:
        return
    for sentence in sentences(passage.text, language):
        said = words(sentence.text)
        hedges = [word for word in said if word in rules.hedges]
        more = sum(word in rules.hedging for word in said)
        if (
            len(hedges) > 1
            and len(hedges) + more >= rules.most_hedges
            and len(hedges) > 2 - (len(said) <= _SHORT_QUESTION_WORDS)
            and len(said) <= _HEDGED_SENTENCE_WORDS
        ):
            problem = f"“{', '.join(hedges[:4])}” in one sentence leaves nothing certain."
            yield check_hedging.found(passage.section, problem, sentence.span)
            return


@check(
    "question_row", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Keep one question at most, and answer it.",
    in_files=FilePart.PARAGRAPHS, fixable=True,
)  # fmt: skip
def check_question_row(passage: Passage, language: str) -> Iterator[Finding]:
    """Short questions in a row that nobody answers: “Tired of it? Fed up? Want more?”."""
    if passage.text.count("?") < _QUESTIONS or passage.kind not in _TEXT_KINDS:
        return
    read = sentences(passage.text, language)
    # "Why?” she asked." is speech.
    asked = [
        each.text.endswith("?") and len(words(each.text)) <= _SHORT_QUESTION_WORDS for each in read
    ]
    for at in range(len(read)):
        row = [index for index in range(at, min(at + _AMONG, len(read))) if asked[index]]
        if asked[at] and len(row) >= _QUESTIONS:
            between = [read[index] for index in range(row[0], row[-1]) if not asked[index]]
            if all(len(words(each.text)) < _ANSWERED_FROM_WORDS for each in between):
                span = (read[row[0]].span[0], read[row[-1]].span[1])
                problem = (
                    f"{len(row)} questions follow each other, beginning with “{read[at].text}”."
                )
                yield check_question_row.found(passage.section, problem, span)
                return


@check(
    "keyword_stuffing", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Say it once, in a whole sentence.",
    in_files=FilePart.PARAGRAPHS, removable=True, fixable=True,
)  # fmt: skip
def check_keyword_stuffing(passage: Passage, language: str) -> Iterator[Finding]:
    """Sentences that say the same few words over and over, as for a search engine."""
    spoken = get_language(language)
    if passage.kind not in _TEXT_KINDS or passage.code:
        return
    said = words(passage.text)
    function_words = spoken.function_words if spoken else frozenset[str]()
    if not any(
        count >= _STUFFED_TIMES and len(word) > 2 and word not in function_words
        for word, count in Counter(said).items()
    ):
        return
    for sentence in sentences(passage.text, language):
        own = words(sentence.text)
        if not _STUFFED_FROM_WORDS <= len(own) <= _STUFFED_MOST_WORDS:
            continue
        content = [stem(word, language) for word in own if _carries(word, function_words)]
        often = [word for word, times in Counter(content).items() if times >= _STUFFED_TIMES]
        share = sum(content.count(word) for word in often) / len(own)
        pairs = Counter(frozenset(pair) for pair in pairwise(content) if len({*pair}) > 1)
        is_pair_often = any(times >= _STUFFED_TIMES for times in pairs.values())
        is_repeated = is_pair_often or len(often) > 1 or share >= _STUFFED_ALONE
        if often and share >= _STUFFED_SHARE and is_repeated:
            shown = next(word for word in own if stem(word, language) == often[0])
            problem = f"One sentence says “{shown}” {content.count(often[0])} times."
            yield check_keyword_stuffing.found(passage.section, problem, sentence.span)
            return


def _carries(word: str, function_words: frozenset[str]) -> bool:
    return len(word) > 2 and word.isalpha() and word not in function_words


@check(
    "redundancy", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING,
    "Say it once, in words that explain it.",
    languages=with_section(Redundancy), in_files=FilePart.PARAGRAPHS, fixable=True,
)  # fmt: skip
def check_redundancy(passage: Passage, language: str) -> Iterator[Finding]:
    """Three short sentences in a row that say the same, and definitions in a circle."""
    rules, spoken = get_section(language, Redundancy), get_language(language)
    if rules is None or spoken is None or passage.kind not in _TEXT_KINDS:
        return
    read = sentences(passage.text, language)
    yield from _same_thing(passage, read, rules)
    for sentence in read:
        if _circle(sentence.text, rules, spoken, language):
            problem = f"“{sentence.text[:80]}” explains a word by the same word."
            yield check_redundancy.found(passage.section, problem, sentence.span)
            return


def _same_thing(passage: Passage, read: Sequence[Sentence], rules: Redundancy) -> Iterator[Finding]:
    run: list[Sentence] = []
    groups: set[int] = set()
    short = [
        len(words(each.text)) <= _SHORT_SENTENCE_WORDS and not each.text.endswith("?")
        for each in read
    ]
    if not any(all(short[at : at + _SAID_TIMES]) for at in range(len(read) - _SAID_TIMES + 1)):
        return
    for sentence, is_short in zip(read, short, strict=True):
        said = words(sentence.text)
        own = {n for word in said for n in rules.groups.get(word, ())} if is_short else set()
        # Two sentences with the same word in them go on with it; synonyms say it again.
        if run and groups & own:
            run.append(sentence)
            groups &= own
        else:
            run, groups = ([sentence], own) if own else ([], set())
        if len(run) == _SAID_TIMES:
            used = [rules.synonyms[next(iter(groups))] & set(words(each.text)) for each in run]
            if len(frozenset().union(*used)) >= _SAID_TIMES:
                span = (run[0].span[0], run[-1].span[1])
                shown = passage.text[slice(*span)]
                problem = f"“{shown[:100]}” says the same three times."
                yield check_redundancy.found(passage.section, problem, span)
                return


def _circle(text: str, rules: Redundancy, spoken: Language, language: str) -> str:
    """Return the word that a sentence explains by that word itself."""
    said = words(text)
    if not _DEFINITION_LEAST_WORDS <= len(said) <= _DEFINITION_WORDS:
        return ""
    roots = [word[:_ROOT_LETTERS] for word in said if word not in spoken.function_words]
    # Most sentences have no two words of one root.
    if len(set(roots)) == len(roots):
        return ""
    for pattern in (rules.defining, rules.reasons):
        match = pattern.search(text)
        if match is None:
            continue
        before = _content(text[: match.start()], rules, spoken, language)
        after = _content(text[match.end() :], rules, spoken, language)
        if not before or not after or len(before) > 3:
            continue
        same = [
            word
            for word in dict.fromkeys(after)
            if any(_same_root(word, other) for other in before)
        ]
        # All of the explanation is in the thing explained, or nearly all of it.
        if same and len(set(after)) <= len(same) and _is_about(same, before):
            return same[0]
    return ""


def _is_about(same: Sequence[str], before: Sequence[str]) -> bool:
    return len(same) >= len(set(before)) - 1


def _content(text: str, rules: Redundancy, spoken: Language, language: str) -> list[str]:
    function_words = spoken.function_words | rules.empty
    return [
        stem(word, language)
        for word in words(text)
        if word not in function_words and len(word) > 2 and word.isalpha()
    ]


def _same_root(one: str, two: str) -> bool:
    shorter = min(len(one), len(two))
    return (
        one == two
        or (shorter >= 3 and one[:shorter] == two[:shorter])
        or (shorter >= _SHARED_LETTERS and one[:_SHARED_LETTERS] == two[:_SHARED_LETTERS])
    )


@check(
    "word_salad", ScorePart.SUBSTANCE, Scope.PASSAGE, WARNING, "Rewrite the sentence.",
    languages=with_section(WordOrder), in_files=FilePart.PARAGRAPHS, removable=True, fixable=True,
)  # fmt: skip
def check_word_salad(passage: Passage, language: str) -> Iterator[Finding]:
    """Sentences with words that never follow each other: “the with”."""
    rules = get_section(language, WordOrder)
    if rules is None or passage.code or passage.kind not in _TEXT_KINDS:
        return
    said = words(passage.text)
    if not any(
        (one in rules.before and two in rules.never_after)
        or (one in rules.joining and two in rules.rarely_after)
        for one, two in pairwise(said)
    ):
        return
    for sentence in sentences(passage.text, language):
        if found := _impossible(sentence.text, rules):
            problem = f"“{sentence.text[slice(*found)]}” makes no sense."
            at = sentence.span[0]
            yield check_word_salad.found(passage.section, problem, (at + found[0], at + found[1]))
            return


# An article at the end of a line may belong to a name or a sign: "vitamin A and B", "A-level".
_WORD = re.compile(r"(?<![\w'’-])[a-z]+(?![\w'’-])")


def _impossible(text: str, rules: WordOrder) -> Span | None:
    """Return the place of words that cannot follow each other."""
    before: re.Match[str] | None = None
    odd: list[Span] = []
    for match in _WORD.finditer(text):
        if before and text[before.end() : match.start()] == " ":
            one, two = before.group(), match.group()
            span = (before.start(), match.end())
            is_known = f"{one} {two}" in rules.exceptions
            if one in rules.before and two in rules.never_after and one != two and not is_known:
                return span
            if one in rules.joining and two in rules.rarely_after:
                odd.append(span)
        before = match
    return odd[0] if len(odd) >= _ODD_PAIRS and len(words(text)) < _SALAD_WORDS else None
